//! The options of `passel stability`.

use super::*;
use crate::{job::task::Command, stability::Resampling};

fn checked(options: &[(&str, &str)]) -> Result<StabilityJob, Vec<String>> {
    let mut draft = JobDraft::new("x.csv").of(Command::Stability);
    for (name, value) in options {
        draft.set(name, &[(*value).to_owned()]).unwrap();
    }
    match draft.task() {
        Ok(Task::Stability(job)) => Ok(*job),
        Ok(other) => panic!("{other:?}"),
        Err(errors) => Err(errors.iter().map(ToString::to_string).collect()),
    }
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
        "format = parquet is only for one selection by the method pass: use csv, json or html",
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
        let mut draft = JobDraft::new("x.csv").of(Command::Stability);
        let set = draft.set(name, &[value.to_owned()]);
        assert!(set.is_err(), "{name} {value}");
    }
}
