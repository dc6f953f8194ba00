//! Tables in global memory, by cell and by key, with and without missing values. By rows.

use passel_kernels::{
    counting::TableSums,
    wide::{self, WideArgs},
};

use super::{TestGpu, arguments, terms};

pub const SIZES: &[usize] = &[1, 511, 512, 513, 5000, 46_349];

/// Levels of each column; of the second, 4 bits a code, and the last lists its entries.
const LEVELS: [u32; 4] = [200, 9, 3000, 6];

pub fn check(test: &mut TestGpu, n: usize) {
    let terms = terms(n);
    let columns = LEVELS.map(|levels| test.codes(n, levels));
    let places = [
        test.put_dense(&columns[0], 0, 8),
        test.put_dense(&columns[1], 0, 4),
        test.put_dense(&columns[2], 0, 16),
        test.put_entries(&columns[3], 0, 2, 0),
    ];
    let (w_levels, y_levels) = (40, 7);
    // The highest code of w is a missing value.
    let w = [0, 1].map(|_| test.codes(n, w_levels + 1));
    let y = test.codes(n, y_levels);
    let slots = (2 * n as u64).next_power_of_two();
    for (misses, direct) in [(false, 1 << 40), (false, 5), (true, 1 << 40), (true, 300)] {
        let cells = |levels: u64| {
            let (w, y) = (u64::from(w_levels), u64::from(y_levels));
            [levels, w, y, levels * w, levels * y, w * y, levels * w * y]
        };
        let bytes = |cells: u64| {
            if cells <= direct {
                4 * cells
            } else {
                12 * slots
            }
        };
        let mut room = [0u64; 7];
        for levels in LEVELS {
            for (room, cells) in room.iter_mut().zip(cells(levels.into())) {
                *room = (*room).max(bytes(cells).next_multiple_of(16));
            }
        }
        let stride: u64 = room.iter().sum();
        let left_out = |at: usize| if misses && at != 1 { 0 } else { u32::MAX };
        let w = w.clone().map(|w| match misses {
            true => w,
            false => w.into_iter().map(|code| code % w_levels).collect(),
        });
        let sums = test.put_sums(2, 4);
        let whole = test.fill(TableSums::default(), 8);
        let args = WideArgs {
            places: test.put(&places),
            left_out: test.put(&[0, 1, 2, 3].map(left_out)),
            levels: test.put(&LEVELS),
            columns: 4,
            rows: n as i64,
            w: test.put(&w.concat()),
            y: test.put(&y),
            w_levels,
            y_levels,
            w_stride: n as i64,
            y_stride: 0,
            all_places: 4,
            spreads: test.fill(0u16, 4 * n),
            scratch: test.fill(0u8, 4 * stride as usize),
            scratch_stride: stride as i64,
            slots,
            direct,
            room,
            terms: test.put(&terms),
            xw: sums.xw,
            xwy: sums.xwy,
            whole: if misses { whole } else { 0 },
            ..WideArgs::default()
        };
        test.launch(&wide::KERNEL, "wide", (2, 2), (512, 0), arguments![args]);
        let found = [sums.xw, sums.xwy].map(|sums| test.get::<i64>(sums, 8));
        let all = test.get::<TableSums>(whole, 8);
        for (at, (w, column)) in w
            .iter()
            .flat_map(|w| (0..4).map(move |at| (w, at)))
            .enumerate()
        {
            let missing = Some(left_out(column)).filter(|code| *code != u32::MAX);
            let x = (&columns[column][..], missing);
            let expected = wide::reference(x, (w, w_levels), &y, &terms);
            match misses {
                true => assert_eq!(all[at], expected, "column {column}"),
                false => {
                    let expected = [expected.of[4], expected.of[7]];
                    assert_eq!([found[0][at], found[1][at]], expected, "column {column}");
                }
            }
        }
        let scratch = test.get::<u8>(args.scratch, 4 * stride as usize);
        assert!(scratch.iter().all(|byte| *byte == 0));
    }
}
