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

/// Data of levels, or of numbers, with a constant column; sparse where that is asked.
pub(super) fn data(is_of_levels: bool, is_sparse: bool) -> Option<Arc<Table>> {
    let mut words = Stream::new(2, 0);
    let mut draw = |count: usize| uniform_below(words.next_word(), count) as f64;
    let mut columns: Vec<(String, Values)> = Vec::new();
    let mut sum = vec![0.0; ROWS];
    for column in 0..COLUMNS {
        let values: Vec<f64> = (0..ROWS)
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
        let values = match is_sparse {
            false => values.into(),
            true => {
                let set = (0_u32..).zip(&values).filter(|(_, own)| **own != 0.0);
                let (rows, values) = set.map(|(row, own)| (row, *own)).unzip();
                Values::Sparse { rows, values }
            }
        };
        columns.push((format!("x{column}"), values));
    }
    let y: Vec<f64> = sum
        .iter()
        .map(|own| match is_of_levels {
            true => f64::from(*own > 1.5),
            false => own + draw(100) / 100.0,
        })
        .collect();
    // First, for a sparse column does not know the number of rows.
    columns.insert(0, ("y".to_owned(), y.into()));
    Table::from_columns(columns).ok().map(Arc::new)
}
