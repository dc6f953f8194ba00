//! P-values of many splits, made one.
//!
//! *Source:* N. Meinshausen, L. Meier, P. Bühlmann, p-Values for high-dimensional regression, Journal of the American
//! Statistical Association 104, 2009; intervals by inverting the test, as R. Dezeure, P. Bühlmann, L. Meier and N. Meinshausen,
//! High-dimensional inference, Statistical Science 30, 2015, have it.

use crate::family::{two_sided, two_sided_normal};

/// The least share of the splits whose p-values may decide.
const LEAST_SHARE: f64 = 0.05;

/// Steps by which an end of an interval is looked for, each twice as far as the one before, and halvings then.
const STEPS: usize = 60;

/// A coefficient as the half of a split that did not choose it estimates it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitEstimate {
    /// β̂.
    pub coefficient: f64,
    /// Its standard error.
    pub std_error: f64,
    /// Degrees of freedom of Student's t; `None` where the test is normal.
    pub freedom: Option<f64>,
}

impl SplitEstimate {
    /// The two-sided p-value of a hypothesis on the coefficient.
    pub fn p_value(&self, hypothesis: f64) -> f64 {
        let score = (self.coefficient - hypothesis) / self.std_error;
        match self.freedom {
            Some(freedom) => two_sided(score, freedom),
            None => two_sided_normal(score),
        }
    }
}

/// The p-value of many, which may depend on one another in any way: min(1, (1 − ln γ₀)·inf Q(γ)) over γ from γ₀ = 0.05 to 1, Q(γ)
/// being their γ-quantile over γ. Of no p-values 1.
pub fn aggregated_p_value(mut p: Vec<f64>) -> f64 {
    p.sort_by(f64::total_cmp);
    let count = p.len() as f64;
    let first = (LEAST_SHARE * count - 1e-9).ceil().max(1.0) as usize;
    // The quantile is a step, so that Q is least at the end of each.
    let quotients = p.iter().enumerate().skip(first - 1);
    let quotients = quotients.map(|(at, p)| p * count / (at + 1) as f64);
    let least = quotients.fold(f64::INFINITY, f64::min);
    ((1.0 - LEAST_SHARE.ln()) * least).min(1.0)
}

/// False discovery rates of p-values that are adjusted for their number and may depend on one another in any way, among `all`
/// hypotheses of which the others have the p-value 1: of each the least rate at which it is rejected, Σ 1/i times p over its rank.
///
/// Such p-values are bounded below 1 alone: of hypotheses that hold at most α are expected to have p ≤ α where α < 1, but all of them may
/// have p = 1. What has that is never rejected, and has no rank.
///
/// *Source:* theorem 3.3 of Meinshausen, Meier and Bühlmann, after Y. Benjamini, D. Yekutieli, The control of the false discovery
/// rate in multiple testing under dependency, Annals of Statistics 29, 2001.
pub fn false_discovery_rates(p: &[f64], all: usize) -> Vec<f64> {
    let all = all.max(p.len());
    let harmonic: f64 = (1..=all).map(|rank| 1.0 / rank as f64).sum();
    let mut order: Vec<usize> = (0..p.len()).filter(|at| p[*at] < 1.0).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut rates = vec![1.0; p.len()];
    let mut bound: f64 = 1.0;
    for (rank, at) in order.into_iter().enumerate().rev() {
        bound = bound.min(p[at] * harmonic / (rank + 1) as f64);
        rates[at] = bound;
    }
    rates
}

