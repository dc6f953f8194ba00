//! Columns of at most 32 entries, of all kinds at once, with joint codes in global and in shared
//! memory. By rows.

use passel_kernels::{
    counting::UNFILLED,
    entries::EntriesArgs,
    short_entries::{self, ShortEntriesArgs},
};

use super::{TestGpu, arguments, entries::beside_anchors, terms};

pub const SIZES: &[usize] = &[1, 32, 33, 1000, 46_349];

/// Columns of each kind: of the shortest more than a warp has lanes.
const COLUMNS: usize = 37;

pub fn check(test: &mut TestGpu, n: usize) {
    let mut shorts = ShortEntriesArgs::default();
    let mut lists = Vec::new();
    for kind in 0..6 {
        let places = 1 << kind;
        let (mut rows, mut codes) = (Vec::new(), Vec::new());
        for _ in 0..COLUMNS {
            let mut own = test.order(n);
            own.truncate(test.below(places + 1));
            own.sort_unstable();
            let mut own_codes: Vec<u16> = own.iter().map(|_| 1 + test.below(4) as u16).collect();
            lists.push((own.clone(), own_codes.clone()));
            own.resize(places, 0);
            own_codes.resize(places, UNFILLED);
            rows.extend(own);
            codes.extend(own_codes);
        }
        shorts.rows[kind] = test.put(&rows);
        shorts.codes[kind] = test.put(&codes);
        shorts.columns[kind] = COLUMNS as u32;
        shorts.first[kind] = (COLUMNS * kind) as u32;
    }
    let terms = terms(n);
    for (bits, w, classes) in [(8, 7, 1), (8, 7, 2), (16, 90, 3)] {
        let anchor = test.anchor(n, w, classes);
        let bytes = 16 * (n * bits as usize).div_ceil(128) + 4 * (w as usize + anchor.wide());
        let own = EntriesArgs {
            places: lists.len() as u32,
            ..EntriesArgs::default()
        };
        let (anchors, args) = beside_anchors(test, anchor, bits, own);
        for copied in [false, true] {
            if copied && bytes > 40 << 10 {
                continue;
            }
            let sums = test.put_sums(2, lists.len());
            let args = EntriesArgs {
                copied: copied.into(),
                xw: sums.xw,
                xwy: sums.xwy,
                ..args
            };
            let function = match bits {
                8 => "short_entries_8",
                _ => "short_entries_16",
            };
            let shape = (128, if copied { bytes } else { 0 });
            let given = arguments![args, shorts];
            test.launch(&short_entries::KERNEL, function, (3, 2), shape, given);
            let expected = |at: usize, joint: &[u32]| {
                let (rows, codes) = &lists[at];
                let sums = short_entries::reference(rows, codes, joint, classes, &terms);
                Some(sums)
            };
            let what = format!("{function}, copied {copied}");
            sums.compare(test, &anchors, 0..lists.len(), expected, &what);
        }
    }
}
