use crate::{Criterion, Entry, Model};

pub(crate) const ENTRY: Entry = Entry {
    name: "adjr2",
    title: "adjusted R²",
    penalty: "n·ln(n/(n − k − m − 1)), so that the value is n·ln s²; +∞ where n ≤ k + m + 1",
    source: "H. Theil, Economic Forecasts and Policy, 2nd ed., North-Holland (1961), section 6.4",
    parameters: &[],
    build: |_| Box::new(AdjustedR2),
};

/// Adjusted R², as n·ln s²: n·ln(rss/n) + **n·ln(n/(n − k − m − 1))**, 1 for the intercept.
///
/// R²adj = 1 − s²/s₀², where s² = rss/(n − k − m − 1) is the residual mean square and s₀² that of the
/// response, the same for every model: the model of largest R²adj is that of least s². The value is on the
/// scale of the other criteria; reports have R²adj beside it. It takes a variable wherever |t| > 1, and
/// so charges about 1, half of AIC.
///
/// *Source*: H. Theil, Economic Forecasts and Policy, 2nd ed. (1961), section 6.4.
///
/// ```
/// use passel_criteria::{AdjustedR2, Criterion, Model};
/// // n = 200, k = 4, rss = 50: 200·ln(50/195) = -272.195.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((AdjustedR2.value(&model) - -272.195310627).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AdjustedR2;

impl Criterion for AdjustedR2 {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        let n = model.n as f64;
        match model.n.checked_sub(model.coefficients()) {
            None | Some(0) => f64::INFINITY,
            Some(left) => n * (n / left as f64).ln(),
        }
    }

    fn needs_least_squares(&self) -> bool {
        true
    }
}
