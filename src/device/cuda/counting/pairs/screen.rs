//! A pair score as the kernel computes it, in bits times n, and how far off that may be.

use std::f64::consts::LN_2;

use passel_kernels::pairs::{PairValue, QuickBound};

use super::launch::PairKernel;
use crate::{
    device::counting::ScoreEvaluator,
    score::{Combination, Part, Quantity},
};

/// A unit in the last place of what a float of 32 bits rounds to, against the value.
const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

/// A score that the kernel bounds.
#[derive(Debug)]
pub(super) struct Screen<'s> {
    quantity: Quantity,
    pub(super) evaluator: &'s ScoreEvaluator,
    n: usize,
    /// Σ c·L(c) over the response.
    pub(super) y: i64,
    /// Observations of each level of it.
    sizes: Vec<u32>,
}

impl<'s> Screen<'s> {
    /// None where the score is not one quantity as it is, which a pair's is.
    pub(super) fn new(
        evaluator: &'s ScoreEvaluator,
        (n, y, sizes): (usize, i64, &[u32]),
    ) -> Option<Self> {
        let [term] = evaluator.score().terms() else {
            return None;
        };
        if (term.weight, term.part) != (1.0, Part::Whole) {
            return None;
        }
        Some(Self {
            quantity: term.quantity,
            evaluator,
            n,
            y,
            sizes: sizes.to_vec(),
        })
    }

    fn under(&self) -> Combination {
        self.quantity.under.unwrap_or_default()
    }

    pub(super) fn is_ratio(&self) -> bool {
        self.quantity.under.is_some()
    }

    /// Whether it matters which of two columns is x.
    pub(super) fn is_sided(&self) -> bool {
        let sided = |one: Combination| (one.x, one.xy) != (one.w, one.wy);
        sided(self.quantity.over) || sided(self.under())
    }

    /// Classes that tables tell apart.
    pub(super) fn classes(&self) -> usize {
        match self.quantity.over.xwy != 0 || self.under().xwy != 0 {
            true => self.sizes.len(),
            false => 1,
        }
    }

    /// A sum less that of all observations, in bits.
    fn entropy(&self, sum: i64) -> f64 {
        let logs = self.evaluator.logs();
        (sum - logs.full_term()) as f64 / f64::from(logs.bits()).exp2() / LN_2
    }

    /// The score, or its numerator, and its denominator, of tables of so many levels.
    pub(super) fn values(&self, levels: [usize; 2], kind: PairKernel) -> [PairValue; 2] {
        [self.quantity.over, self.under()].map(|combination| self.value(&combination, levels, kind))
    }

    /// How often T(xw) and T(xwy) are in it.
    fn weights(&self, by: &Combination) -> (i32, i32) {
        // One class is all.
        match self.classes() {
            1 => (by.xw + by.xwy, 0),
            _ => (by.xw, by.xwy),
        }
    }

    /// What the score is not above, of tables of so many levels, whose own bound is this.
    ///
    /// With log(t) ≤ t − 1, of one class
    ///
    /// ```text
    /// T(xw) · ln 2 ≤ Σ c·(c / e − 1) = Σ c² / e − n
    /// ```
    ///
    /// and of two, c of m observations being of the first, a share of p,
    ///
    /// ```text
    /// T(xwy) − T(xw) = Σ c·log2(c / m) + …  ≤ Σ n(y)·log2(n(y) / n) + Σ (c − p·m)² / m / (p·(1 − p)·ln 2)
    /// ```
    pub(super) fn quick(&self, over: &PairValue, [a, b]: [usize; 2]) -> QuickBound {
        let (n, cells) = (self.n as f64, (a * b) as f64);
        let (xw, xwy) = self.weights(&self.quantity.over);
        let share = match self.sizes[..] {
            [first, second] => f64::from(first) / f64::from(first + second),
            _ => 0.0,
        };
        let plain = !self.is_ratio() && !self.is_sided();
        let (own, scale, slack) = match (self.classes(), xw, xwy) {
            (1, 1.., 0) if plain => {
                let scale = f64::from(xw) / LN_2;
                // Each term is rounded six times, their sum, some n, as often as there are cells.
                (-scale * n, scale, (8.0 + cells) * n)
            }
            (2, _, 1..) if plain && xw == -xwy => {
                let part = |share: f64| share * share.log2();
                let entropy = n * (part(share) + part(1.0 - share));
                let scale = f64::from(xwy) / (share * (1.0 - share) * LN_2);
                // c − p·m is off by m / 2²⁴, its square over m by twice as much of |c − p·m|.
                (f64::from(xwy) * entropy, scale, 4.0 * n)
            }
            _ => (0.0, f64::INFINITY, 0.0),
        };
        let own = f64::from(over.own) + f64::from(over.off) + own;
        if !(own + scale).is_finite() {
            return QuickBound {
                scale: f32::INFINITY,
                ..QuickBound::default()
            };
        }
        // What is positive is rounded too, as often as cells are added.
        let more = 1.0 + (16.0 + 2.0 * cells) * ROUNDING;
        QuickBound {
            own: (own + 2.0 * ROUNDING * (own.abs() + scale * slack)) as f32,
            scale: (more * scale) as f32,
            share: share as f32,
            filler: 0.0,
        }
    }

