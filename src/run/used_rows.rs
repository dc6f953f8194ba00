//! The rows of a table that selections use.

use std::collections::HashSet;

use super::prepared::response;
use crate::{
    job::Job,
    plugin::MethodKind,
    table::{Missing, Table, Values},
};

/// Leaves out the observations that no selection would use, so that all resamples have equally
/// many that are used; the values of columns that are left out go as well.
pub(super) fn keep_observations(job: &Job, table: &mut Table) {
    let response = response(job, table).map(|at| table.columns[at].name.clone());
    let missing = match job.selector.as_ref().map(|method| &method.value) {
        None | Some(MethodKind::Regression(_)) => job.missing.of(table),
        Some(MethodKind::Score(_) | MethodKind::Ranking(_)) => job.missing,
    };
    let mut used = match missing {
        Missing::DropRows => table.complete_rows(|column| !job.drop.contains(&column.name)),
        Missing::Pairwise => table.complete_rows(|column| Some(&column.name) == response.as_ref()),
        Missing::Mean => {
            let decides = job.keep.iter().chain(&table.kept).chain(&response);
            let decides = decides.chain(job.kind.columns()).chain(&job.weights);
            let decides: HashSet<&String> = decides.collect();
            table.complete_rows(|column| decides.contains(&column.name))
        }
        Missing::Auto | Missing::Refuse | Missing::Level => vec![true; table.rows],
    };
    let weights = job.weights.as_deref().and_then(|name| table.position(name));
    let weights = weights.and_then(|at| table.columns[at].values.numbers(table.rows));
    for (used, weight) in used.iter_mut().zip(weights.iter().flat_map(|all| &**all)) {
        *used &= *weight > 0.0;
    }
    keep_used(table, &used, job);
}

/// Leaves the rows alone that are observations; the values of columns that are left out go as well.
pub(super) fn keep_rows(table: &mut Table, rows: &[usize], job: &Job) {
    let mut used = vec![false; table.rows];
    rows.iter().for_each(|row| used[*row] = true);
    keep_used(table, &used, job);
}

fn keep_used(table: &mut Table, used: &[bool], job: &Job) {
    if used.contains(&false) {
        table.keep_rows(used);
    }
    let columns = table.columns.iter_mut();
    for column in columns.filter(|column| job.drop.contains(&column.name)) {
        let (rows, values) = Default::default();
        column.values = Values::Sparse { rows, values };
    }
}
