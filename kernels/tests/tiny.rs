//! Columns of few levels as bits beside few joint codes: every shape, alone and shared by blocks.
//! By rows.

use passel_kernels::{
    counting::packed,
    tiny::{self, PlanesArgs, SHAPES, THREADS, TILE, TinyArgs, TinyShape},
};

use super::{TestAnchor, TestGpu, arguments, terms};

pub const SIZES: &[usize] = &[1, 15, 17, 2047, 2048, 2049, 6000];

pub fn check(test: &mut TestGpu, n: usize) {
    for shape in SHAPES {
        let classes = if shape.wide % 3 == 0 { 3 } else { 2 };
        for classes in [1, classes] {
            let levels = shape.wide as u32 / classes;
            let anchors = [0, 1].map(|_| test.anchor(n, levels, classes));
            check_shape(test, shape, &anchors);
        }
    }
}

fn check_shape(test: &mut TestGpu, shape: &TinyShape, anchors: &[TestAnchor; 2]) {
    let n = anchors[0].joint.len();
    let (classes, wide, terms) = (anchors[0].classes, shape.wide, terms(n));
    let tiles = n.div_ceil(TILE);
    let batch = test.put_anchors(anchors, 8);
    let args = PlanesArgs {
        joint: batch.joint,
        joint_stride: batch.stride,
        rows: n as i64,
        tiles: tiles as i64,
        wide: wide as u32,
        planes: test.fill(u32::MAX, 2 * 64 * wide * tiles),
        totals: test.fill(0u32, 2 * wide),
    };
    let (planes, totals) = (args.planes, args.totals);
    test.launch(&tiny::KERNEL, "planes", (3, 2), (256, 0), arguments![args]);
    let words = test.get::<u32>(planes, 2 * 64 * wide * tiles);
    let counts = test.get::<u32>(totals, 2 * wide);
    let mut words = words.chunks(64 * tiles).zip(counts);
    for anchor in anchors {
        for code in 0..wide as u32 {
            let (words, count) = words.next().unwrap();
            let expected = tiny::plane(&anchor.joint, code);
            assert_eq!(words, expected, "joint code {code}");
            let set = expected.iter().map(|word| word.count_ones());
            assert_eq!(count, set.sum::<u32>());
        }
    }
    let count = shape.columns + 3;
    let columns: Vec<Vec<u32>> = (0..count)
        .map(|_| test.codes(n, shape.levels as u32))
        .collect();
    let codes: Vec<Vec<u8>> = columns.iter().map(|codes| packed(codes, 4)).collect();
    let (codes, stride) = (test.put(&codes.concat()), codes[0].len() as i64);
    let groups = count.div_ceil(shape.columns);
    for parts in [1, 2] {
        let sums = test.put_sums(2, count);
        let args = TinyArgs {
            codes,
            stride,
            columns: count as u32,
            places: count as u32,
            vectors: n.div_ceil(16) as i64,
            tiles: tiles as i64,
            planes,
            totals,
            anchors: batch.sums,
            classes,
            wide: wide as u32,
            parts,
            partial: test.fill(0u32, 2 * groups * shape.counts()),
            arrived: test.fill(0u32, 2 * groups),
            terms: test.put(&terms),
            xw: sums.xw,
            xwy: sums.xwy,
            ..TinyArgs::default()
        };
        let grid = (groups as u32 * parts, 2);
        let given = arguments![args];
        test.launch(&tiny::KERNEL, shape.function, grid, (THREADS, 0), given);
        // The reference compares bits of every pair of codes: some columns are enough.
        let some = [0, 1, shape.columns - 1, shape.columns, count - 1];
        let expected =
            |at: usize, joint: &[u32]| Some(tiny::reference(&columns[at], joint, classes, &terms));
        let what = format!("{}, {parts} parts", shape.function);
        sums.compare(test, anchors, some.into_iter(), expected, &what);
    }
}
