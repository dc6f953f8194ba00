//! Sets of the original PaSS program.

use super::*;

const DAT: &str = "# comment\n#\nName_1\n2 3\n*  1 0   1\n+1.5e+00 1 2 3\n-2 4 NA 6\n";

#[test]
fn a_set_of_the_original_program() {
    for content in [
        DAT.to_owned(),
        DAT.replace('\n', "\r\n"),
        format!("{DAT}\n"),
        { DAT.trim_end().to_owned() },
    ] {
        let table = read_as("t.dat", content).expect("good");
        assert_eq!(
            (names(&table), table.rows),
            (vec!["y", "x0", "x1", "x2"], 2)
        );
        assert_eq!(table.response, Some(0));
        assert_numbers(&table, 0, &[1.5, -2.0]);
        assert_numbers(&table, 2, &[2.0, NAN]);
    }
    assert_eq!(
        read_as("t.dat.gz", gzip(DAT.as_bytes()))
            .expect("good")
            .rows,
        2
    );
}

#[test]
fn sets_that_break_their_promise_are_refused() {
    for (old, new, told) in [
        ("2 3", "2", "line 4"),
        ("2 3", "2 -3", "line 4"),
        ("2 3", "0 3", "line 4"),
        ("2 3", "2 3 4", "line 4"),
        ("2 3", "2 4", "line 5: 3 marks after `*`, but p = 4"),
        ("2 3", "2 99999999999", "line 5"),
        (
            "2 3",
            "3 3",
            "line 7: the file ends after 2 rows, but n = 3",
        ),
        ("2 3", "99999999999999 3", "line 7"),
        ("2 3", "1 3", "line 7: a row beyond the n = 1"),
        ("*  1 0", "1 0", "line 5"),
        ("1 0   1", "1 0 2", "line 5: \"2\""),
        ("1 0   1", "1 0 1 1", "line 5: 4 marks"),
        ("4 NA 6", "4 6", "line 7, row 2: 3 fields, but 4"),
        ("4 NA 6", "4 5 6 7", "line 7, row 2: 5 fields, but 4"),
        (
            "4 NA 6",
            "4 five 6",
            "line 7, row 2: \"five\" in column `x1`",
        ),
        (
            "4 NA 6",
            "4 -inf 6",
            "line 7, row 2: \"-inf\" in column `x1`",
        ),
        ("4 NA 6", "4 NA 6\n\n1 2 3 4", "line 9: a row beyond"),
    ] {
        assert!(DAT.contains(old));
        assert_told(
            read_as("t.dat", DAT.replacen(old, new, 1)),
            &["t.dat", told],
        );
    }
    let lines: Vec<&str> = DAT.lines().collect();
    for kept in 1..lines.len() {
        assert_told(
            read_as("t.dat", lines[..kept].join("\n")),
            &[&format!("line {kept}")],
        );
    }
}

#[test]
fn numbers_of_an_array_or_set_become_a_factor_when_asked() {
    let factors = ["x1".to_owned()];
    let options = ReadOptions {
        factors: &factors,
        ..ReadOptions::default()
    };
    let table = read(&Folder::new().write("t.dat", DAT), &options).expect("good");
    assert_factor(&table, 2, &["2"], &[0, MISSING]);
    let factors = ["x9".to_owned()];
    let options = ReadOptions {
        factors: &factors,
        ..ReadOptions::default()
    };
    let refused = read(&Folder::new().write("t.dat", DAT), &options);
    assert_told(refused, &["t.dat", "`x9`", "did you mean `x0`"]);
}
