//! Missing values, refused or dropped with their rows.

use super::*;

#[test]
fn a_table_without_missing_values_stays_as_it_is() {
    let whole = csv("a,b\n1,x\n2,y\n").expect("good");
    for policy in [Missing::Refuse, Missing::DropRows] {
        let mut table = whole.clone();
        assert_eq!(table.handle_missing(policy).expect("nothing to do"), 0);
        assert_eq!(table, whole);
    }
}

#[test]
fn missing_values_are_refused_with_their_places() {
    let header: Vec<String> = (1..=11).map(|column| format!("v{column}")).collect();
    let content = format!(
        "{}\n1{}\nNA{}\nNA{}\n",
        header.join(","),
        ",2".repeat(10),
        ",NA".repeat(10),
        ",3".repeat(10)
    );
    let mut table = csv(content).expect("good");
    let told = table
        .handle_missing(Missing::Refuse)
        .expect_err("refused")
        .to_string();
    for part in [
        "t.csv",
        "12 missing",
        "`v1` 2 (first in row 2)",
        "`v8` 1",
        "and 3 more",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert!(
        told.contains("--missing drop-rows") && !told.contains("`v9`"),
        "{told}"
    );
}

#[test]
fn rows_with_missing_values_are_dropped() {
    let mut table = csv("a,b,c\n1,x,1\nNA,y,2\n3,z,3\n4,NA,4\n5,x,5\n").expect("good");
    assert_eq!(
        table.handle_missing(Missing::DropRows).expect("some stay"),
        2
    );
    assert_eq!(table.rows, 3);
    assert_numbers(&table, 0, &[1.0, 3.0, 5.0]);
    // The level y went with its only row.
    assert_factor(&table, 1, &["x", "z"], &[0, 1, 0]);
    assert_numbers(&table, 2, &[1.0, 3.0, 5.0]);
}

#[test]
fn dropping_every_row_is_refused() {
    let mut table = csv("a,b\n1,NA\nNA,2\n3,NA\n").expect("good");
    let before = format!("{table:?}");
    let told = table
        .handle_missing(Missing::DropRows)
        .expect_err("none stays")
        .to_string();
    assert!(
        told.contains("3 rows") && told.contains("`b` 2 (first in row 1), `a` 1"),
        "{told}"
    );
    assert_eq!(format!("{table:?}"), before);
}

#[test]
fn positions_by_name() {
    let table = csv("a,b\n1,2\n").expect("good");
    assert_eq!((table.position("b"), table.position("c")), (Some(1), None));
}
