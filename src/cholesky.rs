//! The Cholesky factor of a small symmetric matrix, such as the products of the columns of a term.

/// Replaces the lower triangle of a w × w matrix, row by row, by its factor L. A pivot that is not above
/// `least` has a row of zeros; returns the number of the others.
pub(crate) fn factor(matrix: &mut [f64], w: usize, least: f64) -> usize {
    let mut rank = 0;
    for row in 0..w {
        for column in 0..=row {
            let (a, b) = (row * w, column * w);
            let products = (0..column).map(|at| matrix[a + at] * matrix[b + at]);
            let rest = matrix[a + column] - products.sum::<f64>();
            matrix[a + column] = match (row == column, matrix[b + column]) {
                (true, _) if rest > least => rest.sqrt(),
                (true, _) => 0.0,
                (false, 0.0) => 0.0,
                (false, pivot) => rest / pivot,
            };
        }
        match matrix[row * w + row] > 0.0 {
            true => rank += 1,
            false => matrix[row * w..][..=row].fill(0.0),
        }
    }
    rank
}

/// Adds scale·v·vᵀ to the lower triangle of a matrix.
pub(crate) fn add_square(matrix: &mut [f64], v: &[f64], scale: f64) {
    for (a, row) in matrix.chunks_mut(v.len()).enumerate() {
        let scaled = scale * v[a];
        row[..=a]
            .iter_mut()
            .zip(v)
            .for_each(|(own, v)| *own += scaled * v);
    }
}

/// Replaces v by L⁻¹v, which is 0 where L has a row of zeros.
pub(crate) fn solve(factor: &[f64], v: &mut [f64]) {
    let w = v.len();
    for row in 0..w {
        let l = &factor[row * w..][..=row];
        let products = l[..row].iter().zip(&*v).map(|(l, v)| l * v);
        let rest = v[row] - products.sum::<f64>();
        v[row] = if l[row] > 0.0 { rest / l[row] } else { 0.0 };
    }
}

/// Replaces v by L⁻ᵀv, which is 0 where L has a row of zeros.
pub(crate) fn solve_transposed(factor: &[f64], v: &mut [f64]) {
    let w = v.len();
    for row in (0..w).rev() {
        let below = (row + 1..w).map(|at| factor[at * w + row] * v[at]);
        let (rest, pivot) = (v[row] - below.sum::<f64>(), factor[row * (w + 1)]);
        v[row] = if pivot > 0.0 { rest / pivot } else { 0.0 };
    }
}

/// vᵀM⁻¹v of the lower triangle of a w × w matrix, and the rank of M, of which pivots that are not above
/// `least` are left out: what [`factor`] and [`solve`] give, without roots. Both are changed.
pub(crate) fn explained(matrix: &mut [f64], v: &mut [f64], least: f64) -> (f64, usize) {
    // The usual sizes are compiled for themselves.
    match v.len() {
        1 => explained_of::<1>(matrix, v, least),
        2 => explained_of::<2>(matrix, v, least),
        3 => explained_of::<3>(matrix, v, least),
        4 => explained_of::<4>(matrix, v, least),
        5 => explained_of::<5>(matrix, v, least),
        w => explained_body(matrix, v, w, least),
    }
}

#[inline(always)]
fn explained_of<const W: usize>(matrix: &mut [f64], v: &mut [f64], least: f64) -> (f64, usize) {
    let (mut own, mut vector) = ([0.0; 25], [0.0; W]);
    own[..W * W].copy_from_slice(&matrix[..W * W]);
    vector.copy_from_slice(v);
    let found = explained_body(&mut own[..W * W], &mut vector, W, least);
    matrix[..W * W].copy_from_slice(&own[..W * W]);
    found
}

/// M = LDLᵀ, the diagonal of the matrix that of D⁻¹, 0 where a pivot is left out.
#[inline(always)]
fn explained_body(matrix: &mut [f64], v: &mut [f64], w: usize, least: f64) -> (f64, usize) {
    let (mut sum, mut rank) = (0.0, 0);
    for row in 0..w {
        let (mut pivot, mut rest) = (matrix[row * w + row], v[row]);
        for column in 0..row {
            // L·D, of which the entries before are in place.
            let mut own = matrix[row * w + column];
            for at in 0..column {
                own -= matrix[row * w + at] * matrix[column * w + at] * matrix[at * w + at];
            }
            matrix[row * w + column] = own;
        }
        for column in 0..row {
            let own = matrix[row * w + column];
            let scaled = own * matrix[column * w + column];
            pivot -= own * scaled;
            rest -= scaled * v[column];
        }
        let inverse = if pivot > least { 1.0 / pivot } else { 0.0 };
        rank += usize::from(pivot > least);
        matrix[row * w + row] = inverse;
        v[row] = rest;
        sum += rest * rest * inverse;
    }
    (sum, rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_solves_and_leaves_out_what_depends_on_others() {
        // Columns (1, 0, 1), (1, 1, 0), their sum, and (0, 0, 2): products of these.
        let columns = [
            [1.0, 0.0, 1.0],
            [1.0, 1.0, 0.0],
            [2.0, 1.0, 1.0],
            [0.0, 0.0, 2.0],
        ];
        let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let gram_of = |columns: &[[f64; 3]]| -> Vec<f64> {
            let products = columns
                .iter()
                .flat_map(|a| columns.iter().map(|b| dot(a, b)));
            products.collect()
        };
        let mut matrix = gram_of(&columns);
        assert_eq!(factor(&mut matrix, 4, 1e-12), 3);
        // What they explain of any vector of three numbers is all of it.
        let y = [0.3, -1.0, 2.0];
        let mut products: Vec<f64> = columns.iter().map(|a| dot(a, &y)).collect();
        let (mut same, mut vector) = (gram_of(&columns), products.clone());
        let (sum, rank) = explained(&mut same, &mut vector, 1e-12);
        assert!((sum - dot(&y, &y)).abs() < 1e-12 && rank == 3);
        assert_eq!(same[2 * 4 + 2], 0.0);
        solve(&matrix, &mut products);
        assert_eq!(products[2], 0.0);
        let explained: f64 = products.iter().map(|z| z * z).sum();
        assert!((explained - dot(&y, &y)).abs() < 1e-12);
    }
}
