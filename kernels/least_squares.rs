//! The least squares fits that `update.cu` and `gain.cu` share, in `least_squares.cuh`.
//!
//! ```text
//! β̂ = arg min ‖y − X_A·β‖²     r = y − X_A·β̂     rss = ‖r‖²
//! X_A = Q·R, T = R⁻¹ kept, Q never: Q = X_A·T
//! ```
//!
//! *Shapes*: of each member of [`ModelsArgs`] there. Model m's part of an array of w numbers a
//! model begins at m·w; all lie on the GPU.
//!
//! *Launch*: blocks of exactly the T threads that the kernel says, one-dimensional. A block
//! needs 2·T bytes of static shared memory and 3·capacity numbers by position: dynamic shared memory
//! (24·capacity bytes), or where that is too much `spare`, and then none.
//! No kernel checks `capacity`: nobody may order an addition to a full model. Columns named
//! by `addresses` must stay where they are as long as a model has them.

/// Least squares fits of one response, by value: `count` models of up to `capacity` variables.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelsArgs {
    /// Observations.
    pub n: i64,
    /// Variables of the largest model. Four bytes behind it are free.
    pub capacity: i32,
    /// f64: n, the response at unit norm.
    pub y: u64,
    /// f64: n a model, r.
    pub residual: u64,
    /// f64: n a *block* of the launch, scratch for what a model leaves of a column.
    pub rest: u64,
    /// f64: capacity·(capacity + 1)/2 a model, T packed by columns: column c at c(c + 1)/2.
    pub inverse: u64,
    /// f64: capacity a model, β̂ in the order of entry.
    pub coefficients: u64,
    /// u32: capacity a model, columns in the order of entry.
    pub support: u64,
    /// u64: capacity a model, the addresses of those columns.
    pub addresses: u64,
    /// i32: one a model, k.
    pub sizes: u64,
    /// f64: one a model, ‖r‖².
    pub rss: u64,
    /// u32: `kept` variables that are never dropped, in any order.
    pub keep: u64,
    /// How many they are. Four bytes behind it are free.
    pub kept: i32,
    /// f64: 3·capacity a *block*, room by position; or null.
    pub spare: u64,
}
assert_layout!(ModelsArgs: 112; y: 16, spare: 104);

/// The least squares of a response on some columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceFit {
    /// β̂, in the order of the columns given.
    pub coefficients: Vec<f64>,
    /// y − X_A·β̂.
    pub residual: Vec<f64>,
    /// ‖r‖².
    pub rss: f64,
}

/// Least squares of y on the columns named, by Householder reflections. A column that those
/// before it explain to rounding is given 0.
///
/// ```
/// // y = 2·x0 + (1, −1, 1, −1)/2, which is orthogonal to x0 = (1, 1, 1, 1).
/// let columns = [1.0; 4];
/// let fit = passel_kernels::least_squares::reference(&columns, &[2.5, 1.5, 2.5, 1.5], &[0]);
/// assert!((fit.coefficients[0] - 2.0).abs() < 1e-15);
/// assert!((fit.rss - 1.0).abs() < 1e-15);
/// ```
///
/// # Panics
/// If a column is not there.
pub fn reference(columns: &[f64], y: &[f64], support: &[u32]) -> ReferenceFit {
    let (n, k) = (y.len(), support.len());
    let mut a: Vec<Vec<f64>> = support.iter().map(|&j| column(columns, n, j)).collect();
    let mut qty = y.to_vec();
    // Of each column that is no combination of those before it: itself, and the diagonal
    // of R, whose row is its position here.
    let mut factored: Vec<(usize, f64)> = Vec::new();
    for c in 0..k {
        let row = factored.len();
        let norm = square(&a[c][row..]).sqrt();
        let whole = square(&column(columns, n, support[c])).sqrt();
        if norm <= 16.0 * n as f64 * f64::EPSILON * whole {
            continue;
        }
        // v = x + sign(x₀)‖x‖·e₀ reflects x to −sign(x₀)‖x‖·e₀.
        let sign = if a[c][row] < 0.0 { -1.0 } else { 1.0 };
        let mut v = a[c][row..].to_vec();
        v[0] += sign * norm;
        let scale = 2.0 / square(&v);
        let reflect = |x: &mut [f64]| {
            let step = scale * dot(&v, x);
            x.iter_mut().zip(&v).for_each(|(x, v)| *x -= step * v);
        };
        a[c + 1..].iter_mut().for_each(|x| reflect(&mut x[row..]));
        reflect(&mut qty[row..]);
        factored.push((c, -sign * norm));
    }
    let mut coefficients = vec![0.0; k];
    for (row, &(c, diagonal)) in factored.iter().enumerate().rev() {
        let known: f64 = (c + 1..k).map(|d| a[d][row] * coefficients[d]).sum();
        coefficients[c] = (qty[row] - known) / diagonal;
    }
    let mut residual = y.to_vec();
    for (&j, b) in support.iter().zip(&coefficients) {
        let x = &columns[j as usize * n..][..n];
        residual.iter_mut().zip(x).for_each(|(r, x)| *r -= b * x);
    }
    ReferenceFit {
        rss: square(&residual),
        coefficients,
        residual,
    }
}

