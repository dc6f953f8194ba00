//! Genotypes at two bits: products with columns of numbers, by integers on tensor cores, and the numbers that they stand for.
//!
//! ```text
//! eⱼᵥ = Σᵢ xᵢⱼ vᵢ,   xᵢⱼ = valuesⱼ[codeᵢⱼ]
//! ```
//!
//! A code is two bits of a word, the first person's lowest: 00 is one copy of the allele, 01 none, 10 two, 11 missing. The
//! values of no, one and two copies lie evenly apart, so with cᵢⱼ = 0, −1, 1, and 0 of a missing genotype,
//!
//! ```text
//! eⱼᵥ = a Σᵢ cᵢⱼ vᵢ + values[00] Σᵢ vᵢ + (values[11] − values[00]) Σ_missing vᵢ,   a = (values[10] − values[01]) / 2
//! ```
//!
//! and a column v, in fixed point, is cut into digits −128 … 127 to the base 256, of which the sums are integers.
//!
//! *Shapes*: `words` of p columns, each of `stride` × 16 bytes, whose people behind the n-th have code 00; `values` p × 4, by
//! code; `columns` n × m, column-major, f64; `roots`, which multiply them (and what `unpack` writes), n or null; `digits`
//! ⌈m·S/N⌉ tiles of `stages` = ⌈n/256⌉ stages of 256·N bytes: 32 people at a time, of these 16, then eight columns, then the 16
//! bytes of each. `scales` m, the unit of the last digit; `totals` m pairs, Σᵢ vᵢ in that unit as a number to the base 2³²;
//! `e` p × m, column-major. N is the columns of bytes of a tile, S the digits of a number: two screen, eight hold all bits
//! of an f64 within 2⁻⁹ of its column's largest and round others to 2⁻⁶² of that.
//!
//! *Launch*, in this order; `N_S` is one of `8_2`, `32_2`, `128_2`, `32_8`, `128_8`:
//!
//! | function | grid | block | shared | what |
//! | --- | --- | --- | --- | --- |
//! | `largest` | (any, m) | 256 | | `most`, m u64 that are 0 before: the bits of the largest magnitude of each column |
//! | `cut_N_S` | (stages, tiles) | 256 | 256·N | `digits`, `scales`, and `totals`, which are 0 before |
//! | `multiply_N_S` | (tiles, ⌈p/256⌉) | 256 | `slots`·256·N, 2 ≤ `slots` ≤ 4 (3 at least on Hopper) | `missing` = 0: e but for the term of missing genotypes; then, = 1: adds that |
//!
//! Beside them, `widen` (any, 256 threads) makes ‖r‖² of m models so large that `off` times ‖r‖ is also what two products of
//! columns whose values have norm `norm` at most may differ by when two digits stand for r. `unpack` ((any, count), 256) writes
//! n numbers of each of `count` columns.
//!
//! *Exactness*: sums of digits are exact for n < 2²⁴; e of eight digits is off by a few roundings, of two by at most
//! ‖x‖·√n·scale/2 more. Every number of `unpack` is rounded as `values[code] * roots` is.

use crate::Kernel;

/// People of a stage, and variants of a block.
pub const STAGE: usize = 256;

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "genotypes",
    source!("barriers.cuh", "genotypes.cuh", "genotypes.cu"),
    &[
        "largest",
        "cut_8_2",
        "cut_32_2",
        "cut_128_2",
        "cut_32_8",
        "cut_128_8",
        "multiply_8_2",
        "multiply_32_2",
        "multiply_128_2",
        "multiply_32_8",
        "multiply_128_8",
        "widen",
        "unpack",
    ],
);

/// The words, two bits a person, of codes; people are padded to whole stages.
///
/// ```
/// assert_eq!(passel_kernels::genotypes::words(&[1, 0, 3])[0], 0b11_00_01);
/// ```
pub fn words(codes: &[u8]) -> Vec<u32> {
    let mut words = vec![0; codes.len().div_ceil(STAGE) * STAGE / 16];
    for (person, code) in codes.iter().enumerate() {
        words[person / 16] |= u32::from(*code) << (2 * (person % 16));
    }
    words
}

/// The number of each person.
///
/// ```
/// let numbers = passel_kernels::genotypes::reference(&[1, 0, 3], &[0.5, -0.5, 1.5, 0.0], &[]);
/// assert_eq!(numbers, [-0.5, 0.5, 0.0]);
/// ```
pub fn reference(codes: &[u8], values: &[f64; 4], roots: &[f64]) -> Vec<f64> {
    let mut numbers: Vec<f64> = codes
        .iter()
        .map(|code| values[usize::from(*code)])
        .collect();
    numbers
        .iter_mut()
        .zip(roots)
        .for_each(|(x, root)| *x *= root);
    numbers
}
