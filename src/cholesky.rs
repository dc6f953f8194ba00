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
        let gram = columns
            .iter()
            .flat_map(|a| columns.iter().map(|b| dot(a, b)));
        let mut matrix: Vec<f64> = gram.collect();
        assert_eq!(factor(&mut matrix, 4, 1e-12), 3);
        // What they explain of any vector of three numbers is all of it.
        let y = [0.3, -1.0, 2.0];
        let mut products: Vec<f64> = columns.iter().map(|a| dot(a, &y)).collect();
        solve(&matrix, &mut products);
        assert_eq!(products[2], 0.0);
        let explained: f64 = products.iter().map(|z| z * z).sum();
        assert!((explained - dot(&y, &y)).abs() < 1e-12);
    }
}
