//! A function that a plugin brings, of many contingency tables.
//!
//! ```text
//! out(t) = passel_value(values, table t, x, w, y, step)
//! ```
//!
//! *Shapes*: cell (i, j, l) of a table at (i·w + j)·y + l; the parameters of the method in
//! `values`; `step` is 0 for relevance and else that of the anchor; `out` a number a table. `tables`: x·w·y counts a table, one table behind another.
//! `values`: `levels[t]` for x, a table every `cells` ≥ x·w·y; `empty[t]` is 1 where no
//! observation is in table t, which then has the value 0 and is not shown to the function, else 0.
//!
//! *Launch*: any one-dimensional grid and block (a thread a table); no dynamic shared memory.
//!
//! The contract's table is contiguous, so that neighbouring threads read cells that are a table
//! apart. A table that is read once was counted from n observations, as a rule many times its
//! cells, and a thread's own lines serve it from L1: counting is what takes the time.

use crate::Kernel;

/// With the table's observations, times `step` + 1, for a function: what a plugin's is compiled with.
pub const KERNEL: Kernel = Kernel::new(
    "plugin_values",
    concat!(
        "static __device__ double passel_value(const double*, const unsigned* counts, unsigned x,\n",
        "                                      unsigned w, unsigned y, unsigned step)\n",
        "{ double n = 0.0; for (unsigned i = 0; i < x * w * y; i++) n += counts[i]; return n * (step + 1); }\n",
        include_str!("plugin_values.cu")
    ),
    &["tables", "values"],
);

/// The kernel with a plugin's function in CUDA C; messages of the compiler name the lines of
/// the function's own text.
///
/// ```
/// let text = passel_kernels::plugin_values::with("chi2", "__device__ double passel_value() {}");
/// assert!(text.starts_with("#line 1 \"chi2.cu\"\n__device__"));
/// ```
pub fn with(name: &str, function: &str) -> String {
    let kernel = include_str!("plugin_values.cu");
    format!("#line 1 \"{name}.cu\"\n{function}\n#line 1 \"plugin_values.cu\"\n{kernel}")
}

/// What the kernel gives, on the CPU.
///
/// ```
/// let counts = [1, 2, 3, 4, 0, 1, 0, 0];
/// let sum = |table: &[u32]| f64::from(table.iter().sum::<u32>());
/// assert_eq!(passel_kernels::plugin_values::reference(&counts, [2, 1, 2], sum), [10.0, 1.0]);
/// ```
pub fn reference(
    counts: &[u32],
    [x, w, y]: [usize; 3],
    function: impl Fn(&[u32]) -> f64,
) -> Vec<f64> {
    counts.chunks(x * w * y).map(function).collect()
}

/// What `values` gives, on the CPU; none where no observation is in the table.
///
/// ```
/// let counts = [1, 2, 0, 0, 0, 0, 5, 5, 3, 4, 1, 1];
/// let sum = |table: &[u32], _: [usize; 3]| f64::from(table.iter().sum::<u32>());
/// let values = passel_kernels::plugin_values::reference_of_levels(&counts, 4, &[1, 1, 2], [1, 2], sum);
/// assert_eq!(values, [Some(3.0), None, Some(9.0)]);
/// ```
pub fn reference_of_levels(
    counts: &[u32],
    cells: usize,
    levels: &[u32],
    [w, y]: [usize; 2],
    function: impl Fn(&[u32], [usize; 3]) -> f64,
) -> Vec<Option<f64>> {
    let value = |(table, &x): (&[u32], &u32)| {
        let shape = [x as usize, w, y];
        let own = &table[..shape.iter().product()];
        let seen = own.iter().any(|count| *count != 0);
        seen.then(|| function(own, shape))
    };
    counts.chunks(cells).zip(levels).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::tests::codes;

    #[test]
    fn tables_of_equal_levels_have_the_same_values_either_way() {
        let mut counts = codes(7 * 24, 9, 31);
        counts[24..48].fill(0);
        // Tells the cells apart.
        let sum = |table: &[u32]| -> f64 {
            let cells = table.iter().zip(1..);
            cells.map(|(count, at)| f64::from(count * at)).sum()
        };
        let own = reference_of_levels(&counts, 24, &[4; 7], [3, 2], |table, shape| {
            assert_eq!((table.len(), shape), (24, [4, 3, 2]));
            sum(table)
        });
        let all = reference(&counts, [4, 3, 2], sum);
        let seen = |at: usize| (at != 1).then_some(all[at]);
        assert_eq!(own, (0..7).map(seen).collect::<Vec<_>>());
    }

    #[test]
    fn what_lies_behind_a_table_is_not_of_it() {
        let counts = codes(5 * 12, 9, 32);
        let levels = [6, 1, 3, 2, 5];
        let first = |table: &[u32], [x, ..]: [usize; 3]| f64::from(table[0] + table[2 * x - 1]);
        let own = reference_of_levels(&counts, 12, &levels, [1, 2], first);
        for (at, (value, x)) in own.into_iter().zip(levels).enumerate() {
            let table = &counts[12 * at..][..2 * x as usize];
            let seen = table.iter().any(|count| *count != 0);
            let ends = f64::from(table[0] + table[table.len() - 1]);
            assert_eq!(value, seen.then_some(ends));
        }
    }
}
