//! Files that threads read side by side: the table, or the error, is that of one thread.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process,
};

use super::{ReadOptions, Table, read};
use crate::{
    random::{Stream, uniform_below},
    threads::with_helpers,
};

/// A file of its own, which goes with it.
pub(super) struct OwnFile(pub(super) PathBuf);

impl OwnFile {
    pub(super) fn named(name: &str) -> Self {
        Self(env::temp_dir().join(format!("passel-{}-{name}", process::id())))
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// An array as NumPy writes it. Whole numbers lie about 2⁵³, and some beyond are rounded.
fn npy(values: &[f64], (rows, width): (usize, usize), by_rows: bool, kind: &str) -> Vec<u8> {
    let order = if by_rows { "False" } else { "True" };
    let header =
        format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({rows}, {width}), }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    for at in 0..rows * width {
        // `values` are by rows.
        let value = match by_rows {
            true => values[at],
            false => values[at % rows * width + at / rows],
        };
        let whole = || (1 << 53) + (value * 64.0) as i64 - (1 << 19);
        match kind {
            "<f8" => bytes.extend(value.to_le_bytes()),
            ">f8" => bytes.extend(value.to_be_bytes()),
            "<f4" => bytes.extend((value as f32).to_le_bytes()),
            "<i8" => bytes.extend(whole().to_le_bytes()),
            _ => bytes.push(whole() as u8),
        }
    }
    bytes
}

/// What reading gives: a table's text, or the error.
fn told(path: &Path, threads: usize) -> String {
    with_helpers(threads, || {
        let table = read(path, &ReadOptions::default());
        match table {
            Ok(table) => {
                let Table {
                    rows,
                    columns,
                    rounded,
                    loci,
                    ..
                } = &table;
                format!("{rows:?} {columns:?} {rounded:?} {loci:?}")
            }
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn arrays_are_those_of_one_thread() {
    let file = OwnFile::named("shared.npy");
    let path = &file.0;
    let mut stream = Stream::new(61, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    let sizes = [
        (1, 1),
        (3, 9),
        (64, 17),
        (65, 8),
        (1000, 3),
        (7, 20_000),
        (300, 1001),
    ];
    for (rows, width) in sizes {
        let kinds = ["<f8", "<f4", ">f8", "<i8", "|u1"];
        let kinds = kinds.into_iter();
        for (by_rows, kind) in kinds.flat_map(|kind| [(true, kind), (false, kind)]) {
            // Whole numbers are finite.
            for wrong in 0..if kind.contains('f') { 4 } else { 2 } {
                let values = (0..rows * width).map(|_| draw(1 << 20) as f64 / 64.0);
                let mut values: Vec<f64> = values.collect();
                if draw(2) == 0 {
                    values[draw(rows * width)] = f64::NAN;
                }
                for _ in 0..wrong / 2 * 2 {
                    values[draw(rows * width)] = f64::INFINITY;
                }
                let mut bytes = npy(&values, (rows, width), by_rows, kind);
                if wrong == 1 {
                    bytes.pop();
                }
                fs::write(path, bytes).unwrap();
                let one = told(path, 1);
                for threads in [2, 3, 5] {
                    assert_eq!(told(path, threads), one, "{rows} × {width}");
                }
                if kind == "<i8" && wrong == 0 && rows * width > 100 {
                    assert!(one.contains("RoundedColumn"), "{one:.200}");
                }
                let is_right = values.iter().all(|own| !own.is_infinite()) && wrong != 1;
                assert_eq!(one.starts_with(&format!("{rows} [")), is_right, "{one}");
            }
        }
    }
}

#[test]
fn text_is_that_of_one_thread() {
    let file = OwnFile::named("shared.csv");
    let path = &file.0;
    let mut stream = Stream::new(62, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    // The last is longer than what threads hold at a time, and a line of the one before is.
    for (rows, width) in [
        (1, 1),
        (2, 3),
        (50, 4),
        (500, 20),
        (3, 400_000),
        (60_000, 12),
    ] {
        for wrong in 0..4 {
            let end = ["\n", "\r\n"][draw(2)];
            let names: Vec<String> = (0..width).map(|at| format!("c{at}")).collect();
            let mut text = names.join(",") + end;
            let bad = (draw(rows), draw(width));
            for row in 0..rows {
                for column in 0..width {
                    let comma = if column == 0 { "" } else { "," };
                    match (row, column) == bad {
                        true if wrong == 1 => text += &format!("{comma}inf"),
                        true if wrong == 2 => text += &format!("{comma}1,2"),
                        true if wrong == 3 => text += &format!("{comma}word"),
                        _ if draw(50) == 0 => text += &format!("{comma}NA"),
                        _ => write!(text, "{comma}{}", draw(1 << 20) as f64 / 64.0).unwrap(),
                    }
                }
                if draw(40) == 0 && width > 1 {
                    text += end;
                }
                if row + 1 < rows || draw(2) == 0 {
                    text += end;
                }
            }
            fs::write(path, text).unwrap();
            let one = told(path, 1);
            for threads in [2, 3] {
                assert!(told(path, threads) == one, "{rows} × {width}, {wrong}");
            }
        }
    }
}

/// The lines of so many variants are of more than one thread's share.
#[test]
fn variants_are_those_of_one_thread() {
    const VARIANTS: usize = 50_000;
    let files = ["bed", "bim", "fam"].map(|ending| OwnFile::named(&format!("shared.{ending}")));
    let [bed, bim, fam] = &files;
    let genotypes = [&[0x6c, 0x1b, 0x01][..], &[0b00_10_11; VARIANTS]].concat();
    fs::write(&bed.0, genotypes).unwrap();
    fs::write(&fam.0, "f a 0 0 1 1.5\nf b 0 0 1 2.5\nf c 0 0 1 0.5\n").unwrap();
    let mut stream = Stream::new(64, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    for wrong in 0..7 {
        let (mut text, mut line) = (Vec::new(), 0);
        let bad = VARIANTS / 2 + draw(VARIANTS / 2);
        let mut told_at = 0;
        for at in 0..VARIANTS {
            let blank = usize::from(draw(1000) == 0);
            text.extend([b'\n'].repeat(blank));
            line += 1 + blank;
            let end = ["\n", "\r\n"][draw(2)];
            let mut own = format!(
                "{}\trs_of_a_long_name_{at}\t0.{at:030}\t{at}\tA\tG{end}",
                at / 9000
            );
            if at >= bad && (wrong < 5 || at == bad) {
                told_at = if told_at == 0 { line } else { told_at };
                own = match wrong {
                    0 => own,
                    1 => own.replacen("\tA", ".5\tA", 1),
                    2 => own.replace("\tG", ""),
                    3 => own.replace("\tA", "\t\0"),
                    4 => own.replace("\tA", "\t\u{e9}"),
                    // The name and the place of the first again.
                    5 => format!("0\trs_of_a_long_name_0\t0\t0\tA\tG{end}"),
                    _ => own.replace("\tG", "\tG\tA"),
                };
            }
            match wrong == 4 {
                true => text.extend(own.chars().map(|own| own as u8)),
                false => text.extend(own.into_bytes()),
            }
        }
        fs::write(&bim.0, text).unwrap();
        let one = told(&bed.0, 1);
        assert_eq!(one.starts_with("3 ["), wrong == 0, "{one:.200}");
        if wrong > 0 {
            let place = told_at.to_string();
            assert!(
                one.contains(&place) && one.contains("shared.bim"),
                "{one:.200} {place}"
            );
        }
        for threads in [2, 3, 5] {
            assert_eq!(told(&bed.0, threads), one, "{wrong}");
        }
    }
}
