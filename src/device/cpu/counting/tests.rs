//! Every layout against the definition.

use passel_kernels::wide::reference;

use super::{
    class_order::{Classes, SortedVariable},
    dense::Sweep,
    unit::{LayoutKind, Scratch, Unit},
    wide::WideVariable,
};
use crate::{
    binning::BinnedColumn,
    device::counting::{
        Categorical, LogTable, MarginSums,
        tests::{Draws, binned, codes, column, entries_off},
    },
};

/// Every margin of the observations that miss neither x nor w.
fn margins(
    x: &BinnedColumn,
    anchor: &Categorical,
    response: &Categorical,
    logs: &LogTable,
) -> MarginSums {
    let x = (&codes(x)[..], x.excluded_code().map(u32::from));
    let w = (&anchor.codes[..], anchor.levels as u32);
    let sums = reference(x, w, &response.codes, logs.terms());
    let [n, x, w, y, xw, xy, wy, xwy] = sums.of;
    MarginSums {
        observations: sums.left as u32,
        n,
        x,
        w,
        y,
        xw,
        xy,
        wy,
        xwy,
    }
}

/// Codes of so many levels; one in `rarely` is off one of them.
fn some(draws: &mut Draws, n: usize, levels: usize, rarely: usize) -> Vec<u16> {
    match rarely {
        1 => draws.codes(levels, 0),
        _ => draws.rare(levels, n / rarely),
    }
}

/// Counts some columns in every layout that has room for them.
fn check(size: (usize, usize), levels: usize, classes: usize, rarely: usize) {
    for logs in [LogTable::new(size.0, 2), LogTable::corrected(size.0, 2)] {
        check_by(&logs, size, levels, classes, rarely);
    }
}

fn check_by(logs: &LogTable, (n, p): (usize, usize), levels: usize, classes: usize, rarely: usize) {
    let (mut draws, response) = Draws::new((n, p), classes);
    let response = Categorical::compact(&response);
    let columns = (0..p).map(|at| {
        let codes = some(&mut draws, n, levels, rarely);
        column(codes, levels, at % 2 == 1, false)
    });
    let columns: Vec<BinnedColumn> = columns.collect();
    let anchors = [(1, 1), (2, 1), (3, 9), (levels, rarely), (64, 2), (2000, 1)];
    let anchors = anchors.map(|(levels, rarely)| {
        let codes = some(&mut draws, n, levels, rarely);
        Categorical::compact(&column(codes, levels, false, false))
    });
    let mut kinds = vec![LayoutKind::Entries];
    if levels <= 256 {
        kinds.extend([LayoutKind::Rows, LayoutKind::Bytes]);
    } else {
        kinds.push(LayoutKind::Words);
    }
    if levels <= 8 {
        kinds.push(LayoutKind::Planes(levels.max(2)));
    }
    let nothing = Categorical::constant(n);
    let mut scratch = Scratch::default();
    // Without classes, observations may lie in the file's order.
    for (by_class, response) in [(true, &response), (true, &nothing), (false, &nothing)] {
        let classes = Classes::new(response);
        for &kind in &kinds {
            let own: Vec<usize> = (0..p.min(kind.width())).collect();
            let unit = Unit::new(kind, &own, columns[..].into(), &classes, logs);
            for anchor in &anchors {
                let sweep = Sweep {
                    anchor: &SortedVariable::new(anchor, &classes, logs),
                    classes: &classes,
                    by_class,
                    logs,
                };
                let mut sums = Vec::new();
                unit.sums(sweep, &mut scratch, &mut sums);
                for (column, sums) in columns.iter().zip(&sums) {
                    let MarginSums { xw, xwy, .. } = margins(column, anchor, response, logs);
                    let shape = (n, levels, anchor.levels, response.levels, rarely);
                    let many = if by_class { 2 } else { 1 };
                    assert_eq!(sums[..many], [xw, xwy][..many], "{kind:?} {shape:?}");
                }
            }
        }
    }
}

#[test]
fn every_layout_has_the_sums_of_the_definition() {
    for (at, n) in [1, 2, 63, 64, 65, 200, 1000].into_iter().enumerate() {
        for (of, levels) in [1, 2, 3, 5, 8, 31, 33, 64, 256, 300]
            .into_iter()
            .enumerate()
        {
            let (classes, rarely) = ([1, 2, 9, 50][(at + of) % 4], [1, 3, 30][(at * 7 + of) % 3]);
            check((n, 5), levels, classes, rarely);
        }
    }
    for (levels, classes, rarely) in [(2, 2, 1), (31, 9, 1), (32, 2, 20), (64, 10, 40)] {
        check((5000, 3), levels, classes, rarely);
    }
    // Past 16 bits.
    check((70_000, 2), 32, 3, 2);
}

#[test]
fn wide_tables_have_every_margin_of_complete_cases() {
    let mut table = Default::default();
    for n in [1, 2, 65, 300, 1000] {
        for (at, levels) in [1, 2, 9, 200, 300, 3000].into_iter().enumerate() {
            let logs = match at % 2 {
                0 => LogTable::new(n, 2),
                _ => LogTable::corrected(n, 2),
            };
            let (mut draws, response) = Draws::new((n, levels), 4);
            let response = Categorical::compact(&response);
            // Some columns in every form, with values missing and without.
            let mut made = |form: usize, holes: usize| {
                let rarely = [1, 3, 30][draws.below(3)];
                let mut codes = some(&mut draws, n, levels, rarely);
                for code in &mut codes {
                    if draws.below(10) < holes {
                        *code = levels as u16;
                    }
                }
                match form {
                    // By entries off what is most frequent, which may be what is missing.
                    0 | 1 => column(codes, levels, form == 1, holes > 0),
                    _ => {
                        let missing = (holes > 0).then_some(levels as u16);
                        binned(entries_off(&codes, (levels / 2) as u16), levels, missing)
                    }
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
