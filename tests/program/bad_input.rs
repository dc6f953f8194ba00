//! Bad input: one clear error each, naming the file, row, column and the mend;
//! exit code 2 and nothing written.

use crate::support::Folder;

/// Runs `select` on a file of this content and expects a refusal whose message
/// holds every one of `told`.
fn refused(name: &str, content: &[u8], arguments: &[&str], told: &[&str]) {
    let folder = Folder::new();
    std::fs::write(folder.path(name), content).unwrap();
    let before = folder.names();
    let mut all = vec!["select", name, "--output", "out.json"];
    all.extend(arguments);
    let ran = folder.run(&all);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(2), ""),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "one error: {}", ran.stderr);
    for part in told {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
    assert_eq!(folder.names(), before, "nothing is written");
}

fn csv(content: &str, arguments: &[&str], told: &[&str]) {
    let mut all = vec!["--response", "y"];
    all.extend(arguments);
    refused("d.csv", content.as_bytes(), &all, told);
}

/// A file of y, a, b that is right.
const RIGHT: &str = "y,a,b\n1,2,5\n2,1,3\n4,4,8\n3,7,1\n5,6,2\n";

#[test]
fn the_right_file_is_taken() {
    let folder = Folder::new();
    folder.write("d.csv", RIGHT);
    let ran = folder.run(&["select", "d.csv", "--response", "y"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn files_that_are_no_table() {
    let folder = Folder::new();
    let ran = folder.run(&["select", "absent.csv", "--response", "y"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("absent.csv"), "{}", ran.stderr);
    csv("", &[], &["d.csv", "empty"]);
    csv("y,a,b\n", &[], &["d.csv", "row"]);
    csv(
        "y,a,b\n1,2,3\n4,5\n6,7,8\n",
        &[],
        &["d.csv", "line 3", "2 fields", "3"],
    );
    csv(
        "y,a,a\n1,2,3\n4,5,6\n7,8,1\n",
        &[],
        &["d.csv", "`a`", "2", "3"],
    );
    refused("d.xls", b"1", &["--response", "y"], &["d.xls", ".csv"]);
    refused("d.npy", b"no array", &["--response", "y"], &["d.npy"]);
    refused("d.csv.gz", b"no gzip", &["--response", "y"], &["d.csv.gz"]);
    refused("d.dat", b"name\n3 x\n", &[], &["d.dat", "line 2"]);
    let note = b"@relation r\n@attribute note string\n";
    refused("d.arff", note, &[], &["d.arff", "line 2", "`note`"]);
    refused(
        "d.svm",
        b"1 1:2\n1 2:3 1:4\n",
        &[],
        &["d.svm", "line 2", "index 1"],
    );
    refused(
        "d.mrmr",
        &[2, 0, 0, 0, 2, 0, 0, 0, 1],
        &[],
        &["d.mrmr", "row 1"],
    );
}

#[test]
fn values_that_are_no_numbers() {
    csv(
        &RIGHT.replace("4,4,8", "4,four,8"),
        &[],
        &["d.csv", "line 4", "row 3", "`a`", "four", "--factor"],
    );
    csv(
        &RIGHT.replace("3,7,1", "3,inf,1"),
        &[],
        &["d.csv", "row 4", "`a`", "inf"],
    );
    csv(
        "y,\"a, b\"\n1,2\n2,high\n4,1\n",
        &[],
        &["line 3", "`a, b`", "--factor '\"a, b\"'"],
    );
    for missing in ["", ".", "NA", "NaN"] {
        csv(
            &RIGHT.replace("3,7,1", &format!("3,{missing},1")),
            &[],
            &["d.csv", "`a`", "row 4", "1", "--missing drop-rows"],
        );
    }
    csv(
        "y,a\nlow,1\nhigh,2\nlow,4\n",
        &[],
        &["`y`", "text", "numbers"],
    );
}

#[test]
fn a_level_of_missing_values_is_no_part_of_a_regression() {
    csv(
        RIGHT,
        &["--missing", "level"],
        &["--missing level", "drop-rows"],
    );
    csv(
        RIGHT,
        &["--missing", "pairwise"],
        &["--missing pairwise", "drop-rows"],
    );
}

#[test]
fn responses_that_cannot_be_explained() {
    refused(
        "d.csv",
        RIGHT.replace('y', "height").as_bytes(),
        &["--response", "hieght"],
        &["d.csv", "hieght", "did you mean `height`"],
    );
    refused("d.csv", RIGHT.as_bytes(), &[], &["--response", "y, a, b"]);
    csv("y,a\n2,1\n2,5\n2,3\n", &[], &["`y`", "constant", "2"]);
    // Twice y, and y itself in other units.
    csv(
        "y,a,b\n1,2,5\n2,4,3\n4,8,8\n3,6,1\n",
        &[],
        &["`a`", "`y`", "--drop a"],
    );
    csv(RIGHT, &["--keep", "y"], &["keep", "response", " y"]);
    csv(RIGHT, &["--drop", "y"], &["drop", "response", " y"]);
}

#[test]
fn tables_with_nothing_to_choose() {
    csv("y\n1\n2\n4\n3\n", &[], &["d.csv", "no variable", "`y`"]);
    csv(
        "y,a\n1,3\n2,3\n4,3\n3,3\n",
        &[],
        &["no variable", "set aside"],
    );
    csv(RIGHT, &["--drop", "a,b"], &["no variable"]);
    csv("y,a\n1,2\n2,1\n", &[], &["2 observations", "3"]);
    csv(
        "y,a\n1,2\n2,NA\n3,4\n",
        &["--missing", "drop-rows"],
        &["2 observations", "3"],
    );
}

#[test]
fn weights_that_cannot_be_taken() {
    csv(
        RIGHT,
        &["--weights", "bb"],
        &["d.csv", "--weights", "`bb`", "did you mean `b`"],
    );
    csv(RIGHT, &["--weights", "y"], &["weights", "response", " y"]);
    csv(
        RIGHT,
        &["--weights", "b", "--drop", "a,b"],
        &["drop and weights both name b"],
    );
    csv(
        RIGHT,
        &["--weights", "b", "--keep", "b"],
        &["keep and weights both name b"],
    );
    csv(
        &RIGHT.replace("3,7,1", "3,7,-1"),
        &["--weights", "b"],
        &["d.csv", "-1", "row 4", "`b`", "mend", "0 to leave"],
    );
    csv(
        &RIGHT.replace("3,7,1", "3,7,inf"),
        &["--weights", "b"],
        &["d.csv", "inf", "row 4", "`b`"],
    );
    csv(
        &RIGHT.replace("3,7,1", "3,7,"),
        &["--weights", "b"],
        &["d.csv", "`b`", "row 4", "--missing drop-rows"],
    );
    csv(
        "y,a,w\n1,2,0\n2,1,0\n4,4,0\n3,7,0\n",
        &["--weights", "w"],
        &["d.csv", "`w`", "all weights", "0"],
    );
    csv(
        "y,a,w\n1,2,0\n2,1,0\n4,4,3\n3,7,1\n",
        &["--weights", "w"],
        &["d.csv", "2 observations", "3"],
    );
    csv(
        "y,a,w\n1,2,low\n2,1,low\n4,4,high\n3,7,low\n",
        &["--weights", "w"],
        &["`w`", "text", "numbers"],
    );
}

#[test]
fn columns_that_options_cannot_mean() {
    csv(RIGHT, &["--keep", "c"], &["--keep", "`c`"]);
    csv(
        RIGHT,
        &["--keep", "a", "--drop", "a"],
        &["keep", "drop", " a"],
    );
    csv(
        "y,a,b\n1,3,5\n2,3,3\n4,3,8\n3,3,1\n",
        &["--keep", "a"],
        &["`a`", "constant"],
    );
    csv(
        "y,a,b,c\n1,1,5,7\n2,4,3,8\n4,2,8,11\n3,9,1,11\n7,1,1,3\n",
        &["--keep", "a,b,c", "--max-size", "2"],
        &["3 variables are kept", "keep fewer"],
    );
    csv(
        "y,a,b\n1,1,5\n2,4,3\n3,2,8\n1,9,1\n2,1,1\n3,5,2\n1,3,3\n2,8,4\n",
        &[
            "--family",
            "multinomial",
            "--keep",
            "a,b",
            "--max-size",
            "3",
        ],
        &["2 variables are kept, and they have 4 columns"],
    );
    csv(
        "y,id\n1,p1\n2,p2\n4,p3\n3,p4\n",
        &[],
        &["`id`", "identifier", "--drop id"],
    );
}

#[test]
fn settings_outside_their_range() {
    for (arguments, told) in [
        (["--criterion", "ebic:gamma=2"], ["gamma", "0", "1"]),
        (["--criterion", "hdbci"], ["hdbci", "did you mean", "hdbic"]),
        (["--criterion", "bic:x=1"], ["bic", "parameter", "x"]),
        (["--forward", "0.5,0.6,0.2"], ["forward", "sum", "1.3"]),
        (["--forward", "-0.5,1.3,0.2"], ["forward", "-0.5", "0"]),
        (["--backward", "0.5"], ["backward", "two", "0.5"]),
        (["--particles", "0"], ["particles", "0", "1"]),
        (["--particles", "many"], ["particles", "many", "65536"]),
        (["--max-size", "3"], ["max-size", "3", "2"]),
        (["--p-total", "1"], ["p-total = 1", "2 candidates", "d.csv"]),
        (["--level", "95"], ["level = 95", "above 0", "below 1"]),
        (["--level", "nan"], ["level = nan", "above 0", "below 1"]),
        (["--start-size", "3"], ["start-size", "3", "2"]),
        (["--time-limit", "0s"], ["time-limit", "0", ""]),
    ] {
        csv(RIGHT, &arguments, &told);
    }
}

#[test]
fn extreme_numbers_are_read_or_refused() {
    csv("y,a\n1e200,2\n2e200,1\n4e200,4\n", &[], &["`y`", "unit"]);
    // Columns of any scale are taken, though their squares overflow.
    let folder = Folder::new();
    folder.write(
        "d.csv",
        "y,a,b\n1,2e200,5e-200\n2,1e200,3e-200\n4,4e200,8e-200\n3,7e200,1e-200\n5,6e200,2e-200\n",
    );
    let ran = folder.run(&[
        "select",
        "d.csv",
        "--response",
        "y",
        "--keep",
        "a,b",
        "--format",
        "csv",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("e-201") && ran.stdout.contains("e199"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_kept_level_whose_rows_are_dropped_is_reported() {
    // Without its first row `f` has the levels b and c: b is what c is compared
    // with, so it is no variable to keep.
    let content = "y,f,x\n1,a,NA\n2,b,1\n4,b,3\n3,c,2\n7,c,5\n5,b,1\n";
    csv(
        content,
        &["--missing", "drop-rows", "--keep", "f=b"],
        &["--keep", "`f=b`"],
    );
    csv(
        content,
        &["--missing", "drop-rows", "--drop", "f", "--keep", "f=c"],
        &["`f=c`"],
    );
}

#[test]
fn a_text_column_of_identifiers_is_refused_before_it_is_laid_out() {
    // As dummies it would be 160 GB.
    let mut content = String::from("y,id\n");
    for row in 0..141_000 {
        content += &format!("{},p{row}\n", row * 7 % 13);
    }
    csv(&content, &[], &["`id`", "identifier"]);
}

#[test]
fn a_dat_file_without_a_response_is_reported() {
    refused(
        "d.dat",
        b"set\n4 2\n* 1 0\n1 2 3\n2 1 5\n4 4 4\n3 1 1\n",
        &["--response", "x7"],
        &["d.dat", "x7"],
    );
}

#[test]
fn files_that_are_read_are_never_written() {
    let folder = Folder::new();
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\noutput = \"jobs.toml\"\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("job file"), "{}", ran.stderr);
    assert!(folder.read("jobs.toml").starts_with("[[job]]"));
    folder.write("y.npy.gz", "an array");
    let ran = folder.run(&[
        "select",
        "x.npy.gz",
        "--response",
        "y.npy.gz",
        "--output",
        "y.npy.gz",
    ]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(folder.read("y.npy.gz"), "an array");
    folder.write("y.npy", "an array");
    let pairs = ["pairs", "x.npy", "--response", "y.npy", "--matrix", "y.npy"];
    let ran = folder.run(&pairs);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("the response"), "{}", ran.stderr);
    assert_eq!(folder.read("y.npy"), "an array");
}

#[test]
fn a_cause_is_printed_once() {
    let folder = Folder::new();
    folder.write("d.libsvm", "1 1:2\n1 3:x\n");
    let ran = folder.run(&["select", "d.libsvm"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.stderr.matches("3:x").count(), 1, "{}", ran.stderr);
}
