//! Columns of codes, scores and devices that tests of selectors are made of. `src/selector` tests
//! what only devices see with the same.

use std::{num::NonZeroUsize, sync::Arc};

use passel::{
    Interrupt,
    binning::{BinnedColumn, BinnedColumns, Codes, MissingCode, Rule},
    device::{DeviceChoice, Resources},
    score::{
        Combination, CountTable, Gather, Join, Measure, Part, Quantity, Score, ScoreFunction,
        TableFunction, Term,
    },
    selection::RankedColumns,
    selector::{Stop, rank},
};

/// Random numbers below a bound: SplitMix64, by its definition.
pub struct Draw(pub u64);

impl Draw {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

pub fn column(index: usize, levels: usize, codes: Vec<u8>) -> BinnedColumn {
    BinnedColumn {
        name: format!("x{index}"),
        index,
        levels,
        codes: Codes::Byte(codes),
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

/// A response of three levels and p columns of up to `levels`, every third of which tells of it.
pub fn columns(seed: u64, n: usize, p: usize, levels: usize) -> BinnedColumns {
    let mut draw = Draw(seed);
    let mut codes =
        |levels: usize| -> Vec<u8> { (0..n).map(|_| draw.below(levels) as u8).collect() };
    let y = codes(3);
    let mut made = |index: usize| {
        let levels = 1 + (index * 7) % levels;
        let mut own = codes(levels);
        for (row, code) in own.iter_mut().enumerate() {
            if index.is_multiple_of(3) && !row.is_multiple_of(4) {
                *code = (usize::from(y[row]) % levels) as u8;
            }
        }
        column(index, levels, own)
    };
    let columns = (0..p).map(&mut made).collect();
    BinnedColumns {
        n,
        columns,
        response: column(0, 3, y),
        local: None,
    }
}

/// The columns, held in every form that has room.
pub fn in_every_form(mut columns: BinnedColumns) -> BinnedColumns {
    for (at, column) in columns.columns.iter_mut().enumerate() {
        let codes = column.codes.dense();
        column.codes = match at % 3 {
            0 => continue,
            1 => Codes::Word(codes),
            _ => {
                let mode = codes[0];
                let off = || codes.iter().zip(0..).filter(|entry| *entry.0 != mode);
                Codes::Sparse {
                    n: codes.len(),
                    mode,
                    rows: off().map(|entry| entry.1).collect(),
                    codes: off().map(|entry| *entry.0).collect(),
                }
            }
        };
    }
    columns
}

/// Columns of which two in three miss values, of all forms.
pub fn holed(seed: u64, n: usize, levels: usize) -> BinnedColumns {
    let mut draw = Draw(!seed);
    let mut columns = columns(seed, n, 24, levels);
    for (at, column) in columns.columns.iter_mut().enumerate() {
        let share = [0, 30, 900][at % 3];
        if share == 0 {
            continue;
        }
        let mut codes = column.codes.dense();
        for code in &mut codes {
            if draw.below(1000) < share {
                *code = column.levels as u16;
            }
        }
        column.codes = Codes::Word(codes);
        column.missing = Some(MissingCode::Excluded(column.levels as u16));
    }
    // Rotated, so that every form has columns of every share.
    let order = (0..24).map(|at| columns.columns[(at * 7) % 24].clone());
    columns.columns = order.collect();
    in_every_form(columns)
}

/// Columns that differ in their number of levels alone: 2, 3, …
pub fn by_levels(count: usize) -> BinnedColumns {
    BinnedColumns {
        n: 8,
        columns: (0..count)
            .map(|at| column(at, 2 + at, vec![0; 8]))
            .collect(),
        response: column(0, 1, vec![0; 8]),
        local: None,
    }
}

pub fn of_term(over: Combination, weight: f64, part: Part) -> Measure {
    Measure::Declared {
        relevance: Quantity::plain(Combination::X_Y),
        terms: vec![Term {
            weight,
            quantity: Quantity::plain(over),
            part,
        }],
    }
}

/// A function and its tolerance.
struct Closure<F>(F, f64);

impl<F> std::fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("closure")
    }
}

impl<F: Fn(&CountTable) -> f64 + Send + Sync> TableFunction for Closure<F> {
    fn value(&self, table: &CountTable) -> f64 {
        (self.0)(table)
    }

    fn tolerance(&self) -> f64 {
        self.1
    }
}

pub fn coded(
    value: impl Fn(&CountTable) -> f64 + Send + Sync + 'static,
    tolerance: f64,
) -> ScoreFunction {
    ScoreFunction(Arc::new(Closure(value, tolerance)))
}

pub fn score(measure: Measure, gather: Gather, join: Join) -> Score {
    Score {
        measure,
        gather,
        join,
        ..Score::default()
    }
}

/// Of shards and threads.
pub fn resources((shards, threads): (usize, usize)) -> Resources {
    Resources {
        threads: NonZeroUsize::new(threads),
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::default()
    }
}

pub const PLACES: [(usize, usize); 4] = [(1, 1), (1, 3), (3, 1), (3, 3)];

pub fn ranked(
    columns: &BinnedColumns,
    score: &Score,
    top: usize,
    places: (usize, usize),
) -> RankedColumns {
    let stop = Stop {
        permutation: None,
        top: Some(top),
        threshold: None,
    };
    let (resources, never) = (resources(places), Interrupt::default());
    rank(columns, score, &stop, &resources, &never, &mut |_, _| {}).unwrap()
}

/// H in nats of the counts of what `key` makes of (x, w, y), below the number of cells.
fn entropy(table: &CountTable, key: impl Fn(usize, usize, usize) -> usize) -> f64 {
    let mut counts = vec![0; table.counts.len()];
    for (at, count) in table.counts.iter().enumerate() {
        let (x, w, y) = (at / table.y / table.w, at / table.y % table.w, at % table.y);
        counts[key(x, w, y)] += count;
    }
    counts.retain(|count| *count > 0);
    // Tables that are equal but for the order of their cells have one value.
    counts.sort_unstable();
    let n = f64::from(counts.iter().sum::<u32>());
    let shares = counts.iter().map(|count| f64::from(*count) / n);
    shares.map(|share| -share * share.ln()).sum()
}

/// I((x,w);y).
pub fn joint_information(table: &CountTable) -> f64 {
    let xw = |x, w, _| x * table.w + w;
    let xwy = |x, w, y| (x * table.w + w) * table.y + y;
    entropy(table, xw) + entropy(table, |_, _, y| y) - entropy(table, xwy)
}
