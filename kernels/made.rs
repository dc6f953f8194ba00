//! Columns that are made on the GPU, for benchmarks of data larger than a host would bring: any
//! value follows from the seed, its column and its row alone, whatever the GPUs and the layout.
//!
//! With `mixed` the finalizer of SplitMix64 and s its step, column j has the key
//! kⱼ = mixed(seed + (j + 1)·s), and its word at i is mixed(kⱼ + (i + 1)·s). Where `scale` is 0
//! the code of row i is bell-shaped, ⌊levels · Σ four parts of 16 bits of word i / 2¹⁸⌋.
//! Else the column is 0 but in ⌊scale / (j + 1)⌋ rows, 1 … n/2: entry e of ℓ lies in a row of
//! ⌊e·n/ℓ⌋ … ⌊(e + 1)·n/ℓ⌋ − 1, by the upper half of word e, and its code of 1 … levels − 1 is by
//! the lower.
//!
//! *Shapes*: of each member of [`Made`] there; a launch makes one pack of columns.
//!
//! *Launch*: no dynamic shared memory; any block, any grid.
//!
//! | function | grid | makes |
//! | --- | --- | --- |
//! | `made_bell` | (words of 32 bits of a line, lines) | bell-shaped codes; lines are columns, or rows where `by_row`; what fills lines up is 0 |
//! | `made_scattered` | (columns) | entries among dense codes that are 0 before |
//! | `made_listed` | (columns) | entries, a column's from `starts` on |
//! | `made_short` | (places) | 2^`each` places of each column; the last warp's are filled up |
//! | `made_places` | (columns) | `places` and what else is told of each column |
//!
//! *Exactness*: integers; the same as [`reference()`].

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "made",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"made.cu\"\n",
        include_str!("made.cu")
    ),
    functions: &[
        "made_bell",
        "made_scattered",
        "made_listed",
        "made_short",
        "made_places",
    ],
    spills: &[],
};

/// What the functions take, by value. Four bytes behind it are free.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Made {
    /// As [`Recipe::seed`].
    pub seed: u64,
    /// Observations.
    pub rows: i64,
    /// As [`Recipe::scale`].
    pub scale: u64,
    /// u32: of each column of the pack, its number.
    pub numbers: u64,
    /// Of the pack, where codes are dense.
    pub codes: u64,
    /// Bytes from one column to the next, or from one row; a multiple of 4.
    pub stride: i64,
    /// u32: the rows of entries.
    pub listed: u64,
    /// u16: their codes.
    pub listed_codes: u64,
    /// u64: where each column's entries begin; null where each has 2^`each` places.
    pub starts: u64,
    /// [`crate::counting::ColumnCodes`]: of each column.
    pub places: u64,
    /// u32: of each column.
    pub of_levels: u64,
    /// u32: the most frequent code of each, 0.
    pub of_most: u64,
    /// u32: the code of missing values of each, none: u32::MAX.
    pub of_left_out: u64,
    /// As [`Recipe::levels`].
    pub levels: u32,
    /// Of the pack.
    pub columns: u32,
    /// 4, 8 or 16 bits of a dense code; 0 where entries are listed.
    pub bits: u32,
    /// Whether a column is a byte of each row, 0 or 1.
    pub by_row: u32,
    /// log₂ of a short column's places.
    pub each: u32,
}

/// What columns are made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Other data of the same shape.
    pub seed: u64,
    /// Observations, at least one.
    pub rows: usize,
    /// 1 … 65,536; at least 2 where there are entries.
    pub levels: u32,
    /// 0 where codes are bell-shaped; else about the entries of the first column.
    pub scale: u64,
}

