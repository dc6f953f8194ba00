use crate::{Criterion, Entry, Model};

pub(crate) const ENTRY: Entry = Entry {
    name: "cp",
    title: "Mallows’ Cp",
    penalty: "rss/σ² − n + 2(k + m + 1) is the value; σ² from the model of all candidates",
    source: "C. L. Mallows, Some comments on Cp, Technometrics 15 (1973) 661–675",
    parameters: &[],
    build: |_| Box::new(Cp),
};

/// Mallows’ Cp: **rss/σ̂² − n + 2(k + m + 1)**, 1 for the intercept.
///
/// σ̂² is the residual mean square of the model of all candidates and kept variables, so these must be
/// fewer than the observations. A model without bias has Cp near k + m + 1. Close to AIC; R’s `leaps` has the
/// same values.
///
/// *Source*: C. L. Mallows, Some comments on Cp, Technometrics 15 (1973) 661–675.
///
/// ```
/// use passel_criteria::{Cp, Criterion, Model};
/// // n = 200, k = 4, rss = 50, σ̂² = 0.25: 50/0.25 - 200 + 2·5 = 10.
/// let model = Model { error_variance: 0.25, ..Model::new(200, 20, 4, 50.0) };
/// assert!((Cp.value(&model) - 10.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Cp;

impl Criterion for Cp {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        2.0 * model.coefficients() as f64
    }

    fn value(&self, model: &Model) -> f64 {
        model.rss / model.error_variance - model.n as f64 + self.penalty(model)
    }

    fn needs_error_variance(&self) -> bool {
        true
    }
}
