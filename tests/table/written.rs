//! One table, however it is written: separators, decimal marks, encodings, labels, missing words.

use super::*;
use passel::table::{DecimalMark, Encoding, Separator, TextOptions};

/// A table with a text column, decimals and a missing value.
const PLAIN: &str = "Fertilität,size,n\n80.2,small,1\n83.1,large,\n9.96,small,3\n";

fn with(name: &str, content: impl AsRef<[u8]>, text: TextOptions) -> Result<Table, TableError> {
    let options = ReadOptions {
        text,
        ..ReadOptions::default()
    };
    read(&Folder::new().write(name, content), &options)
}

#[track_caller]
fn assert_plain(table: &Table) {
    assert_eq!(names(table), ["Fertilität", "size", "n"]);
    assert_numbers(table, 0, &[80.2, 83.1, 9.96]);
    assert_factor(table, 1, &["large", "small"], &[1, 0, 1]);
    assert_numbers(table, 2, &[1.0, NAN, 3.0]);
}

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn separators_and_decimal_marks_are_found() {
    assert_plain(&csv(PLAIN).unwrap());
    let semicolons = PLAIN.replace(',', ";");
    let european = semicolons.replace('.', ",");
    let tabs = PLAIN.replace(',', "\t");
    let table =
        "Fertilität  size    n\n   80.2  small   1\n   83.1  large  NA\n   9.96  small   3\n";
    for (name, content, told) in [
        ("t.csv", &*semicolons, "`;`"),
        ("t.csv", &*european, "`,` before decimals"),
        ("t.csv", &*tabs, "tabs"),
        ("t.csv", &tabs.replace('.', ","), "tabs"),
        ("t.csv", &PLAIN.replace(',', "|"), "`|`"),
        ("t.csv", &format!("sep=;\n{semicolons}"), ""),
        (
            "t.csv",
            &format!("\u{feff}sep=;\r\n{european}"),
            "`,` before",
        ),
        ("t.tsv", &*tabs, ""),
        ("t.tsv", PLAIN, "`,` between"),
        ("t.txt", &*tabs, ""),
        ("t.txt", PLAIN, ""),
        ("t.txt", &*semicolons, ""),
        ("t.txt", &*european, "`,` before"),
        ("t.txt", table, ""),
    ] {
        for content in [content.to_owned(), content.replace('\n', "\r\n")] {
            let read =
                read_as(name, &content).unwrap_or_else(|error| panic!("{content:?}: {error}"));
            assert_plain(&read);
            let warnings = read.warnings.join("\n");
            match told {
                "" if !content.starts_with("sep") => assert_eq!(warnings, "", "{content:?}"),
                told => assert!(warnings.contains(told), "{told:?} is not in {warnings:?}"),
            }
            let packed = read_as(&format!("{name}.gz"), gzip(content.as_bytes())).unwrap();
            assert_eq!(packed.warnings, read.warnings);
            assert_plain(&packed);
        }
    }
}

#[test]
fn options_say_what_is_not_found() {
    let text = |separator, decimal| TextOptions {
        separator,
        decimal,
        ..TextOptions::default()
    };
    let ambiguous = "a,b;c,d\n1,2;3,4\n";
    assert_told(
        csv(ambiguous),
        &["a, b;c, d", "a,b, c,d", "--separator ';'"],
    );
    let commas = with(
        "t.csv",
        ambiguous,
        text(Some(Separator::Character(b',')), None),
    )
    .unwrap();
    assert_eq!(names(&commas), ["a", "b;c", "d"]);
    assert_factor(&commas, 1, &["2;3"], &[0]);
    let both = text(Some(Separator::Character(b';')), Some(DecimalMark::Comma));
    assert_numbers(&with("t.csv", ambiguous, both).unwrap(), 1, &[3.4]);

    let thousands = "a;b\n1,234;5\n2,345;6\n";
    assert_told(csv(thousands), &["`1,234`", "1.234", "1234", "--decimal ,"]);
    let decimals = with("t.csv", thousands, text(None, Some(DecimalMark::Comma))).unwrap();
    assert_numbers(&decimals, 0, &[1.234, 2.345]);
    let quoted = "a,b\n\"1,5\",5\n\"2,5\",6\n";
    assert_told(
        csv(quoted),
        &["`a`", "\"1,5\"", "--decimal ,", "--factor a"],
    );
    let decimals = with("t.csv", quoted, text(None, Some(DecimalMark::Comma))).unwrap();
    assert_numbers(&decimals, 0, &[1.5, 2.5]);
    let other = with(
        "t.csv",
        "a~b\n1~2\n",
        text(Some(Separator::Character(b'~')), None),
    );
    assert_numbers(&other.unwrap(), 1, &[2.0]);
    // Only the first lines are looked at; what comes later is told with its mend.
    let late = format!("a;b\n{}1,5;2\n", "1;2\n".repeat(40_000));
    assert_told(csv(&late), &["line 40002", "\"1,5\"", "`a`", "--decimal ,"]);
    assert_told(
        with("t.npy", "", text(None, Some(DecimalMark::Comma))),
        &["--decimal", ".npy"],
    );
}

