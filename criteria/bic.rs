use crate::{Criterion, Entry, Model, Parameter};

pub(crate) const ENTRY: Entry = Entry {
    name: "bic",
    title: "Bayesian information criterion",
    penalty: "(k + m)·ln n",
    source: "G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461–464",
    parameters: &[Parameter {
        name: "n",
        default: f64::NAN,
        min: 1.0,
        max: 1e15,
        is_whole: false,
    }],
    build: |values| match values[0] {
        n if n.is_nan() => Box::new(Bic),
        n => Box::new(BicOf { n }),
    },
};

/// Bayesian information criterion: n·ln(rss/n) + **(k + m)·ln n**.
///
/// Consistent while p stays fixed; with p of the order of n it takes up noise. [`BicOf`] has another n
/// than the number of observations.
///
/// *Source*: G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461–464.
///
/// ```
/// use passel_criteria::{Bic, Criterion, Model};
/// // n = 200, p = 1000, k = 4, rss = 50:
/// // 200·ln(50/200) = -277.258872, and k·ln n = 21.193269.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((Bic.value(&model) - -256.065602758).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Bic;

impl Criterion for Bic {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn penalty(&self, model: &Model) -> f64 {
        model.parameters() as f64 * (model.n as f64).ln()
    }
}

/// BIC with an n of one’s own in its penalty, `bic:n=40`: n·ln(rss/n) + **(k + m)·ln 40**.
///
/// For data that have fewer independent observations than rows: the number of groups where rows come in
/// groups, the effective size of a series.
///
/// *Source*: G. Schwarz, Estimating the dimension of a model, Annals of Statistics 6 (1978) 461–464.
///
/// ```
/// use passel_criteria::{BicOf, Criterion, Model};
/// // n = 200, p = 1000, k = 4, rss = 50: 200·ln(50/200) = -277.258872;
/// // for 40 groups 4·ln 40 = 14.755518.
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((BicOf { n: 40.0 }.value(&model) - -262.503354408).abs() < 1e-8);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct BicOf {
    /// The n of the penalty, at least 1.
    pub n: f64,
}

impl Criterion for BicOf {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![("n", self.n)]
    }

    fn penalty(&self, model: &Model) -> f64 {
        model.parameters() as f64 * self.n.ln()
    }
}
