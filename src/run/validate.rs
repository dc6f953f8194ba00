//! Validation: splits of the rows → a selection in each → what its models predict of the other rows.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Instant,
};

use passel_criteria::Criterion;

use super::{
    RunError,
    design_source::with_formula,
    lost_levels::FactorLevels,
    method::{Finding, Method, Run},
    observed::{observed, split_numbers},
    pass::Model,
    prepared::{Held, Prepared},
    resample::{for_each_number, side_by_side},
    some_rows::{is_of_rows, of_some_rows, with_event},
    split_models::{
        Selected, SplitModel, SplitResult, full_model, models_by_size, most_sizes, null_model,
        rows_for,
    },
    validated::{Validated, name_of, report},
};
use crate::{
    design::{Design, DesignError},
    device::Resources,
    interrupt::Interrupt,
    job::{Job, ValidationJob},
    search::{SearchError, refuse_parts},
    selection::{Outcome, ResponseFamily, StopReason, Termination, ValidationReport},
    table::{Table, Values},
    validation::{Response, Split, Splits},
};

/// What makes models, in splits of the rows.
pub(super) struct InSplits<'a, M> {
    pub(super) validation: &'a ValidationJob,
    pub(super) models: M,
}

/// A method that selects the model of a regression.
pub(super) struct Regressions<M>(pub(super) M);

/// What all splits have in common.
pub(super) struct Shared<'a> {
    /// The regression of each, but for what depends on its rows.
    pub(super) job: &'a Job,
    /// The observations alone.
    pub(super) table: &'a Table,
    pub(super) response: &'a Response,
    levels: &'a FactorLevels<'a>,
    criteria: &'a [Arc<dyn Criterion>],
    /// Sizes of models that are judged, at most.
    pub(super) most_sizes: usize,
    /// What each may use.
    pub(super) resources: &'a Resources,
    pub(super) interrupt: &'a Interrupt,
}

/// Models of the training rows of a split.
pub(super) struct MadeInSplit {
    /// By criterion.
    pub(super) models: Vec<SplitModel>,
    /// The terms that each holds, without those that are kept.
    pub(super) chosen: Vec<Vec<String>>,
    /// The model without any choice.
    pub(super) null: SplitModel,
    /// The model of everything, where there is one.
    pub(super) full: Option<SplitModel>,
    /// By the number of terms chosen.
    pub(super) by_size: BTreeMap<usize, SplitModel>,
    pub(super) notes: Vec<String>,
    pub(super) devices: Vec<String>,
}

/// How the models of a split are made.
pub(super) trait MadeInSplits: Sync {
    const IS_PROCEDURE: bool;

    fn check(&self, job: &Job) -> Result<(), RunError>;

    /// The job of the regression whose responses are judged.
    ///
    /// # Errors
    /// A response that it is not of.
    fn judged<'j>(&self, job: &'j Job, table: &Table) -> Result<Cow<'j, Job>, RunError>;

    /// How many candidates there are.
    fn candidates(&self, job: &Job, table: &Table, design: &Design) -> usize;

    /// Models of the training rows of a split; none, or an error that says so, where an interrupt cut them short.
    fn made(&self, shared: &Shared, split: &Split) -> Result<Option<MadeInSplit>, RunError>;
}

impl<M: Method<Data = Design, Found = Model> + Sync> MadeInSplits for Regressions<M> {
    const IS_PROCEDURE: bool = M::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        self.0.check(job)
    }

    fn judged<'j>(&self, job: &'j Job, _: &Table) -> Result<Cow<'j, Job>, RunError> {
        Ok(Cow::Borrowed(job))
    }

    fn candidates(&self, _: &Job, _: &Table, design: &Design) -> usize {
        design.candidate_terms() - design.keep().len()
    }

    fn made(&self, shared: &Shared, split: &Split) -> Result<Option<MadeInSplit>, RunError> {
        let train = Held::rows(shared.table, &split.train, &shared.resources.memory)?;
        let own = of_some_rows(shared.job, &train.data, shared.resources, shared.interrupt);
        let (design, _held) = Design::of(&own, train, None)?.share();
        let (mut models, mut chosen, mut by_size) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (mut notes, mut devices) = (Vec::new(), Vec::new());
        for criterion in shared.criteria {
            let own = Job {
                criterion: Arc::clone(criterion),
                ..own.clone()
            };
            let mut found = self.0.work(&mut Run::silent(&own), Arc::clone(&design))?;
            let fault = found.fault.take();
            if let Some(fault) = fault.or(found.found.fault.take().map(super::Fault::Device)) {
                return Err(fault.without_report());
            }
            let cut = [Termination::Interrupted, Termination::TimeLimit];
            if cut.contains(&found.found.termination) {
                return Ok(None);
            }
            models.push(SplitModel::selected(&found)?);
            chosen.push(chosen_terms(&found));
            if by_size.is_empty() {
                by_size = models_by_size(&found, shared.most_sizes)?;
            }
            devices = std::mem::take(&mut found.found.devices);
            notes.append(&mut found.found.notes);
        }
        Ok(Some(MadeInSplit {
            models,
            chosen,
            null: null_model(&design, &own.pass)?,
            full: full_model(&design)?,
            by_size,
            notes,
            devices,
        }))
    }
}

