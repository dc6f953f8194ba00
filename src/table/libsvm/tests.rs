//! Lines of any text, in pieces of any size, are what they say; and what is wrong first is told.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};

use super::super::format::Input;
use super::super::shared_reading_tests::OwnFile;
use super::super::{Column, ColumnPartition, ReadOptions, Values};
use super::read;
use crate::random::{Stream, uniform_below};
use crate::threads::with_helpers;

/// What reading gives: the columns' text, or the error.
fn told(path: &Path, threads: usize, thread_bytes: usize) -> String {
    let input = Input {
        path,
        options: &ReadOptions::default(),
        partition: &ColumnPartition::default(),
    };
    with_helpers(threads, || match read(&input, thread_bytes) {
        Ok(table) => format!("{} {:?}", table.rows, table.columns),
        Err(error) => error.to_string(),
    })
}

/// Checks what is told, whichever threads read pieces of whichever size.
#[track_caller]
fn check(path: &Path, is_right: impl Fn(&str) -> bool) {
    for (threads, thread_bytes) in [(1, 1 << 20), (1, 1), (1, 300), (2, 20), (3, 1000), (5, 90)] {
        let told = told(path, threads, thread_bytes);
        assert!(is_right(&told), "{threads} {thread_bytes}: {told:.2000}");
    }
}

/// Lines, and what they say.
#[derive(Default)]
struct Text {
    lines: Vec<String>,
    labels: Vec<f64>,
    columns: BTreeMap<u32, (Vec<u32>, Vec<f64>)>,
}

const LABELS: [(&str, f64); 5] = [
    ("1", 1.0),
    ("+1", 1.0),
    ("-1", -1.0),
    ("nan", f64::NAN),
    ("2.5e3", 2500.0),
];
const VALUES: [(&str, f64); 10] = [
    ("1", 1.0),
    ("+2.5", 2.5),
    ("-0.125", -0.125),
    ("1e-3", 0.001),
    ("0", 0.0),
    ("-0.0", 0.0),
    ("NaN", f64::NAN),
    ("NA", f64::NAN),
    ("9007199254740992", 9007199254740992.0),
    ("9007199254740993.0", 9007199254740992.0),
];
const SPACES: [&str; 4] = [" ", "  ", "\t", " \x0c"];
const ENDS: [&str; 3] = ["", "\r", " \t"];

impl Text {
    /// So many lines whose indexes are below `indexes`.
    fn new(lines: usize, indexes: usize, draw: &mut impl FnMut(usize) -> usize) -> Self {
        let mut text = Self::default();
        for _ in 0..lines {
            let mut line = String::new();
            if draw(5) > 0 {
                let (label, number) = LABELS[draw(LABELS.len())];
                line += ["", " "][draw(2)];
                line += label;
                let mut own: Vec<u32> = (0..draw(12)).map(|_| draw(indexes) as u32).collect();
                own.sort_unstable();
                own.dedup();
                for index in own {
                    let (value, number) = VALUES[draw(VALUES.len())];
                    let zeros = ["", "0", "0000000000"][draw(8).saturating_sub(5)];
                    line += &format!("{}{zeros}{index}:{value}", SPACES[draw(SPACES.len())]);
                    let (rows, values) = text.columns.entry(index).or_default();
                    if number != 0.0 {
                        rows.push(text.labels.len() as u32);
                        values.push(number);
                    }
                }
                text.labels.push(number);
            }
            line += ENDS[draw(ENDS.len())];
            if draw(6) == 0 {
                line += "# 7:x \u{e9} 1:1";
            }
            text.lines.push(line);
        }
        text
    }

    fn table(&self) -> String {
        let mut columns = vec![Column::from(("y", self.labels.clone()))];
        columns.extend(self.columns.iter().map(|(index, (rows, values))| {
            let (rows, values) = (rows.clone(), values.clone());
            Column::from((format!("f{index}"), Values::Sparse { rows, values }))
        }));
        format!("{} {columns:?}", self.labels.len())
    }
}

#[test]
fn lines_are_what_they_say_in_pieces_of_any_size() {
    let file = OwnFile::named("pieces.libsvm");
    let mut stream = Stream::new(63, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    for indexes in [1, 20, 3000, 1 << 22, 1 << 32] {
        for lines in [1, 2, 9, 100, 400] {
            let mut text = Text::new(lines, indexes, &mut draw);
            if text.labels.is_empty() {
                text.lines.push("3".to_owned());
                text.labels.push(3.0);
            }
            let end = ["", "\n", "\n\n"][draw(3)];
            fs::write(&file.0, text.lines.join("\n") + end).unwrap();
            let table = text.table();
            check(&file.0, |told| told == table);
        }
    }
}

#[test]
fn what_is_wrong_first_is_told_with_its_line() {
    let file = OwnFile::named("wrong.libsvm");
    let mut stream = Stream::new(64, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    let wrong = [
        ("x 1:1", "\"x\" should be the label, a number"),
        ("inf 1:1", "\"inf\" is infinite"),
        ("9007199254740993 1:1", "9007199254740993 is a whole number"),
        ("1 1:1 2", "\"2\" should be `INDEX:VALUE`"),
        ("1 1:1 4294967296:1", "\"4294967296:1\" should be"),
        ("1 9999999999:1", "\"9999999999:1\" should be"),
        ("1 qid:3 1:1", "\"qid:3\" should be"),
        ("1 1:1:1", "\"1:1:1\" should be"),
        ("1 1:1,2:1", "\"1:1,2:1\" should be"),
        ("1 1:-inf", "\"1:-inf\" is infinite"),
        ("1 1:9007199254740993", "9007199254740993 is a whole number"),
        ("1 5:1 4:1", "index 4 comes after 5"),
        ("1 5:0 5:1", "index 5 comes after 5"),
        ("1 1:1 \0", "a byte that is 0"),
        ("# \0", "a byte that is 0"),
        ("x \0", "a byte that is 0"),
    ];
    for round in 0..60 {
        let lines = 1 + draw(200);
        let mut text = Text::new(lines, 50, &mut draw);
        let (first, told) = wrong[round % wrong.len()];
        let at = draw(lines);
        text.lines[at] = first.to_owned();
        for line in &mut text.lines[at + 1..] {
            if draw(20) == 0 {
                *line = wrong[draw(wrong.len())].0.to_owned();
            }
        }
        let expected = format!(".libsvm: line {}: {told}", at + 1);
        fs::write(&file.0, text.lines.join("\n")).unwrap();
        check(&file.0, |told| told.contains(&expected));
    }
}

#[test]
fn a_text_without_rows_is_told() {
    let file = OwnFile::named("none.libsvm");
    for (text, expected) in [
        ("", "empty; expected a line `LABEL INDEX:VALUE …`"),
        ("\n", "no observations"),
        (" \n\r\n# 1 1:1\n", "no observations"),
    ] {
        fs::write(&file.0, text).unwrap();
        check(&file.0, |told| told.contains(expected));
    }
}

#[test]
fn what_is_wrong_before_damage_is_told_first() {
    let file = OwnFile::named("damaged.libsvm.gz");
    let mut stream = Stream::new(65, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    for (line, expected) in [
        ("1 1:1", "not a whole gzip file"),
        ("1 1:1 \0", "line 3: a byte that is 0"),
        ("1 1", "line 3: \"1\" should be"),
    ] {
        let mut text = Text::new(2000, 1 << 20, &mut draw);
        text.lines[2] = line.to_owned();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.lines.join("\n").as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        fs::write(&file.0, &packed[..packed.len() / 2]).unwrap();
        check(&file.0, |told| told.contains(expected));
    }
}
