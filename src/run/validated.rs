//! What the splits of a validation found → the report.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use passel_criteria::Criterion;
use serde_json::json;

use super::{
    RunError,
    error::error_chain,
    method::{Run, criterion_parameters, method_parameters},
    some_rows::{counted, most_frequent},
    split_models::SplitResult,
};
use crate::{
    family::Distribution,
    job::{Job, ValidationJob},
    nearest::plural,
    plugin::PASS,
    selection::{
        ChosenTerm, ErrorMeasure, HeldOut, NamedParameters, RunSummary, SizeError, StopReason,
        ValidatedModel, ValidationReport, ValidationSplit,
    },
    validation::{
        Errors, Judged, Measure, Observed, Predicted, Response, Scheme, SizeErrors, Split, errors,
        errors_by_size,
    },
};

impl From<SizeErrors> for SizeError {
    fn from(own: SizeErrors) -> Self {
        Self {
            size: own.size,
            value: own.value,
            std_error: own.std_error,
        }
    }
}

/// Predictions that a report holds at most.
const HELD_OUT: usize = 50_000;

/// What was found in splits.
pub(super) struct Validated {
    /// The report, as far as it was known before.
    pub(super) begun: ValidationReport,
    pub(super) warnings: Vec<String>,
    /// Of each observation its row in the data, from 0.
    pub(super) rows: Vec<usize>,
    pub(super) response: Response,
    pub(super) criteria: Vec<Arc<dyn Criterion>>,
    pub(super) done: BTreeMap<usize, SplitResult>,
    /// Why the rows of a split could not choose, of each that could not.
    pub(super) failed: Vec<RunError>,
    /// Why not all splits were done, if they were not.
    pub(super) cut: StopReason,
    pub(super) seconds: f64,
}

/// What an error calls a split.
pub(super) fn name_of(scheme: Scheme, split: &Split, wanted: usize) -> String {
    let number = split.number + 1;
    match scheme {
        Scheme::Folds { k, repeats: 1 } => format!("fold {number} of {k}"),
        Scheme::Folds { k, .. } => {
            format!("repeat {}, fold {number} of {k}", split.repeat + 1)
        }
        Scheme::LeaveOneOut => format!("fold {number} of {wanted}"),
        Scheme::Time { blocks } => format!("block {number} of {blocks}"),
        Scheme::Holdout { repeats, .. } => format!("hold-out {} of {repeats}", split.repeat + 1),
        Scheme::Marked => "the rows that are not held out".to_owned(),
        Scheme::Bootstrap { .. } if split.number == 0 => "the bootstrap's model of all".to_owned(),
        Scheme::Bootstrap { resamples } => format!("resample {} of {resamples}", split.number),
    }
}

