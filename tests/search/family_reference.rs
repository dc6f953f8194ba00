//! Problems of families, and their likelihoods by the definition, maximised by nalgebra alone.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design,
    criteria::{Criterion, Model},
    design::MatrixOptions,
    family::{Distribution, Family, Link},
};
use statrs::function::{erf::erf, gamma::ln_gamma};

use crate::problems::Random;

/// The families with each of their links, but the normal one.
pub fn families() -> Vec<Family> {
    use Distribution::{Binomial, Gamma, NegativeBinomial, Poisson};
    let all = [Binomial, Poisson, NegativeBinomial, Gamma].into_iter();
    all.flat_map(|own| {
        own.links()
            .iter()
            .map(move |link| Family::new(own, Some(*link)).unwrap())
    })
    .collect()
}

/// A problem of a family.
pub struct Problem {
    family: Family,
    x: DMatrix<f64>,
    y: DVector<f64>,
    trials: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    offset: Option<Vec<f64>>,
    intercept: bool,
}

/// The mean of a link, and its slope.
fn mean(link: Link, eta: f64) -> (f64, f64) {
    match link {
        Link::Identity => (eta, 1.0),
        Link::Logit => {
            let mean = 1.0 / (1.0 + (-eta).exp());
            (
                mean,
                (-eta.abs()).exp() / (1.0 + (-eta.abs()).exp()).powi(2),
            )
        }
        Link::Probit => {
            let density = (-eta * eta / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            ((1.0 + erf(eta / std::f64::consts::SQRT_2)) / 2.0, density)
        }
        Link::Cloglog => {
            let e = eta.min(30.0).exp();
            (-(-e).exp_m1(), e * (-e).exp())
        }
        Link::Log => (eta.exp(), eta.exp()),
        Link::Inverse => (1.0 / eta, -1.0 / (eta * eta)),
        Link::Plugin(_) => unreachable!("no plugin is here"),
    }
}

impl Problem {
    /// Draws one: the first two columns matter.
    pub fn random(random: &mut Random, family: Family, n: usize, p: usize) -> Self {
        let x = DMatrix::from_fn(n, p, |_, _| random.normal());
        let distribution = family.distribution();
        let is_inverse = family.link() == Link::Inverse;
        let has = |random: &mut Random, share: f64| random.normal() > share;
        let weights = has(random, 0.5).then(|| (0..n).map(|i| 0.5 + (i % 3) as f64).collect());
        let offset: Option<Vec<f64>> = (!is_inverse && has(random, 0.5))
            .then(|| (0..n).map(|i| 0.2 * (i % 4) as f64).collect());
        let trials: Option<Vec<f64>> = (distribution == Distribution::Binomial && has(random, 0.5))
            .then(|| (0..n).map(|i| 1.0 + (i % 4) as f64).collect());
        let y = DVector::from_fn(n, |row, _| {
            let eta = 0.8 * x[(row, 0)] - 0.6 * x[(row, 1 % p)];
            let shift = offset.as_ref().map_or(0.0, |own| own[row]);
            let unit = |random: &mut Random| 0.5 * (1.0 + erf(random.normal() / 2f64.sqrt()));
            match distribution {
                Distribution::Binomial => {
                    let times = trials.as_ref().map_or(1.0, |own| own[row]) as usize;
                    let mu = mean(Link::Logit, eta + shift).0;
                    (0..times).filter(|_| unit(random) < mu).count() as f64
                }
                Distribution::Gamma => {
                    let noise = -(1.0 - unit(random)).ln() - (1.0 - unit(random)).ln();
                    let at = if is_inverse { -0.3 * eta } else { 0.5 * eta };
                    (at + shift).exp() * (0.05 + noise)
                }
                _ => {
                    let spread = -(1.0 - unit(random)).ln();
                    ((0.6 * eta + shift + 1.0).exp() * spread).floor()
                }
            }
        });
        Self {
            family,
            x,
            y,
            trials,
            weights,
            offset,
            intercept: is_inverse || has(random, -1.0),
        }
    }

    pub fn design(&self) -> Option<Design> {
        let options = MatrixOptions {
            family: self.family,
            trials: self.trials.as_deref(),
            weights: self.weights.as_deref(),
            offset: self.offset.as_deref(),
            intercept: self.intercept,
            ..MatrixOptions::default()
        };
        Design::from_matrices(&self.x, &self.y, &options).ok()
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |own| own[row])
    }

    /// −2ℓ of linear predictors, at a shape of the negative binomial.
    fn misfit(&self, eta: &DVector<f64>, theta: f64) -> f64 {
        let n = self.y.len();
        let total: f64 = (0..n).map(|row| self.weight(row)).sum();
        let rows = |of: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
            let own = |row: usize| {
                let times = self.trials.as_ref().map_or(1.0, |own| own[row]);
                self.weight(row) * of(self.y[row], mean(self.family.link(), eta[row]).0, times)
            };
            (0..n).map(own).sum()
        };
        let power = |x: f64, y: f64| if x > 0.0 { x * y.max(1e-300).ln() } else { 0.0 };
        match self.family.distribution() {
            Distribution::Binomial => {
                -2.0 * rows(&|y, mu, m| {
                    let ways = ln_gamma(m + 1.0) - ln_gamma(y + 1.0) - ln_gamma(m - y + 1.0);
                    let ways = if m > 1.0 { ways } else { 0.0 };
                    ways + power(y, mu) + power(m - y, 1.0 - mu)
                })
            }
            Distribution::Poisson => -2.0 * rows(&|y, mu, _| power(y, mu) - mu - ln_gamma(y + 1.0)),
            Distribution::NegativeBinomial => {
                -2.0 * rows(&|y, mu, _| {
                    ln_gamma(theta + y) - ln_gamma(theta) - ln_gamma(y + 1.0)
                        + theta * (theta / (theta + mu)).ln()
                        + power(y, mu / (theta + mu))
                })
            }
            _ => {
                // Gamma, at the dispersion that R takes: the deviance over the weights.
                let deviance = 2.0 * rows(&|y, mu, _| (y - mu) / mu - (y / mu).ln());
                let shape = total / deviance;
                -2.0 * rows(&|y, mu, _| {
                    shape * (shape * y / mu).ln() - shape * y / mu - y.ln() - ln_gamma(shape)
                })
            }
        }
    }

    /// The least −2ℓ of a model, by Fisher's scoring with halved steps; infinite means are never taken.
    fn least(&self, support: &[u32]) -> f64 {
        let is_count = self.family.distribution() == Distribution::NegativeBinomial;
        if !is_count {
            return self.climb(support, f64::NAN);
        }
        // A golden section over ln θ.
        let (mut low, mut high) = (-4.0, 12.0);
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let at = |logarithm: f64| self.climb(support, logarithm.exp());
        let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
        let (mut of_a, mut of_b) = (at(a), at(b));
        while high - low > 1e-4 {
            if of_a < of_b {
                (high, b, of_b) = (b, a, of_a);
                a = high - ratio * (high - low);
                of_a = at(a);
            } else {
                (low, a, of_a) = (a, b, of_b);
                b = low + ratio * (high - low);
                of_b = at(b);
            }
        }
        of_a.min(of_b)
    }

    fn climb(&self, support: &[u32], theta: f64) -> f64 {
        let n = self.y.len();
        let fixed = usize::from(self.intercept);
        let k = support.len() + fixed;
        let z = DMatrix::from_fn(n, k, |row, at| match at < fixed {
            true => 1.0,
            false => self.x[(row, support[at - fixed] as usize)],
        });
        let offset = DVector::from_fn(n, |row, _| self.offset.as_ref().map_or(0.0, |own| own[row]));
        let link = self.family.link();
        let start = match link {
            Link::Inverse => 1.0 / self.y.mean(),
            Link::Log if self.intercept => self.y.mean().max(0.1).ln(),
            _ => 0.0,
        };
        let mut beta = DVector::zeros(k);
        if self.intercept {
            beta[0] = start;
        }
        let predictors = |beta: &DVector<f64>| &offset + &z * beta;
        let is_valid =
            |eta: &DVector<f64>| link != Link::Inverse || eta.iter().all(|eta| *eta > 0.0);
        let mut best = self.misfit(&predictors(&beta), theta);
        if k == 0 {
            return best;
        }
        for _ in 0..200 {
            let eta = predictors(&beta);
            let mut information = DMatrix::zeros(k, k);
            let mut score = DVector::zeros(k);
            for row in 0..n {
                let times = self.trials.as_ref().map_or(1.0, |own| own[row]);
                let (mu, slope) = mean(link, eta[row]);
                let variance = match self.family.distribution() {
                    Distribution::Binomial => mu * (1.0 - mu),
                    Distribution::Poisson => mu,
                    Distribution::NegativeBinomial => mu + mu * mu / theta,
                    _ => mu * mu,
                };
                let weight = self.weight(row) * times * slope * slope / variance;
                if !(weight > 1e-14 && weight.is_finite()) {
                    continue;
                }
                let column = z.row(row).transpose();
                information += weight * &column * column.transpose();
                score += weight * (self.y[row] / times - mu) / slope * &column;
            }
            let svd = information.svd(true, true);
            let Ok(step) = svd.solve(&score, 1e-13) else {
                break;
            };
            let mut share = 1.0;
            let before = best;
            while share > 1e-9 {
                let next = &beta + share * &step;
                let eta = predictors(&next);
                let value = match is_valid(&eta) {
                    true => self.misfit(&eta, theta),
                    false => f64::NAN,
                };
                if value < best {
                    (beta, best) = (next, value);
                    break;
                }
                share /= 2.0;
            }
            if before - best <= 1e-13 * (1.0 + best.abs()) {
                break;
            }
        }
        best
    }

    pub fn value(&self, criterion: &dyn Criterion, support: &[u32]) -> f64 {
        let (n, p) = self.x.shape();
        let least = self.least(support);
        criterion.value(&Model {
            minus_two_log_likelihood: Some(least),
            has_intercept: self.intercept,
            ..Model::new(n, p, support.len(), f64::NAN)
        })
    }
}
