//! c·ln c in 64-bit fixed point, with the same bits on every machine.
//!
//! Entries are c·L(c), where L(c) is the sum of the rounded logarithms of c's prime factors. So
//! L(ab) = L(a) + L(b) exactly, and sums of c·ln c that are equal as real numbers are equal here,
//! whatever counts they come from (logarithms of distinct primes are linearly independent over the
//! rationals). In a table of rounded c·ln c, 8·ln 2 from four twos would differ from 8·ln 2 from
//! one four and ones.

/// Fraction bits of a binary logarithm; the last few of 63 are lost to rounding.
const LOG2_BITS: u32 = 56;

/// Most fraction bits of use: the next ones would be rounding errors of the logarithms.
pub(crate) const MAX_BITS: u32 = 52;

/// ln 2 · 2⁶⁴.
const LN_2: u128 = 0xB172_17F7_D1CF_79AB;

/// The table of c·L(c) for counts 0 … n, or of those less half a nat.
///
/// *Units:* fixed-point nats, with [`LogTable::bits`] fraction bits.
#[derive(Debug)]
pub(crate) struct LogTable {
    /// Fraction bits.
    bits: u32,
    /// c·L(c).
    terms: Vec<i64>,
    /// (c + 1)·L(c + 1) − c·L(c).
    increments: Vec<i64>,
}

impl LogTable {
    /// The table for n observations, with as many fraction bits as keep combinations of this reach
    /// below 2⁶² ([`crate::score::Combination::reach`]).
    pub(crate) fn new(n: usize, reach: u32) -> Self {
        Self::less(0, n, reach)
    }

    /// The table of c·L(c) − ½, and of 0 for c = 0, with which entropies are corrected for their bias.
    ///
    /// With m cells that have observations, Miller and Madow add (m − 1)/2n to H. As n·H is
    /// S(n) − Σ c·ln c, half a nat less for each such cell, the cell of S(n) itself too, is the
    /// correction of all margins at once: an integer combination of margin sums whose integers sum to
    /// 0 becomes that combination of corrected entropies.
    ///
    /// *Source:* G. A. Miller, Note on the bias of information estimates, in *Information Theory in
    /// Psychology* (1955), 95–100.
    pub(crate) fn corrected(n: usize, reach: u32) -> Self {
        Self::less(1, n, reach)
    }

    /// The table with so many halves of a nat taken off every cell that has observations.
    fn less(halves: i64, n: usize, reach: u32) -> Self {
        let most = n as f64 * (n as f64).ln().max(1.0) * f64::from(reach.max(1));
        let bits = (61 - most.log2().ceil() as u32).min(MAX_BITS);
        let mut terms = logarithms(n, bits);
        for (c, log) in terms.iter_mut().enumerate() {
            *log *= c as i64;
            if c > 0 {
                *log -= halves << (bits - 1);
            }
        }
        let increments = terms.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Self {
            bits,
            terms,
            increments,
        }
    }

    /// Fraction bits of the entries and of all sums of them.
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// c·L(c).
    #[inline(always)]
    pub(crate) fn term(&self, count: u32) -> i64 {
        self.terms[count as usize]
    }

    /// c·L(c) for c = 0 … n.
    pub(crate) fn terms(&self) -> &[i64] {
        &self.terms
    }

    /// The increase of a cell's term by one more observation, (c + 1)·L(c + 1) − c·L(c) for c = 0 …
    /// n − 1.
    pub(crate) fn increments(&self) -> &[i64] {
        &self.increments
    }

    /// Σ c·L(c) over these counts.
    pub(crate) fn sum(&self, counts: &[u32]) -> i64 {
        counts.iter().map(|&count| self.term(count)).sum()
    }

    /// Scales a value of a table of `left` observations to all n, so that both per observation are
    /// equal up to rounding to nearest; 0 for an empty table.
    pub(crate) fn scale_to_all(&self, value: i64, left: u32) -> i64 {
        let n = self.terms.len() as i128 - 1;
        match i128::from(left) {
            0 => 0,
            left if left == n => value,
            left => (2 * i128::from(value) * n + left).div_euclid(2 * left) as i64,
        }
    }

    /// n·L(n), the sum of a table with one cell.
    pub(crate) fn full_term(&self) -> i64 {
        self.terms.last().copied().unwrap_or(0)
    }
}

