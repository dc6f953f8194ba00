//! Mistakes as people make them, in files and on the command line: one clear answer each.

use crate::{
    odd_files::{Odd, check, plain},
    support::Folder,
};

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn mistakes_have_one_clear_answer_each() {
    let plain = plain();
    let cell = |old: &str, new: &str| plain.replace(old, new).into_bytes();
    let all: Vec<Odd> = vec![
        // Missing values.
        (
            "excel_na.csv",
            cell("1.25", "#N/A"),
            &[],
            Err(&["missing", "`b` 1", "row 2", "drop-rows"]),
        ),
        (
            "excel_na_dropped.csv",
            cell("1.25", "#N/A"),
            &["--missing", "drop-rows"],
            Ok("1 of 8 rows"),
        ),
        ("sentinel.csv", cell("1.25", "-999"), &[], Ok("--na -999")),
        (
            "sentinel_said.csv",
            cell("1.25", "-999"),
            &["--na", "-999,'?'", "--missing", "drop-rows"],
            Ok("1 of 8 rows"),
        ),
        (
            "question.csv",
            cell("1.25", "?"),
            &[],
            Err(&["line 3, row 2", "\"?\"", "`b`", "--na '?'"]),
        ),
        (
            "infinite.csv",
            cell("1.25", "Inf"),
            &[],
            Err(&["row 2", "`b`", "infinite"]),
        ),
        // Headers.
        (
            "headerless.csv",
            plain.replacen("y,a,b\n", "", 1).into(),
            &[],
            Err(&["line 1", "--no-header"]),
        ),
        (
            "headerless_whole.csv",
            b"1,4\n2,5\n4,9\n".to_vec(),
            &[],
            Err(&["`y`", "columns: 1, 4", "--no-header"]),
        ),
        (
            "comment.csv",
            format!("# from R\n{plain}").into(),
            &[],
            Err(&["line 1", "# from R", "above"]),
        ),
        (
            "twice.csv",
            cell("y,a,b", "y,a,a"),
            &[],
            Err(&["columns 2 and 3", "`a`"]),
        ),
        (
            "header_alone.csv",
            b"y,a,b\n".to_vec(),
            &[],
            Err(&["no observations"]),
        ),
        ("empty.csv", Vec::new(), &[], Err(&["empty"])),
        // Dates and numbers that are none.
        (
            "dates.csv",
            plain
                .replace('\n', ",1973-05-01\n")
                .replacen("1973-05-01", "when", 1)
                .into(),
            &["--date", "when", "--drop", "b"],
            Ok(""),
        ),
        (
            "unique_dates.csv",
            b"y,d\n1,2020-01-01\n2,2020-01-02\n4,2020-01-05\n".to_vec(),
            &[],
            Err(&["dates", "--date d"]),
        ),
        (
            "open_dates.csv",
            b"y,d\n1,01/02/2020\n2,02/03/2020\n4,05/04/2020\n".to_vec(),
            &["--date", "d"],
            Err(&["row 1", "day or with the month"]),
        ),
        (
            "percent.csv",
            b"y,d\n1,10%\n2,20%\n4,10%\n".to_vec(),
            &[],
            Err(&["`d`", "10%", "without %"]),
        ),
        (
            "late_text.csv",
            cell("4.25", "much"),
            &[],
            Err(&["line 9, row 8", "much", "--factor b"]),
        ),
        // Lines.
        (
            "ragged.csv",
            cell("3.9,2,1.25", "3.9,2"),
            &[],
            Err(&["line 3, row 2", "2 fields", "3 are expected"]),
        ),
        (
            "open_quote.csv",
            cell("3.9,2,", "\"3.9,2,"),
            &[],
            Err(&["not closed"]),
        ),
        // Not what the name says.
        (
            "book.xlsx",
            b"PK\x03\x04".to_vec(),
            &[],
            Err(&["save the sheet as CSV"]),
        ),
        (
            "book.csv",
            b"PK\x03\x04\x14\0".to_vec(),
            &[],
            Err(&["not text", "Excel"]),
        ),
        (
            "packed.csv",
            b"\x1f\x8b\x08\0".to_vec(),
            &[],
            Err(&["gzip", ".gz"]),
        ),
        // Names of columns and methods.
        (
            "near.csv",
            plain.clone().into(),
            &["--keep", "aa"],
            Err(&["--keep", "`aa`", "did you mean `a`?"]),
        ),
        (
            "far.csv",
            plain.clone().into(),
            &["--keep", "population"],
            Err(&["(columns: y, a, b)"]),
        ),
        (
            "lasso.csv",
            plain.clone().into(),
            &["--method", "lasso"],
            Err(&["no method `lasso`", "shrinks", "`pass`"]),
        ),
        (
            "stepwise.csv",
            plain.clone().into(),
            &["--method", "stepwise"],
            Err(&["no method `stepwise`", "forward and backward"]),
        ),
        (
            "boruta.csv",
            plain.clone().into(),
            &["--method", "boruta"],
            Err(&["no method `boruta`", "`jmi`"]),
        ),
        (
            "bic.csv",
            plain.clone().into(),
            &["--method", "bic"],
            Err(&["--criterion bic"]),
        ),
        (
            "misspelt.csv",
            plain.clone().into(),
            &["--method", "jmo"],
            Err(&["did you mean `jmi`?"]),
        ),
    ];
    assert!(all.len() >= 25, "{} mistakes", all.len());
    check(all);
}

