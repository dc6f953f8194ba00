//! What the page of a regression says of the chosen model beyond its coefficients.

use crate::{both, number, support::Folder};

#[test]
fn missed_true_variables_and_inflated_variances_are_told() {
    let folder = Folder::new();
    let table = folder.read("data.csv");
    folder.write("t.csv", &format!("# passel truth a,d\n{table}"));
    let arguments = [
        "select",
        "t.csv",
        "--response",
        "y",
        "--keep",
        "a,b,c",
        "--drop",
        "d",
    ];
    let (page, json) = both(&folder, &arguments);
    page.has("1 of 2 true variables found: PSR 0.5000, FDR 0.6667; missed: d (PSR: ");
    assert_eq!(json["truth"]["missed"], serde_json::json!(["d"]));
    let rows = page.rows("Selected variables");
    let at = rows[0].iter().position(|name| name == "VIF").unwrap();
    assert_eq!(rows[1][at], "");
    for (row, told) in rows[2..].iter().zip(json["selected"].as_array().unwrap()) {
        assert_eq!(number(&row[at]), told["vif"].as_f64().unwrap());
    }
}

#[test]
fn observations_have_the_names_of_the_file() {
    let folder = Folder::new();
    let table = folder.read("data.csv");
    let mut named = String::new();
    for (at, line) in table.lines().enumerate() {
        match at {
            0 => named += &format!("\"\",{line}\n"),
            at => named += &format!("\"car {at}\",{line}\n"),
        }
    }
    folder.write("named.csv", &named);
    let (page, _) = both(&folder, &["select", "named.csv", "--response", "y"]);
    let rows = page.rows("Cook's distance");
    assert_eq!(rows[0][..2], ["row", "label"]);
    assert_eq!(rows[7][..2], ["7", "car 7"]);
    page.has("Named: the largest by Cook's distance, car ");
}
