//! What no combination of margin sums says of a table: a function of its counts.

// The contract is pointers.
#![allow(unsafe_code)]

use std::{ffi::CString, fmt, ptr, slice, sync::OnceLock};

use passel_abi as abi;

use crate::{
    entry::{c_text, warn},
    panics::catch,
};

/// One contingency table of the candidate x, the anchor w and the response y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table<'a> {
    /// x·w·y counts: level i of x, j of w, l of y at (i·w + j)·y + l.
    pub counts: &'a [u32],
    /// Levels of the candidate, maybe some without observations; so w and y.
    pub x: usize,
    /// Levels of the anchor; 1 where there is none, and of a constant.
    pub w: usize,
    /// Levels of the response.
    pub y: usize,
    /// 0 for relevance, where there is no anchor; else the number of the step that the anchor is of, from 1. Of a pair 1.
    pub step: usize,
}

impl<'a> Table<'a> {
    /// The counts of the response's levels, for each level of x and w together: x·w of them.
    pub fn rows(&self) -> impl Iterator<Item = &'a [u32]> + use<'a> {
        self.counts.chunks(self.y.max(1))
    }

    /// The observations of each level of the response.
    pub fn responses(&self) -> Vec<u64> {
        let mut sums = vec![0; self.y];
        for row in self.rows() {
            for (sum, count) in sums.iter_mut().zip(row) {
                *sum += u64::from(*count);
            }
        }
        sums
    }

    /// Observations.
    pub fn n(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }
}

/// A function of a table, for scores that cannot be declared; a static, for the engine keeps
/// it.
///
/// ```
/// use passel_sdk::{Function, Table};
///
/// /// Observations on the diagonal of x and y.
/// fn agreement(_: &[f64], table: &Table) -> f64 {
///     let rows = table.rows().zip(0..);
///     let diagonal = rows.map(|(row, x)| row.get(x / table.w).map_or(0, |count| *count));
///     f64::from(diagonal.sum::<u32>())
/// }
///
/// static AGREEMENT: Function = Function::new(agreement).tolerance(1e-12);
/// ```
pub struct Function {
    value: fn(&[f64], &Table) -> f64,
    cuda: Option<&'static str>,
    tolerance: f64,
    table: OnceLock<FunctionTable>,
}

struct FunctionTable(*const abi::passel_function);

// SAFETY: made once, and only read from then on.
unsafe impl Send for FunctionTable {}
// SAFETY: as above.
unsafe impl Sync for FunctionTable {}

impl Function {
    /// By its value, larger is better: finite, or −∞ for never. It is given the method's
    /// parameters and called from any thread. A panic is told to the user.
    pub const fn new(value: fn(&[f64], &Table) -> f64) -> Self {
        Self {
            value,
            cuda: None,
            tolerance: 1e-9,
            table: OnceLock::new(),
        }
    }

    /// Adds CUDA C source, for GPUs: a text with `__device__ double passel_value(const double
    /// *values, const unsigned *counts, unsigned x, unsigned w, unsigned y, unsigned step)`.
    #[must_use]
    pub const fn cuda(mut self, text: &'static str) -> Self {
        self.cuda = Some(text);
        self
    }

    /// Scores that differ by this share are equal, 0 … 0.01; without a word 10⁻⁹.
    #[must_use]
    pub const fn tolerance(mut self, share: f64) -> Self {
        self.tolerance = share;
        self
    }

    /// Its value of a table.
    pub fn value(&self, values: &[f64], table: &Table) -> f64 {
        (self.value)(values, table)
    }

    pub(crate) fn abi(&'static self) -> *const abi::passel_function {
        let make = || {
            let cuda = self.cuda.map_or(ptr::null(), |source| {
                CString::into_raw(c_text(source)).cast_const()
            });
            FunctionTable(Box::leak(Box::new(abi::passel_function {
                size: size_of::<abi::passel_function>(),
                value: Some(value),
                cuda,
                tolerance: self.tolerance,
                data: ptr::from_ref(self).cast(),
            })))
        };
        self.table.get_or_init(make).0
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("cuda", &self.cuda.is_some())
            .field("tolerance", &self.tolerance)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

/// Of every function made above.
unsafe extern "C" fn value(
    function: *const abi::passel_function,
    values: *const f64,
    count: usize,
    table: *const abi::passel_table,
) -> f64 {
    // SAFETY: one made above, and its data the function it was made of.
    let function = unsafe { &*(*function).data.cast::<Function>() };
    // SAFETY: the engine's, with as many numbers and counts as it says.
    let (values, table) = unsafe {
        let table = &*table;
        let counts = listed(table.counts, table.x * table.w * table.y);
        let (x, w, y, step) = (table.x, table.w, table.y, table.step);
        let table = Table {
            counts,
            x,
            w,
            y,
            step,
        };
        (listed(values, count), table)
    };
    catch(|| function.value(values, &table)).unwrap_or_else(|panic| {
        warn(&panic);
        f64::NAN
    })
}

/// # Safety
/// An array of so many, which may be null where there are none.
pub(crate) unsafe fn listed<'a, T>(there: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts(there, count) },
    }
}
