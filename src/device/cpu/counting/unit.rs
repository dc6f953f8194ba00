//! A few columns in the layout that counts them fastest.

use std::{borrow::Cow, collections::HashMap};

use rayon::prelude::*;

use super::{
    class_order::{Classes, SortedVariable},
    dense::{self, Sweep},
    entries, planes,
    rows::{self, Row, WIDTH},
    table_cells, two_columns,
};
use crate::{
    binning::{BinnedColumn, Codes},
    device::counting::{LocalColumns, LogTable},
};

/// Most observations for which dense columns are laid out by rows.
const BY_ROWS: usize = 4096;

/// Most cells per observation for which columns of few levels are laid out as bit planes.
const BY_PLANES: usize = 4;

/// Fewest observations for which a column with few entries off its most frequent level is laid out
/// by entries.
const BY_ENTRIES: usize = 64;

/// Cost of an entry of a sparse column, in observations of a dense one.
const ENTRY: usize = 7;

/// Most entries of the columns of one unit, unless a single column has more.
const ENTRIES: usize = 1 << 14;

/// Largest group of observations with one level of the conditioning variable that rows compare:
/// counts are bytes.
const GROUP: u32 = 200;

/// The codes of a unit's columns, in class order.
#[derive(Debug)]
enum Layout<'a> {
    /// Row by row, one code of each column: up to 256 levels.
    Rows(Vec<Row>),
    /// One or two columns of up to 256 levels, each contiguous.
    Bytes(Vec<Cow<'a, [u8]>>),
    /// One or two columns of more levels, each contiguous.
    Words(Vec<Cow<'a, [u16]>>),
    Planes(planes::Columns),
    Entries(entries::Columns),
    /// Columns with missing values, which `wide.rs` counts as they are.
    Incomplete,
}

#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// The columns' numbers, ascending.
    pub(super) columns: Vec<u32>,
    layout: Layout<'a>,
    /// Most levels of a column.
    levels: usize,
}

#[derive(Debug, Default)]
pub(super) struct Scratch {
    tables: dense::Tables,
    pair: two_columns::PairTable,
    entries: entries::Tables,
    bytes: [Vec<u8>; 2],
    pub(super) counted: Vec<[i64; 2]>,
    pub(super) wide: table_cells::DenseTable,
}

/// The layout for a column; only columns of equal kinds share a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LayoutKind {
    Rows,
    Bytes,
    Words,
    Planes(usize),
    Entries,
    Incomplete,
}

impl LayoutKind {
    fn of(column: &BinnedColumn, classes: usize) -> Self {
        if column.excluded_code().is_some() {
            return Self::Incomplete;
        }
        let n = column.codes.n();
        let few = |entries: usize| n >= BY_ENTRIES && entries * ENTRY <= n;
        let cells = column.levels.pow(2) * classes;
        match &column.codes {
            codes if few(count_entries(codes, column.levels, n / ENTRY)) => Self::Entries,
            _ if column.levels > 256 => Self::Words,
            _ if column.levels <= planes::LEVELS && cells <= BY_PLANES * n => {
                Self::Planes(column.levels.max(2))
            }
            _ if n <= BY_ROWS => Self::Rows,
            _ => Self::Bytes,
        }
    }

    /// Most columns of one unit.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Rows | Self::Planes(_) | Self::Entries => WIDTH,
            Self::Bytes | Self::Words | Self::Incomplete => 2,
        }
    }
}

/// Observations of a column that are sampled first.
const SAMPLE: usize = 1024;

/// Number of observations off the most frequent level; all of them if a sample shows far more than
/// `most`.
fn count_entries(codes: &Codes, levels: usize, most: usize) -> usize {
    fn off<C: dense::Code>(codes: &[C], levels: usize, most: usize) -> usize {
        let count = |codes: &[C]| {
            let mut counts = vec![0usize; levels];
            codes.iter().for_each(|code| counts[code.index()] += 1);
            codes.len() - counts.into_iter().max().unwrap_or(0)
        };
        let sampled = count(&codes[..codes.len().min(SAMPLE)]);
        // Twice the limit, because the first observations may differ from the others.
        if codes.len() > SAMPLE && sampled * codes.len() > 2 * most * SAMPLE {
            return codes.len();
        }
        count(codes)
    }
    match codes {
        Codes::Byte(codes) => off(codes, levels, most),
        Codes::Word(codes) => off(codes, levels, most),
        Codes::Sparse { rows, .. } => rows.len(),
    }
}

