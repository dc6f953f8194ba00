use crate::{Criterion, Entry};

pub(crate) const ENTRY: Entry = Entry {
    name: "hdbic",
    title: "high-dimensional BIC",
    penalty: "k·ln n·ln p",
    source: "C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513",
    parameters: &[],
    build: |_| Box::new(Hdbic),
};

/// High-dimensional BIC: n·ln(rss/n) + **k·ln n·ln p**.
///
/// BIC’s penalty times ln p: the strictest of the family.
///
/// *Source*: C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513.
///
/// ```
/// use passel_criteria::{Criterion, Model, Hdbic};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and k·ln n·ln p = 146.397919.
/// let model = Model { n: 200, p: 1000, k: 4, rss: 50.0 };
/// assert!((Hdbic.value(&model) - -130.860953190).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hdbic;

impl Criterion for Hdbic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, n: usize, p: usize, k: usize) -> f64 {
        k as f64 * (n as f64).ln() * (p as f64).ln()
    }
}