/// L(c) for c = 0 … n with at most [`MAX_BITS`] fraction bits; L(0) is 0.
pub(crate) fn logarithms(n: usize, bits: u32) -> Vec<i64> {
    let mut logs = vec![0i64; n + 1];
    // Smallest prime factors by the sieve of Eratosthenes.
    let mut factor = vec![0u32; n + 1];
    for c in 2..=n {
        if factor[c] == 0 {
            logs[c] = ln(c as u64, bits);
            for multiple in (c * c..=n).step_by(c) {
                if factor[multiple] == 0 {
                    factor[multiple] = c as u32;
                }
            }
        } else {
            let prime = factor[c] as usize;
            logs[c] = logs[prime] + logs[c / prime];
        }
    }
    logs
}

/// ln x rounded to the nearest multiple of 2^−bits, in integer arithmetic: the last digits of
/// floating-point logarithms differ between machines.
fn ln(x: u64, bits: u32) -> i64 {
    let whole = x.ilog2();
    // In [1, 2) with 63 fraction bits; each squaring yields the next binary digit of log2.
    let mut mantissa = x << (63 - whole);
    let mut digits = u128::from(whole);
    for _ in 0..LOG2_BITS {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carried = square >> 127 == 1;
        mantissa = (square >> (63 + u32::from(carried))) as u64;
        digits = 2 * digits + u128::from(carried);
    }
    let product = digits * LN_2;
    let below = 64 + LOG2_BITS - bits;
    ((product + (1 << (below - 1))) >> below) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_agree_with_floating_point() {
        for x in [2u64, 3, 5, 7, 97, 7919, 1_299_709, 4_294_967_291] {
            let exact = (x as f64).ln();
            let off = ln(x, 50) as f64 / (1u64 << 50) as f64 - exact;
            assert!(off.abs() < 4e-15, "{x}: {off}");
        }
    }

    #[test]
    fn entries_are_c_ln_c() {
        for n in [1, 2, 10, 1000, 100_000] {
            let logs = LogTable::new(n, 2);
            let unit = (1u64 << logs.bits()) as f64;
            for c in (0..=n).step_by(n.div_ceil(300)) {
                let exact = match c {
                    0 => 0.0,
                    c => c as f64 * (c as f64).ln(),
                };
                let off = logs.term(c as u32) as f64 / unit - exact;
                assert!(off.abs() < 1e-12 * (1.0 + exact), "{n} {c}: {off}");
            }
            assert!(logs.full_term() < 1 << 62);
        }
    }

    #[test]
    fn corrected_entries_are_half_a_nat_less_where_there_are_observations() {
        let (plain, corrected) = (LogTable::new(100, 4), LogTable::corrected(100, 4));
        assert_eq!(plain.bits(), corrected.bits());
        let half = 1 << (plain.bits() - 1);
        assert_eq!(corrected.term(0), 0);
        for c in 1..=100 {
            assert_eq!(corrected.term(c), plain.term(c) - half);
        }
        assert_eq!(corrected.increments()[0], -half);
        assert_eq!(corrected.increments()[1..], plain.increments()[1..]);
        // Of one cell H is 0, of two equal ones ln 2 + 1/2n.
        let entropy = |counts: &[u32]| corrected.full_term() - corrected.sum(counts);
        assert_eq!(entropy(&[100, 0]), 0);
        let nats = entropy(&[50, 0, 50]) as f64 / 100.0 / (half as f64 * 2.0);
        assert!((nats - 2f64.ln() - 1.0 / 200.0).abs() < 1e-12);
    }

    #[test]
    fn values_of_part_of_the_observations_are_scaled_to_all() {
        let logs = LogTable::new(10, 2);
        for (value, left, all) in [(7, 10, 7), (7, 5, 14), (1, 3, 3), (-1, 3, -3), (9, 0, 0)] {
            assert_eq!(logs.scale_to_all(value, left), all, "{value} {left}");
        }
    }

    #[test]
    fn sums_equal_in_real_numbers_are_equal() {
        let logs = LogTable::new(1000, 4);
        assert_eq!(logs.sum(&[4, 1, 1, 1, 1]), logs.sum(&[2, 2, 2, 2]));
        // 6·ln 6 + 2·ln 2 = 4·ln 4 + 6·ln 3, though no cell is the same.
        assert_eq!(logs.sum(&[6, 2]), logs.sum(&[4, 3, 3]));
        assert_ne!(logs.sum(&[5, 3]), logs.sum(&[4, 4]));
    }
}
