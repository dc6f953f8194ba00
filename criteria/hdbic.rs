use crate::{Criterion, Entry, Model, multiplicity};

pub(crate) const ENTRY: Entry = Entry {
    name: "hdbic",
    title: "high-dimensional BIC",
    penalty: "(k·max(1, ln p) + m)·ln n",
    source: "C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513",
    parameters: &[],
    build: |_| Box::new(Hdbic),
};

/// High-dimensional BIC: n·ln(rss/n) + **(k·max(1, ln p) + m)·ln n**.
///
/// BIC’s penalty times ln p: the strictest of the family. With one or two candidates, where
/// ln p < 1, it is BIC: as published it would charge a single one nothing.
///
/// *Source*: C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513.
///
/// ```
/// use passel_criteria::{Criterion, Model, Hdbic};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and k·ln n·ln p = 146.397919.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Hdbic.value(&model) - -130.860953190).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hdbic;

impl Criterion for Hdbic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        let paid =
            model.chosen_parameters as f64 * multiplicity(model.candidates) + model.kept as f64;
        paid * (model.n as f64).ln()
    }
}
