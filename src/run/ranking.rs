//! Selectors over levels: by a score, and by a procedure of a plugin.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};

use super::{
    Fault, RunError,
    candidates::{Choice, Selected},
    checkpoint,
    method::{Finding, Method, Run, method_parameters},
    prepared::Binned,
};
use crate::{
    binning::{BinnedColumns, SavedBinning},
    job::Job,
    nearest::{either, list},
    plugin::{MethodKind, ResolvedMethod},
    presentation::Format,
    score::{Correction, Score},
    search::Checkpointing,
    selection::{
        ChosenColumn, Outcome, RankedColumns, RankedVariable, Ranking, RejectedVariable,
        RunSummary, StopReason, StopRule, Truth,
    },
    selector::{
        Procedure, ProcedureOptions, SelectionProgress, check_devices, rank_from,
        rank_with_procedure, require_cpu,
    },
    table::Values,
};

type Resolved = ResolvedMethod<MethodKind>;

/// Greedy forward selection by a score.
pub(super) struct ScoreSelection<'a> {
    method: &'a Resolved,
    /// With the correction that the job asks for.
    score: Score,
}

/// A procedure of a plugin that ranks variables.
pub(super) struct RankingProcedure<'a>(pub(super) &'a Resolved, pub(super) &'a Arc<dyn Procedure>);

impl<'a> ScoreSelection<'a> {
    pub(super) fn new(method: &'a Resolved, score: &Score, correction: Correction) -> Self {
        Self {
            method,
            score: Score {
                correction,
                ..score.clone()
            },
        }
    }
}

impl Method for ScoreSelection<'_> {
    type Data = Binned;
    type Found = Order;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        Ok(check_devices(&self.score, &job.resources.devices)?)
    }

    fn work(&self, run: &mut Run, binned: Arc<Binned>) -> Result<Order, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let limit = job.pass.time_limit;
        let name = format!(
            "{} of {}, {}",
            job.method,
            self.method.plugin,
            job.correction.name()
        );
        let (mut write, resume_from) = (checkpoint::writer(job), run.resume_from.take());
        let checkpointing = job.checkpoint.as_ref().map(|_| {
            let write = &mut write;
            (&*name, Checkpointing { resume_from, write })
        });
        let (tests, mut chosen) = (job.stop.permutation.is_some(), 0);
        let mut observe = |told| match told {
            SelectionProgress::Permutations(made, of) => meter.count_tests(made, of, chosen),
            // Between two tests it is the tests that are told of.
            SelectionProgress::Variables(done, _) if tests => chosen = done,
            SelectionProgress::Variables(done, of) => meter.count("variable", done, of),
        };
        let ranked = rank_from(
            &binned.columns,
            &self.score,
            &job.stop,
            &job.resources,
            &job.resources.with_time_limit(&job.interrupt, limit),
            checkpointing,
            &mut observe,
        );
        let mut ranked = ranked.map_err(|error| checkpoint::of_selector(job, error))?;
        let fault = ranked.fault.take();
        let fault =
            fault.map(|error| Fault::of_counting(error, &binned.columns, ("method", self.method)));
        Ok(Order {
            binned,
            ranked,
            fault,
        })
    }

    fn report(&self, run: &mut Run, order: Order) -> Result<Finding, RunError> {
        let permutation = run.job.stop.permutation;
        order.report(run, self.method, permutation.map(|test| test.seed))
    }
}

impl Method for RankingProcedure<'_> {
    type Data = Binned;
    type Found = Order;
    const IS_PROCEDURE: bool = true;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        Ok(require_cpu(&job.resources.devices)?)
    }

    fn work(&self, run: &mut Run, binned: Arc<Binned>) -> Result<Order, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let options = ProcedureOptions {
            top: job.stop.top,
            seed: job.pass.seed,
            time_limit: job.pass.time_limit,
        };
        let bytes = binned.numbers.iter().map(Values::bytes).sum();
        let _held = job.resources.memory.take(bytes, "a copy of the values")?;
        let ranking = rank_with_procedure(
            self.1,
            (&binned.columns, binned.numbers.clone()),
            &options,
            &job.resources,
            &job.interrupt,
            &mut |done, of| meter.count("variable", done, of),
        )?;
        let fault = ranking.error;
        Ok(Order {
            binned,
            ranked: ranking.result,
            fault: fault.map(|error| Fault::of_procedure(error, self.0)),
        })
    }

    fn report(&self, run: &mut Run, order: Order) -> Result<Finding, RunError> {
        // What it draws by its seed is its own affair.
        order.report(run, self.0, Some(run.job.pass.seed))
    }
}

/// Columns in the order of choice, and the levels that they were chosen by.
pub(super) struct Order {
    binned: Arc<Binned>,
    ranked: RankedColumns,
    fault: Option<Fault>,
}

