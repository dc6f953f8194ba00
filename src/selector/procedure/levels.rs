//! Procedures that rank variables by their levels: columns of codes, and the numbers binned into
//! them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{CallError, Problem, Procedure, ProcedureContext, ProcedureResult, run_detached};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    device::{
        Resources,
        counting::{
            Categorical, ConditioningVariable, LogTable, ScoreEvaluator, mutual_information,
        },
        measure_terms,
    },
    interrupt::Interrupt,
    score::{Measure, Quantity, Score},
    selection::{ChosenColumn, RankedColumns, StopReason},
    selector::{
        SelectorError, TOP, check_top,
        independence::{class_counts, independence, sparse_cells},
        require_cpu,
    },
    table::{MISSING, Values},
};

/// The options of a procedure that ranks variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcedureOptions {
    /// The most variables to choose.
    pub top: Option<usize>,
    /// The seed of its random numbers.
    pub seed: u64,
    /// The time after which it should end.
    pub time_limit: Option<Duration>,
}

/// Ranks variables by a procedure, given their codes and their values as the file has them, the
/// response last. `observe` is called with the progress that the procedure reports.
///
/// *Shapes:* p columns of n codes and the response; p + 1 columns of n values.
///
/// # Errors
/// More variables wanted than there are, GPUs asked for, or threads that cannot be started. A
/// failure of the procedure is in the result.
pub fn rank_with_procedure(
    procedure: &Arc<dyn Procedure>,
    (columns, numbers): (&Arc<BinnedColumns>, Vec<Values>),
    options: &ProcedureOptions,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(usize, usize),
) -> Result<ProcedureResult<RankedColumns>, SelectorError> {
    let p = columns.columns.len();
    let top = options.top.unwrap_or(TOP.min(p));
    check_top(top, p)?;
    require_cpu(&resources.devices)?;
    let started = Instant::now();
    let threads = resources.thread_count();
    let draws = (options.seed, options.time_limit);
    let context = ProcedureContext::new(p, (top, Vec::new()), draws, threads, interrupt)?;
    let (procedure, own) = (Arc::clone(procedure), Arc::clone(columns));
    let end = run_detached::<SelectorError>(&context, observe, move |context| {
        Ok(procedure.run(&Levels {
            context,
            columns: &own,
            numbers: &numbers,
        }))
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let result = RankedColumns {
        chosen: report(columns, &context.chosen()),
        termination: end.reason([
            StopReason::Fault,
            StopReason::Interrupted,
            StopReason::TimeLimit,
            StopReason::Done,
        ]),
        devices: vec!["cpu".to_owned()],
        notes: end.detached.into_iter().collect(),
        numbers: context.numbers(),
        seconds,
        ..RankedColumns::default()
    };
    let error = end.error;
    Ok(ProcedureResult { result, error })
}

/// The chosen variables with relevance, redundancy and test, as for any selector.
fn report(columns: &BinnedColumns, chosen: &[(usize, f64)]) -> Vec<ChosenColumn> {
    let logs = LogTable::new(columns.n, 1);
    let own = |column: &BinnedColumn| ConditioningVariable::from(Categorical::compact(column));
    let mut cells = Vec::new();
    let mut shared = |a: &ConditioningVariable, b: &ConditioningVariable| {
        let (a, b) = (a.codes_and_log_sum(&logs), b.codes_and_log_sum(&logs));
        let sum = mutual_information(a, b, &logs, &mut cells);
        sum as f64 / columns.n as f64 / f64::from(logs.bits()).exp2()
    };
    let response = own(&columns.response);
    let chosen_columns = chosen.iter().map(|(column, _)| &columns.columns[*column]);
    let anchors: Vec<ConditioningVariable> = chosen_columns.map(own).collect();
    let classes = class_counts(response.codes());
    let each = chosen.iter().zip(&anchors).enumerate();
    each.map(|(at, (&(column, score), anchor))| {
        let before = anchors[..at].iter();
        let sum: f64 = before.map(|other| shared(anchor, other)).sum();
        ChosenColumn {
            column,
            score,
            relevance: shared(anchor, &response),
            redundancy: (at > 0).then(|| sum / at as f64),
            independence: independence(anchor.codes(), response.codes(), &logs),
            sparse_cells: sparse_cells(&columns.columns[column], response.codes(), &classes),
            ..ChosenColumn::default()
        }
    })
    .collect()
}

struct Levels<'a> {
    context: &'a ProcedureContext,
    columns: &'a BinnedColumns,
    numbers: &'a [Values],
}

impl Levels<'_> {
    fn column(&self, column: usize) -> Result<&BinnedColumn, CallError> {
        let p = self.context.p;
        let found = match column == p {
            true => Some(&self.columns.response),
            false => self.columns.columns.get(column),
        };
        self.context
            .noted(found.ok_or_else(|| CallError::column(column, p)))
    }
}

impl Problem for Levels<'_> {
    fn n(&self) -> usize {
        self.columns.n
    }

    fn context(&self) -> &ProcedureContext {
        self.context
    }

    fn kind(&self) -> &'static str {
        "a problem over levels"
    }

    fn numbers(&self, column: usize, room: &mut [f64]) -> Result<(), CallError> {
        let p = self.context.p;
        let values = self
            .numbers
            .get(column)
            .ok_or_else(|| CallError::column(column, p));
        match self.context.noted(values)? {
            Values::Factor { codes, .. } => {
                for (number, code) in room.iter_mut().zip(codes) {
                    *number = match *code {
                        MISSING => f64::NAN,
                        code => f64::from(code),
                    };
                }
            }
            values => {
                if let Some(numbers) = values.numbers(room.len()) {
                    room.copy_from_slice(&numbers);
                }
            }
        }
        Ok(())
    }

    fn name(&self, column: usize) -> Result<&str, CallError> {
        self.column(column).map(|column| &*column.name)
    }

    fn measure(
        &self,
        quantity: &Quantity,
        anchor: Option<(&[u32], usize)>,
        values: &mut [f64],
    ) -> Result<(), CallError> {
        let score = Score {
            measure: Measure::of_terms([quantity.weighing(1.0)]),
            ..Score::default()
        };
        let evaluator = ScoreEvaluator::new(score, self.columns.n);
        let anchor = match anchor {
            None => Categorical::constant(self.columns.n),
            Some((codes, levels)) => {
                if let Some(code) = codes.iter().find(|code| **code as usize > levels) {
                    let reason = format!("code {code} of its anchor is above its {levels} levels");
                    return self.context.noted(Err(CallError::Invalid(reason)));
                }
                Categorical {
                    codes: codes.to_vec(),
                    levels,
                    missing: codes.iter().any(|code| *code as usize == levels),
                }
            }
        };
        let response = evaluator.categorical(&self.columns.response);
        let all = self.columns.columns[..].into();
        let measure = || measure_terms(all, &anchor, &response, &evaluator, values);
        self.context.pool.install(measure);
        Ok(())
    }

    fn is_nominal(&self, column: usize) -> bool {
        matches!(self.numbers.get(column), Some(Values::Factor { .. }))
    }

    fn codes(&self, column: usize, room: &mut [u32]) -> Result<usize, CallError> {
        let column = self.column(column)?;
        for (to, code) in room.iter_mut().zip(column.codes.dense()) {
            *to = code.into();
        }
        Ok(column.levels)
    }
}
