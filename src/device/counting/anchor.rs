//! What every column is counted against.

use std::collections::HashMap;

use super::{LogTable, MarginSums};
use crate::binning::BinnedColumn;

/// Codes of one column, or of several joined: a level for each observation.
#[derive(Debug, Clone)]
pub(crate) struct Categorical {
    /// Of each observation, in the file's order.
    pub(crate) codes: Vec<u32>,
    /// Codes are below this, but for that of missing values, which is this.
    pub(crate) levels: usize,
    /// Whether any is missing: tables leave these observations out.
    pub(crate) missing: bool,
}

/// Values up to here are numbered through a table, larger ones by hashing.
const TABLE: u64 = 1 << 22;

impl Categorical {
    /// One column's; levels are numbered as they come first.
    pub(crate) fn compact(column: &BinnedColumn) -> Self {
        let codes = column.codes.dense();
        let most = codes.iter().copied().max().unwrap_or(0);
        let all = Self::number_levels(
            codes.iter().map(|&code| u64::from(code)),
            u64::from(most) + 1,
        );
        match column.excluded_code() {
            None => all,
            Some(missing) => all.with_missing(|row| codes[row] == missing),
        }
    }

    /// One column's codes as they are, for who is to see them.
    pub(crate) fn verbatim(column: &BinnedColumn) -> Self {
        let codes = column.codes.dense();
        Self {
            codes: codes.into_iter().map(u32::from).collect(),
            levels: column.levels,
            missing: column.excluded_code().is_some(),
        }
    }

    /// Of so many observations, which have one level.
    pub(crate) fn constant(n: usize) -> Self {
        Self {
            codes: vec![0; n],
            levels: 1,
            missing: false,
        }
    }

    /// The combinations of two that occur, numbered as they come first; missing where either
    /// is.
    pub(crate) fn joint(&self, other: &Self) -> Self {
        let pairs = self.codes.iter().zip(&other.codes);
        let levels = other.levels as u64 + 1;
        let both = pairs.map(|(&a, &b)| u64::from(a) * levels + u64::from(b));
        let all = Self::number_levels(both, (self.levels as u64 + 1) * levels);
        match self.missing || other.missing {
            false => all,
            true => all.with_missing(|row| self.is_missing(row) || other.is_missing(row)),
        }
    }

    /// Whether an observation has no value.
    pub(crate) fn is_missing(&self, row: usize) -> bool {
        self.missing && self.codes[row] as usize == self.levels
    }

    /// Of these observations alone.
    fn select_rows(&self, rows: &[u32]) -> Self {
        let codes = rows.iter().map(|&row| self.codes[row as usize]);
        Self {
            codes: codes.collect(),
            levels: self.levels,
            missing: false,
        }
    }

    /// In another order of observations.
    pub(crate) fn permuted(&self, order: &[u32]) -> Self {
        let codes = order.iter().map(|&row| self.codes[row as usize]);
        Self {
            codes: codes.collect(),
            levels: self.levels,
            missing: self.missing,
        }
    }

    /// With some observations missing, whose levels no other has.
    fn with_missing(self, missing: impl Fn(usize) -> bool) -> Self {
        let rows = 0..self.codes.len();
        let kept: Vec<u32> = rows
            .filter(|&row| !missing(row))
            .map(|row| row as u32)
            .collect();
        let few = self.select_rows(&kept);
        let few = Self::number_levels(few.codes.into_iter().map(u64::from), self.levels as u64);
        let mut codes = vec![few.levels as u32; self.codes.len()];
        for (&row, code) in kept.iter().zip(few.codes) {
            codes[row as usize] = code;
        }
        Self {
            missing: kept.len() < codes.len(),
            codes,
            levels: few.levels,
        }
    }

    /// Σ c·L(c) over its levels.
    pub(crate) fn log_sum(&self, logs: &LogTable) -> i64 {
        // The last is of what is missing.
        let mut counts = vec![0; self.levels + 1];
        for &code in &self.codes {
            counts[code as usize] += 1;
        }
        logs.sum(&counts[..self.levels])
    }

    /// Of values below `bound`.
    fn number_levels(values: impl Iterator<Item = u64>, bound: u64) -> Self {
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
            missing: false,
        }
    }
}

/// The observations that miss neither.
fn complete_rows(a: &Categorical, b: &Categorical) -> Vec<u32> {
    let rows = (0..a.codes.len()).filter(|&row| !a.is_missing(row) && !b.is_missing(row));
    rows.map(|row| row as u32).collect()
}

/// Two anchors, of the observations that miss neither, with the levels that occur there.
pub(crate) fn complete_cases(a: &Categorical, b: &Categorical) -> (Categorical, Categorical) {
    let rows = complete_rows(a, b);
    let occurring = |it: &Categorical| {
        let codes = it.select_rows(&rows).codes;
        Categorical::number_levels(codes.into_iter().map(u64::from), it.levels as u64)
    };
    (occurring(a), occurring(b))
}

