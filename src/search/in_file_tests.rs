//! Columns that stay in their file beside the same in memory.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{IterationRecord, Pass, SearchResult, search};
use crate::{
    criteria::Ebic,
    design::{Design, DesignError, DesignOptions, Making},
    device::{DeviceChoice, Resources, counting::tests::gpus},
    interrupt::Interrupt,
    random::Stream,
    table::{self, ArrayInFile, ColumnReader, ReadOptions, Table},
    threads::with_helpers,
};

/// Elements of an array.
#[derive(Debug, Clone, Copy)]
enum Elements {
    F64,
    F32,
    Byte,
}

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new(name: &str) -> Self {
        let folder = format!("passel-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    /// Writes columns of n numbers.
    fn array(&self, name: &str, columns: &[Vec<f64>], by_rows: bool, of: Elements) -> PathBuf {
        let (n, p) = (columns[0].len(), columns.len());
        let (kind, order) = match of {
            Elements::F64 => ("<f8", by_rows),
            Elements::F32 => ("<f4", by_rows),
            Elements::Byte => ("|u1", by_rows),
        };
        let order = if order { "False" } else { "True" };
        let header =
            format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({n}, {p}), }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        let mut push = |x: f64| match of {
            Elements::F64 => bytes.extend(x.to_le_bytes()),
            Elements::F32 => bytes.extend((x as f32).to_le_bytes()),
            Elements::Byte => bytes.push(x as u8),
        };
        match by_rows {
            true => (0..n).for_each(|i| columns.iter().for_each(|column| push(column[i]))),
            false => columns.iter().flatten().for_each(|x| push(*x)),
        }
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// Columns that all elements hold, among them constants and equal ones, and a response of some.
fn columns(n: usize, p: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut stream = Stream::new(32, n as u64);
    let mut draw = |end: u64| (stream.next_word() % end) as f64;
    let mut all: Vec<Vec<f64>> = (0..p)
        .map(|_| (0..n).map(|_| draw(200)).collect())
        .collect();
    all[4] = vec![7.0; n];
    all[p - 2] = all[3].clone();
    all[9] = all[3].clone();
    let y = (0..n).map(|i| all[2][i] - all[11][i] + 0.5 * all[p - 1][i] + 0.1 * draw(100));
    let y = y.collect();
    (all, y)
}

fn design(table: Table, array: Option<ArrayInFile>) -> Result<Design, DesignError> {
    let keep = ["x7".to_owned()];
    let drop = ["x1".to_owned(), "x20".to_owned()];
    let options = DesignOptions {
        response: Some("y"),
        keep: &keep,
        drop: &drop,
        ..DesignOptions::default()
    };
    let never = Interrupt::default();
    let array = array.map(|own| Arc::new(own) as Arc<dyn ColumnReader>);
    let making = Making {
        in_file: array.as_ref(),
        ..Making::alone(&never)
    };
    Design::from_partitioned_table(table, &options, making)
}

/// The design of columns that stay in their file.
fn design_there(x: &Path, y: &Path) -> Result<Design, DesignError> {
    let (table, array) = in_file(x, y).unwrap();
    design(table, Some(array))
}

fn in_file(x: &Path, y: &Path) -> Option<(Table, ArrayInFile)> {
    table::left_in_file(x, &options(y), (0, 0..=u64::MAX))
}

fn options(y: &Path) -> ReadOptions<'_> {
    ReadOptions {
        response: y.to_str(),
        ..ReadOptions::default()
    }
}

/// The search of a design, and its course.
fn found(design: &Design, resources: &Resources) -> (SearchResult, Vec<String>) {
    let mut course = Vec::new();
    let mut observe = |record: &IterationRecord| course.push(format!("{record:?}"));
    let pass = Pass {
        particles: 8,
        iterations: 12,
        ..Pass::default()
    };
    let never = Interrupt::default();
    let ebic = Ebic { gamma: 1.0 };
    let found = search(design, &ebic, &pass, resources, &never, None, &mut observe);
    (found.unwrap(), course)
}

#[test]
fn a_design_in_a_file_is_that_of_the_same_columns_in_memory() {
    let folder = Folder::new("same");
    let (all, y) = columns(300, 900);
    let y = folder.array("y.npy", &[y], false, Elements::F64);
    let mut places = vec![Resources::cpu(2)];
    for count in 1..=gpus().unwrap_or(0) {
        for limit in [None, Some(300 << 10)] {
            places.push(Resources {
                devices: DeviceChoice::Cuda((0..count).collect()),
                threads: NonZeroUsize::new(2),
                memory_limit: limit,
                ..Resources::default()
            });
        }
    }
    for (by_rows, of) in [
        (false, Elements::F64),
        (true, Elements::F64),
        (true, Elements::F32),
        (false, Elements::Byte),
    ] {
        let x = folder.array("x.npy", &all, by_rows, of);
        let here = design(table::read(&x, &options(&y)).unwrap(), None).unwrap();
        let chosen = found(&here, &Resources::cpu(1)).0.fit.members();
        for (place, threads) in places.iter().zip([1, 3].into_iter().cycle()) {
            let there = || design_there(&x, &y).unwrap();
            let there = with_helpers(threads, there);
            assert!(there.columns().in_file().is_some());
            assert_eq!(there.variables(), here.variables());
            assert_eq!(
                format!("{:?}", there.set_aside()),
                format!("{:?}", here.set_aside())
            );
            assert_eq!(there.keep(), here.keep());
            assert_eq!(there.warnings(), here.warnings());
            assert_eq!(there.y(), here.y());
            let (expected, course) = found(&here, place);
            let (own, of_own) = found(&there, place);
            assert_eq!(of_own, course, "{place:?}");
            assert_eq!(own.fit.members(), chosen);
            assert_eq!(own.value.to_bits(), expected.value.to_bits());
            assert_eq!(
                format!("{:?}", own.models),
                format!("{:?}", expected.models)
            );
            let last = here.p() as u32 - 1;
            for j in [0, 5, last] {
                assert_eq!(there.columns().column(j), here.columns().column(j));
            }
        }
    }
}

#[test]
fn what_a_user_must_know_of_is_read() {
    let folder = Folder::new("told");
    let (all, own) = columns(300, 40);
    let write = |all: &[Vec<f64>], y: &[f64]| {
        let y = folder.array("y.npy", &[y.to_vec()], false, Elements::F64);
        [false, true].map(|by_rows| {
            let x = folder.array("x.npy", all, by_rows, Elements::F64);
            in_file(&x, &y).is_some()
        })
    };
    assert_eq!(write(&all, &own), [true, true]);
    for (place, value) in [(0, f64::NAN), (299, f64::INFINITY), (150, -999.0)] {
        let mut others = all.clone();
        others[12][place] = value;
        assert_eq!(write(&others, &own), [false, false], "{value}");
    }
    let mut numbered = all.clone();
    numbered[39] = (1..=300).map(f64::from).collect();
    assert_eq!(write(&numbered, &own), [false, false]);
    let mut y = own.clone();
    y.iter_mut().for_each(|y| *y = y.abs());
    y[3] = -9999.0;
    assert_eq!(write(&all, &y), [false, false]);
    assert_eq!(write(&all, &own[1..]), [false, false]);
    // A file that is shorter than its header says.
    let y = folder.array("y.npy", &[own], false, Elements::F64);
    let x = folder.array("x.npy", &all, false, Elements::F64);
    let bytes = fs::read(&x).unwrap();
    fs::write(&x, &bytes[..bytes.len() - 1]).unwrap();
    assert!(in_file(&x, &y).is_none());
}

#[test]
fn a_copy_of_the_response_and_a_changed_file_are_refused() {
    let folder = Folder::new("refused");
    let (mut all, y) = columns(300, 40);
    all[30] = y.iter().map(|y| 10.0 - 3.0 * y).collect();
    let own = folder.array("y.npy", &[y], false, Elements::F64);
    for by_rows in [false, true] {
        let x = folder.array("x.npy", &all, by_rows, Elements::F64);
        let there = design_there(&x, &own).err().unwrap();
        let here = design(table::read(&x, &options(&own)).unwrap(), None)
            .err()
            .unwrap();
        assert!(matches!(&here, DesignError::ResponseCopied { name, .. } if name == "x30"));
        assert_eq!(there.to_string(), here.to_string());
    }
    all[30][0] += 1e3;
    let x = folder.array("x.npy", &all, true, Elements::F64);
    let there = design_there(&x, &own).unwrap();
    let mut bytes = fs::read(&x).unwrap();
    bytes.push(0);
    fs::write(&x, bytes).unwrap();
    let error = there.columns().fetch([3]).unwrap_err().to_string();
    assert!(
        error.contains("x.npy: changed while it was in use"),
        "{error}"
    );
}
