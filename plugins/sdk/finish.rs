//! The last word on a score.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{fmt, ptr, sync::OnceLock};

use passel_abi as abi;

use crate::{entry::warn, function::listed, panics::catch};

/// What a candidate has before its score. In nats; ratios and functions in their own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gathered<'a> {
    /// Its relevance.
    pub relevance: f64,
    /// The steps so far, which are the variables chosen where each is swept alone; before the first
    /// step all values are 0.
    pub steps: usize,
    /// What its steps gathered: one value, or where terms are gathered [apart](crate::Combine::Apart)
    /// one of each.
    pub values: &'a [f64],
    /// The variables chosen before.
    pub chosen: usize,
    /// The sum of their relevance.
    pub chosen_relevance: f64,
    /// The sums of the values that each had when it was chosen.
    pub chosen_values: &'a [f64],
}

/// Makes a candidate's score of its relevance and of what its steps gathered, for scores that are
/// quotients or that depend on all that were chosen; a static, for the engine keeps it.
///
/// ```
/// use passel_sdk::{Finish, Gather, Gathered, Score, combinations::X_W};
///
/// /// Relevance, divided by the mean redundancy.
/// fn quotient(_: &[f64], own: &Gathered) -> f64 {
///     match own.steps {
///         0 => own.relevance,
///         _ => own.relevance / own.values[0].max(1e-12),
///     }
/// }
///
/// static QUOTIENT: Finish = Finish::new(quotient);
///
/// let score = Score {
///     terms: vec![X_W.into()],
///     gather: Gather::Mean,
///     finish: Some(&QUOTIENT),
///     ..Score::default()
/// };
/// ```
pub struct Finish {
    score: fn(&[f64], &Gathered) -> f64,
    tolerance: f64,
    table: OnceLock<FinishTable>,
}

struct FinishTable(*const abi::passel_finish);

// SAFETY: made once, and only read from then on.
unsafe impl Send for FinishTable {}
// SAFETY: as above.
unsafe impl Sync for FinishTable {}

impl Finish {
    /// By the score, larger is better: finite, or −∞ for never. It is given the method's parameters
    /// and called from any thread, on GPUs too by the host. A panic is told to the user.
    pub const fn new(score: fn(&[f64], &Gathered) -> f64) -> Self {
        Self {
            score,
            tolerance: 1e-9,
            table: OnceLock::new(),
        }
    }

    /// Scores that differ by this share are equal, 0 … 0.01; without a word 10⁻⁹.
    #[must_use]
    pub const fn tolerance(mut self, share: f64) -> Self {
        self.tolerance = share;
        self
    }

    /// The score of a candidate.
    pub fn score(&self, values: &[f64], gathered: &Gathered) -> f64 {
        (self.score)(values, gathered)
    }

    pub(crate) fn abi(&'static self) -> *const abi::passel_finish {
        let make = || {
            FinishTable(Box::leak(Box::new(abi::passel_finish {
                size: size_of::<abi::passel_finish>(),
                score: Some(score),
                tolerance: self.tolerance,
                data: ptr::from_ref(self).cast(),
            })))
        };
        self.table.get_or_init(make).0
    }
}

impl fmt::Debug for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finish")
            .field("tolerance", &self.tolerance)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Finish {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

/// Of everything made above that finishes a score.
unsafe extern "C" fn score(
    finish: *const abi::passel_finish,
    values: *const f64,
    count: usize,
    gathered: *const abi::passel_gathered,
) -> f64 {
    // SAFETY: `finish` is one made above, and its data what it was made of.
    let finish = unsafe { &*(*finish).data.cast::<Finish>() };
    // SAFETY: lent until this returns, values as many as said.
    let own = unsafe { &*gathered };
    // SAFETY: as above.
    let (values, gathered, chosen) = unsafe {
        (
            listed(values, count),
            listed(own.values, own.value_count),
            listed(own.chosen_values, own.value_count),
        )
    };
    let gathered = Gathered {
        relevance: own.relevance,
        steps: own.steps,
        values: gathered,
        chosen: own.chosen,
        chosen_relevance: own.chosen_relevance,
        chosen_values: chosen,
    };
    catch(|| (finish.score)(values, &gathered)).unwrap_or_else(|panic| {
        warn(&format!("what finishes a score: {panic}"));
        f64::NAN
    })
}
