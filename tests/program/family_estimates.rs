//! Firth's estimates and intervals by profiles, as users of the program ask for them.

use serde_json::Value;

use crate::support::Folder;

/// Sixty observations: all that are `sure` have the event, and no count.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("event,count,size,sure,z,group\n");
    for row in 0..60_u32 {
        let mixed = row * 37 % 61;
        let sure = u32::from(mixed % 4 == 0);
        let event = u32::from(sure == 1 || mixed % 2 == 1);
        let count = (1 - sure) * (mixed % 5 + row % 3);
        let size = f64::from(row * 29 % 53) / 4.0 + f64::from(row % 7);
        let group = ["a", "b", "c"][(row % 3) as usize];
        text += &format!(
            "{event},{count},{},{sure},{},{group}\n",
            size + 1.0,
            row % 7
        );
    }
    folder.write("d.csv", &text);
    folder
}

fn run(folder: &Folder, response: &str, more: &[&str]) -> String {
    let others = ["event", "count", "size"].into_iter();
    let drop: Vec<&str> = others.filter(|name| *name != response).collect();
    let drop = drop.join(",");
    let own = [
        "select",
        "d.csv",
        "--response",
        response,
        "--drop",
        &drop,
        "--criterion",
        "aic",
    ];
    let ran = folder.run(&[&own[..], more].concat());
    assert_eq!(ran.code, Some(0), "{response} {more:?}: {}", ran.stderr);
    ran.stdout
}

fn json(folder: &Folder, response: &str, more: &[&str]) -> Value {
    let text = run(folder, response, &[more, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap()
}

fn variable<'a>(report: &'a Value, name: &str) -> &'a Value {
    let selected = report["selected"].as_array().unwrap();
    selected.iter().find(|own| own["name"] == name).unwrap()
}

#[test]
fn firths_estimates_are_finite_where_variables_separate() {
    let folder = folder();
    for (response, family) in [("event", "binomial"), ("count", "poisson")] {
        let family = ["--family", family, "--keep", "z,sure"];
        let by_likelihood = json(&folder, response, &family);
        assert_eq!(by_likelihood["family"]["status"], "separated");
        assert_eq!(by_likelihood["intervals"], "wald");
        assert!(by_likelihood["family"]["firth"].is_null());
        assert!(by_likelihood["warnings"].to_string().contains("--firth"));
        let by_firth = json(&folder, response, &[&family[..], &["--firth"]].concat());
        for same in [
            "criterion",
            "models",
            "inclusion",
            "certified",
            "log_likelihood",
        ] {
            assert_eq!(by_likelihood[same], by_firth[same], "{same}");
        }
        assert_eq!(by_firth["family"]["status"], "separated");
        assert_eq!(by_firth["family"]["firth"], "converged");
        assert_eq!(
            by_firth["family"]["deviance"],
            by_likelihood["family"]["deviance"]
        );
        let sure = variable(&by_firth, "sure");
        for field in [
            "coefficient",
            "std_error",
            "z",
            "p_value",
            "lower",
            "upper",
            "ratio_upper",
        ] {
            assert!(sure[field].is_number(), "{field} of {sure}");
        }
        assert!(variable(&by_likelihood, "sure")["std_error"].is_null());
        assert!(sure["coefficient"].as_f64().unwrap().abs() < 10.0);
        let warnings = by_firth["warnings"].to_string();
        assert!(
            warnings.contains("separation") && warnings.contains("Firth"),
            "{warnings}"
        );
        assert!(!warnings.contains("no standard errors"), "{warnings}");
    }
    let text = run(&folder, "event", &["--family", "binomial", "--firth"]);
    assert!(
        text.contains("estimates            by Firth's penalty"),
        "{text}"
    );
    let page = run(
        &folder,
        "event",
        &["--family", "binomial", "--firth", "--format", "html"],
    );
    assert!(page.contains("Firth"));
}

