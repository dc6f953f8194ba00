//! Positive definite matrices of a few dozen columns: their inverse, a test, and a diagonal below one.

use pulp::Simd;

use crate::vector::{add_scaled, vectorised};

/// Least pivot of a matrix whose diagonal is one at most: below it rounding decides.
const LEAST_PIVOT: f64 = 1e-14;

/// Newton steps for a diagonal, and what each leaves of the barrier's weight.
const STEPS: usize = 4;
const WEIGHT_LEFT: f64 = 0.25;

vectorised! {
    /// Inverts a symmetric positive definite matrix, m × m and dense, in place, by m sweeps. False where
    /// a pivot is too small to tell the matrix from a singular one.
    ///
    /// *Source:* J. Goodnight, A tutorial on the SWEEP operator, The American Statistician 33, 1979.
    pub(super) fn invert<'a>(matrix: &'a mut [f64], m: usize) -> bool = invert_body;
}

#[inline(always)]
fn invert_body<S: Simd>(_: S, matrix: &mut [f64], m: usize) -> bool {
    let mut row = vec![0.0; m];
    for k in 0..m {
        row.copy_from_slice(&matrix[k * m..][..m]);
        let pivot = row[k];
        if pivot.is_nan() || pivot <= LEAST_PIVOT {
            return false;
        }
        let inverse = 1.0 / pivot;
        for (i, other) in matrix.chunks_exact_mut(m).enumerate() {
            let factor = other[k] * inverse;
            if i != k {
                add_scaled(other, -factor, &row);
                other[k] = -factor;
            }
        }
        let own = &mut matrix[k * m..][..m];
        for (own, value) in own.iter_mut().zip(&row) {
            *own = value * inverse;
        }
        own[k] = inverse;
    }
    // Symmetric but for rounding.
    for k in 0..m {
        for i in 0..k {
            let mean = 0.5 * (matrix[k * m + i] + matrix[i * m + k]);
            (matrix[k * m + i], matrix[i * m + k]) = (mean, mean);
        }
    }
    true
}

vectorised! {
    /// Whether a symmetric matrix less a diagonal is positive definite: by its Cholesky factor, which
    /// replaces the upper triangle of `work`.
    fn exceeds<'a>(matrix: &'a [f64], diagonal: &'a [f64], work: &'a mut Vec<f64>) -> bool = exceeds_body;
}

#[inline(always)]
fn exceeds_body<S: Simd>(_: S, matrix: &[f64], diagonal: &[f64], work: &mut Vec<f64>) -> bool {
    let m = diagonal.len();
    work.clear();
    work.extend_from_slice(matrix);
    for (k, d) in diagonal.iter().enumerate() {
        work[k * (m + 1)] -= d;
    }
    for k in 0..m {
        let (done, rest) = work.split_at_mut((k + 1) * m);
        let row = &mut done[k * m + k..];
        let pivot = row[0];
        if pivot.is_nan() || pivot <= LEAST_PIVOT {
            return false;
        }
        let inverse = 1.0 / pivot;
        for (i, other) in rest.chunks_exact_mut(m).enumerate() {
            let i = i + k + 1;
            add_scaled(&mut other[i..], -row[i - k] * inverse, &row[i - k..]);
        }
    }
    true
}

