//! The choice of the method of a task.

use super::{
    DataCache, Report, RunContext, RunError,
    by_response::EachResponse,
    candidates::Selector,
    data_cache::{DataKeys, keys},
    drive::drive,
    in_split::MadeInSplits,
    infer::WithInference,
    method::Method,
    pass::PassSearch,
    plain_models::WithPlainModel,
    ranking::{RankingProcedure, ScoreSelection},
    regression::RegressionProcedure,
    sized::SizedSearch,
    split_regression::Regressions,
    stability::OnResamples,
    validate::{InSplits, Validates},
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
        return validation_of(validation);
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
            None if task.job().cross_validates() => Box::new(SizedSearch),
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

/// A validation by the models of its method, beside those of other methods and families.
fn validation_of(validation: &ValidationJob) -> Box<dyn AnyMethod + '_> {
    match Models::of(validation) {
        Models::Search(models) => in_splits(validation, models),
        Models::Procedure(models) => in_splits(validation, models),
        Models::Score(models) => in_splits(validation, models),
        Models::Ranking(models) => in_splits(validation, models),
    }
}

/// What makes the models of a validation.
enum Models<'a> {
    Search(Regressions<PassSearch>),
    Procedure(Regressions<RegressionProcedure<'a>>),
    Score(WithPlainModel<'a, ScoreSelection<'a>>),
    Ranking(WithPlainModel<'a, RankingProcedure<'a>>),
}

impl<'a> Models<'a> {
    fn of(validation: &'a ValidationJob) -> Self {
        let Some(resolved) = &validation.job.selector else {
            return Self::Search(Regressions(PassSearch));
        };
        match &resolved.value {
            MethodKind::Regression(own) => {
                Self::Procedure(Regressions(RegressionProcedure(resolved, own)))
            }
            MethodKind::Score(score) => Self::Score(WithPlainModel {
                validation,
                selector: ScoreSelection::new(resolved, score, validation.job.correction),
            }),
            MethodKind::Ranking(own) => Self::Ranking(WithPlainModel {
                validation,
                selector: RankingProcedure(resolved, own),
            }),
        }
    }
}

fn in_splits<'a>(
    validation: &'a ValidationJob,
    models: impl MadeInSplits + 'a,
) -> Box<dyn AnyMethod + 'a> {
    let others = validation.others.iter().map(beside).collect();
    Box::new(InSplits {
        validation,
        models,
        others,
    })
}

/// A validation that stands beside another.
fn beside(validation: &ValidationJob) -> Box<dyn Validates + '_> {
    fn alone<'a>(
        validation: &'a ValidationJob,
        models: impl MadeInSplits + 'a,
    ) -> Box<dyn Validates + 'a> {
        Box::new(InSplits {
            validation,
            models,
            others: Vec::new(),
        })
    }
    match Models::of(validation) {
        Models::Search(models) => alone(validation, models),
        Models::Procedure(models) => alone(validation, models),
        Models::Score(models) => alone(validation, models),
        Models::Ranking(models) => alone(validation, models),
    }
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
