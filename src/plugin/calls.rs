//! Calls of a plugin's functions: their arguments prepared, their results checked.

// Another's code is called.
#![allow(unsafe_code)]

use std::{ffi::c_char, fmt, ptr, slice, sync::Arc};

use passel_abi::{
    PASSEL_TERMS, passel_criterion, passel_function, passel_model, passel_problem, passel_quantity,
    passel_score, passel_selector, passel_table, passel_term,
};
use passel_criteria::{Criterion, Model, Origin};

use super::{
    contract,
    error::Breach,
    finish::{FinishCall, tolerance},
    guard::Called,
    guard_pages::{lend, lend_mut},
    memory::{Foreign, cuda_text, printable, table},
    problem::{self, Lent},
    process_state::kept,
};
use crate::{
    score::{CountTable, Finish, Measure, Score, ScoreError, ScoreFunction, TableFunction},
    selector::{Problem, Procedure},
};

/// Bytes for a plugin's reason.
const REASON: usize = 1024;

/// Calls a function that may fail, with a buffer for its reason.
fn call_fallible(call: impl FnOnce(*mut c_char, usize) -> i32) -> Result<(), String> {
    let mut buffer = [0; REASON];
    let code = lend_mut(&mut buffer, |buffer| call(buffer, REASON));
    if code == 0 {
        return Ok(());
    }
    let bytes = buffer.map(|byte: c_char| byte.to_ne_bytes()[0]);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(REASON);
    let reason = printable(&String::from_utf8_lossy(&bytes[..end]));
    Err(match reason.is_empty() {
        true => format!("it returned {code} and did not say why"),
        false => reason,
    })
}

/// A selector's function that declares a score.
#[derive(Debug, Clone)]
pub struct DeclareCall {
    pub(super) function: unsafe extern "C" fn(
        *const passel_selector,
        *const f64,
        *mut passel_score,
        *mut c_char,
        usize,
    ) -> i32,
    pub(super) selector: Foreign<passel_selector>,
    pub(super) name: Arc<str>,
    pub(super) called: Called,
}

impl DeclareCall {
    /// The score for these values, one a parameter, each inside its range.
    pub(super) fn score(&self, values: &[f64]) -> Result<Score, Breach> {
        let mut terms = [passel_term::default(); PASSEL_TERMS];
        let mut score = passel_score {
            size: size_of::<passel_score>(),
            relevance: passel_quantity::default(),
            terms: ptr::null_mut(),
            term_count: 0,
            gather: 0,
            join: 0,
            against: 0,
            ends: 0,
            floor: 0.0,
            function: ptr::null(),
            finish: ptr::null(),
            combine: 0,
            reserved: 0,
        };
        let mut declare = |values, terms: *mut passel_term, reason, size| {
            score.terms = terms;
            lend_mut(slice::from_mut(&mut score), |score| {
                // SAFETY: the selector's own function, with all the arguments of the contract.
                let call =
                    || unsafe { (self.function)(self.selector.0, values, score, reason, size) };
                kept(|| self.called.run(call))
            })
        };
        let declared = call_fallible(|reason, size| {
            lend(values, |values| {
                lend_mut(&mut terms, |terms| declare(values, terms, reason, size))
            })
        });
        declared.map_err(|reason| Breach::objection(format!("it has no such score: {reason}")))?;
        let count = score.term_count;
        let filled = terms.get(..count).ok_or_else(|| ScoreError::terms(count))?;
        let measure = match score.function.is_null() {
            true => contract::declared_measure(&score, filled)?,
            false => {
                // SAFETY: by the contract a function of the plugin, which was entered.
                let there = (self.called, score.function);
                let call = unsafe { FunctionCall::read(&self.name, there, values) }?;
                Measure::Function(ScoreFunction(Arc::new(call)))
            }
        };
        let finish = match score.finish.is_null() {
            true => None,
            false => {
                // SAFETY: as above.
                let call = unsafe { FinishCall::read((self.called, score.finish), values) }?;
                Some(Finish(Arc::new(call)))
            }
        };
        contract::score(&score, measure, finish)
    }
}

/// A plugin's function of a table of counts, with the values of its parameters.
#[derive(Clone)]
pub struct FunctionCall {
    value:
        unsafe extern "C" fn(*const passel_function, *const f64, usize, *const passel_table) -> f64,
    function: Foreign<passel_function>,
    name: Arc<str>,
    values: Box<[f64]>,
    cuda: Option<Arc<str>>,
    tolerance: f64,
    called: Called,
}

impl fmt::Debug for FunctionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionCall")
            .field("name", &self.name)
            .field("values", &self.values)
            .field("tolerance", &self.tolerance)
            .finish_non_exhaustive()
    }
}

impl FunctionCall {
    /// Reads the function of a method from the plugin's memory.
    ///
    /// # Safety
    /// `there` is null, or a function of a plugin that was entered.
    pub(super) unsafe fn read(
        name: &Arc<str>,
        (called, there): (Called, *const passel_function),
        values: &[f64],
    ) -> Result<Self, Breach> {
        // SAFETY: by the contract, here and below.
        let copy = unsafe { table(there) }?;
        let value = copy.value.ok_or_else(|| Breach::null("value"))?;
        let cuda = unsafe { cuda_text(copy.cuda) }?.map(Into::into);
        Ok(Self {
            value,
            function: Foreign(there),
            name: name.clone(),
            values: values.into(),
            cuda,
            tolerance: tolerance(copy.tolerance)?,
            called,
        })
    }

    pub(super) fn with(&self, values: &[f64]) -> Self {
        Self {
            values: values.into(),
            ..self.clone()
        }
    }
}

