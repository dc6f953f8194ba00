//! The columns of a table that a formula and its options use.

use std::{borrow::Cow, collections::HashSet};

use super::{
    DesignError, FormulaOptions, Hierarchy,
    names::{check_kind, check_names},
};
use crate::{
    formula::{Fault, Formula, Pairwise},
    table::{Column, Table, Values, are_dates},
};

/// The columns that `.` does not stand for.
pub(super) fn hidden_columns<'a>(
    response: &'a Option<String>,
    options: &'a FormulaOptions,
) -> impl Iterator<Item = &'a str> {
    let beside = options.kind.columns(options.weights);
    beside.map(|(.., name)| name).chain(response.as_deref())
}

/// The weights of the rows; empty without.
pub(super) fn column_of_weights(table: &Table, options: &FormulaOptions) -> Vec<f64> {
    let name = options.weights;
    let own = name.and_then(|name| table.columns.iter().find(|column| column.name == name));
    let numbers = own.and_then(|column| column.values.numbers(table.rows));
    numbers.map(Cow::into_owned).unwrap_or_default()
}

/// What a formula and its options use of a table.
pub(crate) struct FormulaUse {
    /// The response's column, where the formula has none.
    pub(crate) response: Option<String>,
    /// The columns that neither uses, those dropped among them.
    pub(crate) unused: Vec<String>,
    /// The formula without its interactions of two variables, where these are too many to be made at once and
    /// a hierarchy tells which are wanted.
    pub(super) pairwise: Option<Pairwise>,
}

/// Checks the columns that a formula and its options name.
///
/// # Errors
/// The first that the table lacks, or that two of them use in ways that exclude each other.
pub(crate) fn check_formula(
    table: &Table,
    formula: &Formula,
    options: &FormulaOptions,
) -> Result<FormulaUse, DesignError> {
    let response = match (formula.has_response(), options.response, table.response) {
        (true, ..) => None,
        (false, Some(name), _) => {
            table.require("--response", name)?;
            Some(name.to_owned())
        }
        (false, None, Some(at)) => Some(table.columns[at].name.clone()),
        (false, None, None) => return Err(DesignError::NoFormulaResponse),
    };
    for (option, _, name) in options.kind.columns(options.weights) {
        table.require(option, name)?;
    }
    let failures = match (formula.has_failures(), options.kind.failures) {
        (true, _) => Some("cbind(events, failures)"),
        (false, own) => own.map(|_| "--response"),
    };
    check_kind(&options.kind, options.weights, failures)?;
    // A formula's response is no column that an option could name.
    let position = response.as_deref().and_then(|name| table.position(name));
    check_names(
        table,
        "--drop",
        options.drop,
        position.unwrap_or(usize::MAX),
        false,
    )?;
    let is_hidden = |name: &str| hidden_columns(&response, options).any(|own| own == name);
    let is_dropped = |name: &str| options.drop.iter().any(|dropped| dropped == name);
    let names = table.columns.iter().map(|column| &*column.name);
    let names: Vec<&str> = names.filter(|name| !is_hidden(name)).collect();
    let offered = names.iter().copied().filter(|name| !is_dropped(name));
    let offered = offered.collect::<Vec<_>>();
    let mut pairwise = None;
    let terms = formula.terms(&offered).or_else(|error| {
        let is_size = matches!(
            error.fault(),
            Fault::TooManyTerms { .. } | Fault::TooMuchWork
        );
        if is_size && options.hierarchy != Hierarchy::None {
            pairwise = formula.pairwise(&offered)?;
        }
        let terms = pairwise
            .as_ref()
            .map(|own| own.with_pairs(&[]).terms(&offered));
        terms.unwrap_or(Err(error))
    });
    let terms = terms.map_err(|error| match error.fault() {
        Fault::UnknownVariable { name, .. } if is_dropped(name) => {
            let (name, reason) = (name.clone(), "--drop leaves out");
            DesignError::FormulaHidden { name, reason }
        }
        Fault::UnknownVariable { name, .. } => {
            let mut beside = options.kind.columns(options.weights);
            match beside.find(|(.., own)| own == name) {
                Some((option, ..)) => DesignError::FormulaHidden {
                    name: name.clone(),
                    reason: match option {
                        "--weights" => "--weights takes",
                        "--trials" => "--trials takes",
                        "--response" => "--response takes",
                        "--event" => "--event takes",
                        "--entry" => "--entry takes",
                        "--strata" => "--strata takes",
                        "--cluster" => "--cluster takes",
                        _ => "--offset takes",
                    },
                },
                None => error.into(),
            }
        }
        _ => error.into(),
    })?;
    let of_square = pairwise.iter().flat_map(Pairwise::used);
    let used = terms.names().iter().chain(of_square);
    let used: HashSet<&str> = used.map(String::as_str).collect();
    let unused = names.into_iter().filter(|name| !used.contains(name));
    Ok(FormulaUse {
        response,
        unused: unused.map(str::to_owned).collect(),
        pairwise,
    })
}

/// Refuses factors with a level for each observation.
pub(super) fn refuse_identifiers(table: &Table) -> Result<(), DesignError> {
    let n = table.rows;
    for column in &table.columns {
        if let Values::Factor { levels, codes } = &column.values
            && levels.len() >= n
        {
            let mut used = codes.clone();
            used.sort_unstable();
            used.dedup();
            if used.len() == n {
                return Err(DesignError::Identifier {
                    name: column.name.clone(),
                    n,
                    are_dates: are_dates(levels),
                });
            }
        }
    }
    Ok(())
}

/// A name like this one that no column has.
pub(super) fn other_name(columns: &[Column], name: &str) -> String {
    let mut name = name.to_owned();
    while columns.iter().any(|column| column.name == name) {
        name.push('_');
    }
    name
}
