//! The files of Weka.

use super::*;

const ARFF: &str = "% A comment, then a blank line.\n\n@RELATION 'a set'\n\
    @Attribute height NUMERIC\n@attribute 'eye colour' {green, 'light blue', blue} % seen\n\
    @ATTRIBUTE age integer\n@attribute class {no,yes}\n@DATA\n\
    1.5, blue, 3, yes\n% between\n-2e1,'light blue',?,no % behind\n\n?,\"green\",7,?\n";

fn arff(content: impl AsRef<[u8]>) -> Result<Table, TableError> {
    read_as("t.arff", content)
}

#[test]
fn attributes_become_numbers_and_factors() {
    for content in [
        ARFF.as_bytes().to_vec(),
        ARFF.replace('\n', "\r\n").into_bytes(),
        ARFF.trim_end().as_bytes().to_vec(),
    ] {
        for (name, content) in [("t.ARFF", content.clone()), ("t.arff.gz", gzip(&content))] {
            let table = read_as(name, content).expect("good");
            let told = ["height", "eye colour", "age", "class"];
            assert_eq!(
                (names(&table), table.rows, table.response),
                (told.to_vec(), 3, Some(3))
            );
            assert_numbers(&table, 0, &[1.5, -20.0, NAN]);
            // In bytewise order, whatever the order declared.
            assert_factor(&table, 1, &["blue", "green", "light blue"], &[0, 2, 1]);
            assert_numbers(&table, 2, &[3.0, NAN, 7.0]);
            assert_factor(&table, 3, &["no", "yes"], &[1, 0, MISSING]);
        }
    }
}

#[test]
fn levels_that_do_not_occur_are_left_out() {
    let table = arff("@attribute a {z,y,x}\n@data\nx\nz\nx\n").expect("good");
    assert_factor(&table, 0, &["x", "z"], &[0, 1, 0]);
}

#[test]
fn sparse_rows_are_filled_up() {
    let header = "@attribute a real\n@attribute b {u,v}\n@attribute c real\n@data\n";
    let rows = "{0 1.5, 2 -3}\n{ }\n1,v,2\n{1 v,2 ?}\n{}\n";
    let table = arff(format!("{header}{rows}")).expect("good");
    assert_numbers(&table, 0, &[1.5, 0.0, 1.0, 0.0, 0.0]);
    assert_factor(&table, 1, &["u", "v"], &[0, 0, 1, 1, 0]);
    assert_numbers(&table, 2, &[-3.0, 0.0, 2.0, NAN, 0.0]);
}

#[test]
fn quotes_hold_what_would_else_be_a_sign() {
    let declared = r#"@attribute 'it\'s, {a}' {"100%", 'a\\b', '?', ' ', '\t'}"#;
    let content = format!("{declared}\n@data\n'100%'\n\"a\\\\b\"\n'?'\n' '\n\"\\t\"\n?\n");
    let table = arff(content).expect("good");
    assert_eq!(names(&table), ["it's, {a}"]);
    let levels = ["\t", " ", "100%", "?", "a\\b"];
    assert_factor(&table, 0, &levels, &[2, 4, 3, 1, 0, MISSING]);
}

#[test]
fn headers_that_declare_nothing_readable_are_refused() {
    for (content, told) in [
        ("", "empty"),
        ("% only\n", "line 1: the file ends where `@data` should be"),
        ("@attribute a real\n", "line 1: the file ends where `@data`"),
        (
            "@relation r\n@data\n1\n",
            "line 2: no attribute is declared",
        ),
        ("@attribute a real\n@data\n", "no observations"),
        (
            "@relation r\n1,2\n",
            "line 2: \"1,2\" should be `@relation NAME`",
        ),
        (
            "@atribute a real\n",
            "line 1: \"@atribute a real\" should be",
        ),
        (
            "@relation r\n@attribute note string\n",
            "line 2: the attribute `note` is of type \"string\", and only numeric ones and lists \
             {a, b} are read: leave it out, or declare it",
        ),
        (
            "@attribute d DATE \"yyyy\"\n",
            "line 1: the attribute `d` is of type \"DATE\"",
        ),
        (
            "@attribute a\n",
            "line 1: the attribute `a` has no type: write numeric",
        ),
        ("@attribute '' real\n", "line 1: column 1 has no name"),
        (
            "@attribute a real [0,1]\n",
            "line 1: \"[0,1]\" stands where the line should end",
        ),
        (
            "@attribute a {u,v\n",
            "line 1: the values of the attribute `a`",
        ),
        (
            "@attribute a {u,,v}\n",
            "line 1: the values of the attribute `a`",
        ),
        (
            "@attribute a {}\n",
            "line 1: the values of the attribute `a`",
        ),
        (
            "@attribute a {'u' v}\n",
            "line 1: the values of the attribute `a`",
        ),
        (
            "@attribute a {u,v,u}\n",
            "line 1: the attribute `a` declares \"u\" twice",
        ),
        (
            "@attribute 'a real\n",
            "line 1: a quotation mark does not close",
        ),
        (
            "@attribute a real\n@attribute a real\n@data\n1,2\n",
            "columns 1 and 2 are both named `a`",
        ),
    ] {
        assert_told(arff(content), &["t.arff: ", told]);
    }
}

#[test]
fn rows_that_do_not_fit_are_told_with_their_line() {
    for (row, told) in [
        ("1,u", "line 7, row 2: 2 fields, but 3 are expected"),
        ("1,u,2,3", "line 7, row 2: 4 fields, but 3 are expected"),
        ("x,u,2", "line 7, row 2: \"x\" in column `a` is no number"),
        (
            "1,u,1e999",
            "line 7, row 2: \"1e999\" in column `c` is infinite",
        ),
        (
            "1,U,2",
            "line 7: row 2: \"U\" is no declared value of the attribute `b`; did you mean `u`?",
        ),
        (
            "1,NA,2",
            "line 7: row 2: \"NA\" is no declared value of the attribute `b`",
        ),
        ("1,'u,2", "line 7: a quotation mark does not close"),
        (
            "1,'u' v,2",
            "line 7: \"v,2\" stands where the line should end",
        ),
        (
            "{3 1}",
            "line 7: row 2: \"3 1}\" should be `INDEX VALUE`, the indexes",
        ),
        ("{2 1, 0 1}", "line 7: row 2: \"0 1}\" should be"),
        ("{0 1, 0 1}", "from 0 to 2"),
        ("{0 1", "line 7: row 2: \"0 1\" should be"),
        ("{0}", "line 7: row 2: \"0}\" should be"),
        ("{0 1} 2", "line 7: \"2\" stands where the line should end"),
        ("{-1 1}", "line 7: row 2"),
    ] {
        let header = "@attribute a real\n@attribute b {u,v}\n@attribute c real\n@data\n";
        let content = format!("{header}1,u,2\n\n{row}\n");
        assert_told(arff(content), &["t.arff: ", told]);
    }
    let bad = [b"@attribute a real\n@data\n1\n".as_slice(), b"\xff\n"].concat();
    assert_told(arff(bad), &["t.arff: line 4: not UTF-8"]);
}
