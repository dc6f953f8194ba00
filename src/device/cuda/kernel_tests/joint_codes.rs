//! Joint codes of an anchor in every form that a column has, their counts, and permutations. By
//! rows.

use passel_kernels::{
    Kernel,
    counting::{AnchorSums, ColumnCodes, UNFILLED, packed},
    joint_codes::{self, JointCodesArgs},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

/// The forms of one column of so many levels, on the GPU: dense in 4 (if they have room), 8 and 16
/// bits, row by row among others, and as entries off its code 1.
fn forms(test: &mut TestGpu, codes: &[u32], levels: u32) -> Result<Vec<ColumnCodes>, DeviceError> {
    let mut forms = Vec::new();
    for bits in [4, 8, 16].into_iter().filter(|bits| levels <= 1 << bits) {
        forms.push(ColumnCodes {
            address: test.put(&packed(codes, bits))?,
            length: 1,
            levels,
            bits,
            ..ColumnCodes::default()
        });
    }
    if levels <= 256 {
        let among = codes.iter().flat_map(|&code| [9, code as u8, 9]);
        let among: Vec<u8> = among.collect();
        forms.push(ColumnCodes {
            address: test.put(&among)? + 1,
            length: 3,
            levels,
            bits: 8,
            ..ColumnCodes::default()
        });
    }
    let entries = (0u32..).zip(codes).filter(|entry| *entry.1 != 1);
    let (mut rows, mut own): (Vec<u32>, Vec<u16>) =
        entries.map(|(row, &code)| (row, code as u16)).unzip();
    // A column of fewer places than a block has threads may have some that are not filled.
    if rows.len() < 100 {
        rows.push(0);
        own.push(UNFILLED);
    }
    forms.push(ColumnCodes {
        address: test.put(&rows)?,
        codes: test.put(&own)?,
        length: rows.len() as u32,
        most: 1,
        levels,
        bits: 0,
    });
    Ok(forms)
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[joint_codes::KERNEL];
    const SIZES: &'static [usize] = &[1, 15, 16, 17, 1023, 1024, 1025, 46_349];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let filled = n.next_multiple_of(16);
        for (bits, levels, classes) in [(8, 9, 3), (8, 200, 1), (16, 2500, 2)] {
            let (w, y) = (test.codes(n, levels), test.codes(n, classes));
            let response = (classes > 1).then_some(y.as_slice());
            let expected = joint_codes::reference(&w, response, classes, filled);
            let margins = joint_codes::margins(&expected[..n], levels, classes);
            let forms = forms(test, &w, levels)?;
            let places = test.put(&forms)?;
            let wide = (levels * classes) as usize;
            let classes_address = test.put(&packed(&y, 16))?;
            let (order, suffix) = ([test.order(n), test.order(n)].concat(), bits == 8);
            let orders = test.put(&order)?;
            for at in 0..forms.len() {
                let anchor = AnchorSums {
                    levels,
                    place: at as u32,
                    ..AnchorSums::default()
                };
                let bytes = filled * bits as usize / 8;
                let joint = test.put(&vec![0xffu8; bytes])?;
                let (by_joint, by_level) =
                    (test.put(&vec![0u32; wide])?, test.put(&vec![0u32; levels as usize])?);
                let next = test.put(&[3u32; 700])?;
                let args = JointCodesArgs {
                    anchor: test.put(&[anchor])?,
                    places,
                    rows: n as i64,
                    filled: filled as i64,
                    y: if classes > 1 { classes_address } else { 0 },
                    classes,
                    joint,
                    by_joint,
                    by_level,
                    next,
                    cells: 700,
                };
                let function = if suffix { "joint_codes_8" } else { "joint_codes_16" };
                let given = arguments![args];
                test.launch(&joint_codes::KERNEL, function, (3, 1), (512, 0), given)?;
                let found = test.get::<u8>(joint, bytes)?;
                assert_eq!(found, packed(&expected, bits), "{function}, form {at}");
                let widened = |counts: Vec<u32>| counts.into_iter().map(u64::from).collect();
                let found: (Vec<u64>, Vec<u64>) = (
                    widened(test.get::<u32>(by_joint, wide)?),
                    widened(test.get::<u32>(by_level, levels as usize)?),
                );
                assert_eq!(found, margins, "{function}, form {at}");
                assert_eq!(test.get::<u32>(next, 700)?, [0; 700]);
                let (out, stride) = (test.put(&vec![0u8; 2 * bytes])?, bytes as i64);
                let rows = n as i64;
                let permute = if suffix { "permute_8" } else { "permute_16" };
                let given = arguments![joint, orders, rows, out, stride];
                test.launch(&joint_codes::KERNEL, permute, (3, 2), (256, 0), given)?;
                let permuted = test.get::<u8>(out, 2 * bytes)?;
                for (permuted, order) in permuted.chunks(bytes).zip(order.chunks(n)) {
                    let expected = joint_codes::permuted(&expected, order);
                    assert_eq!(permuted, packed(&expected, bits), "{permute}");
                }
            }
        }
        Ok(())
    }
}
