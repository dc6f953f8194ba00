//! Random numbers of a seed: words by ChaCha, everything else by our own exactly rounded
//! arithmetic, for libraries change their normals and their logarithms between versions.

use std::f64::consts::{LN_2, SQRT_2};

use crate::random::Stream;

/// The particles of a search have the streams from 0 on: a search with the seed of its data
/// must not walk by the numbers that made them.
const STREAM: u64 = u64::MAX;

pub(super) struct Random {
    stream: Stream,
    /// The second of a pair of normals.
    spare: Option<f64>,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self::of(seed, STREAM)
    }

    /// Numbers of another stream.
    pub(super) fn of(seed: u64, stream: u64) -> Self {
        Self {
            stream: Stream::new(seed, stream),
            spare: None,
        }
    }

    /// Standard normal, by Marsaglia's polar method: a point (u, v) uniform in the unit disc,
    /// s = u² + v², gives the two normals (u, v)·√(−2·ln s / s).
    pub(super) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let (u, v) = (self.centred(), self.centred());
            let s = u * u + v * v;
            if s < 1.0 {
                // Never 0: no word gives the centre itself.
                let scale = (-2.0 * ln(s) / s).sqrt();
                self.spare = Some(scale * v);
                return scale * u;
            }
        }
    }

    pub(super) fn normals(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.normal()).collect()
    }

    /// shared·cᵢ + own·zᵢ, with a standard normal zᵢ for each cᵢ.
    pub(super) fn normals_with(&mut self, common: &[f64], shared: f64, own: f64) -> Vec<f64> {
        let mut value = |common| shared * common + own * self.normal();
        common.iter().map(&mut value).collect()
    }

    /// Uniform in (−1, 1).
    fn centred(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// The logarithm of a number that is uniform in (0, 1).
    pub(super) fn ln_unit(&mut self) -> f64 {
        ln(self.unit())
    }

    /// A standard logistic number, ln(u / (1 − u)) of a u that is uniform in (0, 1).
    pub(super) fn logistic(&mut self) -> f64 {
        let unit = self.unit();
        ln(unit) - ln(1.0 - unit)
    }

    /// Uniform in (0, 1).
    fn unit(&mut self) -> f64 {
        ((self.stream.next_word() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// 1 or −1, each with probability ½.
    pub(super) fn sign(&mut self) -> f64 {
        [1.0, -1.0][(self.stream.next_word() >> 63) as usize]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        self.stream.shuffle(items);
    }
}

/// The natural logarithm of a normal positive number: ln(m·2ᵉ) = e·ln 2 + 2·artanh z with
/// z = (m − 1) / (m + 1), m in √½ … √2. The library's own differs between machines in its
/// last digit.
pub(super) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as f64 - 1023.0;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if m > SQRT_2 {
        m /= 2.0;
        exponent += 1.0;
    }
    let z = (m - 1.0) / (m + 1.0);
    // artanh z = z + z³/3 + z⁵/5 + …; |z| < 0.172, so 12 terms are below rounding.
    let series = (0..12)
        .rev()
        .fold(0.0, |sum, k| sum * (z * z) + 1.0 / f64::from(2 * k + 1));
    exponent * LN_2 + 2.0 * z * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_library_up_to_rounding() {
        let mut random = Random::new(3);
        let small = (0..1000).map(|_| random.centred().powi(8).abs());
        for x in small.chain([f64::MIN_POSITIVE, 0.5, 0.75, 1.0 - f64::EPSILON, 1.0, 1e300]) {
            let (ours, theirs) = (ln(x), x.ln());
            assert!(
                (ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs(),
                "{x:e}"
            );
        }
    }

    #[test]
    fn normals_have_the_moments_and_tails_of_normals() {
        let n = 400_000;
        let z = Random::new(1).normals(n);
        let mean = |f: &dyn Fn(f64) -> f64| z.iter().map(|z| f(*z)).sum::<f64>() / n as f64;
        // Four standard errors each: var zᵏ = E z²ᵏ − (E zᵏ)².
        let root = (n as f64).sqrt();
        for (power, moment, deviation) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let found = mean(&|z| z.powi(power));
            assert!(
                (found - moment).abs() < 4.0 * f64::sqrt(deviation) / root,
                "{power}: {found}"
            );
        }
        for (bound, above) in [
            (0.674_489_75, 0.25),
            (1.959_963_98, 0.025),
            (3.0, 0.001_349_898),
        ] {
            let found = mean(&|z| f64::from(u8::from(z > bound)));
            assert!(
                (found - above).abs() < 4.0 * f64::sqrt(above) / root,
                "{bound}: {found}"
            );
        }
        // Neighbours, which come from one point of the disc, are independent.
        let pairs = z.chunks_exact(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        assert!((pairs / (n / 2) as f64).abs() < 4.0 * std::f64::consts::SQRT_2 / root);
    }

    #[test]
    fn numbers_of_a_seed_never_change() {
        // From the definitions of ChaCha8 (key: the seed, then zeros; nonce: all ones) and of
        // the polar method, worked out by another program.
        let first = Random::new(1).normals(4);
        let expected = [
            0.314_904_767_236_767,
            -0.081_408_084_084_133_75,
            1.439_592_336_325_839_2,
            0.625_503_860_080_946_5,
        ];
        assert_eq!(first, expected);
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut random = Random::new(7);
        let mut counts = std::collections::HashMap::new();
        for _ in 0..24_000 {
            let mut order = [0, 1, 2, 3];
            random.shuffle(&mut order);
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        // χ² with 23 degrees of freedom is above 60 once in 30,000 seeds.
        let squares = counts
            .values()
            .map(|count| f64::from(count - 1000).powi(2) / 1000.0);
        assert!(squares.sum::<f64>() < 60.0);
    }
}
