//! [r, Q] of a model, the bounds of gains that its products give, and the gains. By observations.

use passel_kernels::{
    gain::{self, KERNEL},
    least_squares,
    update::Order,
};

use super::{
    TestGpu, arguments, assert_near, dot,
    update::{CAPACITY, TestModels},
};

pub const SIZES: &[usize] = &[40, 255, 256, 257, 511, 513, 2000];

const COLUMNS: usize = 20;

pub fn check(test: &mut TestGpu, n: usize) {
    let (mut columns, y) = test.regression(n, COLUMNS);
    // Column 19 is column 4, which the model has.
    columns.copy_within(4 * n..5 * n, 19 * n);
    let models = TestModels::new(test, (&columns, &y), 2, &[]);
    let support = [4, 10, 1];
    for variable in support {
        models.update(test, "update_512", &[(1, Order::Add(variable))]);
    }
    let args = models.args;
    let (which, offsets) = (test.put(&[1u32]), test.put(&[0u64]));
    let out = test.fill(0.0f64, 4 * n);
    // The third dimension of the grid is the model's.
    let shape = (256, 0);
    let given = arguments![args, which, offsets, out];
    test.launch(&KERNEL, "orthonormal", (2, 3), shape, given);
    let basis = test.get::<f64>(out, 4 * n);
    let fit = least_squares::reference(&columns, &y, &support);
    for (found, expected) in basis.iter().zip(&fit.residual) {
        assert_near(*found, *expected, 1e-11);
    }
    let q: Vec<&[f64]> = basis[n..].chunks(n).collect();
    for (at, a) in q.iter().enumerate() {
        for (other, b) in q.iter().enumerate() {
            assert_near(dot(a, b), f64::from(u8::from(at == other)), 1e-11);
        }
        // Of the space of the support.
        assert_near(dot(a, &fit.residual), 0.0, 1e-11);
    }
    let expected = gain::reference(&columns, &y, &support);
    let products = basis
        .chunks(n)
        .flat_map(|vector| columns.chunks(n).map(move |column| dot(column, vector)));
    let products = test.put(&products.collect::<Vec<f64>>());
    let (upper, most) = (test.fill(0.0f64, COLUMNS), test.put(&[0u64]));
    let (k, rows, from) = (3i32, COLUMNS as i64, 0u32);
    let off = 2.0 * n as f64 * f64::EPSILON * fit.rss.sqrt();
    let error = 16.0 * (4 * n) as f64 * f64::EPSILON;
    let members = args.support + (4 * CAPACITY) as u64;
    let given = arguments![
        products, k, 0u64, members, k, rows, from, off, error, upper, most
    ];
    test.launch(&KERNEL, "bounds", (1, 1), shape, given);
    let bounds = test.get::<f64>(upper, COLUMNS);
    for (at, (bound, gain)) in bounds.iter().zip(&expected).enumerate() {
        match support.contains(&(at as u32)) {
            true => assert_eq!(*bound, f64::NEG_INFINITY),
            // The reference's gain is a difference of two residual sums of at most 1.
            false => assert!(*bound >= gain - 1e-13, "column {at}: {bound} {gain}"),
        }
    }
    let (model, capacity) = (0u64, COLUMNS as u64);
    let (list, listed) = (test.fill(0u64, COLUMNS), test.put(&[0u64]));
    let given = arguments![upper, rows, from, model, most, list, listed, capacity];
    test.launch(&KERNEL, "collect_gains", (1, 1), shape, given);
    let count = test.get::<u64>(listed, 1)[0] as usize;
    let largest = (0..COLUMNS).max_by(|a, b| expected[*a].total_cmp(&expected[*b]));
    let collected = test.get::<u64>(list, count);
    assert!(collected.contains(&(largest.unwrap() as u64)));
    // The gains of all columns.
    let all: Vec<u64> = (0..COLUMNS as u64).collect();
    test.set(list, &all);
    test.set(listed, &[COLUMNS as u64]);
    let (columns, count) = (models.columns, COLUMNS as u32);
    let scores = test.fill(-1.0f64, COLUMNS);
    let given = arguments![
        args, columns, from, count, which, list, listed, capacity, scores
    ];
    test.launch(&KERNEL, "gain", (2, 1), (512, 24 * CAPACITY), given);
    let gains = test.get::<f64>(scores, COLUMNS);
    for (at, (found, expected)) in gains.into_iter().zip(expected).enumerate() {
        if !support.contains(&(at as u32)) {
            assert_near(found, expected, 1e-11);
        }
    }
}
