//! Levels of factors that a resample of the rows has no observation of.

use crate::table::{MISSING, Table, Values};

/// The factors of a table that a selection codes.
pub(super) struct FactorLevels<'t> {
    factors: Vec<Factor<'t>>,
}

struct Factor<'t> {
    name: &'t str,
    codes: &'t [u32],
    /// Of each level whether it occurs.
    occurs: Vec<bool>,
}

impl<'t> FactorLevels<'t> {
    pub(super) fn of(table: &'t Table, coded: &[String]) -> Self {
        let factor = |column: &'t crate::table::Column| match &column.values {
            Values::Factor { levels, codes } if coded.contains(&column.name) => Some(Factor {
                name: &column.name,
                codes,
                occurs: occurring(levels.len(), codes.iter()),
            }),
            _ => None,
        };
        Self {
            factors: table.columns.iter().filter_map(factor).collect(),
        }
    }

    /// A note for each factor with levels that occur, but not in these rows.
    pub(super) fn lost(&self, rows: &[usize]) -> impl Iterator<Item = String> {
        let loses = |factor: &&Factor| {
            let codes = rows.iter().map(|row| &factor.codes[*row]);
            let there = occurring(factor.occurs.len(), codes);
            factor
                .occurs
                .iter()
                .zip(there)
                .any(|(occurs, there)| *occurs && !there)
        };
        let losing = self.factors.iter().filter(loses);
        losing.map(|factor| {
            let name = factor.name;
            format!("`{name}` has fewer levels, for some of them have no observation there")
        })
    }
}

/// Of each level whether an observation has it.
fn occurring<'c>(levels: usize, codes: impl Iterator<Item = &'c u32>) -> Vec<bool> {
    let mut occurs = vec![false; levels];
    for code in codes.filter(|code| **code != MISSING) {
        occurs[*code as usize] = true;
    }
    occurs
}
