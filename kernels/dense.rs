//! Columns that have a code for every row, against a batch of anchors.
//!
//! ```text
//! xw(x)  = Σ c·L(c), c the rows of each (code of x, level of w)
//! xwy(x) = Σ c·L(c), c the rows of each (code of x, joint code); xw where there is one class
//! ```
//!
//! *Shapes*: of each member of [`DenseArgs`] there; codes as in [`crate::counting::packed`], joint
//! codes too. Rows that fill the last sixteen up have 0 of both: the kernel takes them off cell
//! 0. Cell (x, joint) of a table is x · levels of w · classes + joint; its column has
//! levels of x · levels of w · classes of them.
//!
//! *Launch*: `dense_B_J` for codes of B bits and joint codes of J, 8 where no anchor of the
//! batch has more than 256 of them, else 16 (at most 65,536).
//!
//! | function | grid | block | dynamic shared bytes |
//! | --- | --- | --- | --- |
//! | `dense_B_J` | (columns · parts, batch ≤ 65,535) | 32 … 1,024 by 32 (256) | 4 · words |
//! | `dense_B_J_half` | (columns, batch), parts = 1 | the same | 4 · words |
//! | `dense_B_J_two` | (⌈columns / 2⌉ · parts, batch) | the same | 8 · words |
//!
//! `words`, a multiple of 4, has room for cells · 2^copies of the largest table; in `half`,
//! for ⌈cells / 2⌉: cells have 16 bits there, and at most 65,535 rows; `copies` is of no matter.
//! With two columns a block reads joint codes once for both, the largest tables of any two
//! must have room. 512 static bytes and a few.
//!
//! *Lists*: `list_B_J` and `list_B_J_half`, of [`LISTING`], count columns of B bits each beside
//! an anchor of its own: grid (any, 1), whose blocks take the items one after another, block and
//! dynamic shared bytes as above, with `words` and `copies` for the largest table of the list;
//! `columns` and `parts` are 1, `excluded`, `occurring` and `tables` null, `codes`, `stride` and
//! `levels` of no matter. The sums of item i go to place i of `xw` and `xwy`.
//!
//! *Before and after*: `partial` and `arrived` are 0, unless parts = 1: then they may be null.
//! `occurring` is raised, by each of a batch. `tables` is written whole, of a batch of one. A
//! excluded column has sums where the other of its two is not, else its sums stay as they were.
//!
//! *Exactness*: integers; the same bits for any grid, block, copies and parts. Rows < 2³² − 16.

use crate::{
    Kernel,
    counting::{counts, sum},
};

/// Bits of x's codes and of joint codes, of each instance in CUDA C. Functions' names, the text
/// that instantiates them and [`function`] follow from this list.
macro_rules! with_instances {
    ($use:ident) => {
        $use!((4, 8), (4, 16), (8, 8), (8, 16), (16, 8), (16, 16))
    };
}

macro_rules! sizes {
    ($(($bits:literal, $joint:literal)),+) => { &[$(($bits, $joint)),+] };
}

/// In the order of [`Variant`].
macro_rules! names {
    ($(($bits:literal, $joint:literal)),+) => {
        &[$(
            concat!("dense_", $bits, "_", $joint),
            concat!("dense_", $bits, "_", $joint, "_half"),
            concat!("dense_", $bits, "_", $joint, "_two"),
        )+]
    };
}

macro_rules! source {
    ($(($bits:literal, $joint:literal)),+) => {
        concat!(
            include_str!("counting.cuh"),
            "#line 1 \"dense.cu\"\n",
            include_str!("dense.cu"),
            $("DENSES(", $bits, ", ", $joint, ")\n"),+
        )
    };
}

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new("dense", with_instances!(source), with_instances!(names));

const SIZES: &[(u32, u32)] = with_instances!(sizes);

/// How a block of `dense` keeps its tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Cells of 32 bits, one column.
    Full,
    /// Cells of 16 bits, one column.
    Half,
    /// Cells of 32 bits, two columns.
    Two,
}

