use crate::{Criterion, Entry, Model, Parameter};

pub(crate) const ENTRY: Entry = Entry {
    name: "ebic",
    title: "extended BIC",
    penalty: "(k + m)·ln n + 2·gamma·ln C(p, k)",
    source: "J. Chen and Z. Chen, Extended Bayesian information criteria for model selection with large model spaces, Biometrika 95 (2008) 759–771",
    parameters: &[Parameter {
        name: "gamma",
        default: 1.0,
        min: 0.0,
        max: 1.0,
        is_whole: false,
    }],
    build: |values| Box::new(Ebic { gamma: values[0] }),
};

/// Extended BIC: n·ln(rss/n) + **(k + m)·ln n + 2γ·ln C(p, k)**, 0 ≤ γ ≤ 1.
///
/// The prior of a model falls with the number of models of its size. γ = 0 is
/// BIC; γ = 1 is consistent for p growing like any power of n. The added term
/// rises up to k = p/2 and falls after, so that a model of nearly all candidates is
/// cheap again, cheaper than by AIC: [`EbicMonotone`](crate::EbicMonotone) mends that.
///
/// *Source*: J. Chen and Z. Chen, Biometrika 95 (2008) 759–771.
///
/// ```
/// use passel_criteria::{Criterion, Ebic, Model};
/// // n = 200, p = 1000, k = 4, rss = 50: 200·ln(50/200) = -277.258872,
/// // 4·ln 200 = 21.193269, 2·ln C(1000, 4) = 48.893921.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Ebic { gamma: 1.0 }.value(&model) - -207.171682211).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Ebic {
    /// γ, between 0 (BIC) and 1.
    pub gamma: f64,
}

impl Criterion for Ebic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("gamma", self.gamma)]
    }

    fn penalty(&self, model: &Model) -> f64 {
        let bic = model.parameters() as f64 * (model.n as f64).ln();
        bic + 2.0 * self.gamma * ln_binomial(model.candidates, model.chosen)
    }
}

/// ln C(p, k) = Σ ln((p − k + i) / i), i = 1 … k: no factorial, so no overflow.
pub(crate) fn ln_binomial(p: usize, k: usize) -> f64 {
    let k = k.min(p - k);
    let rest = (p - k) as f64;
    (1..=k).map(|i| ((rest + i as f64) / i as f64).ln()).sum()
}
