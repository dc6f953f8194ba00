//! Supervised bins by the minimum description length principle.
//!
//! A set S of observations is cut in two where the entropy of the classes within the parts is
//! least, and the parts are cut again, until a cut gains less than describing it costs.
//!
//! Cuts are compared by N₁·Ent(S₁) + N₂·Ent(S₂), an integer combination of c·ln c of counts, in
//! the fixed point of [`crate::logs`]: what is equal in real numbers is equal here, whatever
//! the order of the rows, and the lowest cut wins.
//!
//! *Units:* entropies are in bits, as in the paper.
//!
//! *Source:* U. M. Fayyad and K. B. Irani, Multi-interval discretization of continuous-valued
//! attributes for classification learning, IJCAI 1993, 1022–1027.

use std::ops::Range;

use super::{BinnedColumn, Rule};
use crate::{
    logs::{MAX_BITS, logarithms},
    table::Values,
};

/// The relative difference below which gain and cost count as equal and the cut is refused: both
/// are rounded, and another machine may round the cost's logarithms differently.
const SLACK: f64 = 1e-9;

/// The largest number of classes k for which f64 holds 3^k exactly; above it, 3^k − 2 rounds to
/// 3^k.
const FEW: usize = 33;

/// The levels of a binned response.
pub(super) struct Classes {
    codes: Vec<u16>,
    /// Observations of each.
    counts: Vec<u32>,
    /// L(c) with every fraction bit of use, for which sums of c·L(c) have 128 bits.
    logs: Vec<i64>,
}

impl Classes {
    /// The levels of a response; missing values are a class where they are a level.
    pub(super) fn new(response: &BinnedColumn) -> Self {
        let codes = response.codes.dense();
        let mut counts = vec![0; response.levels];
        for code in &codes {
            counts[usize::from(*code)] += 1;
        }
        let logs = logarithms(codes.len().max(2), MAX_BITS);
        Self {
            codes,
            counts,
            logs,
        }
    }

    /// c·L(c).
    fn term(&self, count: u32) -> i128 {
        i128::from(count) * i128::from(self.logs[count as usize])
    }

    /// c·L(c), or a sum of such, in bits.
    fn bits(&self, sum: i128) -> f64 {
        sum as f64 / self.logs[2] as f64
    }
}

/// The accepted cuts of a column of numbers; missing ones take no part.
pub(super) fn rule(values: &Values, classes: &Classes) -> Rule {
    let column = SortedClasses::new(entries(values, classes));
    let mut tally = CutSearch::new(classes);
    let mut cuts = Vec::new();
    // No recursion: cuts may lie as deep as there are values.
    let all = 0..column.blocks.len();
    let mut open = vec![all];
    while let Some(blocks) = open.pop() {
        if let Some(cut) = tally.cut(&column, blocks.clone()) {
            cuts.push(cut);
            open.push(blocks.start..cut);
            open.push(cut..blocks.end);
        }
    }
    cuts.sort_unstable();
    let edge = |cut: usize| between(column.blocks[cut - 1].most, column.blocks[cut].least);
    Rule::Edges(cuts.into_iter().map(edge).collect())
}

/// The edge between two neighbouring values: their midpoint, or where this rounds to the lower
/// one, which must stay below, the upper one.
fn between(below: f64, above: f64) -> f64 {
    let middle = below.midpoint(above);
    let edge = if middle > below { middle } else { above };
    // −0 is 0, however it was come by.
    edge + 0.0
}

/// How many observations of a class have a value.
struct ClassCount {
    value: f64,
    class: u16,
    count: u32,
}

/// The values of a column with their classes, in no order.
fn entries(values: &Values, classes: &Classes) -> Vec<ClassCount> {
    let entry = |value: f64, class: u16| {
        (!value.is_nan()).then_some(ClassCount {
            value,
            class,
            count: 1,
        })
    };
    let Values::Sparse { rows, values } = values else {
        // Text keeps its levels.
        let numbers = values.numbers(classes.codes.len()).unwrap_or_default();
        let pairs = numbers.iter().zip(&classes.codes);
        return pairs
            .filter_map(|(value, class)| entry(*value, *class))
            .collect();
    };
    let mut zeros = classes.counts.clone();
    let mut found = Vec::with_capacity(values.len() + zeros.len());
    for (row, value) in rows.iter().zip(values) {
        let class = classes.codes[*row as usize];
        zeros[usize::from(class)] -= 1;
        found.extend(entry(*value, class));
    }
    let zeros = (0..).zip(zeros).filter(|(_, count)| *count > 0);
    found.extend(zeros.map(|(class, count)| ClassCount {
        value: 0.0,
        class,
        count,
    }));
    found
}

/// How many observations of a class are in a block.
struct ClassRun {
    class: u16,
    count: u32,
}

/// A value; or neighbouring ones whose observations are all of one class, for the best cut is
/// never between such: while observations of one class change sides, the entropy is strictly
/// concave, unless S has no other class.
struct Block {
    least: f64,
    most: f64,
    runs: Range<usize>,
}

/// The observations in ascending order of their values.
struct SortedClasses {
    runs: Vec<ClassRun>,
    blocks: Vec<Block>,
}