/// The report of what was found.
pub(super) fn report(
    validation: &ValidationJob,
    run: &Run,
    found: Validated,
) -> Result<ValidationReport, RunError> {
    let scheme = validation.scheme;
    let (response, begun) = (&found.response, found.begun);
    let termination = match found.done.len() + found.failed.len() < begun.wanted {
        true => found.cut,
        false => StopReason::Done,
    };
    let is_bootstrap = matches!(scheme, Scheme::Bootstrap { .. });
    let first = found.done.first_key_value().map(|(at, _)| *at);
    // The errors of a bootstrap begin with that of the model of all rows.
    let is_enough = match is_bootstrap {
        true => first == Some(0) && found.done.len() > 1,
        false => first.is_some(),
    };
    if !is_enough {
        let failed = found.failed.into_iter().next();
        return Err(failed.unwrap_or(match termination {
            StopReason::TimeLimit => RunError::NoSplit,
            _ => RunError::Interrupted,
        }));
    }
    let done: Vec<SplitResult> = found.done.into_values().collect();
    let criteria = &found.criteria;
    let has_full = done.iter().all(|own| own.full.is_some());
    let sizes: Vec<usize> = {
        let of_all = |size: &&usize| done.iter().all(|own| own.by_size.contains_key(*size));
        let first = done.first().map(|own| own.by_size.keys());
        first
            .into_iter()
            .flatten()
            .filter(of_all)
            .copied()
            .collect()
    };
    // Of each split the models of the criteria, then the null model, the full one, and those by size.
    let judged: Vec<Judged> = done
        .iter()
        .map(|own| {
            let selected = own.selected.iter().map(|own| own.predicted.clone());
            let others = [&own.null].into_iter();
            let others = others.chain(own.full.iter().filter(|_| has_full));
            let others = others.chain(sizes.iter().filter_map(|size| own.by_size.get(size)));
            Judged {
                repeat: own.split.repeat,
                number: own.split.number,
                rows: own.rows.clone(),
                center: response.mean(&own.split.train),
                models: selected.chain(others.cloned()).collect(),
            }
        })
        .collect();
    let of_model = |model: usize| {
        let all = errors(scheme, response, &judged, model).into_iter();
        all.map(error_measure).collect::<Vec<_>>()
    };
    let null = criteria.len();
    let then = validation.then.map(|model| {
        let parameters = model.parameters().into_iter();
        let parameters = parameters.map(|(name, value)| (name.to_owned(), json!(value)));
        NamedParameters::new(model.name(), parameters)
    });
    let models = criteria.iter().enumerate();
    let models = models.map(|(at, criterion)| ValidatedModel {
        criterion: then
            .clone()
            .unwrap_or_else(|| criterion_parameters(&**criterion)),
        errors: of_model(at),
        variables: variables(&done, at, is_bootstrap),
    });
    let models: Vec<ValidatedModel> = models.collect();
    let first_size = null + 1 + usize::from(has_full);
    let by_size = sizes.iter().copied().zip(first_size..);
    let of_sizes = Measure::of_sizes(response, validation.then);
    let (by_size, best) = errors_by_size((scheme, of_sizes), response, &judged, by_size);
    let mut was_judged = vec![false; begun.n];
    let held_out = done.iter().skip(usize::from(is_bootstrap));
    for own in held_out.clone() {
        own.rows.iter().for_each(|at| was_judged[*at] = true);
    }
    let judged_rows = was_judged.iter().filter(|judged| **judged).count();
    let predictions: usize = held_out.map(|own| own.rows.len()).sum();
    let mut warnings = found.warnings;
    let failed: Vec<&RunError> = found.failed.iter().collect();
    warnings.extend(failures(&failed, begun.wanted));
    warnings.extend(cautions(&done, predictions));
    let notes = counted(done.iter().flat_map(|own| own.notes.iter().cloned()));
    warnings.extend(most_frequent(notes, "split"));
    Ok(ValidationReport {
        scheme: NamedParameters::new(
            scheme.name(),
            scheme.parameters().into_iter().map(|(name, value)| {
                let value = match value.fract() == 0.0 {
                    true => json!(value as u64),
                    false => json!(value),
                };
                (name.to_owned(), value)
            }),
        ),
        method: method(run.job),
        then,
        done: done.len(),
        judged: judged_rows,
        models,
        null: of_model(null),
        full: has_full.then(|| of_model(null + 1)),
        size_measure: of_sizes.name().into(),
        by_size: by_size.into_iter().map(Into::into).collect(),
        best_size: best.map(|[best, _]| best),
        size_within_one_std_error: best.map(|[_, within]| within),
        splits: done.iter().map(|own| summary(own, is_bootstrap)).collect(),
        held_out: (predictions <= HELD_OUT)
            .then(|| held_out_rows(response, (&done, &judged), &found.rows, is_bootstrap)),
        run: RunSummary {
            devices: done.last().map_or(Vec::new(), |own| own.devices.clone()),
            termination,
            elapsed_seconds: run.elapsed(0.0, found.seconds),
            warnings,
            ..RunSummary::default()
        },
        ..begun
    })
}

fn error_measure(own: Errors) -> ErrorMeasure {
    let bootstrap = own.bootstrap.unwrap_or_default();
    ErrorMeasure {
        name: own.measure.name().into(),
        value: own.value,
        std_error: own.std_error,
        apparent: bootstrap.apparent,
        out_of_bag: bootstrap.out_of_bag,
        point_632: bootstrap.point_632,
    }
}

/// The method with its parameters, of which the largest size goes by the rows of each split where it was not given.
fn method(job: &Job) -> NamedParameters {
    match &job.selector {
        Some(resolved) => {
            let mut own = method_parameters(resolved);
            if let Some(top) = job.stop.top {
                own.add_option("top", json!(top));
            }
            own
        }
        None => {
            let mut pass = job.pass.parameters(0);
            pass.insert("max_size".to_owned(), json!(job.pass.max_size));
            NamedParameters::new(PASS, pass)
        }
    }
}

fn summary(own: &SplitResult, is_bootstrap: bool) -> ValidationSplit {
    ValidationSplit {
        repeat: own.split.repeat + 1,
        fold: own.split.number + usize::from(!is_bootstrap),
        train: own.split.train.len(),
        judged: own.rows.len(),
        not_judged: own.split.test.len() - own.rows.len(),
        sizes: own.selected.iter().map(|own| own.terms.len()).collect(),
    }
}

