//! What the check of a plugin asks about: tables of counts, and data to choose from.

use std::sync::Arc;

use crate::{
    random::{Stream, uniform_below},
    table::{Table, Values},
};

/// Random tables of each shape.
const TABLES: usize = 4;

/// Levels of candidate, anchor and response: of one level each, and of several.
const SHAPES: [[usize; 3]; 8] = [
    [1, 1, 1],
    [1, 1, 3],
    [2, 1, 1],
    [2, 1, 2],
    [3, 1, 2],
    [3, 2, 2],
    [5, 4, 3],
    [12, 9, 4],
];

/// Rows and columns of the data that methods choose from.
const ROWS: usize = 80;
pub(super) const COLUMNS: usize = 8;

/// Tables of counts: random ones, with empty cells, and with all observations in one.
pub(super) fn tables() -> Vec<([usize; 3], Vec<u32>)> {
    let mut words = Stream::new(1, 0);
    let mut draw = |count: usize| uniform_below(words.next_word(), count);
    let mut all = Vec::new();
    for shape in SHAPES {
        let cells = shape.iter().product();
        let mut alone = vec![0; cells];
        alone[draw(cells)] = 7;
        all.push((shape, alone));
        for sparse in 0..TABLES {
            let mut counts: Vec<u32> = (0..cells)
                .map(|_| {
                    if draw(TABLES) < sparse {
                        0
                    } else {
                        draw(20) as u32
                    }
                })
                .collect();
            counts[draw(cells)] += 1;
            all.push((shape, counts));
        }
    }
    all
}

/// What is special about data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Data {
    Plain,
    /// Columns are sparse.
    Sparse,
    /// Values of a column are missing.
    Missing,
    /// A column has names.
    Text,
    /// The response is 0 or 1.
    Events,
    /// The response counts something.
    Counts,
}

/// Data of levels, or of numbers, with a constant column.
pub(super) fn data(is_of_levels: bool, special: Data) -> Option<Arc<Table>> {
    let mut words = Stream::new(2, 0);
    let mut draw = |count: usize| uniform_below(words.next_word(), count) as f64;
    let mut columns: Vec<(String, Values)> = Vec::new();
    let mut sum = vec![0.0; ROWS];
    for column in 0..COLUMNS {
        let mut values: Vec<f64> = (0..ROWS)
            .map(|_| match (column, is_of_levels) {
                (0, _) => 1.0,
                (_, true) => (draw(4) - 1.0).max(0.0),
                (_, false) => draw(1000) / 500.0 - 1.0,
            })
            .collect();
        let weight = [0.0, 0.0, 2.0, 0.0, 0.0, -1.5, 0.0, 0.5][column];
        sum.iter_mut()
            .zip(&values)
            .for_each(|(sum, own)| *sum += weight * own);
        if column == 2 && special == Data::Missing {
            values[7] = f64::NAN;
            values[20] = f64::NAN;
        }
        let values = match special {
            Data::Text if column == 4 => Values::Factor {
                levels: ["north", "south", "west"].map(str::to_owned).into(),
                codes: (0..ROWS as u32).map(|row| row * row % 7 % 3).collect(),
            },
            Data::Sparse => {
                let set = (0_u32..).zip(&values).filter(|(_, own)| **own != 0.0);
                let (rows, values) = set.map(|(row, own)| (row, *own)).unzip();
                Values::Sparse { rows, values }
            }
            _ => values.into(),
        };
        columns.push((format!("x{column}"), values));
    }
    let y: Vec<f64> = sum
        .iter()
        .map(|own| match special {
            // Chance has a part in it, so that no model tells all apart.
            Data::Events => f64::from(own + draw(100) / 20.0 > 2.5),
            Data::Counts => (0.5 * own).exp().floor() + draw(2),
            _ if is_of_levels => f64::from(*own > 1.5),
            _ => own + draw(100) / 100.0,
        })
        .collect();
    // First, for a sparse column does not know the number of rows.
    columns.insert(0, ("y".to_owned(), y.into()));
    Table::from_columns(columns).ok().map(Arc::new)
}
