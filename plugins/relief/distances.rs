//! Distances of a few observations to all, over all variables.
//!
//! Each is one sum in the order of the columns, however many are summed at once and on how many
//! threads: the same bits everywhere, for nothing is fused.

// The wider vectors of a CPU that has them are behind a call that must be told so.
#![allow(unsafe_code)]

use crate::data::{Data, Extent, all};

/// Observations whose distances are found together.
pub(crate) const BLOCK: usize = 32;

/// Observations whose numbers lie together, for one variable after another.
const PANEL: usize = 64;

/// Columns of a tile: a panel of it stays in the fastest memory.
const WIDTH: usize = 32;

/// Columns added to a sum before it is stored again.
const TOGETHER: usize = 4;

/// What one variable adds to a distance; one of names adds 1 where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// |a − b| / range.
    Share,
    /// (a − b)².
    Square,
}

/// A variable in a tile, or one name of a variable of names: two observations of different
/// names differ in two of these, by ½ each.
#[derive(Debug, Clone, Copy)]
struct Part {
    column: usize,
    name: Option<usize>,
}

/// Some columns: of a panel's observations the numbers of one column, then of the next.
#[derive(Debug)]
struct Tile {
    numbers: Vec<[f64; PANEL]>,
    width: usize,
    measure: Measure,
}

/// The numbers of all observations, laid out for distances.
#[derive(Debug)]
pub(crate) struct Distances {
    tiles: Vec<Tile>,
    n: usize,
    panels: usize,
    /// Whether sums have no rounding, so that ties are ties.
    exact: bool,
}

impl Distances {
    /// Reads all columns that are not constant.
    pub(crate) fn new(
        data: &impl Data,
        extents: &[Extent],
        measure: Measure,
    ) -> Result<Self, String> {
        let columns: Vec<usize> = (0..extents.len())
            .filter(|at| extents[*at].range > 0.0)
            .collect();
        let used = || columns.iter().map(|at| extents[*at]);
        let whole = used().all(|extent| extent.whole || extent.names > 0);
        let common = match (whole, measure) {
            (false, _) => None,
            (true, Measure::Share) => common_multiple(used(), columns.len()),
            (true, Measure::Square) => Some(1.0).filter(|_| {
                // Partial sums, of halves, are below 2⁵³.
                let square = |extent: Extent| match extent.names {
                    0 => extent.range * extent.range,
                    _ => 1.0,
                };
                2.0 * used().map(square).sum::<f64>() < EXACT
            }),
        };
        let one = match measure {
            Measure::Share => common.unwrap_or(1.0),
            Measure::Square => 1.0,
        };
        let scaled = |number: f64, extent: &Extent| match (measure, common) {
            (Measure::Square, _) => number,
            (Measure::Share, Some(common)) => (number - extent.least) * (common / extent.range),
            (Measure::Share, None) => (number - extent.least) / extent.range,
        };
        let n = data.n();
        let panels = n.div_ceil(PANEL);
        let numbers = columns.iter().filter(|at| extents[**at].names == 0);
        let numbers = numbers.map(|&column| Part { column, name: None });
        let numbers: Vec<Part> = numbers.collect();
        let names = columns.iter().flat_map(|&column| {
            let all = 0..extents[column].names;
            all.map(move |name| Part {
                column,
                name: Some(name),
            })
        });
        let names: Vec<Part> = names.collect();
        let parts = numbers.chunks(WIDTH).map(|chunk| (measure, chunk));
        let parts = parts.chain(names.chunks(WIDTH).map(|chunk| (Measure::Share, chunk)));
        let parts: Vec<(Measure, &[Part])> = parts.collect();
        let tiles = all(data, parts.len(), |at| {
            let (measure, parts) = parts[at];
            let width = parts.len();
            let mut numbers = vec![[0.0; PANEL]; panels * width];
            for (place, part) in parts.iter().enumerate() {
                let own = data.numbers(part.column)?;
                for (panel, chunk) in own.chunks(PANEL).enumerate() {
                    let to = &mut numbers[panel * width + place];
                    for (to, number) in to.iter_mut().zip(chunk) {
                        *to = match part.name {
                            None => scaled(*number, &extents[part.column]),
                            Some(name) if *number == name as f64 => one / 2.0,
                            Some(_) => 0.0,
                        };
                    }
                }
            }
            Ok(Tile {
                numbers,
                width,
                measure,
            })
        })?;
        Ok(Self {
            tiles,
            n,
            panels,
            exact: common.is_some(),
        })
    }