impl<'a> Unit<'a> {
    /// Lays out columns. A thread takes at least `least` of them, or of their units, at a time.
    pub(super) fn build(
        own: LocalColumns<'a>,
        classes: &Classes,
        logs: &LogTable,
        least: usize,
    ) -> Vec<Self> {
        let columns = own.columns;
        let kinds: Vec<(LayoutKind, usize)> = columns
            .par_iter()
            .with_min_len(least)
            .enumerate()
            .map(|(at, column)| (LayoutKind::of(column, classes.count()), at))
            .collect();
        let mut groups: Vec<(LayoutKind, Vec<usize>)> = Vec::new();
        let mut open = HashMap::new();
        for (kind, at) in kinds {
            let group = *open.entry(kind).or_insert(usize::MAX);
            let full = |(kind, own): &(LayoutKind, Vec<usize>)| {
                let entries = |at: &usize| match &columns[*at].codes {
                    Codes::Sparse { rows, .. } => rows.len(),
                    codes => codes.n() / ENTRY,
                };
                own.len() >= kind.width()
                    || *kind == LayoutKind::Entries
                        && own.iter().map(entries).sum::<usize>() > ENTRIES
            };
            match groups.get_mut(group).filter(|group| !full(group)) {
                Some(group) => group.1.push(at),
                None => {
                    open.insert(kind, groups.len());
                    groups.push((kind, vec![at]));
                }
            }
        }
        groups
            .into_par_iter()
            .with_min_len(least)
            .map(|(kind, positions)| Self::new(kind, &positions, own, classes, logs))
            .collect()
    }

    /// The columns at these positions in one layout.
    pub(super) fn new(
        kind: LayoutKind,
        positions: &[usize],
        LocalColumns { columns, first }: LocalColumns<'a>,
        classes: &Classes,
        logs: &LogTable,
    ) -> Self {
        let own: Vec<&'a BinnedColumn> = positions.iter().map(|&at| &columns[at]).collect();
        Self {
            columns: positions.iter().map(|&at| (first + at) as u32).collect(),
            layout: Layout::of(kind, &own, classes, logs),
            levels: own.iter().map(|column| column.levels).max().unwrap_or(1),
        }
    }

    /// Whether its columns miss values: then they have no layout here.
    pub(super) fn is_incomplete(&self) -> bool {
        matches!(self.layout, Layout::Incomplete)
    }

