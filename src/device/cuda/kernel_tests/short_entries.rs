//! Columns of at most 32 entries, of all kinds at once, with joint codes in global and in shared
//! memory. By rows.

use passel_kernels::{
    Kernel,
    counting::{ColumnCodes, UNFILLED},
    entries::{EntriesArgs, reciprocal},
    short_entries::{self, ShortEntriesArgs},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestAnchor, TestGpu, terms};

pub(super) struct Case;

/// Columns of each kind: of the shortest more than a warp has lanes.
const COLUMNS: usize = 37;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[short_entries::KERNEL];
    const SIZES: &'static [usize] = &[1, 32, 33, 1000, 46_349];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let mut shorts = ShortEntriesArgs::default();
        let mut lists = Vec::new();
        for kind in 0..6 {
            let places = 1 << kind;
            let (mut rows, mut codes) = (Vec::new(), Vec::new());
            for _ in 0..COLUMNS {
                let length = test.below(places + 1).min(n);
                let mut own = test.order(n);
                own.truncate(length);
                own.sort_unstable();
                let mut own_codes: Vec<u16> = Vec::new();
                own_codes.extend(own.iter().map(|_| 1 + test.below(4) as u16));
                lists.push((own.clone(), own_codes.clone()));
                own.resize(places, 0);
                own_codes.resize(places, UNFILLED);
                rows.extend(own);
                codes.extend(own_codes);
            }
            shorts.rows[kind] = test.put(&rows)?;
            shorts.codes[kind] = test.put(&codes)?;
            shorts.columns[kind] = COLUMNS as u32;
            shorts.first[kind] = (COLUMNS * kind) as u32;
        }
        let terms = terms(n);
        let terms_address = test.put(&terms)?;
        for (bits, w, classes) in [(8, 7, 1), (8, 7, 2), (16, 90, 3)] {
            let anchor = test.anchor(n, w, classes);
            let permuted = test.order(n).into_iter();
            let permuted = TestAnchor {
                joint: permuted.map(|row| anchor.joint[row as usize]).collect(),
                ..anchor
            };
            let (by_joint, by_level) = anchor.margins();
            let anchors = [anchor, permuted];
            let (sums, joint, joint_stride) = test.put_anchors(&anchors, bits)?;
            let wide = (w * classes) as usize;
            for copied in [false, true] {
                let bytes = 16 * (n * bits as usize).div_ceil(128) + 4 * (w as usize + wide);
                if copied && bytes > 40 << 10 {
                    continue;
                }
                let empty = vec![0i64; 2 * lists.len()];
                let (xw, xwy) = (test.put(&empty)?, test.put(&empty)?);
                let args = EntriesArgs {
                    places: lists.len() as u32,
                    rows_all: n as i64,
                    joint,
                    joint_stride,
                    copied: copied.into(),
                    anchors: sums,
                    all: test.put(&[ColumnCodes::default()])?,
                    classes,
                    reciprocal: reciprocal(classes),
                    by_joint: test.put(&by_joint)?,
                    by_level: test.put(&by_level)?,
                    terms: terms_address,
                    xw,
                    xwy,
                    ..EntriesArgs::default()
                };
                let function = match bits {
                    8 => "short_entries_8",
                    _ => "short_entries_16",
                };
                let shape = (128, if copied { bytes } else { 0 });
                let given = arguments![args, shorts];
                test.launch(&short_entries::KERNEL, function, (3, 2), shape, given)?;
                let found = [
                    test.get::<i64>(xw, empty.len())?,
                    test.get::<i64>(xwy, empty.len())?,
                ];
                for (batch, anchor) in anchors.iter().enumerate() {
                    for (at, (rows, codes)) in lists.iter().enumerate() {
                        let joint = &anchor.joint;
                        let mut expected =
                            short_entries::reference(rows, codes, joint, classes, &terms);
                        if classes == 1 {
                            expected[1] = 0;
                        }
                        let sums = found.each_ref().map(|sums| sums[batch * lists.len() + at]);
                        assert_eq!(sums, expected, "{function}, {copied}, column {at}");
                    }
                }
            }
        }
        Ok(())
    }
}
