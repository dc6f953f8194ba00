//! What each rank reads of a file, in every format.

use std::path::Path;

use passel::{
    Interrupt,
    ranks::Communicator,
    table::{ColumnPartition, ReadOptions, Table, Values, read_partition},
};

use super::{each, files};

fn problem(rows: usize, missing: bool) -> Vec<Vec<f64>> {
    let value = |j: usize, t: usize| match (j, t) {
        (6, _) => [1.0, 10.0, 2.0][t % 3],
        (2 | 5, 3) if missing => f64::NAN,
        // Codes of a byte, for fast-mRMR's format.
        _ => ((t * (j + 2) * 7) % 11) as f64,
    };
    let column = |j: usize| (0..rows).map(|t| value(j, t)).collect();
    (0..7).map(column).collect()
}

fn table(
    path: &Path,
    response: Option<&Path>,
    communicator: Option<&Communicator>,
    replicated: &[&str],
) -> Table {
    let options = ReadOptions {
        response: response.map(|path| path.to_str().unwrap()),
        ..ReadOptions::default()
    };
    let partition = ColumnPartition {
        communicator,
        replicated,
    };
    read_partition(path, &options, &partition).unwrap()
}

/// Every column is as one process reads it, on the rank whose it is and nowhere else.
fn check(path: &Path, response: Option<&Path>) {
    let whole = table(path, response, None, &[]);
    for size in [1, 2, 3, 5, 9] {
        for replicated in [&[][..], &["x2"]] {
            let parts = each(size, |communicator, _| {
                table(path, response, Some(&communicator), replicated)
            });
            for (at, column) in whole.columns.iter().enumerate() {
                let shared = whole.response == Some(at) || replicated.contains(&&*column.name);
                let owner = (0..size)
                    .find(|rank| (at + 1) * size <= whole.columns.len() * (rank + 1))
                    .unwrap();
                for (rank, part) in parts.iter().enumerate() {
                    let named = (&part.columns[at].name, part.rows, part.response);
                    assert_eq!(named, (&column.name, whole.rows, whole.response));
                    let expected = match shared || rank == owner {
                        true => &column.values,
                        false => &Values::Remote,
                    };
                    // Missing values are not equal to themselves.
                    let told = |values: &Values| format!("{values:?}");
                    let place = format!("{path:?}, {}, rank {rank} of {size}", column.name);
                    assert_eq!(told(&part.columns[at].values), told(expected), "{place}");
                }
            }
        }
    }
}

#[test]
fn each_rank_has_its_own_columns_of_every_format() {
    for missing in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let columns = problem(40, missing);
        let files = files::files(folder.path(), &columns);
        assert!(files.len() > 8);
        for (path, response) in files {
            if missing && path.to_string_lossy().contains(".mrmr") {
                continue;
            }
            check(&path, response.as_deref());
        }
    }
    check(Path::new("examples/data/epistasis.bed"), None);
}

/// An array of numbers, by rows or by columns, wide enough that what is not wanted is gone past.
fn npy(rows: usize, width: usize, fortran: bool) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header =
        format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': ({rows}, {width}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let value = |t: usize, j: usize| (t * width + j) as f64;
    let all: Vec<f64> = match fortran {
        true => (0..width)
            .flat_map(|j| (0..rows).map(move |t| value(t, j)))
            .collect(),
        false => (0..rows)
            .flat_map(|t| (0..width).map(move |j| value(t, j)))
            .collect(),
    };
    bytes.extend(all.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

#[test]
fn wide_rows_are_read_by_offset() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, fortran) in [("c.npy", false), ("f.npy", true)] {
        let bytes = npy(3, 5000, fortran);
        std::fs::write(path(name), &bytes).unwrap();
        check(&path(name), None);
        let name = format!("{name}.gz");
        std::fs::write(path(&name), files::gzip(&bytes)).unwrap();
        check(&path(&name), None);
        // Cut off, it is refused by every rank alike.
        let cut = path("cut.npy");
        std::fs::write(&cut, &bytes[..bytes.len() - 8]).unwrap();
        let refused = each(2, |communicator, _: &Interrupt| {
            let partition = ColumnPartition {
                communicator: Some(&communicator),
                replicated: &[],
            };
            let refused = read_partition(&cut, &ReadOptions::default(), &partition);
            let refused = refused.unwrap_err().to_string();
            communicator.finish(Err(refused.clone())).unwrap();
            refused
        });
        assert!(refused[0].contains("cut.npy") && refused[0] == refused[1]);
    }
    let (rows, width) = (4_u32, 20_000_u32);
    let mut bytes = [rows.to_le_bytes(), width.to_le_bytes()].concat();
    bytes.extend((0..rows * width).map(|at| (at % 251) as u8));
    std::fs::write(path("w.mrmr"), &bytes).unwrap();
    check(&path("w.mrmr"), None);
    std::fs::write(path("w.mrmr.gz"), files::gzip(&bytes)).unwrap();
    check(&path("w.mrmr.gz"), None);
}
