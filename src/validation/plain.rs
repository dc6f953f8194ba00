//! Plain models, which stand behind a selector that makes none.

/// How a response is predicted from the variables that a selector chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainModel {
    /// Least squares, of a response of numbers.
    LeastSquares,
    /// Logistic regression, of two levels or of more.
    Logistic,
    /// The mean, or the share of each level, of the nearest training rows: by Euclidean distance over the variables at unit
    /// deviation, of a factor over the dummies of all its levels; of rows equally near the first.
    Neighbours {
        /// How many rows.
        k: usize,
    },
}

impl PlainModel {
    /// The names of all.
    pub(crate) const NAMES: [&'static str; 3] = ["ols", "logistic", "knn"];

    /// The one of a name, with default parameters.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [
            Self::LeastSquares,
            Self::Logistic,
            Self::Neighbours { k: 5 },
        ];
        all.into_iter().find(|own| own.name() == name)
    }

    /// Sets a parameter; false if there is no such one, or it does not take the value.
    pub(crate) fn set(&mut self, parameter: &str, value: f64) -> bool {
        match self {
            Self::Neighbours { k } if parameter == "k" => {
                let is_count = value.fract() == 0.0 && (1.0..=1e6).contains(&value);
                *k = if is_count { value as usize } else { *k };
                is_count
            }
            _ => false,
        }
    }

    /// Its parameters by name.
    pub(crate) fn parameters(self) -> Option<(&'static str, usize)> {
        match self {
            Self::Neighbours { k } => Some(("k", k)),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::LeastSquares => "ols",
            Self::Logistic => "logistic",
            Self::Neighbours { .. } => "knn",
        }
    }
}
