//! Every layout against the definition.

use std::collections::HashMap;

use super::{
    class_order::{Classes, SortedVariable},
    dense::Sweep,
    unit::{LayoutKind, Scratch, Unit},
    wide::WideVariable,
};
use crate::{
    binning::{BinnedColumn, Codes, MissingCode, Rule},
    device::counting::{Categorical, LogTable, MarginSums},
};

/// Words of a seed (SplitMix64).
struct Words(u64);

impl Words {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }

    /// Codes of so many levels; one in `rarely` is off the level `most`.
    fn codes(&mut self, n: usize, levels: usize, rarely: usize, most: usize) -> Vec<u16> {
        let code = |_| match self.below(rarely) {
            0 => self.below(levels) as u16,
            _ => most as u16,
        };
        (0..n).map(code).collect()
    }

    fn anchor(&mut self, n: usize, levels: usize, rarely: usize) -> Categorical {
        let most = self.below(levels);
        Categorical::compact(&column(&self.codes(n, levels, rarely, most), 1000, None))
    }
}

/// A column of these codes, held in one of the ways.
fn column(codes: &[u16], levels: usize, most: Option<u16>) -> BinnedColumn {
    let held = match most {
        Some(most) => {
            let off = || codes.iter().zip(0..).filter(|(code, _)| **code != most);
            Codes::Sparse {
                n: codes.len(),
                most,
                rows: off().map(|it| it.1).collect(),
                codes: off().map(|it| *it.0).collect(),
            }
        }
        None if levels <= 256 => Codes::Byte(codes.iter().map(|&it| it as u8).collect()),
        None => Codes::Word(codes.to_vec()),
    };
    BinnedColumn {
        name: String::new(),
        index: 0,
        levels,
        codes: held,
        rule: Rule::Edges(Vec::new()),
        missing: None,
    }
}

/// Σ c·L(c) over (x, w) and (x, w, y).
fn defined(
    codes: &[u16],
    anchor: &Categorical,
    response: &Categorical,
    logs: &LogTable,
) -> [i64; 2] {
    let (mut xw, mut xwy) = (HashMap::new(), HashMap::new());
    for ((&x, &w), &y) in codes.iter().zip(&anchor.codes).zip(&response.codes) {
        *xw.entry((x, w)).or_insert(0) += 1;
        *xwy.entry((x, w, y)).or_insert(0) += 1;
    }
    let sum = |counts: Vec<u32>| logs.sum(&counts);
    [
        sum(xw.into_values().collect()),
        sum(xwy.into_values().collect()),
    ]
}

