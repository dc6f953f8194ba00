//! The result: which variables were chosen, and everything a reader needs to
//! judge and repeat it. Serialised as it stands, it is the JSON of the program:
//! fields are added, never renamed.

use serde::{Serialize, Serializer, ser::SerializeMap};
use statrs::function::beta::beta_reg;

use crate::{design::Design, least_squares::Fit};

/// The level of the confidence intervals unless another is asked for.
pub const LEVEL: f64 = 0.95;

/// One selection: a model, its fit on the original scale, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Selection {
    /// The version of passel that made it.
    pub passel: &'static str,
    /// The selector and its parameters.
    pub method: Method,
    /// The criterion, its parameters and its value for this model.
    pub criterion: CriterionValue,
    /// The response's name.
    pub response: String,
    /// The column of weights; none where all observations count alike.
    pub weights: Option<String>,
    /// Observations used.
    pub n: usize,
    /// Candidate variables, after setting aside.
    pub p: usize,
    /// Candidates before a prescreening, where told: the p of the criterion.
    pub p_total: Option<usize>,
    /// Chosen variables; the intercept is not counted.
    pub k: usize,
    /// Residual sum of squares, on the response's scale; with weights Σ w (y − ŷ)²,
    /// the weights at mean one over the observations used.
    pub rss: f64,
    /// Total sum of squares of the response: about its mean, or about zero
    /// without an intercept.
    pub tss: f64,
    /// The level of the estimates' confidence intervals, between 0 and 1.
    pub level: f64,
    /// The intercept's estimate; none when the model has no intercept.
    pub intercept: Option<Estimate>,
    /// The chosen variables, in the file's order.
    pub selected: Vec<Selected>,
    /// Variables that never were candidates, with the reason.
    pub set_aside: Vec<SetAside>,
    /// How much of the true model was found; none when the file marks no true variables.
    pub truth: Option<Truth>,
    /// The seed of every random number.
    pub seed: u64,
    /// The devices that swept, by name.
    pub devices: Vec<String>,
    /// The arithmetic that decided.
    pub precision: &'static str,
    /// Iterations done, the starts being the first.
    pub iterations: usize,
    /// Why the search ended.
    pub termination: Termination,
    /// Wall-clock seconds, by stage.
    pub elapsed_seconds: Elapsed,
    /// What a reader should know before trusting the rest.
    pub warnings: Vec<String>,
}

/// A selector and the parameters it ran with, in the order they are documented.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Method {
    /// The name it is asked for by.
    pub name: &'static str,
    /// The parameters, defaults filled in.
    #[serde(flatten)]
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

/// A criterion and what it says of the chosen model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CriterionValue {
    /// The name it is asked for by.
    pub name: String,
    /// φ of the chosen model: smaller is better.
    pub value: f64,
    /// The parameters, defaults filled in.
    #[serde(flatten, serialize_with = "as_map")]
    pub parameters: Vec<(&'static str, f64)>,
}

