//! Powers and interactions of a table's columns, where no formula names them.

use std::collections::HashSet;

use super::{DesignError, FormulaOptions};
use crate::{
    formula::{Formula, quoted_name},
    table::{Table, TableError},
};

/// Which terms are made of columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermsOfColumns<'a> {
    /// The highest power of columns of numbers.
    pub(crate) degree: usize,
    /// The most columns of an interaction; 1 for none.
    pub(crate) interactions: usize,
    /// Columns of which each interaction has at least one; empty where any may interact.
    pub(crate) interactions_of: &'a [String],
    /// Whether models have an intercept.
    pub(crate) intercept: bool,
}

impl TermsOfColumns<'_> {
    /// The formula of these terms: a term for each column of the table, then powers and interactions.
    ///
    /// # Errors
    /// The options name columns that the table lacks, or that are no candidates.
    pub(crate) fn formula(
        &self,
        table: &Table,
        options: &FormulaOptions,
    ) -> Result<Formula, DesignError> {
        let response = table.response_position(options.response)?;
        let beside = options.kind.columns(options.weights);
        let beside = beside.map(|(option, what, name)| Ok((table.require(option, name)?, what)));
        let beside = beside.collect::<Result<Vec<_>, TableError>>()?;
        let is_dropped = |name: &str| options.drop.iter().any(|dropped| dropped == name);
        for name in self.interactions_of {
            let option = "--interactions-of";
            let at = table.require_variable(option, name, response)?;
            let of_beside = beside.iter().find(|(own, _)| *own == at);
            let reason = match of_beside {
                Some((_, what)) => what,
                None if is_dropped(name) => "is left out",
                None => continue,
            };
            return Err(TableError::in_list(name, reason, option).into());
        }
        let of: Vec<String> = self
            .interactions_of
            .iter()
            .map(|name| quoted_name(name))
            .collect();
        let mut text = match (self.interactions, of.join(" + ")) {
            (..=1, _) => "~ .".to_owned(),
            (most, of) if of.is_empty() => format!("~ (.)^{most}"),
            (2, of) => format!("~ . + ({of}):."),
            (most, of) => format!("~ . + ({of}):(.)^{}", most - 1),
        };
        for (at, column) in table.columns.iter().enumerate() {
            let is_beside = beside.iter().any(|(own, _)| *own == at);
            if at == response || is_beside || is_dropped(&column.name) {
                continue;
            }
            let numbers = column.values.numbers(table.rows).unwrap_or_default();
            let name = quoted_name(&column.name);
            let highest = distinct(&numbers, self.degree + 1).min(self.degree + 1);
            // Of as many values as powers the last power is explained by those before it.
            for power in 2..highest {
                text += &format!(" + I({name}^{power})");
            }
        }
        if !self.intercept {
            text += " - 1";
        }
        Ok(Formula::parse(&text)?)
    }
}

/// How many distinct values there are, counted so far.
fn distinct(numbers: &[f64], most: usize) -> usize {
    let mut seen = HashSet::new();
    let numbers = numbers.iter().filter(|value| !value.is_nan());
    // Both zeros are one.
    let mut bits = numbers.map(|value| (value + 0.0).to_bits());
    while seen.len() < most
        && let Some(value) = bits.next()
    {
        seen.insert(value);
    }
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_make_powers_and_interactions() {
        let numbers = |values: [f64; 4]| values.to_vec();
        let columns = [
            ("a", numbers([1.0, 2.0, 3.0, 4.0]).into()),
            ("b c", numbers([0.0, 1.0, 1.0, 0.0]).into()),
            ("y", numbers([1.0, 5.0, 3.0, 4.0]).into()),
            ("d", vec!["u", "v", "u", "v"].into()),
            ("e", numbers([1.0, 2.0, 3.0, 3.0]).into()),
        ];
        let table = Table::from_columns(columns).unwrap();
        let none = TermsOfColumns {
            degree: 1,
            interactions: 1,
            interactions_of: &[],
            intercept: true,
        };
        let options = FormulaOptions {
            response: Some("y"),
            ..FormulaOptions::default()
        };
        let text = |terms: TermsOfColumns| {
            let formula = terms.formula(&table, &options).unwrap();
            formula.text().to_owned()
        };
        assert_eq!(text(none), "~ .");
        let of = ["b c".to_owned(), "d".to_owned()];
        let pairs = TermsOfColumns {
            interactions: 2,
            intercept: false,
            ..none
        };
        assert_eq!(text(pairs), "~ (.)^2 - 1");
        let some = TermsOfColumns {
            interactions_of: &of,
            degree: 3,
            ..pairs
        };
        let powers = "I(a^2) + I(a^3) + I(e^2)";
        assert_eq!(text(some), format!("~ . + (`b c` + d):. + {powers} - 1"));
        let three = TermsOfColumns {
            interactions: 3,
            degree: 1,
            ..some
        };
        assert_eq!(text(three), "~ . + (`b c` + d):(.)^2 - 1");
        let response = TermsOfColumns {
            interactions_of: &["y".to_owned()],
            ..pairs
        };
        let refused = response.formula(&table, &options).unwrap_err();
        let refused = refused.to_string();
        assert!(refused.contains("--interactions-of") && refused.contains("response"));
    }
}