    /// Σ c·L(c) over x and (x, y) of each column.
    ///
    /// `nothing` sweeps the constant variable, whose (x, w) is x and (x, w, y) is (x, y); where it
    /// has no classes, `response` sweeps the response as conditioning variable.
    pub(super) fn own(
        &self,
        (nothing, response): (Sweep, Sweep),
        scratch: &mut Scratch,
        sums: &mut Vec<[i64; 2]>,
    ) {
        if let Layout::Bytes(codes) = &self.layout
            && let Some(counted) = two_at_once(codes, self.levels, response, &mut scratch.pair)
        {
            sums.clear();
            sums.extend(counted);
            return;
        }
        self.sums(nothing, scratch, sums);
        if !nothing.by_class {
            let mut apart = Vec::new();
            self.sums(response, scratch, &mut apart);
            for (sums, [xy, _]) in sums.iter_mut().zip(apart) {
                sums[1] = xy;
            }
        }
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of each column.
    pub(super) fn sums(&self, sweep: Sweep, scratch: &mut Scratch, sums: &mut Vec<[i64; 2]>) {
        sums.clear();
        sums.resize(self.columns.len(), [0; 2]);
        let (anchor, levels) = (sweep.anchor, self.levels);
        match &self.layout {
            Layout::Rows(tile) => {
                if compares(tile.len(), levels, anchor) {
                    let [xw, xwy] = rows::sums(tile, sweep);
                    for ((sums, xw), xwy) in sums.iter_mut().zip(xw).zip(xwy) {
                        *sums = [xw, xwy];
                    }
                    return;
                }
                let [a, b] = &mut scratch.bytes;
                for (pair, sums) in sums.chunks_mut(2).enumerate() {
                    let take = |codes: &mut Vec<u8>, column: usize| {
                        codes.clear();
                        codes.extend(tile.iter().map(|row| row.0[column]));
                    };
                    take(a, 2 * pair);
                    take(b, 2 * pair + 1);
                    let counted = dense::sums([a, b], levels, sweep, &mut scratch.tables);
                    sums.copy_from_slice(&counted[..sums.len()]);
                }
            }
            Layout::Bytes(codes) => {
                if let Some(counted) = two_at_once(codes, levels, sweep, &mut scratch.pair) {
                    for (sums, [_, xw]) in sums.iter_mut().zip(counted) {
                        sums[0] = xw;
                    }
                    return;
                }
                two_columns_or_one(codes, levels, sweep, &mut scratch.tables, sums);
            }
            Layout::Words(codes) => {
                two_columns_or_one(codes, levels, sweep, &mut scratch.tables, sums);
            }
            Layout::Planes(columns) => {
                if anchor.levels <= planes::LEVELS {
                    columns.sums(sweep, sums);
                    return;
                }
                let codes = &mut scratch.bytes[0];
                for (column, sums) in sums.iter_mut().enumerate() {
                    columns.codes(column, sweep.classes, codes);
                    [*sums] = dense::sums([codes], columns.levels, sweep, &mut scratch.tables);
                }
            }
            Layout::Entries(columns) => {
                columns.sums(sweep, &mut scratch.entries, sums);
            }
            Layout::Incomplete => {}
        }
    }
}

/// Whether comparing observations with one another is faster than counting them in tables.
fn compares(n: usize, levels: usize, anchor: &SortedVariable) -> bool {
    // In cycles, measured: docs/performance.md.
    let comparing = anchor.pairs as f64 * 0.05 + n as f64 * 0.5;
    let cells = (anchor.levels * levels.next_power_of_two()).min(4 * n);
    let counting = 3.0 * n as f64 + 1.5 * cells as f64;
    anchor.largest <= GROUP && comparing <= counting
}

/// Σ c·L(c) over x and (x, w) of two columns that one table counts; none where it does not suit.
fn two_at_once(
    codes: &[Cow<[u8]>],
    levels: usize,
    sweep: Sweep,
    table: &mut two_columns::PairTable,
) -> Option<[[i64; 2]; 2]> {
    let [a, b] = codes else { return None };
    let suits = !sweep.by_class && two_columns::suits(a.len(), levels, sweep.anchor);
    suits.then(|| two_columns::sums([a, b], sweep.anchor, sweep.logs, table))
}

fn two_columns_or_one<C: dense::Code>(
    codes: &[Cow<[C]>],
    levels: usize,
    sweep: Sweep,
    tables: &mut dense::Tables,
    sums: &mut [[i64; 2]],
) {
    match codes {
        [a, b] => sums.copy_from_slice(&dense::sums([a, b], levels, sweep, tables)),
        _ => {
            for (codes, sums) in codes.iter().zip(sums) {
                [*sums] = dense::sums([codes], levels, sweep, tables);
            }
        }
    }
}

impl<'a> Layout<'a> {
    fn of(kind: LayoutKind, own: &[&'a BinnedColumn], classes: &Classes, logs: &LogTable) -> Self {
        // Without classes the columns' own codes are borrowed.
        let bytes = |column: &'a BinnedColumn| match &column.codes {
            Codes::Byte(codes) => classes.sorted(codes),
            other => {
                let codes: Vec<u8> = other.dense().iter().map(|&code| code as u8).collect();
                classes.sorted(&codes).into_owned().into()
            }
        };
        let words = |column: &'a BinnedColumn| match &column.codes {
            Codes::Word(codes) => classes.sorted(codes),
            other => classes.sorted(&other.dense()).into_owned().into(),
        };
        match kind {
            LayoutKind::Rows => {
                let mut tile = vec![Row::ZERO; classes.n()];
                for (at, column) in own.iter().enumerate() {
                    for (row, &code) in tile.iter_mut().zip(&*bytes(column)) {
                        row.0[at] = code;
                    }
                }
                Self::Rows(tile)
            }
            LayoutKind::Bytes => Self::Bytes(own.iter().map(|column| bytes(column)).collect()),
            LayoutKind::Words => Self::Words(own.iter().map(|column| words(column)).collect()),
            LayoutKind::Planes(levels) => {
                let mut columns = planes::Columns::new(levels, classes);
                for column in own {
                    columns.push(&bytes(column), classes);
                }
                Self::Planes(columns)
            }
            LayoutKind::Entries => {
                let mut columns = entries::Columns::default();
                for column in own {
                    columns.push(&column.codes, classes, logs);
                }
                Self::Entries(columns)
            }
            LayoutKind::Incomplete => Self::Incomplete,
        }
    }
}
