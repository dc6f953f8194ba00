//! Products of several columns by the second derivatives of a partial likelihood.
//!
//! Of a group of events with a and e the sums of θx over who is at risk and over the events, S-fold,
//!
//! ```text
//! (W/d) Σ_l (a − s_l·e)(a − s_l·e)ᵀ·(S/S_l)² = f·(a − (g/f)·e)(a − (g/f)·e)ᵀ + (h − g²/f)·e·eᵀ
//! ```
//!
//! with f, g, h the three sums of [`GroupHazard`](super::state::GroupHazard), so that XᵀHX = YᵀY − ZᵀZ: Y the columns times
//! the roots of the diagonal, Z one row a group, or two where events are tied.

use pulp::Simd;

use super::{
    response::SurvivalResponse,
    state::{RiskCurvature, informative},
    sums::sums_over_groups,
};
use crate::vector::{dot, dots, vectorised};

/// Columns that a pass over the rows takes at a time.
const LANES: usize = 8;

/// How far apart scales of hazards may be that become one.
const WIDEST_SCALE: f64 = 300.0;

impl SurvivalResponse {
    /// Some columns one after another, by row.
    ///
    /// *Shapes:* n values each, in the order of the observations.
    pub(crate) fn sorted_columns(&self, columns: &[&[f64]]) -> Vec<f64> {
        let mut sorted = Vec::with_capacity(columns.len() * self.n());
        for column in columns {
            sorted.extend(self.order().iter().map(|row| column[*row]));
        }
        sorted
    }

    /// Some columns side by side, by row; zeros for those that lack.
    #[inline(always)]
    fn side_by_side(&self, columns: &[&[f64]], room: &mut Vec<[f64; LANES]>) {
        room.clear();
        room.resize(self.n(), [0.0; LANES]);
        for (lane, column) in columns.iter().enumerate().take(LANES) {
            for (values, row) in room.iter_mut().zip(self.order()) {
                values[lane] = column[*row];
            }
        }
    }
}

vectorised! {
    /// The lower triangle of XᵀHX, row by row.
    fn products<'a>(curvature: &'a RiskCurvature, columns: &'a [&'a [f64]]) -> Vec<f64> = products_body;
}

#[inline(always)]
fn products_body<S: Simd>(simd: S, curvature: &RiskCurvature, columns: &[&[f64]]) -> Vec<f64> {
    let RiskCurvature {
        response,
        scales,
        hazards,
        diagonal,
        groups,
        afresh,
    } = curvature;
    let (n, k) = (hazards.len(), columns.len());
    let factors: Vec<[f64; 3]> = curvature.factors().collect();
    let tied = factors.iter().filter(|own| own[2] > 0.0).count();
    let m = groups.len() + tied;
    let roots: Vec<f64> = diagonal.iter().map(|own| own.sqrt()).collect();
    let mut of_rows = Vec::with_capacity(k * n);
    for column in columns {
        of_rows.extend(column.iter().zip(&roots).map(|(x, root)| x * root));
    }
    let mut of_groups = vec![0.0; k.next_multiple_of(LANES) * m];
    let mut block = vec![[0.0; LANES]; n];
    for (columns, of_groups) in columns.chunks(LANES).zip(of_groups.chunks_mut(LANES * m)) {
        for (lane, column) in columns.iter().enumerate() {
            for ((value, x), hazard) in block.iter_mut().zip(*column).zip(hazards) {
                value[lane] = hazard * x;
            }
        }
        let mut at = 0;
        sums_over_groups(
            (response, scales),
            |row| block[row],
            |number, _, _| afresh[number],
            |number, _, all, events| {
                let [of_all, share, of_events] = factors[number];
                for lane in 0..LANES {
                    of_groups[lane * m + at] = of_all * (all[lane] - share * events[lane]);
                }
                at += 1;
                if of_events > 0.0 {
                    for lane in 0..LANES {
                        of_groups[lane * m + at] = of_events * events[lane];
                    }
                    at += 1;
                }
            },
        );
    }
    let mut all = Vec::with_capacity(k * (k + 1) / 2);
    for a in 0..k {
        let own = &of_rows[a * n..(a + 1) * n];
        let less = &of_groups[a * m..(a + 1) * m];
        let mut b = 0;
        while b + 4 <= a {
            let rows = std::array::from_fn(|at| &of_rows[(b + at) * n..(b + at + 1) * n]);
            let groups = std::array::from_fn(|at| &of_groups[(b + at) * m..(b + at + 1) * m]);
            let (whole, less) = (dots(simd, own, rows), dots(simd, less, groups));
            for at in 0..4 {
                all.push(whole[at] - less[at]);
            }
            b += 4;
        }
        while b < a {
            let whole = dot(simd, own, &of_rows[b * n..(b + 1) * n]);
            all.push(whole - dot(simd, less, &of_groups[b * m..(b + 1) * m]));
            b += 1;
        }
        let whole = dot(simd, own, own);
        let square = whole - dot(simd, less, less);
        all.push(informative(square, whole));
    }
    all
}

