//! A selection with inference on its choice: the same selection from parts of the rows, many times.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    RunError,
    design_source::with_formula,
    estimated::{coefficients, estimated},
    inferred::{Drawn, Estimated, bootstrapped, by_splits, promise},
    method::{Finding, Method, Run},
    observed::observed,
    pass::Model,
    prepared::Held,
    resample::for_each_number,
    rows_on_gpu::{AllRows, RowsOnGpus},
    some_rows::{counted, is_of_rows, most_frequent, of_some_rows, with_event},
    split_models::chosen_terms,
    stability::proof_of_resample,
    used_rows::keep_rows,
};
use crate::{
    design::{Design, has_reference},
    device::Resources,
    inference::{InferenceMethod, SplitEstimate},
    interrupt::Interrupt,
    job::Job,
    search::{Pass, SearchError, refuse_parts},
    selection::{Inference, Outcome, StopReason, Termination},
    table::Table,
    validation::{Scheme, SchemeError, Split, Splits},
};

/// Parts of the rows that are left out one after another, at most, for the skewness of estimates.
const PARTS: usize = 100;

/// A method that selects models, with inference on its choice.
pub(super) struct WithInference<M> {
    method: M,
    inference: InferenceMethod,
}

/// The model of all rows, and what others say of it.
pub(super) struct Inferred {
    model: Model,
    inference: Inference,
    notes: Vec<String>,
    /// Why not all draws were done, if they were not.
    cut: Option<Termination>,
}

/// What all draws have in common.
struct Shared<'a> {
    job: &'a Job,
    /// The observations alone.
    rows: AllRows<'a>,
}

impl<M> WithInference<M> {
    pub(super) fn of(method: M, inference: InferenceMethod) -> Self {
        Self { method, inference }
    }
}

impl<M: Method<Data = Design, Found = Model> + Sync> WithInference<M> {
    /// What the method selects from some rows; none where `interrupt` cut it short, and nothing where they cannot choose.
    fn select(
        &self,
        shared: &Shared,
        rows: &[usize],
        resources: &Resources,
        interrupt: &Interrupt,
        notes: &mut Vec<String>,
    ) -> Result<Option<Option<Model>>, RunError> {
        let made = shared
            .rows
            .some::<Design>(shared.job, rows, resources, interrupt);
        let (own, (design, _held)) = match made {
            Err(RunError::Interrupted) => return Ok(None),
            // All rows can choose: these few cannot, and choose nothing.
            Err(error) if is_of_rows(&error) => {
                notes.push(format!("nothing could be chosen: {error}"));
                return Ok(Some(None));
            }
            made => made?,
        };
        let found = match self.method.work(&mut Run::silent(&own), design) {
            Err(error) if is_of_rows(&error) => {
                notes.push(format!("nothing could be chosen: {error}"));
                return Ok(Some(None));
            }
            found => found?,
        };
        Ok(found.complete()?.map(Some))
    }

    /// One half chooses, the other estimates.
    fn split(
        &self,
        shared: &Shared,
        split: &Split,
        resources: &Resources,
        interrupt: &Interrupt,
    ) -> Result<Option<Drawn>, RunError> {
        let mut notes = Vec::new();
        let model = self.select(shared, &split.train, resources, interrupt, &mut notes)?;
        let Some(model) = model else {
            return Ok(None);
        };
        let names = model.as_ref().map_or(Vec::new(), chosen_terms);
        let mut chosen: BTreeMap<String, Estimated> = names
            .iter()
            .map(|name| (name.clone(), Estimated::default()))
            .collect();
        if !names.is_empty() {
            let part = Held::rows(shared.rows.table, &split.test, &resources.memory)?;
            let own = of_some_rows(shared.job, &part.data, resources, interrupt);
            // A level that no row of this half has cannot be kept.
            let is_there = |name: &String| {
                let is_column = part.data.position(name).is_some();
                is_column
                    || !name.contains('=')
                    || own.terms.formula.is_some()
                    || has_reference(&part.data, name)
            };
            let keep = own.keep.iter().chain(&names).filter(|name| is_there(name));
            let own = Job {
                keep: keep.cloned().collect(),
                ..own.clone()
            };
            match estimated(&own, part) {
                Err(RunError::Interrupted) => return Ok(None),
                // What cannot be estimated is not found.
                Err(error) if is_of_rows(&error) => {
                    notes.push(format!(
                        "nothing could be estimated from the half that did not choose: {error}"
                    ));
                }
                Err(error) => return Err(error),
                Ok(estimates) => chosen.iter_mut().for_each(|(name, own)| {
                    if let Some(found) = estimates.get(name) {
                        *own = *found;
                    }
                }),
            }
        }
        if notes.is_empty() && chosen.values().any(|own| own.p_value.is_none()) {
            let note = "some of what was chosen had no test in the other half (an exact fit, a separation, one cluster): \
                        that counts as p = 1";
            notes.push(note.to_owned());
        }
        Ok(Some(Drawn { chosen, notes }))
    }

