//! Checks of the columns that options name.

use super::{DesignError, DesignOptions, ResponseOptions, groups::assign};
use crate::{
    family::Distribution,
    table::{Table, TableError, Values},
};

/// The columns that options name.
pub(super) struct NamedColumns<'a> {
    pub(super) response: usize,
    pub(super) weights: Option<usize>,
    pub(super) trials: Option<usize>,
    pub(super) failures: Option<usize>,
    pub(super) offset: Option<usize>,
    pub(super) event: Option<usize>,
    pub(super) entry: Option<usize>,
    pub(super) strata: Option<usize>,
    pub(super) cluster: Option<usize>,
    /// The columns and levels of `--reference`.
    pub(super) references: Vec<(&'a str, &'a str)>,
}

impl<'a> NamedColumns<'a> {
    /// The columns that say something of observations and are no candidates.
    pub(super) fn beside(&self) -> [Option<usize>; 8] {
        let of_trials = [self.weights, self.trials, self.failures, self.offset];
        let [weights, trials, failures, offset] = of_trials;
        [
            weights,
            trials,
            failures,
            offset,
            self.event,
            self.entry,
            self.strata,
            self.cluster,
        ]
    }

    /// Finds them in a table; `is_part` where it lacks the values of some columns.
    pub(super) fn of(
        table: &Table,
        options: &DesignOptions<'a>,
        is_part: bool,
    ) -> Result<Self, DesignError> {
        let response = table.response_position(options.response)?;
        let kind = options.kind;
        let place = |option, name: Option<&str>| {
            let place = name.map(|name| table.require_variable(option, name, response));
            place.transpose()
        };
        let weights = place("--weights", options.weights)?;
        let trials = place("--trials", kind.trials)?;
        let failures = place("--response", kind.failures)?;
        let offset = place("--offset", kind.offset)?;
        let event = place("--event", kind.event)?;
        let entry = place("--entry", kind.entry)?;
        let strata = place("--strata", kind.strata)?;
        let cluster = place("--cluster", kind.cluster)?;
        check_kind(&kind, options.weights, kind.failures.map(|_| "--response"))?;
        let is_group = |name: &&String| options.groups.iter().any(|group| group.name == **name);
        let keep = options.keep.iter().filter(|name| !is_group(name)).cloned();
        let keep: Vec<String> = keep.collect();
        for (option, list) in [("--drop", options.drop), ("--keep", &keep)] {
            check_names(table, option, list, response, is_part)?;
            for (_, what, name) in kind.columns(options.weights) {
                if list.iter().any(|listed| listed == name) {
                    return Err(TableError::in_list(name, what, option).into());
                }
            }
        }
        if let Some(name) = options.keep.iter().find(|name| options.drop.contains(name)) {
            let name = name.clone();
            return Err(DesignError::KeptAndDropped { name });
        }
        if !options.groups.is_empty() {
            let columns = table.columns.iter().enumerate();
            let candidates = columns.filter(|(at, column)| {
                let of_survival = [event, entry, strata];
                let beside = [weights, trials, failures, offset, cluster];
                let is_beside = beside.contains(&Some(*at)) || of_survival.contains(&Some(*at));
                *at != response && !is_beside && !options.drop.contains(&column.name)
            });
            let names: Vec<&str> = candidates.map(|(_, column)| &*column.name).collect();
            assign(options.groups, &names)?;
        }
        Ok(Self {
            response,
            weights,
            trials,
            failures,
            offset,
            event,
            entry,
            strata,
            cluster,
            references: references(table, options.reference, (options.drop, response))?,
        })
    }
}

/// Refuses options of the binomial family for another one, and one column for two of them. `failures` is what names a
/// response of events and failures.
pub(super) fn check_kind(
    kind: &ResponseOptions,
    weights: Option<&str>,
    failures: Option<&'static str>,
) -> Result<(), DesignError> {
    let distribution = kind.family.distribution();
    let of_trials = [("--trials", kind.trials), ("--success", kind.success)];
    // Events of survival times have a level too.
    let is_level = |(option, _): &(&str, _)| kind.event.is_some() && *option == "--success";
    let of_binomial = of_trials
        .into_iter()
        .filter(|own| !is_level(own))
        .chain(failures.map(|own| (own, failures)));
    for (option, value) in of_binomial {
        if value.is_some() && distribution != Distribution::Binomial {
            return Err(DesignError::OfBinomial {
                option,
                distribution,
            });
        }
    }
    let is_survival = distribution == Distribution::Cox;
    if is_survival && kind.event.is_none() {
        return Err(DesignError::NoEventColumn);
    }
    let of_survival = [
        ("--event", kind.event),
        ("--entry", kind.entry),
        ("--strata", kind.strata),
    ];
    let wrong = of_survival.into_iter().find(|(_, value)| value.is_some());
    if let (Some((option, _)), false) = (wrong, is_survival) {
        return Err(DesignError::OfSurvival {
            option,
            distribution,
        });
    }
    if !kind.levels.is_empty() && !kind.family.has_levels() {
        return Err(DesignError::OfLevels {
            option: "--levels",
            distribution,
        });
    }
    if distribution == Distribution::Multinomial && kind.offset.is_some() {
        return Err(DesignError::OffsetOfLevels);
    }
    if kind.trials.is_some() && kind.success.is_some() {
        return Err(DesignError::TrialsAndSuccess);
    }
    let beside = of_trials.into_iter().find(|(_, value)| value.is_some());
    if let (Some((option, _)), true) = (beside, failures.is_some()) {
        return Err(DesignError::BesideFailures { option });
    }
    if kind.firth {
        kind.family.check_firth().map_err(DesignError::Firth)?;
        if kind.dispersion.is_some() {
            return Err(DesignError::FirthAndDispersion);
        }
    }
    kind.check_covariance()?;
    let columns: Vec<_> = kind.columns(weights).collect();
    for (at, (option, _, name)) in columns.iter().enumerate() {
        let mut before = columns[..at].iter();
        if let Some((_, what, _)) = before.find(|(.., other)| other == name) {
            return Err(TableError::in_list(name, what, option).into());
        }
    }
    Ok(())
}