/// The function for codes of so many bits beside joint codes of so many.
///
/// ```
/// use passel_kernels::dense::{function, Variant};
/// assert_eq!(function(4, 16, Variant::Two), Some("dense_4_16_two"));
/// assert_eq!(function(16, 16, Variant::Full), Some("dense_16_16"));
/// assert_eq!(function(2, 8, Variant::Half), None);
/// ```
pub fn function(bits: u32, joint: u32, variant: Variant) -> Option<&'static str> {
    let at = SIZES.iter().position(|sizes| *sizes == (bits, joint))?;
    KERNEL.functions.get(3 * at + variant as usize).copied()
}

/// Of lists: see the module.
pub const LISTING: Kernel = Kernel::new(
    "dense_lists",
    concat!(
        include_str!("counting.cuh"),
        "#define LISTING\n#line 1 \"dense.cu\"\n",
        include_str!("dense.cu"),
        "DENSES(4, 8)\nDENSES(4, 16)\nDENSES(8, 8)\nDENSES(8, 16)\n",
        // Beside columns of as many levels cells of 32 bits have no room.
        "LIST(list_16_16_half, 16, 16, true)\n",
    ),
    &[
        "list_4_8",
        "list_4_8_half",
        "list_4_16",
        "list_4_16_half",
        "list_8_8",
        "list_8_8_half",
        "list_8_16",
        "list_8_16_half",
        "list_16_16_half",
    ],
);

/// The function that counts lists of such columns; none where its tables have no room on any GPU.
pub fn list_function(bits: u32, joint: u32, half: bool) -> Option<&'static str> {
    let name = format!("list_{bits}_{joint}{}", if half { "_half" } else { "" });
    let mut functions = LISTING.functions.iter();
    functions.find(|function| **function == name).copied()
}

/// Arguments of the functions, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DenseArgs {
    /// u8: of a pack, `columns` × `stride` bytes, 16 bytes aligned.
    pub codes: u64,
    /// Bytes of a column, a multiple of 16 and at least 2·bits·`vectors`.
    pub stride: i64,
    /// u32: of each column.
    pub levels: u64,
    /// u8: of each column, not 0 where it is no candidate; null where all are.
    pub excluded: u64,
    /// Of the pack.
    pub columns: u32,
    /// Columns of all packs: from one anchor's sums to the next.
    pub places: u32,
    /// Observations.
    pub rows: i64,
    /// ⌈rows / 16⌉.
    pub vectors: i64,
    /// Of a batch, 16·`vectors` joint codes each, 16 bytes aligned.
    pub joint: u64,
    /// Bytes from one of a batch to the next, a multiple of 16.
    pub joint_stride: i64,
    /// [`crate::counting::AnchorSums`]: of a batch.
    pub anchors: u64,
    /// Levels of the response.
    pub classes: u32,
    /// log₂ of the copies of a cell.
    pub copies: i32,
    /// Blocks that share a column.
    pub parts: u32,
    /// u32 of one column's table in shared memory, a multiple of 4.
    pub words: u32,
    /// u32, where `parts` > 1: `words` >> `copies` of each column of each of the batch; 0 before
    /// and after.
    pub partial: u64,
    /// u32, where `parts` > 1: one for each column of each of the batch; 0 before and after.
    pub arrived: u64,
    /// i64: c·L(c) of the counts 0 … `rows`.
    pub terms: u64,
    /// i64: `places` of each of the batch.
    pub xw: u64,
    /// i64: as many.
    pub xwy: u64,
    /// u32: of each column, raised by its cells (x, w) that are not 0; or null.
    pub occurring: u64,
    /// u32: whole tables instead of sums, `cells` of each column; or null.
    pub tables: u64,
    /// From one whole table to the next.
    pub cells: i64,
    /// [`crate::counting::WorkItem`], of lists: what is counted.
    pub items: u64,
    /// u64, of lists: how many are wanted.
    pub listed: u64,
    /// Items there is room for: no more are listed.
    pub capacity: u64,
    /// [`crate::counting::ColumnCodes`], of lists: of each column of all packs.
    pub all: u64,
}
assert_layout!(DenseArgs: 192; columns: 32, anchors: 72, partial: 96, cells: 152, all: 184);

