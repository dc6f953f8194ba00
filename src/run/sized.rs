//! A selection by PaSS whose criterion may leave the size of the model to cross-validation.

use std::{sync::Arc, time::Instant};

use serde_json::json;

use super::{
    RunError,
    chosen_size::{choose_size, sizes_of_models, unit_of_sizes},
    design_source::with_formula,
    in_split::Shared,
    lost_levels::FactorLevels,
    method::{Finding, Method, Run},
    observed::observed,
    pass::{Model, PassSearch},
    prepared::Held,
    rows_on_gpu::{AllRows, RowsOnGpus},
    some_rows::with_event,
    used_rows::keep_rows,
};
use crate::{
    interrupt::Interrupt,
    job::Job,
    search::{SearchError, refuse_parts},
    selection::{Outcome, SizeChoice, StopReason, Termination},
    table::Table,
};

/// PaSS on all rows, behind the choice of the size where its criterion asks for that.
pub(super) struct SizedSearch;

/// A model, and how its size was chosen.
pub(super) struct Sized {
    model: Model,
    choice: Option<(Box<Job>, SizeChoice)>,
    notes: Vec<String>,
}

impl Method for SizedSearch {
    type Data = Table;
    type Found = Sized;

    fn work(&self, run: &mut Run, table: Arc<Table>) -> Result<Sized, RunError> {
        let mut table = Arc::unwrap_or_clone(table);
        let with_formula = with_formula(run.job, &table)?;
        let job = &*with_formula;
        let (on_gpus, whole) = match job.criterion.cross_validation() {
            Some(_) => RowsOnGpus::with_whole(job, &table)?,
            None => (None, Held::of_all_rows(job, &table)?),
        };
        let (design, _held) = whole.share();
        let Some(cv) = job.criterion.cross_validation() else {
            return Ok(Sized {
                model: PassSearch.work(run, design)?,
                choice: None,
                notes: Vec::new(),
            });
        };
        refuse_parts(&design, "cross-validation of the size").map_err(SearchError::from)?;
        let started = Instant::now();
        // The limit is of the choice of the size and the search together.
        let interrupt = job.interrupt.with_time_limit(job.pass.time_limit);
        let rows: Vec<usize> = (0..design.n()).map(|at| design.row(at)).collect();
        let response = observed(job, &table, &design, &rows)?;
        keep_rows(&mut table, &rows, job);
        let levels = FactorLevels::of(&table, &[]);
        let own = with_event(job, &design);
        let shared = Shared {
            job: &own,
            rows: AllRows {
                table: &table,
                on_gpus: on_gpus.as_ref(),
            },
            response: &response,
            levels: &levels,
            criteria: &[],
            groups: design.clusters().map(|own| (&*own.name, &*own.of)),
            width: design.p(),
            unit: unit_of_sizes(&design),
            most_sizes: 0,
            resources: &job.resources,
            interrupt: &interrupt,
        };
        let all: Vec<usize> = (0..rows.len()).collect();
        let chosen = choose_size(cv, &shared, &all, |done, of| {
            run.meter.count("fold", done, of)
        })?;
        let cut = match StopReason::of_cut(&interrupt) {
            StopReason::TimeLimit => Termination::TimeLimit,
            _ => Termination::Interrupted,
        };
        let mut chosen = chosen.ok_or(match cut {
            Termination::TimeLimit => RunError::NoSize,
            _ => RunError::Interrupted,
        })?;
        // Of factors of unlike widths there are no models of some sizes: those judged are smaller ones.
        let by_size = &mut chosen.report.by_size;
        let most = by_size.last().map_or(0, |own| own.size);
        let are_there = sizes_of_models(&design, most);
        by_size.retain(|own| are_there[own.size]);
        let seconds = started.elapsed().as_secs_f64();
        run.meter.begin("at work");
        let own = Job {
            // A size without a model would be no answer: its search, one of hundreds, is done though the work was to end.
            interrupt: match chosen.is_cut {
                true => Interrupt::default(),
                false => interrupt,
            },
            ..chosen.job(job, &design)
        };
        let mut model = run.of_job(&own, |run| PassSearch.work(run, design))?;
        if chosen.is_cut {
            model.found.termination = cut;
        }
        model.found.seconds += seconds;
        Ok(Sized {
            model,
            choice: Some((Box::new(own), chosen.report)),
            notes: chosen.notes,
        })
    }

    fn report(&self, run: &mut Run, found: Sized) -> Result<Finding, RunError> {
        let Some((job, choice)) = found.choice else {
            return PassSearch.report(run, found.model);
        };
        let mut finding = run.of_job(&job, |run| PassSearch.report(run, found.model))?;
        if let Outcome::Selection(selection) = &mut finding.outcome {
            selection.cross_validation = Some(choice);
            // The bound that the user gave, not the size.
            let given = run.job.pass.max_size;
            let parameters = &mut selection.method.parameters;
            parameters.insert("max_size".to_owned(), json!(given));
            // Models of other sizes are none of the answer.
            selection.front.clear();
            selection.models.retain(|own| own.weight > 0.0);
            selection.warnings.extend(found.notes);
        }
        Ok(finding)
    }
}