#[test]
fn whole_numbers_that_floating_point_does_not_hold_are_refused() {
    let rows = [
        (7, 1),
        (3, 2),
        (9007199254740993, 3),
        (9007199254740992, 4),
        (5, 5),
        (1, 6),
    ];
    let line = |(id, a): (u64, u64)| format!("{}.{},{id},{a}\n", 2 * a, id % 10);
    let text = format!("y,id,a\n{}", rows.map(line).concat());
    let bytes = || text.clone().into_bytes();
    let told: &[&str] = &[
        "line 4, row 3: 9007199254740993 in column `id`",
        "2^53",
        "--drop id",
        "--factor id",
    ];
    check(vec![
        ("big.csv", bytes(), &[], Err(told)),
        ("big_ranked.csv", bytes(), &["--method", "mim"], Err(told)),
        ("big_left_out.csv", bytes(), &["--drop", "id"], Ok("")),
        (
            "big_decimals.csv",
            text.replace("993,", "993.0,").into(),
            &[],
            Ok(""),
        ),
        (
            "big.libsvm",
            b"1 1:2\n2 1:9007199254740993\n".to_vec(),
            &[],
            Err(&["line 2", "9007199254740993", "2^53"]),
        ),
    ]);
    let folder = Folder::new();
    folder.write("big.csv", &text);
    let command = ["select", "big.csv", "--response", "y", "--factor", "id"];
    let more = ["--method", "mim", "--format", "json"];
    let ran = folder.run(&[&command[..], &more].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for level in ["9007199254740992", "9007199254740993"] {
        assert!(ran.stdout.contains(level), "{level}: {ran:?}");
    }
}

#[test]
fn one_observation_is_refused_and_an_empty_file_says_what_it_lacks() {
    let one = || b"y,a,b\n1,2,3\n".to_vec();
    let told: &[&str] = &["has 1 observation: at least"];
    check(vec![
        ("one.csv", one(), &[], Err(told)),
        ("one_mim.csv", one(), &["--method", "mim"], Err(told)),
        (
            "one_left.csv",
            b"y,a,b\n1,2,3\n1,,3\n".to_vec(),
            &["--method", "jmi", "--missing", "drop-rows"],
            Err(told),
        ),
        (
            "empty.libsvm",
            Vec::new(),
            &[],
            Err(&["empty", "LABEL INDEX:VALUE"]),
        ),
        ("empty.dat", Vec::new(), &[], Err(&["empty", "`n p`"])),
        ("empty.arff", Vec::new(), &[], Err(&["empty", "@attribute"])),
    ]);
}
