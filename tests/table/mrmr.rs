//! The files of fast-mRMR.

use super::*;

fn mrmr(rows: u32, columns: u32, codes: &[u8]) -> Vec<u8> {
    let sizes = [rows.to_le_bytes(), columns.to_le_bytes()].concat();
    [&sizes, codes].concat()
}

#[test]
fn codes_are_read_row_by_row() {
    let content = mrmr(2, 3, &[1, 7, 255, 0, 8, 9]);
    for (name, content) in [("t.mrmr", content.clone()), ("t.mrmr.gz", gzip(&content))] {
        let table = read_as(name, content).expect("good");
        assert_eq!(
            (names(&table), table.rows, table.response),
            (vec!["y", "x0", "x1"], 2, Some(0))
        );
        assert_numbers(&table, 0, &[1.0, 0.0]);
        assert_numbers(&table, 1, &[7.0, 8.0]);
        assert_numbers(&table, 2, &[255.0, 9.0]);
    }
}

#[test]
fn more_or_fewer_codes_than_promised_are_refused() {
    for (content, told) in [
        (vec![], "ends at byte 0, within its header"),
        (
            vec![2, 0, 0, 0, 3, 0, 0],
            "ends at byte 7, within its header",
        ),
        (mrmr(0, 3, &[]), "no observations"),
        (mrmr(2, 0, &[]), "no variables"),
        (
            mrmr(2, 3, &[0; 5]),
            "cut off in row 2: the header promises 2 rows of 3 codes, 6 bytes behind it, 5 are",
        ),
        (mrmr(u32::MAX, u32::MAX, &[0; 5]), "cut off in row 1"),
        (
            mrmr(2, 3, &[0; 7]),
            "goes on at byte 14: the header promises 2 rows of 3 codes",
        ),
    ] {
        assert_told(read_as("t.mrmr", &content), &["t.mrmr: ", told]);
        assert_told(read_as("t.mrmr.gz", gzip(&content)), &["t.mrmr.gz: ", told]);
    }
}
