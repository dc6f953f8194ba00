//! The choice of the method of a task.

use super::{
    DataCache, Report, RunContext, RunError,
    by_response::EachResponse,
    candidates::Selector,
    data_cache::{DataKeys, keys},
    drive::drive,
    infer::WithInference,
    method::Method,
    pass::PassSearch,
    plain_models::WithPlainModel,
    ranking::{RankingProcedure, ScoreSelection},
    regression::RegressionProcedure,
    stability::OnResamples,
    validate::{InSplits, MadeInSplits, Regressions},
};
use crate::{
    job::{Job, Task, ValidationJob},
    plugin::MethodKind,
};

impl DataCache {
    /// Expects one use by a job.
    pub fn expect(&self, task: &Task) {
        self.expect_data(&method_of(task).data_keys(task.job()));
    }

    /// Ends the use by a job that was expected.
    pub fn release(&self, task: &Task) {
        self.release_data(&method_of(task).data_keys(task.job()));
    }
}

/// A [`Method`] whatever its types.
pub(super) trait AnyMethod {
    fn run(&self, task: &Task, context: &RunContext) -> Result<Report, RunError>;
    fn data_keys(&self, job: &Job) -> DataKeys;
}

impl<M: Method> AnyMethod for M {
    fn run(&self, task: &Task, context: &RunContext) -> Result<Report, RunError> {
        drive(self, task, context)
    }

    fn data_keys(&self, job: &Job) -> DataKeys {
        keys::<M::Data>(job)
    }
}

/// The method of a task.
pub(super) fn method_of(task: &Task) -> Box<dyn AnyMethod + '_> {
    if let Task::Pairs(pairs) = task {
        return Box::new(&**pairs);
    }
    if let Task::Validate(validation) = task {
        return match validation.job.selector.as_ref() {
            Some(resolved) => match &resolved.value {
                MethodKind::Regression(own) => {
                    let method = RegressionProcedure(resolved, own);
                    in_splits(validation, Regressions(method))
                }
                MethodKind::Score(score) => {
                    let correction = validation.job.correction;
                    let selector = ScoreSelection::new(resolved, score, correction);
                    let models = WithPlainModel {
                        validation,
                        selector,
                    };
                    in_splits(validation, models)
                }
                MethodKind::Ranking(own) => {
                    let models = WithPlainModel {
                        validation,
                        selector: RankingProcedure(resolved, own),
                    };
                    in_splits(validation, models)
                }
            },
            None => in_splits(validation, Regressions(PassSearch)),
        };
    }
    if let (Task::Select(job), None) = (task, &task.job().selector)
        && job.responses.is_some()
    {
        return Box::new(EachResponse);
    }
    let inference = match task {
        Task::Select(job) => job.inference,
        _ => None,
    };
    let Some(method) = &task.job().selector else {
        return match inference {
            Some(inference) => Box::new(WithInference::of(PassSearch, inference)),
            None => selector(task, PassSearch),
        };
    };
    match &method.value {
        MethodKind::Score(score) => {
            let selection = ScoreSelection::new(method, score, task.job().correction);
            selector(task, selection)
        }
        MethodKind::Ranking(own) => selector(task, RankingProcedure(method, own)),
        MethodKind::Regression(own) => {
            let own = RegressionProcedure(method, own);
            match inference {
                Some(inference) => Box::new(WithInference::of(own, inference)),
                None => selector(task, own),
            }
        }
    }
}

/// A validation by models of a kind.
fn in_splits<'a>(
    validation: &'a ValidationJob,
    models: impl MadeInSplits + 'a,
) -> Box<dyn AnyMethod + 'a> {
    Box::new(InSplits { validation, models })
}

/// A selector on all rows, or on resamples of them.
fn selector<'a>(task: &'a Task, selector: impl Selector + 'a) -> Box<dyn AnyMethod + 'a> {
    match task {
        Task::Stability(stability) => Box::new(OnResamples {
            stability,
            selector,
        }),
        Task::Select(_) | Task::Pairs(_) | Task::Validate(_) => Box::new(selector),
    }
}
