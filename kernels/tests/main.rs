//! Every kernel alone, launched as its docs say, against its reference: one test body, and one
//! file a stem.
//!
//! A file makes inputs of a size from random words. Sizes lie on both sides of the edges of blocks,
//! and beyond 46,341 (whose square passes 2³¹) where counting that far is cheap. Integers are equal
//! bit for bit; floats are within the tolerance that the file states.
//!
//! Where there is no GPU they say so and pass, unless `PASSEL_REQUIRE_CUDA` is set. `compile` needs
//! NVRTC alone.

#![allow(clippy::unwrap_used)]

mod compile;
mod gpu;
mod inputs;

use std::sync::{PoisonError, RwLock};

use gpu::{TestGpu, arguments};
use inputs::{LEFT, TestAnchor, assert_near, compare_tables, dot, entries_off, terms};

/// Declares the module and the test of each stem: without its file nothing compiles.
macro_rules! tests {
    ($($stem:ident),+) => {
        $(
            mod $stem;

            #[test]
            fn $stem() {
                run(stringify!($stem), $stem::SIZES, $stem::check);
            }
        )+
    };
}

passel_kernels::for_each_stem!(tests);

/// Held alone by the kernels that wait for one another: what makes the driver wait for the whole GPU
/// (a module loaded, a function launched for the first time, memory freed) would wait for them, and a
/// launch that they wait for would wait behind it. So would a launch in a hardware queue that they
/// share with a stream of another test.
static GPU: RwLock<()> = RwLock::new(());

/// Checks a kernel at each of its sizes on the first GPU.
fn run(stem: &str, sizes: &[usize], check: fn(&mut TestGpu, usize)) {
    let (_alone, _shared) = match stem {
        "peer_argmax" => (
            Some(GPU.write().unwrap_or_else(PoisonError::into_inner)),
            None,
        ),
        _ => (
            None,
            Some(GPU.read().unwrap_or_else(PoisonError::into_inner)),
        ),
    };
    let Some(mut test) = TestGpu::open() else {
        eprintln!("skipped, there is no GPU: {stem}");
        return;
    };
    for (seed, &size) in (1..).zip(sizes) {
        println!("{stem}: size {size}");
        test.begin(seed);
        check(&mut test, size);
    }
}
