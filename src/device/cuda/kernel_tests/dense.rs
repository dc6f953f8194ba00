//! Tables of columns with a code for every row: each function, alone and shared by blocks, sums
//! and whole tables; then lists of items. By rows.

use passel_kernels::{
    Kernel,
    counting::{ColumnCodes, WorkItem, packed},
    dense::{self, DenseArgs, Variant, function, list_function},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestAnchor, TestGpu, terms};

pub(super) struct Case;

/// Marks sums that a kernel must leave.
const LEFT: i64 = -7;

/// Columns of so many levels, on the GPU.
struct Columns {
    codes: Vec<Vec<u32>>,
    bits: u32,
    levels: u32,
    address: u64,
    stride: usize,
}

impl Columns {
    fn new(test: &mut TestGpu, n: usize, (bits, levels): (u32, u32)) -> Result<Self, DeviceError> {
        let codes: Vec<Vec<u32>> = (0..5).map(|_| test.codes(n, levels)).collect();
        let packed: Vec<u8> = codes.iter().flat_map(|codes| packed_16(codes, bits)).collect();
        Ok(Self {
            stride: packed.len() / 5,
            address: test.put(&packed)?,
            codes,
            bits,
            levels,
        })
    }
}

/// Packed codes, filled up to a multiple of sixteen bytes.
fn packed_16(codes: &[u32], bits: u32) -> Vec<u8> {
    let mut bytes = packed(codes, bits);
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    bytes
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[dense::KERNEL, dense::LISTING];
    const SIZES: &'static [usize] = &[1, 15, 16, 17, 4095, 4096, 4097, 46_349, 70_001];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        for (bits, levels) in [(4, 9), (8, 40), (16, 300)] {
            let columns = Columns::new(test, n, (bits, levels))?;
            for (joint_bits, w, classes) in [(8, 5, 3), (8, 6, 1), (16, 12, 2)] {
                let anchors = [w, w - 1].map(|w| test.anchor(n, w, classes));
                for variant in [Variant::Full, Variant::Half, Variant::Two] {
                    if variant == Variant::Half && n >= 1 << 16 {
                        continue;
                    }
                    check_sums(test, &columns, &anchors, joint_bits, variant)?;
                }
                check_lists(test, &columns, &anchors, joint_bits)?;
            }
        }
        // Joint codes beyond a byte.
        let columns = Columns::new(test, n, (4, 9))?;
        let anchors = [150, 149].map(|w| test.anchor(n, w, 2));
        check_sums(test, &columns, &anchors, 16, Variant::Full)
    }
}

fn check_sums(
    test: &mut TestGpu,
    columns: &Columns,
    anchors: &[TestAnchor; 2],
    joint_bits: u32,
    variant: Variant,
) -> Result<(), DeviceError> {
    let n = anchors[0].joint.len();
    let terms = terms(n);
    let classes = anchors[0].classes;
    let cells = (columns.levels * anchors[0].levels * classes) as usize;
    let (sums, joint, joint_stride) = test.put_anchors(anchors, joint_bits)?;
    let (levels, excluded) = (
        test.put(&[columns.levels; 5])?,
        test.put(&[0u8, 0, 1, 0, 0])?,
    );
    let terms_address = test.put(&terms)?;
    let half = variant == Variant::Half;
    let width = if variant == Variant::Two { 2 } else { 1 };
    for parts in if half { vec![1] } else { vec![1, 3] } {
        let copies = if half { 0 } else { 1 };
        let words = match half {
            true => cells.div_ceil(2).next_multiple_of(4),
            false => cells.next_multiple_of(4) << copies,
        };
        let (xw, xwy) = (test.put(&[LEFT; 10])?, test.put(&[LEFT; 10])?);
        let occurring = test.put(&[0u32; 5])?;
        let partial = test.put(&vec![0u32; 10 * (words >> copies)])?;
        let arrived = test.put(&[0u32; 10])?;
        let args = DenseArgs {
            codes: columns.address,
            stride: columns.stride as i64,
            levels,
            excluded,
            columns: 5,
            places: 5,
            rows: n as i64,
            vectors: n.div_ceil(16) as i64,
            joint,
            joint_stride,
            anchors: sums,
            classes,
            copies,
            parts,
            words: words as u32,
            partial: if parts > 1 { partial } else { 0 },
            arrived: if parts > 1 { arrived } else { 0 },
            terms: terms_address,
            xw,
            xwy,
            occurring,
            ..DenseArgs::default()
        };
        let function = function(columns.bits, joint_bits, variant).unwrap();
        let groups = 5u32.div_ceil(width as u32);
        let shape = (256, 4 * words * width);
        let grid = (groups * parts, 2);
        test.launch(&dense::KERNEL, function, grid, shape, arguments![args])?;
        let all = [test.get::<i64>(xw, 10)?, test.get::<i64>(xwy, 10)?];
        let mut cells_seen = vec![0; 5];
        for (at, anchor) in anchors.iter().enumerate() {
            for (column, codes) in columns.codes.iter().enumerate() {
                let found = all.each_ref().map(|sums| sums[5 * at + column]);
                if column == 2 && width == 1 {
                    assert_eq!(found, [LEFT; 2], "{function}: an excluded column");
                    continue;
                }
                let mut expected = dense::reference(codes, &anchor.joint, classes, &terms);
                if classes == 1 {
                    expected[1] = LEFT;
                }
                assert_eq!(found, expected, "{function}, {parts} parts, column {column}");
                cells_seen[column] += dense::occurring(codes, &anchor.joint, classes);
            }
        }
        let occurring = test.get::<u32>(occurring, 5)?;
        assert!(occurring.iter().map(|count| *count as usize).eq(cells_seen));
        // Whole tables, beside one anchor.
        let tables = test.put(&vec![u32::MAX; 5 * cells])?;
        let args = DenseArgs {
            excluded: 0,
            occurring: 0,
            tables,
            cells: cells as i64,
            ..args
        };
        let grid = (groups * parts, 1);
        test.launch(&dense::KERNEL, function, grid, shape, arguments![args])?;
        let tables = test.get::<u32>(tables, 5 * cells)?;
        let wide = anchors[0].levels * classes;
        for (table, codes) in tables.chunks(cells).zip(&columns.codes) {
            let expected = dense::table(codes, &anchors[0].joint, columns.levels, wide);
            assert!(table.iter().map(|count| u64::from(*count)).eq(expected));
        }
        let partial = test.get::<u32>(partial, 10 * (words >> copies))?;
        assert!(partial.iter().all(|count| *count == 0));
    }
    Ok(())
}

