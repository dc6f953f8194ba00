//! What comes behind the reader: codes, and the design matrix.

use passel::{
    Design,
    binning::{Binning, BinningOptions, Codes, MissingCode, bin},
    design::DesignOptions,
    table::{Missing, Table, Values},
};

use super::{peak_of, read};

/// Most values of a table that is gone on with: the work is that of its cells.
pub const CELLS: usize = 1 << 14;

/// What going on may take for each of them: codes, dummies, and values being sorted.
const PER_CELL: usize = 128;

const MISSING: [Missing; 4] = [
    Missing::Refuse,
    Missing::DropRows,
    Missing::Level,
    Missing::Pairwise,
];

/// Makes codes and a design matrix of a table, within a rule of memory.
pub fn follow(table: &Table) {
    let levels = table.columns.iter().map(|column| match &column.values {
        Values::Factor { levels, .. } => levels.len(),
        _ => 1,
    });
    let cells = table.rows * (levels.sum::<usize>() + table.columns.len());
    if cells > CELLS {
        return;
    }
    let ((), peak) = peak_of(|| {
        let rules = [
            Binning::Auto,
            Binning::Levels,
            Binning::EqualWidth(3),
            Binning::EqualFrequency(3),
            Binning::Mdlp,
        ];
        rules.iter().for_each(|rule| bin_by(table, rule));
        let options = DesignOptions {
            response: response(table),
            missing: Missing::DropRows,
            ..DesignOptions::default()
        };
        match Design::from_table(table.clone(), &options) {
            Ok(design) => {
                let mut x = design.columns().values().iter().chain(design.y());
                assert!(x.all(|value| value.is_finite()));
            }
            Err(error) => drop(error.to_string()),
        }
    });
    let constant = read::CONSTANT + 100 * table.columns.len();
    read::within(peak, constant + PER_CELL * cells);
}

/// The response that a user would name where the format does not.
fn response(table: &Table) -> Option<&str> {
    match table.response {
        Some(_) => None,
        None => table.columns.last().map(|column| &*column.name),
    }
}

/// Makes codes of a table by a rule, whatever is missing.
pub fn bin_by(table: &Table, rule: &Binning) {
    for missing in MISSING {
        let options = BinningOptions {
            response: response(table),
            missing,
            binning: rule,
            bin_response: match rule {
                Binning::Mdlp => &Binning::Auto,
                rule => rule,
            },
            ..BinningOptions::default()
        };
        let binned = match bin(table.clone(), &options) {
            Ok(binned) => binned,
            Err(error) => {
                drop(error.to_string());
                continue;
            }
        };
        for column in binned.columns.iter().chain([&binned.response]) {
            let most = match column.missing {
                Some(MissingCode::Excluded(_)) => column.levels + 1,
                _ => column.levels,
            };
            assert_eq!(column.codes.n(), binned.n);
            assert!(
                column
                    .codes
                    .dense()
                    .iter()
                    .all(|code| usize::from(*code) < most)
            );
            if let Codes::Sparse { rows, codes, .. } = &column.codes {
                assert_eq!(rows.len(), codes.len());
            }
        }
    }
}
