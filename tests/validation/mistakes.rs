//! What is refused, with the mend.

use crate::{Data, json, others_than, support::Folder, validate};

#[track_caller]
fn refused(options: &[&str], parts: &[&str]) {
    let folder = Folder::new();
    Data::of(30, 3).write_all(&folder);
    let ran = folder.run(&[&["validate", "d.csv"], options].concat());
    assert_eq!(ran.code, Some(2), "{}{}", ran.stdout, ran.stderr);
    for part in parts {
        assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
    }
    assert!(ran.stdout.is_empty());
}

#[test]
fn schemes_that_are_none() {
    let y = ["--response", "y"];
    let with = |scheme: &'static str| [&y[..], &["--scheme", scheme]].concat();
    refused(
        &with("fold"),
        &["scheme = fold must be", "did you mean `folds`?"],
    );
    refused(&with("folds:n=5"), &["scheme = folds:n=5 must be"]);
    refused(&with("folds:k=1"), &["scheme = folds:k=1 must be"]);
    refused(&with("folds:repeat=2"), &["did you mean `repeats`?"]);
    refused(&with("holdout:share=1"), &["must be"]);
    refused(
        &with("folds:k=40"),
        &["--scheme folds:k=40,repeats=1 needs 40 rows or more, and there are 30"],
    );
    refused(&with("marked"), &["marked needs by"]);
    refused(
        &[&with("folds:k=11")[..], &["--by", "id"]].concat(),
        &["needs 11 groups of rows or more, and there are 10"],
    );
    refused(
        &[&with("marked")[..], &["--by", "g"]].concat(),
        &["--by g: text such as u marks no rows"],
    );
    refused(
        &[&with("marked")[..], &["--by", "w"]].concat(),
        &["marks 30 of 30 rows"],
    );
}

#[test]
fn columns_and_options_that_do_not_go_together() {
    refused(&["--response", "y", "--by", "idd"], &["idd", "id"]);
    refused(
        &["--response", "y", "--by", "y"],
        &["by and response both name y"],
    );
    refused(
        &["--response", "y", "--keep", "id", "--by", "id"],
        &["by and keep both name id"],
    );
    refused(&["--response", "y,t"], &["passel validate is of one"]);
    refused(
        &["--formula", "y ~ x1 + id", "--by", "id"],
        &["id", "--by takes"],
    );
    refused(
        &["--response", "y", "--format", "parquet"],
        &["only for one selection"],
    );
    refused(
        &["--response", "y", "--trace", "t.csv"],
        &["trace applies to a single selection"],
    );
    refused(
        &["--response", "kind", "--method", "jmi", "--top", "3"],
        &[
            "method = jmi: it ranks variables and makes no model that predicts",
            "then = ols, logistic or knn",
        ],
    );
}

#[test]
fn a_column_of_groups_without_values() {
    let folder = Folder::new();
    folder.write("d.csv", "y,x,id\n1,2,a\n2,4,\n3,5,b\n2,1,c\n");
    let ran = folder.run(&[
        "validate",
        "d.csv",
        "--response",
        "y",
        "--by",
        "id",
        "--scheme",
        "folds:k=2",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("--by id: row 2 lacks a value"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_split_that_failed_is_named() {
    let folder = Folder::new();
    let mut data = Data::of(40, 3);
    // The first block has no event.
    let at = data.header.split(',').position(|own| own == "b").unwrap();
    for line in &mut data.lines[..20] {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        fields[at] = "0".to_owned();
        *line = fields.join(",");
    }
    data.write_all(&folder);
    let others = others_than(&["b"]);
    let of = |scheme| {
        let options = [
            "--response",
            "b",
            "--family",
            "binomial",
            "--format",
            "json",
        ];
        let own = ["--drop", &others, "--scheme", scheme];
        folder.run(&[&["validate", "d.csv"], &options[..], &own].concat())
    };
    let ran = of("time:blocks=1");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let named = "block 1 of 1, a model of 20 of 40 rows";
    assert!(ran.stderr.contains(named), "{}", ran.stderr);
    // One block has a model: nothing of it is lost.
    let report = json(&of("time:blocks=3"));
    let told = [
        &report["splits"][0]["train"],
        &report["done"],
        &report["wanted"],
        &report["judged"],
    ];
    assert_eq!(told, [30, 1, 3, 10]);
    assert_eq!(report["termination"], "done");
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(
        warning.starts_with("2 of 3 splits have no model"),
        "{warning}"
    );
    let named = "block 1 of 3, a model of 10 of 40 rows: ";
    assert!(warning.contains(named), "{warning}");
}

#[test]
fn rows_that_are_left_out_need_no_group() {
    let folder = Folder::new();
    let row = |row: usize| match row {
        7 => "1,,\n".to_owned(),
        _ => format!("{},{},g{}\n", row * row % 7, row % 5, row % 4),
    };
    folder.write(
        "d.csv",
        &format!("y,x,id\n{}", (0..20).map(row).collect::<String>()),
    );
    let options = ["--response", "y", "--by", "id", "--scheme", "folds:k=4"];
    let report = validate(
        &folder,
        &[&options[..], &["--missing", "drop-rows"]].concat(),
    );
    assert_eq!(report["judged"], 19);
}
