use crate::{Criterion, Entry, Model};

pub(crate) const ENTRY: Entry = Entry {
    name: "ric",
    title: "risk inflation criterion",
    penalty: "2k·ln p + 2m",
    source: "D. P. Foster and E. I. George, The risk inflation criterion for multiple regression, Annals of Statistics 22 (1994) 1947–1975",
    parameters: &[],
    build: |_| Box::new(Ric),
};

/// Risk inflation criterion: n·ln(rss/n) + **2k·ln p + 2m**.
///
/// The price of the best of p candidates where none belongs to the model: the largest of p χ² with one
/// degree of freedom is about 2·ln p. Its authors take the error variance as known. Three or more candidates
/// make it HDAIC; of one it charges nothing.
///
/// *Source*: D. P. Foster and E. I. George, Annals of Statistics 22 (1994) 1947–1975.
///
/// ```
/// use passel_criteria::{Criterion, Model, Ric};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and 2k·ln p = 55.262042.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Ric.value(&model) - -221.996829992).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Ric;

impl Criterion for Ric {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        let candidates = model.candidates as f64;
        // Without candidates nothing is chosen, and 0·ln 0 would be NaN.
        2.0 * (model.chosen_parameters as f64 * candidates.max(1.0).ln() + model.kept as f64)
    }
}
