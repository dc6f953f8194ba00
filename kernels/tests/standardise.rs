//! Columns of f64 and f32, by rows and by columns, all rows and some of them, to 1e-13 of their values; what a column is doubted
//! for.

use passel_kernels::standardise::{
    self, Facts, KERNEL, MARKED, Matrix, NO_ROW_NUMBERS, NOT_FINITE,
};

use super::{TestGpu, arguments, assert_near};

pub const SIZES: &[usize] = &[3, 7, 8, 9, 31, 32, 33, 1000, 46_349];

const WIDTH: usize = 37;

pub fn check(test: &mut TestGpu, n: usize) {
    let (mut values, _) = test.regression(n, WIDTH);
    // Far from 0, and of three kinds that are doubted.
    values[n..2 * n].iter_mut().for_each(|x| *x += 1e3);
    values[2 * n + n / 2] = f64::INFINITY;
    values[3 * n + n - 1] = -999.0;
    for (row, x) in values[4 * n..5 * n].iter_mut().enumerate() {
        *x = 1.0 + row as f64;
    }
    let some: Vec<u32> = (0..n as u32)
        .filter(|row| row % 3 != 1)
        .chain([2])
        .collect();
    let single: Vec<f32> = values.iter().map(|x| *x as f32).collect();
    let rounded: Vec<f64> = single.iter().map(|x| f64::from(*x)).collect();
    let by_row = |at: usize| at % WIDTH * n + at / WIDTH;
    let turned: Vec<f64> = (0..n * WIDTH).map(|at| values[by_row(at)]).collect();
    let turned_single: Vec<f32> = (0..n * WIDTH).map(|at| single[by_row(at)]).collect();
    let all: Vec<u32> = (0..n as u32).collect();
    let rows = test.put(&some);
    let (column, row) = (test.put(&values), test.put(&turned));
    let (column_single, row_single) = (test.put(&single), test.put(&turned_single));
    let places: [u32; 4] = [0, 1, 5, 36];
    let listed = test.put(&places);
    for (address, of, size, is_by_row) in [
        (column, &values, 8, false),
        (row, &values, 8, true),
        (column_single, &rounded, 4, false),
        (row_single, &rounded, 4, true),
    ] {
        for (which, at, intercept) in [(&all, 0, true), (&some, rows, true), (&some, rows, false)] {
            let x = Matrix {
                address,
                row: size * if is_by_row { WIDTH as i64 } else { 1 },
                column: size * if is_by_row { 1 } else { n as i64 },
                rows: at,
                n: which.len() as i64,
                single: (size == 4).into(),
            };
            let facts = test.fill(Facts::default(), WIDTH);
            let given = arguments![x, WIDTH as i64, i32::from(intercept), facts];
            test.launch(&KERNEL, "facts", (2, 1), (256, 0), given);
            let found = test.get::<Facts>(facts, WIDTH);
            let own = |column: usize| {
                let values = which.iter().map(|row| of[column * n + *row as usize]);
                values.collect::<Vec<f64>>()
            };
            let (mut standard, mut plain) = (Vec::new(), Vec::new());
            for (j, found) in found.iter().enumerate() {
                let values = own(j);
                let is_finite = values.iter().all(|x| x.is_finite());
                let is_marked = values.contains(&-999.0);
                let mut numbers = values.iter().enumerate();
                let numbers_rows = numbers.all(|(row, x)| *x == 1.0 + row as f64);
                let bit = |is: bool, bit| if is { bit } else { 0 };
                let doubts = bit(!is_finite, NOT_FINITE)
                    | bit(is_marked, MARKED)
                    | bit(!numbers_rows, NO_ROW_NUMBERS);
                assert_eq!(found.doubts, doubts, "column {j}");
                if !is_finite {
                    continue;
                }
                let (mean, norm) = standardise::reference(&values, intercept);
                let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                assert_eq!(found.largest, largest);
                assert_near((found.mean + found.rest - mean) / largest, 0.0, 1e-13);
                assert_near((found.norm - norm) / (norm + 1e-9 * largest), 0.0, 1e-9);
                if places.contains(&(j as u32)) {
                    standard.extend(values.iter().map(|x| (x - mean) / norm));
                    plain.extend(values);
                }
            }
            let count = places.len() as i64;
            let out = test.fill(0.0, plain.len());
            let given = arguments![x, listed, count, 0_u64, out];
            test.launch(&KERNEL, "columns", (2, 1), (256, 0), given);
            assert_eq!(test.get::<f64>(out, plain.len()), plain);
            let given = arguments![x, listed, count, facts, out];
            test.launch(&KERNEL, "columns", (2, 1), (256, 0), given);
            let written = test.get::<f64>(out, standard.len());
            for (at, (written, standard)) in written.iter().zip(standard).enumerate() {
                // Of the column far from 0 nine digits are left.
                let tolerance = if at / which.len() == 1 { 1e-6 } else { 1e-12 };
                assert_near(*written, standard, tolerance);
            }
            let out = test.fill(0.0, WIDTH);
            let given = arguments![x, 2_i64, WIDTH as i64, out];
            test.launch(&KERNEL, "row", (2, 1), (256, 0), given);
            let row = test.get::<f64>(out, WIDTH);
            let expected = (0..WIDTH).map(|j| of[j * n + which[2] as usize]);
            assert!(row.iter().copied().eq(expected));
        }
    }
}