    fn value(&self, by: &Combination, [a, b]: [usize; 2], kind: PairKernel) -> PairValue {
        let (xw, xwy) = self.weights(by);
        let n = self.n as f64;
        // Σ c·|log2(c / e)| ≤ Σ c·log2(c / e) + 2·0.531·Σ e, and Σ c·log2(c / e) ≤ n·log2(levels).
        let whole = ((a * b) as f64).log2();
        let off = |classes: usize| {
            // What is added one after the other: cells, or rows, and their sums over lanes.
            let added = match kind {
                PairKernel::Pairs => a * b * classes,
                PairKernel::PairLevels => 2 * (a + b) + classes + 8,
                PairKernel::PairTables => a * b * classes / 256 + classes + 16,
            };
            // 1 / e is rounded four times, and multiplied; the logarithm is off by 2⁻²² or
            // relatively so; sums are rounded as often as something is added.
            let size = whole + 1.07 * classes as f64;
            n * ROUNDING * (12.0 + (4.0 + added as f64) * size)
        };
        let of = |by: i32, classes| f64::from(by.abs()) * off(classes);
        let integers = by
            .integers()
            .into_iter()
            .map(|integer| f64::from(integer.abs()));
        let entropies = n * (whole + (self.sizes.len() as f64).log2() + 1.0);
        let own = 8.0 * ROUNDING * integers.sum::<f64>() * entropies;
        let all = of(xw, 1) + of(xwy, self.sizes.len()) + own;
        PairValue {
            own: (f64::from(by.y) * self.entropy(self.y)) as f32,
            xw: xw as f32,
            xwy: xwy as f32,
            off: (1.25 * all) as f32,
        }
    }

    /// x and w of the score, x and w of its denominator, of a column of these sums over itself and
    /// with the response.
    pub(super) fn own(&self, x: i64, xy: i64) -> [f32; 4] {
        let (x, xy) = (self.entropy(x), self.entropy(xy));
        let of = |by: &Combination| {
            let both = by.xw + by.xwy;
            [(by.x + both, by.xy), (by.w + both, by.wy)]
                .map(|(own, joint)| (f64::from(own) * x + f64::from(joint) * xy) as f32)
        };
        let ([x, w], [of_x, of_w]) = (of(&self.quantity.over), of(&self.under()));
        [x, w, of_x, of_w]
    }

    /// A floor that no pair of this score, or a better one, is below.
    pub(super) fn floor(&self, score: i128) -> f32 {
        if score == i128::MIN {
            return f32::NEG_INFINITY;
        }
        let nats = self.evaluator.score_nats(score, 1);
        let value = match self.is_ratio() {
            true => nats,
            false => nats * self.n as f64 / LN_2,
        };
        // Far below any difference of two scores, far above what rounding does to one.
        (value - 1e-6 * (value.abs() + 1e-6)) as f32
    }
}

#[cfg(test)]
mod tests {
    use passel_kernels::pairs::reference;

    use super::*;
    use crate::{
        random::{Stream, uniform_below},
        score::PairScore,
    };