fn as_map<S: Serializer>(pairs: &[(&str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (name, value) in pairs {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// One estimated coefficient, on the original scale of its variable.
///
/// Standard error, t, p and interval are absent where there are no degrees of
/// freedom left (n ≤ k + 1) or the fit is exact. The p-value is two-sided, from
/// Student's t with n − k − 1 degrees of freedom (n − k without an intercept),
/// and so is the interval; both take the model as given beforehand, so after
/// selection they are optimistic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// β̂.
    pub coefficient: f64,
    /// Its standard error.
    pub std_error: Option<f64>,
    /// β̂ over its standard error.
    pub t: Option<f64>,
    /// Two-sided p-value.
    pub p_value: Option<f64>,
    /// Lower end of the confidence interval at the selection's level.
    pub lower: Option<f64>,
    /// Its upper end.
    pub upper: Option<f64>,
}

/// One chosen variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Selected {
    /// The column's name; `column=level` for a dummy of a factor.
    pub name: String,
    /// 0-based position of the column in the file with response and weights taken
    /// out, before anything is set aside; dummies of one factor share it.
    pub index: usize,
    /// Its coefficient.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// A variable that never was a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetAside {
    /// The column's name.
    pub name: String,
    /// Why: `constant`, or `duplicate of NAME`.
    pub reason: String,
}

/// A selection S* beside the model S that made the response, both as columns of the file: the
/// dummies of one factor are one column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Truth {
    /// |S|: the file's true variables, with those that were dropped or set aside.
    pub variables: usize,
    /// |S* ∩ S|.
    pub found: usize,
    /// Positive selection rate, |S* ∩ S| / |S|.
    pub psr: f64,
    /// False discovery rate, |S* ∖ S| / |S*|; 0 where nothing was chosen.
    pub fdr: f64,
}

impl Truth {
    /// Of the indexes of the true variables, ascending, and of the chosen ones, in the file's
    /// order; none where nothing is marked as true.
    pub(crate) fn of(truth: &[usize], selected: &[Selected]) -> Option<Self> {
        if truth.is_empty() {
            return None;
        }
        let mut chosen: Vec<usize> = selected.iter().map(|it| it.index).collect();
        chosen.dedup();
        let found = chosen.iter().filter(|it| truth.binary_search(it).is_ok());
        let found = found.count();
        Some(Self {
            variables: truth.len(),
            found,
            psr: found as f64 / truth.len() as f64,
            fdr: (chosen.len() - found) as f64 / chosen.len().max(1) as f64,
        })
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// Every iteration was done.
    Iterations,
    /// No better model for as many iterations as the patience allows.
    Patience,
    /// The time limit was reached.
    TimeLimit,
    /// Interrupted from outside: the best so far is reported.
    Interrupted,
}

/// Wall-clock seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Elapsed {
    /// Reading the file and preparing the design matrix.
    pub read: f64,
    /// The search alone.
    pub search: f64,
    /// From the first byte read to the finished selection.
    pub total: f64,
}

impl Selection {
    /// Puts the confidence intervals of all estimates at another level, above 0
    /// and below 1: β̂ ± q·(standard error), P(|T| ≥ q) = 1 − level. At any other
    /// level there are none.
    pub fn set_level(&mut self, level: f64) {
        self.level = level;
        let fixed = usize::from(self.intercept.is_some());
        let freedom = self.n as f64 - (self.selected.len() + fixed) as f64;
        let q = (level > 0.0 && level < 1.0).then(|| quantile(level, freedom));
        let chosen = self.selected.iter_mut().map(|it| &mut it.estimate);
        for estimate in self.intercept.iter_mut().chain(chosen) {
            let half = estimate.std_error.zip(q).map(|(error, q)| error * q);
            estimate.lower = half.map(|half| estimate.coefficient - half);
            estimate.upper = half.map(|half| estimate.coefficient + half);
        }
    }
}

/// The intercept and the chosen variables of a fit, on the original scale and
/// in the order of the fit's support; their intervals are for
/// [`Selection::set_level`].
///
/// σ² = RSS / (n − k − 1) (n − k without an intercept), Var(β̂ᵢ) =
/// σ²·((XᵀX)⁻¹)ᵢᵢ, and the intercept's variance is σ²·(1/n + x̄ᵀ(XᵀX)⁻¹x̄), all
/// from the fit's own factor. With weights at mean one all of it stands, the
/// sums and means being weighted: Σ w is n.
pub(crate) fn estimates(
    design: &Design,
    fit: &Fit,
    exact: bool,
) -> (Option<Estimate>, Vec<Selected>) {
    let n = design.n() as f64;
    let response = design.response();
    let freedom = n - fit.support().len() as f64 - f64::from(u8::from(design.intercept()));
    // One standard error at unit scale; none where nothing is left to estimate
    // it from.
    let sigma = (freedom > 0.0 && !exact).then(|| (fit.rss() / freedom).sqrt());
    // t has no scale: taken at unit scale it stays finite for any unit of y
    // and x.
    let estimate = |b: f64, per_sigma: f64, scale: f64| {
        let error = sigma.map(|sigma| sigma * per_sigma);
        let t = error.map(|error| b / error);
        Estimate {
            coefficient: b * scale,
            std_error: error.map(|error| error * scale),
            t,
            p_value: t.map(|t| two_sided(t, freedom)),
            lower: None,
            upper: None,
        }
    };
    let selected: Vec<Selected> = std::iter::zip(fit.support(), fit.coefficients())
        .zip(fit.inverse_gram_diagonal())
        .map(|((&j, b), diagonal)| {
            let variable = &design.variables()[j as usize];
            Selected {
                name: variable.name.clone(),
                index: variable.index,
                estimate: estimate(*b, diagonal.sqrt(), response.norm / variable.norm),
            }
        })
        .collect();
    let intercept = design.intercept().then(|| {
        // The means of the unit-norm columns, in units of their norms.
        let means: Vec<f64> = fit
            .support()
            .iter()
            .map(|&j| &design.variables()[j as usize])
            .map(|variable| variable.mean / variable.norm)
            .collect();
        let explained: f64 = std::iter::zip(&means, fit.coefficients())
            .map(|(mean, b)| mean * b)
            .sum();
        estimate(
            response.mean / response.norm - explained,
            (1.0 / n + fit.inverse_gram_form(&means)).sqrt(),
            response.norm,
        )
    });
    (intercept, selected)
}

/// P(|T| ≥ |t|) of Student's t: I_x(ν/2, 1/2) at x = ν / (ν + t²), which keeps
/// its digits far out in the tails.
fn two_sided(t: f64, freedom: f64) -> f64 {
    beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The q with P(|T| ≥ q) = 1 − level, by halving: positive numbers are ordered
/// like their bits, so 63 steps reach the last bit of any of them. (statrs's own
/// inverse is off by a factor of eight at ν = 1, level 1 − 10⁻⁹.)
fn quantile(level: f64, freedom: f64) -> f64 {
    let (mut below, mut above) = (0, f64::MAX.to_bits());
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if two_sided(f64::from_bits(middle), freedom) > 1.0 - level {
            below = middle;
        } else {
            above = middle;
        }
    }
    f64::from_bits(above)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::{quantile, two_sided};

    #[test]
    fn p_values_of_students_t() {
        // ν = 1 is Cauchy: p = 1 − (2/π)·atan t. ν = 2: p = 1 − t/√(2 + t²).
        for t in [0.0f64, 0.1, 1.0, 3.7, 50.0] {
            let cauchy = 1.0 - 2.0 / std::f64::consts::PI * t.atan();
            assert!((two_sided(t, 1.0) - cauchy).abs() < 1e-12, "t = {t}");
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            assert!((two_sided(-t, 2.0) - two).abs() < 1e-12, "t = {t}");
        }
        // Far out, ν = 2: p → 1/t², with all its digits.
        assert!((two_sided(1e6, 2.0) * 1e12 - 1.0).abs() < 1e-9);
    }

    /// P(|T| < t) by the finite sums for whole ν (Abramowitz and Stegun 26.7.3
    /// and 26.7.4), θ = atan(t/√ν).
    fn central(t: f64, freedom: u32) -> f64 {
        let angle = (t / f64::from(freedom).sqrt()).atan();
        let (sin, cos) = angle.sin_cos();
        // Terms cos^(first + 2j)·Π m/(m + 1), the m being of first's parity.
        let first = freedom % 2;
        let (mut term, mut sum) = (if first == 1 { cos } else { 1.0 }, 0.0);
        for m in (first + 1..freedom).step_by(2) {
            sum += term;
            term *= cos * cos * f64::from(m) / f64::from(m + 1);
        }
        match first {
            1 => 2.0 / PI * (angle + sin * sum),
            _ => sin * sum,
        }
    }

    #[test]
    fn quantiles_of_students_t() {
        let levels = [0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0 - 1e-9];
        for level in levels {
            // ν = 1: q = cot(π·α/2). ν = 2: q = (1 − α)·√(2/(α·(2 − α))).
            let alpha = 1.0 - level;
            let cauchy = 1.0 / (PI * alpha / 2.0).tan();
            assert!((quantile(level, 1.0) / cauchy - 1.0).abs() < 1e-12);
            let two = level * (2.0 / (alpha * (2.0 - alpha))).sqrt();
            assert!((quantile(level, 2.0) / two - 1.0).abs() < 1e-12);
            for freedom in [1, 2, 3, 30, 1000, 100_000] {
                let q = quantile(level, f64::from(freedom));
                // I is made from ln Γ(ν/2), which rounds by its own size.
                let size = f64::from(freedom) * f64::from(freedom).ln();
                let rounding = 1e-14 + 1e-15 * size;
                let off = central(q, freedom) - level;
                assert!(off.abs() < rounding, "{freedom}, {level}: {off:e}");
            }
        }
        // mpmath 1.3 with 30 digits: the root of
        // betainc(ν/2, 1/2, 0, ν/(ν + t²), regularized=True) = 1 − level.
        for (level, freedom, q) in [
            (0.95, 3.0, 3.182_446_305_283_709_6),
            (0.95, 30.0, 2.042_272_456_301_238),
            (0.99, 1000.0, 2.580_754_698_065_951),
            (0.9999, 3.0, 28.000_130_010_948_975),
            (0.9999, 30.0, 4.482_417_175_409_747),
            (0.9999, 1000.0, 3.906_343_736_701_381_2),
        ] {
            let off = quantile(level, freedom) / q - 1.0;
            assert!(off.abs() < 1e-12, "{freedom}, {level}: {off:e}");
        }
    }
}
