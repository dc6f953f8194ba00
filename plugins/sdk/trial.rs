//! Scores of a few small columns, counted from the definition: to try a score without an
//! engine, and to compare with a number worked by hand.
//!
//! ```
//! use passel_sdk::{Join, Score, combinations::XW_Y, trial};
//! let jmi = Score {
//!     terms: vec![XW_Y.into()],
//!     join: Join::Alone,
//!     ..Score::default()
//! };
//! // y is 1 where x and w differ: neither tells anything of y, both tell all of it.
//! let (x, w, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]);
//! assert_eq!(trial::score(&jmi, &x, &[], &y), 0.0);
//! assert!((trial::score(&jmi, &x, &[&w], &y) - 2f64.ln()).abs() < 1e-12);
//! ```

mod observations;
mod procedure;

use std::{collections::BTreeMap, path::PathBuf};

use crate::{
    Against, Combination, Combine, Function, Gather, Gathered, Join, PairMeasure, PairScore, Part,
    Quantity, Score, Table,
};
pub use observations::{Observations, Tried};

/// A selector's score of the candidate x where these variables were chosen, in this order, in
/// nats; a ratio has no unit, a function its own. Levels are numbers from 0, one an observation.
/// A function is given no parameters: see [`score_at`].
pub fn score(score: &Score, x: &[u32], chosen: &[&[u32]], y: &[u32]) -> f64 {
    score_at(score, &[], x, chosen, y)
}

/// The value that a parameter which is a file would have, for [`file`](crate::file): of this path.
///
/// ```
/// let value = passel_sdk::trial::file("weights.csv");
/// assert_eq!(passel_sdk::file(value), Some("weights.csv".into()));
/// ```
pub fn file(path: impl Into<PathBuf>) -> f64 {
    crate::entry::try_file(path.into())
}

/// The score of a candidate as [`score`] gives it, where a function of the table, or what finishes the
/// score, has these parameters of its selector.
pub fn score_at(score: &Score, values: &[f64], x: &[u32], chosen: &[&[u32]], y: &[u32]) -> f64 {
    let (relevance, gathered, steps) = gather(score, values, x, chosen, y);
    if let Some(finish) = score.finish {
        let mut own = Gathered {
            relevance,
            steps,
            values: &gathered,
            chosen: chosen.len(),
            chosen_relevance: 0.0,
            chosen_values: &[],
        };
        // What each had when it was chosen itself.
        let mut sums = vec![0.0; gathered.len()];
        for (at, before) in chosen.iter().enumerate() {
            let (relevance, gathered, _) = gather(score, values, before, &chosen[..at], y);
            own.chosen_relevance += relevance;
            for (sum, value) in sums.iter_mut().zip(gathered) {
                *sum += value;
            }
        }
        own.chosen_values = &sums;
        return finish.score(values, &own);
    }
    match score.join {
        _ if steps == 0 => relevance,
        Join::Added => relevance + gathered[0],
        Join::Alone => gathered[0],
        Join::Least => relevance.min(gathered[0]),
        // Rounded sums seldom meet at 0 itself.
        Join::Guarded if gathered[0] < -1e-12 => f64::NEG_INFINITY,
        Join::Guarded => relevance,
    }
}

/// A candidate's relevance, what its steps gathered (one value, or one a term), and how many they are.
fn gather(
    score: &Score,
    values: &[f64],
    x: &[u32],
    chosen: &[&[u32]],
    y: &[u32],
) -> (f64, Vec<f64>, usize) {
    let nothing = vec![0; y.len()];
    let relevance = match score.function {
        None => quantity(&score.relevance, x, &nothing, y),
        Some(own) => function(own, values, 0, [x, &nothing, y]),
    };
    let width = match score.combine {
        Combine::Apart => score.terms.len().max(1),
        _ => 1,
    };
    if chosen.is_empty() || score.terms.is_empty() && score.function.is_none() {
        return (relevance, vec![0.0; width], 0);
    }
    let anchors: Vec<Vec<u32>> = match score.against {
        Against::Last => chosen.iter().map(|anchor| anchor.to_vec()).collect(),
        Against::Joint => (1..=chosen.len())
            .map(|count| joint(&chosen[..count]))
            .collect(),
        Against::Pairs if chosen.len() == 1 => vec![chosen[0].to_vec()],
        Against::Pairs => {
            let both = |b: usize| (0..b).map(move |a| joint(&[chosen[a], chosen[b]]));
            (1..chosen.len()).flat_map(both).collect()
        }
    };
    let steps = (1..).zip(&anchors).map(|(step, w)| {
        if let Some(own) = score.function {
            return vec![function(own, values, step, [x, w, y])];
        }
        let terms = score.terms.iter().map(|term| {
            let value = quantity(&term.quantity, x, w, y);
            term.weight
                * match term.part {
                    Part::Whole => value,
                    Part::BelowZero => value.min(0.0),
                }
        });
        match score.combine {
            Combine::Sum => vec![terms.sum()],
            Combine::Product => vec![terms.product()],
            Combine::Least => vec![terms.fold(f64::INFINITY, f64::min)],
            Combine::Largest => vec![terms.fold(f64::NEG_INFINITY, f64::max)],
            Combine::Apart => terms.collect(),
        }
    });
    let steps: Vec<Vec<f64>> = steps.collect();
    let one = |at: usize| {
        let own = steps.iter().map(|step| step[at]);
        match score.gather {
            Gather::Sum => own.sum(),
            Gather::Mean => own.sum::<f64>() / steps.len() as f64,
            Gather::Minimum => own.fold(f64::INFINITY, f64::min),
            Gather::Maximum => own.fold(f64::NEG_INFINITY, f64::max),
            Gather::Product => own.product(),
            Gather::Last => steps[steps.len() - 1][at],
        }
    };
    (relevance, (0..width).map(one).collect(), steps.len())
}

