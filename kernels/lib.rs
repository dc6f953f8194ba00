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
pub mod counting;
pub mod deferred;
pub mod dense;
pub mod entries;
pub mod gain;
pub mod gather;
pub mod joint_codes;
pub mod least_squares;
pub mod neighbours;
pub mod pair_floor;
pub mod pair_levels;
pub mod pair_sums;
pub mod pair_tables;
pub mod pairs;
pub mod peer_argmax;
pub mod plugin_values;
pub mod rows;
pub mod score;
pub mod short_entries;
pub mod strongest;
pub mod tiny;
pub mod update;
pub mod wide;

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
    plugin_values::KERNEL,
    dense::KERNEL,
    dense::LISTING,
    entries::KERNEL,
    short_entries::KERNEL,
    rows::KERNEL,
    joint_codes::KERNEL,
    score::KERNEL,
    deferred::KERNEL,
    peer_argmax::KERNEL,
    wide::KERNEL,
    tiny::KERNEL,
    bits::KERNEL,
    pairs::GROUPS,
    pairs::KERNEL,
    pairs::BYTES,
    pairs::WORDS,
    pair_levels::GROUPS,
    pair_levels::KERNEL,
    pair_levels::BYTES,
    pair_levels::WORDS,
    pair_tables::KERNEL,
    pair_floor::KERNEL,
    pair_sums::KERNEL,
];

/// Those that counting needs; where scores only fall those of [`DEFERRED`] too, on several GPUs
/// those of [`PEERS`].
pub const COUNTING: &[Kernel] = &[
    dense::KERNEL,
    entries::KERNEL,
    short_entries::KERNEL,
    rows::KERNEL,
    joint_codes::KERNEL,
    score::KERNEL,
    wide::KERNEL,
    tiny::KERNEL,
];

/// Those that put columns off.
pub const DEFERRED: &[Kernel] = &[dense::LISTING, deferred::KERNEL];

/// Those of GPUs that walk together.
pub const PEERS: &[Kernel] = &[peer_argmax::KERNEL];

/// Those that score all pairs, beside those of a kind of products.
pub const PAIRS: &[Kernel] = &[bits::KERNEL, pair_floor::KERNEL, pair_sums::KERNEL];

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