/// Checks that a table without values has the columns that options name.
///
/// # Errors
/// The first that it lacks, or that two options use in ways that exclude each other.
pub(crate) fn check_columns(table: &Table, options: &DesignOptions) -> Result<(), DesignError> {
    NamedColumns::of(table, options, true).map(drop)
}

/// Checks that every name of an option's list is a column, or, for `--keep`, a dummy.
pub(super) fn check_names(
    table: &Table,
    option: &'static str,
    list: &[String],
    response: usize,
    is_part: bool,
) -> Result<(), TableError> {
    for name in list {
        let checked = table.require_variable(option, name, response);
        // Of a column that another rank has, the levels are known later.
        let is_dummy = || match is_part {
            true => name.contains('='),
            false => names_a_level(table, name),
        };
        if option != "--keep" || table.position(name).is_some() || !is_dummy() {
            checked?;
        }
    }
    Ok(())
}

/// Whether a name is `column=level` of a level that occurs in the table.
fn names_a_level(table: &Table, name: &str) -> bool {
    table.columns.iter().any(|column| match &column.values {
        Values::Factor { levels, .. } => levels
            .iter()
            .any(|level| dummy_name(&column.name, level) == name),
        _ => false,
    })
}

/// The column and the level that `--reference` names as `column=level`; none without the sign.
pub(super) fn split_reference<'a>(table: &Table, text: &'a str) -> Option<(&'a str, &'a str)> {
    let splits = text.match_indices('=');
    let mut splits = splits.map(|(at, _)| (text[..at].trim(), text[at + 1..].trim()));
    let first = splits.clone().next();
    // A column's name may itself hold the sign.
    let known = splits.find(|(name, _)| table.position(name).is_some());
    known.or(first)
}

/// The levels of a factor, where the column is at hand.
fn levels_of<'a>(table: &'a Table, name: &str) -> Option<&'a [String]> {
    let column = table.columns.iter().find(|column| column.name == name);
    match &column?.values {
        Values::Factor { levels, .. } => Some(levels),
        _ => None,
    }
}

/// Whether a table has the column and the level that `--reference` names as `column=level`: the rows of a
/// resample may not.
pub(crate) fn has_reference(table: &Table, text: &str) -> bool {
    split_reference(table, text).is_some_and(|(name, level)| {
        levels_of(table, name).is_some_and(|levels| levels.iter().any(|own| own == level))
    })
}

/// The columns and levels that `--reference` names as `column=level`. Whether a column is a factor
/// is known where it is coded, and whether the level is left once rows were dropped.
fn references<'a>(
    table: &Table,
    list: &'a [String],
    (drop, response): (&[String], usize),
) -> Result<Vec<(&'a str, &'a str)>, DesignError> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    for text in list {
        let Some((name, level)) = split_reference(table, text) else {
            let text = text.clone();
            return Err(DesignError::ReferenceForm { text });
        };
        table.require_variable("--reference", name, response)?;
        if drop.iter().any(|dropped| dropped == name) {
            return Err(TableError::in_list(name, "is left out", "--reference").into());
        }
        if found.iter().any(|(other, _)| *other == name) {
            let name = name.to_owned();
            return Err(DesignError::ReferenceTwice { name });
        }
        if let Some(levels) = levels_of(table, name)
            && levels.iter().all(|own| own != level)
        {
            return Err(DesignError::ReferenceLevel {
                name: name.to_owned(),
                level: level.to_owned(),
                levels: levels.to_vec(),
            });
        }
        found.push((name, level));
    }
    Ok(found)
}

pub(crate) fn dummy_name(column: &str, level: &str) -> String {
    format!("{column}={level}")
}
