//! Calls into a plugin: what it is given, and what it gives back looked at.

// Another's code is called.
#![allow(unsafe_code)]

use std::{ffi::c_char, fmt, ptr, sync::Arc};

use passel_abi::{
    PASSEL_TERMS, passel_criterion, passel_function, passel_problem, passel_quantity, passel_score,
    passel_selector, passel_table, passel_term,
};
use passel_criteria::{Criterion, Model};

use super::{error::ContractError, lent, memory::printable, methods};
use crate::{
    score::{CountTable, Score, TableFunction},
    selector::{Problem, Procedure},
};

/// Room for a plugin's reason.
const REASON: usize = 1024;

/// The last two arguments of a function that may fail, and what it returned.
fn told(call: impl FnOnce(*mut c_char, usize) -> i32) -> Result<(), String> {
    let mut reason = [0; REASON];
    let done = call(reason.as_mut_ptr(), REASON);
    if done == 0 {
        return Ok(());
    }
    let bytes = reason.map(|it: c_char| it.to_ne_bytes()[0]);
    let end = bytes.iter().position(|it| *it == 0).unwrap_or(REASON);
    let reason = printable(&String::from_utf8_lossy(&bytes[..end]));
    Err(match reason.is_empty() {
        true => format!("it returned {done} and did not say why"),
        false => reason,
    })
}

/// A plugin's way to a score.
#[derive(Debug, Clone)]
pub(super) struct Declare {
    pub(super) function: unsafe extern "C" fn(
        *const passel_selector,
        *const f64,
        *mut passel_score,
        *mut c_char,
        usize,
    ) -> i32,
    pub(super) selector: *const passel_selector,
    /// The method's.
    pub(super) name: Arc<str>,
}

// SAFETY: by the contract any thread may call it, and the selector is never changed or freed.
unsafe impl Send for Declare {}
// SAFETY: as above, several at once.
unsafe impl Sync for Declare {}

impl Declare {
    /// The score for one value a parameter, each inside its range.
    pub(super) fn score(&self, values: &[f64]) -> Result<Score, ContractError> {
        let mut terms = [passel_term::default(); PASSEL_TERMS];
        let mut score = passel_score {
            size: size_of::<passel_score>(),
            relevance: passel_quantity::default(),
            terms: terms.as_mut_ptr(),
            term_count: 0,
            gather: 0,
            join: 0,
            against: 0,
            ends: 0,
            floor: 0.0,
            function: ptr::null(),
        };
        let declared = told(|reason, size| {
            // SAFETY: the selector's own function, with all that the contract lends it.
            unsafe { (self.function)(self.selector, values.as_ptr(), &mut score, reason, size) }
        });
        declared.map_err(|reason| ContractError::Declare { reason })?;
        methods::score(&self.name, &score, &terms, values)
    }
}

/// A function of a table, for settled parameters.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) value:
        unsafe extern "C" fn(*const passel_function, *const f64, usize, *const passel_table) -> f64,
    pub(super) function: *const passel_function,
    /// The method's.
    pub(super) name: Arc<str>,
    pub(super) values: Box<[f64]>,
    pub(super) cuda: Option<Arc<str>>,
    pub(super) tolerance: f64,
}

// SAFETY: by the contract any thread may call it, and the function is never changed or freed.
unsafe impl Send for Function {}
// SAFETY: as above, several at once.
unsafe impl Sync for Function {}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("values", &self.values)
            .field("tolerance", &self.tolerance)
            .finish_non_exhaustive()
    }
}

impl Function {
    pub(super) fn with(&self, values: &[f64]) -> Self {
        Self {
            values: values.into(),
            ..self.clone()
        }
    }
}

impl TableFunction for Function {
    fn value(&self, cells: &CountTable) -> f64 {
        let table = passel_table {
            counts: cells.counts.as_ptr(),
            x: cells.x,
            w: cells.w,
            y: cells.y,
        };
        // SAFETY: the plugin's function, with its parameters and a table of as many counts.
        unsafe {
            (self.value)(
                self.function,
                self.values.as_ptr(),
                self.values.len(),
                &table,
            )
        }
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

/// A selector that runs, for settled parameters.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) function: unsafe extern "C" fn(
        *const passel_selector,
        *const f64,
        *const passel_problem,
        *mut c_char,
        usize,
    ) -> i32,
    pub(super) selector: *const passel_selector,
    pub(super) values: Box<[f64]>,
}

// SAFETY: by the contract any thread may call it, and the selector is never changed or freed.
unsafe impl Send for Run {}
// SAFETY: as above, several at once.
unsafe impl Sync for Run {}

impl Run {
    pub(super) fn with(&self, values: &[f64]) -> Self {
        Self {
            values: values.into(),
            ..self.clone()
        }
    }
}

impl Procedure for Run {
    fn run(&self, problem: &dyn Problem) -> Result<(), String> {
        let lent = lent::problem(&problem);
        told(|reason, size| {
            // SAFETY: the selector's own function, with all that the contract lends it until it
            // returns.
            unsafe { (self.function)(self.selector, self.values.as_ptr(), &lent, reason, size) }
        })
    }
}

/// A plugin's criterion, for settled parameters.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) function:
        unsafe extern "C" fn(*const passel_criterion, *const f64, usize, usize, usize, f64) -> f64,
    pub(super) criterion: *const passel_criterion,
    pub(super) name: &'static str,
    pub(super) parameters: Vec<(&'static str, f64)>,
    pub(super) values: Box<[f64]>,
}

// SAFETY: by the contract any thread may call it, and the criterion is never changed or freed.
unsafe impl Send for Value {}
// SAFETY: as above, several at once.
unsafe impl Sync for Value {}

impl Criterion for Value {
    fn name(&self) -> &str {
        self.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        self.parameters.clone()
    }

    fn penalty(&self, n: usize, p: usize, k: usize) -> f64 {
        let rss = n as f64;
        // There n·ln(rss/n) is 0.
        self.value(&Model { n, p, k, rss })
    }

    fn value(&self, &Model { n, p, k, rss }: &Model) -> f64 {
        // SAFETY: the criterion's own function, with one value a parameter.
        unsafe { (self.function)(self.criterion, self.values.as_ptr(), n, p, k, rss) }
    }
}

impl Value {
    pub(super) fn with(&self, values: &[f64]) -> Self {
        let names = self.parameters.iter().map(|it| it.0);
        Self {
            parameters: names.zip(values.iter().copied()).collect(),
            values: values.into(),
            ..self.clone()
        }
    }

    /// The criterion, if what it says of a few models has sense.
    pub(super) fn looked_at(self) -> Result<Self, ContractError> {
        for k in 0..4 {
            let value = |rss: f64| {
                let (n, p) = (100, 20);
                self.value(&Model { n, p, k, rss })
            };
            let (low, high) = (value(50.0), value(100.0));
            if low.is_nan() || high.is_nan() {
                return Err(ContractError::NotANumber { k });
            }
            if high < low {
                return Err(ContractError::Falls { k, low, high });
            }
        }
        Ok(self)
    }
}
