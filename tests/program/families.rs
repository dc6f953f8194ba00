//! Families of responses, as users of the program ask for them.

use serde_json::Value;

use crate::support::Folder;

/// Eighty births: yes or no, events of trials, a count, a positive number, an exposure, weights, and variables.
pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("low,coded,sick,of,visits,cost,log_time,w,age,dose,group,noise\n");
    for row in 0..80_u32 {
        let mixed = row * 37 % 83;
        let (age, dose, noise) = (mixed % 17, row % 7, row * 13 % 29);
        let risk = age + 3 * dose + mixed % 9;
        let low = if risk > 22 { "yes" } else { "no" };
        let (of, sick) = (3 + row % 4, (risk / 9).min(3 + row % 4));
        let time = 1 + row % 5;
        text += &format!(
            "{low},{},{sick},{of},{},{},{},{},{age},{dose},{},{noise}\n",
            1 + u32::from(risk > 22),
            time * risk / 8,
            f64::from(risk) + 0.5,
            f64::from(time).ln(),
            f64::from(row % 3) + 0.5,
            ["a", "b", "c"][(row % 3) as usize],
        );
    }
    folder.write("d.csv", &text);
    folder
}

const OTHERS: &str = "low,coded,sick,of,visits,cost,log_time,w";

/// The report of a response, all other responses being dropped but those that the options name.
pub(crate) fn select(folder: &Folder, response: &str, used: &[&str], more: &[&str]) -> Value {
    let hidden = |name: &&str| *name != response && !used.contains(name);
    let drop: Vec<&str> = OTHERS.split(',').filter(hidden).collect();
    let drop = drop.join(",");
    let own = [
        "select",
        "d.csv",
        "--response",
        response,
        "--drop",
        &drop,
        "--format",
        "json",
    ];
    let ran = folder.run(&[&own, more].concat());
    assert_eq!(ran.code, Some(0), "{response} {more:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn each_family_has_its_report() {
    let folder = folder();
    let low = select(&folder, "low", &[], &["--family", "binomial"]);
    assert_eq!(low["family"]["name"], "binomial");
    assert_eq!(low["family"]["ratio"], "odds ratio");
    assert_eq!(low["certified"], "global");
    assert!(low["rss"].is_null() && low["r_squared"].is_null());
    let auc = low["family"]["discrimination"]["auc"].as_f64().unwrap();
    assert!(auc > 0.8 && auc <= 1.0, "{auc}");
    // The same classes as numbers, and turned around.
    let coded = select(
        &folder,
        "coded",
        &[],
        &["--family", "binomial", "--success", "2"],
    );
    assert_eq!(low["selected"], coded["selected"]);
    let turned = select(
        &folder,
        "low",
        &[],
        &["--family", "binomial", "--success", "no"],
    );
    let first = |report: &Value| report["selected"][0]["coefficient"].as_f64().unwrap();
    assert!((first(&low) + first(&turned)).abs() < 1e-6 * first(&low).abs());
    assert_eq!(low["criterion"], turned["criterion"]);
    for link in ["probit", "cloglog"] {
        let other = select(
            &folder,
            "low",
            &[],
            &["--family", "binomial", "--link", link],
        );
        assert_eq!(other["family"]["link"], link);
        assert!(other["family"]["ratio"].is_null());
    }
    let sick = select(
        &folder,
        "sick",
        &["of"],
        &["--family", "binomial", "--trials", "of"],
    );
    assert_eq!(sick["family"]["trials"], "of");
    let own = [
        "--family",
        "poisson",
        "--offset",
        "log_time",
        "--weights",
        "w",
    ];
    let visits = select(&folder, "visits", &["log_time", "w"], &own);
    assert_eq!(
        (&visits["family"]["offset"], &visits["weights"]),
        (&"log_time".into(), &"w".into())
    );
    assert_eq!(visits["family"]["ratio"], "rate ratio");
    for (response, family) in [("visits", "negative-binomial"), ("cost", "gamma")] {
        let report = select(&folder, response, &[], &["--family", family]);
        assert_eq!(report["family"]["name"], family);
        let selected = report["selected"].as_array().unwrap();
        assert!(selected.iter().any(|own| own["name"] == "dose"), "{report}");
        assert_eq!(selected[0]["t"].is_null(), family != "gamma");
    }
    // A formula has offsets of its own.
    let formula = "visits ~ age + dose + group + offset(log_time)";
    let own = [
        "select",
        "d.csv",
        "--formula",
        formula,
        "--family",
        "poisson",
        "--format",
        "json",
    ];
    let ran = folder.run(&own);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let of_formula: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(of_formula["family"]["offset"], "log_time");
    assert!(of_formula["terms"][0]["chi_squared"].is_number());
}

#[test]
fn texts_pages_and_tables_have_what_a_family_has() {
    let folder = folder();
    let own = [
        "select",
        "d.csv",
        "--response",
        "low",
        "--family",
        "binomial",
        "--drop",
    ];
    let own = [&own[..], &["coded,sick,of,visits,cost,log_time,w"]].concat();
    let run = |more: &[&str]| {
        let ran = folder.run(&[&own, more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let text = run(&[]);
    for part in [
        "family               binomial, link logit",
        "deviance ",
        "AUC ",
        "odds ratio",
        " z ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("R²"), "{text}");
    let page = run(&["--format", "html"]);
    assert!(page.contains("odds ratio") && page.contains("binomial, link logit"));
    let csv = run(&["--format", "csv"]);
    assert!(
        csv.starts_with("name,term,index,coefficient,std_error,t,z,p_value,lower,upper,ratio,"),
        "{csv}"
    );
    let stable = [
        "stability",
        "d.csv",
        "--response",
        "low",
        "--family",
        "binomial",
        "--resamples",
        "6",
        "--drop",
    ];
    let ran = folder.run(&[&stable[..], &["coded,sick,of,visits,cost,log_time,w"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn what_a_family_cannot_have_is_one_error() {
    let folder = folder();
    folder.write(
        "odd.csv",
        "y,k,m,x\n0,1,2,1\n1,3,2,2\n2,1,2,4\n1,0,3,3\n0,1,1,7\n",
    );
    folder.write("same.csv", "y,x\n1,1\n1,3\n1,2\n1,5\n");
    let cases: [(&[&str], &[&str]); 12] = [
        (
            &["d.csv", "--response", "group", "--family", "binomial"],
            &["`group`", "a, b", "takes two"],
        ),
        (
            &["d.csv", "--response", "low"],
            &["text", "--family binomial"],
        ),
        (
            &["d.csv", "--response", "low", "--family", "poisson"],
            &["text", "poisson takes numbers"],
        ),
        (
            &[
                "d.csv",
                "--response",
                "low",
                "--family",
                "binomial",
                "--success",
                "yess",
            ],
            &["--success", "`yess`", "did you mean `yes`"],
        ),
        (
            &["d.csv", "--response", "low", "--success", "yes"],
            &["success is of the family binomial"],
        ),
        (
            &[
                "d.csv",
                "--response",
                "cost",
                "--family",
                "gamma",
                "--link",
                "logit",
            ],
            &["gamma has no link logit: use log or inverse"],
        ),
        (
            &[
                "d.csv",
                "--response",
                "cost",
                "--family",
                "gamma",
                "--criterion",
                "cp",
            ],
            &["criterion cp is of least squares"],
        ),
        (
            &["odd.csv", "--response", "y", "--family", "binomial"],
            &["row 3", "2 is no response", "--success"],
        ),
        (
            &[
                "odd.csv",
                "--response",
                "k",
                "--family",
                "binomial",
                "--trials",
                "m",
            ],
            &["row 2", "3 events of 2 trials"],
        ),
        (
            &[
                "odd.csv",
                "--response",
                "x",
                "--family",
                "binomial",
                "--trials",
                "none",
            ],
            &["--trials", "none"],
        ),
        (
            &["same.csv", "--response", "y", "--family", "binomial"],
            &["every response is 1"],
        ),
        (
            &[
                "d.csv",
                "--response",
                "cost",
                "--family",
                "gamma",
                "--method",
                "jmi",
            ],
            &["family has no effect with the method jmi"],
        ),
    ];
    for (arguments, parts) in cases {
        let ran = folder.run(&[&["select"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        for part in parts {
            assert!(
                ran.stderr.contains(part),
                "{arguments:?}: {part} in {}",
                ran.stderr
            );
        }
    }
}

/// Separation names its variables and their direction, over-dispersion what there is instead.
#[test]
fn separation_and_over_dispersion_are_told() {
    let folder = Folder::new();
    let mut text = String::from("event,sure,z,count\n");
    for row in 0..60_u32 {
        let mixed = row * 37 % 61;
        // Where `sure` is 1 all have the event; elsewhere half.
        let sure = u32::from(mixed % 4 == 0);
        let event = u32::from(sure == 1 || mixed % 2 == 1);
        let count = if mixed % 5 == 0 {
            40 + mixed
        } else {
            mixed % 3
        };
        text += &format!("{event},{sure},{},{count}\n", row % 7);
    }
    folder.write("d.csv", &text);
    let run = |response: &str, family: &str, drop: &str| {
        let own = [
            "select",
            "d.csv",
            "--response",
            response,
            "--family",
            family,
            "--drop",
            drop,
        ];
        let ran = folder.run(&[&own[..], &["--criterion", "aic", "--format", "json"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()
    };
    let event = run("event", "binomial", "count");
    assert_eq!(event["family"]["status"], "separated");
    assert_eq!(event["selected"][0]["name"], "sure");
    assert!(event["selected"][0]["std_error"].is_null());
    let warnings = event["warnings"].to_string();
    assert!(
        warnings.contains("separation") && warnings.contains("sure (+)"),
        "{warnings}"
    );
    let count = run("count", "poisson", "event,sure");
    let warnings = count["warnings"].to_string();
    assert!(
        warnings.contains("over-dispersion") && warnings.contains("negative-binomial"),
        "{warnings}"
    );
    let count = run("count", "negative-binomial", "event,sure");
    assert!(!count["warnings"].to_string().contains("over-dispersion"));
}

/// An interrupted search of a family goes on to the same end, and not with another link.
#[test]
fn a_resumed_search_of_a_family_ends_the_same() {
    let folder = Folder::new();
    let simulated = [
        "simulate", "ar1", "--n", "120", "--p", "60", "--r", "6", "--family", "binomial",
    ];
    let ran = folder.run(&[&simulated[..], &["--output", "s.csv"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let own = [
        "select",
        "s.csv",
        "--response",
        "y",
        "--family",
        "binomial",
        "--format",
        "json",
    ];
    let whole = folder.run(&own);
    let part = ["--checkpoint", "c", "--time-limit", "60ms"];
    let cut = folder.run(&[&own[..], &part].concat());
    assert!(cut.code == Some(0), "{}", cut.stderr);
    let again = folder.run(&[&own[..], &["--checkpoint", "c"]].concat());
    let strip = |text: &str| {
        let mut report: Value = serde_json::from_str(text).unwrap();
        report.as_object_mut().unwrap().remove("elapsed_seconds");
        report.as_object_mut().unwrap().remove("warnings");
        report
    };
    assert_eq!(strip(&whole.stdout), strip(&again.stdout));
}
