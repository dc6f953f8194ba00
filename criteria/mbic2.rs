use crate::{Criterion, Entry, Model, Parameter};

pub(crate) const ENTRY: Entry = Entry {
    name: "mbic2",
    title: "modified BIC, second version",
    penalty: "(k + m)·ln n + 2k·ln(p/expected) − 2·ln k!",
    source: "F. Frommlet, F. Ruhaltinger, P. Twaróg and M. Bogdan, Modified versions of Bayesian information criterion for genome-wide association studies, Computational Statistics and Data Analysis 56 (2012) 1038–1051",
    parameters: &[Parameter {
        name: "expected",
        default: 4.0,
        min: 1e-3,
        max: 1e15,
        is_whole: false,
    }],
    build: |values| {
        Box::new(Mbic2 {
            expected: values[0],
        })
    },
};

/// Modified BIC, second version: n·ln(rss/n) + **(k + m)·ln n + 2k·ln(p/c) − 2·ln k!**.
///
/// A prior of c true variables among p, 4 by default, with the prices of Benjamini and Hochberg’s
/// step-up: it controls the false discovery rate where few of many candidates are true. Where k is above
/// p/c it charges less than BIC. R’s `bigstep` takes ln(p/c − 1) for ln(p/c).
///
/// *Source*: F. Frommlet, F. Ruhaltinger, P. Twaróg and M. Bogdan, Computational Statistics and Data
/// Analysis 56 (2012) 1038–1051.
///
/// ```
/// use passel_criteria::{Criterion, Mbic2, Model};
/// // n = 200, p = 1000, k = 4, rss = 50: 200·ln(50/200) = -277.258872,
/// // 4·ln 200 = 21.193269, 8·ln(1000/4) = 44.171687, 2·ln 24 = 6.356108.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Mbic2 { expected: 4.0 }.value(&model) - -218.250023076).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Mbic2 {
    /// The number c of true variables expected beforehand.
    pub expected: f64,
}

impl Criterion for Mbic2 {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("expected", self.expected)]
    }

    fn penalty(&self, model: &Model) -> f64 {
        let rarity = (model.candidates as f64 / self.expected).ln();
        let prices = (1..=model.chosen).map(|rank| rarity - (rank as f64).ln());
        model.parameters() as f64 * (model.n as f64).ln() + 2.0 * prices.sum::<f64>()
    }
}