const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Recipe {
    /// The word of a column at a row or entry.
    pub fn word(&self, column: u32, at: usize) -> u64 {
        let step = |it: u64| (it + 1).wrapping_mul(STEP);
        let key = mixed(self.seed.wrapping_add(step(column.into())));
        mixed(key.wrapping_add(step(at as u64)))
    }

    /// Entries of a column, where it lists them.
    pub fn length(&self, column: u32) -> usize {
        let zipf = self.scale / (u64::from(column) + 1);
        (zipf as usize).max(1).min((self.rows / 2).max(1))
    }

    /// The rows of a column off code 0, ascending, and their codes.
    pub fn entries(&self, column: u32) -> impl Iterator<Item = (u32, u16)> + '_ {
        let length = self.length(column);
        (0..length).map(move |at| {
            let word = self.word(column, at);
            let [from, to] = [at, at + 1].map(|it| (it * self.rows / length) as u64);
            let row = from + (((word >> 32) * (to - from)) >> 32);
            let code = ((word & 0xFFFF_FFFF) * (u64::from(self.levels) - 1)) >> 32;
            (row as u32, 1 + code as u16)
        })
    }
}

/// The codes of a column.
///
/// ```
/// use passel_kernels::made::{Recipe, reference};
/// let mut recipe = Recipe { seed: 1, rows: 10, levels: 5, scale: 0 };
/// let bell = reference(&recipe, 7);
/// assert!(bell.len() == 10 && bell.iter().all(|it| *it < 5));
/// recipe.scale = 6;
/// // ⌊6 / 2⌋ entries, in the first, the second and the last rows.
/// let off: Vec<bool> = reference(&recipe, 1).iter().map(|it| *it > 0).collect();
/// let count = |part: &[bool]| part.iter().filter(|it| **it).count();
/// assert_eq!([&off[..3], &off[3..6], &off[6..]].map(count), [1, 1, 1]);
/// ```
pub fn reference(recipe: &Recipe, column: u32) -> Vec<u32> {
    if recipe.scale == 0 {
        let bell = |row| {
            let word = recipe.word(column, row);
            let sum: u64 = (0..4).map(|part| (word >> (16 * part)) & 0xFFFF).sum();
            ((sum * u64::from(recipe.levels)) >> 18) as u32
        };
        return (0..recipe.rows).map(bell).collect();
    }
    let mut codes = vec![0; recipe.rows];
    for (row, code) in recipe.entries(column) {
        codes[row as usize] = code.into();
    }
    codes
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn the_struct_lies_as_c_lays_it() {
        assert_eq!(size_of::<Made>(), 128);
        assert_eq!(
            (offset_of!(Made, levels), offset_of!(Made, each)),
            (104, 120)
        );
    }

    #[test]
    fn no_row_of_a_column_comes_twice_and_all_codes_are_off_0() {
        for (rows, scale) in [(2, 1), (10, 30), (97, 3000), (4099, 10_000)] {
            let recipe = Recipe {
                seed: 3,
                rows,
                levels: 4,
                scale,
            };
            for column in 0..40 {
                let entries: Vec<(u32, u16)> = recipe.entries(column).collect();
                assert_eq!(entries.len(), recipe.length(column));
                assert!(entries.is_sorted_by(|a, b| a.0 < b.0), "{rows} {column}");
                assert!(entries.iter().all(|it| (it.0 as usize) < rows));
                assert!(entries.iter().all(|it| (1..4).contains(&it.1)));
            }
        }
    }

    #[test]
    fn bells_use_all_levels_and_words_differ() {
        for levels in [1, 2, 31, 300, 1 << 16] {
            let recipe = Recipe {
                seed: 9,
                rows: 20_000,
                levels,
                scale: 0,
            };
            let codes = reference(&recipe, 0);
            assert!(codes.iter().all(|it| *it < levels));
            let mean = codes.iter().map(|&it| f64::from(it) + 0.5).sum::<f64>() / 20_000.0;
            // A level's share of a deviation of 0.144 over the square root of n.
            assert!((mean / f64::from(levels) - 0.5).abs() < 0.01, "{levels}");
            assert!(levels < 31 || codes != reference(&recipe, 1));
        }
    }
}
