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
