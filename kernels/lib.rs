//! The kernels of passel in CUDA C, compiled for the GPU at hand when the program runs.
//!
//! One stem for one kernel: `gather.cu` is the kernel, `gather.rs` says what it does, its
//! shapes and how it is launched, and holds `reference`, the same on the CPU, written
//! from the definition. This crate is text: it needs no CUDA and launches nothing.

/// The text of a kernel of tiles, by a kind of products.
macro_rules! tiles {
    ($kind:literal, $file:literal) => {
        concat!(
            "#define KIND ",
            $kind,
            "\n",
            include_str!("counting.cuh"),
            "#line 1 \"bits.cuh\"\n",
            include_str!("bits.cuh"),
            "#line 1 \"chunks.cuh\"\n",
            include_str!("chunks.cuh"),
            "#line 1 \"products.cuh\"\n",
            include_str!("products.cuh"),
            "#line 1 \"pairs.cuh\"\n",
            include_str!("pairs.cuh"),
            "#line 1 \"",
            $file,
            "\"\n",
            include_str!($file)
        )
    };
}

pub mod bits;
pub mod cells;
pub mod counting;
pub mod dense;
pub mod entries;
pub mod gain;
pub mod gather;
pub mod lazy;
pub mod least_squares;
pub mod levels;
pub mod made;
pub mod meet;
pub mod neighbours;
pub mod pairs;
pub mod raise;
pub mod recount;
pub mod rows;
pub mod score;
pub mod short;
pub mod spread;
pub mod strongest;
pub mod tables;
pub mod tiny;
pub mod update;
pub mod whole;

/// One `.cu` file.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// The stem of its file.
    pub name: &'static str,
    /// The text of the `.cu` file; [`text`](Self::text) is what is compiled.
    pub source: &'static str,
    /// The names of its `extern "C" __global__` functions.
    pub functions: &'static [&'static str],
    /// (architecture, function) whose spills of registers to memory are accepted; why
    /// stands beside each.
    pub spills: &'static [(&'static str, &'static str)],
}

impl Kernel {
    /// The full text: [`COMMON`], then the kernel. Messages of the compiler name the
    /// lines of the kernel's own file.
    pub fn text(&self) -> String {
        format!(
            "#line 1 \"common.cuh\"\n{COMMON}\n#line 1 \"{}.cu\"\n{}",
            self.name, self.source
        )
    }
}

/// What stands before every kernel.
pub const COMMON: &str = include_str!("common.cuh");

/// Every kernel.
pub const ALL: &[Kernel] = &[
    update::KERNEL,
    gain::KERNEL,
    gather::KERNEL,
    strongest::KERNEL,
    neighbours::KERNEL,
    tables::KERNEL,
    dense::KERNEL,
    dense::LISTING,
    entries::KERNEL,
    short::KERNEL,
    rows::KERNEL,
    spread::KERNEL,
    score::KERNEL,
    lazy::KERNEL,
    meet::KERNEL,
    whole::KERNEL,
    tiny::KERNEL,
    made::KERNEL,
    bits::KERNEL,
    pairs::GROUPS,
    pairs::KERNEL,
    pairs::BYTES,
    pairs::WORDS,
    levels::GROUPS,
    levels::KERNEL,
    levels::BYTES,
    levels::WORDS,
    cells::KERNEL,
    raise::KERNEL,
    recount::KERNEL,
];

/// Those that counting needs; where scores only fall those of [`LAZY`] too, on several GPUs
/// those of [`TOGETHER`].
pub const COUNTING: &[Kernel] = &[
    dense::KERNEL,
    entries::KERNEL,
    short::KERNEL,
    rows::KERNEL,
    spread::KERNEL,
    score::KERNEL,
    whole::KERNEL,
    tiny::KERNEL,
];

/// Those that put columns off.
pub const LAZY: &[Kernel] = &[dense::LISTING, lazy::KERNEL];

/// Those of GPUs that walk together.
pub const TOGETHER: &[Kernel] = &[meet::KERNEL];

/// Those that score all pairs, beside those of a kind of products.
pub const PAIRS: &[Kernel] = &[bits::KERNEL, raise::KERNEL, recount::KERNEL];

/// Those that a search of regressions needs.
pub const SEARCH: &[Kernel] = &[
    update::KERNEL,
    gain::KERNEL,
    gather::KERNEL,
    strongest::KERNEL,
    neighbours::KERNEL,
];

/// The architectures every kernel must compile for: Turing, Ampere (data centre,
/// workstation), Ada, Hopper, Blackwell (data centre, workstation).
pub const ARCHITECTURES: &[&str] = &[
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120",
];