/// The terms that a criterion chose in splits, the most frequent first, then in the order in which they were met.
fn variables(done: &[SplitResult], criterion: usize, is_bootstrap: bool) -> Vec<ChosenTerm> {
    let done = &done[usize::from(is_bootstrap)..];
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut all: Vec<ChosenTerm> = Vec::new();
    for name in done.iter().flat_map(|own| &own.selected[criterion].terms) {
        let place = *places.entry(name).or_insert_with(|| {
            all.push(ChosenTerm {
                name: name.clone(),
                ..ChosenTerm::default()
            });
            all.len() - 1
        });
        all[place].count += 1;
    }
    for own in &mut all {
        own.share = own.count as f64 / done.len().max(1) as f64;
    }
    all.sort_by_key(|own| Reverse(own.count));
    all
}

/// What a reader should know of splits without a model; the first tells of all.
pub(super) fn failures(failed: &[&RunError], wanted: usize) -> Option<String> {
    let (count, have) = match failed.len() {
        1 => (1, "has"),
        count => (count, "have"),
    };
    Some(format!(
        "{count} of {wanted} splits {have} no model, so that what they hold out is not judged by them: the rows that were to choose do not \
         allow one ({})",
        error_chain(failed.first()?)
    ))
}

/// What a reader should know of so many predictions that could not be made.
pub(super) fn unpredicted(count: usize) -> String {
    let s = plural(count);
    format!(
        "{count} prediction{s} could not be made, for rows with levels that no row of their models has: these are not judged"
    )
}

/// What a reader should know of rows that were not judged, and of predictions that are not there.
fn cautions(done: &[SplitResult], predictions: usize) -> Vec<String> {
    let lacking = |own: &SplitResult| own.split.test.len() - own.rows.len();
    let count: usize = done.iter().map(lacking).sum();
    let unjudged = (count > 0).then(|| unpredicted(count));
    let many = (predictions > HELD_OUT).then(|| {
        format!("the {predictions} predictions are not in the report, which holds up to {HELD_OUT}")
    });
    unjudged.into_iter().chain(many).collect()
}

/// A caution where log losses of densities stand beside those of probabilities.
pub(super) fn unlike_losses(families: impl Iterator<Item = Distribution>) -> Option<String> {
    let (mut of_densities, mut of_probabilities) = (false, false);
    for family in families {
        match family {
            Distribution::Gaussian | Distribution::Gamma => of_densities = true,
            Distribution::Cox | Distribution::Plugin(_) => {}
            _ => of_probabilities = true,
        }
    }
    (of_densities && of_probabilities).then(|| {
        "the log losses of gaussian and gamma are of densities, which change with the unit of the response, and those of the other families of \
         probabilities: they do not compare"
            .to_owned()
    })
}

/// What was observed and predicted, split by split.
fn held_out_rows(
    response: &Response,
    (done, judged): (&[SplitResult], &[Judged]),
    rows: &[usize],
    is_bootstrap: bool,
) -> HeldOut {
    let mut all = HeldOut::default();
    let criteria = done.first().map_or(0, |own| own.selected.len());
    let has_levels = match &response.observed {
        Observed::Levels { levels, .. } => {
            all.levels.clone_from(levels);
            true
        }
        _ => false,
    };
    match has_levels {
        true => all.probability = vec![Vec::new(); criteria],
        false => all.predicted = vec![Vec::new(); criteria],
    }
    let is_weighted = response.weights.iter().any(|weight| *weight != 1.0);
    for (split, own) in judged.iter().enumerate().skip(usize::from(is_bootstrap)) {
        for at in &own.rows {
            all.row.push(rows[*at] + 1);
            all.split.push(split + 1);
            all.observed.push(match &response.observed {
                Observed::Numbers(_, y) => y[*at],
                Observed::Events { shares, .. } => shares[*at],
                Observed::Levels { codes, .. } => f64::from(codes[*at] + 1),
                Observed::Survival(times) => times.time[*at],
            });
            if let Observed::Survival(times) = &response.observed {
                all.event.push(times.event[*at]);
            }
            all.weight
                .extend(is_weighted.then(|| response.weights[*at]));
        }
        let of_observed = |model: &Predicted| -> Vec<f64> {
            let Observed::Levels { codes, .. } = &response.observed else {
                return Vec::new();
            };
            let rows = own.rows.iter().enumerate();
            rows.map(|(place, at)| model.levels[codes[*at] as usize][place])
                .collect()
        };
        for (criterion, model) in own.models.iter().take(criteria).enumerate() {
            match has_levels {
                true => all.probability[criterion].extend(of_observed(model)),
                false => all.predicted[criterion].extend(&model.values),
            }
        }
        if let Some(null) = own.models.get(criteria).filter(|_| !has_levels) {
            all.null.extend(&null.values);
        }
    }
    all
}
