use crate::{Criterion, Entry};

pub(crate) const ENTRY: Entry = Entry {
    name: "bic",
    title: "Bayesian information criterion",
    penalty: "k·ln n",
    source: "G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461–464",
    parameters: &[],
    build: |_| Box::new(Bic),
};

/// Bayesian information criterion: n·ln(rss/n) + **k·ln n**.
///
/// Consistent while p stays fixed; with p of the order of n it takes up noise.
///
/// *Source*: G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461–464.
///
/// ```
/// use passel_criteria::{Criterion, Model, Bic};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and k·ln n = 21.193269.
/// let model = Model { n: 200, p: 1000, k: 4, rss: 50.0 };
/// assert!((Bic.value(&model) - -256.065602758).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Bic;

impl Criterion for Bic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, n: usize, _p: usize, k: usize) -> f64 {
        k as f64 * (n as f64).ln()
    }
}
