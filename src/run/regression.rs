//! A procedure of a plugin that chooses the model of a regression.

use std::sync::Arc;

use super::{
    Fault, RunError,
    method::{Finding, Method, Run, method_parameters},
    pass::Model,
};
use crate::{
    design::Design,
    plugin::{MethodKind, ResolvedMethod},
    selector::{Procedure, regress_with_procedure},
};

/// A selector of a plugin over a linear regression.
pub(super) struct RegressionProcedure<'a>(
    pub(super) &'a ResolvedMethod<MethodKind>,
    pub(super) &'a Arc<dyn Procedure>,
);

impl Method for RegressionProcedure<'_> {
    type Data = Design;
    type Found = Model;
    const IS_PROCEDURE: bool = true;

    fn work(&self, run: &mut Run, design: Arc<Design>) -> Result<Model, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let regressed = regress_with_procedure(
            self.1,
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
            fault: fault.map(|error| Fault::of_procedure(error, self.0)),
            curves: None,
            over: "columns",
        })
    }

    fn report(&self, run: &mut Run, model: Model) -> Result<Finding, RunError> {
        let mut method = method_parameters(self.0);
        let max_size = model.found.max_size.into();
        method.parameters.insert("max_size".to_owned(), max_size);
        let chosen = model.found.fit.support().len();
        match model.fault {
            // The kept variables alone are no selection.
            Some(fault) if chosen <= model.design.keep().len() => Err(fault.without_report()),
            _ => Ok(model.finding(run, method)),
        }
    }
}