/// The sums of one column, over (x, w) and over (x, w, y).
///
/// ```
/// // c·log2 c; w is 0, 0, 1, 1 and y 0, 1, 0, 0.
/// let terms = [0, 0, 2, 5, 8];
/// let joint = [0, 1, 2, 2];
/// let sums = |x| passel_kernels::dense::reference(x, &joint, 2, &terms);
/// assert_eq!(sums(&[5, 5, 3, 3]), [2 + 2, 2]);
/// assert_eq!(sums(&[5, 3, 3, 3]), [2, 2]);
/// ```
pub fn reference(x: &[u32], joint: &[u32], classes: u32, terms: &[i64]) -> [i64; 2] {
    let rows = || x.iter().zip(joint);
    let xw = rows().map(|(x, joint)| (x, joint / classes));
    [sum(xw, terms), sum(rows(), terms)]
}

/// Cells (x, w) of one column that are not 0.
///
/// ```
/// let occurring = passel_kernels::dense::occurring;
/// assert_eq!(occurring(&[5, 5, 3, 3], &[0, 1, 2, 3], 2), 2);
/// assert_eq!(occurring(&[5, 3, 3, 3], &[0, 1, 2, 3], 2), 3);
/// ```
pub fn occurring(x: &[u32], joint: &[u32], classes: u32) -> usize {
    let rows = x.iter().zip(joint);
    counts(rows.map(|(x, joint)| (x, joint / classes))).len()
}

/// The whole table of one column: the rows of each of `levels` codes and of each of `wide`
/// joint codes.
///
/// ```
/// let table = passel_kernels::dense::table(&[1, 1, 0], &[0, 0, 2], 2, 3);
/// assert_eq!(table, [0, 0, 1, 2, 0, 0]);
/// ```
pub fn table(x: &[u32], joint: &[u32], levels: u32, wide: u32) -> Vec<u64> {
    let counts = counts(x.iter().zip(joint));
    let cells = (0..levels).flat_map(|x| (0..wide).map(move |joint| (x, joint)));
    let count = |(x, joint)| counts.get(&(&x, &joint)).copied().unwrap_or(0);
    cells.map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::tests::{codes, terms};

    #[test]
    fn sums_are_those_of_the_whole_table() {
        // Across sixteen rows, across a block, and beyond 46,341.
        for (n, levels, wide, classes) in [(15, 3, 4, 2), (257, 9, 21, 3), (50_000, 2, 6, 1)] {
            let (x, joint, terms) = (codes(n, levels, 1), codes(n, wide, 2), terms(n));
            let table = table(&x, &joint, levels, wide);
            assert_eq!(table.iter().sum::<u64>(), n as u64);
            let pairs: Vec<u64> = table
                .chunks(classes)
                .map(|counts| counts.iter().sum())
                .collect();
            let sum = |cells: &[u64]| cells.iter().map(|&c| terms[c as usize]).sum::<i64>();
            let sums = reference(&x, &joint, classes as u32, &terms);
            assert_eq!(sums, [sum(&pairs), sum(&table)]);
            let not_0 = pairs.iter().filter(|count| **count != 0).count();
            assert_eq!(occurring(&x, &joint, classes as u32), not_0);
        }
    }

    #[test]
    fn neither_the_order_of_rows_nor_names_of_codes_show() {
        let (mut x, mut joint, terms) = (codes(99, 5, 3), codes(99, 6, 4), terms(99));
        let sums = reference(&x, &joint, 2, &terms);
        x.rotate_left(40);
        joint.rotate_left(40);
        assert_eq!(reference(&x, &joint, 2, &terms), sums);
        x.iter_mut().for_each(|code| *code = 400 - 7 * *code);
        assert_eq!(reference(&x, &joint, 2, &terms), sums);
    }
}
