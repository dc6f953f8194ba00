//! The choice of the method of a task.

use super::{
    DataCache, Report, RunContext, RunError,
    candidates::Selector,
    drive,
    method::Method,
    pass::PassSearch,
    ranking::{RankingProcedure, ScoreSelection},
    regression::RegressionProcedure,
    stability::OnResamples,
};
use crate::{
    job::{Job, Task},
    plugin::MethodKind,
};

impl DataCache {
    /// Expects one use by a job.
    pub fn expect(&self, task: &Task) {
        method_of(task).expect(task.job(), self);
    }

    /// Ends the use by a job that was expected.
    pub fn release(&self, task: &Task) {
        method_of(task).release(task.job(), self);
    }
}

/// A [`Method`] whatever its types.
pub(super) trait AnyMethod {
    /// See [`drive`].
    fn run(&self, task: &Task, context: &RunContext) -> Result<Report, RunError>;
    /// See [`DataCache::expect`].
    fn expect(&self, job: &Job, cache: &DataCache);
    /// See [`DataCache::release`].
    fn release(&self, job: &Job, cache: &DataCache);
}

impl<M: Method> AnyMethod for M {
    fn run(&self, task: &Task, context: &RunContext) -> Result<Report, RunError> {
        drive(self, task, context)
    }

    fn expect(&self, job: &Job, cache: &DataCache) {
        cache.expect_data::<M::Data>(job);
    }

    fn release(&self, job: &Job, cache: &DataCache) {
        cache.release_data::<M::Data>(job);
    }
}

/// The method of a task.
pub(super) fn method_of(task: &Task) -> Box<dyn AnyMethod + '_> {
    if let Task::Pairs(pairs) = task {
        return Box::new(&**pairs);
    }
    let Some(resolved) = &task.job().selector else {
        return selector(task, PassSearch);
    };
    match &resolved.value {
        MethodKind::Score(score) => selector(task, ScoreSelection { resolved, score }),
        MethodKind::Ranking(procedure) => selector(
            task,
            RankingProcedure {
                resolved,
                procedure,
            },
        ),
        MethodKind::Regression(procedure) => selector(
            task,
            RegressionProcedure {
                resolved,
                procedure,
            },
        ),
    }
}

/// A selector on all rows, or on resamples of them.
fn selector<'a>(task: &'a Task, selector: impl Selector + 'a) -> Box<dyn AnyMethod + 'a> {
    match task {
        Task::Stability(stability) => Box::new(OnResamples {
            stability,
            selector,
        }),
        Task::Select(_) | Task::Pairs(_) => Box::new(selector),
    }
}
