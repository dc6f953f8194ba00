//! What many draws of rows say of each variable.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    inference::{
        InferenceMethod, Replicates, SplitEstimate, aggregated_p_value, bca_interval,
        false_discovery_rates, percentile_interval, split_interval,
    },
    selection::InferredVariable,
};

/// Variables that are reported, at most.
const REPORTED: usize = 1000;

/// What one draw of rows said: by the name of a term, or of a variable of the bootstrap.
pub(super) struct Drawn {
    /// Of those that were chosen.
    pub(super) chosen: BTreeMap<String, Estimated>,
    pub(super) notes: Vec<String>,
}

/// What was estimated of a term or variable.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Estimated {
    /// P(the test is as extreme); none where it could not be made.
    pub(super) p_value: Option<f64>,
    /// Its coefficient, if it has one.
    pub(super) estimate: Option<SplitEstimate>,
}

/// What the numbers promise.
pub(super) fn promise(method: InferenceMethod) -> &'static str {
    match method {
        InferenceMethod::Split { .. } => {
            "Where the half of the rows that chooses misses no variable that matters beside the others, the chance of any p below α \
             among variables that do not matter is at most α, whatever the search; rates bound the expected share of such variables, and \
             intervals are of one coefficient at a time (Meinshausen, Meier and Bühlmann 2009)."
        }
        InferenceMethod::Bootstrap { .. } => {
            "Intervals are of the whole procedure, the choice of variables included, a coefficient being 0 where it is not chosen: their \
             level is approximate, and not proved for variables that are chosen now and then."
        }
    }
}

/// The names of all that were chosen, by how often, the most often first; those of the selected model among them.
fn names<'a>(
    done: &'a BTreeMap<usize, Drawn>,
    selected: &'a [(String, f64)],
) -> Vec<(&'a str, usize)> {
    let mut counts: BTreeMap<&str, usize> = selected.iter().map(|(name, _)| (&**name, 0)).collect();
    for name in done.values().flat_map(|drawn| drawn.chosen.keys()) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    let is_selected: BTreeSet<&str> = selected.iter().map(|(name, _)| &**name).collect();
    counts.sort_by_key(|(name, count)| (Reverse(*count), !is_selected.contains(name)));
    counts
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}

/// P-values, rates and intervals by splits; `all` are the candidates that were chosen from.
pub(super) fn by_splits(
    done: &BTreeMap<usize, Drawn>,
    selected: &[(String, f64)],
    all: usize,
    level: f64,
) -> Vec<InferredVariable> {
    let names = names(done, selected);
    let p_value = |name: &str| {
        let p = done.values().map(|drawn| {
            let own = drawn.chosen.get(name).and_then(|own| own.p_value);
            // Of so many variables one is tested.
            own.map_or(1.0, |p| (p * drawn.chosen.len() as f64).min(1.0))
        });
        aggregated_p_value(p.collect())
    };
    let p: Vec<f64> = names.iter().map(|(name, _)| p_value(name)).collect();
    let rates = false_discovery_rates(&p, all);
    let variable = |(at, (name, chosen)): (usize, &(&str, usize))| {
        let own = done
            .values()
            .filter_map(|drawn| drawn.chosen.get(*name)?.estimate);
        let own: Vec<SplitEstimate> = own.collect();
        let ends = split_interval(&own, done.len(), 1.0 - level);
        let finite = |end: f64| Some(end).filter(|end| end.is_finite());
        InferredVariable {
            name: (*name).to_owned(),
            selected: selected.iter().any(|(own, _)| own == name),
            chosen: *chosen,
            coefficient: median(own.iter().map(|own| own.coefficient).collect()),
            p_value: (!done.is_empty()).then_some(p[at]),
            false_discovery_rate: (!done.is_empty()).then_some(rates[at]),
            lower: ends.and_then(|ends| finite(ends[0])),
            upper: ends.and_then(|ends| finite(ends[1])),
            ..InferredVariable::default()
        }
    };
    let variables = names.iter().take(REPORTED).enumerate();
    variables.map(variable).collect()
}

/// Intervals by the bootstrap; `without` are the estimates without each part of the rows, if all are there.
pub(super) fn bootstrapped(
    done: &BTreeMap<usize, Drawn>,
    without: Option<&BTreeMap<usize, Drawn>>,
    selected: &[(String, f64)],
    level: f64,
) -> Vec<InferredVariable> {
    let names = names(done, selected);
    let of = |draws: &BTreeMap<usize, Drawn>, name: &str| -> Vec<f64> {
        let own = draws.values().map(|drawn| {
            let own = drawn.chosen.get(name).and_then(|own| own.estimate);
            own.map_or(0.0, |own| own.coefficient)
        });
        own.collect()
    };
    let variable = |(name, chosen): &(&str, usize)| {
        let own = selected.iter().find(|(own, _)| own == name);
        let resampled = of(done, name);
        let plain = percentile_interval(&resampled, 1.0 - level);
        let corrected = without.and_then(|without| {
            let replicates = Replicates {
                estimate: own.map_or(0.0, |(_, coefficient)| *coefficient),
                resampled: &resampled,
                without: &of(without, name),
            };
            (!resampled.is_empty()).then(|| bca_interval(replicates, 1.0 - level))
        });
        let uncorrected = corrected.and_then(|own| own.err());
        let corrected = corrected.and_then(Result::ok);
        let end = |ends: Option<[f64; 2]>, at: usize| ends.map(|ends| ends[at]);
        InferredVariable {
            name: (*name).to_owned(),
            selected: own.is_some(),
            chosen: *chosen,
            coefficient: median(resampled.clone()),
            lower: end(corrected, 0),
            upper: end(corrected, 1),
            percentile_lower: end(plain, 0),
            percentile_upper: end(plain, 1),
            uncorrected: uncorrected.map(|own| own.name().into()),
            ..InferredVariable::default()
        }
    };
    names.iter().take(REPORTED).map(variable).collect()
}
