//! Squares of columns by the second derivatives H of partial likelihoods: of xᵀDx, D their diagonal, what is left without the
//! risk sets' means.
//!
//! ```text
//! toⱼₘ ← toⱼₘ − Σ over groups of (uₘ(a − vₘ·e))² + (tₘ·e)²     0 where that is less than 10⁻¹³ toⱼₘ
//! ```
//!
//! with a and e the sums of θₘxⱼ over who is at risk at a group's time and over its events ([`crate::cox`] has the factors u, v and t
//! by group).
//!
//! *Shapes*: `columns` n × `count`, column-major, by observation; `models` one [`RiskModel`] each; `to` count × models,
//! column-major; `room` n numbers for each warp of the grid, scratch. All f64.
//!
//! *Launch*: any number of blocks of 256. No dynamic shared memory.
//!
//! *Exactness*: sums are added up in a fixed order.

use crate::Kernel;

/// The kernel's text and function.
pub const KERNEL: Kernel = Kernel {
    name: "risk_squares",
    source: source!("risk.cuh", "risk_squares.cu"),
    functions: &["risk_squares"],
    // By CUDA 12.9 alone, 32 bytes.
    spills: &[("sm_120", "risk_squares")],
};

/// One model: where its hazards and factors lie.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RiskModel {
    /// f64: n, θ by row.
    pub theta: u64,
    /// f64: u by group.
    pub of_all: u64,
    /// f64: v by group.
    pub share: u64,
    /// f64: t by group.
    pub of_events: u64,
}
assert_layout!(RiskModel: 32; share: 16);

/// xᵀHx of a column: the sum over events of the variance of x among those at risk, by their hazards θ. Of a group of d events the
/// l-th has a share `shares[l]` of each of them less, and counts `each`.
///
/// *Shapes:* x and θ of those at risk, the events last.
///
/// ```
/// // Two at risk, as likely as each other: the variance of 0 and 2.
/// let variance = passel_kernels::risk_squares::reference(&[0.0, 2.0], &[0.5, 0.5], 1, &[0.0], 3.0);
/// assert_eq!(variance, 3.0);
/// ```
pub fn reference(x: &[f64], theta: &[f64], events: usize, shares: &[f64], each: f64) -> f64 {
    let first = x.len() - events;
    let of_share = |share: &f64| {
        let left = |row: usize| theta[row] * if row < first { 1.0 } else { 1.0 - share };
        let all: f64 = (0..x.len()).map(left).sum();
        let mean = (0..x.len()).map(|row| left(row) * x[row]).sum::<f64>() / all;
        let off = |row: usize| left(row) * (x[row] - mean).powi(2);
        each * (0..x.len()).map(off).sum::<f64>() / all
    };
    shares.iter().map(of_share).sum()
}