vectorised! {
    /// The squares of up to [`LANES`] columns side by side, by one curvature.
    fn squares_of_block<'a>(curvature: &'a RiskCurvature, block: &'a [[f64; LANES]]) -> [f64; LANES] = squares_body;
}

#[inline(always)]
fn squares_body<S: Simd>(_: S, curvature: &RiskCurvature, block: &[[f64; LANES]]) -> [f64; LANES] {
    curvature.squares_of(|row| block[row])
}

impl RiskCurvature {
    /// Of each group what multiplies a − (g/f)·e, g/f, and what multiplies e.
    fn factors(&self) -> impl Iterator<Item = [f64; 3]> {
        self.groups.iter().map(|group| {
            let [f, g, h] = group.squares;
            let rest = (h - g * g / f).max(0.0);
            [f.sqrt() * group.inverse, g / f, rest.sqrt() * group.inverse]
        })
    }

    /// Whether the range of f64 has room for one scale of hazards, and sums over who is at risk are no differences.
    pub(crate) fn has_one_scale(&self) -> bool {
        let shifts = self.scales.shifts.iter().copied();
        let low = shifts.fold(f64::INFINITY, f64::min);
        self.largest_shift() - low <= WIDEST_SCALE && self.response.entries.is_empty()
    }

    fn largest_shift(&self) -> f64 {
        let shifts = self.scales.shifts.iter().copied();
        shifts.fold(f64::NEG_INFINITY, f64::max)
    }

    /// θ of each row on one scale, and of each group the factors of its forms; none without such a scale.
    pub(crate) fn on_one_scale(&self) -> Option<(Vec<f64>, Vec<[f64; 3]>)> {
        if !self.has_one_scale() {
            return None;
        }
        let (shifts, high) = (&self.scales.shifts, self.largest_shift());
        let rows = self.hazards.iter().zip(&self.scales.first);
        let theta = rows.map(|(hazard, first)| match shifts.get(*first as usize) {
            Some(shift) => hazard * (shift - high).exp(),
            None => 0.0,
        });
        let factors = self
            .factors()
            .zip(shifts)
            .map(|([all, share, events], shift)| {
                let scale = (high - shift).exp();
                [all * scale, share, events * scale]
            });
        Some((theta.collect(), factors.collect()))
    }

    /// The lower triangle of XᵀHX, row by row; of a column without information 0 on the diagonal.
    ///
    /// *Shapes:* k columns of n values, by row.
    pub(in super::super) fn products_of_rows(&self, columns: &[&[f64]]) -> Vec<f64> {
        products(self, columns)
    }

    /// xᵀHx of some columns by several curvatures of one response, into columns × curvatures; 0 where that is rounding.
    /// `room` is scratch.
    ///
    /// *Shapes:* n values each, in the order of the observations; squares column-major.
    pub(crate) fn squares(
        curvatures: &[(&Self, f64)],
        columns: &[&[f64]],
        room: &mut Vec<[f64; LANES]>,
        squares: &mut Vec<f64>,
    ) {
        let count = columns.len();
        squares.clear();
        squares.resize(count * curvatures.len(), 0.0);
        let Some((first, _)) = curvatures.first() else {
            return;
        };
        for (at, few) in columns.chunks(LANES).enumerate() {
            first.response.side_by_side(few, room);
            for ((own, scale), to) in curvatures.iter().zip(squares.chunks_mut(count)) {
                let found = squares_of_block(own, room);
                let to = to[at * LANES..].iter_mut().zip(found);
                to.for_each(|(to, square)| *to = scale * square);
            }
        }
    }
}
