use crate::{Criterion, Entry, Model, multiplicity};

pub(crate) const ENTRY: Entry = Entry {
    name: "hdaic",
    title: "high-dimensional AIC",
    penalty: "2(k·max(1, ln p) + m)",
    source: "C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513",
    parameters: &[],
    build: |_| Box::new(Hdaic),
};

/// High-dimensional AIC: n·ln(rss/n) + **2(k·max(1, ln p) + m)**.
///
/// AIC’s penalty times ln p: it pays for the best of p candidates, not for one. With one or two
/// candidates, where ln p < 1, it is AIC: as published it would charge a single one nothing.
///
/// *Source*: C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513.
///
/// ```
/// use passel_criteria::{Criterion, Model, Hdaic};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and 2k·ln p = 55.262042.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Hdaic.value(&model) - -221.996829992).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hdaic;

impl Criterion for Hdaic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        2.0 * (model.chosen_parameters as f64 * multiplicity(model.candidates) + model.kept as f64)
    }
}
