//! Formulas and terms: what they select, what reports say of them, and mistakes in them.

use serde_json::Value;

use crate::support::Folder;

/// The data: `g` has effects that differ by `x`, `sex` has one, `z` and `w` none.
pub fn rows(levels: [&str; 3], sexes: [&str; 2]) -> String {
    let mut text = String::from("y,g,x,z,sex,w\n");
    for row in 0..90_u32 {
        let noise = |factor: u32| f64::from(row * factor % 31) / 31.0 - 0.5;
        let (g, sex) = ((row * 7 % 3) as usize, (row / 5 % 2) as usize);
        let x = f64::from(row * 11 % 23) / 4.0;
        let y = [1.0, -2.0, 4.0][g] + [0.5, 2.0, -1.0][g] * x + 3.0 * sex as f64 + noise(17);
        text += &format!(
            "{y},{},{x},{},{},{}\n",
            levels[g],
            noise(5),
            sexes[sex],
            noise(29)
        );
    }
    text
}

pub const LEVELS: [&str; 3] = ["low", "mid", "top"];
pub const SEXES: [&str; 2] = ["f", "m"];

pub fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("d.csv", &rows(LEVELS, SEXES));
    folder
}

pub fn select_from(folder: &Folder, data: &str, more: &[&str]) -> Value {
    let mut all = vec!["select", data, "--format", "json"];
    all.extend(more);
    let ran = folder.run(&all);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

pub fn select(folder: &Folder, more: &[&str]) -> Value {
    select_from(folder, "d.csv", more)
}

/// Names of some objects of a report.
pub fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    let name = |own: &Value| own["name"].as_str().unwrap().to_owned();
    list.map(name).collect()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The error of a command that is refused.
pub fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let ran = folder.run(arguments);
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout, "");
    ran.stderr
}

