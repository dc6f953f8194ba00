//! A procedure over levels: columns of codes, and the numbers they were made of.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    CallError, Completion, DETACHED_NOTE, Problem, Procedure, ProcedureContext, ProcedureError,
    run_detached,
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    device::{
        Resources,
        counting::{Categorical, LogTable, mutual_information},
    },
    interrupt::Interrupt,
    selection::{ChosenColumn, RankedColumns, StopReason},
    selector::{SelectorError, TOP, independence, require_cpu},
    table::{MISSING, Values},
};

/// What runs on the CPU alone, as errors call it.
pub(crate) const OVER_LEVELS: &str = "selectors that rank by a way of their own";

/// What is asked of a procedure over levels.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcedureOptions {
    /// Variables to choose at most.
    pub top: Option<usize>,
    /// Of its random numbers.
    pub seed: u64,
    /// After which it is to end.
    pub time_limit: Option<Duration>,
}

/// What a procedure ranked.
#[derive(Debug)]
pub struct ProcedureRanking {
    /// The variables that it chose, in its order.
    pub ranked: RankedColumns,
    /// Why it failed, if it did; what it chose before stands.
    pub error: Option<ProcedureError>,
}

/// Lets a procedure rank variables, given by their codes and as the file has them, the response
/// last. The second is what it failed at, if it did; the third what a reader should know. `observe` is told how far it says it is.
///
/// # Errors
/// More variables wanted than there are, GPUs, or threads that cannot be started.
pub fn rank_with_procedure(
    procedure: &Arc<dyn Procedure>,
    (columns, numbers): (&Arc<BinnedColumns>, Vec<Values>),
    asked: &ProcedureOptions,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(usize, usize),
) -> Result<ProcedureRanking, SelectorError> {
    let p = columns.columns.len();
    let top = asked.top.unwrap_or(TOP.min(p));
    if top > p {
        return Err(SelectorError::Top { top, p });
    }
    require_cpu(OVER_LEVELS, &resources.devices)?;
    let started = Instant::now();
    let threads = resources.thread_count();
    let draws = (asked.seed, asked.time_limit);
    let context = ProcedureContext::new(p, (top, Vec::new()), draws, threads, interrupt)?;
    let (procedure, own) = (Arc::clone(procedure), Arc::clone(columns));
    let end = run_detached(&context, observe, move |context| {
        procedure.run(&Levels {
            context,
            columns: &own,
            numbers: &numbers,
        })
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let mut notes = Vec::new();
    let fault = match end {
        Completion::Returned(said) => context.error(said),
        Completion::Detached => {
            notes.push(DETACHED_NOTE.to_owned());
            None
        }
    };
    let termination = match &fault {
        Some(_) => StopReason::Fault,
        None if interrupt.requested() => StopReason::Interrupted,
        None if context.is_late() => StopReason::TimeLimit,
        None => StopReason::Done,
    };
    let ranked = RankedColumns {
        chosen: told(columns, &context.chosen()),
        refused: None,
        termination,
        devices: vec!["cpu".to_owned()],
        notes,
        starting: 0.0,
        seconds,
        fault: None,
    };
    Ok(ProcedureRanking {
        ranked,
        error: fault,
    })
}

/// What was chosen, with what any selector's choice is told with.
fn told(columns: &BinnedColumns, chosen: &[(usize, f64)]) -> Vec<ChosenColumn> {
    let logs = LogTable::new(columns.n, 1);
    let own = |it: &BinnedColumn| {
        let anchor = Categorical::compact(it);
        let sum = anchor.log_sum(&logs);
        (anchor, sum)
    };
    let mut cells = Vec::new();
    let mut shared = |a: &(Categorical, i64), b: &(Categorical, i64)| {
        let sum = mutual_information((&a.0, a.1), (&b.0, b.1), &logs, &mut cells);
        sum as f64 / columns.n as f64 / f64::from(logs.bits()).exp2()
    };
    let response = own(&columns.response);
    let anchors: Vec<_> = chosen
        .iter()
        .map(|it| own(&columns.columns[it.0]))
        .collect();
    let each = chosen.iter().zip(&anchors).enumerate();
    each.map(|(at, (&(column, score), anchor))| {
        let sum: f64 = anchors[..at].iter().map(|it| shared(anchor, it)).sum();
        ChosenColumn {
            column,
            score,
            relevance: shared(anchor, &response),
            redundancy: (at > 0).then(|| sum / at as f64),
            independence: independence(&anchor.0, &response.0, &logs),
            permutation_p: None,
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
            .noted(found.ok_or(CallError::Column { column, p }))
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
            .ok_or(CallError::Column { column, p });
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
