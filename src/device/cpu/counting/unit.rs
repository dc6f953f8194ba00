//! A few columns in the layout that suits them.

use std::borrow::Cow;

use super::{
    cells, joined, planes,
    prepared::{Classes, Prepared},
    rows::{self, Row, WIDTH},
    sparse,
    table::{self, Work},
};
use crate::{
    binning::{BinnedColumn, Codes},
    device::counting::LogTable,
};

/// Up to so many observations dense columns lie by rows.
const BY_ROWS: usize = 4096;

/// Columns of few levels are bit planes unless their cells are more than so many times the
/// observations.
const BY_PLANES: usize = 4;

/// From so many observations on a column with few entries off its most frequent level is
/// sparse.
const BY_ENTRIES: usize = 64;

/// Observations an entry of a sparse column costs as much as.
const ENTRY: usize = 7;

/// Entries of the columns of one unit at most, but for a longer single one.
const ENTRIES: usize = 1 << 14;

/// Largest group of observations of one anchor level that rows compare: counts are bytes.
const GROUP: u32 = 200;

/// Where the codes lie, in class order.
#[derive(Debug)]
enum Layout<'a> {
    /// By observation, one code of each column: up to 256 levels.
    Rows {
        tile: Vec<Row>,
        levels: usize,
    },
    /// One or two columns of up to 256 levels, each in a piece.
    Bytes {
        codes: Vec<Cow<'a, [u8]>>,
        levels: usize,
    },
    /// The same, of more levels.
    Words {
        codes: Vec<Cow<'a, [u16]>>,
        levels: usize,
    },
    Planes(planes::Columns),
    Sparse(sparse::Columns),
    /// Columns that miss values lie as they are; see `whole.rs`.
    Whole,
}

/// Some columns.
#[derive(Debug)]
pub(super) struct Unit<'a> {
    /// Ascending.
    pub(super) columns: Vec<u32>,
    layout: Layout<'a>,
}

/// What one thread counts with.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    tables: table::Tables,
    joined: joined::Table,
    sparse: sparse::Tables,
    bytes: [Vec<u8>; 2],
    pub(super) whole: cells::Table,
}

/// How a column is to lie; columns of one kind come together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Rows,
    Bytes,
    Words,
    Planes(usize),
    Sparse,
    Whole,
}

impl Kind {
    fn of(column: &BinnedColumn, classes: usize) -> Self {
        if column.excluded_code().is_some() {
            return Self::Whole;
        }
        let n = column.codes.n();
        let few = |entries: usize| n >= BY_ENTRIES && entries * ENTRY <= n;
        let cells = column.levels.pow(2) * classes;
        match &column.codes {
            codes if few(entries(codes, column.levels, n / ENTRY)) => Self::Sparse,
            _ if column.levels > 256 => Self::Words,
            _ if column.levels <= planes::LEVELS && cells <= BY_PLANES * n => {
                Self::Planes(column.levels.max(2))
            }
            _ if n <= BY_ROWS => Self::Rows,
            _ => Self::Bytes,
        }
    }

    /// Columns of one unit at most.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Rows | Self::Planes(_) | Self::Sparse => WIDTH,
            Self::Bytes | Self::Words | Self::Whole => 2,
        }
    }
}

/// Observations a look at a column begins with.
const LOOK: usize = 1024;

