//! Every layout against the definition.

use std::collections::HashMap;

use super::{
    class_order::{Classes, SortedVariable},
    dense::Sweep,
    unit::{LayoutKind, Scratch, Unit},
    wide::WideVariable,
};
use crate::{
    binning::{BinnedColumn, Codes, MissingCode},
    device::counting::{
        Categorical, LogTable, MarginSums,
        tests::{binned, entries_off},
    },
    random::{Stream, uniform_below},
};

/// Random codes of a seed.
struct Draws(Stream);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        uniform_below(self.0.next_word(), bound)
    }

    /// Codes of so many levels; one in `rarely` is off the level `most`.
    fn codes(&mut self, n: usize, levels: usize, rarely: usize, most: usize) -> Vec<u16> {
        let code = |_| match self.below(rarely) {
            0 => self.below(levels) as u16,
            _ => most as u16,
        };
        (0..n).map(code).collect()
    }

    fn categorical(&mut self, n: usize, levels: usize, rarely: usize) -> Categorical {
        let most = self.below(levels);
        Categorical::compact(&column(&self.codes(n, levels, rarely, most), 1000, None))
    }
}

/// A column of these codes, by entries off the level `most` if there is one.
fn column(codes: &[u16], levels: usize, most: Option<u16>) -> BinnedColumn {
    let codes = match most {
        Some(most) => entries_off(codes, most),
        None if levels <= 256 => Codes::Byte(codes.iter().map(|&code| code as u8).collect()),
        None => Codes::Word(codes.to_vec()),
    };
    binned(codes, levels, None)
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

/// Counts some columns in every layout that has room for them.
fn check(draws: &mut Draws, (n, p): (usize, usize), levels: usize, classes: usize, rarely: usize) {
    let logs = LogTable::new(n, 2);
    let response = draws.categorical(n, classes, 1);
    let columns = (0..p).map(|at| {
        let most = draws.below(levels);
        let codes = draws.codes(n, levels, rarely, most);
        column(&codes, levels, (at % 2 == 1).then_some(most as u16))
    });
    let columns: Vec<BinnedColumn> = columns.collect();
    let anchors: Vec<Categorical> = [(1, 1), (2, 1), (3, 9), (levels, rarely), (64, 2), (2000, 1)]
        .iter()
        .map(|&(levels, rarely)| draws.categorical(n, levels, rarely))
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
            let mut kinds = vec![LayoutKind::Entries];
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
                    columns[..].into(),
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
                    for (column, sums) in columns.iter().zip(&sums) {
                        let MarginSums { xw, xwy, .. } = margins(column, anchor, response, &logs);
                        let counted = [xw, xwy];
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
    let mut draws = Draws(Stream::new(1, 0));
    for n in [1, 2, 63, 64, 65, 200, 1000] {
        for levels in [1, 2, 3, 5, 8, 31, 33, 64, 256, 300] {
            let (classes, rarely) = ([1, 2, 9, 50][draws.below(4)], [1, 3, 30][draws.below(3)]);
            check(&mut draws, (n, 5), levels, classes, rarely);
        }
    }
    for (levels, classes, rarely) in [(2, 2, 1), (31, 9, 1), (32, 2, 20), (64, 10, 40)] {
        check(&mut draws, (5000, 3), levels, classes, rarely);
    }
    // Past 16 bits.
    check(&mut draws, (70_000, 2), 32, 3, 2);
}

#[test]
fn wide_tables_have_every_margin_of_complete_cases() {
    let mut draws = Draws(Stream::new(2, 0));
    let mut table = Default::default();
    for n in [1, 2, 65, 300, 1000] {
        for levels in [1, 2, 9, 200, 300, 3000] {
            let logs = LogTable::new(n, 2);
            let response = draws.categorical(n, 4, 1);
            // Some columns in every form, with values missing and without.
            let mut made = |form: usize, holes: usize| {
                let rarely = [1, 3, 30][draws.below(3)];
                let most = draws.below(levels);
                let mut codes = draws.codes(n, levels, rarely, most);
                for code in &mut codes {
                    if draws.below(10) < holes {
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
                    let wide = WideVariable::new(&anchor, &response);
                    for x in &columns {
                        assert_eq!(
                            wide.sums(x, &response, &mut table, &logs),
                            margins(x, &anchor, &response, &logs),
                            "{n} {levels}"
                        );
                    }
                }
            }
        }
    }
}
