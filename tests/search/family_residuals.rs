//! Residuals of likelihoods from the definition, and their distribution where the model is right.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design,
    design::MatrixOptions,
    family::{Distribution, Family, FamilyFit, FamilyResponse},
    least_squares::Fit,
    selection::{ObservationResidual, Residuals},
};
use statrs::function::{erf::erf, gamma::ln_gamma};

use crate::problems::Random;

/// The shape of gamma responses and θ of counts.
const SHAPE: usize = 2;

/// Responses of a family whose model is right.
struct Drawn {
    x: DMatrix<f64>,
    y: DVector<f64>,
    trials: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    family: Family,
}

impl Drawn {
    fn of(distribution: Distribution, (has_trials, has_weights): (bool, bool), n: usize) -> Self {
        let random = &mut Random::new(11);
        let x = DMatrix::from_fn(n, 2, |_, _| random.normal());
        let trials = has_trials.then(|| (0..n).map(|i| 1.0 + (i % 9) as f64).collect());
        let is_gamma = distribution == Distribution::Gamma;
        let weights =
            has_weights.then(|| (0..n).map(|i| 1.0 + (i % 3) as f64).collect::<Vec<f64>>());
        let y = DVector::from_fn(n, |i, _| {
            let eta = 0.4 + 0.7 * x[(i, 0)] - 0.4 * x[(i, 1)];
            // A gamma variable of the mean 1, whose shape a weight multiplies.
            let parts = match (&weights, is_gamma) {
                (Some(weights), true) => SHAPE * weights[i] as usize,
                _ => SHAPE,
            };
            let spread = |random: &mut Random| {
                let sum: f64 = (0..parts).map(|_| -random.uniform().ln()).sum();
                sum / parts as f64
            };
            let poisson = |random: &mut Random, mean: f64| {
                let (mut count, mut left) = (0.0, mean + random.uniform().ln());
                while left > 0.0 {
                    count += 1.0;
                    left += random.uniform().ln();
                }
                count
            };
            match distribution {
                Distribution::Binomial => {
                    let times = trials.as_ref().map_or(1.0, |own: &Vec<f64>| own[i]) as usize;
                    let mean = 1.0 / (1.0 + (-eta).exp());
                    (0..times).filter(|_| random.uniform() < mean).count() as f64
                }
                Distribution::Poisson => poisson(random, eta.exp()),
                Distribution::NegativeBinomial => {
                    let mean = eta.exp() * spread(random);
                    poisson(random, mean)
                }
                _ => eta.exp() * spread(random),
            }
        });
        Self {
            family: Family::new(distribution, None).unwrap(),
            x,
            y,
            trials,
            weights,
        }
    }

    fn all(n: usize) -> impl Iterator<Item = Self> {
        use Distribution::{Binomial, Gamma, NegativeBinomial, Poisson};
        let all = [
            (Binomial, (false, false)),
            (Binomial, (true, false)),
            (Binomial, (true, true)),
            (Poisson, (false, false)),
            (Poisson, (false, true)),
            (NegativeBinomial, (false, false)),
            (Gamma, (false, false)),
            (Gamma, (false, true)),
        ];
        all.into_iter()
            .map(move |(own, with)| Self::of(own, with, n))
    }

    fn fitted(&self) -> (Design, Fit) {
        let options = MatrixOptions {
            family: self.family,
            trials: self.trials.as_deref(),
            weights: self.weights.as_deref(),
            ..MatrixOptions::default()
        };
        let design = Design::from_matrices(&self.x, &self.y, &options).unwrap();
        let (fit, _) = Fit::of(design.columns(), design.y(), &[0, 1]);
        (design, fit)
    }

    fn trials(&self, i: usize) -> f64 {
        self.trials.as_ref().map_or(1.0, |own| own[i])
    }

    fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |own| own[i])
    }

    /// The logarithm of the density of observation i at a mean, at weight 1, up to what has no mean in it; that of a gamma
    /// variable at the dispersion 1.
    fn log_density(&self, i: usize, mean: f64, theta: f64) -> f64 {
        let (y, m) = (self.y[i], self.trials(i));
        let power = |x: f64, base: f64| if x > 0.0 { x * base.ln() } else { 0.0 };
        match self.family.distribution() {
            Distribution::Binomial => power(y, mean) + power(m - y, 1.0 - mean),
            Distribution::Poisson => power(y, mean) - mean,
            Distribution::NegativeBinomial => {
                power(y, mean / (mean + theta)) - theta * (1.0 + mean / theta).ln()
            }
            _ => -y / mean - mean.ln(),
        }
    }

    /// P(Y ≤ y) of observation i at a mean, by summing or integrating.
    fn probability(&self, i: usize, y: f64, (mean, theta, dispersion): (f64, f64, f64)) -> f64 {
        let m = self.trials(i);
        let sum = |log: &dyn Fn(f64) -> f64| {
            let counts = (0..=y.max(-1.0) as i64).filter(|_| y >= 0.0);
            counts.map(|k| log(k as f64).exp()).sum::<f64>()
        };
        match self.family.distribution() {
            Distribution::Binomial => sum(&|k| {
                let ways = ln_gamma(m + 1.0) - ln_gamma(k + 1.0) - ln_gamma(m - k + 1.0);
                ways + k * mean.ln() + (m - k) * (1.0 - mean).ln()
            }),
            Distribution::Poisson => sum(&|k| k * mean.ln() - mean - ln_gamma(k + 1.0)),
            Distribution::NegativeBinomial => sum(&|k| {
                ln_gamma(theta + k) - ln_gamma(theta) - ln_gamma(k + 1.0)
                    + theta * (theta / (theta + mean)).ln()
                    + k * (mean / (theta + mean)).ln()
            }),
            _ => {
                // By Simpson's rule over the root of y, about which the density is smooth.
                let shape = self.weight(i) / dispersion;
                let density = |root: f64| {
                    let y = root * root;
                    let log = shape * (shape * y / mean).ln() - shape * y / mean - y.ln();
                    if y > 0.0 {
                        (log - ln_gamma(shape)).exp() * 2.0 * root
                    } else {
                        0.0
                    }
                };
                let (steps, h) = (4000, y.sqrt() / 4000.0);
                let parts = (0..=steps).map(|at| {
                    let weight = match at {
                        0 | 4000 => 1.0,
                        at if at % 2 == 1 => 4.0,
                        _ => 2.0,
                    };
                    weight * density(at as f64 * h)
                });
                parts.sum::<f64>() * h / 3.0
            }
        }
    }
}

fn parts<'a>(design: &'a Design, fit: &'a Fit) -> (&'a FamilyResponse, &'a FamilyFit, f64) {
    let own = fit.family().unwrap();
    let response = design.likelihood().unwrap().response();
    (response, own, own.theta().unwrap_or(f64::INFINITY))
}

#[track_caller]
fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() < tolerance * (1.0 + b.abs()), "{a} {b}");
}

/// Squares of deviance residuals are twice what the log-likelihood lacks of that of the response itself, and sum to the
/// deviance; leverages are the diagonal of the hat matrix of weighted columns.
#[test]
fn deviance_residuals_leverages_and_distances_are_those_of_the_definition() {
    for drawn in Drawn::all(60) {
        let (design, fit) = drawn.fitted();
        let told = Residuals::of(&design, &fit, false, 1).unwrap();
        let (_, own, theta) = parts(&design, &fit);
        let distribution = drawn.family.distribution();
        let variance = |mean: f64| match distribution {
            Distribution::Binomial => mean * (1.0 - mean),
            Distribution::Poisson => mean,
            Distribution::NegativeBinomial => mean + mean * mean / theta,
            _ => mean * mean,
        };
        let z = DMatrix::from_fn(60, 3, |i, j| if j == 0 { 1.0 } else { drawn.x[(i, j - 1)] });
        let of_binomial = distribution == Distribution::Binomial;
        let weight = |i: usize| drawn.weight(i) * drawn.trials(i);
        let rooted = DMatrix::from_fn(60, 3, |i, j| {
            let mean = own.means()[i];
            let slope = if of_binomial {
                mean * (1.0 - mean)
            } else {
                mean
            };
            z[(i, j)] * slope * (weight(i) / variance(mean)).sqrt()
        });
        let inverse = (rooted.transpose() * &rooted).try_inverse().unwrap();
        let hat = &rooted * inverse * rooted.transpose();
        let mut sum = 0.0;
        let pearson: Vec<f64> = (0..60)
            .map(|i| {
                let mean = own.means()[i];
                let y = drawn.y[i] / drawn.trials(i);
                (y - mean) * (weight(i) / variance(mean)).sqrt()
            })
            .collect();
        let dispersion = match distribution {
            Distribution::Gamma => pearson.iter().map(|r| r * r).sum::<f64>() / 57.0,
            _ => 1.0,
        };
        for (i, observation) in told.observed.iter().enumerate() {
            let (mean, y) = (own.means()[i], drawn.y[i] / drawn.trials(i));
            let lacking = drawn.log_density(i, y, theta) - drawn.log_density(i, mean, theta);
            let square = 2.0 * drawn.weight(i) * lacking;
            close(observation.residual.powi(2), square, 1e-9);
            assert_eq!(observation.residual > 0.0, y > mean);
            sum += observation.residual.powi(2);
            close(observation.fitted, mean, 1e-12);
            close(observation.observed, y, 1e-12);
            let free = 1.0 - hat[(i, i)];
            close(observation.leverage, hat[(i, i)], 1e-6);
            let standardised = observation.residual / (dispersion * free).sqrt();
            close(observation.standardised.unwrap(), standardised, 1e-6);
            let distance = pearson[i].powi(2) * hat[(i, i)] / (free * free * dispersion * 3.0);
            close(observation.cooks_distance.unwrap(), distance, 1e-6);
        }
        close(sum, own.deviance(), 1e-9);
    }
}

