//! Selectors over levels: by a score, and by a procedure of a plugin.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};

use super::{
    Fault, RunError,
    candidates::{Choice, Selected},
    method::{Finding, Method, Run, method_parameters},
    prepared::{Binned, BinnedNumbers},
};
use crate::{
    binning::{BinnedColumns, SavedBinning},
    job::Job,
    plugin::{MethodKind, ResolvedMethod},
    presentation::Format,
    score::Score,
    selection::{
        Outcome, RankedColumns, RankedVariable, Ranking, RejectedVariable, StopReason, StopRule,
        Truth,
    },
    selector::{
        OVER_LEVELS, Procedure, ProcedureOptions, check_devices, rank, rank_with_procedure,
        require_cpu,
    },
};

/// Greedy forward selection by a score.
pub(super) struct ScoreSelection<'a> {
    pub(super) resolved: &'a ResolvedMethod<MethodKind>,
    pub(super) score: &'a Score,
}

/// A procedure of a plugin that ranks variables.
pub(super) struct RankingProcedure<'a> {
    pub(super) resolved: &'a ResolvedMethod<MethodKind>,
    pub(super) procedure: &'a Arc<dyn Procedure>,
}

impl Method for ScoreSelection<'_> {
    type Data = Binned;
    type Found = Order;
    const PARTITIONED: bool = true;

    fn check(&self, job: &Job) -> Result<(), RunError> {
        Ok(check_devices(self.score, &job.resources.devices)?)
    }

    fn work(&self, run: &mut Run, binned: Arc<Binned>) -> Result<Order, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let mut ranked = rank(
            &binned.columns,
            self.score,
            &job.stop,
            &job.resources,
            &job.interrupt,
            &mut |done, of| meter.count("variable", done, of),
        )?;
        let method = ("method", self.resolved);
        let fault = ranked.fault.take();
        let fault = fault.map(|error| Fault::of_counting(error, &binned.columns, method));
        Ok(Order::new(&binned, ranked, fault))
    }

    fn report(&self, run: &mut Run, order: Order) -> Result<Finding, RunError> {
        let permutation = run.job.stop.permutation;
        order.report(run, self.resolved, permutation.map(|test| test.seed))
    }
}

impl Method for RankingProcedure<'_> {
    type Data = BinnedNumbers;
    type Found = Order;
    // The procedure may look at any column.
    const PARTITIONED: bool = false;

    fn is_detachable(&self) -> bool {
        true
    }

    fn check(&self, job: &Job) -> Result<(), RunError> {
        Ok(require_cpu(OVER_LEVELS, &job.resources.devices)?)
    }

    fn work(&self, run: &mut Run, data: Arc<BinnedNumbers>) -> Result<Order, RunError> {
        let (job, meter) = (run.job, &mut run.meter);
        let options = ProcedureOptions {
            top: job.stop.top,
            seed: job.pass.seed,
            time_limit: job.pass.time_limit,
        };
        let ranking = rank_with_procedure(
            self.procedure,
            (&data.binned.columns, data.numbers.clone()),
            &options,
            &job.resources,
            &job.interrupt,
            &mut |done, of| meter.count("variable", done, of),
        )?;
        let fault = ranking.error;
        let fault = fault.map(|error| Fault::of_procedure(error, self.resolved));
        Ok(Order::new(&data.binned, ranking.ranked, fault))
    }

    fn report(&self, run: &mut Run, order: Order) -> Result<Finding, RunError> {
        // What it draws by its seed is its own affair.
        order.report(run, self.resolved, Some(run.job.pass.seed))
    }
}

/// Columns in the order of choice, and the levels that they were chosen by.
pub(super) struct Order {
    columns: Arc<BinnedColumns>,
    truth: Vec<usize>,
    warnings: Vec<String>,
    ranked: RankedColumns,
    fault: Option<Fault>,
}

impl Order {
    fn new(binned: &Binned, ranked: RankedColumns, fault: Option<Fault>) -> Self {
        Self {
            columns: Arc::clone(&binned.columns),
            truth: binned.truth.clone(),
            warnings: binned.warnings.clone(),
            ranked,
            fault,
        }
    }

    fn report(
        self,
        run: &Run,
        resolved: &ResolvedMethod<MethodKind>,
        seed: Option<u64>,
    ) -> Result<Finding, RunError> {
        let (columns, ranked, mut warnings) = (&self.columns, self.ranked, self.warnings);
        warnings.extend(self.fault.as_ref().map(Fault::warning));
        warnings.extend(ranked.notes);
        let selected = ranked.chosen.iter().map(|chosen| RankedVariable {
            name: columns.columns[chosen.column].name.clone(),
            index: columns.columns[chosen.column].index,
            score: chosen.score,
            relevance: chosen.relevance,
            redundancy: chosen.redundancy,
            independence: chosen.independence,
            permutation_p: chosen.permutation_p,
        });
        let selected: Vec<_> = selected.collect();
        let refused = ranked.refused.map(|rejected| RejectedVariable {
            name: columns.columns[rejected.column].name.clone(),
            index: columns.columns[rejected.column].index,
            score: rejected.score,
            permutation_p: rejected.permutation_p,
        });
        let stop = run.job.stop.permutation.map(|test| StopRule {
            rule: "permutation".into(),
            n: test.n,
            alpha: test.alpha,
        });
        let indexes: Vec<usize> = selected.iter().map(|variable| variable.index).collect();
        let ranking = Ranking {
            passel: env!("CARGO_PKG_VERSION").into(),
            method: method_parameters(resolved),
            criterion: None,
            response: columns.response.name.clone(),
            classes: columns.response.levels,
            n: columns.n,
            p: columns.columns.len(),
            k: selected.len(),
            selected,
            refused,
            stop,
            seed,
            binning: saved_binning(run, columns)?,
            set_aside: Vec::new(),
            truth: Truth::of_indexes(&self.truth, &indexes),
            devices: ranked.devices,
            precision: "exact".into(),
            termination: ranked.termination,
            rank_summary: run.rank_summary("columns"),
            elapsed_seconds: run.elapsed(ranked.starting, ranked.seconds),
            warnings,
        };
        match self.fault {
            Some(fault @ Fault::Procedure { .. }) if ranking.k == 0 => Err(fault.without_report()),
            fault => Ok(Finding::new(Outcome::Ranking(Box::new(ranking)), fault)),
        }
    }
}

impl Selected for Order {
    fn choice(self) -> Result<Option<Choice>, RunError> {
        let (columns, ranked) = (&self.columns.columns, self.ranked);
        if let Some(fault) = self.fault {
            return Err(fault.without_report());
        }
        if ranked.termination == StopReason::Interrupted {
            return Ok(None);
        }
        let is_late = ranked.termination == StopReason::TimeLimit;
        let indexes = ranked
            .chosen
            .iter()
            .map(|chosen| columns[chosen.column].index);
        Ok(Some(Choice::new(
            indexes,
            ranked.notes,
            is_late,
            ranked.devices,
        )))
    }
}

/// The rules of all columns where the report shows them, else what was asked for alone.
pub(super) fn saved_binning(run: &Run, columns: &BinnedColumns) -> Result<Box<RawValue>, RunError> {
    let job = run.job;
    // A run of jobs stores the report as JSON, whatever else is asked for.
    let saved = match run.context.cache.is_some() || job.format == Format::Json {
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