#[test]
fn a_file_of_numbers_reads_the_same_by_both_readers() {
    // A quote sends the whole file to the general reader.
    let rows: String = (0..500)
        .map(|row| format!("r{row};-{row},25;{row}\n"))
        .collect();
    for header in ["\"\";\"a\";\"b\"\n", "a;b\n"] {
        let fast = csv(format!("{header}{rows}")).unwrap();
        let slow = csv(format!("{header}{}", rows.replace(";7\n", ";\"7\"\n"))).unwrap();
        assert_eq!((&fast.columns, &fast.labels), (&slow.columns, &slow.labels));
        assert_eq!((fast.rows, &*fast.labels[499]), (500, "r499"));
        assert_eq!(bits(&fast.columns[0])[3], Some((-3.25_f64).to_bits()));
        let points = csv(format!("{header}{rows}").replace(',', ".")).unwrap();
        assert_eq!(
            (&fast.columns, &fast.labels),
            (&points.columns, &points.labels)
        );
    }
}

#[test]
fn row_names_are_labels_and_no_variable() {
    let written = "\"\",\"a\",\"b\"\n\"Lord, John\",1,2\n\"1\",3,4\n";
    let table = "\"a\" \"b\"\n\"Lord, John\" 1 2\n\"1\" 3 4\n";
    for (name, content, told) in [
        ("t.csv", written, "no name"),
        ("t.csv", &written.replacen("\"\"", "", 1), "no name"),
        ("t.txt", table, "one name fewer"),
        (
            "t.tsv",
            &table.replace(' ', "\t").replace("Lord,\t", "Lord, "),
            "one name fewer",
        ),
        (
            "t.csv",
            "a,b\n\"Lord, John\",1,2\n\"1\",3,4\n",
            "one name fewer",
        ),
    ] {
        let table = read_as(name, content).unwrap_or_else(|error| panic!("{content}: {error}"));
        assert_eq!(names(&table), ["a", "b"], "{content}");
        assert_eq!(table.labels, ["Lord, John", "1"]);
        assert_numbers(&table, 0, &[1.0, 3.0]);
        assert_numbers(&table, 1, &[2.0, 4.0]);
        assert!(
            table.warnings.join("").contains(told),
            "{:?}",
            table.warnings
        );
    }
    let mut table = csv(",a,b\nu,1,2\nv,NA,4\nw,5,6\n").unwrap();
    table.handle_missing(Missing::DropRows).unwrap();
    assert_eq!(table.labels, ["u", "w"]);
    assert_told(
        csv("a,b\n1,2,\n3,4,\n"),
        &["line 1", "each row ends with `,`"],
    );
    assert_told(csv(",a\nu,1,2\nv,3,4\n"), &["column 1", "no name"]);
}

