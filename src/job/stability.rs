//! The options of `passel stability`.

use super::{Job, JobDraft, OptionError};
use crate::{presentation::Format, stability::Resampling};

/// A selection from resamples of one file, checked as far as that is possible without its data.
#[derive(Debug, Clone)]
pub struct StabilityJob {
    /// The selection that is run on each resample, and the report of all. Its seed also draws the
    /// resamples.
    pub job: Job,
    /// How rows are drawn.
    pub resampling: Resampling,
    /// The number of resamples; for complementary pairs, the number of pairs.
    pub resamples: usize,
    /// The expected number of false picks that is allowed.
    pub false_picks: f64,
    /// The cut-off of frequencies; `None` to derive it from `false_picks`.
    pub cutoff: Option<f64>,
}

impl StabilityJob {
    /// Runs a job on the halves of 100 complementary pairs, and allows one false pick.
    pub fn new(job: Job) -> Self {
        Self {
            job,
            resampling: Resampling::Complementary,
            resamples: 100,
            false_picks: 1.0,
            cutoff: None,
        }
    }
}

/// The options that only `passel stability` has, being set.
#[derive(Debug, Clone)]
pub struct StabilityDraft {
    /// See [`StabilityJob::resampling`].
    pub(super) resampling: Resampling,
    /// See [`StabilityJob::resamples`].
    pub(super) resamples: usize,
    /// The fraction of the rows in a subsample.
    pub(super) fraction: Option<f64>,
    /// See [`StabilityJob::false_picks`].
    pub(super) false_picks: Option<f64>,
    /// See [`StabilityJob::cutoff`].
    pub(super) cutoff: Option<f64>,
}

impl Default for StabilityDraft {
    fn default() -> Self {
        Self {
            resampling: Resampling::Complementary,
            resamples: 100,
            fraction: None,
            false_picks: None,
            cutoff: None,
        }
    }
}

/// The default fraction of the rows in a subsample.
pub(super) const FRACTION: f64 = 0.5;

/// Options of a single selection, which have no effect on resamples.
const OF_SINGLE_SELECTION: [&str; 3] = ["trace", "level", "checkpoint"];

impl StabilityDraft {
    /// The checked job; `shared` has the options that `select` has too.
    ///
    /// # Errors
    /// Every option that has no effect, every conflict between options, and a method or criterion
    /// that does not exist.
    pub(super) fn check(self, mut shared: JobDraft) -> Result<StabilityJob, Vec<OptionError>> {
        let explicit = shared.explicit.iter().copied();
        let of_single = OF_SINGLE_SELECTION.into_iter();
        let mut errors: Vec<_> = of_single
            .filter(|option| explicit.clone().any(|name| name == *option))
            .map(|option| OptionError::Contradicts {
                option,
                reason: "applies to a single selection and has no effect on resamples: leave it out",
            })
            .collect();
        (shared.job.trace, shared.job.checkpoint) = (None, None);
        // The seed draws the resamples, whether or not the method uses it.
        shared
            .explicit
            .retain(|option| *option != "seed" && !OF_SINGLE_SELECTION.contains(option));
        if shared.job.format == Format::Parquet {
            errors.push(OptionError::ParquetOfPass);
            shared.job.format = Format::Text;
        }
        let resampling = match (self.resampling, self.fraction) {
            (Resampling::Subsample(_), part) => Resampling::Subsample(part.unwrap_or(FRACTION)),
            (other, None) => other,
            (other, Some(_)) => {
                errors.push(OptionError::Contradicts {
                    option: "fraction",
                    reason: "needs resampling = subsample: other resamples have a fixed size",
                });
                other
            }
        };
        if self.cutoff.is_some() && self.false_picks.is_some() {
            errors.push(OptionError::Contradicts {
                option: "false-picks",
                reason: "determines the cut-off, and cutoff is given too: leave one of them out",
            });
        }
        match shared.check() {
            Ok(job) if errors.is_empty() => Ok(StabilityJob {
                job,
                resampling,
                resamples: self.resamples,
                false_picks: self.false_picks.unwrap_or(1.0),
                cutoff: self.cutoff,
            }),
            checked => {
                errors.extend(checked.err().into_iter().flatten());
                Err(errors)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::STABILITY;

    fn checked(options: &[(&str, &str)]) -> Result<StabilityJob, Vec<String>> {
        let (mut shared, mut own) = (JobDraft::new("x.csv"), StabilityDraft::default());
        for (name, value) in options {
            let values = [(*value).to_owned()];
            match STABILITY.iter().find(|option| option.name == *name) {
                Some(option) => option.read(&mut own, &values).unwrap(),
                None => shared.set(name, &values).unwrap(),
            }
        }
        let messages = |errors: Vec<OptionError>| errors.iter().map(ToString::to_string).collect();
        own.check(shared).map_err(messages)
    }

    #[test]
    fn defaults_are_a_hundred_complementary_pairs() {
        let job = checked(&[]).unwrap();
        assert_eq!(
            (job.resampling, job.resamples),
            (Resampling::Complementary, 100)
        );
        assert_eq!((job.false_picks, job.cutoff), (1.0, None));
        let job = checked(&[("resampling", "subsample")]).unwrap();
        assert_eq!(job.resampling, Resampling::Subsample(0.5));
        // In any order.
        let job = checked(&[("fraction", "0.25"), ("resampling", "subsample")]).unwrap();
        assert_eq!(job.resampling, Resampling::Subsample(0.25));
    }

    #[test]
    fn every_contradiction_is_reported() {
        let errors = checked(&[
            ("fraction", "0.5"),
            ("cutoff", "0.7"),
            ("false-picks", "2"),
            ("trace", "t.csv"),
            ("level", "0.9"),
            ("checkpoint", "c.json"),
            ("format", "parquet"),
            ("keep", "y"),
            ("response", "y"),
        ]);
        let expected = [
            "trace applies to a single selection and has no effect on resamples: leave it out",
            "level applies to a single selection and has no effect on resamples: leave it out",
            "checkpoint applies to a single selection and has no effect on resamples: leave it out",
            "format = parquet is only for the method pass: use csv, json or html",
            "fraction needs resampling = subsample: other resamples have a fixed size",
            "false-picks determines the cut-off, and cutoff is given too: leave one of them out",
            "keep and response both name y",
        ];
        assert_eq!(errors.unwrap_err(), expected);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (name, value) in [
            ("resamples", "0"),
            ("resamples", "1"),
            ("resamples", "100001"),
            ("fraction", "0"),
            ("fraction", "1"),
            ("fraction", "nan"),
            ("false-picks", "0"),
            ("false-picks", "inf"),
            ("cutoff", "0"),
            ("cutoff", "1.01"),
            ("resampling", "jackknife"),
        ] {
            let option = STABILITY.iter().find(|option| option.name == name).unwrap();
            let read = option.read(&mut StabilityDraft::default(), &[value.to_owned()]);
            assert!(read.is_err(), "{name} {value}");
        }
    }
}
