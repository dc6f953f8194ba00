use crate::{Criterion, Entry, Model, Parameter, ebic::ln_binomial};

pub(crate) const ENTRY: Entry = Entry {
    name: "ebic-monotone",
    title: "extended BIC whose penalty never eases",
    penalty: "m·ln n + (k·ln n + 2·gamma·ln C(p, min(k, ⌊p/2⌋)))·n/(n − k − m − 1); +∞ where n ≤ k + m + 1",
    source: "after J. Chen and Z. Chen, Extended Bayesian information criteria for model selection with large model spaces, Biometrika 95 (2008) 759–771; the term in p held from p/2 on, and the factor of small samples, are passel’s",
    parameters: &[Parameter {
        name: "gamma",
        default: 1.0,
        min: 0.0,
        max: 1.0,
        is_whole: false,
    }],
    build: |values| Box::new(EbicMonotone { gamma: values[0] }),
};

/// Extended BIC whose penalty never eases: n·ln(rss/n) + **m·ln n + (k·ln n + 2γ·ln C(p, min(k, ⌊p/2⌋)))·n/ν**
/// with ν = n − k − m − 1 residual degrees of freedom and 0 ≤ γ ≤ 1. passel’s default, with γ = 1.
///
/// It is [`Ebic`](crate::Ebic) without its two traps. Beyond half of the candidates ln C(p, k) falls, and EBIC
/// would pay for further variables: here the term is held, so that every variable costs at least what it costs by
/// BIC, at every size and for every p. And where p is far above n the best k of p noise columns leave little
/// of rss, by about exp(−2·ln C(p, k)/ν), which EBIC’s charge over n does not reach: it then takes up noise
/// to the bound on size. The factor n/ν, by which AICc differs from AIC, makes up for it. As n grows
/// it tends to 1, and what Chen and Chen prove for models of bounded size holds: no noise joins while p grows like
/// any power of n (γ > 1 − 1/(2κ) for p = n^κ; γ = 1 is above it for every κ).
///
/// *Source*: after J. Chen and Z. Chen, Biometrika 95 (2008) 759–771, and C. M. Hurvich and C.-L. Tsai,
/// Biometrika 76 (1989) 297–307; docs/results.md has the simulations, by
/// `cargo run --release --example default_criterion`.
///
/// ```
/// use passel_criteria::{Criterion, EbicMonotone, Model};
/// // n = 200, p = 1000, k = 4, rss = 50: 200·ln(50/200) = -277.258872, 4·ln 200 = 21.193269,
/// // 2·ln C(1000, 4) = 48.893921, their sum times 200/195 is 71.884298.
/// let criterion = EbicMonotone::default();
/// assert!((criterion.value(&Model::new(200, 1000, 4, 50.0)) - -205.374574).abs() < 1e-5);
/// // p = 10, k = 8: 8·ln 200 = 42.386539, and 2·ln C(10, 5) = 11.058858 where EBIC has
/// // 2·ln C(10, 8) = 7.613325; their sum times 200/191 is 55.963767.
/// assert!((criterion.penalty(&Model::new(200, 10, 8, 50.0)) - 55.963767).abs() < 1e-5);
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
        let n = model.n as f64;
        let left = n - model.coefficients() as f64;
        if left <= 0.0 {
            return f64::INFINITY;
        }
        let held = model.chosen.min(model.candidates / 2);
        let space = 2.0 * self.gamma * ln_binomial(model.candidates, held);
        model.kept as f64 * n.ln() + (model.chosen_parameters as f64 * n.ln() + space) * n / left
    }
}
