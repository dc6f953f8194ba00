//! Delimited text: what it says, and what is wrong with it.

use super::*;

#[test]
fn quotes_line_ends_and_byte_order_mark() {
    for content in [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4",
        "a,b\n1,2\n3,4\n\n\n",
        "a,b\r\n1,2\r\n3,4\r\n\r\n",
        "\u{feff}a,b\n1,2\n3,4\n",
        "\u{feff}\"a\",b\n1,2\n3,4\n",
        "\"a\",\"b\"\n\"1\",\"2\"\n3,\"4\"",
        " a , b \n 1 ,2\n3, 4\n",
        "a,b\n\" 1\",2\n3,4\n",
        "a,b\r1,2\r3,4\r",
    ] {
        let table = csv(content).expect(content);
        assert_eq!(
            (names(&table), table.rows),
            (vec!["a", "b"], 2),
            "{content:?}"
        );
        assert_numbers(&table, 0, &[1.0, 3.0]);
        assert_numbers(&table, 1, &[2.0, 4.0]);
    }
}

#[test]
fn quoted_fields_hold_delimiters_quotes_and_lines() {
    let table = csv("\"a,\"\"b\"\"\nc\",d\n\"x,\"\"y\"\"\nz\",1\nw,2\n").expect("good");
    assert_eq!(names(&table), ["a,\"b\"\nc", "d"]);
    assert_factor(&table, 0, &["w", "x,\"y\"\nz"], &[1, 0]);
    assert_numbers(&table, 1, &[1.0, 2.0]);
}

#[test]
fn a_header_longer_than_any_window() {
    let columns = 120_000;
    let header: Vec<String> = (0..columns)
        .map(|column| format!("variable{column}"))
        .collect();
    let row = vec!["-0.5"; columns].join(",");
    let table = csv(format!("{}\n{row}\n{row}\n", header.join(","))).expect("good");
    assert_eq!((table.columns.len(), table.rows), (columns, 2));
    assert_numbers(&table, columns - 1, &[-0.5, -0.5]);
}

#[test]
fn header_cells_need_names_each_its_own() {
    assert_told(csv("a,,b\n1,2,3\n"), &["line 1", "column 2", "no name"]);
    assert_told(csv("a,b, a \n1,2,3\n"), &["columns 1 and 3", "`a`"]);
    assert_told(csv("a,b,\"a\"\n1,2,x\n"), &["columns 1 and 3", "`a`"]);
}

#[test]
fn marks_of_missing_values() {
    let table = csv("a,b,c\n,NA,N/A\nNULL,null,NaN\nnan,NAN, \n1,2,x\n").expect("good");
    assert_numbers(&table, 0, &[NAN, NAN, NAN, 1.0]);
    assert_numbers(&table, 1, &[NAN, NAN, NAN, 2.0]);
    assert_factor(&table, 2, &["x"], &[MISSING, MISSING, MISSING, 0]);
    // The same in a file of numbers only, and quoted.
    let table = csv("a,b,c\n,NA,N/A\nNULL,null,NaN\nnan,NAN, \n1,2,3\n").expect("good");
    assert_numbers(&table, 2, &[NAN, NAN, NAN, 3.0]);
    let table = csv("a,b\n\"\",\"NA\"\n1,2\n").expect("good");
    assert_numbers(&table, 0, &[NAN, 1.0]);
    let table = csv("a,b\nx,1\nNA,2\n,3\nnull,4\n").expect("good");
    assert_factor(&table, 0, &["x"], &[0, MISSING, MISSING, MISSING]);
}

#[test]
fn a_column_without_any_value_is_numeric() {
    for content in ["a,b\nNA,1\n,2\n", "a,b\nNA,x\n,y\n"] {
        assert_numbers(&csv(content).expect("good"), 0, &[NAN, NAN]);
    }
}

#[test]
fn the_first_value_decides_the_kind() {
    let table = csv("a,b\nNA,1\nred,2\n7,3\nInf,4\n").expect("good");
    assert_factor(&table, 0, &["7", "Inf", "red"], &[MISSING, 2, 0, 1]);
    assert_told(
        csv("a,kind\n1,2\n\n3,red\n"),
        &[
            "t.csv",
            "line 4",
            "row 2",
            "`kind`",
            "\"red\"",
            "--factor kind",
        ],
    );
    assert_told(csv("a\r\n1\r\nx\r\n"), &["line 3", "row 2"]);
    assert_told(csv("a,b\r\n\"1\n\",2\r\n2,x\r\n"), &["line 4", "row 2"]);
}

#[test]
fn levels_do_not_depend_on_the_order_of_rows() {
    let table = csv("a\nb\nä\nB\na\nb\n").expect("good");
    assert_factor(&table, 0, &["B", "a", "b", "ä"], &[2, 3, 0, 1, 2]);
    let table = csv("a\nä\nb\nb\na\nB\n").expect("good");
    assert_factor(&table, 0, &["B", "a", "b", "ä"], &[3, 2, 2, 1, 0]);
}

