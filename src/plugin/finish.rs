//! Calls of what finishes a score.

// Another's code is called.
#![allow(unsafe_code)]

use passel_abi::{passel_finish, passel_gathered};

use super::{
    error::Breach,
    guard::Called,
    guard_pages::lend,
    memory::{Foreign, table},
};
use crate::score::{FinishFunction, Gathered};

/// A plugin's last word on a score, with the values of its parameters.
#[derive(Debug)]
pub(super) struct FinishCall {
    score: unsafe extern "C" fn(
        *const passel_finish,
        *const f64,
        usize,
        *const passel_gathered,
    ) -> f64,
    finish: Foreign<passel_finish>,
    values: Box<[f64]>,
    tolerance: f64,
    called: Called,
}

impl FinishCall {
    /// Reads what finishes a score from the plugin's memory.
    ///
    /// # Safety
    /// `there` is null, or of a plugin that was entered.
    pub(super) unsafe fn read(
        (called, there): (Called, *const passel_finish),
        values: &[f64],
    ) -> Result<Self, Breach> {
        // SAFETY: by the contract.
        let copy = unsafe { table(there) }?;
        Ok(Self {
            score: copy.score.ok_or_else(|| Breach::null("score"))?,
            finish: Foreign(there),
            values: values.into(),
            tolerance: tolerance(copy.tolerance)?,
            called,
        })
    }
}

/// A share within which scores tie.
pub(super) fn tolerance(share: f64) -> Result<f64, Breach> {
    match (0.0..=0.01).contains(&share) {
        true => Ok(share),
        false => Err(format!("the tolerance is {share}; it is 0 … 0.01").into()),
    }
}

impl FinishFunction for FinishCall {
    fn score(&self, gathered: &Gathered) -> f64 {
        let lent = |values, chosen_values| passel_gathered {
            size: size_of::<passel_gathered>(),
            relevance: gathered.relevance,
            steps: gathered.steps,
            values,
            value_count: gathered.values.len(),
            chosen: gathered.chosen.count,
            chosen_relevance: gathered.chosen.relevance,
            chosen_values,
        };
        let call = |values, lent| {
            let count = self.values.len();
            // SAFETY: the plugin's function, with its parameters and what is lent for the call.
            let call = || unsafe { (self.score)(self.finish.0, values, count, lent) };
            self.called.run(call)
        };
        lend(&self.values, |values| {
            lend(gathered.values, |own| {
                lend(&gathered.chosen.values, |chosen| {
                    lend(&[lent(own, chosen)], |lent| call(values, lent))
                })
            })
        })
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }
}
