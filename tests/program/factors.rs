//! Factors: the order of their levels, the reference that is asked for, and what reports say of both.

use serde_json::{Value, json};

use crate::support::Folder;

/// Effects 0, 7, 1 and 4 of four levels, in two columns: as text and as numbers.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("y,ward,code,age\n");
    for row in 0..80 {
        let (level, noise) = (row % 4, f64::from(row * 7 % 13) / 10.0);
        let y = [0.0, 7.0, 1.0, 4.0][level as usize] + noise;
        let (ward, code) = (["north", "South", "east", "west"], [9, 10, 11, 100]);
        let (ward, code) = (ward[level as usize], code[(row / 4 % 4) as usize]);
        text += &format!("{y},{ward},{code},{}\n", row * 11 % 17);
    }
    folder.write("d.csv", &text);
    folder
}

fn select(folder: &Folder, more: &[&str]) -> Value {
    let mut all = vec!["select", "d.csv", "--response", "y", "--format", "json"];
    all.extend(more);
    let ran = folder.run(&all);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn a_report_says_each_factors_reference_and_levels() {
    let folder = folder();
    let json = select(&folder, &["--factor", "code"]);
    let factor = |name, reference, levels: [&str; 4]| json!({ "name": name, "reference": reference, "levels": levels, "coding": "treatment" });
    let expected = [
        factor("ward", "South", ["South", "east", "north", "west"]),
        // Numbers ascend, where texts would begin with 10.
        factor("code", "9", ["9", "10", "11", "100"]),
    ];
    assert_eq!(json["factors"], json!(expected));
    let selected = json["selected"].as_array().unwrap();
    assert_eq!(selected.len(), 3);
    for own in selected {
        let (column, level) = (
            own["column"].as_str().unwrap(),
            own["level"].as_str().unwrap(),
        );
        assert_eq!(own["name"], format!("{column}={level}"));
    }
    // Of numbers there is no level.
    let numbers = select(&folder, &["--drop", "ward,code", "--keep", "age"]);
    let age = &numbers["selected"][0];
    let age = [&age["name"], &age["column"], &age["level"]];
    assert_eq!(age, [&json!("age"), &json!("age"), &Value::Null]);
    assert_eq!(numbers["factors"], json!([]));
}

#[test]
fn a_reference_that_is_asked_for_has_no_dummy() {
    let folder = folder();
    let asked = [
        "--reference",
        "ward=north",
        "--reference",
        "code=11",
        "--factor",
        "code",
    ];
    let json = select(&folder, &asked);
    let references = [0, 1].map(|at| json["factors"][at]["reference"].clone());
    assert_eq!(references, ["north", "11"]);
    let names: Vec<&str> = json["selected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ward=South", "ward=east", "ward=west"]);
    // The same model, told from another level: the effects differ by constants.
    let first = select(&folder, &["--factor", "code"]);
    let rss = [&json, &first].map(|json| json["rss"].as_f64().unwrap());
    assert!((rss[0] / rss[1] - 1.0).abs() < 1e-12, "{rss:?}");
    let south = json["selected"][0]["coefficient"].as_f64().unwrap();
    let north = first["selected"][1]["coefficient"].as_f64().unwrap();
    assert_eq!(first["selected"][1]["name"], "ward=north");
    assert!((south + north).abs() < 1e-12, "{south} {north}");
    // In one list, and in a job file.
    let listed = ["--reference", "ward=north,code=11", "--factor", "code"];
    assert_eq!(select(&folder, &listed)["selected"], json["selected"]);
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"d.csv\"\nresponse = \"y\"\nfactor = [\"code\"]\noutput = \"told\"\n\
         reference = [\"ward=north\", \"code=11\"]\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told = folder.read("told");
    assert!(
        told.contains("\nreference levels     ward=north, code=11\n"),
        "{told}"
    );
    assert!(told.contains("1 where the column has that level"), "{told}");
}

#[test]
fn pages_say_references_too() {
    let folder = folder();
    let arguments = ["select", "d.csv", "--response", "y", "--format", "html"];
    let page = folder.run(&arguments).stdout;
    assert!(
        page.contains("ward=South") && page.contains("reference level"),
        "{page}"
    );
    assert!(page.contains("South, east, north, west"));
}

#[test]
fn without_an_intercept_the_first_factor_has_no_reference() {
    let folder = folder();
    let json = select(&folder, &["--no-intercept", "--factor", "code"]);
    let [ward, code] = [0, 1].map(|at| json["factors"][at].clone());
    assert_eq!(
        (&ward["reference"], &ward["coding"]),
        (&Value::Null, &json!("indicator"))
    );
    assert_eq!(
        (&code["reference"], &code["coding"]),
        (&json!("9"), &json!("treatment"))
    );
    let warnings = json["warnings"].as_array().unwrap();
    assert!(
        warnings.len() == 1
            && warnings[0]
                .as_str()
                .unwrap()
                .contains("the order of factors")
    );
    let asked = select(&folder, &["--no-intercept", "--reference", "ward=east"]);
    let warning = asked["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("--reference ward=east has no effect"),
        "{warning}"
    );
}

#[test]
fn a_reference_that_dropped_rows_took_is_warned_of() {
    let folder = folder();
    let rows = folder.read("d.csv").replace(",west,9,", ",west,NA,");
    let gone = rows
        .replace(",west,10,", ",west,NA,")
        .replace(",west,11,", ",west,NA,");
    folder.write("d.csv", &gone.replace(",west,100,", ",west,NA,"));
    let json = select(
        &folder,
        &["--missing", "drop-rows", "--reference", "ward=west"],
    );
    assert_eq!(json["factors"][0]["reference"], "South");
    let warnings = json["warnings"].to_string();
    assert!(
        warnings.contains("ward=west has no effect: no observation that is used"),
        "{warnings}"
    );
}

#[test]
fn a_reference_that_is_none_is_refused_with_what_there_is() {
    let folder = folder();
    for (arguments, parts) in [
        (
            &["--reference", "ward=North"][..],
            &[
                "`North`",
                "South, east, north, west",
                "did you mean `north`?",
            ][..],
        ),
        (
            &["--reference", "wart=north"],
            &["`wart`", "did you mean `ward`?"],
        ),
        (
            &["--reference", "age=3"],
            &["`age`", "no factor but holds numbers", "--factor age"],
        ),
        (&["--reference", "ward"], &["COLUMN=LEVEL"]),
        (
            &["--reference", "ward=north,ward=east"],
            &["names `ward` twice"],
        ),
        (&["--reference", "y=3"], &["`y`", "response"]),
        (
            &["--reference", "ward=north", "--drop", "ward"],
            &["ward", "left out"],
        ),
        (
            &["--reference", "ward=north", "--method", "jmi"],
            &["reference has no effect with the method jmi"],
        ),
    ] {
        let ran = folder.run(&[&["select", "d.csv", "--response", "y"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(
            parts.iter().all(|part| ran.stderr.contains(part)),
            "{parts:?} in {}",
            ran.stderr
        );
    }
}
