use crate::{Criterion, Entry, Model, Parameter};

pub(crate) const ENTRY: Entry = Entry {
    name: "cv",
    title: "cross-validation of the size",
    penalty: "none: the size is that of the least error on rows held out, in k folds",
    source: "M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal Statistical Society B 36 (1974) 111–147",
    parameters: &[
        Parameter {
            name: "k",
            default: 10.0,
            min: 2.0,
            max: 100_000.0,
            is_whole: true,
        },
        Parameter {
            name: "repeats",
            default: 1.0,
            min: 1.0,
            max: 1000.0,
            is_whole: true,
        },
        Parameter {
            name: "se",
            default: 0.0,
            min: 0.0,
            max: 10.0,
            is_whole: false,
        },
    ],
    build: |values| {
        Box::new(CrossValidation {
            folds: values[0] as usize,
            repeats: values[1] as usize,
            std_errors: values[2],
            size: None,
        })
    },
};

/// What the misfit rises by, for each observation, with each parameter that a model lacks or has beyond the size: more than any
/// variable explains.
const ANOTHER_SIZE: f64 = 1e6;

/// Cross-validation of the size: among models of one size the misfit decides, and the size is that whose models, selected
/// without a fold of the rows, predict the rows of that fold best.
///
/// A criterion sees no rows, so that this one says what is to be done ([`Criterion::cross_validation`]), and compares
/// models of the size that was chosen: φ = n·ln(rss/n), and **10⁶·n** more for each parameter that a model lacks or has beyond it.
///
/// *Source*: M. Stone, Cross-validatory choice and assessment of statistical predictions, Journal of the Royal Statistical Society B 36 (1974) 111–147.
///
/// ```
/// use passel_criteria::{Criterion, CrossValidation, Model};
/// // n = 200, rss = 50: 200·ln(50/200) = -277.258872 at the size that was chosen.
/// let cv = CrossValidation { size: Some(4), ..CrossValidation::default() };
/// let model = Model::new(200, 1000, 4, 50.0);
/// assert!((cv.value(&model) - -277.258872224).abs() < 1e-8);
/// // One variable fewer, or one more, costs 10⁶·n.
/// for chosen in [3, 5] {
///     let model = Model::new(200, 1000, chosen, 50.0);
///     assert!((cv.value(&model) - (2e8 - 277.258872224)).abs() < 1e-6);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossValidation {
    /// Folds of the rows, `k`.
    pub folds: usize,
    /// How often rows are dealt out anew.
    pub repeats: usize,
    /// The smallest size is chosen whose error is at most so many standard errors above the least.
    pub std_errors: f64,
    /// The size that was chosen, in parameters, those of kept variables not counted; none before.
    pub size: Option<usize>,
}

impl Default for CrossValidation {
    fn default() -> Self {
        Self {
            folds: 10,
            repeats: 1,
            std_errors: 0.0,
            size: None,
        }
    }
}

impl Criterion for CrossValidation {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn parameters(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("k", self.folds as f64),
            ("repeats", self.repeats as f64),
            ("se", self.std_errors),
        ]
    }

    fn penalty(&self, model: &Model) -> f64 {
        let apart = |size: usize| size.abs_diff(model.chosen_parameters);
        ANOTHER_SIZE * model.n as f64 * self.size.map_or(0, apart) as f64
    }

    fn cross_validation(&self) -> Option<CrossValidation> {
        Some(*self)
    }

    /// NaN: it charges sizes and no variable.
    fn last_charge(&self, _: &Model) -> f64 {
        f64::NAN
    }
}
