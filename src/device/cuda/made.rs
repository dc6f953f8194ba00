//! Whole walks over columns that are made on the GPUs, timed: what `benches/sweeps.rs` calls.

mod pairs;
#[cfg(test)]
mod tests;

use std::time::Instant;

pub use pairs::{PairProblem, PairsMeasured};
use passel_kernels::made::Recipe;

use super::{
    super::{
        DeviceError,
        counting::{
            CandidateStatistics, Categorical, ConditioningVariable, Counter, LogTable,
            ScoreEvaluator,
        },
    },
    counting::{CudaCounter, Made},
};
use crate::{
    binning::{BinnedColumn, Codes, Rule},
    score::Score,
};

/// What is made.
#[derive(Debug, Clone, Copy)]
pub struct Problem {
    /// Observations.
    pub n: usize,
    /// Columns.
    pub p: usize,
    /// Of the response, at most 256.
    pub classes: usize,
    /// Of every column.
    pub levels: usize,
    /// Observations off the most frequent code, of all columns together; none where codes are
    /// bell-shaped.
    pub entries: Option<u64>,
}

/// What was found, and how long it took.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The GPUs.
    pub names: Vec<String>,
    /// Until relevance is known: logarithms and the response, then the columns.
    pub preparing: f64,
    /// The second part of that.
    pub layout: f64,
    /// Seconds of each walk, which begins behind relevance.
    pub walks: Vec<f64>,
    /// Columns and scores of the last walk.
    pub picks: Vec<(u32, f64)>,
    /// What the columns take on all GPUs.
    pub bytes: u64,
    /// Observations off the most frequent code, or all, of all columns.
    pub entries: u64,
}

impl Problem {
    fn made(&self) -> Made {
        Made {
            recipe: Recipe {
                seed: 1,
                rows: self.n,
                levels: self.levels as u32,
                scale: self.entries.map_or(0, |it| self.scale(it)),
            },
            p: self.p,
        }
    }

    /// That of about so many entries.
    fn scale(&self, entries: u64) -> u64 {
        let (p, most) = (self.p as u64, (self.n as u64 / 2).max(1));
        // Columns of as many entries lie side by side.
        let all = |scale: u64| {
            let (mut at, mut sum) = (1, 0);
            while at <= p {
                let length = scale / at;
                let last = scale.checked_div(length).map_or(p, |it| it.min(p));
                sum += (last - at + 1) * length.max(1).min(most);
                at = last + 1;
            }
            sum
        };
        let (mut low, mut high) = (1, 1);
        while all(high) < entries && high < most * p {
            (low, high) = (high, 2 * high);
        }
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            match all(middle) < entries {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }
}

impl Made {
    /// Its response, of so many classes.
    fn response_column(&self, classes: usize) -> BinnedColumn {
        BinnedColumn {
            name: "y".to_owned(),
            index: self.p,
            levels: classes,
            codes: Codes::Byte(self.response(classes)),
            rule: Rule::Edges(Vec::new()),
            missing: None,
        }
    }

    /// One of its columns as an anchor, for devices that have to be told its codes.
    fn anchor(&self, column: u32) -> Categorical {
        let codes = passel_kernels::made::reference(&self.recipe, column);
        Categorical {
            codes,
            levels: self.recipe.levels as usize,
            missing: false,
        }
    }
}

/// What a walk tells of a pick.
type Told = (u32, f64, Option<CandidateStatistics>);

/// Picks so many of the best columns, as a selection by the column chosen last does.
fn walk<'a>(
    counter: &mut dyn Counter,
    evaluator: &ScoreEvaluator,
    top: usize,
    step: impl Fn(u32) -> ConditioningVariable<'a>,
) -> Result<Vec<Told>, DeviceError> {
    let mut told = Vec::new();
    while told.len() < top {
        counter.hint_picks(top - told.len());
        let Some(best) = counter.best()? else {
            break;
        };
        let column = best.column.0;
        let score = evaluator.score_nats(best.score, told.len());
        told.push((column, score, counter.statistics(column)?));
        counter.exclude(column);
        if told.len() < top {
            counter.sweep(&step(column))?;
        }
    }
    Ok(told)
}

/// Makes columns on the GPUs of these ordinals and picks `top` of them by a score that counts
/// against the column chosen last, so many times.
///
/// # Errors
/// A GPU that cannot be used, or has too little memory.
pub fn measure(
    problem: &Problem,
    score: &Score,
    ordinals: &[usize],
    top: usize,
    runs: usize,
) -> Result<Measured, DeviceError> {
    let made = problem.made();
    let preparing = Instant::now();
    let logs = LogTable::new(problem.n, score.reach());
    let evaluator = ScoreEvaluator::new(score.clone(), &logs, problem.n);
    let response = evaluator.categorical(&made.response_column(problem.classes));
    let layout = Instant::now();
    let mut counter = CudaCounter::new(&made, 0, &response, (&logs, &evaluator), ordinals, None)?;
    let (preparing, layout) = (preparing.elapsed(), layout.elapsed());
    let made = &made;
    let step = |column| ConditioningVariable::new(Some(column), move || made.anchor(column));
    let (mut walks, mut last) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        counter.again()?;
        let started = Instant::now();
        last = walk(&mut counter, &evaluator, top, step)?;
        walks.push(started.elapsed().as_secs_f64());
    }
    Ok(Measured {
        names: counter.names(),
        preparing: preparing.as_secs_f64(),
        layout: layout.as_secs_f64(),
        walks,
        picks: last.into_iter().map(|it| (it.0, it.1)).collect(),
        bytes: counter.bytes(),
        entries: made.entries(),
    })
}
