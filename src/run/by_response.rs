//! PaSS for several responses, one after another, on the columns and devices that they share.

use std::sync::Arc;

use super::{
    Fault, RunError,
    drive::by_other_criteria,
    error::error_chain,
    method::{Finding, Method, Run},
    pass::PassSearch,
    responses::ResponseData,
};
use crate::{
    design::Design,
    job::Job,
    presentation::Format,
    search::{SearchError, SharedDevices},
    selection::{Elapsed, FailedResponse, Outcome, ResponsesReport, Selection},
};

/// PaSS for each of several responses: its model is that of the response alone, with the others left out.
pub(super) struct EachResponse;

/// The models so far, by the places of their responses, or why there are none.
pub(super) struct Models {
    models: Vec<Option<Result<Selection, String>>>,
    /// The error of the first response that failed.
    error: Option<(usize, RunError)>,
    /// Whether all failures are of the data or the options.
    is_final: bool,
    /// What ends the work for all.
    fault: Option<Fault>,
    interrupted: bool,
    /// Of all searches.
    elapsed: Elapsed,
}

impl Method for EachResponse {
    type Data = ResponseData;
    type Found = (Models, Arc<ResponseData>);

    fn work(&self, run: &mut Run, data: Arc<ResponseData>) -> Result<Self::Found, RunError> {
        std::mem::take(&mut run.meter).finish();
        let mut found = Models {
            models: data.responses.iter().map(|_| None).collect(),
            error: None,
            is_final: true,
            fault: None,
            interrupted: false,
            elapsed: Elapsed::default(),
        };
        for group in &data.groups {
            found.select(run, &data, group);
        }
        Ok((found, data))
    }

    fn report(&self, run: &mut Run, (found, data): Self::Found) -> Result<Finding, RunError> {
        let Elapsed {
            devices, search, ..
        } = found.elapsed;
        let (mut report, fault) = found.report(&data)?;
        report.elapsed_seconds = run.elapsed(devices, search);
        Ok(Finding::new(Outcome::Responses(Box::new(report)), fault))
    }
}

impl Models {
    fn is_over(&self) -> bool {
        self.interrupted || self.fault.is_some()
    }

    /// Selects the models of responses that are observed in the same rows.
    fn select(&mut self, run: &Run, data: &ResponseData, group: &[usize]) {
        if self.is_over() {
            return;
        }
        let columns = match data.columns(run.job, group) {
            Ok(columns) => columns,
            Err(error) => {
                for response in group {
                    self.models[*response] = Some(Err(error_chain(&error)));
                }
                return self.note(group[0], error);
            }
        };
        let shared = columns.shared();
        let mut shared = shared.map(|columns| SharedDevices::of(columns.columns()));
        for &response in group {
            self.interrupted |= run.job.interrupt.requested();
            if self.is_over() {
                return;
            }
            let own = Job {
                // A page of several responses has no figures of each.
                format: Format::Text,
                ..data.job_of(run.job, response)
            };
            let design = data.design(&own, response, &columns);
            match design.and_then(|(design, _held)| select(run, &own, &design, shared.as_mut())) {
                Ok(finding) => self.take(response, finding),
                Err(error) => {
                    self.models[response] = Some(Err(error_chain(&error)));
                    self.note(response, error);
                }
            }
        }
    }

    fn take(&mut self, response: usize, finding: Finding) {
        self.fault = finding.fault;
        self.interrupted |= finding.outcome.interrupted();
        if let Some(model) = finding.outcome.selection() {
            self.elapsed.devices += model.elapsed_seconds.devices;
            self.elapsed.search += model.elapsed_seconds.search;
            self.models[response] = Some(Ok(model));
        }
    }

    /// Notes an error, which ends the work if it is not of the response.
    fn note(&mut self, response: usize, error: RunError) {
        match error {
            RunError::Interrupted => {
                self.models[response] = None;
                self.interrupted = true;
            }
            RunError::Device(error) | RunError::Search(SearchError::Device(error)) => {
                self.fault = Some(Fault::Device(error));
            }
            error => {
                self.is_final &= error.exit_code() == 2;
                self.error.get_or_insert((response, error));
            }
        }
    }

    /// The report of what was found; an error where that is nothing.
    fn report(self, data: &ResponseData) -> Result<(ResponsesReport, Option<Fault>), RunError> {
        let (mut responses, mut failed, mut refused) = (Vec::new(), Vec::new(), 0);
        for (response, model) in data.responses.iter().zip(self.models) {
            let reason = match model {
                Some(Ok(model)) => {
                    responses.push(model);
                    continue;
                }
                Some(Err(reason)) => {
                    refused += 1;
                    reason
                }
                None => "it was not searched: the work ended before".to_owned(),
            };
            failed.push(FailedResponse {
                response: response.name().to_owned(),
                reason,
            });
        }
        if responses.is_empty() {
            return Err(match (self.fault, self.error) {
                (Some(fault), _) => fault.without_report(),
                (None, Some((response, source))) if !self.interrupted => RunError::Response {
                    response: data.responses[response].name().to_owned(),
                    source: Box::new(source),
                },
                _ => RunError::Interrupted,
            });
        }
        let count = data.responses.len();
        let fault = (refused > 0).then(|| Fault::Responses {
            failed: failed.clone(),
            count,
            is_final: self.is_final,
        });
        let fault = self.fault.or(fault.filter(|_| !self.interrupted));
        let report = ResponsesReport {
            interrupted: self.interrupted,
            ..ResponsesReport::of(responses, failed)
        };
        Ok((report, fault))
    }
}

/// The model of one response, with those of the job's other criteria.
fn select(
    all: &Run,
    own: &Job,
    design: &Arc<Design>,
    mut shared: Option<&mut SharedDevices>,
) -> Result<Finding, RunError> {
    // Models of maximum likelihood are of devices that know it.
    if design.likelihood().is_some() {
        shared = None;
    }
    let mut search = |run: &mut Run| {
        run.meter.begin("at work");
        let found = PassSearch.search(run, Arc::clone(design), shared.as_deref_mut())?;
        std::mem::take(&mut run.meter).finish();
        PassSearch.report(run, found)
    };
    let mut run = Run {
        context: all.context,
        meter: all.context.meter(own),
        ..Run::silent(own)
    };
    let mut finding = search(&mut run)?;
    by_other_criteria(&mut run, &mut finding, search)?;
    Ok(finding)
}
