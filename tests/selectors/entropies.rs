//! Entropies and what is made of them, from the definitions.

use std::{cell::Cell, collections::BTreeMap};

/// The code of a missing value.
pub const NONE: u32 = u32::MAX;

thread_local! {
    /// Whether entropies of this thread are corrected.
    static CORRECTED: Cell<bool> = const { Cell::new(false) };
}

/// Does some work with entropies corrected by Miller and Madow: (m − 1)/2n is added to H, m being the
/// number of distinct values.
pub fn corrected<T>(work: impl FnOnce() -> T) -> T {
    CORRECTED.set(true);
    let done = work();
    CORRECTED.set(false);
    done
}

/// H of the values.
fn entropy(mut values: Vec<u64>) -> f64 {
    values.sort_unstable();
    let n = values.len() as f64;
    let counts = values.chunk_by(|a, b| a == b).map(<[u64]>::len);
    let distinct = counts.clone().count();
    let shares = counts.map(|count| count as f64 / n);
    let plain: f64 = shares.map(|share| -share * share.ln()).sum();
    match CORRECTED.get() && distinct > 0 {
        true => plain + (distinct - 1) as f64 / (2.0 * n),
        false => plain,
    }
}

/// H of columns together.
pub fn joint_entropy(columns: &[&[u32]]) -> f64 {
    assert!(columns.len() <= 3, "a value has room for three codes");
    let value = |t: usize| {
        columns.iter().fold(0, |value: u64, column| {
            assert!(column[t] < 1 << 21);
            value << 21 | u64::from(column[t])
        })
    };
    entropy((0..columns[0].len()).map(value).collect())
}

/// 2·I / (H + H), by I and the sum of the entropies.
pub fn uncertainty(shared: f64, entropies: f64) -> f64 {
    match entropies {
        0.0 => 0.0,
        _ => 2.0 * shared / entropies,
    }
}

/// A number for each pair of codes that there is; none where either is missing.
pub fn joined(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut numbers = BTreeMap::new();
    let pairs = a.iter().zip(b).map(|(a, b)| {
        let next = numbers.len() as u32;
        match *a == NONE || *b == NONE {
            true => NONE,
            false => *numbers.entry((a, b)).or_insert(next),
        }
    });
    pairs.collect()
}

/// Entropies of the observations that have a value of both x and w.
#[derive(Clone, Copy)]
pub struct Entropies {
    pub x: f64,
    pub w: f64,
    pub y: f64,
    pub xw: f64,
    pub xy: f64,
    pub wy: f64,
    pub xwy: f64,
}

/// Columns without the observations that any of them misses.
pub fn left(columns: &[&[u32]]) -> Vec<Vec<u32>> {
    let n = columns[0].len();
    let there = |t: &usize| columns.iter().all(|column| column[*t] != NONE);
    let rows: Vec<usize> = (0..n).filter(there).collect();
    let keep = |column: &&[u32]| rows.iter().map(|t| column[*t]).collect();
    columns.iter().map(keep).collect()
}

impl Entropies {
    pub fn of(x: &[u32], w: &[u32], y: &[u32]) -> Self {
        let all = left(&[x, w, y]);
        let [x, w, y] = [0, 1, 2].map(|at| &all[at][..]);
        Self {
            x: joint_entropy(&[x]),
            w: joint_entropy(&[w]),
            y: joint_entropy(&[y]),
            xw: joint_entropy(&[x, w]),
            xy: joint_entropy(&[x, y]),
            wy: joint_entropy(&[w, y]),
            xwy: joint_entropy(&[x, w, y]),
        }
    }
}

/// Σ p(x,y)²/p(x) − Σ p(y)².
pub fn impurity(x: &[u32], y: &[u32]) -> f64 {
    let n = y.len() as f64;
    let (mut of_x, mut of_y, mut of_both) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (x, y) in x.iter().zip(y) {
        *of_x.entry(x).or_insert(0.0) += 1.0 / n;
        *of_y.entry(y).or_insert(0.0) += 1.0 / n;
        *of_both.entry((x, y)).or_insert(0.0) += 1.0 / n;
    }
    let told = of_both.iter().map(|((x, _), p): (_, &f64)| p * p / of_x[x]);
    told.sum::<f64>() - of_y.values().map(|p: &f64| p * p).sum::<f64>()
}
