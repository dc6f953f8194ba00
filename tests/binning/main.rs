//! What becomes of values when they are binned, and of new values by the same rules.

#![allow(clippy::unwrap_used)]

#[path = "../support/problems.rs"]
mod problems;

mod cuts;
mod gapped;
mod golden;
mod mdlp;
mod refused;
mod rules;
mod saved;
mod sparse;

use passel::{
    binning::{
        BinnedColumn, BinnedColumns, Binning, BinningError, BinningOptions, MissingCode, bin,
    },
    table::{Column, MISSING, Missing, Table, Values},
};

const NAN: f64 = f64::NAN;

fn numbers(values: impl IntoIterator<Item = f64>) -> Values {
    Values::Numbers(values.into_iter().collect())
}

fn texts(levels: &[&str], codes: &[u32]) -> Values {
    Values::Factor {
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
        codes: codes.to_vec(),
    }
}

/// Columns x0, x1, … behind the response y, which is 0, 1, 0, 1, ….
fn table(n: usize, columns: impl IntoIterator<Item = Values>) -> Table {
    let y = numbers((0..n).map(|row| f64::from(row as u32 % 2)));
    let columns = [y].into_iter().chain(columns).enumerate();
    let columns = columns.map(|(at, values)| Column {
        name: match at {
            0 => "y".to_owned(),
            _ => format!("x{}", at - 1),
        },
        values,
    });
    Table {
        source: "t".to_owned(),
        columns: columns.collect(),
        rows: n,
        response: Some(0),
        truth: Vec::new(),
        ..Table::default()
    }
}

fn binned(table: Table, rule: &str, missing: Missing) -> Result<BinnedColumns, BinningError> {
    let options = BinningOptions {
        missing,
        binning: &rule.parse()?,
        ..BinningOptions::default()
    };
    bin(table, &options)
}

/// The one column binned by a rule.
fn one(values: Values, n: usize, rule: &str) -> BinnedColumn {
    let table = table(n, [values]);
    let mut found = binned(table, rule, Missing::Level).unwrap();
    assert_eq!((found.n, found.columns.len()), (n, 1));
    let column = found.columns.remove(0);
    check(&column, n);
    column
}

/// What holds of every column.
fn check(column: &BinnedColumn, n: usize) {
    use passel::binning::Codes;
    let dense = column.codes.dense();
    assert_eq!((column.codes.n(), dense.len()), (n, n));
    let below = |code: &u16| usize::from(*code) < column.levels;
    assert!(dense.iter().all(below), "{column:?}");
    let missing = usize::from(column.missing.is_some());
    assert_eq!(column.levels, column.rule.levels() + missing);
    if let Some(missing) = column.missing {
        let code = usize::from(missing.code());
        assert_eq!(code, column.levels - 1, "it is the last");
    }
    match &column.codes {
        Codes::Byte(_) => assert!(column.levels <= 256),
        Codes::Word(_) => assert!(column.levels > 256),
        Codes::Sparse {
            mode, rows, codes, ..
        } => {
            assert!(rows.is_sorted_by(|a, b| a < b));
            assert!(!codes.contains(mode) && rows.len() == codes.len());
            assert!(rows.len() <= n / 2);
            let count = |code| dense.iter().filter(|own| **own == code).count();
            let most = count(*mode);
            assert!(codes.iter().all(|code| count(*code) <= most));
        }
    }
}