/// The greedy selection that the engine makes of a score: the places of the columns chosen, the best
/// first, each with its score, until so many are chosen, none may be, or none is above the score's
/// floor. Scores within `tolerance` of the best, as a share, go to the column that comes first.
///
/// ```
/// use passel_sdk::{Gather, Score, combinations::X_W, trial};
/// let mrmr = Score {
///     terms: vec![X_W.weighing(-1.0)],
///     gather: Gather::Mean,
///     ..Score::default()
/// };
/// // v is x again, and w tells nothing of x.
/// let (x, w, v, y) = ([0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]);
/// let chosen = trial::select(&mrmr, &[], 1e-12, &[&x, &v, &w], &y, 3);
/// let places: Vec<usize> = chosen.iter().map(|own| own.0).collect();
/// assert_eq!(places, [0, 2, 1]);
/// ```
pub fn select(
    score: &Score,
    values: &[f64],
    tolerance: f64,
    columns: &[&[u32]],
    y: &[u32],
    count: usize,
) -> Vec<(usize, f64)> {
    let mut chosen: Vec<(usize, f64)> = Vec::new();
    while chosen.len() < count {
        let before: Vec<&[u32]> = chosen.iter().map(|own| columns[own.0]).collect();
        let left = (0..columns.len()).filter(|at| chosen.iter().all(|own| own.0 != *at));
        let scored = left.map(|at| (at, score_at(score, values, columns[at], &before, y)));
        let scored: Vec<(usize, f64)> = scored.collect();
        let most = scored
            .iter()
            .fold(f64::NEG_INFINITY, |most, own| own.1.max(most));
        if most <= score.floor.unwrap_or(f64::NEG_INFINITY) {
            break;
        }
        let least = most - tolerance * most.abs();
        // Of a score that is infinite there is no best: the engine ends there with an error.
        match scored.into_iter().find(|own| own.1 >= least) {
            Some(best) => chosen.push(best),
            None => break,
        }
    }
    chosen
}

/// A score of the pair x, w, as [`score`] gives it.
pub fn pair_score(score: &PairScore, values: &[f64], x: &[u32], w: &[u32], y: &[u32]) -> f64 {
    match score.measure {
        PairMeasure::Quantity(make) => quantity(&make(), x, w, y),
        PairMeasure::Function(own) => function(own, values, 1, [x, w, y]),
    }
}

/// A function's value of the table of x, w and y in a step, for these parameters; step 0 is relevance.
pub fn function(function: &Function, values: &[f64], step: usize, [x, w, y]: [&[u32]; 3]) -> f64 {
    let levels = |codes: &[u32]| codes.iter().max().map_or(1, |most| *most as usize + 1);
    let [xs, ws, ys] = [x, w, y].map(levels);
    let mut counts = vec![0; xs * ws * ys];
    for ((x, w), y) in x.iter().zip(w).zip(y) {
        counts[(*x as usize * ws + *w as usize) * ys + *y as usize] += 1;
    }
    let (counts, x, w, y) = (&counts[..], xs, ws, ys);
    let table = Table {
        counts,
        x,
        w,
        y,
        step,
    };
    function.value(values, &table)
}

/// A quantity of the table of x, w and y, in nats; a ratio has no unit.
pub fn quantity(quantity: &Quantity, x: &[u32], w: &[u32], y: &[u32]) -> f64 {
    let value = |part: Combination| combination(part, x, w, y) / y.len() as f64;
    match quantity.under {
        None => value(quantity.over),
        Some(under) => match value(under) {
            // Rounded sums seldom meet at 0 itself.
            under if under.abs() < 1e-12 => 0.0,
            under => value(quantity.over) / under,
        },
    }
}

fn combination(combination: Combination, x: &[u32], w: &[u32], y: &[u32]) -> f64 {
    let margins: [&[&[u32]]; 8] = [&[], &[x], &[w], &[y], &[x, w], &[x, y], &[w, y], &[x, w, y]];
    let parts = combination.integers().into_iter().zip(margins);
    let sums = parts.filter(|(integer, _)| *integer != 0);
    sums.map(|(integer, margin)| f64::from(integer) * sum(margin, y.len()))
        .sum()
}

/// Σ c·ln c over the counts c of the levels that these columns have together.
fn sum(margin: &[&[u32]], n: usize) -> f64 {
    let mut counts = BTreeMap::new();
    for row in 0..n {
        let cell: Vec<u32> = margin.iter().map(|column| column[row]).collect();
        *counts.entry(cell).or_insert(0.0) += 1.0;
    }
    counts.values().map(|count: &f64| count * count.ln()).sum()
}

/// A level for each combination of the columns' levels.
fn joint(columns: &[&[u32]]) -> Vec<u32> {
    let mut levels = BTreeMap::new();
    let rows = 0..columns[0].len();
    rows.map(|row| {
        let cell: Vec<u32> = columns.iter().map(|column| column[row]).collect();
        let next = levels.len() as u32;
        *levels.entry(cell).or_insert(next)
    })
    .collect()
}
