//! Responses of levels, as users of the program ask for them.

use serde_json::Value;

use crate::support::Folder;

const MOODS: [&str; 3] = ["worse", "same", "better"];

/// Of each of 120 rows the mood and what explains it; `site` has one rare level.
fn rows() -> Vec<(usize, f64, f64, &'static str)> {
    let row = |at: usize| {
        let age = (at * 37 % 101) as f64 / 10.0;
        let dose = (at % 5) as f64;
        let left = 0.5 * age - 0.8 * dose + (at * 29 % 31) as f64 / 8.0;
        let mood = usize::from(left > 1.5) + usize::from(left > 4.5);
        let site = match at {
            119 => "remote",
            at => ["east", "north"][at % 2],
        };
        (mood, age, dose, site)
    };
    (0..120).map(row).collect()
}

pub(crate) fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("mood,grade,age,dose,site,noise\n");
    for (at, (mood, age, dose, site)) in rows().into_iter().enumerate() {
        text += &format!(
            "{},{},{age},{dose},{site},{}\n",
            MOODS[mood],
            10 * mood,
            at * 13 % 29
        );
    }
    folder.write("t.csv", &text);
    folder
}

pub(crate) fn report(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = folder.run(&[&["select", "t.csv", "--format", "json"], arguments].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Of a report the coefficient of a name, 0 of one that it has not.
fn coefficient(report: &Value, name: &str) -> f64 {
    let both = ["constants", "selected"].map(|field| report[field].as_array().unwrap());
    let mut all = both.into_iter().flatten();
    all.find(|own| own["name"] == name)
        .map_or(0.0, |own| number(&own["coefficient"]))
}

/// −2ℓ of a report is that of the probabilities that its own coefficients give.
#[test]
fn numbers_of_a_report_are_those_of_the_definition() {
    let folder = folder();
    let order = "worse,same,better";
    let own = report(
        &folder,
        &[
            "--response",
            "mood",
            "--family",
            "ordinal",
            "--levels",
            order,
            "--drop",
            "grade",
        ],
    );
    let of = |name: &str| coefficient(&own, name);
    let minus_two = rows().into_iter().map(|(mood, age, dose, site)| {
        let eta = of("age") * age + of("dose") * dose + of(&format!("site={site}"));
        let below = |at: usize| match at {
            0 => 0.0,
            3 => 1.0,
            at => 1.0 / (1.0 + (eta - of(&format!("{}|{}", MOODS[at - 1], MOODS[at]))).exp()),
        };
        -2.0 * (below(mood + 1) - below(mood)).ln()
    });
    let expected: f64 = minus_two.sum();
    assert!((-2.0 * number(&own["log_likelihood"]) - expected).abs() < 1e-8);
    assert!(of("age") > 0.0 && of("dose") < 0.0 && own["certified"] == "global");
    assert_eq!(own["family"]["ratio"], "odds ratio");
    assert_eq!(own["family"]["levels"][0]["level"], "worse");
    // Numbers are in order by themselves, and the response in other words is no candidate.
    let by_number = report(
        &folder,
        &[
            "--response",
            "grade",
            "--family",
            "ordinal",
            "--drop",
            "mood",
        ],
    );
    assert_eq!(by_number["criterion"], own["criterion"]);
    assert_eq!(by_number["constants"][1]["name"], "10|20");

    let order = "same,worse,better";
    let own = report(
        &folder,
        &[
            "--response",
            "mood",
            "--family",
            "multinomial",
            "--levels",
            order,
            "--drop",
            "grade",
        ],
    );
    let of = |name: &str| coefficient(&own, name);
    let minus_two = rows().into_iter().map(|(mood, age, dose, site)| {
        let odds = ["worse", "same", "better"].map(|level| match level {
            "same" => 1.0,
            level => {
                let of = |name: &str| of(&format!("{name} [{level}]"));
                let site = of(&format!("site={site}"));
                (of("(intercept)") + of("age") * age + of("dose") * dose + site).exp()
            }
        });
        -2.0 * (odds[mood] / odds.iter().sum::<f64>()).ln()
    });
    let expected: f64 = minus_two.sum();
    assert!((-2.0 * number(&own["log_likelihood"]) - expected).abs() < 1e-8);
    let selected = own["selected"].as_array().unwrap();
    let first = [&selected[0], &selected[1]].map(|own| (&own["column"], &own["class"]));
    assert_eq!(
        first,
        [
            (&"age".into(), &"worse".into()),
            (&"age".into(), &"better".into())
        ]
    );
    assert_eq!(own["family"]["ratio"], "relative risk ratio");
    // A variable has both coefficients or none, and is tested by both.
    assert_eq!(selected.len(), 2 * own["terms"].as_array().unwrap().len());
    assert!(
        own["terms"]
            .as_array()
            .unwrap()
            .iter()
            .all(|own| own["df"] == 2)
    );
    let text = folder.run(&[
        "select",
        "t.csv",
        "--response",
        "mood",
        "--family",
        "multinomial",
        "--drop",
        "grade",
    ]);
    assert!(
        text.stdout.contains("(intercept) [same]") && text.stdout.contains("age [worse]"),
        "{}",
        text.stdout
    );
}

/// Formulas, kept variables, weights, and resamples that lack a level.
#[test]
fn what_other_families_have_levels_have_too() {
    let folder = folder();
    for family in ["ordinal", "multinomial"] {
        let own = ["--family", family, "--levels", "worse,same,better"];
        let formula = [&own[..], &["--formula", "mood ~ age * dose + site"]].concat();
        let by_formula = report(&folder, &formula);
        let terms = by_formula["terms"].as_array();
        let names = terms.map(|own| {
            own.iter()
                .map(|own| own["name"].as_str().unwrap())
                .collect::<Vec<_>>()
        });
        let has_product = names
            .as_ref()
            .is_some_and(|names| names.contains(&"age:dose"));
        assert!(
            !has_product || names.unwrap()[..2] == ["age", "dose"],
            "{by_formula}"
        );
        let kept = [
            &own[..],
            &[
                "--response",
                "mood",
                "--drop",
                "grade",
                "--keep",
                "noise",
                "--weights",
                "age",
            ],
        ]
        .concat();
        let kept = report(&folder, &kept);
        let columns: Vec<&Value> = kept["selected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| &own["column"])
            .collect();
        assert!(columns.contains(&&"noise".into()), "{family} {columns:?}");
        // One threshold less: a level that only few rows have is in none of some resamples.
        let few = [
            &own[..],
            &[
                "--response",
                "mood",
                "--drop",
                "grade",
                "--resampling",
                "subsample",
                "--resamples",
                "6",
                "--fraction",
                "0.1",
            ],
        ]
        .concat();
        let few = folder.run(&[&["stability", "t.csv", "--seed", "3"][..], &few].concat());
        assert_eq!(few.code, Some(0), "{}", few.stderr);
    }
    // Threads do not show.
    let arguments = [
        "--response",
        "mood",
        "--family",
        "multinomial",
        "--drop",
        "grade",
    ];
    let [one, two] = ["1", "2"].map(|threads| {
        let mut own = report(&folder, &[&arguments[..], &["--threads", threads]].concat());
        own["elapsed_seconds"].take();
        own
    });
    assert_eq!(one, two);
}

#[test]
fn mistakes_have_one_message_each() {
    let folder = folder();
    let ordinal = ["t.csv", "--response", "mood", "--family", "ordinal"];
    let multinomial = ["t.csv", "--response", "mood", "--family", "multinomial"];
    for (arguments, more, parts) in [
        (
            ordinal,
            &[][..],
            &["`mood`", "order", "--levels better,same,worse"][..],
        ),
        (
            ordinal,
            &["--levels", "worse,same,betr"],
            &["`betr`", "better"],
        ),
        (
            ordinal,
            &["--levels", "worse,same,same,better"],
            &["`same` twice"],
        ),
        (
            ordinal,
            &["--levels", "worse,better"],
            &["leaves out `same`"],
        ),
        (
            ordinal,
            &["--levels", "worse,same,better"],
            &["grade", "again, up to scale", "--drop"],
        ),
        (
            ordinal,
            &["--levels", "worse,same,better", "--no-intercept"],
            &["thresholds"],
        ),
        (
            ordinal,
            &["--levels", "worse,same,better", "--intervals", "profile"],
            &["Wald"],
        ),
        (
            ordinal,
            &["--levels", "worse,same,better", "--link", "probit"],
            &["no link probit", "logit"],
        ),
        (
            ordinal,
            &["--levels", "worse,same,better", "--criterion", "cp"],
            &["cp", "least squares"],
        ),
        (
            multinomial,
            &["--offset", "age"],
            &["offset", "linear predictor of its own"],
        ),
        (multinomial, &["--firth"], &["firth"]),
        (multinomial, &["--dispersion", "estimate"], &["dispersion"]),
        (
            multinomial,
            &["--success", "same"],
            &["success is of the family binomial"],
        ),
        (
            ["t.csv", "--response", "age", "--family", "gaussian"],
            &["--levels", "1,2"],
            &["levels is of the families ordinal and multinomial"],
        ),
    ] {
        let ran = folder.run(&[&["select"], &arguments[..], more].concat());
        assert_eq!(ran.code, Some(2), "{more:?}: {}", ran.stderr);
        for part in parts {
            assert!(
                ran.stderr.contains(part),
                "{more:?}: {part} in {}",
                ran.stderr
            );
        }
    }
    folder.write("one.csv", "y,x\nb,1\nb,2\nb,4\nb,3\n");
    for family in ["ordinal", "multinomial"] {
        let ran = folder.run(&[
            "select",
            "one.csv",
            "--response",
            "y",
            "--family",
            family,
            "--levels",
            "b",
        ]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("level `b`"), "{}", ran.stderr);
    }
}
