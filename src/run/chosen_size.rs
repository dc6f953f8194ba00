//! The criterion `cv`: models of every size, selected in folds of the rows → the size whose models predict the other rows best.

use std::{collections::BTreeMap, ops::RangeInclusive, sync::Arc};

use passel_criteria::CrossValidation;

use super::{
    RunError,
    in_split::{MadeInSplit, MadeInSplits, Shared, judge},
    method::{Run, criterion_parameters},
    pass::PassSearch,
    resample::for_each_number,
    some_rows::is_of_rows,
    split_models::{SplitModel, SplitResult, null_model},
    validated::{failures, unpredicted},
};
use crate::{
    design::Design,
    job::Job,
    search::{Pass, ProofEffort, SearchError, SharedDevices},
    selection::SizeChoice,
    table::Table,
    validation::{Judged, Measure, Scheme, SchemeError, Split, Splits, errors_by_size},
};

/// Sizes that are judged at a time, and how many above the best one must be judged.
const STEP: usize = 5;
const ABOVE: usize = 5;

/// A size that was chosen.
pub(super) struct ChosenSize {
    cv: CrossValidation,
    /// Whether larger ones were to be judged when the work ended.
    pub(super) is_cut: bool,
    pub(super) report: SizeChoice,
    pub(super) notes: Vec<String>,
}

impl ChosenSize {
    /// The choice where the work ended before sizes above this one were judged.
    fn cut(mut self, last: usize) -> Self {
        self.is_cut = true;
        self.notes.push(format!(
            "cross-validation of the size: the work ended before sizes above {last} were judged"
        ));
        self
    }

    /// The job of a search among the models of that size.
    pub(super) fn job(&self, job: &Job, design: &Design) -> Job {
        of_size(self.cv, job, design)
    }
}

/// The job of a search among models of a size.
fn of_size(cv: CrossValidation, job: &Job, design: &Design) -> Job {
    let size = kept_columns(design) + cv.size.unwrap_or(0);
    Job {
        criterion: Arc::new(cv),
        pass: Pass {
            max_size: Some(size.max(1)),
            start_size: job.pass.start_size.min(size),
            ..job.pass.clone()
        },
        ..job.clone()
    }
}

/// The columns of the terms that every model holds.
fn kept_columns(design: &Design) -> usize {
    design.columns().width_of(design.keep())
}

/// The best models of some sizes.
struct OfSizes {
    cv: CrossValidation,
    /// Multiples of the unit of terms.
    sizes: RangeInclusive<usize>,
}

/// The greatest common divisor of the numbers of columns of terms: models have no sizes between its multiples.
pub(super) fn unit_of_sizes(design: &Design) -> usize {
    fn divisor(a: usize, b: usize) -> usize {
        match b {
            0 => a,
            b => divisor(b, a % b),
        }
    }
    let x = design.columns();
    let widths = (0..x.term_count() as u32).map(|term| x.columns_of(term).len());
    match design.has_terms() {
        true => widths.fold(0, divisor).max(1),
        false => 1,
    }
}

/// Of each size up to one whether the terms that may be chosen have so many columns in some model.
pub(super) fn sizes_of_models(design: &Design, most: usize) -> Vec<bool> {
    let x = design.columns();
    let mut are_there = vec![false; most + 1];
    are_there[0] = true;
    let chosen = (0..x.term_count() as u32).filter(|term| !design.keep().contains(term));
    let widths = chosen.map(|term| x.columns_of(term).len());
    for width in widths.filter(|width| *width > 0) {
        for size in (width..=most).rev() {
            are_there[size] |= are_there[size - width];
        }
    }
    are_there
}

impl MadeInSplits for OfSizes {
    const IS_PROCEDURE: bool = false;

    fn candidates(&self, _: &Job, _: &Table, design: &Design) -> usize {
        design.candidate_terms()
    }

