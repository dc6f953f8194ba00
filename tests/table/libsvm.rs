//! Libsvm files, whose columns stay sparse.

use std::fmt::Write as _;

use super::*;
use passel::table::OutputFormat;
use passel::{Design, design::DesignOptions};

fn libsvm(content: impl AsRef<[u8]>) -> Result<Table, TableError> {
    read_as("t.libsvm", content)
}

#[track_caller]
fn assert_sparse(table: &Table, column: usize, rows: &[u32], values: &[f64]) {
    let Values::Sparse {
        rows: found,
        values: numbers,
    } = &table.columns[column].values
    else {
        panic!("{} is not sparse", table.columns[column].name);
    };
    let bits = |values: &[f64]| {
        values
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    assert_eq!((&found[..], bits(numbers)), (rows, bits(values)));
}

const SETS: &str = "# a set\n+1 1:0.5 12:-2e1\n\n-1 3:0 12:1 # the second\n+1\nnan 1:nan 12:3\n";

#[test]
fn entries_become_sparse_columns_named_by_their_index() {
    for (name, content) in [
        ("t.libsvm", SETS.as_bytes().to_vec()),
        ("t.svm", SETS.replace('\n', "\r\n").into_bytes()),
        ("t.svm.gz", gzip(SETS.as_bytes())),
    ] {
        let table = read_as(name, content).expect("good");
        assert_eq!(
            (names(&table), table.rows, table.response),
            (vec!["y", "f1", "f3", "f12"], 4, Some(0))
        );
        assert_numbers(&table, 0, &[1.0, -1.0, 1.0, NAN]);
        assert_sparse(&table, 1, &[0, 3], &[0.5, NAN]);
        // A zero that is written out makes a column and no entry.
        assert_sparse(&table, 2, &[], &[]);
        assert_sparse(&table, 3, &[0, 1, 3], &[-20.0, 1.0, 3.0]);
    }
}

#[test]
fn indexes_from_zero_are_taken_as_they_are() {
    let table = libsvm("1 0:1 4294967295:2\n").expect("good");
    assert_eq!(names(&table), ["y", "f0", "f4294967295"]);
}

#[test]
fn lines_that_are_no_sets_of_entries_are_refused() {
    for (line, told) in [
        ("1:2 3:4", "line 3: \"1:2\" should be the label, a number"),
        ("yes 1:2", "line 3: \"yes\" should be the label"),
        ("1 2", "line 3: \"2\" should be `INDEX:VALUE`"),
        ("1 2:", "line 3: \"2:\" should be"),
        ("1 :2", "line 3: \":2\" should be"),
        ("1 qid:2", "line 3: \"qid:2\" should be"),
        ("1 -1:2", "line 3: \"-1:2\" should be"),
        ("1 +1:2", "line 3: \"+1:2\" should be"),
        ("1 4294967296:2", "line 3: \"4294967296:2\" should be"),
        ("1 2:x", "line 3: \"2:x\" should be"),
        ("1 2:inf", "line 3: \"2:inf\" is infinite"),
        ("inf 2:1", "line 3: \"inf\" is infinite"),
        (
            "1 2:1 2:1",
            "line 3: index 2 comes after 2: the indexes of a line ascend",
        ),
        ("1 3:1 2:1", "line 3: index 2 comes after 3"),
    ] {
        assert_told(libsvm(format!("1 1:1\n\n{line}\n")), &["t.libsvm: ", told]);
    }
    assert_told(libsvm(""), &["t.libsvm", "empty"]);
    assert_told(libsvm("# nothing\n"), &["t.libsvm", "no observations"]);
}

#[test]
fn rows_with_missing_values_are_dropped_from_sparse_columns_too() {
    let mut table = libsvm(SETS).expect("good");
    let told = table.handle_missing(Missing::Refuse).unwrap_err();
    assert!(
        told.to_string().contains("`f1` 1 (first in row 4)"),
        "{told}"
    );
    let mut table = libsvm("1 1:nan 2:5\n2 2:1\nnan 1:4\n3 1:2 2:1\n4 2:7\n").expect("good");
    assert_eq!(table.handle_missing(Missing::Level).unwrap(), 0);
    assert_eq!(table.handle_missing(Missing::DropRows).unwrap(), 2);
    assert_eq!(table.rows, 3);
    assert_numbers(&table, 0, &[2.0, 3.0, 4.0]);
    assert_sparse(&table, 1, &[1], &[2.0]);
    assert_sparse(&table, 2, &[0, 1, 2], &[1.0, 1.0, 7.0]);
}

#[test]
fn a_sparse_column_can_be_a_factor() {
    let factors = ["f2".to_owned()];
    let options = ReadOptions {
        factors: &factors,
        ..ReadOptions::default()
    };
    let path = Folder::new();
    let path = path.write("t.svm", "1 1:1 2:5\n2 2:nan\n3\n");
    let table = read(&path, &options).expect("good");
    assert_factor(&table, 2, &["0", "5"], &[1, MISSING, 0]);
    assert_sparse(&table, 1, &[0], &[1.0]);
}

/// Some numbers, mostly zeros, as libsvm and as CSV.
fn both() -> (Table, Table) {
    let (mut sparse, mut dense) = (String::new(), String::from("y,f1,f2,f3,f4,f5\n"));
    for t in 0..40_i32 {
        let value = |j: i32| match (t * (j + 7) * 13) % 17 % 3 {
            // The last one can be weights.
            0 if j == 5 => f64::from(t % 4),
            0 => f64::from((t * j) % 11) - 2.5,
            _ => 0.0,
        };
        let y = f64::from(t % 7) + value(2);
        write!(sparse, "{y}").unwrap();
        write!(dense, "{y}").unwrap();
        for j in 1..6 {
            write!(dense, ",{}", value(j)).unwrap();
            if value(j) != 0.0 {
                write!(sparse, " {j}:{}", value(j)).unwrap();
            }
        }
        sparse.push('\n');
        dense.push('\n');
    }
    (libsvm(sparse).expect("good"), csv(dense).expect("good"))
}

#[test]
fn written_out_it_is_the_dense_table() {
    let (sparse, dense) = both();
    for name in ["t.csv", "t.dat"] {
        let written = |table: &Table| {
            let mut bytes = Vec::new();
            let form = OutputFormat::of(Path::new(name)).unwrap();
            form.write(table, "test", &mut bytes).unwrap();
            bytes
        };
        assert_eq!(written(&sparse), written(&dense));
    }
}

#[test]
fn regression_is_that_of_the_dense_table() {
    let (sparse, dense) = both();
    for (response, weights) in [("y", None), ("f3", None), ("y", Some("f5"))] {
        let options = DesignOptions {
            response: Some(response),
            weights,
            ..DesignOptions::default()
        };
        let designs = [&sparse, &dense].map(|table| Design::from_table(table.clone(), &options));
        let [sparse, dense] = designs.map(Result::unwrap);
        assert_eq!(sparse.variables(), dense.variables());
        assert_eq!(sparse.y(), dense.y());
        for j in 0..sparse.p() as u32 {
            assert_eq!(sparse.columns().column(j), dense.columns().column(j));
        }
    }
}

#[test]
fn a_million_columns_of_few_entries_take_little() {
    let mut content = String::new();
    for t in 0..1000 {
        write!(content, "{}", t % 2).unwrap();
        for j in 0..1000 {
            write!(content, " {}:{}", j * 1000 + t + 1, j % 5 + 1).unwrap();
        }
        content.push('\n');
    }
    let table = libsvm(content).expect("good");
    assert_eq!((table.columns.len(), table.rows), (1_000_001, 1000));
    let entries = |values: &Values| match values {
        Values::Sparse { rows, .. } => rows.len(),
        _ => panic!("dense"),
    };
    let all = table.columns[1..]
        .iter()
        .map(|column| entries(&column.values));
    // Dense they would be a billion.
    assert_eq!(all.sum::<usize>(), 1_000_000);
}
