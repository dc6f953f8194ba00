//! Selections beside the truth that a file marks: PSR and FDR by a count of their own.

use crate::support::{Folder, table};
use serde_json::{Value, json};

fn select(folder: &Folder, file: &str, more: &[&str]) -> Value {
    let mut arguments = vec!["select", file, "--response", "y", "--format", "json"];
    arguments.extend(more);
    let ran = folder.run(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn a_file_that_marks_nothing_has_no_truth() {
    let folder = Folder::new();
    let json = select(&folder, "data.csv", &[]);
    assert!(json.as_object().unwrap().contains_key("truth"));
    assert_eq!(json["truth"], Value::Null);
    let text = folder
        .run(&["select", "data.csv", "--response", "y"])
        .stdout;
    assert!(!text.contains("truth"), "{text}");
}

#[test]
fn rates_count_what_was_kept_dropped_and_set_aside() {
    // y = 3a + noise; the columns e and f are constant.
    let rows = table(60);
    let mut rows = rows.lines().map(|row| format!("{row},1,2\n"));
    let header = rows.next().unwrap().replace("1,2", "e,f");
    let rows: String = rows.collect();
    for (truth, more, expected, missed) in [
        ("a", &[][..], (1, 1, 1.0, 0.0), &[][..]),
        ("a,b", &[], (2, 1, 0.5, 0.0), &["b"]),
        ("b", &[], (1, 0, 0.0, 1.0), &["b"]),
        // Set aside, but true all the same.
        ("a,e,f", &[], (3, 1, 1.0 / 3.0, 0.0), &["e", "f"]),
        ("a,c", &["--keep", "b,d"], (2, 1, 0.5, 2.0 / 3.0), &["c"]),
        // Dropped; and with it goes all that explains y.
        ("a,c", &["--drop", "a,b"], (2, 0, 0.0, 0.0), &["a", "c"]),
    ] {
        let folder = Folder::new();
        folder.write("t.csv", &format!("# passel truth {truth}\n{header}{rows}"));
        let json = select(&folder, "t.csv", more);
        let (variables, found, psr, fdr) = expected;
        let expected = json!({
            "variables": variables, "found": found, "psr": psr, "fdr": fdr, "missed": missed
        });
        assert_eq!(json["truth"], expected, "{truth} {more:?}");
    }
}

#[test]
fn the_dummies_of_a_factor_are_one_variable() {
    let folder = Folder::new();
    let mut text = String::from("# passel truth f\ny,f,z\n");
    for row in 0..60 {
        let level = row % 3;
        text += &format!("{},l{level},{}\n", level * level * 10 + row % 5, row % 7);
    }
    folder.write("t.csv", &text);
    let json = select(&folder, "t.csv", &[]);
    assert_eq!(json["k"], 2, "{json}");
    assert_eq!(json["truth"]["found"], 1);
    assert_eq!(json["truth"]["psr"], 1.0);
    assert_eq!(json["truth"]["fdr"], 0.0);
}

#[test]
fn the_truth_of_another_response_is_left_aside_with_a_warning() {
    let folder = Folder::new();
    folder.write("t.csv", &format!("# passel truth a,y\n{}", table(60)));
    let rows: String = table(60).lines().skip(1).fold(String::new(), |all, row| {
        all + &row.replace(',', " ") + "\n"
    });
    folder.write("t.dat", &format!("set\n60 4\n* 1 0 0 0\n{rows}"));
    for (file, response) in [("t.csv", "y"), ("t.dat", "x3")] {
        let ran = folder.run(&["select", file, "--response", response, "--format", "json"]);
        let json: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(json["truth"], Value::Null, "{file}");
        let warning = json["warnings"][0].as_str().unwrap();
        assert!(warning.ends_with(&format!("of the response {response}")));
    }
    assert_eq!(select(&folder, "t.dat", &[])["truth"]["psr"], 1.0);
}

#[test]
fn a_wrong_true_name_is_told_with_its_line() {
    let folder = Folder::new();
    folder.write(
        "t.csv",
        &format!("# passel simulate x\n# passel truth e\n{}", table(9)),
    );
    let ran = folder.run(&["select", "t.csv", "--response", "y"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        ran.stderr,
        "error: t.csv: line 2: the truth names `e`, which is no column\n"
    );
}