impl TableFunction for FunctionCall {
    fn value(&self, table: &CountTable) -> f64 {
        let lent = |counts| passel_table {
            size: size_of::<passel_table>(),
            counts,
            x: table.x,
            w: table.w,
            y: table.y,
            step: table.step,
        };
        let call = |values, table| {
            let count = self.values.len();
            // SAFETY: the plugin's function, with its parameters and a table of as many counts.
            let call = || unsafe { (self.value)(self.function.0, values, count, table) };
            self.called.run(call)
        };
        lend(&self.values, |values| {
            lend(table.counts, |counts| {
                lend(&[lent(counts)], |table| call(values, table))
            })
        })
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn values(&self) -> &[f64] {
        &self.values
    }

    fn cuda(&self) -> Option<&str> {
        self.cuda.as_deref()
    }
}

/// A selector's procedure, with the values of its parameters.
#[derive(Debug, Clone)]
pub struct RunCall {
    pub(super) function: unsafe extern "C" fn(
        *const passel_selector,
        *const f64,
        *const passel_problem,
        *mut c_char,
        usize,
    ) -> i32,
    pub(super) check:
        Option<unsafe extern "C" fn(*const passel_selector, *const f64, *mut c_char, usize) -> i32>,
    pub(super) selector: Foreign<passel_selector>,
    pub(super) values: Box<[f64]>,
    /// Whether it chooses models of every family.
    pub(super) has_likelihoods: bool,
    pub(super) called: Called,
}

impl RunCall {
    /// The procedure with these values, if it has them.
    pub(super) fn with(&self, values: &[f64]) -> Result<Self, Breach> {
        if let Some(check) = self.check {
            let checked = call_fallible(|reason, size| {
                lend(values, |values| {
                    // SAFETY: the selector's own function, with all the arguments of the contract.
                    let call = || unsafe { check(self.selector.0, values, reason, size) };
                    self.called.run(call)
                })
            });
            checked.map_err(Breach::objection)?;
        }
        Ok(Self {
            values: values.into(),
            ..*self
        })
    }
}

impl Procedure for RunCall {
    fn run(&self, problem: &dyn Problem) -> Result<(), String> {
        let lent = Lent {
            problem,
            called: self.called,
        };
        let table = problem::function_table(&lent);
        let run = |values, table, reason, size| {
            // SAFETY: the selector's own function; what it is lent lives until it returns.
            let call = || unsafe { (self.function)(self.selector.0, values, table, reason, size) };
            kept(|| self.called.run_awaited(call))
        };
        call_fallible(|reason, size| {
            lend(&self.values, |values| {
                lend(&[table], |table| run(values, table, reason, size))
            })
        })
    }

    fn has_likelihoods(&self) -> bool {
        self.has_likelihoods
    }
}

/// A plugin's criterion, with the values of its parameters.
#[derive(Debug, Clone)]
pub struct CriterionCall {
    pub(super) function:
        unsafe extern "C" fn(*const passel_criterion, *const f64, *const passel_model) -> f64,
    pub(super) criterion: Foreign<passel_criterion>,
    pub(super) name: &'static str,
    pub(super) parameters: Vec<(&'static str, f64)>,
    /// The names of the values of each parameter, where it has some.
    pub(super) choices: Arc<[Vec<String>]>,
    pub(super) values: Box<[f64]>,
    /// Whether it is defined for models of maximum likelihood.
    pub(super) has_likelihoods: bool,
    /// Of one that was asked for.
    pub(super) origin: Option<Arc<Origin>>,
    pub(super) called: Called,
}

impl Criterion for CriterionCall {
    fn origin(&self) -> Option<&Origin> {
        self.origin.as_deref()
    }

    fn name(&self) -> &str {
        self.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        self.parameters.clone()
    }

    fn word(&self, parameter: &str) -> Option<&str> {
        let own = self.parameters.iter().zip(&*self.choices);
        let mut own = own.filter(|((name, _), _)| *name == parameter);
        let ((_, value), choices) = own.next()?;
        choices.get(*value as usize).map(String::as_str)
    }

    fn penalty(&self, model: &Model) -> f64 {
        // There the misfit is 0.
        let rss = model.n as f64;
        let minus_two_log_likelihood = model.minus_two_log_likelihood.map(|_| 0.0);
        self.value(&Model {
            rss,
            minus_two_log_likelihood,
            ..*model
        })
    }

    fn needs_least_squares(&self) -> bool {
        !self.has_likelihoods
    }

    fn value(&self, model: &Model) -> f64 {
        let lent = passel_model {
            size: size_of::<passel_model>(),
            n: model.n,
            candidates: model.candidates,
            chosen: model.chosen,
            kept: model.kept,
            parameters: model.parameters(),
            intercept: usize::from(model.has_intercept),
            rss: match model.minus_two_log_likelihood {
                None => model.rss,
                Some(_) => f64::NAN,
            },
            misfit: model.misfit(),
            family: model.family.as_ptr(),
            scatter: model.scatter,
            dispersion: model.dispersion,
        };
        let call = |values, model| {
            // SAFETY: the criterion's own function, with one value a parameter and a model that lives on.
            let call = || unsafe { (self.function)(self.criterion.0, values, model) };
            self.called.run(call)
        };
        lend(&self.values, |values| {
            lend(&[lent], |model| call(values, model))
        })
    }
}

impl CriterionCall {
    pub(super) fn with(&self, origin: Origin, values: &[f64]) -> Self {
        let names = self.parameters.iter().map(|parameter| parameter.0);
        Self {
            parameters: names.zip(values.iter().copied()).collect(),
            values: values.into(),
            choices: self.choices.clone(),
            origin: Some(Arc::new(origin)),
            ..*self
        }
    }
}
