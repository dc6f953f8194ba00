//! What a page tells beside the report: what only the run knew.

use crate::{
    design::Design,
    job::Job,
    report::{Format, PageExtras},
    search::SearchResult,
    selection::Residuals,
};

/// The same of what has no model.
pub(super) fn command(job: &Job) -> PageExtras {
    PageExtras {
        command: job.command.clone(),
        ..PageExtras::default()
    }
}

/// What a page tells of the chosen model beside the report.
pub(super) fn page_extras(job: &Job, design: &Design, found: &SearchResult) -> PageExtras {
    if job.format != Format::Html {
        return PageExtras::default();
    }
    PageExtras {
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
