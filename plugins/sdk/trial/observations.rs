//! Small columns that procedures are tried on: what an engine would lend of them, computed plainly.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
};

use passel_score::Quantity;

use super::quantity;
use crate::Model;

/// Observations on which a procedure is tried without an engine: it is lent these columns, and what it asks of them is
/// computed from the definition, on one thread.
///
/// ```
/// use passel_sdk::{Procedure, Regression, Run, trial::Observations};
///
/// /// The candidate that explains most, if the criterion falls.
/// fn best(_: &[f64], problem: &Regression) -> Result<(), String> {
///     let empty = problem.fit(&[])?;
///     let first = problem.sweep(&[&empty.residuals], 1)?[0][0];
///     let criterion = problem.fit(&[first.column])?.criterion;
///     problem.tell("fall", empty.criterion - criterion)?;
///     match criterion < empty.criterion {
///         true => problem.choose(first.column, criterion),
///         false => Ok(()),
///     }
/// }
///
/// const BEST: Procedure = Procedure {
///     name: "best",
///     title: "the best variable",
///     formula: "arg max |xᵀy|",
///     source: "none",
///     parameters: &[],
///     check: |_| Ok(()),
///     run: Run::Regression(best),
/// };
///
/// let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, -1.0, -1.0, 1.0]);
/// let y = [1.1, 1.9, 3.1, 3.9];
/// let tried = Observations::new(&[&b, &a], &y).run(&BEST, &[]);
/// assert_eq!(tried.failure, None);
/// assert_eq!(tried.chosen[0].0, 1);
/// assert!(tried.told["fall"] > 10.0);
/// ```
#[derive(Debug, Clone)]
pub struct Observations {
    /// The numbers of each candidate, then of the response.
    columns: Vec<Vec<f64>>,
    /// The names of the candidates, then of the response: `x0`, `x1`, …, `y` unless others are set.
    pub names: Vec<String>,
    /// Columns of text, whose numbers are equal or not and no more; none.
    pub nominal: Vec<usize>,
    /// Candidates that the user keeps; none.
    pub kept: Vec<usize>,
    /// The most variables that may be chosen beside those kept; all.
    pub most: usize,
    /// What the random words come from. They are others than an engine's.
    pub seed: u64,
    /// How often a procedure may ask whether the user wants the end before it is told so.
    pub patience: usize,
    /// What fits are compared by: BIC, n·ln(rss/n) + k·ln n.
    pub criterion: fn(&Model) -> f64,
}

/// What became of a procedure that was tried.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tried {
    /// The variables that it chose, in its order, with their scores.
    pub chosen: Vec<(usize, f64)>,
    /// The numbers that it told for the report.
    pub told: BTreeMap<String, f64>,
    /// Why an engine would have ended it: the first call that was refused, whether or not it heeded that, or else its own reason.
    pub failure: Option<String>,
}

impl Observations {
    /// Columns of n numbers each: of a ranking as a file has them, levels in the order of their numbers, NaN where a value is
    /// missing; of a regression any, which are lent centred and of norm 1.
    ///
    /// # Panics
    /// A column has another number of observations than the response.
    pub fn new(candidates: &[&[f64]], response: &[f64]) -> Self {
        for (at, column) in candidates.iter().enumerate() {
            let (n, own) = (response.len(), column.len());
            assert_eq!(
                own, n,
                "column {at} has {own} observations, the response {n}"
            );
        }
        let names = (0..candidates.len()).map(|at| format!("x{at}"));
        Self {
            columns: candidates
                .iter()
                .chain([&response])
                .map(|own| own.to_vec())
                .collect(),
            names: names.chain(["y".to_owned()]).collect(),
            nominal: Vec::new(),
            kept: Vec::new(),
            most: candidates.len(),
            seed: 1,
            patience: usize::MAX,
            criterion: |model| {
                let k = model.parameters() as f64;
                model.misfit + k * (model.n as f64).ln()
            },
        }
    }
}

/// What a procedure is lent.
pub(super) struct Lent<'a> {
    pub(super) of: &'a Observations,
    pub(super) is_regression: bool,
    /// Of a regression centred and of norm 1, else as they are.
    columns: Vec<Vec<f64>>,
    /// ‖y‖² of the response, centred.
    scale: f64,
    tried: Mutex<Tried>,
    /// How often it asked whether the user wants the end.
    pub(super) asked: AtomicUsize,
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A column less a multiple of another.
fn less(column: &mut [f64], by: f64, other: &[f64]) {
    column
        .iter_mut()
        .zip(other)
        .for_each(|(own, other)| *own -= by * other);
}

/// The column centred, at norm 1 unless it is constant, and its squared norm before.
fn standardised(column: &[f64]) -> (Vec<f64>, f64) {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let mut own: Vec<f64> = column.iter().map(|number| number - mean).collect();
    let squares = product(&own, &own);
    let norm = squares.sqrt();
    if norm > 0.0 {
        own.iter_mut().for_each(|number| *number /= norm);
    }
    (own, squares)
}

/// The shortest part of a column that others do not explain, of norm 1, by which it may join them.
const LEAST_PART: f64 = 1e-7;

impl<'a> Lent<'a> {
    pub(super) fn new(of: &'a Observations, is_regression: bool) -> Self {
        let (mut columns, mut scale) = (of.columns.clone(), 1.0);
        if is_regression {
            for column in &mut columns {
                // The last is the response.
                (*column, scale) = standardised(column);
            }
        }
        Self {
            of,
            is_regression,
            columns,
            scale,
            tried: Mutex::default(),
            asked: AtomicUsize::new(0),
        }
    }

