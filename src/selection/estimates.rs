//! Coefficients, standard errors, t and p-values on the original scale.

use std::iter::zip;

use statrs::function::beta::beta_reg;

use super::{Estimate, SelectedVariable, family::test_freedom};
use crate::{
    design::Design,
    family::{FamilyFit, Likelihood, Link, two_sided_normal},
    least_squares::{ENDLESS, Fit},
};

/// The share of its standard error below which an estimate is 0 but for rounding.
const ROUNDING: f64 = 1e-12;

/// An estimate, exactly 0 where it is that but for rounding.
pub(super) fn without_rounding(estimate: f64, error: Option<f64>) -> f64 {
    match error {
        Some(error) if estimate.abs() < ROUNDING * error => 0.0,
        _ => estimate,
    }
}

/// Estimates the intercept and the coefficients of a fit. Intervals are left to
/// [`Selection::set_level`](super::Selection::set_level).
///
/// σ² = RSS / (n − k − 1) (n − k without an intercept), Var(β̂ᵢ) = σ²·((XᵀX)⁻¹)ᵢᵢ, and the
/// intercept's variance is σ²·(1/n + x̄ᵀ(XᵀX)⁻¹x̄), all from the fit's own factor. With weights,
/// whose mean is one, sums and means are weighted and Σ w is n.
///
/// *Shapes:* k variables, in the order of the fit's support.
///
/// *Units:* the original scale; the fit itself is of columns and a response of unit norm.
///
/// *Source:* G. Seber and A. Lee, *Linear Regression Analysis* (2nd ed., 2003), sections 3.2 and
/// 3.10.
pub(crate) fn estimates(
    design: &Design,
    fit: &Fit,
    exact: bool,
) -> (Option<Estimate>, Vec<SelectedVariable>) {
    if let (Some(likelihood), Some(own)) = (design.likelihood(), fit.family()) {
        return of_likelihood(design, (fit, exact), likelihood, own);
    }
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
        let b = without_rounding(b, error);
        let t = error.map(|error| b / error);
        Estimate {
            coefficient: b * scale,
            std_error: error.map(|error| error * scale),
            t,
            p_value: t.map(|t| two_sided(t, freedom)),
            ..Estimate::default()
        }
    };
    let selected: Vec<SelectedVariable> = zip(fit.support(), fit.coefficients())
        .zip(fit.inverse_gram_diagonal())
        .map(|((&j, b), diagonal)| {
            let norm = design.variables()[j as usize].norm;
            SelectedVariable {
                estimate: estimate(*b, diagonal.sqrt(), response.norm / norm),
                // Of centred columns of unit norm the diagonal is the factor itself.
                vif: design.intercept().then_some(diagonal),
                ..named(design, j)
            }
        })
        .collect();
    let intercept = design.intercept().then(|| {
        // The means of the unit-norm columns, in units of their norms.
        let chosen = fit.support().iter();
        let chosen = chosen.map(|&j| &design.variables()[j as usize]);
        let means: Vec<f64> = chosen.map(|own| own.mean / own.norm).collect();
        let explained = zip(&means, fit.coefficients()).map(|(mean, b)| mean * b);
        estimate(
            response.mean / response.norm - explained.sum::<f64>(),
            (1.0 / n + fit.inverse_gram_form(&means)).sqrt(),
            response.norm,
        )
    });
    (intercept, selected)
}

/// A chosen variable without its estimate.
fn named(design: &Design, j: u32) -> SelectedVariable {
    let (x, variable) = (design.columns(), &design.variables()[j as usize]);
    let term = || design.term_name(x.term_of(j)).to_owned();
    SelectedVariable {
        name: variable.name.clone(),
        column: variable.column().to_owned(),
        term: x.terms().map(|_| term()),
        level: variable.level.as_deref().map(str::to_owned),
        class: variable.class.as_deref().map(str::to_owned),
        index: variable.index,
        ..SelectedVariable::default()
    }
}