#[test]
fn encodings_are_read_and_named() {
    let latin: Vec<u8> = PLAIN.chars().map(|letter| letter as u32 as u8).collect();
    let encoded = |encoding| TextOptions {
        encoding: Some(encoding),
        ..TextOptions::default()
    };
    let marked = format!("\u{feff}{PLAIN}");
    let (little, big) = (
        utf16(&marked, u16::to_le_bytes),
        utf16(&marked, u16::to_be_bytes),
    );
    for content in [&little, &big] {
        assert_plain(&csv(content).unwrap());
        assert_plain(&csv_gz(&gzip(content)).unwrap());
        assert_plain(&with("t.csv", content, encoded(Encoding::Utf16)).unwrap());
    }
    assert_plain(&with("t.csv", &latin, encoded(Encoding::Latin1)).unwrap());
    assert_plain(&with("t.csv", &little[2..], encoded(Encoding::Utf16)).unwrap());
    assert_plain(&with("t.csv", &big[2..], encoded(Encoding::Utf16Be)).unwrap());
    assert_told(csv(&latin), &["line 1, column 1", "--encoding latin1"]);
    assert_told(
        csv(b"a,b\nx,2\n\xff,1\n"),
        &["line 3, row 2", "column 1", "--encoding latin1"],
    );
    assert_told(csv(&little[2..]), &["--encoding utf-16"]);
    assert_told(csv(&big[2..]), &["--encoding utf-16be"]);
    assert_told(
        csv(&little[..little.len() - 1]),
        &["t.csv", "ends within a character"],
    );
    // Line ends are counted in the text, not in its bytes.
    let ragged = utf16(&format!("{marked}1,2\n"), u16::to_le_bytes);
    assert_told(csv(ragged), &["line 5, row 4", "2 fields"]);
    let weka = b"@relation r\n@attribute a {\xe4,b}\n@data\n\xe4\nb\n";
    assert_told(read_as("t.arff", weka), &["line 2", "--encoding latin1"]);
    let weka = with("t.arff", weka, encoded(Encoding::Latin1)).unwrap();
    assert_factor(&weka, 0, &["b", "ä"], &[1, 0]);
}

#[test]
fn words_for_missing_values() {
    for word in [
        "#N/A", "#NUM!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "<NA>", "n/a",
    ] {
        let table = csv(format!("a,b\n1,x\n{word},{word}\n")).expect(word);
        assert_numbers(&table, 0, &[1.0, NAN]);
        assert_factor(&table, 1, &["x"], &[0, MISSING]);
    }
    let words = ["-999", "?", "none"].map(str::to_owned);
    let options = ReadOptions {
        missing: &words,
        ..ReadOptions::default()
    };
    let read = |name: &str, content: &[u8]| read(&Folder::new().write(name, content), &options);
    for quote in ["", "\""] {
        let content = format!("a,b,c\n-999,?,u\n{quote}1{quote},2,none\n-999.0,-999, v\n");
        let table = read("t.csv", content.as_bytes()).unwrap();
        assert_numbers(&table, 0, &[NAN, 1.0, NAN]);
        assert_numbers(&table, 1, &[NAN, 2.0, NAN]);
        assert_factor(&table, 2, &[" v", "u"], &[1, MISSING, 0]);
        assert_eq!(table.warnings, [""; 0]);
    }
    let table = read("t.svm", b"1 1:2 2:-999\n2 1:-999\n").unwrap();
    let (rows, values) = match &table.columns[2].values {
        Values::Sparse { rows, values } => (rows, values),
        other => panic!("{other:?}"),
    };
    assert!(rows == &[0] && values[0].is_nan());
    // What seems to mean a missing value is told where no option says so.
    let told = csv("y,a\n1,-999\n2,5\n3,7\n").unwrap().warnings.join("");
    assert!(
        told.starts_with("a: ") && told.contains("--na -999"),
        "{told}"
    );
    for innocent in [
        "y,a\n1,-999\n2,-5\n3,7\n",
        "y,a\n1,999\n2,5\n",
        "y,a\n1,-1\n2,5\n",
    ] {
        assert_eq!(csv(innocent).unwrap().warnings, [""; 0]);
    }
}

