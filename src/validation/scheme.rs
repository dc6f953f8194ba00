//! How rows are split into those that a model is made of and those that it is judged on.

use std::{fmt, ops::RangeInclusive};

/// A scheme of validation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Cross-validation: the rows in k parts of about one size, each judged by the model of all others.
    Folds {
        /// The number of parts.
        k: usize,
        /// How often rows are dealt out anew.
        repeats: usize,
    },
    /// Each row, or each group of rows, is judged by the model of all others.
    LeaveOneOut,
    /// The rows in an order, in blocks + 1 parts of about one size; each part but the first is judged by the model of those
    /// before it.
    Time {
        /// The number of parts that are judged.
        blocks: usize,
    },
    /// A share of the rows is judged by the model of the others.
    Holdout {
        /// The share.
        share: f64,
        /// How often rows are drawn anew.
        repeats: usize,
    },
    /// The rows that a column marks are judged by the model of the others.
    Marked,
    /// Models of rows drawn with replacement are judged on those that were not drawn (.632+).
    Bootstrap {
        /// The number of times that rows are drawn.
        resamples: usize,
    },
}

impl Default for Scheme {
    fn default() -> Self {
        Self::Folds { k: 10, repeats: 1 }
    }
}

impl Scheme {
    /// The names that schemes have.
    pub const NAMES: [&'static str; 6] = [
        "folds",
        "leave-one-out",
        "time",
        "holdout",
        "marked",
        "bootstrap",
    ];

    /// The scheme of a name with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "folds" => Self::default(),
            "leave-one-out" => Self::LeaveOneOut,
            "time" => Self::Time { blocks: 5 },
            "holdout" => Self::Holdout {
                share: 0.2,
                repeats: 1,
            },
            "marked" => Self::Marked,
            "bootstrap" => Self::Bootstrap { resamples: 100 },
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Folds { .. } => "folds",
            Self::LeaveOneOut => "leave-one-out",
            Self::Time { .. } => "time",
            Self::Holdout { .. } => "holdout",
            Self::Marked => "marked",
            Self::Bootstrap { .. } => "bootstrap",
        }
    }

    /// Its parameters with their values.
    pub fn parameters(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Folds { k, repeats } => vec![("k", k as f64), ("repeats", repeats as f64)],
            Self::Time { blocks } => vec![("blocks", blocks as f64)],
            Self::Holdout { share, repeats } => {
                vec![("share", share), ("repeats", repeats as f64)]
            }
            Self::Bootstrap { resamples } => vec![("resamples", resamples as f64)],
            Self::LeaveOneOut | Self::Marked => Vec::new(),
        }
    }

    /// Sets a parameter; false where the scheme has none of this name, or not such a value.
    pub fn set(&mut self, parameter: &str, value: f64) -> bool {
        let count = |range: RangeInclusive<usize>| {
            let count = value as usize;
            (value.fract() == 0.0 && range.contains(&count)).then_some(count)
        };
        let (place, count) = match (self, parameter) {
            (Self::Holdout { share, .. }, "share") => {
                let is_share = value > 0.0 && value < 1.0;
                if is_share {
                    *share = value;
                }
                return is_share;
            }
            (Self::Folds { k, .. }, "k") => (k, count(2..=100_000)),
            (Self::Folds { repeats, .. } | Self::Holdout { repeats, .. }, "repeats") => {
                (repeats, count(1..=10_000))
            }
            (Self::Time { blocks }, "blocks") => (blocks, count(1..=100_000)),
            (Self::Bootstrap { resamples }, "resamples") => (resamples, count(2..=100_000)),
            _ => return false,
        };
        if let Some(count) = count {
            *place = count;
        }
        count.is_some()
    }

    /// Whether the column that rows are split by is of groups that stay together.
    pub(crate) fn has_groups(self) -> bool {
        !matches!(self, Self::Time { .. } | Self::Marked)
    }

    /// Whether several parts of the rows are judged by models of their own in each repeat, whose scatter says how far the error
    /// is known.
    pub(crate) fn has_folds(self) -> bool {
        matches!(
            self,
            Self::Folds { .. } | Self::LeaveOneOut | Self::Time { .. }
        )
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let mark = std::iter::once(':').chain(std::iter::repeat(','));
        for (mark, (name, value)) in mark.zip(self.parameters()) {
            write!(f, "{mark}{name}={value}")?;
        }
        Ok(())
    }
}