    /// The same rows choose and estimate.
    fn resample(
        &self,
        shared: &Shared,
        rows: &[usize],
        resources: &Resources,
        interrupt: &Interrupt,
    ) -> Result<Option<Drawn>, RunError> {
        let mut notes = Vec::new();
        let model = self.select(shared, rows, resources, interrupt, &mut notes)?;
        let chosen = model.map(|model| {
            let coefficients = model.as_ref().map(coefficients);
            let own = coefficients
                .unwrap_or_default()
                .into_iter()
                .map(|(name, coefficient)| {
                    let estimate = SplitEstimate {
                        coefficient,
                        std_error: f64::NAN,
                        freedom: None,
                    };
                    let estimate = Some(estimate);
                    (
                        name,
                        Estimated {
                            p_value: None,
                            estimate,
                        },
                    )
                });
            own.collect()
        });
        Ok(chosen.map(|chosen| Drawn { chosen, notes }))
    }
}

impl<M: Method<Data = Design, Found = Model> + Sync> Method for WithInference<M> {
    type Data = Table;
    type Found = Inferred;
    const IS_PROCEDURE: bool = M::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        self.method.check(job)
    }

    fn work(&self, run: &mut Run, table: Arc<Table>) -> Result<Inferred, RunError> {
        let mut table = Arc::unwrap_or_clone(table);
        let with_formula = with_formula(run.job, &table)?;
        let job = &*with_formula;
        let (on_gpus, whole) = RowsOnGpus::with_whole::<Design>(job, &table)?;
        let (design, _held) = whole.share();
        refuse_parts(&design, "inference").map_err(SearchError::from)?;
        // The limit is of the search and the draws together.
        let interrupt = job.interrupt.with_time_limit(job.pass.time_limit);
        let model = self.method.work(run, Arc::clone(&design))?;
        run.meter.begin("at work");
        let rows: Vec<usize> = (0..design.n()).map(|at| design.row(at)).collect();
        // Levels and events have equal shares in all parts.
        let classes = match design.likelihood() {
            Some(_) => observed(job, &table, &design, &rows)?.classes(),
            None => Vec::new(),
        };
        let clusters = design.clusters();
        let by = clusters.map(|own| (&*own.name, &*own.of));
        let seed = job.pass.seed;
        let splits = |scheme: Scheme| Splits::of(scheme, (rows.len(), &classes), by, seed);
        let wanted = self.inference.count();
        let units = clusters.map_or(rows.len(), |own| own.count);
        if let (Some(own), true) = (clusters, units < 2) {
            let column = own.name.clone();
            return Err(SchemeError::OneCluster { column }.into());
        }
        let draws = match self.inference {
            InferenceMethod::Split { splits: repeats } => splits(Scheme::Holdout {
                share: 0.5,
                repeats,
            })?,
            InferenceMethod::Bootstrap { resamples } => splits(Scheme::Bootstrap { resamples })?,
        };
        let parts = match self.inference {
            InferenceMethod::Split { .. } => None,
            InferenceMethod::Bootstrap { .. } => Some(splits(Scheme::Folds {
                k: units.min(PARTS),
                repeats: 1,
            })?),
        };
        let of_parts = parts.as_ref().map_or(0, Splits::len);
        keep_rows(&mut table, &rows, job);
        let own = &Job {
            pass: Pass {
                proof: proof_of_resample(job.pass.proof),
                ..job.pass.clone()
            },
            ..with_event(job, &design)
        };
        let shared = Shared {
            job: own,
            rows: AllRows {
                table: &table,
                on_gpus: on_gpus.as_ref(),
            },
        };
        let elements = rows.len().saturating_mul(design.p());
        let all = wanted + of_parts;
        let (threads, resources) = shared.rows.side_by_side(&job.resources, all, elements);
        let threads = (threads, resources.thread_count());
        let draw = |at: usize| {
            let (split, estimates) = match (self.inference, &parts) {
                (InferenceMethod::Split { .. }, _) => (draws.split(at), true),
                (_, Some(parts)) if at >= wanted => (parts.split(at - wanted), false),
                // The first split is of all rows.
                _ => (draws.split(at + 1), false),
            };
            let drawn = match estimates {
                true => self.split(&shared, &split, &resources, &interrupt),
                false => self.resample(&shared, &split.train, &resources, &interrupt),
            };
            drawn.map_err(|error| RunError::Split {
                name: format!("{} {}", self.inference.name(), at + 1),
                rows: split.train.len(),
                n: rows.len(),
                source: Box::new(error),
            })
        };
        let meter = &mut run.meter;
        let mut done: BTreeMap<usize, Drawn> = BTreeMap::new();
        let what = match self.inference {
            InferenceMethod::Split { .. } => "split",
            InferenceMethod::Bootstrap { .. } => "resample",
        };
        for_each_number(wanted + of_parts, threads, &interrupt, draw, |at, drawn| {
            done.insert(at, drawn);
            meter.count(what, done.len(), wanted + of_parts);
        })?;
        let without = done.split_off(&wanted);
        let notes = counted(done.values().flat_map(|drawn| drawn.notes.iter().cloned()));
        let mut notes: Vec<String> = most_frequent(notes, what).collect();
        let (cut, why) = match StopReason::of_cut(&interrupt) {
            StopReason::TimeLimit => (Termination::TimeLimit, "the time limit came"),
            _ => (Termination::Interrupted, "it was interrupted"),
        };
        let cut = (done.len() + without.len() < wanted + of_parts).then_some(cut);
        if cut.is_some() {
            notes.push(format!(
                "inference rests on {} of {wanted} {what}s: {why}",
                done.len()
            ));
        }
        let selected = match self.inference {
            InferenceMethod::Split { .. } => chosen_terms(&model)
                .into_iter()
                .map(|name| (name, f64::NAN))
                .collect(),
            InferenceMethod::Bootstrap { .. } => coefficients(&model),
        };
        let all = design.candidate_terms() - design.keep().len();
        let variables = match self.inference {
            InferenceMethod::Split { .. } => by_splits(&done, &selected, all, job.level),
            InferenceMethod::Bootstrap { .. } => {
                // Parts of the rows are compared with one another, so that all are needed.
                let without = (without.len() == of_parts).then_some(&without);
                bootstrapped(&done, without, &selected, job.level)
            }
        };
        let inference = Inference {
            method: self.inference.name().into(),
            wanted,
            done: done.len(),
            cluster: clusters.map(|own| own.name.clone()),
            level: job.level,
            promise: promise(self.inference).into(),
            variables,
        };
        Ok(Inferred {
            model,
            inference,
            notes,
            cut,
        })
    }

    fn report(&self, run: &mut Run, found: Inferred) -> Result<Finding, RunError> {
        let mut finding = self.method.report(run, found.model)?;
        if let Outcome::Selection(selection) = &mut finding.outcome {
            selection.inference = Some(found.inference);
            if let Some(cut) = found.cut {
                selection.termination = cut;
            }
            selection.warnings.extend(found.notes);
        }
        Ok(finding)
    }
}