/// What a support leaves unexplained of a column, ‖x − X_A·u‖: below [`PIVOT`] the column
/// may not join.
///
/// ```
/// use passel_kernels::least_squares::pivot;
/// let columns = [1.0, 0.0, 0.6, 0.8];
/// assert!((pivot(&columns, 2, &[0], 1) - 0.8).abs() < 1e-15);
/// ```
pub fn pivot(columns: &[f64], n: usize, support: &[u32], joins: u32) -> f64 {
    let x = column(columns, n, joins);
    reference(columns, &x, support).rss.sqrt()
}

/// The smallest pivot of a unit column that may join a model.
pub const PIVOT: f64 = 1e-7;

fn column(columns: &[f64], n: usize, j: u32) -> Vec<f64> {
    columns[j as usize * n..][..n].to_vec()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn square(v: &[f64]) -> f64 {
    dot(v, v)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Columns and response at unit norm, uniform about zero, from a 64-bit congruence.
    pub(crate) fn problem(n: usize, p: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let mut state = seed;
        let mut column = || {
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
            };
            let values: Vec<f64> = (0..n).map(|_| next()).collect();
            let norm = square(&values).sqrt();
            values.into_iter().map(|v| v / norm).collect::<Vec<_>>()
        };
        ((0..p).flat_map(|_| column()).collect(), column())
    }

    #[test]
    fn the_residual_is_orthogonal_to_the_support() {
        for (n, p) in [(4, 3), (33, 20), (513, 40)] {
            let (x, y) = problem(n, p, 1 + n as u64);
            let support: Vec<u32> = (0..p as u32).rev().collect();
            let fit = reference(&x, &y, &support);
            for x in x.chunks(n) {
                assert!(dot(x, &fit.residual).abs() < 1e-14);
            }
            // Pythagoras, y at unit norm.
            let explained: f64 = support
                .iter()
                .zip(&fit.coefficients)
                .map(|(&j, b)| b * dot(&x[j as usize * n..][..n], &y))
                .sum();
            assert!((explained + fit.rss - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn rss_never_rises_when_a_variable_joins() {
        let (x, y) = problem(40, 30, 2);
        let mut last = 1.0;
        for k in 0..=30 {
            let support: Vec<u32> = (0..k).collect();
            let rss = reference(&x, &y, &support).rss;
            assert!(rss <= last + 1e-15, "{k}");
            last = rss;
        }
    }

    #[test]
    fn a_column_twice_changes_nothing() {
        let (mut x, y) = problem(20, 3, 3);
        x.extend_from_within(20..40);
        let once = reference(&x, &y, &[0, 1, 2]);
        let twice = reference(&x, &y, &[0, 1, 3, 2]);
        assert!((once.rss - twice.rss).abs() < 1e-14);
        assert!(pivot(&x, 20, &[0, 1], 3) < 1e-14);
        assert!(pivot(&x, 20, &[0, 2], 3) > 0.1);
    }
}