impl<M: MadeInSplits> InSplits<'_, M> {
    /// Selects from the rows of a split, and predicts the others; none where an interrupt cut it short.
    fn judge(&self, shared: &Shared, split: Split) -> Result<Option<SplitResult>, RunError> {
        let made = match self.models.made(shared, &split) {
            Ok(None) | Err(RunError::Interrupted) => return Ok(None),
            Ok(Some(made)) => made,
            Err(error) => return Err(error),
        };
        let mut notes: Vec<String> = shared.levels.lost(&split.train).collect();
        notes.extend(made.notes);
        let all = made.models.iter().chain(made.by_size.values());
        let all = all.chain([&made.null]).chain(&made.full);
        let test = rows_for(all, shared.table, &split.test);
        let say = |model: &SplitModel| model.predict(&test);
        let selected: Vec<_> = made.models.iter().map(say).collect::<Result<_, _>>()?;
        let null = say(&made.null)?;
        let full = made.full.as_ref().map(say).transpose()?;
        // All are judged on the same rows.
        let (response, rows) = (shared.response, &split.test);
        let judged = selected.iter().chain([&null]).chain(&full);
        let unknown: BTreeSet<usize> = judged.flat_map(|own| own.unknown(response, rows)).collect();
        let known: Vec<usize> = (0..rows.len()).filter(|at| !unknown.contains(at)).collect();
        // A model of some size may not know levels of rows that the others do.
        let mut of_sizes = BTreeMap::new();
        for (size, model) in &made.by_size {
            let own = say(model)?;
            let mut others = own.unknown(response, rows).into_iter();
            if others.all(|at| unknown.contains(&at)) {
                of_sizes.insert(*size, own.of(response, &known));
            }
        }
        let selected = made.chosen.into_iter().zip(&selected);
        let selected = selected.map(|(terms, own)| Selected {
            terms,
            predicted: own.of(response, &known),
        });
        Ok(Some(SplitResult {
            rows: known.iter().map(|at| split.test[*at]).collect(),
            selected: selected.collect(),
            null: null.of(response, &known),
            full: full.map(|own| own.of(response, &known)),
            by_size: of_sizes,
            notes,
            devices: made.devices,
            split,
        }))
    }
}

/// The names of the terms of a model, without those that all models hold.
pub(super) fn chosen_terms(found: &Model) -> Vec<String> {
    let design = &found.design;
    let members = found.found.fit.members().into_iter();
    let chosen = members.filter(|term| design.keep().binary_search(term).is_err());
    chosen
        .map(|term| design.term_name(term).to_owned())
        .collect()
}