#[test]
fn profiles_of_separated_data_have_one_end() {
    let folder = folder();
    let own = [
        "--family",
        "binomial",
        "--keep",
        "z,sure",
        "--intervals",
        "profile",
    ];
    let report = json(&folder, "event", &own);
    assert_eq!(report["intervals"], "profile");
    let sure = variable(&report, "sure");
    assert!(
        sure["lower"].is_number() && sure["upper"].is_null(),
        "{sure}"
    );
    assert!(
        sure["ratio_lower"].is_number() && sure["ratio_upper"].is_null(),
        "{sure}"
    );
    let z = variable(&report, "z");
    let number = |field: &str| z[field].as_f64().unwrap();
    assert!(number("lower") < number("coefficient") && number("coefficient") < number("upper"));
    assert!((number("ratio_lower").ln() - number("lower")).abs() < 1e-12);
    let text = run(&folder, "event", &own);
    assert!(
        text.contains(" ∞") && text.contains("intervals            by the profile"),
        "{text}"
    );
    let csv = run(&folder, "event", &[&own[..], &["--format", "csv"]].concat());
    assert!(csv.contains(",inf,"), "{csv}");
    let page = run(
        &folder,
        "event",
        &[&own[..], &["--format", "html"]].concat(),
    );
    assert!(page.contains("has no end is drawn"));
    // By the penalised likelihood both ends are there.
    let report = json(&folder, "event", &[&own[..], &["--firth"]].concat());
    let sure = variable(&report, "sure");
    assert!(
        sure["lower"].is_number() && sure["upper"].is_number(),
        "{sure}"
    );
    // A wider level is a wider interval; of least squares both are the same.
    let wide = json(&folder, "event", &[&own[..], &["--level", "0.99"]].concat());
    assert!(variable(&wide, "z")["upper"].as_f64().unwrap() > number("upper"));
    let wald = json(&folder, "size", &[]);
    let profile = json(&folder, "size", &["--intervals", "profile"]);
    assert_eq!(wald["selected"], profile["selected"]);
    assert_eq!(
        (&wald["intervals"], &profile["intervals"]),
        (&"wald".into(), &"profile".into())
    );
}

#[test]
fn marginal_means_of_a_family_are_on_the_responses_scale() {
    let folder = folder();
    let formula = [
        "--formula",
        "event ~ group * z",
        "--keep",
        "group:z",
        "--family",
        "binomial",
    ];
    let own = ["select", "d.csv", "--format", "json"];
    let ran = folder.run(&[&own[..], &formula].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let means = report["marginal_means"].as_array().unwrap();
    assert_eq!(means.len(), 3, "{means:?}");
    for own in means {
        let number = |field: &str| own[field].as_f64().unwrap();
        let (mean, lower, upper) = (number("mean"), number("lower"), number("upper"));
        assert!(
            0.0 < lower && lower < mean && mean < upper && upper < 1.0,
            "{own}"
        );
        assert!(((mean / (1.0 - mean)).ln() - number("predictor")).abs() < 1e-9);
    }
    let page = folder.run(&[&["select", "d.csv", "--format", "html"], &formula[..]].concat());
    assert!(
        page.stdout.contains("Marginal means") && page.stdout.contains("mean linear predictor")
    );
    // A level that is always an event has no end, unless the estimates have.
    let mut text = String::from("y,g\n");
    for row in 0..40 {
        text += &format!(
            "{},{}\n",
            u32::from(row % 4 == 0 || row % 2 == 1),
            ["a", "b"][row % 2]
        );
    }
    folder.write("one.csv", &text);
    let own = [
        "select",
        "one.csv",
        "--response",
        "y",
        "--family",
        "binomial",
        "--keep",
        "g",
    ];
    let run = |more: &[&str]| -> Value {
        let ran = folder.run(&[&own[..], &["--format", "json"], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let report = run(&[]);
    let means = &report["marginal_means"];
    assert!(
        (means[0]["mean"].as_f64().unwrap() - 0.5).abs() < 1e-6,
        "{means}"
    );
    assert!(
        means[1]["mean"].is_null() && means[1]["lower"].is_null(),
        "{means}"
    );
    let report = run(&["--firth"]);
    let mean = report["marginal_means"][1]["mean"].as_f64().unwrap();
    assert!((mean - 20.5 / 21.0).abs() < 1e-9, "{mean}");
}

#[test]
fn where_there_is_no_firths_penalty_is_one_error() {
    let folder = folder();
    let cases: [(&[&str], &str); 6] = [
        (
            &["select", "none.csv", "--response", "y", "--firth"],
            "not of gaussian",
        ),
        (
            &[
                "select",
                "none.csv",
                "--response",
                "y",
                "--family",
                "binomial",
                "--link",
                "probit",
                "--firth",
            ],
            "not of binomial with probit",
        ),
        (
            &[
                "select",
                "none.csv",
                "--response",
                "y",
                "--family",
                "gamma",
                "--firth",
            ],
            "not of gamma",
        ),
        (
            &[
                "select",
                "d.csv",
                "--response",
                "z",
                "--method",
                "jmi",
                "--firth",
            ],
            "firth has no effect with the method jmi",
        ),
        (
            &[
                "stability",
                "d.csv",
                "--response",
                "event",
                "--family",
                "binomial",
                "--firth",
            ],
            "no effect on resamples",
        ),
        (
            &[
                "select",
                "d.csv",
                "--response",
                "event",
                "--family",
                "binomial",
                "--intervals",
                "score",
            ],
            "wald or profile",
        ),
    ];
    for (arguments, part) in cases {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(part), "{arguments:?}: {}", ran.stderr);
    }
    // Of a job file the same options.
    let job = "[[job]]\ndata = \"d.csv\"\nresponse = \"event\"\ndrop = [\"count\", \"size\"]\nfamily = \"binomial\"\n\
               firth = true\nintervals = \"profile\"\n";
    folder.write("jobs.toml", job);
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}
