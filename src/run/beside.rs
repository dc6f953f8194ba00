//! What a page tells beside the report: what only the run knew.

use crate::{
    design::Design,
    job::Job,
    report::{Beside, Format},
    search::Found,
    selection::Residuals,
};

/// The same of what has no model.
pub(super) fn command(job: &Job) -> Beside {
    Beside {
        command: job.command.clone(),
        ..Beside::default()
    }
}

/// What a page tells of the chosen model beside the report.
pub(super) fn beside(job: &Job, design: &Design, found: &Found) -> Beside {
    if job.format != Format::Html {
        return Beside::default();
    }
    Beside {
        command: job.command.clone(),
        curves: None,
        residuals: Residuals::of(design, &found.fit, found.exact),
        deviations: found
            .fit
            .support()
            .iter()
            .map(|j| design.deviation(*j))
            .collect(),
    }
}
