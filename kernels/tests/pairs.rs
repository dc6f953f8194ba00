//! T(xw) and T(xwy) of all pairs of a group, by each kind of products that the GPU has. By rows.

use std::collections::BTreeMap;

use passel_kernels::{
    Kernel,
    pairs::{self, BitProducts, ColumnGroup, PairArgs, PairBounds, PairValue, QuickBound},
};

use super::{TestGpu, assert_near, bits::BitColumns};

pub const SIZES: &[usize] = &[30, 511, 512, 513, 3000, 46_349];

/// Those of these kernels (of warpgroups, bits, bytes and words) that the GPU can run, and whether
/// it copies chunks ahead.
pub fn variants(
    test: &TestGpu,
    [groups, bits, bytes, words]: [Kernel; 4],
) -> (Vec<(BitProducts, Kernel)>, bool) {
    let capability = test.capability();
    let mut variants = vec![(BitProducts::Words, words)];
    if capability.0 >= 8 {
        variants.extend([(BitProducts::Bits, bits), (BitProducts::Bytes, bytes)]);
    }
    if capability == (9, 0) {
        variants.push((BitProducts::Groups, groups));
    }
    (variants, capability.0 >= 8)
}

/// Launches for T(xw), and for T(xwy) where classes are told apart, and compares all pairs with the
/// reference: every pair once, its value within n · 2⁻¹⁸ and a little, for each of few cells adds
/// c·log₂ with an error of 2⁻²² and float rounding.
pub fn check_sums(
    test: &mut TestGpu,
    columns: &BitColumns,
    launch: impl Fn(&TestGpu, PairArgs),
    reference: impl Fn([&[u8]; 2]) -> (f64, f64),
) {
    let all = columns.codes.len();
    for (xw, xwy) in [(1.0, 0.0), (0.0, 1.0)] {
        if columns.classes == 1 && xwy != 0.0 {
            continue;
        }
        let args = pair_args(test, columns, xw, xwy);
        launch(test, args);
        let count = test.get::<u32>(args.found_count, 1)[0] as usize;
        let found = test.get::<PairBounds>(args.found, count);
        let found: BTreeMap<(u32, u32), f32> = found
            .into_iter()
            .map(|pair| ((pair.a.min(pair.b), pair.a.max(pair.b)), pair.most))
            .collect();
        assert_eq!((count, found.len()), (all * (all - 1) / 2, count));
        for ((a, b), value) in found {
            let sums = reference([a, b].map(|at| columns.codes[at as usize].as_slice()));
            let expected = f64::from(xw) * sums.0 + f64::from(xwy) * sums.1;
            let tolerance = (columns.n as f64 / f64::from(1 << 18)).max(1e-4);
            let scale = expected.abs().max(1.0);
            assert_near(f64::from(value), expected, tolerance / scale + 1e-5);
        }
    }
}

/// What kernels of pairs take of one group beside itself, told apart by all classes or none, with
/// a score of `xw`·T(xw) + `xwy`·T(xwy).
fn pair_args(test: &mut TestGpu, columns: &BitColumns, xw: f32, xwy: f32) -> PairArgs {
    let (levels, count) = (columns.levels, columns.codes.len());
    let mut facts = Vec::new();
    for codes in &columns.codes {
        let of = |level: usize, class: Option<usize>| {
            let rows = codes.iter().zip(&columns.y);
            let own = |row: &(&u8, &u8)| {
                usize::from(*row.0) == level
                    && class.is_none_or(|class| usize::from(*row.1) == class)
            };
            rows.filter(own).count() as f32
        };
        facts.extend((0..levels).map(|level| match of(level, None) {
            0.0 => 0.0,
            rows => columns.n as f32 / rows,
        }));
        for class in 0..columns.classes {
            facts.extend((0..levels).map(|level| of(level, Some(class))));
        }
        facts.extend([0.0; 4]);
    }
    let group = ColumnGroup {
        tiles: test.put(&columns.tiles),
        facts: test.put(&facts),
        numbers: test.put(&(0..count as u32).collect::<Vec<_>>()),
        count: count as u32,
        first: 0,
        planes: columns.planes() as u32,
        each: columns.each() as u32,
    };
    PairArgs {
        a: group,
        b: group,
        edges: test.put(&columns.edges),
        chunks: columns.chunks() as u32,
        classes: columns.classes as u32,
        per_row: 1.0 / columns.n as f32,
        over: PairValue {
            xw,
            xwy,
            ..PairValue::default()
        },
        // Every pair's own score is computed.
        quick: QuickBound {
            scale: f32::INFINITY,
            ..QuickBound::default()
        },
        same: 1,
        supers: test.fill(0u32, 2),
        floor: test.put(&[f32::NEG_INFINITY]),
        found: test.fill(PairBounds::default(), count * count),
        found_count: test.put(&[0u32]),
        room: (count * count) as u32,
        ..PairArgs::default()
    }
}

/// Counts of (x, w, y) by class, then x, then w.
pub fn counts(columns: &BitColumns, [x, w]: [&[u8]; 2]) -> Vec<u64> {
    let levels = columns.levels;
    let mut counts = vec![0; columns.classes * levels * levels];
    for ((&x, &w), &y) in x.iter().zip(w).zip(&columns.y) {
        counts[(usize::from(y) * levels + usize::from(x)) * levels + usize::from(w)] += 1;
    }
    counts
}

pub fn check(test: &mut TestGpu, n: usize) {
    use pairs::{BYTES, GROUPS, KERNEL, WORDS};
    let (variants, ahead) = variants(test, [GROUPS, KERNEL, BYTES, WORDS]);
    for (levels, classes, function) in [
        (2, 1, "pairs_2_1"),
        (2, 2, "pairs_2_2"),
        (3, 1, "pairs_3_1"),
        (3, 2, "pairs_3_2"),
    ] {
        let columns = BitColumns::new(test, (n, 150), levels, classes);
        for (products, kernel) in &variants {
            let shape = (
                products.threads(),
                pairs::shared(levels, classes, *products, ahead),
            );
            check_sums(
                test,
                &columns,
                |test, args| test.launch(kernel, function, (256, 1), shape, &[&args]),
                |pair| pairs::reference(&counts(&columns, pair), levels, levels),
            );
        }
    }
}
