//! Files that threads read side by side: the table, or the error, is that of one thread.

use std::{fmt::Write as _, fs, path::Path};

use super::{ReadOptions, read};
use crate::{
    design::{Design, DesignOptions},
    random::{Stream, uniform_below},
    threads::with_helpers,
};

/// An array as NumPy writes it.
fn npy(values: &[f64], (rows, width): (usize, usize), by_rows: bool, size: usize) -> Vec<u8> {
    let order = if by_rows { "False" } else { "True" };
    let header =
        format!("{{'descr': '<f{size}', 'fortran_order': {order}, 'shape': ({rows}, {width}), }}");
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
        match size {
            8 => bytes.extend(value.to_le_bytes()),
            _ => bytes.extend((value as f32).to_le_bytes()),
        }
    }
    bytes
}

/// What reading gives: a table's text, or the error.
fn told(path: &Path, threads: usize) -> String {
    with_helpers(threads, || {
        let table = read(path, &ReadOptions::default());
        match table {
            Ok(table) => format!("{:?} {:?}", table.rows, table.columns),
            Err(error) => error.to_string(),
        }
    })
}

#[test]
fn arrays_are_those_of_one_thread() {
    let folder = tempfile::tempdir().unwrap();
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
        for (by_rows, size) in [(true, 8), (false, 8), (true, 4), (false, 4)] {
            for wrong in 0..4 {
                let values = (0..rows * width).map(|_| draw(1 << 20) as f64 / 64.0);
                let mut values: Vec<f64> = values.collect();
                if draw(2) == 0 {
                    values[draw(rows * width)] = f64::NAN;
                }
                for _ in 0..wrong / 2 * 2 {
                    values[draw(rows * width)] = f64::INFINITY;
                }
                let path = folder.path().join("x.npy");
                let mut bytes = npy(&values, (rows, width), by_rows, size);
                if wrong == 1 {
                    bytes.pop();
                }
                fs::write(&path, bytes).unwrap();
                let one = told(&path, 1);
                for threads in [2, 3, 5] {
                    assert_eq!(told(&path, threads), one, "{rows} × {width}");
                }
                let is_right = values.iter().all(|own| !own.is_infinite()) && wrong != 1;
                assert_eq!(one.starts_with(&format!("{rows} [")), is_right, "{one}");
            }
        }
    }
}

#[test]
fn text_is_that_of_one_thread() {
    let folder = tempfile::tempdir().unwrap();
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
            let path = folder.path().join("x.csv");
            fs::write(&path, text).unwrap();
            let one = told(&path, 1);
            for threads in [2, 3] {
                assert!(told(&path, threads) == one, "{rows} × {width}, {wrong}");
            }
        }
    }
}

#[test]
fn designs_are_those_of_one_thread() {
    let mut stream = Stream::new(63, 0);
    let mut draw = |end: usize| uniform_below(stream.next_word(), end);
    let (n, p) = (9, 40);
    let columns: Vec<(String, Vec<f64>)> = (0..p)
        .map(|at| {
            let own = (0..n).map(|_| match at % 7 {
                3 => 4.0,
                _ => draw(3) as f64,
            });
            (format!("c{at}"), own.collect())
        })
        .collect();
    let told = |threads: usize| {
        let columns = columns.iter();
        let columns = columns.map(|(name, values)| (name.as_str(), values.as_slice().into()));
        let table = super::Table::in_memory("t", columns).unwrap();
        let options = DesignOptions {
            response: Some("c1"),
            ..DesignOptions::default()
        };
        let design = with_helpers(threads, || Design::from_table(table, &options)).unwrap();
        let values = design.columns().values().to_vec();
        let names: Vec<String> = design.variables().iter().map(|v| v.name.clone()).collect();
        let aside: Vec<String> = (design.set_aside().iter())
            .map(|own| format!("{}: {}", own.name, own.reason))
            .collect();
        (values, names, aside)
    };
    let one = told(1);
    assert!(one.2.len() > 5 && one.1.len() > 20);
    assert_eq!(told(3), one);
}