/// All sums of the table of two columns and the response, of the observations that miss neither.
pub(crate) fn margin_sums(
    x: &Categorical,
    w: &Categorical,
    response: &Categorical,
    logs: &LogTable,
) -> MarginSums {
    let (both, y) = complete_cases(&x.joint(w), response);
    let (x, w) = complete_cases(x, w);
    let left = y.codes.len() as u32;
    MarginSums {
        observations: left,
        n: logs.term(left),
        x: x.log_sum(logs),
        w: w.log_sum(logs),
        y: y.log_sum(logs),
        xw: both.log_sum(logs),
        xy: x.joint(&y).log_sum(logs),
        wy: w.joint(&y).log_sum(logs),
        xwy: both.joint(&y).log_sum(logs),
    }
}

/// n·I(a;b) of two anchors, whose own sums are these; of the observations that miss neither,
/// as if it were of all. `cells` is zero before and after.
pub(crate) fn mutual_information(
    (a, of_a): (&Categorical, i64),
    (b, of_b): (&Categorical, i64),
    logs: &LogTable,
    cells: &mut Vec<u32>,
) -> i64 {
    if !a.missing && !b.missing {
        return joint_sum(a, b, logs, cells) - of_a - of_b + logs.full_term();
    }
    let rows = complete_rows(a, b);
    let (a, b) = (a.select_rows(&rows), b.select_rows(&rows));
    let own = joint_sum(&a, &b, logs, cells) - a.log_sum(logs) - b.log_sum(logs);
    let left = rows.len() as u32;
    logs.scale_to_all(own + logs.term(left), left)
}

/// Σ c·L(c) over the joint levels of two anchors that miss nothing.
fn joint_sum(a: &Categorical, b: &Categorical, logs: &LogTable, cells: &mut Vec<u32>) -> i64 {
    let many = a.levels * b.levels;
    if many > TABLE as usize {
        return a.joint(b).log_sum(logs);
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
        return counts.map(|count| logs.term(count)).sum();
    }
    let mut sum = 0;
    for place in places() {
        sum += logs.increments()[cells[place] as usize];
        cells[place] += 1;
    }
    places().for_each(|place| cells[place] = 0);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binning::{Codes, MissingCode, Rule};

    fn column(codes: Codes, missing: Option<u16>) -> BinnedColumn {
        BinnedColumn {
            name: String::new(),
            index: 0,
            levels: missing.map_or(1000, usize::from),
            codes,
            rule: Rule::Edges(Vec::new()),
            missing: missing.map(MissingCode::Excluded),
        }
    }

    #[test]
    fn what_misses_a_value_misses_its_joint_level() {
        let a = Categorical::compact(&column(Codes::Byte(vec![2, 1, 2, 0, 1, 0]), Some(2)));
        assert_eq!((&a.codes[..], a.levels), (&[2, 0, 2, 1, 0, 1][..], 2));
        let b = Categorical::compact(&column(Codes::Word(vec![5, 5, 5, 4, 5, 6]), Some(6)));
        assert_eq!((&b.codes[..], b.levels), (&[0, 0, 0, 1, 0, 2][..], 2));
        let both = a.joint(&b);
        assert_eq!((&both.codes[..], both.levels), (&[2, 0, 2, 1, 0, 2][..], 2));
        assert!(both.missing && both.is_missing(5) && !both.is_missing(4));
        let logs = LogTable::new(6, 2);
        assert_eq!(both.log_sum(&logs), logs.term(2));
        // Of 1, 3, 4 alone: (0,0), (1,1), (0,0), so that I is H(a).
        let own = mutual_information((&a, 0), (&b, 0), &logs, &mut Vec::new());
        assert_eq!(own, logs.scale_to_all(logs.term(3) - logs.term(2), 3));
        let all = Categorical::compact(&column(Codes::Byte(vec![0; 6]), Some(0)));
        assert_eq!((&all.codes[..], all.levels), (&[0; 6][..], 0));
        assert_eq!(
            mutual_information((&a, 0), (&all, 0), &logs, &mut Vec::new()),
            0
        );
        assert_eq!(a.joint(&all).levels, 0);
    }

    #[test]
    fn joined_levels_are_the_combinations_that_occur() {
        let a = Categorical::compact(&column(Codes::Byte(vec![7, 0, 7, 3, 0]), None));
        let b = Categorical::compact(&column(Codes::Word(vec![900, 900, 900, 1, 1]), None));
        assert_eq!((&a.codes[..], a.levels), (&[0, 1, 0, 2, 1][..], 3));
        let both = a.joint(&b);
        assert_eq!((&both.codes[..], both.levels), (&[0, 1, 0, 2, 3][..], 4));
        let hashed = Categorical::number_levels([9, 1 << 40, 9].into_iter(), 1 << 41);
        assert_eq!((&hashed.codes[..], hashed.levels), (&[0, 1, 0][..], 2));
    }
}