    /// The sum of [`Quick`], as kernels make it.
    fn quick_sum(
        quick: &QuickBound,
        counts: &[u64],
        (x, w): (usize, usize),
        classes: usize,
    ) -> f32 {
        let cells = x * w;
        let all = |at: usize| counts.iter().skip(at).step_by(cells).sum::<u64>();
        let n = counts.iter().sum::<u64>() as f32;
        let of_x = |i: usize| (0..w).map(|j| all(i * w + j)).sum::<u64>() as f32;
        let of_w = |j: usize| (0..x).map(|i| all(i * w + j)).sum::<u64>() as f32;
        let term = |at: usize| {
            let (one, all) = (counts[at] as f32, all(at) as f32);
            match classes {
                1 if all == 0.0 => 0.0,
                1 => all * all * (n / (of_x(at / w) * of_w(at % w))),
                _ => {
                    let off = one - quick.share * all;
                    off * off / (all + 1e-30)
                }
            }
        };
        (0..cells).map(term).sum()
    }

    #[test]
    fn a_quick_bound_is_never_below_the_score() {
        let mut stream = Stream::new(8, 0);
        let mut draw = |from: u64, to: u64| {
            from + uniform_below(stream.next_word(), (to - from + 1) as usize) as u64
        };
        let plain = |by| PairScore::Declared(Quantity::plain(by));
        let mut near = 0;
        for (score, classes) in [
            (PairScore::SYNERGY, 2),
            (plain(Combination::XW_Y), 2),
            (plain(Combination::X_W), 1),
        ] {
            let score = score.score();
            for case in 0..2000 {
                let (x, w) = (draw(2, 4) as usize, draw(2, 4) as usize);
                // Of no relation, of some, with cells that are empty.
                let most: u64 = [50, 400, 3][case % 3];
                let mut counts: Vec<u64> = (0..x * w * classes)
                    .map(|_| draw(case as u64 % 2 * most / 2, most))
                    .collect();
                counts[0] += 1;
                counts[x * w * (classes - 1) + 1] += 1;
                let n = counts.iter().sum::<u64>() as usize;
                let sizes: Vec<u32> = counts
                    .chunks(x * w)
                    .map(|class| class.iter().sum::<u64>() as u32)
                    .collect();
                let evaluator = ScoreEvaluator::new(score.clone(), n);
                let y = evaluator.logs().sum(&sizes);
                let screen = Screen::new(&evaluator, (n, y, &sizes)).unwrap();
                let [over, _] = screen.values([x, w], PairKernel::Pairs);
                let quick = screen.quick(&over, [x, w]);
                assert!(quick.scale.is_finite());
                let (xw, xwy) = reference(&counts, x, w);
                let exact =
                    f64::from(over.own) + f64::from(over.xw) * xw + f64::from(over.xwy) * xwy;
                let sum = quick_sum(&quick, &counts, (x, w), classes);
                let most = f64::from(quick.own + quick.scale * sum);
                assert!(most >= exact, "{most} {exact} {counts:?}");
                // It is some use: not above twice what independence leaves.
                let left = f64::from(over.own) + f64::from(over.off);
                let zero = exact - left;
                near += usize::from(most - left <= 2.5 * zero.abs() + 4.0 * f64::from(over.off));
            }
        }
        assert!(near > 2000, "{near}");
    }

    #[test]
    fn what_has_no_quick_bound_is_said_so() {
        let ratio = Quantity {
            over: Combination::XW_Y,
            under: Some(Combination::XW_Y),
        };
        let wrong_way = Combination::of([1, -1, -1, 0, 1, 0, 0, 0]);
        let opposite = Combination::of([-1, 1, 1, 0, -1, 0, 0, 0]);
        for by in [ratio, Quantity::plain(wrong_way), Quantity::plain(opposite)] {
            let score = PairScore::Declared(by).score();
            let evaluator = ScoreEvaluator::new(score, 10);
            let screen = Screen::new(&evaluator, (10, 0, &[4, 6])).unwrap();
            let [over, _] = screen.values([2, 2], PairKernel::Pairs);
            let quick = screen.quick(&over, [2, 2]);
            let useful = by.under.is_none() && by.over.xw > 0;
            assert_eq!(quick.scale.is_finite(), useful, "{by:?}");
        }
    }
}