/// Where the least and the largest share is drawn, quantile residuals are the normal quantiles of P(Y < y) and P(Y ≤ y).
#[test]
fn quantile_residuals_lie_within_the_jump_of_the_distribution() {
    for drawn in Drawn::all(60) {
        let (design, fit) = drawn.fitted();
        let (response, own, theta) = parts(&design, &fit);
        let has_jumps = drawn.family.distribution() != Distribution::Gamma;
        for i in 0..60 {
            let model = (own.means()[i], theta, own.dispersion());
            let y = drawn.y[i];
            let below = if has_jumps { y - 1.0 } else { y };
            for (share, y) in [(0.0, below), (1.0, y)] {
                let residual = own.quantile_residual(response, i, share);
                let probability = 0.5 * (1.0 + erf(residual / 2f64.sqrt()));
                close(probability, drawn.probability(i, y, model), 1e-6);
            }
        }
    }
}

#[test]
fn quantile_residuals_of_the_right_model_are_normal() {
    for drawn in Drawn::all(1000) {
        let (design, fit) = drawn.fitted();
        let told = Residuals::of(&design, &fit, false, 7).unwrap();
        let of = |own: &ObservationResidual| own.quantile_residual.unwrap();
        let mut uniform: Vec<f64> = told
            .observed
            .iter()
            .map(|own| 0.5 * (1.0 + erf(of(own) / 2f64.sqrt())))
            .collect();
        uniform.sort_by(f64::total_cmp);
        // Kolmogorov's distance, which chance brings above 2/√n once in 1,500 times.
        let far = uniform.iter().enumerate().fold(0.0, |far: f64, (at, u)| {
            let ends = [at as f64 / 1000.0, (at + 1) as f64 / 1000.0];
            ends.iter().fold(far, |far, end| far.max((u - end).abs()))
        });
        let family = drawn.family;
        assert!(far < 2.0 / 1000f64.sqrt(), "{family:?}: {far}");
        // Ranked as they are, by quantiles about 0.
        let mut order = told.observed.clone();
        order.sort_by(|a, b| a.quantile.total_cmp(&b.quantile));
        assert!(order.is_sorted_by(|a, b| of(a) <= of(b)));
        // The seed alone draws.
        assert_eq!(told, Residuals::of(&design, &fit, false, 7).unwrap());
        let other = Residuals::of(&design, &fit, false, 8).unwrap();
        let has_jumps = family.distribution() != Distribution::Gamma;
        assert_eq!(has_jumps, told != other);
    }
}

#[test]
fn of_many_a_thousand_are_kept_with_the_largest() {
    let drawn = Drawn::of(Distribution::Poisson, (false, false), 20_000);
    let (design, fit) = drawn.fitted();
    let told = Residuals::of(&design, &fit, false, 1).unwrap();
    assert!((800..=1000).contains(&told.observed.len()));
    assert_eq!(told.n, 20_000);
    assert!(told.observed.is_sorted_by_key(|own| own.row));
    let most =
        |of: &dyn Fn(&ObservationResidual) -> f64| told.observed.iter().map(of).fold(0.0, f64::max);
    // Of 20,000 normal deviates the largest is above 3 but for one time in 10¹¹.
    assert!(most(&|own| own.quantile_residual.unwrap()) > 3.0);
    assert_eq!(Residuals::of(&design, &fit, true, 1), None);
}
