//! Tables of columns with a code for every row: each function, alone and shared by blocks, sums
//! and whole tables; then lists of items. By rows.

use passel_kernels::{
    counting::{ColumnCodes, WorkItem, packed},
    dense::{self, DenseArgs, Variant, function, list_function},
};

use super::{LEFT, TestAnchor, TestGpu, arguments, compare_tables, terms};

pub const SIZES: &[usize] = &[1, 15, 16, 17, 4095, 4096, 4097, 46_349, 70_001];

/// Columns of so many levels, on the GPU.
struct Columns {
    codes: Vec<Vec<u32>>,
    bits: u32,
    levels: u32,
    address: u64,
    /// A multiple of sixteen bytes.
    stride: usize,
}

impl Columns {
    fn new(test: &mut TestGpu, n: usize, (bits, levels): (u32, u32)) -> Self {
        let codes: Vec<Vec<u32>> = (0..5).map(|_| test.codes(n, levels)).collect();
        let mut bytes: Vec<Vec<u8>> = codes.iter().map(|codes| packed(codes, bits)).collect();
        let stride = bytes[0].len().next_multiple_of(16);
        bytes.iter_mut().for_each(|bytes| bytes.resize(stride, 0));
        Self {
            stride,
            address: test.put(&bytes.concat()),
            codes,
            bits,
            levels,
        }
    }
}

pub fn check(test: &mut TestGpu, n: usize) {
    for (bits, levels) in [(4, 9), (8, 40), (16, 300)] {
        let columns = Columns::new(test, n, (bits, levels));
        for (joint_bits, w, classes) in [(8, 5, 3), (8, 6, 1), (16, 12, 2)] {
            let anchors = [w, w - 1].map(|w| test.anchor(n, w, classes));
            for variant in [Variant::Full, Variant::Half, Variant::Two] {
                if variant == Variant::Half && n >= 1 << 16 {
                    continue;
                }
                check_sums(test, &columns, &anchors, joint_bits, variant);
            }
            check_lists(test, &columns, &anchors, joint_bits);
        }
    }
    // Joint codes beyond a byte.
    let columns = Columns::new(test, n, (4, 9));
    let anchors = [150, 149].map(|w| test.anchor(n, w, 2));
    check_sums(test, &columns, &anchors, 16, Variant::Full);
}

/// What both kinds of functions take.
fn dense_args(test: &mut TestGpu, anchors: &[TestAnchor; 2], joint_bits: u32) -> DenseArgs {
    let n = anchors[0].joint.len();
    let batch = test.put_anchors(anchors, joint_bits);
    DenseArgs {
        rows: n as i64,
        vectors: n.div_ceil(16) as i64,
        joint: batch.joint,
        joint_stride: batch.stride,
        anchors: batch.sums,
        classes: anchors[0].classes,
        terms: test.put(&terms(n)),
        ..DenseArgs::default()
    }
}

