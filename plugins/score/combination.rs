//! Integer combinations of the margin sums of one contingency table.

use core::ops::{Add, Mul, Neg, Sub};

use crate::{Quantity, Term};

/// An integer for each margin sum S = Σ c·ln c of a table of (x, w, y), c the counts of the
/// margin's cells. The combination is their scalar product with the S.
///
/// *Units:* nats times the number of observations n. The integers of one sign sum to 64 at most.
///
/// ```
/// use passel_score::combinations::*;
/// // The chain rule: I((x,w);y) = I(w;y) + I(x;y|w).
/// assert_eq!(XW_Y - W_Y, X_Y_GIVEN_W);
/// // I(x;w|y) − I(x;w) = I(x;y|w) − I(x;y).
/// assert_eq!(X_W_GIVEN_Y - X_W, X_Y_GIVEN_W - X_Y);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Combination {
    /// Of n·ln n, the table with one cell.
    pub n: i32,
    /// Of the candidate's margin.
    pub x: i32,
    /// Of the anchor's margin.
    pub w: i32,
    /// Of the response's margin.
    pub y: i32,
    /// Of the table of candidate and anchor.
    pub xw: i32,
    /// Of the table of candidate and response.
    pub xy: i32,
    /// Of the table of anchor and response.
    pub wy: i32,
    /// Of the whole table.
    pub xwy: i32,
}

/// The entropies and informations of x, w and y, each times n.
pub mod combinations {
    use super::Combination;

    const NONE: Combination = Combination::of([0; 8]);
    const ALL: Combination = Combination { n: 1, ..NONE };

    /// Entropy H(x).
    pub const H_X: Combination = Combination { x: -1, ..ALL };
    /// Entropy H(w).
    pub const H_W: Combination = Combination { w: -1, ..ALL };
    /// Entropy H(y).
    pub const H_Y: Combination = Combination { y: -1, ..ALL };
    /// Entropy H(x,w).
    pub const H_XW: Combination = Combination { xw: -1, ..ALL };
    /// Entropy H(x,y).
    pub const H_XY: Combination = Combination { xy: -1, ..ALL };
    /// Entropy H(w,y).
    pub const H_WY: Combination = Combination { wy: -1, ..ALL };
    /// Entropy H(x,w,y).
    pub const H_XWY: Combination = Combination { xwy: -1, ..ALL };

    /// I(x;y) = H(x) + H(y) − H(x,y): relevance.
    pub const X_Y: Combination = H_X.plus(H_Y).less(H_XY);
    /// I(w;y).
    pub const W_Y: Combination = H_W.plus(H_Y).less(H_WY);
    /// I(x;w): redundancy.
    pub const X_W: Combination = H_X.plus(H_W).less(H_XW);
    /// I((x,w);y) = H(x,w) + H(y) − H(x,w,y).
    pub const XW_Y: Combination = H_XW.plus(H_Y).less(H_XWY);
    /// I(x;y|w) = H(x,w) + H(w,y) − H(x,w,y) − H(w).
    pub const X_Y_GIVEN_W: Combination = H_XW.plus(H_WY).less(H_XWY).less(H_W);
    /// I(x;w|y) = H(x,y) + H(w,y) − H(x,w,y) − H(y).
    pub const X_W_GIVEN_Y: Combination = H_XY.plus(H_WY).less(H_XWY).less(H_Y);
}

impl Combination {
    /// n·I(x;y).
    pub const X_Y: Self = combinations::X_Y;
    /// n·I(x;w).
    pub const X_W: Self = combinations::X_W;
    /// n·I((x,w);y).
    pub const XW_Y: Self = combinations::XW_Y;
    /// n·I(x;y|w).
    pub const X_Y_GIVEN_W: Self = combinations::X_Y_GIVEN_W;

    /// By margin: n, x, w, y, xw, xy, wy, xwy.
    pub const fn of([n, x, w, y, xw, xy, wy, xwy]: [i32; 8]) -> Self {
        Self {
            n,
            x,
            w,
            y,
            xw,
            xy,
            wy,
            xwy,
        }
    }

    /// By margin, in the order of [`Combination::of`].
    pub const fn integers(self) -> [i32; 8] {
        let Self {
            n,
            x,
            w,
            y,
            xw,
            xy,
            wy,
            xwy,
        } = self;
        [n, x, w, y, xw, xy, wy, xwy]
    }

    /// The sum, where `+` cannot stand: in constants.
    pub const fn plus(self, other: Self) -> Self {
        let (mut sum, other) = (self.integers(), other.integers());
        let mut at = 0;
        while at < sum.len() {
            sum[at] += other[at];
            at += 1;
        }
        Self::of(sum)
    }

    /// The difference, where `-` cannot stand: in constants.
    pub const fn less(self, other: Self) -> Self {
        self.plus(other.times(-1))
    }

    /// The multiple, where `*` cannot stand: in constants.
    pub const fn times(self, factor: i32) -> Self {
        let mut product = self.integers();
        let mut at = 0;
        while at < product.len() {
            product[at] *= factor;
            at += 1;
        }
        Self::of(product)
    }

    /// The ratio of this and another combination; 0 where the other is.
    pub const fn over(self, under: Self) -> Quantity {
        Quantity {
            over: self,
            under: Some(under),
        }
    }

    /// This combination as a term, multiplied by a weight.
    pub const fn weighing(self, weight: f64) -> Term {
        Quantity::plain(self).weighing(weight)
    }

    /// Whether all integers are 0.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it depends on the anchor w.
    pub fn has_anchor(&self) -> bool {
        (self.w, self.xw, self.wy, self.xwy) != (0, 0, 0, 0)
    }

    /// The sum of the integers: 0 for every entropy and information.
    pub fn sum(&self) -> i32 {
        self.integers().iter().sum()
    }

    /// The larger of the sums of its positive and of its negative integers: its value lies within
    /// this times n·ln n of 0.
    pub fn reach(&self) -> u32 {
        let part = |sign: i32| {
            let parts = self
                .integers()
                .into_iter()
                .map(|integer| (sign * integer).max(0));
            parts.map(i32::unsigned_abs).sum::<u32>()
        };
        part(1).max(part(-1))
    }
}

impl Add for Combination {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl Sub for Combination {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.less(other)
    }
}

impl Neg for Combination {
    type Output = Self;

    fn neg(self) -> Self {
        self.times(-1)
    }
}

impl Mul<Combination> for i32 {
    type Output = Combination;

    fn mul(self, combination: Combination) -> Combination {
        combination.times(self)
    }
}
