//! The page of a run of jobs.

use serde_json::Value;

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
    // The means are those of the data sets, of which seeds are averaged first.
    let jobs = page.rows("All jobs");
    let place = |name: &str| jobs[0].iter().position(|title| title == name).unwrap();
    assert_eq!(jobs.len(), 17);
    let rate = |criterion: &str, name: &str| {
        let of = |data: &str| {
            let own = jobs[1..].iter().filter(|row| {
                row[0].starts_with("pass,")
                    && row[place("criterion")] == criterion
                    && row[place("data")] == data
            });
            let all: Vec<f64> = own.map(|row| number(&row[place(name)])).collect();
            assert_eq!(all.len(), 2);
            all.iter().sum::<f64>() / 2.0
        };
        let sets = ["set1.csv", "set2.csv", "set3.csv"].map(of);
        let mean = sets.iter().sum::<f64>() / 3.0;
        let squares: f64 = sets.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, (squares / 2.0 / 3.0).sqrt())
    };
    let compared = page.rows("Settings compared");
    assert_eq!(compared[0][..4], ["setting", "data sets", "jobs", "mean k"]);
    for (title, name, at) in [
        ("Positive selection rate", "PSR", 4),
        ("False discovery rate", "FDR", 6),
    ] {
        for criterion in ["aic", "hdbic"] {
            let (mean, error) = rate(criterion, name);
            let label = format!("select {criterion}");
            let row = page.rows(title).iter().find(|row| row[0] == label).unwrap();
            // Student's t of two degrees of freedom.
            let half = 4.302_652_729_696_142 * error;
            for (at, told) in [
                (1, mean),
                (2, (mean - half).max(0.0)),
                (3, (mean + half).min(1.0)),
            ] {
                assert!((number(&row[at]) - told).abs() < 1e-9, "{row:?}");
            }
            let row = compared.iter().find(|row| row[0] == label).unwrap();
            assert_eq!(row[1..3], ["3", "6"]);
            assert!((number(&row[at]) - mean).abs() < 1e-12);
            assert!((number(&row[at + 1]) - error).abs() < 1e-12);
        }
        // One data set says nothing of others.
        let row = compared.iter().find(|row| row[0].starts_with("stability"));
        assert_eq!(row.unwrap()[at + 1], "");
    }
    page.has("Not all settings were run on the same data");
    // |A∩B| / |A∪B| over the six problems that both criteria have.
    let results = folder.read("jobs-results/results.csv");
    let chosen = |criterion: &str, set: usize, seed: usize| -> Vec<String> {
        let job = format!("\"pass,set{set},criterion={criterion},seed={seed}\",");
        let own = results.lines().filter(|line| line.starts_with(&job));
        own.map(|line| {
            line.split(',')
                .find(|field| field.starts_with('x'))
                .unwrap()
                .to_owned()
        })
        .collect()
    };
    let shares = (1..=3)
        .flat_map(|set| (1..=2).map(move |seed| (set, seed)))
        .map(|(set, seed)| {
            let (a, b) = (chosen("aic", set, seed), chosen("hdbic", set, seed));
            let both = a.iter().filter(|name| b.contains(name)).count();
            both as f64 / (a.len() + b.len() - both) as f64
        });
    let agreement = shares.sum::<f64>() / 6.0;
    let rows = page.rows("Agreement between settings");
    let row = rows
        .iter()
        .find(|row| row[0] == "select aic" && row[1] == "select hdbic")
        .unwrap();
    assert!(
        (number(&row[2]) - agreement).abs() < 1e-12,
        "{row:?} {agreement}"
    );
    assert!(agreement > 0.05 && agreement < 0.95, "{agreement}");
    let path = page.rows("Frequencies by criterion ebic:gamma");
    // The same frequencies and cut-offs as in the results.
    for gamma in ["0", "0.5", "1"] {
        let told = folder.read(&format!(
            "jobs-results/path,criterion=ebic-gamma={gamma}.json"
        ));
        let told: Value = serde_json::from_str(&told).unwrap();
        let told = &told["result"];
        let of = |name: &str| path.iter().find(|row| row[0] == name && row[1] == gamma);
        for variable in told["variables"].as_array().unwrap() {
            let row = of(variable["name"].as_str().unwrap()).unwrap();
            assert_eq!(number(&row[2]), variable["frequency"].as_f64().unwrap());
        }
        let cut = of("cut-off").map(|row| number(&row[2]));
        assert_eq!(cut, told["cutoff"].as_f64());
    }
    // One of each setting: two criteria, three values of γ.
    assert_eq!(page.text.matches("<details class=\"job\">").count(), 5);
    page.has("href=\"./path,criterion=ebic-gamma=1.json\"");
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
