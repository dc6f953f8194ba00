//! Columns of few levels as bit planes, one for each level but the last.
//!
//! Each class begins with a new word, so the cell (x, w, y) is the number of bits that the planes
//! of x and w have in common in the words of y. The cells of the last levels follow from the
//! margins.

use super::{class_order::Classes, dense::Sweep};
use crate::vector::vectorised;

/// Most levels of a column, and of a conditioning variable, that are counted by planes.
pub(super) const LEVELS: usize = 8;

/// Columns of equally many levels.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) levels: usize,
    /// The planes by column, then by level, each of [`words`] words.
    planes: Vec<u64>,
    /// Observations by column, then by class, then by level.
    margins: Vec<u32>,
    words: usize,
}

/// Number of words of a plane.
fn words(classes: &Classes) -> usize {
    classes.runs().map(|run| run.len().div_ceil(64)).sum()
}

/// The planes of codes in class order, for all levels but the last. `word` has the bits of up to 64 codes that are a
/// level.
fn planes<C>(
    codes: &[C],
    levels: usize,
    classes: &Classes,
    word: impl Fn(&[C], u8) -> u64,
) -> Vec<u64> {
    let mut planes = Vec::with_capacity(levels.saturating_sub(1) * words(classes));
    for level in 0..levels.saturating_sub(1) as u8 {
        for run in classes.runs() {
            planes.extend(codes[run].chunks(64).map(|codes| word(codes, level)));
        }
    }
    planes
}

/// A bit for each code, set where it is the level.
fn level_bits<C: Copy + Into<u32>>(codes: &[C], level: u8) -> u64 {
    let bits = codes.iter().zip(0..);
    bits.fold(0, |word, (&code, bit)| {
        word | u64::from(code.into() == u32::from(level)) << bit
    })
}

/// [`level_bits`] of codes below [`LEVELS`], eight at a time.
fn level_bits_of_bytes(codes: &[u8], level: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (eights, rest) = codes.as_chunks();
    let first = level_bits(rest, level).checked_shl(8 * eights.len() as u32);
    eights
        .iter()
        .zip(0..)
        .fold(first.unwrap_or(0), |word, (eight, at)| {
            // Bytes below 8 and 0x7f have no carry; their highest bit is set unless they are 0.
            let other = (u64::from_le_bytes(*eight) ^ (u64::from(level) * ONES)) + 0x7f * ONES;
            let equal = !other >> 7 & ONES;
            // The bit of byte i moves to 56 + i, and no two to one place.
            word | (equal.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at)
        })
}

impl Columns {
    pub(super) fn new(levels: usize, classes: &Classes) -> Self {
        Self {
            levels,
            planes: Vec::new(),
            margins: Vec::new(),
            words: words(classes),
        }
    }

    /// Appends a column, whose codes are in class order.
    pub(super) fn push(&mut self, codes: &[u8], classes: &Classes) {
        let planes = planes(codes, self.levels, classes, level_bits_of_bytes);
        let mut at = 0;
        for run in classes.runs() {
            let span = at..at + run.len().div_ceil(64);
            at = span.end;
            let mut last = run.len() as u32;
            for level in 0..self.levels.saturating_sub(1) {
                let bits = &planes[level * self.words..][span.clone()];
                let ones: u32 = bits.iter().map(|word| word.count_ones()).sum();
                self.margins.push(ones);
                last -= ones;
            }
            self.margins.push(last);
        }
        self.planes.extend(planes);
    }

    fn column_planes(&self, column: usize) -> &[u64] {
        let each = (self.levels - 1) * self.words;
        &self.planes[column * each..][..each]
    }

    /// Restores the codes of a column, in class order.
    pub(super) fn codes(&self, column: usize, classes: &Classes, codes: &mut Vec<u8>) {
        codes.clear();
        codes.resize(classes.n(), (self.levels - 1) as u8);
        let planes = self.column_planes(column).chunks(self.words.max(1));
        for (level, plane) in planes.enumerate() {
            let mut first = 0;
            for run in classes.runs() {
                for (word, codes) in plane[first..].iter().zip(codes[run.clone()].chunks_mut(64)) {
                    let mut word = *word;
                    while word != 0 {
                        codes[word.trailing_zeros() as usize] = level as u8;
                        word &= word - 1;
                    }
                }
                first += run.len().div_ceil(64);
            }
        }
    }

    /// Σ c·L(c) over (x, w) and (x, w, y) of each column.
    pub(super) fn sums(&self, sweep: Sweep, sums: &mut [[i64; 2]]) {
        let Sweep {
            anchor,
            classes,
            logs,
            ..
        } = sweep;
        let spans: Vec<usize> = classes.runs().map(|run| run.len().div_ceil(64)).collect();
        let anchor_planes =
            anchor.planes(|codes, levels| planes(codes, levels, classes, level_bits));
        let work = Work {
            columns: self,
            spans: &spans,
            anchor_planes,
            anchor_levels: anchor.levels,
            by_cell: &anchor.by_cell,
            width: classes.count().next_power_of_two(),
            terms: logs.terms(),
        };
        match (self.levels, anchor.levels, spans.len()) {
            (2, 2, 1) => one_class(work, sums),
            (2, 2, 2) => two_classes(work, sums),
            (2, 2, _) => binary(work, sums),
            _ => few(work, sums),
        }
    }
}

