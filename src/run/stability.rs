//! The way of stability selection: file → table → resamples of its rows → selections →
//! frequencies and their bounds → report.

use std::{cmp::Reverse, collections::BTreeMap, iter, time::Instant};

use serde_json::{Map, Value, json};

use super::{
    Outcome, Report, RunContext, RunError,
    data_cache::design_of,
    page_extras,
    resample::{Chosen, choose, each, side_by_side},
    resample_checkpoint::{Kept, State},
    selectors::{Binned, binned_of, elapsed, with_parameters},
    written,
};
use crate::{
    device::Placement,
    job::{Job, StabilityJob},
    output::OutputFile,
    plugin::{MethodKind, PASS},
    report,
    selection::{StabilityBound, StabilityReport, StableVariable, StopReason, Truth},
    selector::{self, OVER_LEVELS},
    stability::{Bound, BoundInput, Frequency, ResampledSelections, Resampling},
    table::{Missing, Table, Values},
};

/// Rows of a resample at least: a regression has no fewer.
const FEWEST: usize = 3;
/// Notes of selections that are told; each resample may have its own.
const NOTES: usize = 10;

/// Selects the variables that a method chooses from most resamples of one file.
///
/// # Errors
/// As [`super::run`], of the whole file or of one resample, which is named.
pub fn stability(stability: &StabilityJob) -> Result<Report, RunError> {
    run_stability(stability, &RunContext::default())
}

/// The same, of a job among others.
///
/// # Errors
/// As [`stability`].
pub fn run_stability(stability: &StabilityJob, context: &RunContext) -> Result<Report, RunError> {
    let started = Instant::now();
    let job = &stability.job;
    let output = job.output.as_deref().map(OutputFile::create).transpose()?;
    check_devices(job)?;
    let mut table = context.table(job)?;
    // What is wrong with the file is told of the file, not of its first resample.
    let whole = Whole::of(job, &table)?;
    keep_observations(job, &mut table);
    let (how, n) = (stability.resampling, table.rows);
    let rows = how.rows(n);
    if rows < FEWEST {
        let least = FEWEST;
        return Err(RunError::FewRows { rows, n, least });
    }
    let of = stability.resamples * how.group_size();
    let read_seconds = started.elapsed().as_secs_f64();

    let (threads, resources) = side_by_side(&job.resources, of, rows.saturating_mul(whole.width));
    let mut meter = context.meter(job);
    // Until the report is told, beyond the end of what can be left behind.
    let runs = |it: &MethodKind| !matches!(it, MethodKind::Score(_));
    let selector = job.selector.as_ref();
    let held = selector
        .filter(|it| runs(&it.value))
        .map(|_| job.interrupt.detachable());
    let work = |number: usize| {
        let drawn = how.resample(number, n, job.pass.seed);
        choose(job, table.select_rows(&drawn.rows), drawn.seed, &resources).map_err(|error| {
            let (number, source) = (number + 1, Box::new(error));
            RunError::Resample {
                number,
                of,
                rows,
                n,
                source,
            }
        })
    };
    let mut kept = Kept::new(context.checkpoint);
    let open: Vec<usize> = (0..of)
        .filter(|it| !kept.state.done.contains_key(it))
        .collect();
    let ended = each(
        open.len(),
        threads,
        &job.interrupt,
        |at| work(open[at]),
        |at, chosen: Chosen| {
            let state = &mut kept.state;
            for note in chosen.notes {
                *state.notes.entry(note).or_insert(0_usize) += 1;
            }
            state.devices = chosen.devices;
            let mut indexes = chosen.indexes;
            indexes.retain(|it| whole.kept.binary_search(it).is_err());
            state.done.insert(open[at], indexes);
            meter.count("resample", state.done.len(), of);
            kept.write_now_and_then();
        },
    );
    if ended.is_err() || kept.state.done.len() < of {
        kept.write();
    }
    ended?;
    meter.finish();
    let State {
        done,
        notes,
        devices,
        ..
    } = kept.state;
    let picks = ResampledSelections { done };
    let cut = picks.done.len() < of;
    let picks = picks.complete_groups(how);
    if picks.done.is_empty() {
        return Err(RunError::Interrupted);
    }

    let mut told = whole.report(stability, &picks);
    (told.wanted, told.rows, told.n, told.devices) = (of, rows, n, devices);
    told.warnings.extend(most_frequent(notes));
    if cut {
        told.termination = StopReason::Interrupted;
    }
    let seconds = started.elapsed().as_secs_f64() - read_seconds;
    told.elapsed_seconds = elapsed(started, 0.0, seconds);
    let outcome = Outcome::Stability(Box::new(told));
    let rendered = report::render(&outcome, &job.data, job.format, &page_extras::command(job))
        .map_err(RunError::Render)?;
    Ok(Report {
        outcome,
        rendered: written(output, rendered)?,
        checkpoint: None,
        _held: held,
    })
}