    pub(super) fn tried(&self) -> MutexGuard<'_, Tried> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn n(&self) -> usize {
        self.columns.last().map_or(0, Vec::len)
    }

    pub(super) fn p(&self) -> usize {
        self.columns.len() - 1
    }

    /// 0, or 1 where the engine would refuse, which ends the selection.
    pub(super) fn code(&self, done: Result<(), String>) -> i32 {
        let Err(reason) = done else { return 0 };
        self.tried().failure.get_or_insert(reason);
        1
    }

    pub(super) fn column(&self, column: usize) -> Result<&[f64], String> {
        let found = self.columns.get(column).map(Vec::as_slice);
        found.ok_or_else(|| format!("it named column {column} of {}", self.p()))
    }

    fn candidate(&self, column: usize) -> Result<&[f64], String> {
        match column < self.p() {
            true => self.column(column),
            false => Err(format!("it named column {column} of {}", self.p())),
        }
    }

    /// How many of these columns count for the most that may be chosen.
    fn counted(&self, columns: impl IntoIterator<Item = usize>) -> usize {
        let counts = |column: &usize| !self.of.kept.contains(column);
        columns.into_iter().filter(counts).count()
    }

    pub(super) fn choose(&self, column: usize, score: f64) -> Result<(), String> {
        self.candidate(column)?;
        let mut tried = self.tried();
        let chosen = &mut tried.chosen;
        if chosen.iter().any(|own| own.0 == column) {
            return Err(format!("it chose column {column} twice"));
        }
        let others = self.counted(chosen.iter().map(|own| own.0));
        if self.counted([column]) + others > self.of.most {
            return Err(format!("it chose more than {} variables", self.of.most));
        }
        if !score.is_finite() {
            return Err(format!("its score of column {column} is {score}"));
        }
        chosen.push((column, score));
        Ok(())
    }

    /// The place of each value among those of its column, and their number, which stands for none.
    pub(super) fn codes(&self, column: usize) -> Result<(Vec<u32>, usize), String> {
        let own = self.column(column)?;
        let mut levels: Vec<f64> = own.iter().copied().filter(|own| !own.is_nan()).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let code = |value: &f64| levels.iter().position(|level| level == value);
        let codes = own
            .iter()
            .map(|own| code(own).unwrap_or(levels.len()) as u32);
        Ok((codes.collect(), levels.len()))
    }

    /// The quantity of a candidate's table with the anchor and the response, of the observations that have all three.
    pub(super) fn measure(
        &self,
        of: &Quantity,
        (anchor, levels): (&[u32], usize),
        column: usize,
    ) -> Result<f64, String> {
        let (x, y) = (self.codes(column)?, self.codes(self.p())?);
        if let Some(code) = anchor.iter().find(|code| **code as usize > levels) {
            return Err(format!(
                "code {code} of its anchor is above its {levels} levels"
            ));
        }
        let all = [(&x.0[..], x.1), (anchor, levels), (&y.0[..], y.1)];
        let rows = (0..self.n()).filter(|row| {
            let is_there = |(codes, levels): &(&[u32], usize)| (codes[*row] as usize) < *levels;
            all.iter().all(is_there)
        });
        let rows: Vec<usize> = rows.collect();
        let [x, w, y] =
            all.map(|(codes, _)| rows.iter().map(|row| codes[*row]).collect::<Vec<_>>());
        Ok(quantity(of, &x, &w, &y))
    }

    pub(super) fn sweep(&self, anchor: &[f64], wanted: usize) -> Result<Vec<(usize, f64)>, String> {
        let p = self.p();
        if wanted > p {
            return Err(format!(
                "it asked for the {wanted} strongest of {p} candidates"
            ));
        }
        if let Some(value) = anchor.iter().find(|own| !own.is_finite()) {
            return Err(format!("its anchor holds {value}"));
        }
        let candidates = self.columns[..p].iter().enumerate();
        let swept = candidates.map(|(at, column)| (at, product(column, anchor)));
        let mut swept: Vec<(usize, f64)> = swept.collect();
        swept.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        swept.truncate(wanted);
        Ok(swept)
    }

    /// Residuals and criterion of the kept columns and these.
    pub(super) fn fit(&self, columns: &[usize]) -> Result<(Vec<f64>, f64), String> {
        for (at, column) in columns.iter().enumerate() {
            self.candidate(*column)?;
            if columns[..at].contains(column) {
                return Err(format!("it named column {column} twice"));
            }
        }
        let (kept, chosen) = (&self.of.kept, self.counted(columns.iter().copied()));
        if chosen > self.of.most {
            return Err(format!("it chose more than {} variables", self.of.most));
        }
        let others = columns.iter().filter(|column| !kept.contains(column));
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut residuals = self.column(self.p())?.to_vec();
        for column in kept.iter().chain(others) {
            let mut part = self.candidate(*column)?.to_vec();
            // Twice, so that rounding is no part of it.
            for other in basis.iter().chain(&basis) {
                let share = product(&part, other);
                less(&mut part, share, other);
            }
            let norm = product(&part, &part).sqrt();
            if norm < LEAST_PART {
                return Ok((residuals, f64::INFINITY));
            }
            part.iter_mut().for_each(|number| *number /= norm);
            let share = product(&residuals, &part);
            less(&mut residuals, share, &part);
            basis.push(part);
        }
        let (n, rss) = (self.n(), product(&residuals, &residuals) * self.scale);
        let criterion = (self.of.criterion)(&Model {
            n,
            candidates: self.p() - kept.len(),
            chosen,
            chosen_parameters: chosen,
            kept: kept.len(),
            has_intercept: true,
            rss,
            misfit: n as f64 * (rss / n as f64).ln(),
            family: "gaussian",
            scatter: 1,
            dispersion: 1.0,
        });
        Ok((residuals, criterion))
    }
}