#[derive(Clone, Copy)]
struct Work<'a> {
    columns: &'a Columns,
    /// Number of words of each class.
    spans: &'a [usize],
    anchor_planes: &'a [u64],
    anchor_levels: usize,
    /// Observations of each level and class of the conditioning variable.
    by_cell: &'a [u32],
    /// Number of cells of a level in `by_cell`.
    width: usize,
    terms: &'a [i64],
}

vectorised! {
    fn binary<'a>(work: Work<'a>, sums: &'a mut [[i64; 2]]) -> () = binary_in;
}

vectorised! {
    fn one_class<'a>(work: Work<'a>, sums: &'a mut [[i64; 2]]) -> () = binary_few::<1, _>;
}

vectorised! {
    fn two_classes<'a>(work: Work<'a>, sums: &'a mut [[i64; 2]]) -> () = binary_few::<2, _>;
}

vectorised! {
    fn few<'a>(work: Work<'a>, sums: &'a mut [[i64; 2]]) -> () = few_in;
}

#[inline(always)]
fn ones(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

/// Two levels each: one cell per class is counted, the other three follow.
#[inline(always)]
fn binary_in<S: pulp::Simd>(_simd: S, work: Work, sums: &mut [[i64; 2]]) {
    let (terms, classes) = (work.terms, work.spans.len());
    let of = |count: u32| terms[count as usize];
    let columns = work.columns;
    let planes = columns.planes.chunks(columns.words);
    let margins = columns.margins.chunks(2 * classes);
    for ((plane, margins), sums) in planes.zip(margins).zip(sums) {
        let mut at = 0;
        let mut total = [0; 4];
        let mut xwy = 0;
        let (first, second) = work.by_cell.split_at(work.width);
        let by_class = margins.chunks_exact(2).zip(first.iter().zip(second));
        for (&span, (x, (&w, &rest))) in work.spans.iter().zip(by_class) {
            let both = ones(&plane[at..at + span], &work.anchor_planes[at..at + span]);
            at += span;
            let cells = [both, x[0] - both, w - both, rest + both - x[0]];
            for (total, cell) in total.iter_mut().zip(cells) {
                *total += cell;
                xwy += of(cell);
            }
        }
        *sums = [total.into_iter().map(of).sum(), xwy];
    }
}

/// Two levels each and a constant number of classes, so that the loop over classes is unrolled and
/// the conditioning variable's words are found once.
#[inline(always)]
fn binary_few<const CLASSES: usize, S: pulp::Simd>(_simd: S, work: Work, sums: &mut [[i64; 2]]) {
    let (terms, columns) = (work.terms, work.columns);
    let of = |count: u32| terms[count as usize];
    let (first, second) = work.by_cell.split_at(work.width);
    let mut at = 0;
    let anchor: [_; CLASSES] = std::array::from_fn(|class| {
        let span = at..at + work.spans[class];
        at = span.end;
        (
            span.clone(),
            &work.anchor_planes[span],
            first[class],
            second[class],
        )
    });
    let planes = columns.planes.chunks_exact(columns.words);
    let (margins, _) = columns.margins.as_chunks::<2>();
    let margins = margins.as_chunks::<CLASSES>().0;
    for ((plane, margins), sums) in planes.zip(margins).zip(sums) {
        let mut total = [0; 4];
        let mut xwy = 0;
        for ((span, own, w, rest), x) in anchor.iter().zip(margins) {
            let both = ones(&plane[span.clone()], own);
            let cells = [both, x[0] - both, w - both, rest + both - x[0]];
            for (total, cell) in total.iter_mut().zip(cells) {
                *total += cell;
                xwy += of(cell);
            }
        }
        *sums = [total.into_iter().map(of).sum(), xwy];
    }
}

/// Up to [`LEVELS`] levels each.
#[inline(always)]
fn few_in<S: pulp::Simd>(_simd: S, work: Work, sums: &mut [[i64; 2]]) {
    let (terms, classes) = (work.terms, work.spans.len());
    let of = |count: u32| terms[count as usize];
    let columns = work.columns;
    let (x_last, w_last) = (columns.levels - 1, work.anchor_levels - 1);
    let words = columns.words;
    for (column, sums) in sums.iter_mut().enumerate() {
        let planes = columns.column_planes(column);
        let margins = &columns.margins[column * columns.levels * classes..];
        let mut total = [[0; LEVELS]; LEVELS];
        let mut xwy = 0;
        let mut at = 0;
        for (class, &span) in work.spans.iter().enumerate() {
            // What of the variable's margin no level of x has taken yet.
            let mut rest = [0; LEVELS];
            for (w, rest) in rest[..=w_last].iter_mut().enumerate() {
                *rest = work.by_cell[w * work.width + class];
            }
            for x in 0..x_last {
                let plane = &planes[x * words + at..][..span];
                let mut open = margins[class * columns.levels + x];
                for w in 0..w_last {
                    let both = ones(plane, &work.anchor_planes[w * words + at..][..span]);
                    open -= both;
                    rest[w] -= both;
                    total[x][w] += both;
                    xwy += of(both);
                }
                rest[w_last] -= open;
                total[x][w_last] += open;
                xwy += of(open);
            }
            for (total, &rest) in total[x_last][..=w_last].iter_mut().zip(&rest) {
                *total += rest;
                xwy += of(rest);
            }
            at += span;
        }
        let cells = total[..=x_last].iter().flat_map(|row| &row[..=w_last]);
        *sums = [cells.map(|&cell| of(cell)).sum(), xwy];
    }
}