    /// Models of the sizes, ascending, as far as the rows allow them.
    fn made(&self, shared: &Shared, split: &Split) -> Result<Option<MadeInSplit>, RunError> {
        let (mut own, (design, _held)) = shared.rows.some::<Design>(
            shared.job,
            &split.train,
            shared.resources,
            shared.interrupt,
        )?;
        // What is asked is asked of the model of all rows.
        if own.pass.proof == ProofEffort::Complete {
            own.pass.proof = ProofEffort::Bounded;
        }
        let kept = kept_columns(&design);
        let most = own
            .pass
            .check(design.n(), design.p(), (design.keep().len(), kept))
            .map_err(SearchError::from)?;
        let mut devices = SharedDevices::of(design.columns());
        let null = null_model(&design, &own.pass)?;
        let mut models = Vec::new();
        let sizes = self.sizes.clone().map(|own| own * shared.unit);
        for size in sizes.take_while(|size| kept + size <= most) {
            if size == 0 {
                models.push(null.clone());
                continue;
            }
            let cv = CrossValidation {
                size: Some(size),
                ..self.cv
            };
            let own = of_size(cv, &own, &design);
            let run = &mut Run::silent(&own);
            let found = PassSearch.search(run, Arc::clone(&design), Some(&mut devices))?;
            let Some(found) = found.complete()? else {
                return Ok(None);
            };
            models.push(SplitModel::selected(&found)?);
        }
        Ok(Some(MadeInSplit {
            chosen: vec![Vec::new(); models.len()],
            models,
            null,
            full: None,
            by_size: BTreeMap::new(),
            notes: Vec::new(),
            devices: Vec::new(),
        }))
    }
}

/// Adds what models of further sizes say to what those of others do: of the rows that all of them know.
fn add_sizes(to: &mut Judged, more: Judged) {
    let known = to.rows.iter().filter(|row| more.rows.contains(row));
    let known: Vec<usize> = known.copied().collect();
    let of_known = |own: Judged| {
        let rows = own.rows.iter().enumerate();
        let places = rows.filter(|(_, row)| known.binary_search(row).is_ok());
        let places: Vec<usize> = places.map(|(place, _)| place).collect();
        own.models.into_iter().map(move |own| own.at(&places))
    };
    let own = std::mem::take(to);
    *to = Judged {
        repeat: own.repeat,
        number: own.number,
        center: own.center,
        models: of_known(own).chain(of_known(more)).collect(),
        rows: known.clone(),
    };
}