/// Whether the devices chosen can run the method: to be known before a long reading.
fn check_devices(job: &Job) -> Result<(), RunError> {
    let devices = &job.resources.devices;
    match job.selector.as_ref().map(|it| &it.value) {
        None | Some(MethodKind::Regression(_)) => Placement::check(devices)?,
        Some(MethodKind::Score(score)) => selector::check_devices(score, devices)?,
        Some(MethodKind::Ranking(_)) => selector::require_cpu(OVER_LEVELS, devices)?,
    }
    Ok(())
}

/// What the whole file says of the problem.
struct Whole {
    response: String,
    /// Of each column by its index, response and weights taken out.
    names: Vec<String>,
    /// Indexes of the candidates and of the kept variables, ascending.
    candidates: Vec<usize>,
    kept: Vec<usize>,
    truth: Vec<usize>,
    /// Columns of the matrix of a regression, or columns of codes.
    width: usize,
    warnings: Vec<String>,
}

impl Whole {
    fn of(job: &Job, table: &Table) -> Result<Self, RunError> {
        let chooser = job.selector.as_ref().map(|it| &it.value);
        let mut whole = match chooser {
            None | Some(MethodKind::Regression(_)) => {
                let design = design_of(job, table.clone(), None)?;
                let index = |at: u32| design.variables()[at as usize].index;
                Self {
                    response: design.response().name.clone(),
                    names: Vec::new(),
                    candidates: design.variables().iter().map(|it| it.index).collect(),
                    kept: design.keep().iter().map(|it| index(*it)).collect(),
                    truth: design.truth().to_vec(),
                    width: design.p(),
                    warnings: design.warnings().to_vec(),
                }
            }
            Some(MethodKind::Score(_) | MethodKind::Ranking(_)) => {
                let Binned {
                    columns,
                    truth,
                    warnings,
                    ..
                } = binned_of(job, table.clone(), false, None)?;
                Self {
                    response: columns.response.name.clone(),
                    names: Vec::new(),
                    candidates: columns.columns.iter().map(|it| it.index).collect(),
                    kept: Vec::new(),
                    truth,
                    width: columns.columns.len(),
                    warnings,
                }
            }
        };
        // A factor is one variable, and in every model if one of its dummies is.
        whole.kept.dedup();
        whole.candidates.dedup();
        let kept = &whole.kept;
        whole
            .candidates
            .retain(|it| kept.binary_search(it).is_err());
        let others = [Some(&whole.response), job.weights.as_ref()];
        let own = table.columns.iter().map(|it| &it.name);
        let own = own.filter(|it| !others.contains(&Some(*it)));
        whole.names = own.cloned().collect();
        Ok(whole)
    }

