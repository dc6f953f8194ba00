use crate::{Criterion, Entry, Model, multiplicity};

pub(crate) const ENTRY: Entry = Entry {
    name: "hdhqc",
    title: "high-dimensional Hannan–Quinn",
    penalty: "2(k·max(1, ln p) + m)·ln ln n",
    source: "C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513",
    parameters: &[],
    build: |_| Box::new(Hdhqc),
};

/// High-dimensional Hannan–Quinn: n·ln(rss/n) + **2(k·max(1, ln p) + m)·ln ln n**.
///
/// HQC’s penalty times ln p; between HDAIC and HDBIC. With one or two candidates, where ln p < 1,
/// it is HQC: as published it would charge a single one nothing.
///
/// *Source*: C.-K. Ing and T. L. Lai, A stepwise regression method and consistent model selection for high-dimensional sparse linear models, Statistica Sinica 21 (2011) 1473–1513.
///
/// ```
/// use passel_criteria::{Criterion, Model, Hdhqc};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and 2k·ln ln n·ln p = 92.143337.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Hdhqc.value(&model) - -185.115534745).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hdhqc;

impl Criterion for Hdhqc {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        let paid =
            model.chosen_parameters as f64 * multiplicity(model.candidates) + model.kept as f64;
        2.0 * paid * (model.n as f64).ln().ln()
    }
}
