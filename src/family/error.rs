//! Why a response cannot be of a family.

use thiserror::Error;

use super::{Distribution, Link, PluginFamily};

/// Why a response cannot be of a family. Rows count from 1.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum FamilyError {
    #[error("the family {distribution} has no link {link}: use {}", names(*distribution))]
    Link {
        distribution: Distribution,
        link: Link,
    },
    #[error(
        "Firth's penalty is of the family binomial with the link logit and of poisson, not of {distribution} with {link}"
    )]
    Firth {
        distribution: Distribution,
        link: Link,
    },
    #[error(
        "row {row}: {value} is no response of the family {distribution}, which takes {}{}",
        distribution.takes(),
        match distribution {
            Distribution::Binomial if *value > 0.0 && *value < 1.0 => {
                "; a share of events is said by its counts: a column of the events, share × trials, as the response, and that \
                 of the trials as --trials, in place of --weights"
            }
            _ => "",
        }
    )]
    Value {
        row: usize,
        value: f64,
        distribution: Distribution,
    },
    #[error("row {row}: {events} events and {failures} failures: {wrong}")]
    Failures {
        row: usize,
        events: f64,
        failures: f64,
        wrong: &'static str,
    },
    #[error("row {row}: {events} events of {trials} trials")]
    Trials {
        row: usize,
        events: f64,
        trials: f64,
    },
    #[error("row {row}: the {what} {value} is {wrong}")]
    Number {
        row: usize,
        what: &'static str,
        value: f64,
        wrong: &'static str,
    },
    #[error("{what} has {found} values, the response {n}")]
    Length {
        what: &'static str,
        found: usize,
        n: usize,
    },
    #[error("the family {} of plugin {}: {reason}", family.name.to_string_lossy(), family.origin.plugin)]
    Plugin {
        family: PluginFamily,
        reason: String,
    },
    #[error("the family {distribution} has a dispersion or a variance of its own")]
    Dispersion { distribution: Distribution },
    #[error("the dispersion {value} is no number above 0")]
    DispersionValue { value: f64 },
    #[error("no observation ends by an event: there is nothing to explain")]
    NoEvent,
    #[error(
        "one observation alone ends by an event: criteria compare models by their number, and need two at least"
    )]
    OneEvent,
    #[error(
        "at every event nobody else is at risk, so nothing can be compared: look at the times, the entry times and the strata"
    )]
    NobodyElseAtRisk,
    #[error(
        "{}, so nothing tells who is at a higher risk: look at the times, the entry times and the strata",
        match is_one_time {
            true => "all events happen at one time, and all who are at risk then have theirs",
            false => "at every time of events all who are at risk then have theirs",
        }
    )]
    EventsAtOnce { is_one_time: bool },
    #[error(
        "with the offsets alone the likelihood is beyond the range of f64: look at their units"
    )]
    BeyondRange,
    #[error("every response is {value}: there is nothing to explain")]
    OneLevel { value: f64 },
    #[error(
        "the model without variables explains the response, or its likelihood is beyond the range of f64: look at the units and the offsets"
    )]
    NothingToExplain,
    #[error(
        "the link {link} cannot begin: with the offsets no mean of the family {distribution} is possible"
    )]
    NoStart {
        distribution: Distribution,
        link: Link,
    },
}

impl FamilyError {
    /// The error with its row, if it has one, as another table counts it; `of` counts from 0.
    pub(crate) fn in_rows(mut self, of: impl Fn(usize) -> usize) -> Self {
        if let Self::Value { row, .. }
        | Self::Trials { row, .. }
        | Self::Failures { row, .. }
        | Self::Number { row, .. } = &mut self
        {
            *row = of(*row - 1) + 1;
        }
        self
    }
}

fn names(distribution: Distribution) -> String {
    let names: Vec<&str> = distribution
        .links()
        .iter()
        .map(|link| link.name())
        .collect();
    names.join(" or ")
}