fn check_sums(
    test: &mut TestGpu,
    columns: &Columns,
    anchors: &[TestAnchor; 2],
    joint_bits: u32,
    variant: Variant,
) {
    let (classes, terms) = (anchors[0].classes, terms(anchors[0].joint.len()));
    let cells = columns.levels as usize * anchors[0].wide();
    let half = variant == Variant::Half;
    let width = if variant == Variant::Two { 2 } else { 1 };
    let all = dense_args(test, anchors, joint_bits);
    for parts in if half { vec![1] } else { vec![1, 3] } {
        let copies = if half { 0 } else { 1 };
        let words = match half {
            true => cells.div_ceil(2).next_multiple_of(4),
            false => cells.next_multiple_of(4) << copies,
        };
        let sums = test.put_sums(2, 5);
        let partial = test.fill(0u32, 10 * (words >> copies));
        let arrived = test.fill(0u32, 10);
        let args = DenseArgs {
            codes: columns.address,
            stride: columns.stride as i64,
            levels: test.fill(columns.levels, 5),
            excluded: test.put(&[0u8, 0, 1, 0, 0]),
            columns: 5,
            places: 5,
            copies,
            parts,
            words: words as u32,
            partial: if parts > 1 { partial } else { 0 },
            arrived: if parts > 1 { arrived } else { 0 },
            xw: sums.xw,
            xwy: sums.xwy,
            occurring: test.fill(0u32, 5),
            ..all
        };
        let function = function(columns.bits, joint_bits, variant).unwrap();
        let groups = 5u32.div_ceil(width as u32);
        let shape = (256, 4 * words * width);
        let given = arguments![args];
        test.launch(&dense::KERNEL, function, (groups * parts, 2), shape, given);
        // One column is excluded, and left where no other shares its block.
        let counted = |column: usize| column != 2 || width == 2;
        let expected = |at: usize, joint: &[u32]| {
            let sums = || dense::reference(&columns.codes[at], joint, classes, &terms);
            counted(at).then(sums)
        };
        let what = format!("{function}, {parts} parts");
        sums.compare(test, anchors, 0..5, expected, &what);
        let cells_of = |(column, codes): (usize, &Vec<u32>)| -> usize {
            let anchors = anchors.iter().filter(|_| counted(column));
            let cells = anchors.map(|anchor| dense::occurring(codes, &anchor.joint, classes));
            cells.sum()
        };
        let occurring = test.get::<u32>(args.occurring, 5);
        let expected = columns.codes.iter().enumerate().map(cells_of);
        assert!(occurring.iter().map(|count| *count as usize).eq(expected));
        // Whole tables, beside one anchor.
        let args = DenseArgs {
            excluded: 0,
            occurring: 0,
            tables: test.fill(u32::MAX, 5 * cells),
            cells: cells as i64,
            ..args
        };
        let given = arguments![args];
        test.launch(&dense::KERNEL, function, (groups * parts, 1), shape, given);
        compare_tables(
            test,
            args.tables,
            columns.codes.iter(),
            columns.levels,
            &anchors[0],
        );
        let partial = test.get::<u32>(partial, 10 * (words >> copies));
        assert!(partial.iter().all(|count| *count == 0));
    }
}

fn check_lists(test: &mut TestGpu, columns: &Columns, anchors: &[TestAnchor; 2], joint_bits: u32) {
    let n = anchors[0].joint.len();
    let (terms, classes) = (terms(n), anchors[0].classes);
    let cells = columns.levels as usize * anchors[0].wide();
    let codes = |column: usize| ColumnCodes {
        address: columns.address + (column * columns.stride) as u64,
        length: 1,
        levels: columns.levels,
        bits: columns.bits,
        ..ColumnCodes::default()
    };
    let items = [(3, 1), (0, 0), (3, 0), (4, 1), (1, 1), (2, 0)];
    let all = DenseArgs {
        columns: 1,
        parts: 1,
        items: test.put(&items.map(|(place, anchor)| WorkItem { place, anchor })),
        listed: test.put(&[6u64]),
        // There is no room for the last item.
        capacity: 5,
        all: test.put(&[0, 1, 2, 3, 4].map(codes)),
        ..dense_args(test, anchors, joint_bits)
    };
    for half in [false, true] {
        let Some(function) = list_function(columns.bits, joint_bits, half) else {
            continue;
        };
        if half && n >= 1 << 16 {
            continue;
        }
        let words = if half { cells.div_ceil(2) } else { cells }.next_multiple_of(4);
        let args = DenseArgs {
            words: words as u32,
            xw: test.fill(LEFT, 6),
            xwy: test.fill(LEFT, 6),
            ..all
        };
        let given = arguments![args];
        test.launch(&dense::LISTING, function, (2, 1), (256, 4 * words), given);
        let found = [args.xw, args.xwy].map(|sums| test.get::<i64>(sums, 6));
        for (at, (place, anchor)) in items.into_iter().enumerate() {
            let joint = &anchors[anchor as usize].joint;
            let mut expected = match at {
                5 => [LEFT; 2],
                _ => dense::reference(&columns.codes[place as usize], joint, classes, &terms),
            };
            if classes == 1 {
                expected[1] = LEFT;
            }
            assert_eq!(
                [found[0][at], found[1][at]],
                expected,
                "{function}, item {at}"
            );
        }
    }
}