#[test]
fn a_column_named_as_factor_is_one() {
    let table = csv_with_factors("a,b\n10,1\n 9,2\nNA,3\n10,4\n1e999,5\n", &["a"]).expect("good");
    assert_factor(&table, 0, &["10", "1e999", "9"], &[0, 2, MISSING, 0, 1]);
    assert_numbers(&table, 1, &[1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_told(
        csv_with_factors("height,weight\n1,2\n", &["weihgt"]),
        &["t.csv", "`weihgt`", "did you mean `weight`"],
    );
    let told = csv_with_factors("height,weight\n1,2\n", &["sex"])
        .expect_err("absent")
        .to_string();
    assert!(!told.contains("did you mean"), "{told}");
}

#[test]
fn infinite_numbers_are_refused() {
    for text in ["inf", "-Inf", "Infinity", "1e999", "-1e999", " INF "] {
        for content in [
            format!("a,b\n1,2\n3,{text}\n"),
            format!("a,b\nx,2\ny,{text}\n"),
        ] {
            assert_told(
                csv(content),
                &["t.csv", "line 3", "row 2", "`b`", text, "infinite"],
            );
        }
    }
}

#[test]
fn ragged_rows_are_refused() {
    for (row, found) in [
        ("3", "1 fields"),
        ("3,4,5", "3 fields"),
        ("3,4,", "3 fields"),
    ] {
        for first in ["1,2", "x,2"] {
            for end in ["", "\n", "\r\n", "\n5,6\n"] {
                let content = format!("a,b\n{first}\n{row}{end}");
                assert_told(
                    csv(content),
                    &["t.csv", "line 3", "row 2", found, "2 are expected"],
                );
            }
        }
    }
    assert_told(csv("a,b\n1,2\n\n\n3\n"), &["line 5", "row 2"]);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    assert_told(csv(b"a,b\n1,2\n1,\xe4\n"), &["line 3", "column 2", "UTF-8"]);
    assert_told(csv(b"a,b\nx,2\n\xff,1\n"), &["line 3", "column 1", "UTF-8"]);
    assert_told(csv(b"a,b\xfc\n1,2\n"), &["line 1", "column 2", "UTF-8"]);
}

#[test]
fn an_open_quote_is_refused() {
    assert_told(csv("a,b\nx,1\ny,2\n\"z,3\nw,4\n"), &["t.csv"]);
    assert_told(
        csv("a,b\n1,x\n2,\"y\n3,z\n4,w\n"),
        &["not closed", "line 3"],
    );
    assert_told(csv("\"a,b\n1,x\n"), &["not closed"]);
}

#[test]
fn files_without_rows_are_refused() {
    for name in ["t.csv", "t.tsv", "t.dat"] {
        assert_told(read_as(name, ""), &[name, "empty"]);
        assert_told(read_as(&format!("{name}.gz"), gzip(b"")), &[name, "empty"]);
    }
    assert_told(csv("\n\n"), &["empty"]);
    assert_told(csv("\u{feff}"), &["t.csv"]);
    for content in ["a,b", "a,b\n", "a,b\r\n", "\"a\",b\n\n"] {
        assert_told(csv(content), &["t.csv", "no observations"]);
    }
}

#[test]
fn a_long_value_is_cut_in_the_message() {
    let told = csv(format!("a\n1\n{}\n", "x".repeat(5_000)))
        .expect_err("text")
        .to_string();
    assert!(told.len() < 400, "{told}");
}

#[test]
fn a_field_longer_than_any_window() {
    let long = "y".repeat(1 << 20);
    let table = csv(format!("a,b\n1,{long}\n")).expect("good");
    assert_factor(&table, 1, &[&long], &[0]);
    let zeros = "0".repeat(1 << 20);
    assert_numbers(&csv(format!("a,b\n1,{zeros}5\n")).expect("good"), 1, &[5.0]);
}

#[test]
fn spellings_of_numbers() {
    let texts = [
        "1", "+1", "-1", ".5", "5.", "1e3", "1E-3", "-0", "4.9e-324", "1e-999",
    ];
    let values = [1.0, 1.0, -1.0, 0.5, 5.0, 1e3, 1e-3, -0.0, 4.9e-324, 0.0];
    let table = csv(format!("a\n{}\n", texts.join("\n"))).expect("good");
    assert_numbers(&table, 0, &values);
    for text in [
        "--1", "+-1", "-+1", "1e", "0x1", "1_0", "-", "1 2", "1d3", "٣",
    ] {
        for first in ["1", "\"1\""] {
            let content = format!("a\tb\n{first}\t1\n{text}\t2\n");
            assert_told(
                read_as("t.tsv", content),
                &["line 3", "row 2", "`a`", "--factor a"],
            );
        }
    }
}

#[test]
fn a_text_among_numbers_is_refused_wherever_it_stands() {
    let column = |at: usize, text: &str| {
        let value = |row: usize| match row {
            row if row == at => text.to_owned(),
            row => (row % 9).to_string(),
        };
        let rows = (0..20).map(|row| format!("{}.5,{}\n", row, value(row)));
        format!("y,a\n{}", rows.collect::<String>())
    };
    for at in [0, 1, 11, 19] {
        let (line, row) = (format!("line {}", at + 2), format!("row {}", at + 1));
        let mends = [
            "\"<5\" in the numeric column `a`",
            "--na '<5'",
            "--factor a",
        ];
        assert_told(
            csv(column(at, "<5")),
            &[&mends[..], &[&line, &row]].concat(),
        );
    }
    // What was asked for, and what is missing.
    assert!(csv_with_factors(&column(0, "<5"), &["a"]).is_ok());
    assert!(csv(column(0, "NA")).is_ok());
    // How many of them are numbers is told where a text came first.
    assert_told(
        csv("a\n?\n\n?\n1\n2\n2\n"),
        &["line 2, row 1", "3 of whose 5 values are numbers"],
    );
    // A quoted number is one, and so is one with a comma before its decimals.
    assert_told(csv("a,b\n<1,1\n\"2\",1\n 3,1\n"), &["row 1", "--na '<1'"]);
    assert_told(
        csv("a;b\nlow;1,5\n2,5;1,5\n3,5;1,5\n"),
        &["`a`", "--na 'low'"],
    );
    // Half of them are a factor's levels: a grade, a size.
    let half = csv("a,b\nS,1\n36,1\n38,1\nM,1\n").expect("a factor");
    assert_factor(&half, 0, &["36", "38", "M", "S"], &[3, 0, 1, 2]);
}
