use crate::{Criterion, Entry, Model};

pub(crate) const ENTRY: Entry = Entry {
    name: "hqc",
    title: "Hannan–Quinn criterion",
    penalty: "2(k + m)·ln ln n",
    source: "E. J. Hannan and B. G. Quinn, The determination of the order of an autoregression, Journal of the Royal Statistical Society B 41 (1979) 190–195",
    parameters: &[],
    build: |_| Box::new(Hqc),
};

/// Hannan–Quinn criterion: n·ln(rss/n) + **2(k + m)·ln ln n**.
///
/// The slowest penalty that is still consistent while p stays fixed; between AIC and BIC.
///
/// *Source*: E. J. Hannan and B. G. Quinn, The determination of the order of an autoregression, Journal of the Royal Statistical Society B 41 (1979) 190–195.
///
/// ```
/// use passel_criteria::{Criterion, Model, Hqc};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and 2k·ln ln n = 13.339114.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Hqc.value(&model) - -263.919757887).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hqc;

impl Criterion for Hqc {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        2.0 * model.parameters() as f64 * (model.n as f64).ln().ln()
    }
}
