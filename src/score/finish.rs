//! The last word on a score: a function of relevance and of what the steps gathered.

use std::{fmt::Debug, ops::AddAssign, sync::Arc};

use serde::{Deserialize, Serialize};

use super::TERMS;

/// Makes a candidate's score of its relevance and of what its steps gathered, in place of a
/// [`Join`](super::Join): for scores that are quotients, or that depend on those chosen before.
pub trait FinishFunction: Debug + Send + Sync {
    /// The score; larger is better. −∞ is never chosen; +∞ and NaN end the selection.
    fn score(&self, gathered: &Gathered) -> f64;

    /// The relative tolerance, from 0 to below 1: scores this close to the best tie with it, and the
    /// lowest column of a tie is chosen.
    fn tolerance(&self) -> f64;
}

/// What is known of a candidate before its score.
///
/// *Units:* nats, of ratios and functions their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gathered<'a> {
    /// Its relevance.
    pub relevance: f64,
    /// The steps so far; before the first nothing is gathered.
    pub steps: usize,
    /// What its steps gathered: a value, or where terms are gathered apart one of each; 0 before the
    /// first step.
    pub values: &'a [f64],
    /// The variables chosen before.
    pub chosen: &'a Totals,
}

/// The sums of what chosen variables had when they were chosen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// How many they are.
    pub count: usize,
    /// Of their relevance.
    pub relevance: f64,
    /// Of what each had gathered, a value each of [`Gathered::values`]; the rest are 0.
    pub values: [f64; TERMS],
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.relevance += other.relevance;
        for (sum, value) in self.values.iter_mut().zip(other.values) {
            *sum += value;
        }
    }
}

/// A shared [`FinishFunction`]; two are equal if they are the same object.
#[derive(Debug, Clone)]
pub struct Finish(pub Arc<dyn FinishFunction>);

impl PartialEq for Finish {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Finish {}
