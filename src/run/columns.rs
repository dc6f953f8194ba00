//! Whether data have the columns that jobs name, by their headers alone.

use super::{
    RunError,
    prepared::{Binned, Prepared, read_options},
    responses::{job_of, places},
};
use crate::{
    binning,
    design::Design,
    job::{Job, Responses, Task},
    plugin::MethodKind,
    table::{Table, read_header},
};

/// Checks jobs one after another; the header of data that follow one another is read once.
#[derive(Debug, Default)]
pub struct ColumnChecker {
    /// How the last data are read, and their columns, where their header tells these.
    last: Option<(String, Option<Table>)>,
}

impl ColumnChecker {
    /// Checks that the data of a task can be opened and, as far as their header tells, have the columns
    /// that it names.
    ///
    /// # Errors
    /// What the task itself would fail at.
    pub fn check(&mut self, task: &Task) -> Result<(), RunError> {
        let job = task.job();
        let key = format!("{:?}", (&job.data, read_options(job)));
        if self.last.as_ref().is_none_or(|(last, _)| *last != key) {
            self.last = None;
            let table = read_header(&job.data, &read_options(job))?;
            self.last = Some((key, table));
        }
        match &self.last {
            Some((_, Some(table))) => check_columns(table, task, job),
            _ => Ok(()),
        }
    }
}

fn check_columns(table: &Table, task: &Task, job: &Job) -> Result<(), RunError> {
    // One of several stands for all: the others are columns that it leaves out.
    let one = match &job.responses {
        Some(Responses::File(_)) => return Ok(()),
        Some(Responses::Columns(names)) => {
            places(table, names)?;
            let first = names.first().map_or("", String::as_str);
            Some(job_of(job, first, names))
        }
        None => None,
    };
    let job = one.as_ref().unwrap_or(job);
    let method = job.selector.as_ref().map(|method| &method.value);
    let is_binned = matches!(task, Task::Pairs(_))
        || matches!(method, Some(MethodKind::Score(_) | MethodKind::Ranking(_)));
    match is_binned {
        true => binning::check_columns(table, &Binned::options(job).0)?,
        false => Design::options(job).check(table)?,
    }
    Ok(())
}