#[test]
fn a_formula_is_selected_from_and_reported_by_terms() {
    let folder = folder();
    let json = select(&folder, &["--formula", "y~(g+x+z+sex)^2"]);
    assert_eq!(json["formula"], "y ~ (g + x + z + sex)^2");
    assert_eq!(
        (&json["response"], &json["candidate_terms"]),
        (&"y".into(), &10.into())
    );
    assert_eq!(names(&json["terms"]), ["g", "x", "sex", "g:x"]);
    let selected = names(&json["selected"]);
    assert_eq!(selected, ["gmid", "gtop", "x", "sexm", "gmid:x", "gtop:x"]);
    let terms: Vec<&Value> = json["selected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| &own["term"])
        .collect();
    assert_eq!(terms, ["g", "g", "x", "sex", "g:x", "g:x"]);
    assert_eq!(json["k"], 6);
    assert_eq!(
        json["models"][0]["variables"],
        serde_json::json!(["g", "x", "sex", "g:x"])
    );
    let told = folder.run(&["select", "d.csv", "--formula", "y ~ (g + x + z + sex)^2"]);
    for line in [
        "\nformula              y ~ (g + x + z + sex)^2\n",
        "\ncandidates p         14 in 10 terms\n",
        "\nvariables k          6 in 4 terms\n",
        "\nterm         df  sum of squares",
        "\n(residuals)  83",
        "tested without these (type II)",
        "  terms  beside the selection\n",
    ] {
        assert!(told.stdout.contains(line), "{line} in {}", told.stdout);
    }
    // The effect of sex is its coefficient, whatever the others are.
    let means = json["marginal_means"].as_array().unwrap();
    let levels: Vec<&Value> = means.iter().map(|own| &own["level"]).collect();
    assert_eq!(levels, ["low", "mid", "top", "f", "m"]);
    let effect = number(&means[4]["mean"]) - number(&means[3]["mean"]);
    let sex = json["selected"]
        .as_array()
        .unwrap()
        .iter()
        .find(|own| own["name"] == "sexm")
        .unwrap();
    assert!((effect / number(&sex["coefficient"]) - 1.0).abs() < 1e-9);
    let page = folder.run(&[
        "select",
        "d.csv",
        "--formula",
        "y ~ (g + x + z + sex)^2",
        "--format",
        "html",
    ]);
    assert!(
        page.stdout.contains("Selected terms")
            && page.stdout.contains("Marginal means")
            && page.stdout.contains("type II")
    );
    let csv = folder.run(&[
        "select",
        "d.csv",
        "--formula",
        "y ~ (g + x + z + sex)^2",
        "--format",
        "csv",
    ]);
    assert!(
        csv.stdout.starts_with("name,term,index,") && csv.stdout.contains("\ngtop:x,g:x,4,"),
        "{}",
        csv.stdout
    );
}

#[test]
fn sums_of_squares_are_those_of_models_that_lack_the_term() {
    let folder = folder();
    let fit = |terms: &str| {
        let kept = terms.replace(" + ", ",");
        select(
            &folder,
            &[
                "--formula",
                &format!("y ~ {terms}"),
                "--keep",
                &kept,
                "--hierarchy",
                "none",
            ],
        )
    };
    let rss = |terms: &str| number(&fit(terms)["rss"]);
    let json = select(
        &folder,
        &["--formula", "y ~ g * x + sex + z", "--keep", "g:x,sex,z"],
    );
    let full = number(&json["rss"]);
    let residual = full / number(&json["df_residual"]);
    // Type II: a main effect is tested without the interaction that stands on it.
    let expected = [
        ("g", 2.0, rss("x + sex + z") - rss("g + x + sex + z")),
        ("x", 1.0, rss("g + sex + z") - rss("g + x + sex + z")),
        ("sex", 1.0, rss("g + x + z + g:x") - full),
        ("z", 1.0, rss("g + x + sex + g:x") - full),
        ("g:x", 2.0, rss("g + x + sex + z") - full),
    ];
    let terms = json["terms"].as_array().unwrap();
    assert_eq!(terms.len(), expected.len());
    for (name, df, rise) in expected {
        let own = terms.iter().find(|term| term["name"] == name).unwrap();
        assert_eq!(number(&own["df"]), df, "{name}");
        let close = |told: &Value, expected: f64| (number(told) / expected - 1.0).abs() < 1e-8;
        assert!(close(&own["sum_of_squares"], rise), "{name}: {own} {rise}");
        assert!(close(&own["f"], rise / df / residual), "{name}: {own}");
        let above = if ["g", "x"].contains(&name) { 1 } else { 0 };
        assert_eq!(own["without"].as_array().unwrap().len(), above);
        if df == 1.0 && above == 0 {
            let variable = &own["variables"][0];
            let selected = json["selected"].as_array().unwrap().iter();
            let estimate = selected
                .clone()
                .find(|own| own["name"] == *variable)
                .unwrap();
            assert!(close(&own["f"], number(&estimate["t"]).powi(2)));
            assert!((number(&own["p_value"]) - number(&estimate["p_value"])).abs() < 1e-12);
        }
    }
}

/// That two reports have the same models and the same table of terms.
fn same_terms(json: &Value, first: &Value) {
    let pairs = |list: &str| {
        let [own, other] = [json, first].map(|json| json[list].as_array().unwrap().clone());
        assert_eq!(own.len(), other.len(), "{list}");
        own.into_iter().zip(other)
    };
    for (own, other) in pairs("models") {
        assert_eq!(own["variables"], other["variables"]);
        assert!((number(&own["criterion"]) - number(&other["criterion"])).abs() < 1e-7);
    }
    for (own, other) in pairs("terms") {
        assert_eq!((&own["name"], &own["df"]), (&other["name"], &other["df"]));
        let ratio = number(&own["sum_of_squares"]) / number(&other["sum_of_squares"]);
        assert!((ratio - 1.0).abs() < 1e-8, "{own} {other}");
    }
}

#[test]
fn names_order_reference_and_contrasts_of_levels_change_nothing_but_names() {
    let folder = folder();
    // The same levels under names of another order, and rows in another order.
    folder.write("renamed.csv", &rows(["z", "b", "Q"], ["2nd", "1st"]));
    for hierarchy in ["strong", "weak", "none"] {
        let formula = [
            "--formula",
            "y ~ (g + x + z + sex)^2",
            "--hierarchy",
            hierarchy,
        ];
        let first = select(&folder, &formula);
        // A model that lacks a part of an interaction is among them, where the rule has it.
        let lacks = |model: &Value| {
            let variables = model["variables"].to_string();
            variables.contains("\"z:sex\"") && !variables.contains("\"z\"")
        };
        let mut models = first["models"].as_array().unwrap().iter();
        assert_eq!(models.any(lacks), hierarchy != "strong");
        same_terms(&select_from(&folder, "renamed.csv", &formula), &first);
        for more in [
            ["--contrasts", "sum"],
            ["--contrasts", "helmert"],
            ["--contrasts", "g=poly,sex=sas"],
            ["--reference", "g=top,sex=m"],
        ] {
            same_terms(&select(&folder, &[&formula[..], &more].concat()), &first);
        }
    }
    // Without a formula too: g enters whole.
    let columns = |data: &str| select_from(&folder, data, &["--response", "y"]);
    let (own, other) = (columns("d.csv"), columns("renamed.csv"));
    assert_eq!(own["candidate_terms"], 5);
    assert!(names(&own["selected"]).contains(&"g=mid".to_owned()));
    assert!((number(&own["rss"]) / number(&other["rss"]) - 1.0).abs() < 1e-9);
    let split = select(&folder, &["--response", "y", "--split"]);
    assert_eq!(
        (&split["candidate_terms"], &split["terms"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_factor_of_two_levels_is_its_dummy() {
    let folder = folder();
    let mut arguments = vec!["--response", "y", "--drop", "g"];
    let without_times = |mut json: Value| {
        json["elapsed_seconds"] = Value::Null;
        json
    };
    let whole = without_times(select(&folder, &arguments));
    arguments.push("--split");
    assert_eq!(without_times(select(&folder, &arguments)), whole);
}

#[test]
fn options_make_the_formula_where_none_is_given() {
    let folder = folder();
    for (options, formula) in [
        (&["--interactions", "2"][..], "y ~ (.)^2"),
        (&["--interactions-of", "sex,g"], "y ~ . + (sex + g):."),
        (
            &["--degree", "2", "--no-intercept"],
            "y ~ . + I(x^2) + I(z^2) + I(w^2) - 1",
        ),
        (&["--contrasts", "sum"], "y ~ ."),
    ] {
        let made = select(&folder, &[&["--response", "y"][..], options].concat());
        let given = match options {
            ["--contrasts", ..] => {
                select(&folder, &[&["--formula", formula][..], options].concat())
            }
            _ => select(&folder, &["--formula", formula]),
        };
        for field in ["selected", "terms", "models", "rss", "candidate_terms"] {
            assert_eq!(made[field], given[field], "{field} of {formula}");
        }
        assert_eq!(made["formula"], given["formula"]);
    }
}

#[test]
fn a_hierarchy_is_kept_unless_it_is_given_up() {
    let folder = Folder::new();
    let mut text = String::from("y,a,b\n");
    for row in 0..64_u32 {
        let (a, b) = (f64::from(row % 8) - 3.5, f64::from(row / 8) - 3.5);
        text += &format!("{},{a},{b}\n", a * b + f64::from(row * 7 % 13) / 13.0);
    }
    folder.write("d.csv", &text);
    let chosen = |rule: &str| {
        names(&select(&folder, &["--formula", "y ~ a * b", "--hierarchy", rule])["selected"])
    };
    assert_eq!(chosen("strong"), ["a", "b", "a:b"]);
    assert_eq!(chosen("none"), ["a:b"]);
    assert_eq!(chosen("weak").len(), 2);
    let strong = select(&folder, &["--formula", "y ~ a * b"]);
    for model in strong["models"].as_array().unwrap() {
        let variables = model["variables"].as_array().unwrap();
        let has = |name: &str| variables.iter().any(|own| own == name);
        assert!(!has("a:b") || has("a") && has("b"));
    }
}