/// The values of a coefficient that are not rejected at `alpha` by its p-values of all `splits`, those that did not choose it
/// having 1: the ends around the value that is rejected least; infinite where none is rejected on that side. None where the
/// estimates contradict one another.
pub fn split_interval(estimates: &[SplitEstimate], splits: usize, alpha: f64) -> Option<[f64; 2]> {
    let p_value = |value: f64| {
        let mut all: Vec<f64> = estimates.iter().map(|own| own.p_value(value)).collect();
        all.resize(splits.max(all.len()), 1.0);
        aggregated_p_value(all)
    };
    let centers = estimates.iter().map(|own| own.coefficient);
    let center = centers.max_by(|a, b| p_value(*a).total_cmp(&p_value(*b)))?;
    if p_value(center) <= alpha {
        return None;
    }
    let unit = estimates
        .iter()
        .map(|own| own.std_error)
        .fold(0.0, f64::max);
    let end = |sign: f64| {
        let at = |steps: f64| center + sign * unit * steps;
        let mut outside = 1.0;
        let mut steps = 0;
        while p_value(at(outside)) > alpha {
            outside *= 2.0;
            steps += 1;
            if steps > STEPS {
                return sign * f64::INFINITY;
            }
        }
        let mut inside = 0.0;
        for _ in 0..STEPS {
            let middle = 0.5 * (inside + outside);
            match p_value(at(middle)) > alpha {
                true => inside = middle,
                false => outside = middle,
            }
        }
        at(outside)
    };
    Some([end(-1.0), end(1.0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the definition, at many γ.
    fn by_definition(p: &[f64]) -> f64 {
        let mut p = p.to_vec();
        p.sort_by(f64::total_cmp);
        let mut least = f64::INFINITY;
        for step in 0..=190_000 {
            let share = 0.05 + f64::from(step) * 5e-6;
            let at = (share * p.len() as f64 - 1e-9).ceil() as usize;
            least = least.min(p[at.clamp(1, p.len()) - 1] / share);
        }
        ((1.0 - 0.05_f64.ln()) * least).min(1.0)
    }

    #[test]
    fn the_aggregated_p_value_is_that_of_its_definition() {
        let p: Vec<f64> = (0..50)
            .map(|at| (f64::from(at * 37 % 50) + 0.5) * 1e-4)
            .collect();
        let own = aggregated_p_value(p.clone());
        assert!((own / by_definition(&p) - 1.0).abs() < 1e-4, "{own}");
        assert_eq!(aggregated_p_value(vec![1.0; 10]), 1.0);
        assert_eq!(aggregated_p_value(Vec::new()), 1.0);
        // One split alone costs 1 − ln 0.05.
        let one = aggregated_p_value(vec![0.01]);
        assert!((one - 0.01 * (1.0 - 0.05_f64.ln())).abs() < 1e-15);
    }

    #[test]
    fn rates_grow_with_the_number_of_hypotheses_and_fall_with_the_rank() {
        // R: p.adjust(c(0.001, 0.01, 0.2, 1, 1) / 5, "BY"), for these are adjusted already.
        let rates = false_discovery_rates(&[0.01, 0.001, 0.2], 5);
        let harmonic = 1.0 + 0.5 + 1.0 / 3.0 + 0.25 + 0.2;
        let expected = [
            0.01 * harmonic / 2.0,
            0.001 * harmonic,
            0.2 * harmonic / 3.0,
        ];
        for (own, expected) in rates.iter().zip(expected) {
            assert!((own - expected).abs() < 1e-15, "{own} {expected}");
        }
    }

    /// By the definition: the step-up at a rate q rejects the h smallest p-values, h being the largest rank with P(h) ≤ h·q / Σ 1/i and
    /// P(h) < 1; the rate of a hypothesis is the least q that rejects it.
    #[test]
    fn a_rate_is_the_least_one_that_rejects() {
        let rejected = |p: &[f64], all: usize, q: f64| {
            let harmonic: f64 = (1..=all).map(|rank| 1.0 / rank as f64).sum();
            let mut sorted = p.to_vec();
            sorted.sort_by(f64::total_cmp);
            let is_met = |rank: &usize| {
                sorted[rank - 1] < 1.0 && sorted[rank - 1] <= *rank as f64 * q / harmonic
            };
            let largest = (1..=sorted.len()).rev().find(is_met);
            largest.map_or(f64::NEG_INFINITY, |rank| sorted[rank - 1])
        };
        let noise: Vec<f64> = (0..360)
            .map(|at| if at == 7 { 0.62 } else { 1.0 })
            .collect();
        let some: Vec<f64> = (0..40)
            .map(|at| (f64::from(at + 1) / 25.0).powi(3).min(1.0))
            .collect();
        for (p, all) in [
            (noise, 1000),
            (some, 40),
            (vec![1.0; 500], 500),
            (vec![0.9; 30], 30),
        ] {
            let rates = false_discovery_rates(&p, all);
            for (own, p_value) in rates.iter().zip(&p) {
                if *own < 1.0 {
                    assert!(
                        rejected(&p, all, own * (1.0 + 1e-9)) >= *p_value,
                        "{own} {p_value}"
                    );
                }
                assert!(
                    rejected(&p, all, own * (1.0 - 1e-9)) < *p_value,
                    "{own} {p_value}"
                );
                assert!(*p_value < 1.0 || *own == 1.0, "{own}");
            }
        }
    }

    #[test]
    fn an_interval_ends_where_its_test_does() {
        let estimates: Vec<SplitEstimate> = (0..20)
            .map(|at| SplitEstimate {
                coefficient: 2.0 + 0.01 * f64::from(at % 5),
                std_error: 0.1,
                freedom: Some(30.0),
            })
            .collect();
        let [low, high] = split_interval(&estimates, 25, 0.05).unwrap();
        for (end, outside) in [(low, -1e-6), (high, 1e-6)] {
            let p = |value: f64| {
                let mut all: Vec<f64> = estimates.iter().map(|own| own.p_value(value)).collect();
                all.resize(25, 1.0);
                aggregated_p_value(all)
            };
            assert!(p(end + outside) <= 0.05 && p(end - outside) > 0.05);
        }
        // Where too few chose it nothing is rejected.
        let few = split_interval(&estimates[..1], 25, 0.05).unwrap();
        assert_eq!(few, [f64::NEG_INFINITY, f64::INFINITY]);
    }
}