impl<M: MadeInSplits> Method for InSplits<'_, M> {
    type Data = Table;
    type Found = Validated;
    const IS_PROCEDURE: bool = M::IS_PROCEDURE;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        self.models.check(job)
    }

    fn work(&self, run: &mut Run, table: Arc<Table>) -> Result<Validated, RunError> {
        let (meter, validation) = (&mut run.meter, self.validation);
        let started = Instant::now();
        let scheme = validation.scheme;
        let mut table = Arc::unwrap_or_clone(table);
        let by = validation.by.as_deref();
        by.map(|name| table.require("--by", name)).transpose()?;
        let job = self.models.judged(run.job, &table)?;
        let job = with_formula(&job, &table).map_err(|error| match error {
            DesignError::FormulaHidden { name, .. } if Some(&*name) == by => {
                let reason = "--by takes";
                DesignError::FormulaHidden { name, reason }
            }
            error => error,
        });
        let job = &*job?;
        // What is wrong with the file is an error of the file, not of its first split.
        let whole = Held::<Design>::of_all_rows(job, &table)?;
        let design = &whole.data;
        refuse_parts(design, "a validation").map_err(SearchError::from)?;
        let rows: Vec<usize> = (0..design.n()).map(|at| design.row(at)).collect();
        let n = rows.len();
        let response = observed(job, &table, design, &rows)?;
        let numbers = by.map(|name| split_numbers((name, scheme), &table, &rows));
        let numbers = numbers.transpose()?;
        let by = by.zip(numbers.as_deref());
        let splits = Splits::of(scheme, (n, &response.classes()), by, job.pass.seed)?;
        let kept = design.keep().iter();
        let begun = ValidationReport {
            passel: env!("CARGO_PKG_VERSION").into(),
            by: validation.by.clone(),
            response: design.response().name.clone(),
            formula: design.formula().map(str::to_owned),
            family: ResponseFamily::of(design),
            weights: job.weights.clone(),
            n,
            p: self.models.candidates(job, &table, design),
            kept: kept
                .map(|term| design.term_name(*term).to_owned())
                .collect(),
            wanted: splits.len(),
            seed: job.pass.seed,
            ..ValidationReport::default()
        };
        let warnings = design.warnings().to_vec();
        let job = &with_event(job, design);
        let (factors, width) = (design.factor_columns(), design.p());
        drop(whole);
        keep_rows(&mut table, &rows, job);
        meter.begin("at work");
        let interrupt = job.interrupt.with_time_limit(job.pass.time_limit);
        let wanted = splits.len();
        let elements = n.saturating_mul(width);
        let (threads, resources) = side_by_side(&job.resources, wanted, elements);
        let threads = (threads, resources.thread_count());
        let first = std::iter::once(Arc::clone(&job.criterion));
        let criteria: Vec<_> = first
            .chain(validation.other_criteria.iter().cloned())
            .collect();
        let levels = FactorLevels::of(&table, &factors);
        let shared = Shared {
            job,
            table: &table,
            response: &response,
            levels: &levels,
            criteria: &criteria,
            most_sizes: most_sizes(n, &splits),
            resources: &resources,
            interrupt: &interrupt,
        };
        let select = |at: usize| {
            let split = splits.split(at);
            let name = name_of(scheme, &split, wanted);
            let rows = split.train.len();
            let judged = self.judge(&shared, split);
            let is_of_rows = judged.as_ref().is_err_and(is_of_rows);
            let judged = judged.map_err(|error| RunError::Split {
                name,
                rows,
                n,
                source: Box::new(error),
            });
            match judged {
                // All rows can choose: these few cannot.
                Err(error) if is_of_rows => Ok(Some(Err(error))),
                judged => Ok(judged?.map(Ok)),
            }
        };
        let (mut done, mut failed) = (BTreeMap::new(), BTreeMap::new());
        for_each_number(wanted, threads, &interrupt, select, |at, judged| {
            match judged {
                Ok(result) => drop(done.insert(at, result)),
                Err(error) => drop(failed.insert(at, error)),
            }
            meter.count("split", done.len() + failed.len(), wanted);
        })?;
        Ok(Validated {
            begun,
            warnings,
            rows,
            response,
            criteria,
            done,
            failed: failed.into_values().collect(),
            cut: StopReason::of_cut(&interrupt),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn report(&self, run: &mut Run, found: Validated) -> Result<Finding, RunError> {
        let report = report(self.validation, run, found)?;
        Ok(Finding::new(Outcome::Validation(Box::new(report)), None))
    }
}

/// Leaves the rows alone that are observations; the values of columns that are left out go as well.
pub(super) fn keep_rows(table: &mut Table, rows: &[usize], job: &Job) {
    if rows.len() < table.rows {
        let mut used = vec![false; table.rows];
        rows.iter().for_each(|row| used[*row] = true);
        table.keep_rows(&used);
    }
    let columns = table.columns.iter_mut();
    for column in columns.filter(|column| job.drop.contains(&column.name)) {
        let (rows, values) = Default::default();
        column.values = Values::Sparse { rows, values };
    }
}
