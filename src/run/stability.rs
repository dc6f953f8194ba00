//! Stability selection: resamples of the rows → selections → frequencies and their bounds.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use super::{
    RunError,
    candidates::{Choice, Choosable, Selected, Selector},
    design_source::with_formula,
    error::error_chain,
    lost_levels::FactorLevels,
    method::{Finding, Method, Run},
    resample::for_each_number,
    resample_checkpoint::{Kept, State},
    rows_on_gpu::{AllRows, RowsOnGpus},
    some_rows::{is_of_rows, most_frequent},
    used_rows::keep_observations,
};
use crate::{
    device::Resources,
    interrupt::Interrupt,
    job::{Job, StabilityJob},
    search::{Pass, ProofEffort},
    selection::{
        Outcome, RunSummary, StabilityBound, StabilityReport, StableVariable, StopReason, Truth,
    },
    selector::{PermutationTest, Stop},
    stability::{Bound, BoundInput, Frequency, ResampledSelections, Resampling},
    table::{Table, TrueVariable},
};

/// Fewest rows of a resample: a regression has no fewer.
const FEWEST: usize = 3;

/// A selector on resamples of the rows.
pub(super) struct OnResamples<'a, S> {
    pub(super) stability: &'a StabilityJob,
    pub(super) selector: S,
}

impl<S: Selector> OnResamples<'_, S> {
    /// The variables chosen from a table by a seed of its own; none where `interrupt` cut the
    /// selection short.
    fn choose(
        &self,
        job: &Job,
        (all, rows): (AllRows, &[usize]),
        seed: u64,
        resources: &Resources,
        interrupt: &Interrupt,
    ) -> Result<Option<Choice>, RunError> {
        let (own, (data, _held)) = match all.some::<S::Data>(job, rows, resources, interrupt) {
            Err(RunError::Interrupted) => return Ok(None),
            made => made?,
        };
        let permutation = job.stop.permutation;
        let own = Job {
            pass: Pass {
                seed,
                proof: proof_of_resample(job.pass.proof),
                ..own.pass
            },
            stop: Stop {
                permutation: permutation.map(|test| PermutationTest { seed, ..test }),
                ..job.stop
            },
            ..own
        };
        let found = self.selector.work(&mut Run::silent(&own), data)?;
        found.choice()
    }
}

/// What a resample tries to prove: nothing unless that is asked for, for what is certain of its model is not
/// reported, and a proof may take longer than the search.
pub(super) fn proof_of_resample(asked: ProofEffort) -> ProofEffort {
    match asked {
        ProofEffort::Bounded => ProofEffort::None,
        asked => asked,
    }
}

/// What was chosen from resamples.
pub(super) struct Choices {
    /// The report, as far as it was known before.
    begun: StabilityReport,
    warnings: Vec<String>,
    /// Names of the columns by their index, response and weights taken out.
    names: Vec<String>,
    /// The variables that the file marks as true.
    truth: Vec<TrueVariable>,
    state: State,
    /// Why not all resamples were drawn, if they were not.
    cut: StopReason,
    seconds: f64,
}