    /// The distances of these observations, at most [`BLOCK`], to all n: a unit that is the same
    /// for all. Those equal to nine digits are equal. None where the user wants the end.
    pub(crate) fn of(&self, observations: &[usize], data: &impl Data) -> Option<Vec<Vec<f64>>> {
        let mut sums = vec![[0.0; PANEL]; observations.len() * self.panels];
        let mut own = Vec::new();
        for tile in &self.tiles {
            if data.interrupted() {
                return None;
            }
            own.clear();
            for at in observations {
                let panel = &tile.numbers[at / PANEL * tile.width..][..tile.width];
                own.extend(panel.iter().map(|column| column[at % PANEL]));
            }
            match tile.measure {
                Measure::Share => add::<false>(tile, &own, self.panels, &mut sums),
                Measure::Square => add::<true>(tile, &own, self.panels, &mut sums),
            }
        }
        let rows = sums.chunks(self.panels.max(1));
        let row = |row: &[[f64; PANEL]]| {
            let distances = row.as_flattened()[..self.n].iter();
            match self.exact {
                true => distances.copied().collect(),
                false => distances.map(|distance| rounded(*distance)).collect(),
            }
        };
        Some(rows.map(row).collect())
    }
}

/// Whole numbers below it, and their sums, are exact.
const EXACT: f64 = (1u64 << 53) as f64;

/// Of ranges that are whole numbers a multiple of all, if so many of it have an exact sum.
fn common_multiple(extents: impl Iterator<Item = Extent>, count: usize) -> Option<f64> {
    let mut common: u64 = 1;
    for extent in extents {
        let range = match extent.names {
            0 => extent.range as u64,
            // A name is one half.
            _ => 2,
        };
        let multiple = u128::from(common / divisor(common, range)) * u128::from(range);
        if multiple * count as u128 >= 1 << 53 {
            return None;
        }
        common = multiple as u64;
    }
    Some(common as f64)
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => divisor(b, a % b),
    }
}

/// To 32 bits: sums of rounded numbers that are equal but for that become so.
fn rounded(distance: f64) -> f64 {
    f64::from_bits((distance.to_bits() + (1 << 20)) & !((1 << 21) - 1))
}

