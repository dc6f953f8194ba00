//! Intervals by profiles: the values of a coefficient that the likelihood does not refuse, whatever the others are.

use super::{Distribution, FamilyFit, FamilyResponse, FitStatus, climb::Problem};
use crate::vector::{add_scaled, product};

/// Steps away from the estimate, and then between two values, at most.
const OUTWARD: usize = 60;
const BETWEEN: usize = 100;

/// An end is right where the rise is within the first share of what it must be, and the second of −2ℓ.
const TOLERANCE: f64 = 1e-10;
const ROUNDING: f64 = 1e-13;

/// A profile that promises a rise of no larger a share at twice the distance is level; it has no end if linear predictors
/// have moved by this much more than those of the estimate.
const LEVEL: f64 = 1e-6;
const FAR: f64 = 100.0;

/// A coefficient that moves by a larger share of the one that moves most, where the likelihood rises without end, has none.
const ENDLESS: f64 = 1e-6;

/// The profiles of the coefficients of a fit: for each value of one the largest likelihood, or the largest penalised one of
/// [`FamilyFit::firth`], whatever the others are. θ of the negative binomial family is the likeliest at each value, the dispersion
/// that of the fit.
#[derive(Debug)]
pub struct Profile<'a> {
    columns: Vec<&'a [f64]>,
    origin: Vec<f64>,
    response: &'a FamilyResponse,
    fit: &'a FamilyFit,
}

/// A coefficient that is held at one value after another.
struct Held<'a> {
    /// All columns of the model, ones among them where there is an intercept.
    columns: Vec<&'a [f64]>,
    own: usize,
    response: &'a FamilyResponse,
    fit: &'a FamilyFit,
    /// Where the likelihood rises without end along this coefficient: upwards or downwards, and how far linear predictors move
    /// with it.
    moves: Option<(f64, Vec<f64>)>,
}

/// A value of the profile, from which others are reached.
#[derive(Default)]
struct Value {
    at: f64,
    /// −2ℓ up to a constant; infinite where no mean is of the family.
    objective: f64,
    /// Its derivative.
    slope: f64,
    /// Whether the fit converged: else the profile is below the objective.
    is_settled: bool,
    /// The linear predictors, and θ.
    predictors: Vec<f64>,
    theta: f64,
    /// Of a penalised likelihood the coefficients.
    coefficients: Vec<f64>,
}

impl<'a> Profile<'a> {
    /// The profiles of a fit of columns, whose intercept, if it has one, is that at an origin.
    ///
    /// *Shapes:* n values each; `origin` has the values of the columns there.
    pub fn new(
        columns: Vec<&'a [f64]>,
        origin: Vec<f64>,
        response: &'a FamilyResponse,
        fit: &'a FamilyFit,
    ) -> Self {
        Self {
            columns,
            origin,
            response,
            fit,
        }
    }

    /// Both ends of the values of a coefficient, of which the intercept is the first if there is one, at which −2ℓ, over the
    /// dispersion, is above its least by at most `quantile`: infinite where it never rises so far, none where a fit on the way
    /// does not converge.
    pub fn ends(&self, at: usize, quantile: f64) -> [Option<f64>; 2] {
        let (fit, n) = (self.fit, self.response.n());
        let first = fit.intercept();
        let fixed = usize::from(first.is_some());
        let is_origin = at < fixed;
        let ones = vec![1.0; n * fixed];
        // About the origin the coefficient of the column of ones is the intercept there.
        let shifted: Vec<Vec<f64>> = match is_origin {
            true => {
                let columns = self.columns.iter().zip(&self.origin);
                let shift = |(x, origin): (&&[f64], &f64)| x.iter().map(|x| x - origin).collect();
                columns.map(shift).collect()
            }
            false => Vec::new(),
        };
        let own: Vec<&[f64]> = match is_origin {
            true => shifted.iter().map(Vec::as_slice).collect(),
            false => self.columns.clone(),
        };
        // What the coefficient is of the intercept and the coefficients of the fit.
        let mut form = vec![0.0; fixed + self.columns.len()];
        form[at] = 1.0;
        if is_origin {
            form[1..].copy_from_slice(&self.origin);
        }
        let mut coefficients: Vec<f64> = first.into_iter().collect();
        coefficients.extend(fit.coefficients());
        coefficients[at] = form.iter().zip(&coefficients).map(|(x, b)| x * b).sum();
        // Of some that have no end the standard errors say nothing.
        let error = Some(fit.variance_of(&form).sqrt());
        let error = error.filter(|error| *error > 0.0 && error.is_finite() && !fit.is_separated());
        let along = fit.moves(&form).filter(|along| along.abs() > ENDLESS);
        let moves = along.map(|along| {
            let (first, steps) = fit.direction.split_at(fixed);
            let mut moves = vec![first.iter().sum::<f64>() / along; n];
            for (column, step) in self.columns.iter().zip(steps) {
                add_scaled(&mut moves, step / along, column);
            }
            (along.signum(), moves)
        });
        let held = Held {
            columns: (fixed == 1)
                .then_some(&*ones)
                .into_iter()
                .chain(own)
                .collect(),
            own: at,
            response: self.response,
            fit,
            moves,
        };
        held.ends(coefficients, error, quantile)
    }
}

