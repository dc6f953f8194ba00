//! Products of genotypes with columns of numbers by integers: the numbers are cut into digits.

use passel_kernels::genotypes::{KERNEL, STAGE};

use super::{
    super::DeviceError,
    genotypes::{GpuGenotypes, LaidGenotypes},
    gpu::{Gpu, arguments},
    scratch::GrowableBuffer,
};

/// Bytes of shared memory that a block may have beside what is not its stages'.
const BESIDE: usize = 2 << 10;

/// People above which sums of digits do not fit in 32 bits.
pub(in crate::device) const MOST_PEOPLE: usize = 1 << 24;

/// How many digits stand for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Accuracy {
    /// Two: products are off by [a little](Digits::widen).
    Screen,
    /// Eight: products are those of f64.
    Full,
}

/// Columns of numbers that are cut into digits.
pub(super) struct Digits {
    columns: usize,
    n: usize,
    multiply: &'static str,
    /// Columns of bytes of a tile, and tiles.
    width: usize,
    tiles: usize,
    digits: u64,
    scales: u64,
    totals: u64,
}

/// The kernels that cut and multiply, and the columns of bytes of their tiles.
fn kernels(columns: usize, accuracy: Accuracy) -> (&'static str, &'static str, usize) {
    match (accuracy, columns) {
        (Accuracy::Screen, 0..=4) => ("cut_8_2", "multiply_8_2", 8),
        (Accuracy::Screen, 5..=16) => ("cut_32_2", "multiply_32_2", 32),
        (Accuracy::Screen, _) => ("cut_128_2", "multiply_128_2", 128),
        (Accuracy::Full, 0..=4) => ("cut_32_8", "multiply_32_8", 32),
        (Accuracy::Full, _) => ("cut_128_8", "multiply_128_8", 128),
    }
}

impl Digits {
    /// Cuts n × `columns` numbers at an address, each times the root of its weight.
    pub(super) fn cut(
        gpu: &Gpu,
        room: &mut GrowableBuffer<u64>,
        (numbers, columns, n): (u64, usize, usize),
        roots: u64,
        accuracy: Accuracy,
        during: &str,
    ) -> Result<Self, DeviceError> {
        let (cut, multiply, width) = kernels(columns, accuracy);
        let digits = match accuracy {
            Accuracy::Screen => 2,
            Accuracy::Full => 8,
        };
        let (stages, tiles) = (n.div_ceil(STAGE), (columns * digits).div_ceil(width));
        let bytes = tiles * stages * STAGE * width;
        // The largest of each, the totals, the scales, then the digits, whose copies want an even place.
        let beside = (4 * columns).next_multiple_of(16);
        let most = room.room(gpu, beside + bytes / 8, during)?;
        let [totals, scales] = [1, 3].map(|of| most + (8 * of * columns) as u64);
        let own = Self {
            columns,
            n,
            multiply,
            width,
            tiles,
            digits: most + 8 * beside as u64,
            scales,
            totals,
        };
        gpu.zero(most, 8 * 3 * columns)?;
        let (rows, count) = (n as i64, columns as u32);
        let grid = (n.div_ceil(4096).min(64) as u32, count, 1);
        let given = arguments![numbers, rows, roots, most];
        gpu.launch(&KERNEL, "largest", grid, 256, 0, given)?;
        let to = own.digits;
        let given = arguments![numbers, rows, roots, most, count, to, scales, totals];
        let (grid, shared) = ((stages as u32, tiles as u32, 1), (STAGE * width) as u32);
        gpu.launch(&KERNEL, cut, grid, STAGE as u32, shared, given)?;
        Ok(own)
    }

    /// Their products with neighbouring columns of genotypes.
    ///
    /// *Shapes:* `e` `count` × columns.
    pub(super) fn multiply(
        &self,
        gpu: &Gpu,
        (own, laid): (&GpuGenotypes, LaidGenotypes),
        count: usize,
        e: u64,
    ) -> Result<(), DeviceError> {
        let stage = STAGE * self.width;
        let slots = ((gpu.shared as usize).saturating_sub(BESIDE) / stage).clamp(2, 4) as u32;
        let (words, stride) = (laid.words, (own.part.stride() / 2) as i64);
        let (rows, values, stages) = (count as i64, laid.values, self.n.div_ceil(STAGE) as i64);
        let (digits, scales, totals) = (self.digits, self.scales, self.totals);
        let (m, grid) = (
            self.columns as u32,
            (self.tiles as u32, count.div_ceil(STAGE) as u32, 1),
        );
        for missing in [0u32, 1] {
            let given = arguments![
                words, stride, rows, values, digits, stages, slots, scales, totals, m, missing, e
            ];
            let shared = slots * stage as u32;
            gpu.launch(&KERNEL, self.multiply, grid, STAGE as u32, shared, given)?;
        }
        Ok(())
    }

    /// Makes ‖r‖² of the models whose residuals these are so large that a share `off` of ‖r‖ covers what two digits leave off
    /// of the difference of two products, of columns with this norm at most without their weights.
    pub(super) fn widen(
        &self,
        gpu: &Gpu,
        squares: u64,
        (off, norm): (f64, f64),
    ) -> Result<(), DeviceError> {
        let (scales, m, n) = (self.scales, self.columns as u32, self.n as i64);
        let given = arguments![squares, scales, m, n, norm, off];
        let grid = (m.div_ceil(256), 1, 1);
        gpu.launch(&KERNEL, "widen", grid, 256, 0, given)
    }
}
