//! What every column is counted against.

use std::collections::HashMap;

use super::Logs;
use crate::binning::{BinnedColumn, Codes};

/// Codes of one column, or of several joined: a level for each observation.
#[derive(Debug, Clone)]
pub(crate) struct Anchor {
    /// Of each observation, in the file's order.
    pub(crate) codes: Vec<u32>,
    /// Codes are below this.
    pub(crate) levels: usize,
}

/// Values up to here are numbered through a table, larger ones by hashing.
const TABLE: u64 = 1 << 22;

impl Anchor {
    /// One column's.
    pub(crate) fn of(codes: &Codes) -> Self {
        let codes = codes.dense();
        let most = codes.iter().copied().max().unwrap_or(0);
        Self::renumbered(
            codes.iter().map(|&code| u64::from(code)),
            u64::from(most) + 1,
        )
    }

    /// One column's codes as they are, for who is to see them.
    pub(crate) fn plain(column: &BinnedColumn) -> Self {
        let codes = column.codes.dense();
        Self {
            codes: codes.into_iter().map(u32::from).collect(),
            levels: column.levels.max(1),
        }
    }

    /// The combinations of two that occur, numbered as they come first.
    pub(crate) fn joined(&self, other: &Self) -> Self {
        let pairs = self.codes.iter().zip(&other.codes);
        let levels = other.levels as u64;
        let both = pairs.map(|(&a, &b)| u64::from(a) * levels + u64::from(b));
        Self::renumbered(both, self.levels as u64 * levels)
    }

    /// Σ c·L(c) over its levels.
    pub(crate) fn sum(&self, logs: &Logs) -> i64 {
        let mut counts = vec![0; self.levels];
        for &code in &self.codes {
            counts[code as usize] += 1;
        }
        logs.sum(&counts)
    }

    /// Of values below `bound`.
    fn renumbered(values: impl Iterator<Item = u64>, bound: u64) -> Self {
        let mut levels = 0;
        let mut next = || {
            levels += 1;
            levels - 1
        };
        let codes = if bound <= TABLE {
            let mut numbers = vec![u32::MAX; bound as usize];
            let number = |value| {
                let number = &mut numbers[value as usize];
                if *number == u32::MAX {
                    *number = next();
                }
                *number
            };
            values.map(number).collect()
        } else {
            let mut numbers = HashMap::new();
            values
                .map(|value| *numbers.entry(value).or_insert_with(&mut next))
                .collect()
        };
        Self {
            codes,
            levels: levels as usize,
        }
    }
}

/// Σ c·L(c) over the joint levels of two anchors. `cells` is zero before and after.
pub(crate) fn joint_sum(a: &Anchor, b: &Anchor, logs: &Logs, cells: &mut Vec<u32>) -> i64 {
    let many = a.levels * b.levels;
    if many > TABLE as usize {
        return a.joined(b).sum(logs);
    }
    if cells.len() < many {
        cells.resize(many, 0);
    }
    let width = b.levels;
    let places = || {
        let pairs = a.codes.iter().zip(&b.codes);
        pairs.map(|(&a, &b)| a as usize * width + b as usize)
    };
    // Few cells: they are walked at the end; else the observations are, again.
    if many <= a.codes.len() {
        let cells = &mut cells[..many];
        places().for_each(|place| cells[place] += 1);
        let counts = cells.iter_mut().map(std::mem::take);
        return counts.map(|count| logs.of(count)).sum();
    }
    let mut sum = 0;
    for place in places() {
        sum += logs.steps()[cells[place] as usize];
        cells[place] += 1;
    }
    places().for_each(|place| cells[place] = 0);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_levels_are_the_combinations_that_occur() {
        let a = Anchor::of(&Codes::Byte(vec![7, 0, 7, 3, 0]));
        let b = Anchor::of(&Codes::Word(vec![900, 900, 900, 1, 1]));
        assert_eq!((&a.codes[..], a.levels), (&[0, 1, 0, 2, 1][..], 3));
        let both = a.joined(&b);
        assert_eq!((&both.codes[..], both.levels), (&[0, 1, 0, 2, 3][..], 4));
        let hashed = Anchor::renumbered([9, 1 << 40, 9].into_iter(), 1 << 41);
        assert_eq!((&hashed.codes[..], hashed.levels), (&[0, 1, 0][..], 2));
    }
}
