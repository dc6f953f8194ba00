//! A procedure of a plugin that chooses the model of a regression.

use std::sync::Arc;

use super::{
    Fault, RunError,
    method::{Finding, Method, Run, method_parameters},
    pass::{Model, PassSearch},
};
use crate::{
    design::Design,
    job::Job,
    plugin::{MethodKind, ResolvedMethod},
    selector::{Procedure, regress_with_procedure},
};

/// A selector of a plugin over a linear regression.
pub(super) struct RegressionProcedure<'a> {
    pub(super) resolved: &'a ResolvedMethod<MethodKind>,
    pub(super) procedure: &'a Arc<dyn Procedure>,
}

impl Method for RegressionProcedure<'_> {
    type Data = Design;
    type Found = Model;
    // The procedure may look at any column.
    const PARTITIONED: bool = false;

    fn is_detachable(&self) -> bool {
        true
    }

    fn check(&self, job: &Job) -> Result<(), RunError> {
        PassSearch.check(job)
    }

    fn work(&self, run: &mut Run, design: Arc<Design>) -> Result<Model, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let regressed = regress_with_procedure(
            self.procedure,
            &design,
            &job.criterion,
            &job.pass,
            &job.resources,
            &job.interrupt,
            &mut |done, of| meter.count("step", done, of),
        )?;
        let fault = regressed.error;
        Ok(Model {
            design,
            found: regressed.result,
            fault: fault.map(|error| Fault::of_procedure(error, self.resolved)),
            curves: None,
            over: "columns",
        })
    }

    fn report(&self, run: &mut Run, model: Model) -> Result<Finding, RunError> {
        let mut method = method_parameters(self.resolved);
        let max_size = model.found.max_size.into();
        method.parameters.insert("max_size".to_owned(), max_size);
        let mut selection = model.selection(run, method);
        let warning = model.fault.as_ref().map(Fault::warning);
        selection.warnings.extend(warning);
        match model.fault {
            // The kept variables alone are no selection.
            Some(fault) if selection.k <= model.design.keep().len() => Err(fault.without_report()),
            _ => Ok(model.finding(run, selection)),
        }
    }
}