impl SortedClasses {
    fn new(mut entries: Vec<ClassCount>) -> Self {
        entries.sort_unstable_by(|a, b| {
            let values = a.value.total_cmp(&b.value);
            values.then(a.class.cmp(&b.class))
        });
        let mut runs: Vec<ClassRun> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for same in entries.chunk_by(|a, b| a.value == b.value) {
            let (value, start) = (same[0].value, runs.len());
            let counted = same
                .chunk_by(|a, b| a.class == b.class)
                .map(|entries| ClassRun {
                    class: entries[0].class,
                    count: entries.iter().map(|entry| entry.count).sum(),
                });
            runs.extend(counted);
            // One run of the block before, and one of this value.
            let from = blocks.last().map_or(start, |block| block.runs.start);
            match (&mut runs[from..], blocks.last_mut()) {
                ([run, other], Some(block)) if run.class == other.class => {
                    run.count += other.count;
                    block.most = value;
                    runs.pop();
                }
                _ => blocks.push(Block {
                    least: value,
                    most: value,
                    runs: start..runs.len(),
                }),
            }
        }
        Self { runs, blocks }
    }
}

/// The class counts of a set of observations, in sums.
#[derive(Clone, Copy, Default)]
struct Subset {
    n: u32,
    k: usize,
    /// Σ c·L(c) over the classes.
    sum: i128,
}

/// Observations by class of what is being cut, S, and of what lies below the cut, S₁.
struct CutSearch<'a> {
    classes: &'a Classes,
    /// Zero between two cuts.
    below: Vec<u32>,
    /// Observations of S without S₁; zero between two cuts.
    above: Vec<u32>,
}

impl<'a> CutSearch<'a> {
    fn new(classes: &'a Classes) -> Self {
        Self {
            classes,
            below: vec![0; classes.counts.len()],
            above: vec![0; classes.counts.len()],
        }
    }

    /// The block above the best cut between these blocks, if that is worth its cost.
    fn cut(&mut self, column: &SortedClasses, blocks: Range<usize>) -> Option<usize> {
        let classes = self.classes;
        let first = column.blocks.get(blocks.start)?;
        let last = blocks.end - 1;
        let runs = &column.runs[first.runs.start..column.blocks[last].runs.end];
        let mut whole = Subset::default();
        for run in runs {
            whole.add(run, &mut self.above, classes);
        }
        let (mut below, mut above) = (Subset::default(), whole);
        let mut best: Option<(i128, usize, Subset, Subset)> = None;
        for at in blocks.start..last {
            for run in &column.runs[column.blocks[at].runs.clone()] {
                below.add(run, &mut self.below, classes);
                above.take(run, &mut self.above, classes);
            }
            let entropy = below.entropy(classes) + above.entropy(classes);
            if best.is_none_or(|(least, ..)| entropy < least) {
                best = Some((entropy, at + 1, below, above));
            }
        }
        for run in runs {
            self.below[usize::from(run.class)] = 0;
            self.above[usize::from(run.class)] = 0;
        }
        let (_, cut, below, above) = best?;
        pays(whole, below, above, classes).then_some(cut)
    }
}

impl Subset {
    fn add(&mut self, run: &ClassRun, counts: &mut [u32], classes: &Classes) {
        let count = &mut counts[usize::from(run.class)];
        let more = *count + run.count;
        self.n += run.count;
        self.k += usize::from(*count == 0);
        self.sum += classes.term(more) - classes.term(*count);
        *count = more;
    }

    fn take(&mut self, run: &ClassRun, counts: &mut [u32], classes: &Classes) {
        let count = &mut counts[usize::from(run.class)];
        let fewer = *count - run.count;
        self.n -= run.count;
        self.k -= usize::from(fewer == 0);
        self.sum -= classes.term(*count) - classes.term(fewer);
        *count = fewer;
    }

    /// N·Ent, in the units of L.
    fn entropy(&self, classes: &Classes) -> i128 {
        classes.term(self.n) - self.sum
    }
}

/// Whether Gain > (log2(N − 1) + Δ) / N, where
/// Δ = log2(3^k − 2) − (k·Ent(S) − k₁·Ent(S₁) − k₂·Ent(S₂)), entropies in bits.
fn pays(whole: Subset, below: Subset, above: Subset, classes: &Classes) -> bool {
    let entropy = |part: Subset| part.entropy(classes);
    // N·Gain: the difference is made of integers, for it may be small beside them.
    let gain = classes.bits(entropy(whole) - entropy(below) - entropy(above));
    let times_k = |part: Subset| part.k as f64 * classes.bits(entropy(part)) / f64::from(part.n);
    let partitions = match whole.k {
        ..=FEW => ((3_u64.pow(whole.k as u32) - 2) as f64).log2(),
        k => k as f64 * 3_f64.log2(),
    };
    let delta = partitions - (times_k(whole) - times_k(below) - times_k(above));
    let cost = classes.bits(classes.logs[whole.n as usize - 1].into()) + delta;
    gain - cost > SLACK * (1.0 + cost.abs())
}