/// Observations off the most frequent level, or of the first few more than their share of
/// `most`.
fn entries(codes: &Codes, levels: usize, most: usize) -> usize {
    fn off<C: table::Code>(codes: &[C], levels: usize, most: usize) -> usize {
        let count = |codes: &[C]| {
            let mut counts = vec![0usize; levels];
            codes.iter().for_each(|code| counts[code.place()] += 1);
            codes.len() - counts.into_iter().max().unwrap_or(0)
        };
        let look = count(&codes[..codes.len().min(LOOK)]);
        // Twice the share: the first may differ from the others.
        if codes.len() > LOOK && look * codes.len() > 2 * most * LOOK {
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
    /// These columns, numbered from `first` on, in units; `least` columns or units to a piece
    /// of the work.
    pub(super) fn lay(
        columns: &'a [BinnedColumn],
        first: usize,
        classes: &Classes,
        logs: &LogTable,
        least: usize,
    ) -> Vec<Self> {
        use rayon::prelude::*;
        let kinds: Vec<(Kind, usize)> = columns
            .par_iter()
            .with_min_len(least)
            .enumerate()
            .map(|(at, column)| (Kind::of(column, classes.count()), at))
            .collect();
        let mut groups: Vec<(Kind, Vec<usize>)> = Vec::new();
        let mut open = std::collections::HashMap::new();
        for (kind, at) in kinds {
            let group = *open.entry(kind).or_insert(usize::MAX);
            let full = |it: &(Kind, Vec<usize>)| {
                let entries = |at: &usize| match &columns[*at].codes {
                    Codes::Sparse { rows, .. } => rows.len(),
                    codes => codes.n() / ENTRY,
                };
                it.1.len() >= kind.width()
                    || kind == Kind::Sparse && it.1.iter().map(entries).sum::<usize>() > ENTRIES
            };
            match groups.get_mut(group).filter(|it| !full(it)) {
                Some(group) => group.1.push(at),
                None => {
                    open.insert(kind, groups.len());
                    groups.push((kind, vec![at]));
                }
            }
        }
        let places = classes.places();
        groups
            .into_par_iter()
            .with_min_len(least)
            .map(|(kind, own)| Self::of(kind, &own, columns, first, (classes, &places), logs))
            .collect()
    }

    /// Those of the columns at `own`, laid out in this way.
    pub(super) fn of(
        kind: Kind,
        own: &[usize],
        columns: &'a [BinnedColumn],
        first: usize,
        classes: (&Classes, &[u32]),
        logs: &LogTable,
    ) -> Self {
        let numbers = own.iter().map(|&at| (first + at) as u32).collect();
        let own: Vec<&'a BinnedColumn> = own.iter().map(|&at| &columns[at]).collect();
        Self {
            columns: numbers,
            layout: Layout::of(kind, &own, classes, logs),
        }
    }

    /// Whether its columns miss values: then nothing here counts them.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.layout, Layout::Whole)
    }

    /// Σ c·L(c) over x and (x, y) of each column: from one pass, or from work against an
    /// anchor of one level and, where that has no classes, against the response.
    pub(super) fn own(
        &self,
        (nothing, response): (Work, Work),
        scratch: &mut Scratch,
        sums: &mut Vec<[i64; 2]>,
    ) {
        if let Layout::Bytes { codes, levels } = &self.layout
            && let Some(counted) = both_joined(codes, *levels, response, &mut scratch.joined)
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
    pub(super) fn sums(&self, work: Work, scratch: &mut Scratch, sums: &mut Vec<[i64; 2]>) {
        sums.clear();
        sums.resize(self.columns.len(), [0; 2]);
        let Work {
            anchor, classes, ..
        } = work;
        match &self.layout {
            Layout::Rows { tile, levels } => {
                if compares(tile.len(), *levels, anchor) {
                    let [xw, xwy] = rows::sums(tile, anchor, classes, work.by_class, work.logs);
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
                    let counted = table::sums([a, b], *levels, work, &mut scratch.tables);
                    sums.copy_from_slice(&counted[..sums.len()]);
                }
            }
            Layout::Bytes { codes, levels } => {
                if let Some(counted) = both_joined(codes, *levels, work, &mut scratch.joined) {
                    for (sums, [_, xw]) in sums.iter_mut().zip(counted) {
                        sums[0] = xw;
                    }
                    return;
                }
                both(codes, *levels, work, &mut scratch.tables, sums);
            }
            Layout::Words { codes, levels } => {
                both(codes, *levels, work, &mut scratch.tables, sums);
            }
            Layout::Planes(columns) => {
                if anchor.levels <= planes::LEVELS {
                    columns.sums(anchor, classes, work.logs, sums);
                    return;
                }
                let codes = &mut scratch.bytes[0];
                for (column, sums) in sums.iter_mut().enumerate() {
                    columns.codes(column, classes, codes);
                    [*sums] = table::sums([codes], columns.levels, work, &mut scratch.tables);
                }
            }
            Layout::Sparse(columns) => {
                columns.sums(work, &mut scratch.sparse, sums);
            }
            Layout::Whole => {}
        }
    }
}

/// Whether comparing observations costs less than counting them in tables, per column.
fn compares(n: usize, levels: usize, anchor: &Prepared) -> bool {
    // In cycles, measured: docs/performance.md.
    let comparing = anchor.pairs as f64 * 0.05 + n as f64 * 0.5;
    let cells = (anchor.levels * levels.next_power_of_two()).min(4 * n);
    let counting = 3.0 * n as f64 + 1.5 * cells as f64;
    anchor.largest <= GROUP && comparing <= counting
}

/// Σ c·L(c) over x and (x, w) of two columns, where one table does for both.
fn both_joined(
    codes: &[Cow<[u8]>],
    levels: usize,
    work: Work,
    table: &mut joined::Table,
) -> Option<[[i64; 2]; 2]> {
    let [a, b] = codes else { return None };
    let suits = !work.by_class && joined::suits(a.len(), levels, work.anchor);
    suits.then(|| joined::sums([a, b], work.anchor, work.logs, table))
}

fn both<C: table::Code>(
    codes: &[Cow<[C]>],
    levels: usize,
    work: Work,
    tables: &mut table::Tables,
    sums: &mut [[i64; 2]],
) {
    match codes {
        [a, b] => sums.copy_from_slice(&table::sums([a, b], levels, work, tables)),
        _ => {
            for (codes, sums) in codes.iter().zip(sums) {
                [*sums] = table::sums([codes], levels, work, tables);
            }
        }
    }
}

impl<'a> Layout<'a> {
    fn of(
        kind: Kind,
        own: &[&'a BinnedColumn],
        (classes, places): (&Classes, &[u32]),
        logs: &LogTable,
    ) -> Self {
        let levels = own.iter().map(|it| it.levels).max().unwrap_or(1);
        // Where there are no classes, the columns' own codes will do.
        let bytes = |column: &'a BinnedColumn| match &column.codes {
            Codes::Byte(codes) => classes.sorted(codes),
            other => {
                let codes: Vec<u8> = other.dense().iter().map(|&it| it as u8).collect();
                classes.sorted(&codes).into_owned().into()
            }
        };
        let words = |column: &'a BinnedColumn| match &column.codes {
            Codes::Word(codes) => classes.sorted(codes),
            other => classes.sorted(&other.dense()).into_owned().into(),
        };
        match kind {
            Kind::Rows => {
                let mut tile = vec![Row::ZERO; classes.n()];
                for (at, column) in own.iter().enumerate() {
                    for (row, &code) in tile.iter_mut().zip(&*bytes(column)) {
                        row.0[at] = code;
                    }
                }
                Self::Rows { tile, levels }
            }
            Kind::Bytes => Self::Bytes {
                codes: own.iter().map(|it| bytes(it)).collect(),
                levels,
            },
            Kind::Words => Self::Words {
                codes: own.iter().map(|it| words(it)).collect(),
                levels,
            },
            Kind::Planes(levels) => {
                let mut columns = planes::Columns::new(levels, classes);
                for column in own {
                    columns.push(&bytes(column), classes);
                }
                Self::Planes(columns)
            }
            Kind::Sparse => {
                let mut columns = sparse::Columns::default();
                for column in own {
                    columns.push(&column.codes, places, classes.of(), logs);
                }
                Self::Sparse(columns)
            }
            Kind::Whole => Self::Whole,
        }
    }
}
