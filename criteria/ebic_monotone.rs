use crate::{Criterion, Entry, Model, Parameter, ebic::ln_binomial};

pub(crate) const ENTRY: Entry = Entry {
    name: "ebic-monotone",
    title: "extended BIC whose penalty never eases",
    penalty: "(k + m)·ln n + 2·gamma·ln C(p, min(k, ⌊p/2⌋))",
    source: "after J. Chen and Z. Chen, Extended Bayesian information criteria for model selection with large model spaces, Biometrika 95 (2008) 759–771; the term in p held from p/2 on is passel’s",
    parameters: &[Parameter {
        name: "gamma",
        default: 1.0,
        min: 0.0,
        max: 1.0,
    }],
    build: |values| Box::new(EbicMonotone { gamma: values[0] }),
};

/// Extended BIC whose penalty never eases: n·ln(rss/n) + **(k + m)·ln n + 2γ·ln C(p, min(k, ⌊p/2⌋))**,
/// 0 ≤ γ ≤ 1. passel’s default, with γ = 1.
///
/// Up to half of the candidates it is [`Ebic`](crate::Ebic), to the last digit. Beyond, where ln C(p, k)
/// falls and EBIC would pay for variables, the term is held: each further variable costs ln n. So every
/// variable costs at least what it costs by BIC, at every size and for every p, and what Chen and Chen prove
/// for models of bounded size holds: no noise joins as n grows while p grows like any power of n (γ > 1 − 1/(2κ)
/// for p = n^κ; γ = 1 is above it for every κ). With one candidate it is BIC.
///
/// *Source*: after J. Chen and Z. Chen, Biometrika 95 (2008) 759–771; docs/results.md has the simulations, by
/// `cargo run --release --example default_criterion`.
///
/// ```
/// use passel_criteria::{Criterion, EbicMonotone, Model};
/// // n = 200, p = 1000, k = 4, rss = 50: 200·ln(50/200) = -277.258872,
/// // 4·ln 200 = 21.193269, 2·ln C(1000, 4) = 48.893921.
/// let criterion = EbicMonotone::default();
/// assert!((criterion.value(&Model::new(200, 1000, 4, 50.0)) - -207.171682211).abs() < 1e-8);
/// // p = 10, k = 8: 8·ln 200 = 42.386539, and 2·ln C(10, 5) = 11.058858 where EBIC has
/// // 2·ln C(10, 8) = 7.613325.
/// assert!((criterion.penalty(&Model::new(200, 10, 8, 50.0)) - 53.445397).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EbicMonotone {
    /// γ, between 0 (BIC) and 1.
    pub gamma: f64,
}

impl Default for EbicMonotone {
    fn default() -> Self {
        Self { gamma: 1.0 }
    }
}

impl Criterion for EbicMonotone {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("gamma", self.gamma)]
    }

    fn penalty(&self, model: &Model) -> f64 {
        let held = model.chosen.min(model.candidates / 2);
        let bic = model.parameters() as f64 * (model.n as f64).ln();
        bic + 2.0 * self.gamma * ln_binomial(model.candidates, held)
    }
}
