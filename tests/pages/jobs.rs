//! The page of a run of jobs.

use crate::{number, support::Folder, taken::Page};

#[test]
fn a_run_has_one_page_of_all_its_jobs() {
    let folder = Folder::new();
    for seed in ["1", "2", "3"] {
        let file = format!("set{seed}.csv");
        let made = [
            "simulate",
            "chen-chen",
            "--n",
            "80",
            "--p",
            "12",
            "--seed",
            seed,
            "--output",
            &file,
        ];
        assert_eq!(folder.run(&made).code, Some(0));
    }
    folder.write(
        "jobs.toml",
        "[defaults]\nresponse = \"y\"\nparticles = 4\niterations = 8\n\
         [[job]]\nname = \"pass\"\ndata = \"set*.csv\"\ncriterion = [\"aic\", \"hdbic\"]\nseed = [1, 2]\n\
         [[job]]\nname = \"path\"\ncommand = \"stability\"\ndata = \"set1.csv\"\nresamples = 4\n\
         criterion = [\"ebic:gamma=0\", \"ebic:gamma=0.5\", \"ebic:gamma=1\"]\n\
         [[job]]\nname = \"broken\"\ndata = \"set2.csv\"\nkeep = [\"nobody\"]\n",
    );
    let ran = folder.run(&["run", "jobs.toml", "--progress", "none"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let page = Page::of(folder.read("jobs-results/report.html"));
    page.has("15 of 16 jobs done.");
    page.has("<li>broken failed: ");
    // The means are those of the jobs.
    let jobs = page.rows("All jobs");
    let place = |name: &str| jobs[0].iter().position(|it| it == name).unwrap();
    assert_eq!(jobs.len(), 17);
    let rate = |criterion: &str, name: &str| {
        let own = jobs[1..]
            .iter()
            .filter(|row| row[0].starts_with("pass,") && row[place("criterion")] == criterion);
        let all: Vec<f64> = own.map(|row| number(&row[place(name)])).collect();
        assert_eq!(all.len(), 6);
        all.iter().sum::<f64>() / 6.0
    };
    for (title, name) in [
        ("Positive selection rate", "PSR"),
        ("False discovery rate", "FDR"),
    ] {
        for (row, criterion) in page.rows(title)[1..].iter().zip(["aic", "hdbic"]) {
            assert_eq!(row[0], criterion);
            assert!((number(&row[1]) - rate(criterion, name)).abs() < 1e-12);
        }
    }
    let compared = page.rows("Settings compared");
    assert_eq!(compared[1][..2], ["aic", "6"]);
    // With itself each agrees.
    let agreement = &page.rows("Agreement between settings")[1..];
    let own = agreement
        .iter()
        .filter(|row| row[0] == row[1] && !row[0].is_empty());
    assert!(own.clone().count() >= 2 && own.clone().all(|row| number(&row[2]) == 1.0));
    let path = page.rows("Frequencies by criterion ebic:gamma");
    let cuts: Vec<&str> = path[1..]
        .iter()
        .filter(|row| row[0] == "cut-off")
        .map(|row| row[1].as_str())
        .collect();
    assert!(cuts.len() <= 3 && path.len() > 6, "{path:?}");
    assert!(page.text.matches("<details class=\"job\">").count() == 12);
    page.has("The first 12 of 15;");
}

#[test]
fn a_job_may_have_a_page_of_its_own() {
    let folder = Folder::new();
    folder.write(
        "jobs.toml",
        "[[job]]\nname = \"one\"\ndata = \"data.csv\"\nresponse = \"y\"\nformat = \"html\"\noutput = \"one.html\"\n",
    );
    let ran = folder.run(&["run", "jobs.toml", "--progress", "none"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = Page::of(folder.read("one.html"));
    assert!(page.rows("Criterion by iteration").len() > 2);
    assert_eq!(page.rows("Residuals and leverage").len(), 61);
}
