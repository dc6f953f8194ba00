//! Joint codes of an anchor in every form that a column has, their counts, and permutations. By
//! rows.

use passel_kernels::{
    counting::{AnchorSums, ColumnCodes, packed},
    joint_codes::{self, JointCodesArgs, KERNEL},
};

use super::{TestGpu, arguments, entries_off};

pub const SIZES: &[usize] = &[1, 15, 16, 17, 1023, 1024, 1025, 46_349];

/// The forms of one column of so many levels, on the GPU: dense in 4 (if they have room), 8 and 16
/// bits, row by row among others, and as entries off its code 1.
fn forms(test: &mut TestGpu, codes: &[u32], levels: u32) -> Vec<ColumnCodes> {
    let bits = [4, 8, 16].into_iter().filter(|bits| levels <= 1 << bits);
    let mut forms: Vec<ColumnCodes> = bits
        .map(|bits| test.put_dense(codes, levels, bits))
        .collect();
    if levels <= 256 {
        let among: Vec<u8> = codes.iter().flat_map(|&code| [9, code as u8, 9]).collect();
        forms.push(ColumnCodes {
            address: test.put(&among) + 1,
            length: 3,
            levels,
            bits: 8,
            ..ColumnCodes::default()
        });
    }
    // A column of fewer places than a block has threads may have some that are not filled.
    let unfilled = usize::from(entries_off(codes, 1).0.len() < 100);
    forms.push(test.put_entries(codes, levels, 1, unfilled));
    forms
}

pub fn check(test: &mut TestGpu, n: usize) {
    let (rows, filled) = (n as i64, n.next_multiple_of(16));
    for (bits, levels, classes) in [(8, 9, 3), (8, 200, 1), (16, 2500, 2)] {
        let (function, permute) = match bits {
            8 => ("joint_codes_8", "permute_8"),
            _ => ("joint_codes_16", "permute_16"),
        };
        let (w, y) = (test.codes(n, levels), test.codes(n, classes));
        let response = (classes > 1).then_some(y.as_slice());
        let expected = joint_codes::reference(&w, response, classes, filled);
        let margins = joint_codes::margins(&expected[..n], levels, classes);
        let forms = forms(test, &w, levels);
        let places = test.put(&forms);
        let y = test.put(&packed(&y, 16));
        let order = [test.order(n), test.order(n)].concat();
        let orders = test.put(&order);
        let (wide, bytes) = ((levels * classes) as usize, filled * bits as usize / 8);
        for place in 0..forms.len() as u32 {
            let anchor = AnchorSums {
                levels,
                place,
                ..AnchorSums::default()
            };
            let args = JointCodesArgs {
                anchor: test.put(&[anchor]),
                places,
                rows,
                filled: filled as i64,
                y: if classes > 1 { y } else { 0 },
                classes,
                joint: test.fill(0xffu8, bytes),
                by_joint: test.fill(0u32, wide),
                by_level: test.fill(0u32, levels as usize),
                next: test.fill(3u32, 700),
                cells: 700,
            };
            test.launch(&KERNEL, function, (3, 1), (512, 0), arguments![args]);
            let found = test.get::<u8>(args.joint, bytes);
            assert_eq!(found, packed(&expected, bits), "{function}, form {place}");
            let counts = |address: u64, count: usize| -> Vec<u64> {
                let counts = test.get::<u32>(address, count);
                counts.into_iter().map(u64::from).collect()
            };
            let found = (
                counts(args.by_joint, wide),
                counts(args.by_level, levels as usize),
            );
            assert_eq!(found, margins, "{function}, form {place}");
            assert_eq!(test.get::<u32>(args.next, 700), [0; 700]);
            let (out, stride) = (test.fill(0u8, 2 * bytes), bytes as i64);
            let shape = (256, 0);
            let given = arguments![args.joint, orders, rows, out, stride];
            test.launch(&KERNEL, permute, (3, 2), shape, given);
            let permuted = test.get::<u8>(out, 2 * bytes);
            for (permuted, order) in permuted.chunks(bytes).zip(order.chunks(n)) {
                let expected = joint_codes::permuted(&expected, order);
                assert_eq!(permuted, packed(&expected, bits), "{permute}");
            }
        }
    }
}