/// The size whose models predict rows best that they were not selected on, in folds of some of the rows: those of a split, or all.
/// None where an interrupt came before a first range of sizes was judged.
pub(super) fn choose_size(
    cv: CrossValidation,
    shared: &Shared,
    rows: &[usize],
    mut tell: impl FnMut(usize, usize),
) -> Result<Option<ChosenSize>, RunError> {
    let scheme = Scheme::Folds {
        k: cv.folds,
        repeats: cv.repeats,
    };
    let of_rows = |all: &[u32]| -> Vec<u32> {
        let own = rows.iter().map(|row| all.get(*row).copied());
        own.flatten().collect()
    };
    let classes = of_rows(&shared.response.classes());
    // Of a bootstrap a row that was drawn twice is on one side of each split.
    let groups = match shared.groups {
        Some((name, groups)) => Some((name, of_rows(groups))),
        None if rows.windows(2).any(|own| own[0] == own[1]) => {
            Some(("rows", rows.iter().map(|row| *row as u32).collect()))
        }
        None => None,
    };
    let groups = groups.as_ref().map(|(name, of)| (*name, &of[..]));
    let seed = shared.job.pass.seed;
    let splits = Splits::of(scheme, (rows.len(), &classes), groups, seed);
    let splits = splits.map_err(|error| match error {
        SchemeError::FewUnits {
            what, found, least, ..
        } => SchemeError::FewUnits {
            scheme: format!("--criterion {}", criterion_parameters(&cv).spec(&[])),
            what,
            found,
            least,
        },
        error => error,
    })?;
    let wanted = splits.len();
    let elements = rows.len().saturating_mul(shared.width);
    let all = shared.rows;
    let (threads, resources) = all.side_by_side(shared.resources, wanted, elements);
    let threads = (threads, resources.thread_count());
    let inner = Shared {
        resources: &resources,
        ..*shared
    };
    let mut judged: BTreeMap<usize, Judged> = BTreeMap::new();
    let mut failed: BTreeMap<usize, RunError> = BTreeMap::new();
    let mut choice = None;
    let mut unjudged = 0;
    let mut sizes = 0..=STEP;
    loop {
        let models = OfSizes {
            cv,
            sizes: sizes.clone(),
        };
        let select = |at: usize| {
            let own = splits.split(at);
            let of_rows = |places: &[usize]| places.iter().map(|at| rows[*at]).collect();
            let split = Split {
                train: of_rows(&own.train),
                test: of_rows(&own.test),
                ..own
            };
            match judge(&models, &inner, split) {
                // All rows can choose: these few cannot.
                Err(error) if is_of_rows(&error) => Ok(Some(Err(error))),
                judged => Ok(judged?.map(Ok)),
            }
        };
        let mut found = BTreeMap::new();
        for_each_number(wanted, threads, shared.interrupt, select, |at, own| {
            found.insert(at, own);
            tell(found.len(), wanted);
        })?;
        if found.len() < wanted {
            return Ok(choice.map(|own: ChosenSize| own.cut(sizes.start() - 1)));
        }
        let lacking = |own: &SplitResult| own.split.test.len() - own.rows.len();
        let judged_now = found.values().filter_map(|own| own.as_ref().ok());
        unjudged = judged_now.map(lacking).sum::<usize>().max(unjudged);
        for (at, own) in found {
            let own = match own {
                Err(error) => {
                    failed.insert(at, error);
                    continue;
                }
                Ok(own) => Judged {
                    repeat: own.split.repeat,
                    number: own.split.number,
                    center: shared.response.mean(&own.split.train),
                    models: own.selected.into_iter().map(|own| own.predicted).collect(),
                    rows: own.rows,
                },
            };
            match judged.get_mut(&at) {
                None => drop(judged.insert(at, own)),
                Some(before) => add_sizes(before, own),
            }
        }
        if judged.is_empty() {
            let failed = failed.into_values().next();
            return Err(failed.unwrap_or(RunError::Interrupted));
        }
        let all: Vec<Judged> = judged.values().cloned().collect();
        let common = all.iter().map(|own| own.models.len()).min().unwrap_or(0);
        let measure = Measure::of_sizes(shared.response, None);
        let of_sizes = (0..common).map(|at| (at * shared.unit, at));
        let (errors, best) = errors_by_size((scheme, measure), shared.response, &all, of_sizes);
        let Some([best, within]) = best else {
            let measure = measure.name();
            return Err(SchemeError::NoSize { measure }.into());
        };
        let least = errors.iter().find(|own| own.size == best);
        let bound = least.map_or(f64::INFINITY, |own| {
            own.value + cv.std_errors * own.std_error.unwrap_or(0.0)
        });
        let chosen = errors.iter().find(|own| own.value <= bound);
        let size = chosen.map_or(best, |own| own.size);
        let failed: Vec<&RunError> = failed.values().collect();
        choice = Some(ChosenSize {
            cv: CrossValidation {
                size: Some(size),
                ..cv
            },
            report: SizeChoice {
                size,
                measure: measure.name().into(),
                folds: all.len(),
                by_size: errors.into_iter().map(Into::into).collect(),
                best_size: best,
                size_within_one_std_error: within,
            },
            is_cut: false,
            notes: {
                let failures = failures(&failed, wanted);
                let of_rows = (unjudged > 0).then(|| unpredicted(unjudged));
                let all = failures.into_iter().chain(of_rows);
                all.map(|note| format!("cross-validation of the size: {note}"))
                    .collect()
            },
        });
        if common <= *sizes.end() || best / shared.unit + ABOVE <= *sizes.end() {
            return Ok(choice);
        }
        sizes = sizes.end() + 1..=sizes.end() + STEP;
    }
}
