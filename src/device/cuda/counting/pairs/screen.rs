//! A pair score as the kernel computes it, in bits times n, and how far off that may be.

use std::f64::consts::LN_2;

use passel_kernels::pairs::Value;

use super::{
    super::super::super::counting::{Logs, Tally},
    shape::Way,
};
use crate::score::{Combination, Part, Quantity};

/// A unit in the last place of what a float of 32 bits rounds to, against the value.
const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

/// A score that the kernel bounds.
#[derive(Debug)]
pub(super) struct Screen<'s> {
    quantity: Quantity,
    tally: &'s Tally,
    logs: &'s Logs,
    n: usize,
    /// Σ c·L(c) over the response.
    y: i64,
    /// Levels of it.
    classes: usize,
}

impl<'s> Screen<'s> {
    /// None where the score is not one quantity as it is, which a pair's is.
    pub(super) fn new(
        (logs, tally): (&'s Logs, &'s Tally),
        (n, y, classes): (usize, i64, usize),
    ) -> Option<Self> {
        let [term] = tally.score().terms() else {
            return None;
        };
        if (term.weight, term.part) != (1.0, Part::Whole) {
            return None;
        }
        Some(Self {
            quantity: term.quantity,
            tally,
            logs,
            n,
            y,
            classes,
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
        let sided = |it: Combination| (it.x, it.xy) != (it.w, it.wy);
        sided(self.quantity.over) || sided(self.under())
    }

    /// Classes that tables tell apart.
    pub(super) fn classes(&self) -> usize {
        match self.quantity.over.xwy != 0 || self.under().xwy != 0 {
            true => self.classes,
            false => 1,
        }
    }

    /// A sum less that of all observations, in bits.
    fn entropy(&self, sum: i64) -> f64 {
        (sum - self.logs.whole()) as f64 / f64::from(self.logs.bits()).exp2() / LN_2
    }

    /// The score, or its numerator, and its denominator, of tables of so many levels,
    /// which are made so.
    pub(super) fn values(&self, levels: [usize; 2], way: Way) -> [Value; 2] {
        [self.quantity.over, self.under()].map(|it| self.value(&it, levels, way))
    }

    fn value(&self, by: &Combination, [a, b]: [usize; 2], way: Way) -> Value {
        // One class is all.
        let (xw, xwy) = match self.classes() {
            1 => (by.xw + by.xwy, 0),
            _ => (by.xw, by.xwy),
        };
        let n = self.n as f64;
        // Σ c·|log2(c / e)| ≤ Σ c·log2(c / e) + 2·0.531·Σ e, and Σ c·log2(c / e) ≤ n·log2(levels).
        let whole = ((a * b) as f64).log2();
        let off = |classes: usize| {
            // What is added one after the other: cells, or rows, and their sums over lanes.
            let added = match way {
                Way::Whole => a * b * classes,
                Way::Levels => 2 * (a + b) + classes + 8,
                Way::Cells => a * b * classes / 256 + classes + 16,
            };
            // 1 / e is rounded four times, and multiplied; the logarithm is off by 2⁻²² or
            // relatively so; sums are rounded as often as something is added.
            let size = whole + 1.07 * classes as f64;
            n * ROUNDING * (12.0 + (4.0 + added as f64) * size)
        };
        let of = |by: i32, classes| f64::from(by.abs()) * off(classes);
        let integers = by.integers().into_iter().map(|it| f64::from(it.abs()));
        let entropies = n * (whole + (self.classes as f64).log2() + 1.0);
        let own = 8.0 * ROUNDING * integers.sum::<f64>() * entropies;
        let all = of(xw, 1) + of(xwy, self.classes) + own;
        Value {
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
        let nats = self.tally.nats(score, 1);
        let value = match self.is_ratio() {
            true => nats,
            false => nats * self.n as f64 / LN_2,
        };
        // Far below any difference of two scores, far above what rounding does to one.
        (value - 1e-6 * (value.abs() + 1e-6)) as f32
    }
}