/// The estimates of a model of maximum likelihood, with Wald's tests. A coefficient that has no end, and the intercept
/// beside such, has no standard error.
fn of_likelihood(
    design: &Design,
    (fit, exact): (&Fit, bool),
    likelihood: &Likelihood,
    own: &FamilyFit,
) -> (Option<Estimate>, Vec<SelectedVariable>) {
    let family = likelihood.response().family();
    let freedom = test_freedom(likelihood, own) as f64;
    let has_ratio = matches!(family.link(), Link::Logit | Link::Log);
    let estimate = |coefficient: f64, error: Option<f64>, is_slope: bool| {
        let error = error.filter(|error| *error > 0.0 && error.is_finite() && !exact);
        let coefficient = without_rounding(coefficient, error);
        let score = error.map(|error| coefficient / error);
        let ratio = (has_ratio && is_slope).then(|| coefficient.exp());
        let estimate = Estimate {
            coefficient,
            std_error: error,
            ratio,
            ..Estimate::default()
        };
        match likelihood.has_t_tests() {
            true => Estimate {
                t: score,
                p_value: score.map(|t| two_sided(t, freedom)),
                ..estimate
            },
            false => Estimate {
                z: score,
                p_value: score.map(two_sided_normal),
                ..estimate
            },
        }
    };
    let errors = own.std_errors();
    let fixed = usize::from(own.intercept().is_some());
    let chosen = fit.support().iter().zip(own.coefficients()).enumerate();
    let chosen = chosen.map(|(at, (&j, b))| {
        let norm = design.variables()[j as usize].norm;
        let error = (!is_endless(own, at)).then(|| errors[fixed + at] / norm);
        SelectedVariable {
            estimate: estimate(b / norm, error, true),
            ..named(design, j)
        }
    });
    let intercept = own.intercept().map(|b| {
        let chosen = fit.support().iter();
        let chosen = chosen.map(|&j| &design.variables()[j as usize]);
        // At the origin of the file's columns.
        let at: Vec<f64> = std::iter::once(1.0)
            .chain(chosen.map(|own| -own.mean / own.norm))
            .collect();
        let shift = at[1..].iter().zip(own.coefficients()).map(|(x, b)| x * b);
        // Columns of unit norm have entries of about 1/√n.
        let least = ENDLESS / (design.n() as f64).sqrt();
        let has_end = own.moves(&at).is_none_or(|moved| moved.abs() <= least);
        let error = has_end.then(|| own.variance_of(&at).sqrt());
        estimate(b + shift.sum::<f64>(), error, false)
    });
    (intercept, chosen.collect())
}

/// Whether the likelihood rises without end along the coefficient at a position.
pub(super) fn is_endless(fit: &FamilyFit, at: usize) -> bool {
    fit.direction()
        .is_some_and(|direction| direction[at].abs() > ENDLESS)
}

/// The q with P(|Z| ≥ q) = 1 − level of a normal deviate, by bisection.
pub(crate) fn normal_quantile(level: f64) -> f64 {
    let (mut below, mut above) = (0, 100f64.to_bits());
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if two_sided_normal(f64::from_bits(middle)) > 1.0 - level {
            below = middle;
        } else {
            above = middle;
        }
    }
    f64::from_bits(above)
}

/// P(|T| ≥ |t|) of Student's t with ν degrees of freedom, as I_x(ν/2, 1/2) at x = ν / (ν + t²),
/// which keeps its digits far out in the tails.
///
/// *Source:* M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions* (1964), 26.7.1.
pub(crate) fn two_sided(t: f64, freedom: f64) -> f64 {
    beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The q with P(|T| ≥ q) = 1 − level of Student's t, by bisection.
///
/// Positive numbers are ordered like their bits, so 63 steps reach the last bit of any of them.
/// (statrs's own inverse is off by a factor of eight at ν = 1, level 1 − 10⁻⁹.)
pub(crate) fn student_t_quantile(level: f64, freedom: f64) -> f64 {
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

    use super::{student_t_quantile, two_sided, without_rounding};

    #[test]
    fn an_estimate_that_is_rounding_alone_is_0() {
        assert_eq!(without_rounding(-3e-17, Some(0.2)), 0.0);
        assert_eq!(without_rounding(-3e-17, Some(2e-16)), -3e-17);
        assert_eq!(without_rounding(3e-17, None), 3e-17);
    }

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
            assert!((student_t_quantile(level, 1.0) / cauchy - 1.0).abs() < 1e-12);
            let two = level * (2.0 / (alpha * (2.0 - alpha))).sqrt();
            assert!((student_t_quantile(level, 2.0) / two - 1.0).abs() < 1e-12);
            for freedom in [1, 2, 3, 30, 1000, 100_000] {
                let q = student_t_quantile(level, f64::from(freedom));
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
            let off = student_t_quantile(level, freedom) / q - 1.0;
            assert!(off.abs() < 1e-12, "{freedom}, {level}: {off:e}");
        }
    }
}
