//! What a file says and what its table holds; what is wrong with a file and what is told.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../support/files.rs"]
mod files;
#[path = "../support/problems.rs"]
mod problems;

mod any;
mod arff;
mod bounds;
mod csv;
mod dat;
mod data;
mod formats;
mod in_memory;
mod libsvm;
mod missing;
mod mrmr;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod pgen;
mod pgen_damage;
mod plink;
mod plink_2;
mod truth;
mod written;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use passel::table::{
    Column, MISSING, MISSING_BYTE, Missing, ReadOptions, Table, TableError, Values, extensions,
    read,
};
use tempfile::TempDir;

/// A folder for one test's files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for temporary files"))
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).expect("a file in a folder of our own");
        path
    }
}

fn read_as(name: &str, content: impl AsRef<[u8]>) -> Result<Table, TableError> {
    read(&Folder::new().write(name, content), &ReadOptions::default())
}

fn csv(content: impl AsRef<[u8]>) -> Result<Table, TableError> {
    read_as("t.csv", content)
}

fn csv_with_factors(content: &str, factors: &[&str]) -> Result<Table, TableError> {
    let factors: Vec<String> = factors.iter().map(|name| name.to_string()).collect();
    let options = ReadOptions {
        factors: &factors,
        ..ReadOptions::default()
    };
    read(&Folder::new().write("t.csv", content), &options)
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn names(table: &Table) -> Vec<&str> {
    table
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect()
}

/// Bits, so that negative zero and NaN compare.
fn bits(column: &Column) -> Vec<Option<u64>> {
    match &column.values {
        Values::Numbers(values) => values
            .iter()
            .map(|value| (!value.is_nan()).then_some(value.to_bits()))
            .collect(),
        Values::Bytes(values) => {
            let bits = |value: &u8| Some(f64::from(*value).to_bits());
            values.iter().map(bits).collect()
        }
        Values::Gapped(values) => {
            let bits = |value: &u8| (*value != MISSING_BYTE).then(|| f64::from(*value).to_bits());
            values.iter().map(bits).collect()
        }
        Values::Genotypes(genotypes) => {
            let copies = (0..genotypes.len()).map(|row| genotypes.copies(row));
            let bits = |copies: f64| (!copies.is_nan()).then_some(copies.to_bits());
            copies.map(bits).collect()
        }
        _ => panic!("{} is no dense column", column.name),
    }
}

#[track_caller]
fn assert_numbers(table: &Table, column: usize, expected: &[f64]) {
    let expected: Vec<Option<u64>> = expected
        .iter()
        .map(|value| (!value.is_nan()).then_some(value.to_bits()))
        .collect();
    assert_eq!(bits(&table.columns[column]), expected);
}

#[track_caller]
fn assert_factor(table: &Table, column: usize, levels: &[&str], codes: &[u32]) {
    let expected = Values::Factor {
        levels: levels.iter().map(|level| level.to_string()).collect(),
        codes: codes.to_vec(),
    };
    assert_eq!(table.columns[column].values, expected);
}

#[track_caller]
fn assert_told(result: Result<Table, TableError>, parts: &[&str]) {
    let told = result.expect_err("an error").to_string();
    for part in parts {
        assert!(told.contains(part), "{told:?} does not tell {part:?}");
    }
}

const NAN: f64 = f64::NAN;

// Formats by name.

#[test]
fn the_name_tells_the_format_in_any_case() {
    for (name, content) in [
        ("a.csv", "u,v\n1,2\n"),
        ("a.CSV", "u,v\n1,2\n"),
        ("a.b.tsv", "u\tv\n1\t2\n"),
    ] {
        let table = read_as(name, content).expect(name);
        assert_eq!(
            (names(&table), table.rows, table.response),
            (vec!["u", "v"], 1, None)
        );
        let table = read_as(&format!("{name}.Gz"), gzip(content.as_bytes())).expect(name);
        assert_numbers(&table, 1, &[2.0]);
    }
}

#[test]
fn the_source_is_the_path_as_given() {
    let path = Folder::new();
    let path = path.write("a.csv", "u\n1\n");
    assert_eq!(
        read(&path, &ReadOptions::default()).expect("good").source,
        path.to_str().unwrap()
    );
}

#[test]
fn other_names_are_refused() {
    for name in ["a.doc", "a", "a.gz", "a.csv.zip", ".csv.", "a.xlsx"] {
        let endings = extensions().map(|ending| format!(".{ending}"));
        let told: Vec<String> = endings.chain([".gz".to_owned()]).collect();
        let told: Vec<&str> = told.iter().map(String::as_str).chain([name]).collect();
        assert_told(read_as(name, "u\n1\n"), &told);
    }
}

#[test]
fn files_that_cannot_be_opened_are_told_apart() {
    let folder = Folder::new();
    let options = ReadOptions::default();
    // A program without Parquet says so before it looks for the file.
    let plain = extensions().filter(|ending| *ending != "parquet");
    let endings = plain.map(str::to_owned);
    for ending in endings.chain(["tsv.gz", "libsvm.gz"].map(str::to_owned)) {
        let path = folder.0.path().join("absent").with_extension(&ending);
        assert!(
            matches!(read(&path, &options), Err(TableError::NotFound { .. })),
            "{ending}"
        );
        let path = folder.0.path().join("folder").with_extension(&ending);
        fs::create_dir(&path).expect("a folder of our own");
        assert!(
            matches!(read(&path, &options), Err(TableError::Directory { .. })),
            "{ending}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.write("a.csv", "u\n1\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("our own file");
    // The superuser reads it all the same.
    if fs::File::open(&path).is_err() {
        let result = read(&path, &ReadOptions::default());
        assert!(matches!(result, Err(TableError::PermissionDenied { .. })));
    }
}

// Compressed files.

#[test]
fn broken_compression_is_told() {
    let content: String = (0..20_000)
        .map(|row| format!("{row},{}\n", row * row))
        .collect();
    let good = gzip(format!("a,b\n{content}").as_bytes());
    assert_eq!(read_as("t.csv.gz", &good).expect("good").rows, 20_000);
    for end in [0, 1, 5, 12, good.len() / 2, good.len() - 1] {
        for name in [
            "t.csv.gz",
            "t.dat.gz",
            "t.npy.gz",
            "t.arff.gz",
            "t.svm.gz",
            "t.mrmr.gz",
        ] {
            assert_told(read_as(name, &good[..end]), &[name]);
        }
        assert!(
            matches!(
                read_as("t.csv.gz", &good[..end]),
                Err(TableError::Gzip { .. })
            ),
            "{end}"
        );
    }
    for at in [0, 3, 20, good.len() / 2, good.len() - 6] {
        let mut bad = good.clone();
        bad[at] ^= 0xff;
        // Not every byte of a gzip header is checked, but none may lead to wrong values.
        if let Ok(table) = read_as("t.csv.gz", &bad) {
            assert_eq!(table.rows, 20_000);
        }
    }
    assert!(matches!(
        csv_gz(b"a,b\n1,2\n"),
        Err(TableError::Gzip { .. })
    ));
}

fn csv_gz(bytes: &[u8]) -> Result<Table, TableError> {
    read_as("t.csv.gz", bytes)
}

#[test]
fn members_of_a_compressed_file_follow_each_other() {
    let both = [gzip(b"a,b\n1,2\n"), gzip(b"3,4\n")].concat();
    assert_numbers(&csv_gz(&both).expect("good"), 0, &[1.0, 3.0]);
}
