//! Whether jobs can be run on their data, as far as the headers of these tell.

use super::error_chain;
use crate::{interrupt::Interrupt, job::file::PlannedJob, run::ColumnChecker};

/// The names of jobs whose plugins could not be asked, whose data cannot be opened or lack a column that they name, each with the
/// reason; up to an interrupt.
pub fn column_failures(jobs: &[&PlannedJob], interrupt: &Interrupt) -> Vec<(String, String)> {
    let mut checker = ColumnChecker::default();
    let jobs = jobs.iter().take_while(|_| !interrupt.requested());
    let failures = jobs.filter_map(|job| {
        if let Some(reason) = &job.unchecked {
            return Some((job.id.clone(), reason.clone()));
        }
        let error = checker.check(&job.task).err()?;
        Some((job.id.clone(), error_chain(&error)))
    });
    failures.collect()
}
