//! Which inference a job asks for.

use std::fmt;

/// How inference accounts for the choice of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InferenceMethod {
    /// Half of the rows choose, the others estimate, so many times.
    Split {
        /// The number of splits.
        splits: usize,
    },
    /// Rows drawn with replacement choose and estimate, so many times.
    Bootstrap {
        /// The number of resamples.
        resamples: usize,
    },
}

impl InferenceMethod {
    /// The names of the methods.
    pub const NAMES: [&'static str; 2] = ["split", "bootstrap"];

    /// The method of a name with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "split" => Self::Split { splits: 50 },
            "bootstrap" => Self::Bootstrap { resamples: 1000 },
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Split { .. } => "split",
            Self::Bootstrap { .. } => "bootstrap",
        }
    }

    /// Its parameter.
    pub fn parameter(self) -> &'static str {
        match self {
            Self::Split { .. } => "splits",
            Self::Bootstrap { .. } => "resamples",
        }
    }

    /// How often rows are drawn.
    pub fn count(self) -> usize {
        match self {
            Self::Split { splits: count } | Self::Bootstrap { resamples: count } => count,
        }
    }

    /// Sets a parameter; false where the method has none of this name, or not such a value.
    pub fn set(&mut self, parameter: &str, value: f64) -> bool {
        let least = match self {
            Self::Split { .. } => 1.0,
            // Fewer have no tails.
            Self::Bootstrap { .. } => 50.0,
        };
        let is_count = value.fract() == 0.0 && (least..=100_000.0).contains(&value);
        if parameter != self.parameter() || !is_count {
            return false;
        }
        let (Self::Split { splits: count } | Self::Bootstrap { resamples: count }) = self;
        *count = value as usize;
        true
    }
}

impl fmt::Display for InferenceMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}={}", self.name(), self.parameter(), self.count())
    }
}
