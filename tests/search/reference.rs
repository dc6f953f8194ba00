//! Least squares and criteria from their definitions, by nalgebra alone.

use nalgebra::{DMatrix, DVector};
use passel::{
    Interrupt, Pass,
    criteria::{Criterion, Entry, Model},
    device::Resources,
    search::{IterationRecord, SearchResult, search},
};

/// A least squares fit by singular value decomposition.
pub struct Reference {
    pub coefficients: DVector<f64>,
    pub residual: DVector<f64>,
    pub rss: f64,
}

/// Least squares of y on the given columns of x, none of them collinear.
pub fn fit(x: &DMatrix<f64>, y: &DVector<f64>, support: &[u32]) -> Reference {
    let columns: Vec<usize> = support.iter().map(|&j| j as usize).collect();
    let x = x.select_columns(&columns);
    let coefficients = if support.is_empty() {
        DVector::zeros(0)
    } else {
        let svd = x.clone().svd(true, true);
        svd.solve(y, 0.0).unwrap()
    };
    let residual = y - &x * &coefficients;
    Reference {
        rss: residual.norm_squared(),
        coefficients,
        residual,
    }
}

/// Columns and response about their means, then at unit norm.
pub fn standardised(x: &DMatrix<f64>, y: &DVector<f64>) -> (DMatrix<f64>, DVector<f64>) {
    let mut x = x.clone();
    for mut column in x.column_iter_mut() {
        let mean = column.mean();
        column.add_scalar_mut(-mean);
        let norm = column.norm();
        column /= norm;
    }
    let y = y.add_scalar(-y.mean());
    let norm = y.norm();
    (x, y / norm)
}

/// ‖y − ȳ‖².
pub fn tss(y: &DVector<f64>) -> f64 {
    y.add_scalar(-y.mean()).norm_squared()
}

/// φ by the published formulas, at the default parameters (EBIC: γ = 1), of a model with an intercept
/// and without kept variables.
pub fn phi(criterion: &str, n: usize, p: usize, k: usize, rss: f64) -> f64 {
    phi_of(criterion, &Model::new(n, p, k, rss))
}

/// φ by the published formulas, at the default parameters, of any model with an intercept: m kept variables
/// count where parameters are counted, not where models of a size are.
pub fn phi_of(criterion: &str, model: &Model) -> f64 {
    let (p, chosen, rss) = (model.candidates, model.chosen, model.rss);
    let [n, k, m] = [model.n, chosen, model.kept].map(|count| count as f64);
    let ln_p = (p as f64).ln();
    // HD criteria charge one or two candidates as those without HD do.
    let best_of_p = if p < 3 { 1.0 } else { ln_p };
    let penalty = match criterion {
        "aic" => 2.0 * (k + m),
        "bic" => (k + m) * n.ln(),
        "hqc" => 2.0 * (k + m) * n.ln().ln(),
        "ebic" => (k + m) * n.ln() + 2.0 * ln_choose(p, chosen),
        "ebic-monotone" if n - k - m - 1.0 <= 0.0 => f64::INFINITY,
        "ebic-monotone" => {
            let held = if chosen > p / 2 { p / 2 } else { chosen };
            let charges = k * n.ln() + 2.0 * ln_choose(p, held);
            m * n.ln() + charges * n / (n - k - m - 1.0)
        }
        "hdaic" => 2.0 * (k * best_of_p + m),
        "hdbic" => n.ln() * (k * best_of_p + m),
        "hdhqc" => 2.0 * n.ln().ln() * (k * best_of_p + m),
        "ric" => 2.0 * k * ln_p + 2.0 * m,
        "mbic2" => {
            let ln_factorial: f64 = (1..=chosen).map(|i| (i as f64).ln()).sum();
            (k + m) * n.ln() + 2.0 * k * (ln_p - 4f64.ln()) - 2.0 * ln_factorial
        }
        // Estimates: the variables, intercept and error variance.
        "aicc" if n - (k + m + 2.0) - 1.0 <= 0.0 => f64::INFINITY,
        "aicc" => {
            let estimates = k + m + 2.0;
            2.0 * (k + m) + 2.0 * estimates * (estimates + 1.0) / (n - estimates - 1.0)
        }
        "adjr2" if n - k - m - 1.0 <= 0.0 => f64::INFINITY,
        "adjr2" => return n * (rss / (n - k - m - 1.0)).ln(),
        // Before a size is chosen all count alike.
        "cv" => 0.0,
        "cp" => return rss / model.error_variance - n + 2.0 * (k + m + 1.0),
        other => panic!("no reference formula for criterion {other}"),
    };
    n * (rss / n).ln() + penalty
}

/// The residual mean square of the model of all columns, where they leave degrees of freedom.
pub fn error_variance(x: &DMatrix<f64>, y: &DVector<f64>) -> Option<f64> {
    let (n, p) = x.shape();
    let freedom = n.checked_sub(p + 1).filter(|freedom| *freedom > 0)?;
    let (x1, y1) = standardised(x, y);
    let all: Vec<u32> = (0..p as u32).collect();
    Some(fit(&x1, &y1, &all).rss * tss(y) / freedom as f64)
}

/// ln C(p, k) = ln p! − ln k! − ln (p − k)!.
fn ln_choose(p: usize, k: usize) -> f64 {
    let ln_factorial = |m: usize| (1..=m).map(|i| (i as f64).ln()).sum::<f64>();
    ln_factorial(p) - ln_factorial(k) - ln_factorial(p - k)
}

/// A criterion at its default parameters.
pub fn at_defaults(entry: &Entry) -> Box<dyn Criterion> {
    let values: Vec<f64> = entry.parameters.iter().map(|p| p.default).collect();
    (entry.build)(&values)
}

/// The largest model that the defaults allow.
pub fn default_bound(n: usize, p: usize) -> usize {
    if p <= n / 2 { p } else { (n / 4).max(1) }
}

/// A search on so many threads, observed.
pub fn run(
    design: &passel::Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    threads: usize,
    mut observe: impl FnMut(&IterationRecord) + Send,
) -> SearchResult {
    let resources = Resources::cpu(threads);
    let never = Interrupt::default();
    search(
        design,
        criterion,
        pass,
        &resources,
        &never,
        None,
        &mut observe,
    )
    .unwrap()
}

/// The support of a result, ascending.
pub fn support(found: &SearchResult) -> Vec<u32> {
    let mut support = found.fit.support().to_vec();
    support.sort_unstable();
    support
}