impl Order {
    fn report(self, run: &Run, method: &Resolved, seed: Option<u64>) -> Result<Finding, RunError> {
        let (columns, ranked) = (&self.binned.columns, self.ranked);
        let mut warnings = self.binned.warnings.clone();
        warnings.extend(self.fault.as_ref().map(Fault::warning));
        warnings.extend(ranked.notes);
        warnings.extend(sparse_tables(run.job, columns, &ranked.chosen));
        let selected = ranked.chosen.into_iter().map(|choice| RankedVariable {
            name: columns.columns[choice.column].name.clone(),
            index: columns.columns[choice.column].index,
            choice,
        });
        let selected: Vec<_> = selected.collect();
        let refused = ranked.refused.map(|rejection| RejectedVariable {
            name: columns.columns[rejection.column].name.clone(),
            index: columns.columns[rejection.column].index,
            rejection,
        });
        let stop = run.job.stop.permutation.map(|test| StopRule {
            rule: "permutation".into(),
            n: test.n,
            alpha: test.alpha,
            standardised: test.standardise,
        });
        let indexes = selected.iter().map(|variable| variable.index).collect();
        let ranking = Ranking {
            passel: env!("CARGO_PKG_VERSION").into(),
            data: None,
            method: method_parameters(method),
            criterion: None,
            response: columns.response.name.clone(),
            classes: columns.response.levels,
            n: columns.n,
            p: columns.columns.len(),
            k: selected.len(),
            selected,
            refused,
            stop,
            correction: (run.job.correction != Correction::None)
                .then(|| run.job.correction.name().into()),
            seed,
            binning: saved_binning(run, columns)?,
            set_aside: Vec::new(),
            truth: Truth::of(&self.binned.truth, indexes),
            run: RunSummary {
                devices: ranked.devices,
                precision: "exact".into(),
                termination: ranked.termination,
                rank_summary: run.rank_summary("columns"),
                elapsed_seconds: run.elapsed(ranked.starting, ranked.seconds),
                numbers: ranked.numbers,
                warnings,
            },
        };
        match self.fault {
            Some(fault @ Fault::Procedure { .. }) if ranking.k == 0 => Err(fault.without_report()),
            fault => Ok(Finding::new(Outcome::Ranking(Box::new(ranking)), fault)),
        }
    }
}

impl Order {
    /// The names of what was chosen, in the order of choice.
    pub(super) fn names(&self) -> Vec<String> {
        let columns = &self.binned.columns.columns;
        let chosen = self.ranked.chosen.iter();
        chosen.map(|own| columns[own.column].name.clone()).collect()
    }
}

impl Selected for Order {
    fn choice(self) -> Result<Option<Choice>, RunError> {
        let (columns, ranked) = (&self.binned.columns.columns, self.ranked);
        let chosen = ranked.chosen.iter();
        let choice = Choice {
            indexes: chosen.map(|own| columns[own.column].index).collect(),
            notes: ranked.notes,
            devices: ranked.devices,
        };
        let cut = [StopReason::Interrupted, StopReason::TimeLimit];
        choice.ended(self.fault, cut.contains(&ranked.termination))
    }
}

/// The share of sparse cells above which a variable is warned of.
const MOST: f64 = 0.5;

/// The warning of chosen variables whose table with the response has too few observations a cell.
fn sparse_tables(job: &Job, columns: &BinnedColumns, chosen: &[ChosenColumn]) -> Option<String> {
    let shares = chosen.iter().map(|own| (own.column, own.sparse_cells));
    let warning = too_sparse(columns, shares)?;
    let mut mends = vec!["make fewer levels (--binning equal-frequency:3, say)"];
    if job.correction == Correction::None {
        mends.push("correct scores for it (--correction miller-madow)");
    }
    if job.stop.permutation.is_none() {
        mends.push("test by permutation (--stop permutation)");
    }
    Some(format!("{warning}; {}", either(&mends)))
}

/// What is wrong with the scores of columns, each with its share of sparse cells; none where no share
/// is large.
pub(super) fn too_sparse(
    columns: &BinnedColumns,
    shares: impl Iterator<Item = (usize, f64)>,
) -> Option<String> {
    let sparse = shares.filter(|(_, share)| *share > MOST);
    let names: Vec<&str> = sparse
        .map(|(column, _)| columns.columns[column].name.as_str())
        .collect();
    (!names.is_empty()).then(|| {
        format!(
            "too few observations for the levels of {}: most cells of the table with {} expect fewer than \
             5, so that such scores are too high by chance, the order favours them, and p (G) is no guide",
            list(names.into_iter()),
            columns.response.name
        )
    })
}

/// The rules of all columns where the report shows them, else what was asked for alone.
pub(super) fn saved_binning(run: &Run, columns: &BinnedColumns) -> Result<Box<RawValue>, RunError> {
    let job = run.job;
    // A run of jobs stores the report as JSON, whatever else is asked for.
    let saved =
        match run.context.cache.is_some() || [Format::Json, Format::Html].contains(&job.format) {
            true => SavedBinning::of(columns, &job.binning, &job.bin_response),
            false => SavedBinning {
                rule: job.binning.to_string(),
                response_rule: job.bin_response.to_string(),
                columns: Vec::new(),
                response: None,
            },
        };
    to_raw_value(&saved).map_err(|error| RunError::Render(error.into()))
}
