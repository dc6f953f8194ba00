//! What `passel stability` has besides the options of `select`.

use super::super::{OptionSpec, StabilityDraft};
use crate::stability::Resampling;

const STABILITY: &str = "Stability";

/// In the order they are listed.
pub(super) const RESAMPLING: &[OptionSpec<StabilityDraft>] = &[
    OptionSpec {
        name: "resamples",
        value: "B",
        default: "100",
        range: "2 … 100000",
        help: "Resamples of the rows; of complementary pairs B pairs, 2B selections",
        heading: STABILITY,
        list: false,
        set: |it, given| {
            it.resamples = given.count(2..=100_000)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "resampling",
        value: "HOW",
        default: "complementary",
        range: "complementary, subsample or bootstrap",
        help: "Pairs of halves without a row in common (Shah and Samworth), subsamples without replacement (Meinshausen and Bühlmann), or as many rows as there are with replacement, where bounds are only a guide",
        heading: STABILITY,
        list: false,
        set: |it, given| {
            it.resampling = given.choice(&[
                ("complementary", Resampling::Complementary),
                (
                    "subsample",
                    Resampling::Subsample(super::super::stability::FRACTION),
                ),
                ("bootstrap", Resampling::Bootstrap),
            ])?;
            Ok(())
        },
    },
    OptionSpec {
        name: "fraction",
        value: "F",
        default: "0.5",
        range: "above 0, below 1",
        help: "Of resampling = subsample: the part of the rows in each",
        heading: STABILITY,
        list: false,
        set: |it, given| {
            it.fraction = Some(given.number(|it| it > 0.0 && it < 1.0)?);
            Ok(())
        },
    },
    OptionSpec {
        name: "false-picks",
        value: "E",
        default: "1",
        range: "a number above 0",
        help: "The expected number of false picks that is allowed: the cut-off is the least above one half that keeps it",
        heading: STABILITY,
        list: false,
        set: |it, given| {
            it.false_picks = Some(given.number(|it| it > 0.0 && it.is_finite())?);
            Ok(())
        },
    },
    OptionSpec {
        name: "cutoff",
        value: "PI",
        default: "by false-picks",
        range: "above 0, at most 1",
        help: "Select what is chosen from this share of the resamples or more; the bounds there are told",
        heading: STABILITY,
        list: false,
        set: |it, given| {
            it.cutoff = Some(given.number(|it| it > 0.0 && it <= 1.0)?);
            Ok(())
        },
    },
];