impl<S: Selector> Method for OnResamples<'_, S> {
    type Data = Table;
    type Found = Choices;
    const IS_PROCEDURE: bool = S::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        self.selector.check(job)
    }

    fn work(&self, run: &mut Run, table: Arc<Table>) -> Result<Choices, RunError> {
        let meter = &mut run.meter;
        let resampling = self.stability.resampling;
        let mut table = Arc::unwrap_or_clone(table);
        let job = &*with_formula(run.job, &table)?;
        // What is wrong with the file is an error of the file, not of its first resample.
        let (on_gpus, whole) = RowsOnGpus::with_whole::<S::Data>(job, &table)?;
        let mut candidates = whole.data.candidates()?;
        drop(whole);
        // A factor is one candidate, and kept if one of its dummies is.
        candidates.kept.dedup();
        candidates.indexes.dedup();
        let kept = &candidates.kept;
        let is_candidate = |index: &usize| kept.binary_search(index).is_err();
        candidates.indexes.retain(is_candidate);
        let others = [&candidates.response].into_iter().chain(&job.response);
        let others = others.chain(&job.weights);
        let others: Vec<&String> = others.chain(job.kind.columns()).collect();
        let names = table.columns.iter().map(|column| &column.name);
        let names = names.filter(|name| !others.contains(name));
        let of_columns = || names.cloned().collect();
        let names: Vec<String> = candidates.names.take().unwrap_or_else(of_columns);
        keep_observations(job, &mut table);
        let n = table.rows;
        let rows = resampling.rows(n);
        if rows < FEWEST {
            let least = FEWEST;
            return Err(RunError::FewRows { rows, n, least });
        }
        let wanted = self.stability.resamples * resampling.group_size();
        let started = Instant::now();
        meter.begin("at work");
        let elements = rows.saturating_mul(candidates.width);
        let interrupt = job.interrupt.with_time_limit(job.pass.time_limit);
        let all = AllRows {
            table: &table,
            on_gpus: on_gpus.as_ref(),
        };
        let (threads, resources) = all.side_by_side(&job.resources, wanted, elements);
        let threads = (threads, resources.thread_count());
        let mut kept = Kept::new(run.context.checkpoint);
        let open = (0..wanted).filter(|number| !kept.state.done.contains_key(number));
        let open: Vec<usize> = open.collect();
        let levels = FactorLevels::of(&table, &candidates.factors);
        let select = |at: usize| {
            let drawn = resampling.resample(open[at], n, job.pass.seed);
            let own = (all, &*drawn.rows);
            let choice = self.choose(job, own, drawn.seed, &resources, &interrupt);
            let noted = |mut choice: Choice| {
                choice.notes.extend(levels.lost(&drawn.rows));
                (choice, None)
            };
            let of_resample = |error| RunError::Resample {
                number: open[at] + 1,
                of: wanted,
                rows,
                n,
                source: Box::new(error),
            };
            match choice {
                // All rows can choose: these few cannot.
                Err(error) if is_of_rows(&error) => {
                    let nothing = Choice {
                        indexes: Vec::new(),
                        notes: vec![format!("nothing was chosen: {}", error_chain(&error))],
                        devices: Vec::new(),
                    };
                    Ok(Some((nothing, Some(of_resample(error)))))
                }
                choice => Ok(choice.map_err(of_resample)?.map(noted)),
            }
        };
        let mut failed = BTreeMap::new();
        let ended = for_each_number(open.len(), threads, &interrupt, select, |at, choice| {
            let (choice, error) = choice;
            failed.extend(error.map(|error| (at, error)));
            let state = &mut kept.state;
            for note in choice.notes {
                *state.notes.entry(note).or_insert(0_usize) += 1;
            }
            if !choice.devices.is_empty() {
                state.devices = choice.devices;
            }
            let mut indexes = choice.indexes;
            indexes.retain(|index| candidates.kept.binary_search(index).is_err());
            state.done.insert(open[at], indexes);
            meter.count("resample", state.done.len(), wanted);
            kept.write_now_and_then();
        });
        if ended.is_err() || kept.state.done.len() < wanted {
            kept.write();
        }
        ended?;
        if failed.len() == wanted
            && let Some((_, error)) = failed.pop_first()
        {
            return Err(error);
        }
        let always = candidates.kept.iter();
        let begun = StabilityReport {
            passel: env!("CARGO_PKG_VERSION").into(),
            response: candidates.response,
            formula: candidates.formula,
            family: candidates.family,
            weights: job.weights.clone(),
            n,
            p: candidates.indexes.len(),
            kept: always.map(|index| names[*index].clone()).collect(),
            resampling: resampling.name().into(),
            wanted,
            rows,
            seed: job.pass.seed,
            ..S::Data::settings(job)
        };
        Ok(Choices {
            begun,
            warnings: candidates.warnings,
            names,
            truth: candidates.truth,
            state: kept.state,
            cut: StopReason::of_cut(&interrupt),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn report(&self, run: &mut Run, choices: Choices) -> Result<Finding, RunError> {
        let stability = self.stability;
        let resampling = stability.resampling;
        let Choices {
            begun,
            names,
            state,
            ..
        } = choices;
        let termination = match state.done.len() < begun.wanted {
            true => choices.cut,
            false => StopReason::Done,
        };
        let picks = ResampledSelections { done: state.done }.complete_groups(resampling);
        if picks.done.is_empty() {
            return Err(match termination {
                StopReason::TimeLimit => RunError::NoResample,
                _ => RunError::Interrupted,
            });
        }
        let chances = BoundInput {
            q: picks.mean(),
            p: begun.p,
            resamples: picks.done.len(),
        };
        let share = |count: usize| count as f64 / chances.resamples as f64;
        let variable = |Frequency { index, count, both }| StableVariable {
            name: names[index].clone(),
            index,
            frequency: share(count),
            count,
            simultaneous: (resampling.group_size() == 2)
                .then(|| both as f64 / (chances.resamples / 2) as f64),
        };
        let frequencies = picks.frequencies(resampling).into_iter();
        let variables: Vec<StableVariable> = frequencies.map(variable).collect();
        let reaching = |count: Option<usize>| {
            let least = count.unwrap_or(usize::MAX);
            variables.iter().filter(move |own| own.count >= least)
        };
        let given = stability.cutoff.map(|cutoff| {
            // The least frequency there can be from there on; 0.7 · 10 must not become 8.
            ((cutoff * chances.resamples as f64 - 1e-9).ceil() as usize).max(1)
        });
        let cutoff =
            |bound: &Bound| given.or_else(|| bound.cutoff(stability.false_picks, &chances));
        let bounds: &[Bound] = match resampling {
            Resampling::Complementary => &[Bound::WorstCase, Bound::Unimodal, Bound::RConcave],
            Resampling::Subsample(_) | Resampling::Bootstrap => &[Bound::MeinshausenBuhlmann],
        };
        // The sharpest there is.
        let deciding = bounds[bounds.len() - 1];
        let bounds = bounds.iter().map(|bound| {
            let count = cutoff(bound);
            StabilityBound {
                name: bound.name().into(),
                cutoff: count.map(share),
                false_picks: bound.expected_false(count.unwrap_or(chances.resamples), &chances),
                variables: reaching(count).map(|own| own.name.clone()).collect(),
            }
        });
        let count = cutoff(&deciding);
        let selected: Vec<StableVariable> = reaching(count).cloned().collect();
        let chosen = selected.iter().map(|own| own.index).collect();

        let mut warnings = choices.warnings;
        warnings.extend(caveats(stability, (&deciding, count), &chances));
        warnings.extend(most_frequent(state.notes, "resample"));
        let report = StabilityReport {
            resamples: chances.resamples,
            q: chances.q,
            false_picks: given.is_none().then_some(stability.false_picks),
            decides: match given {
                Some(_) => "given".into(),
                None => deciding.name().into(),
            },
            cutoff: count.map(share),
            bounds: bounds.collect(),
            k: selected.len(),
            truth: Truth::of(&choices.truth, chosen),
            variables,
            selected,
            run: RunSummary {
                devices: state.devices,
                termination,
                elapsed_seconds: run.elapsed(0.0, choices.seconds),
                warnings,
                ..RunSummary::default()
            },
            ..begun
        };
        Ok(Finding::new(Outcome::Stability(Box::new(report)), None))
    }
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
        let least = deciding.expected_false(chances.resamples, chances);
        let least = least.map(|most| format!(" ({most:.3} at a cut-off of 1)"));
        let least = least.unwrap_or_default();
        warnings.push(format!(
            "no cut-off keeps the expected number of false picks at {}{least}, so nothing is \
             selected: let the method choose fewer variables, or allow more with --false-picks",
            stability.false_picks
        ));
    }
    warnings
}