/// A diagonal D, positive, with D ⪯ G: of those, one of large Σ dⱼhⱼ, h the diagonal of H = G⁻¹.
///
/// It maximises Σ dⱼhⱼ + μ (ln det(G − D) + Σ ln dⱼ) by Newton's method, for μ falling towards 0, from
/// the best multiple of 1/h that Gershgorin's circles allow or from `start`, which is allowed.
///
/// *Shapes:* `gram` and `inverse` m × m, dense.
///
/// *Source:* for the use of D, X. Zheng, X. Sun and D. Li, Improving the performance of MIQP solvers
/// for quadratic programs with cardinality and minimum threshold constraints: a semidefinite program
/// approach, INFORMS Journal on Computing 26, 2014.
pub(super) fn diagonal_below(gram: &[f64], inverse: &[f64], start: &[f64]) -> Vec<f64> {
    let m = start.len();
    if m == 0 {
        return Vec::new();
    }
    let h: Vec<f64> = (0..m).map(|j| inverse[j * (m + 1)]).collect();
    let scale: Vec<f64> = h.iter().map(|h| h.sqrt()).collect();
    let circle = |(row, own): (&[f64], &f64)| {
        let entries = row.iter().zip(&scale);
        entries
            .map(|(value, other)| value.abs() / (own * other))
            .sum()
    };
    let circles = inverse.chunks_exact(m).zip(&scale).map(circle);
    let widest: f64 = circles.fold(1.0, f64::max);
    // Not all of it: G − D must stay positive definite.
    let mut diagonal: Vec<f64> = h.iter().map(|h| 0.95 / (widest * h)).collect();
    let size = |diagonal: &[f64]| -> f64 { diagonal.iter().zip(&h).map(|(d, h)| d * h).sum() };
    if size(start) > size(&diagonal) {
        diagonal = start.to_vec();
    }
    let mut weight = 0.3;
    let mut work = Vec::new();
    for _ in 0..STEPS {
        let mut rest = gram.to_vec();
        for (j, d) in diagonal.iter().enumerate() {
            rest[j * (m + 1)] -= d;
        }
        if !invert(&mut rest, m) {
            break;
        }
        let gradient: Vec<f64> = (0..m)
            .map(|j| h[j] / weight - rest[j * (m + 1)] + 1.0 / diagonal[j])
            .collect();
        let mut curvature: Vec<f64> = rest.iter().map(|value| value * value).collect();
        for (j, d) in diagonal.iter().enumerate() {
            curvature[j * (m + 1)] += 1.0 / (d * d);
        }
        // In units of 1/h, so that pivots compare with one.
        for (row, a) in curvature.chunks_exact_mut(m).zip(&h) {
            for (value, b) in row.iter_mut().zip(&h) {
                *value /= a * b;
            }
        }
        if !invert(&mut curvature, m) {
            break;
        }
        let scaled: Vec<f64> = gradient.iter().zip(&h).map(|(g, h)| g / h).collect();
        let step: Vec<f64> = curvature
            .chunks_exact(m)
            .zip(&h)
            .map(|(row, h)| row.iter().zip(&scaled).map(|(c, g)| c * g).sum::<f64>() / h)
            .collect();
        let most = diagonal.iter().zip(&step);
        let most = most.map(|(d, s)| if *s < 0.0 { -0.9 * d / s } else { 1.0 });
        let mut length = most.fold(1.0, f64::min);
        while length > 1e-3 {
            let moved = diagonal.iter().zip(&step);
            let moved: Vec<f64> = moved.map(|(d, s)| d + length * s).collect();
            if exceeds(gram, &moved, &mut work) {
                diagonal = moved;
                break;
            }
            length *= 0.6;
        }
        weight *= WEIGHT_LEFT;
    }
    // G − D was found positive definite up to rounding: a little less of D is so beyond it.
    diagonal.iter_mut().for_each(|d| *d *= 1.0 - 1e-9);
    diagonal
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// A correlation matrix, m × m, of columns with a common part.
    fn correlations(m: usize, common: f64) -> Vec<f64> {
        let mut stream = Stream::new(3, m as u64);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let n = 2 * m + 5;
        let shift: Vec<f64> = (0..n).map(|_| common * draw()).collect();
        let column = |_| -> Vec<f64> {
            let column: Vec<f64> = shift.iter().map(|shift| shift + draw()).collect();
            let norm = column.iter().map(|value| value * value).sum::<f64>().sqrt();
            column.iter().map(|value| value / norm).collect()
        };
        let columns: Vec<Vec<f64>> = (0..m).map(column).collect();
        let product = |at: usize| columns[at / m].iter().zip(&columns[at % m]);
        (0..m * m)
            .map(|at| product(at).map(|(a, b)| a * b).sum())
            .collect()
    }

    /// Whether a symmetric matrix is positive definite: by its Cholesky factor, column by column.
    fn is_positive(matrix: &[f64], m: usize) -> bool {
        let mut factor = vec![0.0; m * m];
        for j in 0..m {
            for i in j..m {
                let known: f64 = (0..j).map(|k| factor[i * m + k] * factor[j * m + k]).sum();
                let rest = matrix[i * m + j] - known;
                if i == j && rest <= 0.0 {
                    return false;
                }
                factor[i * m + j] = if i == j {
                    rest.sqrt()
                } else {
                    rest / factor[j * m + j]
                };
            }
        }
        true
    }

    #[test]
    fn an_inverse_and_a_diagonal_of_every_size() {
        for (m, common) in [(1, 0.0), (2, 1.0), (7, 3.0), (33, 0.5), (40, 6.0)] {
            let gram = correlations(m, common);
            let mut inverse = gram.clone();
            assert!(invert(&mut inverse, m));
            for (at, _) in gram.iter().enumerate() {
                let row = gram[at / m * m..][..m].iter();
                let entry: f64 = row
                    .zip(inverse.iter().skip(at % m).step_by(m))
                    .map(|(a, b)| a * b)
                    .sum();
                let expected = f64::from(u8::from(at / m == at % m));
                assert!((entry - expected).abs() < 1e-11, "m = {m}: {entry}");
            }
            let first = diagonal_below(&gram, &inverse, &vec![0.0; m]);
            let again = diagonal_below(&gram, &inverse, &first);
            for diagonal in [&first, &again] {
                assert!(diagonal.iter().all(|d| *d > 0.0));
                let mut rest = gram.clone();
                for (k, d) in diagonal.iter().enumerate() {
                    rest[k * (m + 1)] -= d;
                }
                assert!(is_positive(&rest, m), "m = {m}");
            }
        }
    }

    #[test]
    fn a_dependent_matrix_has_no_inverse() {
        assert!(!invert(&mut [1.0, 1.0, 1.0, 1.0], 2));
        assert!(!invert(&mut [0.0], 1));
        assert!(!invert(&mut [f64::NAN], 1));
    }
}
