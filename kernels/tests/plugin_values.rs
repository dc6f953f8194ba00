//! A plugin's function (here, the observations of a table) of tables of one shape, and of tables
//! with levels of their own. By tables.

use passel_kernels::plugin_values;

use super::{TestGpu, arguments};

pub const SIZES: &[usize] = &[1, 127, 128, 129, 1000];

pub fn check(test: &mut TestGpu, count: usize) {
    let [x, w, y] = [5u32, 3, 2];
    let (cells, stride, tables) = (30, 30i64, count as i64);
    let mut counts = test.codes(count * cells, 9);
    for table in counts.chunks_mut(cells) {
        if test.below(4) == 0 {
            table.fill(0);
        }
    }
    let levels: Vec<u32> = (0..count).map(|_| 1 + test.below(5) as u32).collect();
    let (cells_of, levels_of) = (test.put(&counts), test.put(&levels));
    let [values, out] = [1, count].map(|count| test.fill(0.0f64, count));
    let empty = test.fill(7u8, count);
    let step = 2_u32;
    let observations = |table: &[u32]| f64::from(table.iter().sum::<u32>() * (step + 1));
    let (kernel, grid, shape) = (&plugin_values::KERNEL, (2, 1), (128, 0));
    let given = arguments![values, cells_of, x, w, y, step, tables, out];
    test.launch(kernel, "tables", grid, shape, given);
    let expected = plugin_values::reference(&counts, [5, 3, 2], observations);
    assert_eq!(test.get::<f64>(out, count), expected);
    let given = arguments![
        values, cells_of, stride, levels_of, w, y, step, tables, out, empty
    ];
    test.launch(kernel, "values", grid, shape, given);
    let (found, empty) = (test.get::<f64>(out, count), test.get::<u8>(empty, count));
    let value = |table: &[u32], _: [usize; 3]| observations(table);
    let expected = plugin_values::reference_of_levels(&counts, cells, &levels, [3, 2], value);
    for ((found, empty), expected) in found.into_iter().zip(empty).zip(expected) {
        assert_eq!(
            (empty, found),
            (u8::from(expected.is_none()), expected.unwrap_or(0.0))
        );
    }
}