#[test]
fn files_without_a_header_are_noticed() {
    let no_header = TextOptions {
        no_header: true,
        ..TextOptions::default()
    };
    for content in [
        "1.5,2,3\n4,5,6\n7,8,9\n",
        "1,2,2\n4,5,6\n7,8,9\n",
        "5.1,3.5,setosa\n4.9,3,setosa\n6,2,virginica\n",
    ] {
        assert_told(csv(content), &["line 1", "--no-header"]);
        let table = with("t.csv", content, no_header).unwrap();
        assert_eq!((names(&table), table.rows), (vec!["V1", "V2", "V3"], 3));
    }
    let years = csv("1990,1991,1993\n4,5,6\n7,8,9\n").unwrap();
    assert_eq!(names(&years), ["1990", "1991", "1993"]);
    assert!(
        years.warnings.join("").contains("--no-header"),
        "{:?}",
        years.warnings
    );
    for counted in [
        "0,1,2\n4,5,6\n",
        "1,2,3\n4,5,6\n",
        "country,2019,2020\nat,1,2\nat,1,3\n",
    ] {
        assert_eq!(csv(counted).unwrap().warnings, [""; 0], "{counted}");
    }
    let semicolons = with("t.csv", "1,5;2\n2,5;3\n", no_header).unwrap();
    assert_numbers(&semicolons, 0, &[1.5, 2.5]);
}

#[test]
fn dates_become_days() {
    let dates = ["d".to_owned()];
    let options = ReadOptions {
        dates: &dates,
        ..ReadOptions::default()
    };
    let read = |content: &str| read(&Folder::new().write("t.csv", content), &options);
    for column in [
        ["1973-05-01", "1973-05-02", "NA"],
        ["19730501", "19730502", ""],
        ["01.05.1973", "2.5.1973", "NA"],
        ["05/01/1973", "05/02/1973", "#N/A"],
        ["1-May-1973", "02MAY1973", "."],
    ] {
        let content = format!("y,d\n1,{}\n2,{}\n3,{}\n", column[0], column[1], column[2]);
        // A day beyond the twelfth shows which number is the month.
        let content = content + "4,1973-05-31\n5,05/13/1973\n";
        assert_numbers(
            &read(&content).unwrap(),
            1,
            &[1216.0, 1217.0, NAN, 1246.0, 1228.0],
        );
    }
    assert_told(
        read("y,d\n1,05/06/1973\n2,07/08/1973\n"),
        &["row 1", "`d`", "05/06/1973", "1973-05-31"],
    );
    assert_told(
        read("y,d\n1,1973-05-06\n2,soon\n"),
        &["row 2", "`d`", "\"soon\"", "no date"],
    );
    assert_told(
        read("y,d\n1,31/12/1973\n2,12/31/1973\n"),
        &["`d`", "1973-05-31"],
    );
    assert_told(read("y,e\n1,2\n"), &["no column `d` to read as a date"]);
    let told = csv("y,d\n1,1973-05-06\n2,1973-05-07\n3,1973-05-06\n").unwrap();
    assert!(
        told.warnings.join("").contains("--date d"),
        "{:?}",
        told.warnings
    );
}

#[test]
fn files_that_are_no_text_are_named() {
    for (content, told) in [
        (&b"PK\x03\x04\x14\0\x06\0"[..], "Excel"),
        (b"\x1f\x8b\x08\0\0\0", ".gz"),
        (b"PAR1\x15\x04", ".parquet"),
        (b"\x93NUMPY\x01\0", ".npy"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "Excel"),
        (b"a,b\n1,\0\x01\0\x02\n", "0"),
    ] {
        assert_told(csv(content), &["t.csv", "not text", told]);
    }
    for (name, told) in [
        ("t.xlsx", "save the sheet as CSV"),
        ("t.rds", "write.csv"),
        ("t.zip", "unpack"),
    ] {
        assert_told(read_as(name, "x"), &[name, told, ".csv"]);
    }
    let folder = Folder::new();
    folder.write("swiss.csv", "a\n1\n");
    let near = read(&folder.0.path().join("swis.csv"), &ReadOptions::default());
    assert_told(near, &["no such file", "did you mean swiss.csv?"]);
}

#[test]
fn lines_above_the_names_are_told() {
    assert_told(
        csv("# made in 1973\ny,a,b\n1,2,3\n"),
        &["line 1", "# made in 1973", "above"],
    );
    assert_told(
        csv("y,a\n1\u{a0}234,2\n2\u{a0}345,3\n"),
        &["`y`", "thousands"],
    );
    assert_told(
        csv("y,a\n1,10%\n2,20%\n1,10%\n"),
        &["`a`", "10%", "--factor a"],
    );
    assert_told(csv("y,a\n1,\"1,234.5\"\n2,2\n"), &["1,234.5", "thousands"]);
}
