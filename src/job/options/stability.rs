//! Options that only `passel stability` has.

use super::super::{OptionSpec, StabilityDraft};
use crate::stability::Resampling;

const STABILITY: OptionSpec<StabilityDraft> = OptionSpec::in_group("Stability");

/// In the order in which they are listed.
pub(super) const RESAMPLING: &[OptionSpec<StabilityDraft>] = &[
    OptionSpec {
        name: "resamples",
        value: "B",
        default: "100",
        range: "2 … 100000",
        help: "Number of resamples of the rows; B complementary pairs make 2B selections",
        set: |draft, values| {
            values
                .count(2..=100_000)
                .map(|value| draft.resamples = value)
        },
        ..STABILITY
    },
    OptionSpec {
        name: "resampling",
        value: "HOW",
        default: "complementary",
        range: "complementary, subsample or bootstrap",
        help: "How rows are drawn: in complementary pairs of halves that share no row (Shah and Samworth), in subsamples without replacement (Meinshausen and Bühlmann), or in bootstrap samples with replacement, for which the bounds are only a guide",
        set: |draft, values| {
            values
                .choice(&[
                    ("complementary", Resampling::Complementary),
                    (
                        "subsample",
                        Resampling::Subsample(super::super::stability::FRACTION),
                    ),
                    ("bootstrap", Resampling::Bootstrap),
                ])
                .map(|value| draft.resampling = value)
        },
        ..STABILITY
    },
    OptionSpec {
        name: "fraction",
        value: "F",
        default: "0.5",
        range: "above 0, below 1",
        help: "For resampling = subsample: the fraction of the rows in each subsample",
        set: |draft, values| {
            values
                .number(|number| number > 0.0 && number < 1.0)
                .map(|value| draft.fraction = Some(value))
        },
        ..STABILITY
    },
    OptionSpec {
        name: "false-picks",
        value: "E",
        default: "1",
        range: "a number above 0",
        help: "The expected number of false picks to allow: the cut-off is the smallest above one half that keeps to it",
        set: |draft, values| {
            values
                .number(|number| number > 0.0 && number.is_finite())
                .map(|value| draft.false_picks = Some(value))
        },
        ..STABILITY
    },
    OptionSpec {
        name: "cutoff",
        value: "PI",
        default: "from false-picks",
        range: "above 0, at most 1",
        help: "Select what is chosen in at least this fraction of the resamples; the bounds for it are reported",
        set: |draft, values| {
            values
                .number(|number| number > 0.0 && number <= 1.0)
                .map(|value| draft.cutoff = Some(value))
        },
        ..STABILITY
    },
];