impl Held<'_> {
    /// Both ends. The search begins at the coefficients of the fit and the standard error of this one, if it has one.
    fn ends(&self, coefficients: Vec<f64>, error: Option<f64>, quantile: f64) -> [Option<f64>; 2] {
        let own = self.columns[self.own];
        let scale = match error {
            Some(error) => error * quantile.sqrt(),
            None => 1.0 / own.iter().fold(0.0, |most: f64, x| most.max(x.abs())),
        };
        let start = Value {
            at: coefficients[self.own],
            predictors: self.fit.predictors().to_vec(),
            theta: self.fit.theta,
            coefficients,
            ..Value::default()
        };
        let least = self.value(start.at, &start);
        if !(least.is_settled && least.objective.is_finite()) {
            return [None; 2];
        }
        let without = self.has_no_end().then(|| self.value(0.0, &start));
        if let Some(without) = &without
            && without.objective - least.objective <= LEVEL * quantile
        {
            // Where the others alone come to the supremum, they do so beside any value of this one: what a step along its own
            // direction loses they make up for along theirs.
            return [f64::NEG_INFINITY, f64::INFINITY].map(Some);
        }
        let upwards = self.moves.as_ref().map(|(upwards, _)| *upwards);
        let bound = least.objective + quantile;
        [-1.0, 1.0].map(|direction| match &without {
            _ if upwards == Some(direction) => Some(direction * f64::INFINITY),
            // The estimate is as far as the fit went: what is near is 0.
            Some(zero) if upwards.is_some() => match zero.objective >= bound {
                true if zero.is_settled => self.between(&least, zero, bound, quantile),
                true => None,
                false => self.end(zero, direction * scale, bound, quantile),
            },
            _ => self.end(&least, direction * scale, bound, quantile),
        })
    }

    /// Whether the likelihood rises without end along this coefficient, or along any.
    fn has_no_end(&self) -> bool {
        self.moves.is_some() || self.fit.is_separated() && self.fit.deviance() == 0.0
    }

    /// The end beyond a value where −2ℓ is below its bound, in the direction of a first step.
    fn end(&self, from: &Value, step: f64, bound: f64, quantile: f64) -> Option<f64> {
        let own = self.columns[self.own];
        let spread = (product(own, own) / own.len() as f64).sqrt();
        let far = (FAR / spread + 4.0 * from.at.abs()).max(2.0 * step.abs());
        let mut inner = None;
        let (mut distance, mut reached) = (step, 0.0);
        for _ in 0..OUTWARD {
            let start = inner.as_ref().unwrap_or(from);
            let value = self.value(from.at + distance, start);
            if value.objective >= bound {
                if value.is_settled {
                    return self.between(start, &value, bound, quantile);
                }
                // The step was too long for the fit.
                distance = (reached + distance) / 2.0;
                continue;
            }
            if distance.abs() >= far && value.slope * distance <= LEVEL * quantile {
                return Some(step.signum() * f64::INFINITY);
            }
            let risen = value.objective - (bound - quantile);
            reached = distance;
            distance *= match risen > 0.0 {
                // The root of the rise is about a line.
                true => (1.05 * (quantile / risen).sqrt()).clamp(1.1, 3.0),
                false => 2.0,
            };
            inner = Some(value);
        }
        None
    }

    /// Where between two values −2ℓ is its bound: below it at the first, and not at the second.
    fn between(&self, low: &Value, high: &Value, bound: f64, quantile: f64) -> Option<f64> {
        let tolerance = TOLERANCE * quantile + ROUNDING * bound.abs();
        let rise = |value: &Value| value.objective - (bound - quantile);
        let (mut inner, mut outer) = (None, None);
        let mut from_outer = high.objective.is_finite();
        for _ in 0..BETWEEN {
            let low = inner.as_ref().unwrap_or(low);
            let high = outer.as_ref().unwrap_or(high);
            if (high.at - low.at).abs() <= 1e-14 * high.at.abs() {
                break;
            }
            // Newton's method on the root of the rise.
            let near = if from_outer { high } else { low };
            let root = rise(near).max(0.0).sqrt();
            let guess = near.at + (quantile.sqrt() - root) * 2.0 * root / near.slope;
            let is_between = (guess - low.at) * (guess - high.at) < 0.0;
            let at = match is_between {
                true => guess,
                false => (low.at + high.at) / 2.0,
            };
            let value = self.value(at, low);
            let off = value.objective - bound;
            if off.abs() <= tolerance && value.is_settled {
                return Some(at);
            }
            from_outer = off > 0.0 && value.objective.is_finite() && value.is_settled;
            match off < 0.0 {
                true => inner = Some(value),
                false => outer = Some(value),
            }
        }
        let high = outer.as_ref().unwrap_or(high);
        high.is_settled.then_some(high.at)
    }

    /// The profile at a value, from another one on.
    fn value(&self, at: f64, start: &Value) -> Value {
        if self.fit.is_penalised {
            return self.penalised(at, start);
        }
        let own = self.columns[self.own];
        let mut response = self.response.clone();
        let rows = response.offset.iter_mut().zip(own);
        rows.for_each(|(offset, x)| *offset += at * x);
        let columns = self.columns.iter().enumerate();
        let others = columns.filter(|(column, _)| *column != self.own);
        let others: Vec<&[f64]> = others.map(|(_, column)| *column).collect();
        let mut predictors = start.predictors.clone();
        // What has no end goes with it, up to 0; else the fit's first step sees to what the others do.
        if let Some((_, moves)) = &self.moves
            && start.at != 0.0
            && at * start.at >= 0.0
        {
            add_scaled(&mut predictors, at - start.at, moves);
        }
        let fit = FamilyFit::near(&others, &response, false, Some((predictors, start.theta)));
        let Ok(fit) = fit else {
            return Value::beyond(at);
        };
        let objective = match self.response.family().distribution() {
            // Its likelihood is of θ too.
            Distribution::NegativeBinomial => fit.minus_two_log_likelihood(),
            _ => fit.deviance(),
        };
        Value {
            at,
            objective: objective / self.fit.dispersion(),
            slope: -2.0 * product(own, fit.scores()) / self.fit.dispersion(),
            is_settled: fit.status() != FitStatus::NotConverged,
            predictors: fit.predictors().to_vec(),
            theta: fit.theta().unwrap_or(f64::INFINITY),
            coefficients: Vec::new(),
        }
    }

    fn penalised(&self, at: f64, start: &Value) -> Value {
        let problem = Problem {
            columns: self.columns.clone(),
            response: self.response,
            theta: f64::INFINITY,
        };
        let mut coefficients = start.coefficients.clone();
        coefficients[self.own] = at;
        let Some((end, status, _)) = problem.climb_penalised(coefficients, Some(self.own)) else {
            return Value::beyond(at);
        };
        Value {
            at,
            objective: end.objective,
            slope: -2.0 * product(self.columns[self.own], &end.scores),
            is_settled: status == FitStatus::Converged,
            coefficients: end.coefficients,
            ..Value::default()
        }
    }
}

impl Value {
    /// Where no mean is of the family.
    fn beyond(at: f64) -> Self {
        Self {
            at,
            objective: f64::INFINITY,
            is_settled: true,
            ..Self::default()
        }
    }
}
