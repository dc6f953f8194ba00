//! A selection from some of the rows of a job, one of many.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{RunError, prepared::response};
use crate::{
    design::{Design, has_reference, levels_there},
    device::Resources,
    interrupt::Interrupt,
    job::{Job, ResponseSettings},
    presentation::Format,
    search::{Pass, SearchError},
    table::Table,
    validation::SchemeError,
};

/// Most notes of selections that are reported; each may have its own.
const NOTES: usize = 10;

/// The job of a selection from a table of some rows: what only a report of one selection has is left out.
pub(super) fn of_some_rows(
    job: &Job,
    table: &Table,
    resources: &Resources,
    interrupt: &Interrupt,
) -> Job {
    Job {
        pass: Pass {
            // Nobody reads what could stand in the place of what it chose.
            alternatives: false,
            // It is of all selections together.
            time_limit: None,
            ..job.pass.clone()
        },
        resources: resources.clone(),
        interrupt: interrupt.clone(),
        // A level that none of the rows has is no reference.
        reference: {
            let asked = job.reference.iter();
            let there = asked.filter(|text| has_reference(table, text));
            there.cloned().collect()
        },
        kind: ResponseSettings {
            levels: match response(job, table) {
                Some(at) => levels_there(table, at, &job.kind.levels),
                None => Vec::new(),
            },
            ..job.kind.clone()
        },
        // Nothing is gathered for a page.
        format: Format::Json,
        ..job.clone()
    }
}

/// Whether rows are to blame for an error: some of them may not allow what all do.
pub(super) fn is_of_rows(error: &RunError) -> bool {
    matches!(
        error,
        RunError::Design(_)
            | RunError::Search(SearchError::Settings(_) | SearchError::Design(_))
            | RunError::Scheme(
                SchemeError::NoPlainModel { .. } | SchemeError::FewNeighbours { .. }
            )
    )
}

/// The job with the event of its design named: rows of one level say nothing of which one it is.
pub(super) fn with_event(job: &Job, design: &Design) -> Job {
    let event = design.event().map(str::to_owned);
    Job {
        kind: ResponseSettings {
            success: event.or(job.kind.success.clone()),
            ..job.kind.clone()
        },
        ..job.clone()
    }
}

/// How many selections had each note.
pub(super) fn counted(notes: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    notes.for_each(|note| *counts.entry(note).or_default() += 1);
    counts
}

/// The notes of most selections first, each with how many selections had it; a selection is from one of `what`.
pub(super) fn most_frequent(
    notes: BTreeMap<String, usize>,
    what: &str,
) -> impl Iterator<Item = String> {
    let mut notes: Vec<_> = notes.into_iter().collect();
    notes.sort_by_key(|(_, count)| Reverse(*count));
    let most = notes.into_iter().take(NOTES);
    most.map(move |(note, count)| match count {
        1 => format!("in one {what}: {note}"),
        count => format!("in {count} {what}s: {note}"),
    })
}