    /// What the picks say; where and how they were made is left to be filled in.
    fn report(self, stability: &StabilityJob, picks: &ResampledSelections) -> StabilityReport {
        let (job, how) = (&stability.job, stability.resampling);
        let chances = BoundInput {
            q: picks.mean(),
            p: self.candidates.len(),
            resamples: picks.done.len(),
        };
        let frequencies = picks.frequencies(how);
        let variable = |it: &Frequency| StableVariable {
            name: self.names[it.index].clone(),
            index: it.index,
            frequency: it.count as f64 / chances.resamples as f64,
            count: it.count,
            simultaneous: (how.group_size() == 2)
                .then(|| it.both as f64 / (chances.resamples / 2) as f64),
        };
        let reach = |count: Option<usize>| {
            let reaches = move |it: &&Frequency| count.is_some_and(|count| it.count >= count);
            frequencies.iter().filter(reaches)
        };
        let share = |count: usize| count as f64 / chances.resamples as f64;
        let given = stability.cutoff.map(|it| {
            // The least frequency there can be from there on; 0.7 · 10 must not become 8.
            let count = (it * chances.resamples as f64 - 1e-9).ceil() as usize;
            count.max(1)
        });
        let count_of =
            |bound: &Bound| given.or_else(|| bound.cutoff(stability.false_picks, &chances));
        let bounds: &[Bound] = match how {
            Resampling::Complementary => &[Bound::WorstCase, Bound::Unimodal, Bound::RConcave],
            Resampling::Subsample(_) | Resampling::Bootstrap => &[Bound::MeinshausenBuhlmann],
        };
        let told = bounds.iter().map(|bound| {
            let count = count_of(bound);
            let names = reach(count).map(|it| self.names[it.index].clone());
            StabilityBound {
                name: bound.name(),
                cutoff: count.map(share),
                false_picks: bound.expected_false(count.unwrap_or(chances.resamples), &chances),
                variables: names.collect(),
            }
        });
        let told: Vec<StabilityBound> = told.collect();
        // The sharpest there is.
        let deciding = bounds[bounds.len() - 1];
        let count = count_of(&deciding);
        let selected: Vec<StableVariable> = reach(count).map(variable).collect();
        let mut chosen: Vec<usize> = selected.iter().map(|it| it.index).collect();
        chosen.sort_unstable();

        let mut warnings = self.warnings;
        warnings.extend(caveats(stability, (&deciding, count), &chances));
        let (method, criterion) = method(job);
        StabilityReport {
            passel: env!("CARGO_PKG_VERSION"),
            method,
            criterion,
            binning: binning(job),
            response: self.response,
            n: 0,
            p: chances.p,
            kept: self.kept.iter().map(|it| self.names[*it].clone()).collect(),
            resampling: how.name(),
            wanted: 0,
            resamples: chances.resamples,
            rows: 0,
            q: chances.q,
            false_picks: given.is_none().then_some(stability.false_picks),
            decides: match given {
                Some(_) => "given",
                None => deciding.name(),
            },
            cutoff: count.map(share),
            bounds: told,
            k: selected.len(),
            truth: Truth::of_indexes(&self.truth, &chosen),
            variables: frequencies.iter().map(variable).collect(),
            selected,
            seed: job.pass.seed,
            devices: Vec::new(),
            termination: StopReason::Done,
            elapsed_seconds: Default::default(),
            warnings,
        }
    }
}

/// What was noted of selections and of how many, the most frequent first.
fn most_frequent(notes: BTreeMap<String, usize>) -> impl Iterator<Item = String> {
    let mut notes: Vec<_> = notes.into_iter().collect();
    notes.sort_by_key(|it| Reverse(it.1));
    let told = notes.into_iter().take(NOTES);
    told.map(|(note, count)| match count {
        1 => format!("in one resample: {note}"),
        count => format!("in {count} resamples: {note}"),
    })
}