/// Adds a tile's part to the sums, by the widest vectors there are.
fn add<const SQUARE: bool>(tile: &Tile, own: &[f64], panels: usize, sums: &mut [[f64; PANEL]]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this CPU has it.
        return unsafe { add_wide::<SQUARE>(tile, own, panels, sums) };
    }
    add_any::<SQUARE>(tile, own, panels, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_wide<const SQUARE: bool>(
    tile: &Tile,
    own: &[f64],
    panels: usize,
    sums: &mut [[f64; PANEL]],
) {
    add_any::<SQUARE>(tile, own, panels, sums);
}

#[inline(always)]
fn add_any<const SQUARE: bool>(tile: &Tile, own: &[f64], panels: usize, sums: &mut [[f64; PANEL]]) {
    for (panel, numbers) in tile.numbers.chunks_exact(tile.width).enumerate() {
        for (row, own) in own.chunks_exact(tile.width).enumerate() {
            let sums = &mut sums[row * panels + panel];
            let (some, rest) = numbers.as_chunks::<TOGETHER>();
            let (own, own_rest) = own.as_chunks::<TOGETHER>();
            for (numbers, own) in some.iter().zip(own) {
                step::<SQUARE, TOGETHER>(sums, own, numbers);
            }
            for (numbers, own) in rest.iter().zip(own_rest) {
                step::<SQUARE, 1>(sums, &[*own], &[*numbers]);
            }
        }
    }
}

/// One column after another, for many observations at once.
#[inline(always)]
fn step<const SQUARE: bool, const COLUMNS: usize>(
    sums: &mut [f64; PANEL],
    own: &[f64; COLUMNS],
    numbers: &[[f64; PANEL]; COLUMNS],
) {
    for (at, sum) in sums.iter_mut().enumerate() {
        for (own, numbers) in own.iter().zip(numbers) {
            let apart = own - numbers[at];
            *sum += match SQUARE {
                true => apart * apart,
                false => apart.abs(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Few, extents};

    fn distances(columns: &[&[f64]], measure: Measure) -> (bool, Vec<Vec<f64>>) {
        let classes = vec![0; columns[0].len()];
        let data = Few {
            columns,
            classes: &classes,
        };
        let extents = extents(&data).unwrap();
        let distances = Distances::new(&data, &extents, measure).unwrap();
        let all: Vec<usize> = (0..classes.len()).collect();
        let blocks = all.chunks(BLOCK);
        let of = blocks.flat_map(|block| distances.of(block, &data).unwrap());
        (distances.exact, of.collect())
    }

    #[test]
    fn they_are_the_sums_of_the_definition() {
        // More columns than a tile, more observations than a block, none a multiple.
        let (n, p) = (45, 70);
        for fraction in [1.0, 0.37] {
            let number = |j: usize, t: usize| ((t * t * 7 + j * t * 3 + j) % (j + 5)) as f64;
            let columns: Vec<Vec<f64>> = (0..p)
                .map(|j| (0..n).map(|t| number(j, t) * fraction).collect())
                .collect();
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            for measure in [Measure::Share, Measure::Square] {
                let (exact, found) = distances(&columns, measure);
                // The ranges, up to 73, have no common multiple of 53 bits.
                assert_eq!(exact, fraction == 1.0 && measure == Measure::Square);
                for (a, row) in found.iter().enumerate() {
                    for (b, distance) in row.iter().enumerate() {
                        let part = |x: &&[f64]| {
                            let most = x.iter().copied().fold(f64::MIN, f64::max);
                            let range = most - x.iter().copied().fold(f64::MAX, f64::min);
                            match measure {
                                Measure::Share => (x[a] - x[b]).abs() / range,
                                Measure::Square => (x[a] - x[b]).powi(2),
                            }
                        };
                        let sum: f64 = columns.iter().map(part).sum();
                        assert!((distance - sum).abs() < 1e-9 * (1.0 + sum), "{a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn wide_vectors_have_the_same_bits() {
        let number = |at: usize| ((at * 7919) % 104_729) as f64 / 3.0;
        // Columns that are no multiple of those added together.
        let (width, panels) = (7, 3);
        let row = |at: usize| std::array::from_fn(|lane| number(at * PANEL + lane));
        let tile = Tile {
            numbers: (0..width * panels).map(row).collect(),
            width,
            measure: Measure::Share,
        };
        let own: Vec<f64> = (0..5 * width).map(|at| number(at * at)).collect();
        let mut sums = [(); 2].map(|()| vec![[0.1; PANEL]; 5 * panels]);
        add::<false>(&tile, &own, panels, &mut sums[0]);
        add_any::<false>(&tile, &own, panels, &mut sums[1]);
        assert_eq!(sums[0], sums[1]);
        add::<true>(&tile, &own, panels, &mut sums[0]);
        add_any::<true>(&tile, &own, panels, &mut sums[1]);
        assert_eq!(sums[0], sums[1]);
    }

    #[test]
    fn sums_of_thirds_and_halves_tie_exactly() {
        // 1/3 + 1/2 of the ranges either way round.
        let columns: [&[f64]; 4] = [
            &[0.0, 1.0, 3.0, 0.0],
            &[0.0, 1.0, 0.0, 2.0],
            &[5.0, 5.0, 8.0, 6.0],
            &[2.0, 2.0, 4.0, 3.0],
        ];
        let (exact, found) = distances(&columns, Measure::Share);
        assert!(exact);
        // In sixths.
        assert_eq!(found[0], [0.0, 5.0, 18.0, 11.0]);
        assert_eq!(divisor(12, 18), 6);
    }

    #[test]
    fn rounding_does_not_part_equal_sums() {
        let sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6];
        assert!(sums[0] != sums[1]);
        let [a, b, c] = sums.map(rounded);
        assert!(a == b && b == c);
        assert_eq!(rounded(0.0), 0.0);
        assert_eq!(rounded(f64::INFINITY), f64::INFINITY);
        assert!(rounded(1.0) < rounded(1.0 + 1e-9));
    }
}
