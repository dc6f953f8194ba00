//! Columns of a recipe: any value follows from the seed, its column and its row alone.
//!
//! With `mixed` the finalizer of SplitMix64 and s its step, column j has the key
//! kⱼ = mixed(seed + (j + 1)·s), and its word at i is mixed(kⱼ + (i + 1)·s).

// Each bench takes a part of it.
#![allow(dead_code)]

use passel::binning::{BinnedColumn, BinnedColumns, Codes, Rule};
use rayon::prelude::*;

/// How codes are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// The sum of four uniform numbers, as equal-width bins of measurements have it.
    Bell,
    /// Every level as likely as any other.
    Uniform,
    /// 0 but in ⌊scale / (j + 1)⌋ rows of column j, 1 … n/2, such that about so many are off 0 in
    /// all columns together; each lies in an equal part of the rows.
    Zipf(u64),
}

/// The number of the column that makes the response.
const RESPONSE: u32 = u32::MAX;

const SEED: u64 = 1;
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Word `at` of a column.
fn word(column: u32, at: usize) -> u64 {
    let step = |number: u64| (number + 1).wrapping_mul(STEP);
    let key = mixed(SEED.wrapping_add(step(column.into())));
    mixed(key.wrapping_add(step(at as u64)))
}

/// A word as an integer below `levels`.
fn uniform(word: u64, levels: usize) -> u64 {
    ((word >> 32) * levels as u64) >> 32
}

fn bell(word: u64, levels: usize) -> u64 {
    let sum: u64 = (0..4).map(|part| (word >> (16 * part)) & 0xFFFF).sum();
    (sum * levels as u64) >> 18
}

/// Rows off code 0 of a column.
fn length(scale: u64, n: usize, column: u64) -> u64 {
    (scale / (column + 1)).clamp(1, (n as u64 / 2).max(1))
}

/// The scale of about so many entries.
fn scale(entries: u64, n: usize, p: usize) -> u64 {
    let (p, most) = (p as u64, (n as u64 / 2).max(1));
    // Columns of as many entries lie side by side.
    let all = |scale: u64| {
        let (mut at, mut sum) = (1, 0);
        while at <= p {
            let length = scale / at;
            let last = scale.checked_div(length).map_or(p, |last| last.min(p));
            sum += (last - at + 1) * length.clamp(1, most);
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

fn column(index: usize, levels: usize, codes: Codes) -> BinnedColumn {
    BinnedColumn {
        name: String::new(),
        index,
        levels,
        codes,
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

/// Codes of column `at`, of at most 256 levels where they are not Zipf-distributed.
fn codes(n: usize, levels: usize, at: u32, distribution: Distribution, scale: u64) -> Codes {
    let byte = |code: fn(u64, usize) -> u64| {
        let rows = (0..n).map(|row| code(word(at, row), levels) as u8);
        Codes::Byte(rows.collect())
    };
    match distribution {
        Distribution::Bell => byte(bell),
        Distribution::Uniform => byte(uniform),
        Distribution::Zipf(_) => {
            let length = length(scale, n, at.into()) as usize;
            let entry = |entry: usize| {
                let word = word(at, entry);
                let [from, to] = [entry, entry + 1].map(|place| (place * n / length) as u64);
                let row = from + (((word >> 32) * (to - from)) >> 32);
                let code = ((word & 0xFFFF_FFFF) * (levels as u64 - 1)) >> 32;
                (row as u32, 1 + code as u16)
            };
            let (rows, codes) = (0..length).map(entry).unzip();
            Codes::Sparse {
                n,
                mode: 0,
                rows,
                codes,
            }
        }
    }
}

/// So many columns of n rows, beside a response of so many classes that none tells of.
pub fn columns(
    (n, p): (usize, usize),
    levels: usize,
    classes: usize,
    distribution: Distribution,
) -> BinnedColumns {
    let scale = match distribution {
        Distribution::Zipf(entries) => scale(entries, n, p),
        _ => 0,
    };
    let own = |at: usize| column(at, levels, codes(n, levels, at as u32, distribution, scale));
    let response = codes(n, classes, RESPONSE, Distribution::Uniform, 0);
    BinnedColumns {
        n,
        columns: (0..p).into_par_iter().map(own).collect(),
        response: column(p, classes, response),
        local: None,
    }
}

/// What the codes of all columns take where nothing is filled up, in bytes, and how many are
/// read: of dense columns every row's, in a byte or, of at most 16 levels, half of one; of others
/// their entries, with a row of four bytes and a code of two.
pub fn size(columns: &BinnedColumns) -> (u64, u64) {
    let of = |column: &BinnedColumn| match &column.codes {
        Codes::Sparse { rows, .. } => (6 * rows.len() as u64, rows.len() as u64),
        _ if column.levels <= 16 && columns.n > 4096 => (columns.n as u64 / 2, columns.n as u64),
        _ => (columns.n as u64, columns.n as u64),
    };
    let all = columns.columns.par_iter().map(of);
    all.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}