/// What the bound does not say here.
fn caveats(
    stability: &StabilityJob,
    (deciding, count): (&Bound, Option<usize>),
    chances: &BoundInput,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let heuristic = match stability.resampling {
        Resampling::Complementary => None,
        Resampling::Subsample(part) => {
            (part > 0.5).then_some("subsamples of more than half the rows")
        }
        Resampling::Bootstrap => Some("bootstraps"),
    };
    if let Some(these) = heuristic {
        warnings.push(format!(
            "of {these} the bound is only a guide: it is proved for subsamples of at most half the rows"
        ));
    }
    if count.is_none() {
        let at_most = deciding.expected_false(chances.resamples, chances);
        let least = at_most.map_or_else(String::new, |it| format!(" ({it:.3} at a cut-off of 1)"));
        warnings.push(format!(
            "no cut-off keeps the expected number of false picks at {}{least}, so nothing is \
             selected: let the method choose fewer variables, or allow more with --false-picks",
            stability.false_picks
        ));
    }
    warnings
}

/// The method and its criterion, for the report.
fn method(job: &Job) -> (Map<String, Value>, Option<Map<String, Value>>) {
    let named = |name: &str, others: &mut dyn Iterator<Item = (String, Value)>| {
        let name = ("name".to_owned(), Value::from(name));
        iter::once(name).chain(others).collect::<Map<_, _>>()
    };
    let parameters = job.criterion.parameters().into_iter();
    let mut parameters = parameters.map(|(name, value)| (name.to_owned(), Value::from(value)));
    let criterion = named(job.criterion.name(), &mut parameters);
    match &job.selector {
        None => {
            let mut all = job.pass.parameters(0);
            // Where it was not told it goes by the rows and columns of each resample.
            all.insert("max_size".to_owned(), json!(job.pass.max_size));
            (named(PASS, &mut all.into_iter()), Some(criterion))
        }
        Some(settled) => {
            let regresses = matches!(settled.value, MethodKind::Regression(_));
            let mut method = with_parameters(settled);
            if !regresses {
                method.insert("top".to_owned(), json!(job.stop.top));
                method.insert("threshold".to_owned(), json!(job.stop.threshold));
            }
            (method, regresses.then_some(criterion))
        }
    }
}

/// The rules of binning that were asked for, where levels are counted.
fn binning(job: &Job) -> Option<Map<String, Value>> {
    let counts = |it: &MethodKind| !matches!(it, MethodKind::Regression(_));
    job.selector.as_ref().filter(|it| counts(&it.value))?;
    let rule = ("rule".to_owned(), job.binning.to_string().into());
    let response = (
        "response_rule".to_owned(),
        job.bin_response.to_string().into(),
    );
    Some([rule, response].into_iter().collect())
}

/// Leaves out the observations that no selection would use, so that all resamples are of equally
/// many that are used; the values of columns that are left out go as well.
fn keep_observations(job: &Job, table: &mut Table) {
    let named = job.response.as_deref().and_then(|it| table.position(it));
    let response = named.or(table.response);
    let response = response.map(|at| table.columns[at].name.clone());
    let mut used = match job.missing {
        Missing::DropRows => table.complete_rows(|it| !job.drop.contains(&it.name)),
        Missing::Pairwise => table.complete_rows(|it| Some(&it.name) == response.as_ref()),
        Missing::Refuse | Missing::Level => vec![true; table.rows],
    };
    let weights = job.weights.as_deref().and_then(|it| table.position(it));
    let weights = weights.and_then(|at| table.columns[at].values.numbers(table.rows));
    for (used, weight) in used.iter_mut().zip(weights.iter().flat_map(|it| it.iter())) {
        *used &= *weight > 0.0;
    }
    if used.contains(&false) {
        table.keep_rows(&used);
    }
    let dropped = table
        .columns
        .iter_mut()
        .filter(|it| job.drop.contains(&it.name));
    for column in dropped {
        column.values = Values::Sparse {
            rows: Vec::new(),
            values: Vec::new(),
        };
    }
}
