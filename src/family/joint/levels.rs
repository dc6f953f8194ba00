//! Levels of observations, and the constants of a model that are maximised out.

use std::sync::OnceLock;

use super::super::FamilyError;

/// The constants are found where a step promises less than this share of −ℓ: that step is taken, and scores, which are off by
/// its square, have all their digits.
const FOUND: f64 = 1e-13;

/// The same where rounding lets no step come nearer, as where a level's probabilities have nearly vanished.
const NEARLY: f64 = 1e-10;

/// −2ℓ of an observation of weight 1 below which it is taken to be told for certain.
const SEPARATED: f64 = 1e-4;

/// A step to the constants is no longer than this.
const LONGEST: f64 = 32.0;

/// Steps to the constants, and halvings of each, at most.
const STEPS: usize = 100;
const HALVINGS: usize = 60;

/// The levels of observations, those that none of a weight above 0 has left out.
///
/// *Shapes:* n values each; a total each level.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    /// From 0 on.
    pub(super) codes: Vec<u32>,
    pub(super) weights: Vec<f64>,
    /// The sum of the weights of each level.
    pub(super) totals: Vec<f64>,
    /// −2ℓ of the empty model, once it is asked for.
    pub(super) empty: OnceLock<Option<f64>>,
}

impl Levels {
    /// Those of observations; weights may be empty.
    ///
    /// # Errors
    /// Fewer than two levels; a weight that is none.
    pub(super) fn of(codes: &[u32], weights: &[f64]) -> Result<Self, FamilyError> {
        let n = codes.len();
        if !weights.is_empty() && weights.len() != n {
            let (what, found) = ("weights", weights.len());
            return Err(FamilyError::Length { what, found, n });
        }
        let is_weight = |weight: f64| weight >= 0.0 && weight.is_finite();
        if let Some(row) = weights.iter().position(|own| !is_weight(*own)) {
            return Err(FamilyError::Number {
                row: row + 1,
                what: "weight",
                value: weights[row],
                wrong: "no number from 0 on",
            });
        }
        let weights = match weights {
            [] => vec![1.0; n],
            weights => weights.to_vec(),
        };
        let seen = codes.iter().zip(&weights).filter(|(_, w)| **w > 0.0);
        let mut used: Vec<u32> = seen.map(|(code, _)| *code).collect();
        used.sort_unstable();
        used.dedup();
        let Some(last) = used.len().checked_sub(1).filter(|last| *last > 0) else {
            let value = used.first().map_or(f64::NAN, |code| f64::from(*code));
            return Err(FamilyError::OneLevel { value });
        };
        // Of a level without weight it does not matter which it counts as.
        let place = |code: &u32| used.partition_point(|own| own < code).min(last) as u32;
        let codes: Vec<u32> = codes.iter().map(place).collect();
        let mut totals = vec![0.0; used.len()];
        let rows = codes.iter().zip(&weights);
        rows.for_each(|(code, weight)| totals[*code as usize] += weight);
        Ok(Self {
            codes,
            weights,
            totals,
            empty: OnceLock::new(),
        })
    }

    /// −2ℓ that only predictors which tell all levels apart are below: a small share of the least weight.
    pub(super) fn separated_below(&self) -> f64 {
        let used = self.weights.iter().copied().filter(|weight| *weight > 0.0);
        SEPARATED * used.fold(f64::INFINITY, f64::min)
    }

    pub(super) fn count(&self) -> usize {
        self.totals.len()
    }

    /// The level and the weight of each observation.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, f64)> {
        let codes = self.codes.iter().map(|code| *code as usize);
        codes.zip(self.weights.iter().copied())
    }
}

/// A concave log-likelihood at some constants.
pub(super) trait Concave: Sized {
    /// −ℓ.
    fn value(&self) -> f64;

    /// Newton's step, and what it promises of ℓ, twice; none where second derivatives have vanished.
    fn step(&self) -> Option<(Vec<f64>, f64)>;
}

/// The constants that maximise a likelihood, looked for from given ones on, or from `first`; none where there is none in the
/// range of f64.
pub(super) fn maximised<A: Concave>(
    near: Option<&[f64]>,
    first: impl FnOnce() -> Vec<f64>,
    at: impl Fn(&[f64]) -> Option<A>,
) -> Option<(Vec<f64>, A)> {
    let near = near.and_then(|near| Some((near.to_vec(), at(near)?)));
    let (mut constants, mut own) = match near {
        Some(near) => near,
        None => {
            let first = first();
            let own = at(&first)?;
            (first, own)
        }
    };
    for _ in 0..STEPS {
        let (step, promised) = own.step()?;
        let is_found = promised <= FOUND * (1.0 + own.value());
        let most = own.value() * (1.0 + f64::EPSILON) + f64::EPSILON;
        // Where probabilities have nearly vanished a step may lead anywhere.
        let longest = step.iter().fold(0.0, |most: f64, own| most.max(own.abs()));
        let mut share = (LONGEST / longest).min(1.0);
        let mut next = None;
        for _ in 0..HALVINGS {
            let to = constants.iter().zip(&step).map(|(c, s)| c + share * s);
            let to: Vec<f64> = to.collect();
            // What so short a step promises no value tells.
            if share * promised <= f64::EPSILON * own.value() && share < 1.0 {
                break;
            }
            // What the last step promises is less than rounding may take away.
            if let Some(lower) = at(&to).filter(|own| is_found || own.value() <= most) {
                next = Some((to, lower));
                break;
            }
            share /= 2.0;
        }
        match next {
            Some(next) => (constants, own) = next,
            None if promised <= NEARLY * (1.0 + own.value()) => return Some((constants, own)),
            None => return None,
        }
        if is_found {
            return Some((constants, own));
        }
    }
    None
}
