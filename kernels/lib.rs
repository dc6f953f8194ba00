//! The kernels of passel in CUDA C, compiled for the GPU at hand when the program runs.
//!
//! A kernel has a stem: `gather.cu` is the kernel; `gather.rs` states its formula, its shapes and
//! how it is launched, and holds `reference`, its result by the CPU, written from the definition;
//! `tests/gather.rs` compares both on a GPU. This crate is text: it needs no
//! CUDA and launches nothing. `README.md` says how a kernel is added.

/// The text of files behind one another; the compiler's messages name each and its own lines.
macro_rules! source {
    ($($file:literal),+) => {
        concat!($("#line 1 \"", $file, "\"\n", include_str!($file)),+)
    };
}

/// The text of a kernel that multiplies tiles of bits, by one kind of products.
macro_rules! tiles {
    ($kind:literal, $file:literal) => {
        concat!(
            concat!("#define KIND ", $kind, "\n"),
            source!(
                "counting.cuh",
                "bits.cuh",
                "barriers.cuh",
                "chunks.cuh",
                "products.cuh",
                "pairs.cuh",
                $file
            )
        )
    };
}

/// Declares the kernels of a file that multiplies tiles of bits, one for each kind of products
/// ([`pairs::BitProducts`]).
macro_rules! by_products {
    ($name:literal, $file:literal, $functions:expr, spills: $spills:expr) => {
        /// By products of bits, a warp at a time.
        pub const KERNEL: Kernel = Kernel {
            name: $name,
            source: tiles!("BITS", $file),
            functions: $functions,
            spills: $spills,
        };

        /// A warpgroup at a time.
        pub const GROUPS: Kernel = Kernel {
            name: concat!($name, "_groups"),
            source: tiles!("GROUPS", $file),
            ..KERNEL
        };

        /// By products of bytes, which all tensor cores have.
        pub const BYTES: Kernel = Kernel {
            name: concat!($name, "_bytes"),
            source: tiles!("BYTES", $file),
            ..KERNEL
        };

        /// By words, on ordinary cores.
        pub const WORDS: Kernel = Kernel {
            name: concat!($name, "_words"),
            source: tiles!("WORDS", $file),
            ..KERNEL
        };
    };
}

/// Asserts the size of a struct that kernels take, its alignment (`by`), and where some of its
/// members begin: as C lays it out.
macro_rules! assert_layout {
    ($type:ty: $size:literal $(by $align:literal)? $(; $($member:ident: $offset:literal),+)?) => {
        const _: () = assert!(size_of::<$type>() == $size);
        $(const _: () = assert!(align_of::<$type>() == $align);)?
        $($(const _: () = assert!(std::mem::offset_of!($type, $member) == $offset);)+)?
    };
}

/// Declares the module of each stem and lists the kernels that it compiles. `$d` is a dollar sign, for
/// the macro that this one defines.
macro_rules! kernels {
    (($d:tt) $($stem:ident [$($kernel:ident),+])+) => {
        $(pub mod $stem;)+

        /// Every kernel.
        pub const ALL: &[Kernel] = &[$($($stem::$kernel),+),+];

        /// Calls a macro with every stem, separated by commas: so what needs an item for each
        /// kernel does not compile where one lacks it.
        #[macro_export]
        macro_rules! for_each_stem {
            ($d macro_name:ident) => {
                $d macro_name! { $($stem),+ }
            };
        }
    };
}

// To add a kernel, add its stem here; beside it what it compiles.
kernels! {
    ($)
    bits [KERNEL]
    cox [KERNEL]
    deferred [KERNEL]
    dense [KERNEL, LISTING]
    entries [KERNEL]
    family_values [KERNEL]
    gain [KERNEL]
    gather [KERNEL]
    genotypes [KERNEL]
    joining [KERNEL]
    joint_codes [KERNEL]
    neighbours [KERNEL]
    newton [KERNEL, FAMILY]
    pair_floor [KERNEL]
    pair_levels [GROUPS, KERNEL, BYTES, WORDS]
    pair_sums [KERNEL]
    pair_tables [KERNEL]
    pairs [GROUPS, KERNEL, BYTES, WORDS]
    peer_argmax [KERNEL]
    plugin_values [KERNEL]
    risk_squares [KERNEL]
    rows [KERNEL]
    score [KERNEL]
    short_entries [KERNEL]
    squares [KERNEL]
    standardise [KERNEL]
    strongest [KERNEL]
    term_scores [KERNEL]
    tiny [KERNEL]
    update [KERNEL]
    wide [KERNEL]
}

pub mod counting;
pub mod least_squares;

/// A CUDA C module: a `.cu` file behind the headers that it needs, compiled as one text.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// The stem of its file; of several modules of one file the others begin with it.
    pub name: &'static str,
    /// The `.cu` file and the headers it needs; [`text`](Self::text) is what is compiled.
    pub source: &'static str,
    /// The names of its `extern "C" __global__` functions.
    pub functions: &'static [&'static str],
    /// (architecture, function) whose spills of registers to memory are accepted; a comment
    /// beside each says why.
    pub spills: &'static [(&'static str, &'static str)],
}

impl Kernel {
    /// A kernel without accepted spills.
    const fn new(
        name: &'static str,
        source: &'static str,
        functions: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            source,
            functions,
            spills: &[],
        }
    }

    /// The text to compile: [`COMMON`], then the source. The compiler's messages name files and
    /// their own lines.
    pub fn text(&self) -> String {
        format!(
            "#line 1 \"common.cuh\"\n{COMMON}\n#line 1 \"{}.cu\"\n{}",
            self.name, self.source
        )
    }
}

/// The header that precedes every kernel.
pub const COMMON: &str = include_str!("common.cuh");

/// Options of the compiler besides the architecture. Multiply and add are not fused: what
/// is fused is the compiler's choice, and all GPUs are to give the same bits.
pub const OPTIONS: &[&str] = &[
    "--std=c++17",
    "-default-device",
    "--fmad=false",
    "--device-int128",
];

/// The architectures every kernel must compile for: Turing, Ampere (data centre,
/// workstation), Ada, Hopper, Blackwell (data centre, workstation).
pub const ARCHITECTURES: &[&str] = &[
    "sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100", "sm_120",
];
