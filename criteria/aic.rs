use crate::{Criterion, Entry, Model};

pub(crate) const ENTRY: Entry = Entry {
    name: "aic",
    title: "Akaike’s information criterion",
    penalty: "2(k + m)",
    source: "H. Akaike, A new look at the statistical model identification, IEEE Transactions on Automatic Control 19 (1974) 716–723",
    parameters: &[],
    build: |_| Box::new(Aic),
};

/// Akaike’s information criterion: n·ln(rss/n) + **2(k + m)**.
///
/// R’s `extractAIC` counts the intercept too: it is higher by 2.
///
/// Aims at prediction: it takes up more variables than the others, and with p near n or above it takes up noise.
///
/// *Source*: H. Akaike, A new look at the statistical model identification, IEEE Transactions on Automatic Control 19 (1974) 716–723.
///
/// ```
/// use passel_criteria::{Criterion, Model, Aic};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and 2k = 8.000000.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Aic.value(&model) - -269.258872224).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Aic;

impl Criterion for Aic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        2.0 * model.parameters() as f64
    }
}