fn check_lists(
    test: &mut TestGpu,
    columns: &Columns,
    anchors: &[TestAnchor; 2],
    joint_bits: u32,
) -> Result<(), DeviceError> {
    let n = anchors[0].joint.len();
    let (terms, classes) = (terms(n), anchors[0].classes);
    let cells = (columns.levels * anchors[0].levels * classes) as usize;
    let (sums, joint, joint_stride) = test.put_anchors(anchors, joint_bits)?;
    let codes = |column: usize| ColumnCodes {
        address: columns.address + (column * columns.stride) as u64,
        length: 1,
        levels: columns.levels,
        bits: columns.bits,
        ..ColumnCodes::default()
    };
    let all = test.put(&[0, 1, 2, 3, 4].map(codes))?;
    let items = [(3, 1), (0, 0), (3, 0), (4, 1), (1, 1), (2, 0)];
    let items_address = test.put(&items.map(|(place, anchor)| WorkItem { place, anchor }))?;
    let (listed, terms_address) = (test.put(&[6u64])?, test.put(&terms)?);
    for half in [false, true] {
        let Some(function) = list_function(columns.bits, joint_bits, half) else {
            continue;
        };
        if half && n >= 1 << 16 {
            continue;
        }
        let words = if half { cells.div_ceil(2) } else { cells }.next_multiple_of(4);
        let (xw, xwy) = (test.put(&[LEFT; 6])?, test.put(&[LEFT; 6])?);
        let args = DenseArgs {
            columns: 1,
            rows: n as i64,
            vectors: n.div_ceil(16) as i64,
            joint,
            joint_stride,
            anchors: sums,
            classes,
            parts: 1,
            words: words as u32,
            terms: terms_address,
            xw,
            xwy,
            items: items_address,
            listed,
            // There is no room for the last item.
            capacity: 5,
            all,
            ..DenseArgs::default()
        };
        let shape = (256, 4 * words);
        test.launch(&dense::LISTING, function, (2, 1), shape, arguments![args])?;
        let found = test.get::<i64>(xw, 6)?.into_iter().zip(test.get::<i64>(xwy, 6)?);
        for (at, ((place, anchor), (xw, xwy))) in items.into_iter().zip(found).enumerate() {
            let joint = &anchors[anchor as usize].joint;
            let mut expected = dense::reference(&columns.codes[place as usize], joint, classes, &terms);
            if classes == 1 {
                expected[1] = LEFT;
            }
            if at == 5 {
                expected = [LEFT; 2];
            }
            assert_eq!([xw, xwy], expected, "{function}, item {at}");
        }
    }
    Ok(())
}