/// Counts some columns in every layout that has room for them.
fn check(words: &mut Words, (n, p): (usize, usize), levels: usize, classes: usize, rarely: usize) {
    let logs = LogTable::new(n, 2);
    let response = words.anchor(n, classes, 1);
    let codes: Vec<(Vec<u16>, u16)> = (0..p)
        .map(|_| {
            let most = words.below(levels);
            (words.codes(n, levels, rarely, most), most as u16)
        })
        .collect();
    let columns: Vec<BinnedColumn> = codes
        .iter()
        .enumerate()
        .map(|(at, (codes, most))| column(codes, levels, (at % 2 == 1).then_some(*most)))
        .collect();
    let anchors: Vec<Categorical> = [(1, 1), (2, 1), (3, 9), (levels, rarely), (64, 2), (2000, 1)]
        .iter()
        .map(|&(levels, rarely)| words.anchor(n, levels, rarely))
        .collect();
    let nothing = Categorical::constant(n);
    let mut scratch = Scratch::default();
    for by_class in [true, false] {
        // Without classes, observations may lie in the file's order.
        for response in [&response, &nothing]
            .into_iter()
            .skip(usize::from(!by_class))
        {
            let classes = Classes::new(response);
            let mut kinds = vec![LayoutKind::Sparse];
            if levels <= 256 {
                kinds.extend([LayoutKind::Rows, LayoutKind::Bytes]);
            } else {
                kinds.push(LayoutKind::Words);
            }
            if levels <= 8 {
                kinds.push(LayoutKind::Planes(levels.max(2)));
            }
            for kind in kinds {
                let own: Vec<usize> = (0..p.min(kind.width())).collect();
                let unit = Unit::new(
                    kind,
                    &own,
                    &columns,
                    0,
                    (&classes, &classes.places()),
                    &logs,
                );
                for anchor in &anchors {
                    let prepared = SortedVariable::new(anchor, &classes, &logs);
                    let work = Sweep {
                        anchor: &prepared,
                        classes: &classes,
                        by_class,
                        logs: &logs,
                    };
                    let mut sums = Vec::new();
                    unit.sums(work, &mut scratch, &mut sums);
                    for ((codes, _), sums) in codes.iter().zip(&sums) {
                        let counted = defined(codes, anchor, response, &logs);
                        let shape = (n, levels, anchor.levels, response.levels, rarely);
                        let many = if by_class { 2 } else { 1 };
                        assert_eq!(sums[..many], counted[..many], "{kind:?} {shape:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_layout_has_the_sums_of_the_definition() {
    let mut words = Words(1);
    for n in [1, 2, 63, 64, 65, 200, 1000] {
        for levels in [1, 2, 3, 5, 8, 31, 33, 64, 256, 300] {
            let (classes, rarely) = ([1, 2, 9, 50][words.below(4)], [1, 3, 30][words.below(3)]);
            check(&mut words, (n, 5), levels, classes, rarely);
        }
    }
    for (levels, classes, rarely) in [(2, 2, 1), (31, 9, 1), (32, 2, 20), (64, 10, 40)] {
        check(&mut words, (5000, 3), levels, classes, rarely);
    }
    // Past 16 bits.
    check(&mut words, (70_000, 2), 32, 3, 2);
}

/// Every margin of the observations that miss neither x nor w.
fn margins(
    x: &BinnedColumn,
    anchor: &Categorical,
    response: &Categorical,
    logs: &LogTable,
) -> MarginSums {
    let codes = x.codes.dense();
    let rows = 0..codes.len();
    let rows = rows.filter(|&t| x.excluded_code() != Some(codes[t]) && !anchor.is_missing(t));
    let rows: Vec<usize> = rows.collect();
    let sum = |key: &dyn Fn(usize) -> (u32, u32, u32)| {
        let mut counts = HashMap::new();
        for &t in &rows {
            *counts.entry(key(t)).or_insert(0) += 1;
        }
        logs.sum(&counts.into_values().collect::<Vec<u32>>())
    };
    let (x, w, y) = (
        |t: usize| u32::from(codes[t]),
        |t: usize| anchor.codes[t],
        |t: usize| response.codes[t],
    );
    MarginSums {
        observations: rows.len() as u32,
        n: sum(&|_| (0, 0, 0)),
        x: sum(&|t| (x(t), 0, 0)),
        w: sum(&|t| (0, w(t), 0)),
        y: sum(&|t| (0, 0, y(t))),
        xw: sum(&|t| (x(t), w(t), 0)),
        xy: sum(&|t| (x(t), 0, y(t))),
        wy: sum(&|t| (0, w(t), y(t))),
        xwy: sum(&|t| (x(t), w(t), y(t))),
    }
}

#[test]
fn whole_tables_have_every_margin_of_what_is_left() {
    let mut words = Words(2);
    let mut table = Default::default();
    for n in [1, 2, 65, 300, 1000] {
        for levels in [1, 2, 9, 200, 300, 3000] {
            let logs = LogTable::new(n, 2);
            let response = words.anchor(n, 4, 1);
            // Some columns in every form, with values missing and without.
            let mut made = |form: usize, holes: usize| {
                let rarely = [1, 3, 30][words.below(3)];
                let most = words.below(levels);
                let mut codes = words.codes(n, levels, rarely, most);
                for code in &mut codes {
                    if words.below(10) < holes {
                        *code = levels as u16;
                    }
                }
                let kept = match form {
                    0 => None,
                    // What is missing may be what is most frequent.
                    1 if holes > 0 => Some(levels as u16),
                    _ => Some(most as u16),
                };
                BinnedColumn {
                    levels,
                    missing: (holes > 0).then_some(MissingCode::Excluded(levels as u16)),
                    ..column(&codes, levels + 1, kept)
                }
            };
            let columns: Vec<BinnedColumn> = (0..12).map(|at| made(at % 3, at / 3 * 3)).collect();
            for w in &columns {
                for anchor in [Categorical::compact(w), Categorical::verbatim(w)] {
                    let whole = WideVariable::new(&anchor, &response);
                    for x in &columns {
                        assert_eq!(
                            whole.sums(x, &response, &mut table, &logs),
                            margins(x, &anchor, &response, &logs),
                            "{n} {levels}"
                        );
                    }
                }
            }
        }
    }
}
