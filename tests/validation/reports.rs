//! The forms of a report: text, CSV, a page, and jobs of a file.

use crate::{Data, others_than, support::Folder};

fn run(folder: &Folder, format: &str, options: &[&str]) -> String {
    let ran = folder.run(&[&["validate", "d.csv", "--format", format], options].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout
}

#[test]
fn the_first_line_is_the_answer() {
    let folder = Folder::new();
    Data::of(60, 3).write_all(&folder);
    let others = others_than(&["y"]);
    let text = run(&folder, "text", &["--response", "y", "--drop", &others]);
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("held-out RMSE 0."), "{first}");
    assert!(
        first.contains(" ± ") && first.contains("(null ") && first.ends_with(", 10 folds)"),
        "{first}"
    );
    for part in [
        "scheme               folds:k=10,repeats=1, seed 1\n",
        "mean absolute error",
        "R²",
        "± is the standard error, by the jackknife over folds.",
        "  least\n",
        "60 of 60 observations judged, ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let csv = run(
        &folder,
        "csv",
        &[
            "--response",
            "y",
            "--drop",
            &others,
            "--criterion",
            "bic,aic",
        ],
    );
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("model,measure,value,std_error"));
    let models: Vec<&str> = lines.map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(models.len(), 20);
    for model in ["bic", "aic", "null", "full"] {
        assert_eq!(
            models.iter().filter(|own| **own == model).count(),
            5,
            "{models:?}"
        );
    }
}

#[test]
fn pages_have_their_figures() {
    let folder = Folder::new();
    Data::of(80, 3).write_all(&folder);
    let (of_numbers, of_events) = (others_than(&["y"]), others_than(&["b"]));
    let page = run(&folder, "html", &["--response", "y", "--drop", &of_numbers]);
    for part in [
        "Error by size",
        "Observed against predicted",
        "How often each was chosen",
        "held-out RMSE",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let page = run(
        &folder,
        "html",
        &[
            "--response",
            "b",
            "--family",
            "binomial",
            "--drop",
            &of_events,
        ],
    );
    for part in [
        "Error by size",
        "Receiver operating characteristic",
        "Calibration",
        "held-out AUC",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_job_of_a_file_is_the_command() {
    let folder = Folder::new();
    Data::of(60, 3).write_all(&folder);
    let others = others_than(&["y"]);
    let job = format!(
        "[[job]]\nname = \"a\"\ncommand = \"validate\"\ndata = \"d.csv\"\nresponse = \"y\"\ndrop = \"{others}\"\n\
         scheme = \"folds:k=4\"\nby = \"id\"\n"
    );
    let job = job.replace(",id\"", "\"");
    folder.write("jobs.toml", &job);
    let ran = folder.run(&["run", "jobs.toml", "--progress", "none"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let stored: serde_json::Value =
        serde_json::from_str(&folder.read("jobs-results/a.json")).unwrap();
    let drop = others.replace(",id", "");
    let options = [
        "--response",
        "y",
        "--drop",
        &drop,
        "--scheme",
        "folds:k=4",
        "--by",
        "id",
    ];
    let own = crate::validate(&folder, &options);
    for field in ["models", "null", "full", "by_size", "splits", "held_out"] {
        assert_eq!(stored["result"][field], own[field], "{field}");
    }
    // So has a table of all jobs: the value to its last digit.
    let errors = folder.read("jobs-results/errors.csv");
    let mut lines = errors.lines();
    let header = "job,command,data,method,criterion,seed,model,measure,value,std_error";
    assert_eq!(lines.next(), Some(header));
    let rmse = crate::value(&own["models"][0]["errors"], "rmse");
    let row = format!("a,validate,d.csv,pass,ebic-monotone:gamma=1,1,selected,rmse,{rmse},");
    assert!(errors.contains(&row), "{row} in {errors}");
    assert_eq!(lines.count(), 3 * own["null"].as_array().unwrap().len());
    // A page of all jobs has that of this one.
    assert!(
        folder
            .read("jobs-results/report.html")
            .contains("Error by size")
    );
}
