//! Columns that list their entries: every function, beside an anchor and a permutation of it. By
//! rows.

use passel_kernels::{
    counting::ColumnCodes,
    entries::{self, EntriesArgs, reciprocal},
};

use super::{TestAnchor, TestGpu, arguments, compare_tables, entries_off, terms};

pub const SIZES: &[usize] = &[1, 63, 64, 65, 900, 4097, 46_349];

/// Levels of every column.
const LEVELS: u32 = 6;
const COLUMNS: usize = 7;

/// A column off its most frequent code, `most`.
struct Column {
    most: u32,
    all: Vec<u32>,
    rows: Vec<u32>,
    codes: Vec<u16>,
}

pub fn check(test: &mut TestGpu, n: usize) {
    let column = |column: usize| {
        let most = column as u32 % LEVELS;
        // None, few and many entries.
        let each = [1, 40, 4][column % 3];
        let mut all = test.codes(n, LEVELS);
        for code in &mut all {
            if test.below(each) != 0 || column.is_multiple_of(3) {
                *code = most;
            }
        }
        let (rows, codes) = entries_off(&all, most);
        Column {
            most,
            all,
            rows,
            codes,
        }
    };
    let columns: [Column; COLUMNS] = std::array::from_fn(column);
    let rows = columns.each_ref().map(|column| &column.rows[..]);
    let codes = columns.each_ref().map(|column| &column.codes[..]);
    let starts: [u64; COLUMNS + 1] =
        std::array::from_fn(|at| rows[..at].iter().map(|rows| rows.len() as u64).sum());
    let longest = rows.iter().map(|rows| rows.len()).max();
    let terms = terms(n);
    let own = EntriesArgs {
        rows: test.put(&rows.concat()),
        codes: test.put(&codes.concat()),
        starts: test.put(&starts),
        most: test.put(&columns.each_ref().map(|column| column.most)),
        levels: test.fill(LEVELS, COLUMNS),
        excluded: test.put(&[0u8, 0, 0, 1, 0, 0, 0]),
        columns: COLUMNS as u32,
        places: COLUMNS as u32,
        ..EntriesArgs::default()
    };
    for (bits, w, classes) in [(8, 7, 1), (8, 7, 2), (8, 5, 3), (16, 130, 2), (16, 90, 3)] {
        let anchor = test.anchor(n, w, classes);
        let (anchors, args) = beside_anchors(test, anchor, bits, own);
        let wide = anchors[0].wide();
        let both = wide + if classes > 2 { w as usize } else { 0 };
        let few = (1 + LEVELS as usize) * both;
        let [few_name, some_name, many_name] = match bits {
            8 => ["few_8", "some_8", "many_8"],
            _ => ["few_16", "some_16", "many_16"],
        };
        let cells = LEVELS as usize * wide;
        for (function, shape) in [
            (few_name, (64, few.next_multiple_of(16))),
            (some_name, (64, (2 * few).next_multiple_of(16))),
            (many_name, (128, 4 * cells)),
        ] {
            if function == few_name && longest > Some(255) {
                continue;
            }
            let sums = test.put_sums(2, COLUMNS);
            let args = EntriesArgs {
                xw: sums.xw,
                xwy: sums.xwy,
                ..args
            };
            // Blocks take one column after another. Of `many` the levels are no argument.
            let given = arguments![args, LEVELS];
            test.launch(&entries::KERNEL, function, (3, 2), shape, given);
            let expected = |at: usize, joint: &[u32]| {
                let Column {
                    most, rows, codes, ..
                } = &columns[at];
                let sums = || entries::reference(rows, codes, *most, joint, classes, &terms);
                (at != 3).then(sums)
            };
            sums.compare(test, &anchors, 0..COLUMNS, expected, function);
        }
        // Whole tables, beside one anchor.
        let args = EntriesArgs {
            excluded: 0,
            tables: test.fill(u32::MAX, COLUMNS * cells),
            cells: cells as i64,
            ..args
        };
        let given = arguments![args];
        test.launch(&entries::KERNEL, many_name, (3, 1), (128, 4 * cells), given);
        compare_tables(
            test,
            args.tables,
            columns.iter().map(|own| &own.all),
            LEVELS,
            &anchors[0],
        );
    }
}

/// Arguments beside an anchor and a permutation of it.
pub fn beside_anchors(
    test: &mut TestGpu,
    anchor: TestAnchor,
    bits: u32,
    own: EntriesArgs,
) -> ([TestAnchor; 2], EntriesArgs) {
    let (n, classes) = (anchor.joint.len(), anchor.classes);
    let order = test.order(n);
    let [by_joint, by_level] = anchor.margins().map(|counts| test.put(&counts));
    let anchors = [anchor.permuted(&order), anchor];
    let batch = test.put_anchors(&anchors, bits);
    let frequent = ColumnCodes {
        most: 1,
        ..ColumnCodes::default()
    };
    let args = EntriesArgs {
        rows_all: n as i64,
        joint: batch.joint,
        joint_stride: batch.stride,
        anchors: batch.sums,
        all: test.put(&[frequent]),
        classes,
        reciprocal: reciprocal(classes),
        y_most: classes - 1,
        by_joint,
        by_level,
        terms: test.put(&terms(n)),
        ..own
    };
    (anchors, args)
}
