//! Categorical variables: what candidates are counted against, and the response.

use std::collections::HashMap;

use super::LogTable;
use crate::binning::BinnedColumn;

/// A categorical variable: the level of each observation, as an integer.
///
/// It is one column, or the joint levels of several.
///
/// *Shapes:* `codes` has n entries, in the file's order of observations, on the host.
#[derive(Debug, Clone)]
pub(crate) struct Categorical {
    /// The level of each observation, 0 … `levels` − 1; `levels` itself where it is missing.
    pub(crate) codes: Vec<u32>,
    /// Number of levels, missing values not counted.
    pub(crate) levels: usize,
    /// Whether any observation is missing; contingency tables leave those out.
    pub(crate) missing: bool,
}

/// Largest bound of values that are renumbered through an array; above it they are hashed.
pub(super) const MAX_ARRAY: u64 = 1 << 22;

impl Categorical {
    /// A column, its levels renumbered in the order of their first occurrence, so that every level
    /// occurs.
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

    /// A column with the codes it has, as functions of tables see them; levels need not occur.
    pub(crate) fn verbatim(column: &BinnedColumn) -> Self {
        let codes = column.codes.dense();
        Self {
            codes: codes.into_iter().map(u32::from).collect(),
            levels: column.levels,
            missing: column.excluded_code().is_some(),
        }
    }

    /// The variable with one level, of n observations: conditioning on it changes nothing.
    pub(crate) fn constant(n: usize) -> Self {
        Self {
            codes: vec![0; n],
            levels: 1,
            missing: false,
        }
    }

    /// The joint variable: a level for each combination that occurs, numbered in the order of
    /// first occurrence. An observation is missing where either is.
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

    pub(crate) fn is_missing(&self, row: usize) -> bool {
        self.missing && self.codes[row] as usize == self.levels
    }

    /// These observations in this order, declared to be complete.
    pub(super) fn select_rows(&self, rows: &[u32]) -> Self {
        let codes = rows.iter().map(|&row| self.codes[row as usize]);
        Self {
            codes: codes.collect(),
            levels: self.levels,
            missing: false,
        }
    }

    /// This variable with its observations in another order: the value of `order[i]` becomes the
    /// i-th.
    pub(crate) fn permuted(&self, order: &[u32]) -> Self {
        Self {
            missing: self.missing,
            ..self.select_rows(order)
        }
    }

    /// Marks observations as missing and drops the levels that only they have.
    fn with_missing(self, missing: impl Fn(usize) -> bool) -> Self {
        let rows = 0..self.codes.len();
        let kept: Vec<u32> = rows
            .filter(|&row| !missing(row))
            .map(|row| row as u32)
            .collect();
        let kept_only = self.select_rows(&kept);
        let kept_only = Self::number_levels(
            kept_only.codes.into_iter().map(u64::from),
            self.levels as u64,
        );
        let mut codes = vec![kept_only.levels as u32; self.codes.len()];
        for (&row, code) in kept.iter().zip(kept_only.codes) {
            codes[row as usize] = code;
        }
        Self {
            missing: kept.len() < codes.len(),
            codes,
            levels: kept_only.levels,
        }
    }

    /// Σ c·L(c) over the levels, of the observations that are not missing.
    pub(crate) fn log_sum(&self, logs: &LogTable) -> i64 {
        // The last count is that of missing values.
        let mut counts = vec![0; self.levels + 1];
        for &code in &self.codes {
            counts[code as usize] += 1;
        }
        logs.sum(&counts[..self.levels])
    }

    /// Numbers distinct values below `bound` in the order of their first occurrence.
    fn number_levels(values: impl Iterator<Item = u64>, bound: u64) -> Self {
        let mut levels = 0;
        let mut next = || {
            levels += 1;
            levels - 1
        };
        let codes = if bound <= MAX_ARRAY {
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

/// The observations in which neither variable is missing, ascending.
pub(super) fn complete_rows(a: &Categorical, b: &Categorical) -> Vec<u32> {
    let rows = (0..a.codes.len()).filter(|&row| !a.is_missing(row) && !b.is_missing(row));
    rows.map(|row| row as u32).collect()
}

/// Both variables on their complete cases: observations where neither is missing, with the
/// levels that occur there.
pub(crate) fn complete_cases(a: &Categorical, b: &Categorical) -> (Categorical, Categorical) {
    let rows = complete_rows(a, b);
    let occurring = |variable: &Categorical| {
        let codes = variable.select_rows(&rows).codes;
        Categorical::number_levels(codes.into_iter().map(u64::from), variable.levels as u64)
    };
    (occurring(a), occurring(b))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{mutual_information, tests::binned},
        *,
    };
    use crate::binning::Codes;

    fn column(codes: Codes, missing: Option<u16>) -> BinnedColumn {
        binned(codes, missing.map_or(1000, usize::from), missing)
    }

    #[test]
    fn joint_levels_miss_what_either_misses() {
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
    fn joint_levels_are_the_combinations_that_occur() {
        let a = Categorical::compact(&column(Codes::Byte(vec![7, 0, 7, 3, 0]), None));
        let b = Categorical::compact(&column(Codes::Word(vec![900, 900, 900, 1, 1]), None));
        assert_eq!((&a.codes[..], a.levels), (&[0, 1, 0, 2, 1][..], 3));
        let both = a.joint(&b);
        assert_eq!((&both.codes[..], both.levels), (&[0, 1, 0, 2, 3][..], 4));
        let hashed = Categorical::number_levels([9, 1 << 40, 9].into_iter(), 1 << 41);
        assert_eq!((&hashed.codes[..], hashed.levels), (&[0, 1, 0][..], 2));
    }
}
