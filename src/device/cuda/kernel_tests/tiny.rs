//! Columns of few levels as bits beside few joint codes: every shape, alone and shared by blocks.
//! By rows.

use passel_kernels::{
    Kernel,
    counting::packed,
    tiny::{self, PlanesArgs, SHAPES, THREADS, TILE, TinyArgs, TinyShape},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestAnchor, TestGpu, terms};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[tiny::KERNEL];
    const SIZES: &'static [usize] = &[1, 15, 17, 2047, 2048, 2049, 6000];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        for shape in SHAPES {
            let classes = if shape.wide % 3 == 0 { 3 } else { 2 };
            for classes in [1, classes] {
                let levels = shape.wide as u32 / classes;
                let anchors = [0, 1].map(|_| test.anchor(n, levels, classes));
                check_shape(test, shape, &anchors)?;
            }
        }
        Ok(())
    }
}

fn check_shape(
    test: &mut TestGpu,
    shape: &TinyShape,
    anchors: &[TestAnchor; 2],
) -> Result<(), DeviceError> {
    let n = anchors[0].joint.len();
    let (classes, wide, terms) = (anchors[0].classes, shape.wide, terms(n));
    let (vectors, tiles) = (n.div_ceil(16), n.div_ceil(TILE));
    let (sums, joint, joint_stride) = test.put_anchors(anchors, 8)?;
    let planes = test.put(&vec![u32::MAX; 2 * 64 * wide * tiles])?;
    let totals = test.put(&vec![0u32; 2 * wide])?;
    let args = PlanesArgs {
        joint,
        joint_stride,
        rows: n as i64,
        tiles: tiles as i64,
        wide: wide as u32,
        planes,
        totals,
    };
    test.launch(&tiny::KERNEL, "planes", (3, 2), (256, 0), arguments![args])?;
    let words = test.get::<u32>(planes, 2 * 64 * wide * tiles)?;
    let counts = test.get::<u32>(totals, 2 * wide)?;
    let mut words = words.chunks(64 * tiles).zip(counts);
    for anchor in anchors {
        for code in 0..wide as u32 {
            let (words, count) = words.next().unwrap();
            let expected = tiny::plane(&anchor.joint, code);
            assert_eq!(words, expected, "joint code {code}");
            assert_eq!(count, expected.iter().map(|word| word.count_ones()).sum::<u32>());
        }
    }
    let count = shape.columns + 3;
    let columns: Vec<Vec<u32>> = (0..count)
        .map(|_| test.codes(n, shape.levels as u32))
        .collect();
    let codes: Vec<Vec<u8>> = columns.iter().map(|codes| packed(codes, 4)).collect();
    let (codes, stride, terms_address) = (
        test.put(&codes.concat())?,
        codes[0].len() as i64,
        test.put(&terms)?,
    );
    for parts in [1, 2] {
        let groups = count.div_ceil(shape.columns);
        let empty = vec![0i64; 2 * count];
        let (xw, xwy) = (test.put(&empty)?, test.put(&empty)?);
        let args = TinyArgs {
            codes,
            stride,
            columns: count as u32,
            places: count as u32,
            vectors: vectors as i64,
            tiles: tiles as i64,
            planes,
            totals,
            anchors: sums,
            classes,
            wide: wide as u32,
            parts,
            partial: test.put(&vec![0u32; 2 * groups * shape.counts()])?,
            arrived: test.put(&vec![0u32; 2 * groups])?,
            terms: terms_address,
            xw,
            xwy,
            ..TinyArgs::default()
        };
        let grid = (groups as u32 * parts, 2);
        let given = arguments![args];
        test.launch(&tiny::KERNEL, shape.function, grid, (THREADS, 0), given)?;
        let found = [
            test.get::<i64>(xw, 2 * count)?,
            test.get::<i64>(xwy, 2 * count)?,
        ];
        for (batch, anchor) in anchors.iter().enumerate() {
            // The reference compares bits of every pair of codes: some columns are enough.
            for column in [0, 1, shape.columns - 1, shape.columns, count - 1] {
                let mut expected = tiny::reference(&columns[column], &anchor.joint, classes, &terms);
                if classes == 1 {
                    expected[1] = 0;
                }
                let sums = found.each_ref().map(|sums| sums[batch * count + column]);
                assert_eq!(sums, expected, "{}, {parts} parts", shape.function);
            }
        }
    }
    Ok(())
}
