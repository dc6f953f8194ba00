//! Responses of events: two columns of events and failures, their mistakes, and what pages and resamples tell of them.

use serde_json::Value;

use crate::support::Folder;

/// Sixty observations of events, failures, their sum, and three variables.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("sick,well,of,\"ill, or so\",age,dose,noise\n");
    for row in 0..60_u32 {
        let mixed = row * 37 % 61;
        let (age, dose) = (mixed % 13, row % 7);
        let of = 4 + row % 5;
        let sick = ((age + dose + mixed % 5) * of / 24).min(of);
        let noise = row * 13 % 29;
        text += &format!("{sick},{},{of},{sick},{age},{dose},{noise}\n", of - sick);
    }
    folder.write("d.csv", &text);
    folder
}

const BINOMIAL: [&str; 4] = ["select", "d.csv", "--family", "binomial"];

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// Each way of saying it is that of events and trials.
#[test]
fn events_and_failures_are_events_of_their_sum() {
    let folder = folder();
    let select = |more: &[&str]| json(&folder, &[&BINOMIAL[..], more].concat());
    let others = ["--drop", "of,\"ill, or so\""];
    let of_trials = select(&[
        "--response",
        "sick",
        "--trials",
        "of",
        "--drop",
        "well,\"ill, or so\"",
    ]);
    let ways: [&[&str]; 6] = [
        &["--response", "sick,well"],
        &["--response", " sick , \"well\""],
        &["--formula", "cbind(sick, well) ~ age + dose + noise"],
        &["--formula", "cbind(events = sick, well) ~ ."],
        &[
            "--formula",
            "~ age + dose + noise",
            "--response",
            "sick,well",
        ],
        &["--response", "\"ill, or so\",well", "--drop", "of,sick"],
    ];
    for way in ways {
        let with = if way.contains(&"--drop") {
            &[][..]
        } else {
            &others
        };
        let own = select(&[way, with].concat());
        for field in ["deviance", "null_deviance", "df_null", "calibration"] {
            assert_eq!(own["family"][field], of_trials["family"][field], "{way:?}");
        }
        for field in ["value", "name"] {
            assert_eq!(own["criterion"][field], of_trials["criterion"][field]);
        }
        let names = |report: &Value| {
            let all = report["selected"].as_array().unwrap().iter();
            all.map(|own| own["name"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&own), names(&of_trials), "{way:?}");
        if !way.contains(&"--drop") {
            assert_eq!(
                own["response"].as_str().unwrap().replace("events = ", ""),
                "cbind(sick, well)"
            );
            assert_eq!(own["family"]["trials"], "sick + well");
        }
        if way.contains(&"~ age + dose + noise") {
            assert_eq!(own["formula"], "cbind(sick, well) ~ age + dose + noise");
        }
    }
    let computed = select(&["--formula", "cbind(sick, of - sick) ~ age + dose + noise"]);
    assert_eq!(
        computed["family"]["deviance"],
        of_trials["family"]["deviance"]
    );
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"d.csv\"\nresponse = \"sick,well\"\nfamily = \"binomial\"\nformat = \"json\"\n\
         output = \"job.json\"\ndrop = [\"of\", \"ill, or so\"]\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let job: Value = serde_json::from_str(&folder.read("job.json")).unwrap();
    assert_eq!(job["family"]["deviance"], of_trials["family"]["deviance"]);
    // A name with a comma is one response in double quotes, whatever the family.
    let one = json(
        &folder,
        &[
            "select",
            "d.csv",
            "--response",
            "\"ill, or so\"",
            "--drop",
            "sick",
        ],
    );
    assert_eq!(one["response"], "ill, or so");
}

#[test]
fn mistakes_of_events_and_failures_are_one_error_each() {
    let folder = folder();
    folder.write(
        "odd.csv",
        "a,b,c,d,e,t,x\n1,2,-1,.5,0,l,1\n0,2,2,1,0,m,3\n2,0,3,1,0,l,2\n1,1,1,2,0,m,5\n",
    );
    folder.write(
        "none.csv",
        "a,b,s,w,x\n0,0,.25,4,1\n0,0,.5,4,3\n0,0,1,8,2\n0,0,0,2,5\n",
    );
    let binomial = ["--family", "binomial"];
    let cases: [(&str, &[&str], &[&str]); 16] = [
        (
            "odd.csv",
            &["--response", "a,z"],
            &["--response names `z`, which is no column of odd.csv"],
        ),
        (
            "odd.csv",
            &["--response", "a,b", "--family", "gamma", "--trials", "c"],
            &["trials is of the family binomial, not of gamma"],
        ),
        (
            "odd.csv",
            &["--response", "a,b", "--method", "jmi"],
            &["response names several responses, and the method jmi is of one"],
        ),
        (
            "odd.csv",
            &["--formula", "cbind(a, b) ~ x"],
            &["cbind(events, failures) is of the family binomial"],
        ),
        (
            "odd.csv",
            &["--response", "a,b,c", binomial[0], binomial[1]],
            &["names 3 columns"],
        ),
        (
            "odd.csv",
            &["--response", "a,", binomial[0], binomial[1]],
            &["a name is empty"],
        ),
        (
            "odd.csv",
            &["--formula", "cbind(a, b, c) ~ x", binomial[0], binomial[1]],
            &["cbind() has 3 columns", "^^^"],
        ),
        (
            "odd.csv",
            &["--formula", "a ~ cbind(b, x)", binomial[0], binomial[1]],
            &["stands by itself left of `~`"],
        ),
        (
            "odd.csv",
            &["--formula", "cbind(a, t) ~ x", binomial[0], binomial[1]],
            &["`t` is a factor"],
        ),
        (
            "odd.csv",
            &[
                "--response",
                "a,b",
                "--trials",
                "c",
                binomial[0],
                binomial[1],
            ],
            &["trials is beside a response of events and failures"],
        ),
        (
            "odd.csv",
            &[
                "--formula",
                "cbind(a, b) ~ x",
                "--trials",
                "c",
                binomial[0],
                binomial[1],
            ],
            &["--trials is beside"],
        ),
        (
            "odd.csv",
            &["--response", "a,c", binomial[0], binomial[1]],
            &["row 1: 1 events and -1 failures: no count is below 0"],
        ),
        (
            "odd.csv",
            &["--formula", "cbind(a, d) ~ x", binomial[0], binomial[1]],
            &["row 1: 1 events and 0.5 failures", "whole numbers"],
        ),
        (
            "odd.csv",
            &["--response", "a,a", binomial[0], binomial[1]],
            &["a", "response"],
        ),
        (
            "none.csv",
            &["--response", "a,b", binomial[0], binomial[1]],
            &["row 1: 0 events and 0 failures", "leave it out"],
        ),
        // R's third form of a binomial response.
        (
            "none.csv",
            &[
                "--response",
                "s",
                "--weights",
                "w",
                "--drop",
                "a,b",
                binomial[0],
                binomial[1],
            ],
            &["row 1: 0.25", "share × trials", "--trials"],
        ),
    ];
    for (file, arguments, parts) in cases {
        let ran = folder.run(&[&["select", file], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{}", ran.stderr);
        for part in parts {
            assert!(
                ran.stderr.contains(part),
                "{arguments:?}: {part} in {}",
                ran.stderr
            );
        }
    }
    // Weight 0 leaves an observation out before anybody asks for its trials.
    folder.write(
        "w.csv",
        "a,b,w,x\n0,0,0,1\n1,2,1,3\n2,0,1,2\n1,1,1,5\n2,1,1,0\n0,2,1,1\n",
    );
    json(
        &folder,
        &[
            "select",
            "w.csv",
            "--family",
            "binomial",
            "--response",
            "a,b",
            "--weights",
            "w",
        ],
    );
}

#[test]
fn stability_names_the_family_and_its_columns() {
    let folder = folder();
    let own = [
        "stability",
        "d.csv",
        "--family",
        "binomial",
        "--link",
        "probit",
        "--response",
        "sick,well",
        "--offset",
        "noise",
        "--weights",
        "of",
        "--drop",
        "\"ill, or so\"",
        "--resamples",
        "3",
    ];
    let report = json(&folder, &own);
    let family = &report["family"];
    assert_eq!(
        (
            &family["name"],
            &family["link"],
            &family["trials"],
            &family["offset"],
            &report["weights"]
        ),
        (
            &"binomial".into(),
            &"probit".into(),
            &"sick + well".into(),
            &"noise".into(),
            &"of".into()
        )
    );
    for variable in report["variables"].as_array().unwrap() {
        let name = variable["name"].as_str().unwrap();
        assert!(["age", "dose"].contains(&name), "{name}");
    }
    let text = folder.run(&own).stdout;
    let page = folder
        .run(&[&own[..], &["--format", "html"]].concat())
        .stdout;
    for (label, value) in [
        ("family", "binomial, link probit"),
        ("trials", "sick + well"),
        ("offset", "noise"),
        ("weights", "of"),
    ] {
        assert!(text.contains(&format!("{label:<21}{value}\n")), "{text}");
        assert!(page.contains(&format!("<dt>{label}</dt><dd>{value}</dd>")));
    }
    let plain = json(
        &folder,
        &[
            "stability",
            "d.csv",
            "--response",
            "age",
            "--resamples",
            "2",
        ],
    );
    assert!(plain.get("family").is_none() && plain.get("weights").is_none());
}
