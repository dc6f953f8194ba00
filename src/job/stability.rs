//! What `passel stability` is asked for.

use super::{Job, JobDraft, OptionError};
use crate::{report::Format, stability::Resampling};

/// A selection from many resamples of one file, checked as far as it can be without its data.
#[derive(Debug, Clone)]
pub struct StabilityJob {
    /// What is run on each resample, and where the report goes; its seed is that of all.
    pub job: Job,
    /// How rows are drawn.
    pub resampling: Resampling,
    /// How many resamples; of complementary pairs how many pairs.
    pub resamples: usize,
    /// The expected number of false picks that is allowed.
    pub false_picks: f64,
    /// The cut-off of frequencies, where that is told instead.
    pub cutoff: Option<f64>,
}

/// What only `passel stability` has, being filled in.
#[derive(Debug, Clone)]
pub struct StabilityDraft {
    /// How rows are drawn.
    pub(super) resampling: Resampling,
    /// How many resamples.
    pub(super) resamples: usize,
    /// The part of the rows in a subsample.
    pub(super) fraction: Option<f64>,
    /// The expected number of false picks that is allowed.
    pub(super) false_picks: Option<f64>,
    /// The cut-off.
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

/// The part of the rows in a subsample unless another is asked for.
pub(super) const FRACTION: f64 = 0.5;

/// Options of one selection that mean nothing to many.
const OF_ONE: [&str; 3] = ["trace", "level", "checkpoint"];

impl StabilityDraft {
    /// With the options that `select` has too.
    ///
    /// # Errors
    /// Every option, and every two, that contradict the rest.
    pub(super) fn check(self, mut shared: JobDraft) -> Result<StabilityJob, Vec<OptionError>> {
        let mut errors = Vec::new();
        for option in OF_ONE {
            if shared.given.contains(&option) {
                errors.push(OptionError::OfOneSelection { option });
            }
        }
        (shared.job.trace, shared.job.checkpoint) = (None, None);
        // Of resamples, whatever the method draws.
        shared
            .given
            .retain(|it| *it != "seed" && !OF_ONE.contains(it));
        if shared.job.format == Format::Parquet {
            errors.push(OptionError::ParquetOfPass);
            shared.job.format = Format::Text;
        }
        let resampling = match (self.resampling, self.fraction) {
            (Resampling::Subsample(_), part) => Resampling::Subsample(part.unwrap_or(FRACTION)),
            (other, part) => {
                if part.is_some() {
                    errors.push(OptionError::Contradicts {
                        option: "fraction",
                        reason: "is of resampling = subsample: other resamples have a size of their own",
                    });
                }
                other
            }
        };
        if self.cutoff.is_some() && self.false_picks.is_some() {
            errors.push(OptionError::Contradicts {
                option: "false-picks",
                reason: "says what the cut-off is to be, and cutoff is given: leave one out",
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
            Ok(_) => Err(errors),
            Err(more) => {
                errors.extend(more);
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
            match STABILITY.iter().find(|it| it.name == *name) {
                Some(option) => option.read(&mut own, &values).unwrap(),
                None => shared.set(name, &values).unwrap(),
            }
        }
        let told = |errors: Vec<OptionError>| errors.iter().map(ToString::to_string).collect();
        own.check(shared).map_err(told)
    }

    #[test]
    fn defaults_are_a_hundred_complementary_pairs() {
        let it = checked(&[]).unwrap();
        assert_eq!(
            (it.resampling, it.resamples),
            (Resampling::Complementary, 100)
        );
        assert_eq!((it.false_picks, it.cutoff), (1.0, None));
        let it = checked(&[("resampling", "subsample")]).unwrap();
        assert_eq!(it.resampling, Resampling::Subsample(0.5));
        // Over text, a row of another option.
        let it = checked(&[("fraction", "0.25"), ("resampling", "subsample")]).unwrap();
        assert_eq!(it.resampling, Resampling::Subsample(0.25));
    }

    #[test]
    fn contradictions_are_all_told() {
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
            "trace is of one selection: it has no effect on many",
            "level is of one selection: it has no effect on many",
            "checkpoint is of one selection: it has no effect on many",
            "format = parquet is for the method pass: take csv, json or html",
            "fraction is of resampling = subsample: other resamples have a size of their own",
            "false-picks says what the cut-off is to be, and cutoff is given: leave one out",
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
            let option = STABILITY.iter().find(|it| it.name == name).unwrap();
            let read = option.read(&mut StabilityDraft::default(), &[value.to_owned()]);
            assert!(read.is_err(), "{name} {value}");
        }
    }
}
