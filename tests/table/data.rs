//! The data that ship are what their README says.

#[path = "../../examples/genotypes.rs"]
#[expect(dead_code, reason = "an example's own main")]
mod genotypes;

use std::fs;
use std::path::{Path, PathBuf};

use passel::table::{ReadOptions, Table, Values, read};

fn path(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("examples/data").join(name)
}

fn table(name: &str) -> Table {
    read(&path(name), &ReadOptions::default()).unwrap()
}

fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match &table.columns[table.position(name).unwrap()].values {
        Values::Numbers(values) => values,
        _ => panic!("{name} is no column of numbers"),
    }
}

/// About the mean, at unit norm.
fn standardised(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let centred: Vec<f64> = values.iter().map(|v| v - mean).collect();
    let norm = centred.iter().map(|v| v * v).sum::<f64>().sqrt();
    centred.iter().map(|v| v / norm).collect()
}

#[test]
fn the_quadratic_model_comes_from_the_ten_columns() {
    let (ten, quadratic) = (table("diabetes.csv"), table("diabetes_quadratic.csv.gz"));
    assert_eq!((ten.rows, quadratic.rows), (442, 442));
    assert_eq!((ten.columns.len(), quadratic.columns.len()), (11, 65));
    assert_eq!(numbers(&ten, "y"), numbers(&quadratic, "y"));
    for column in quadratic.columns.iter().filter(|c| c.name != "y") {
        let (a, b) = match (column.name.split_once(':'), column.name.split_once('^')) {
            (Some((a, b)), _) => (a, Some(b)),
            (None, Some((a, _))) => (a, Some(a)),
            (None, None) => (column.name.as_str(), None),
        };
        let mut values = standardised(numbers(&ten, a));
        if let Some(b) = b {
            let b = standardised(numbers(&ten, b));
            let product: Vec<f64> = values.iter().zip(&b).map(|(a, b)| a * b).collect();
            values = standardised(&product);
        }
        for (made, written) in values.iter().zip(numbers(&quadratic, &column.name)) {
            // Eight digits were written.
            assert!((made - written).abs() < 1e-7 * made.abs().max(1e-3));
        }
    }
}

#[test]
fn the_codes_of_the_ranking_example_are_in_ten_bins() {
    let table = table("breast_cancer.csv.gz");
    assert_eq!((table.rows, table.columns.len()), (569, 31));
    for column in 0..30 {
        let codes = numbers(&table, &format!("f{column}"));
        assert!(codes.iter().all(|code| code.fract() == 0.0));
        // Of equal width: the least and the largest value are in the first and the last.
        let least = codes.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = codes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!((least, largest), (0.0, 9.0), "f{column}");
    }
    let class = numbers(&table, "class");
    let malignant = class.iter().filter(|value| **value == 0.0).count();
    let benign = class.iter().filter(|value| **value == 1.0).count();
    assert_eq!((malignant, benign), (212, 357));
}

#[test]
fn the_genotypes_are_those_of_their_example() {
    for (ending, bytes) in genotypes::files() {
        let shipped = fs::read(path("epistasis.bed").with_extension(ending)).unwrap();
        assert!(
            shipped == bytes,
            "epistasis.{ending} is not what the example writes"
        );
    }
    let table = table("epistasis.bed");
    assert_eq!((table.rows, table.columns.len()), (500, 201));
    let missing = table.columns.iter().map(|column| match &column.values {
        Values::Genotypes(genotypes) => genotypes.missing(),
        _ => 0,
    });
    assert_eq!(missing.sum::<usize>(), 1013);
    let cases = numbers(&table, "phenotype");
    assert_eq!(cases.iter().filter(|value| **value == 2.0).count(), 260);
}
