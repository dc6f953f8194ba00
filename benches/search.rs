//! Whole searches, laying the data out for sweeps included, beside the plain
//! way in the same run: one f64 product XᵀR of the whole swarm an iteration,
//! and nothing else.
//!
//! `cargo bench --bench search`. Settings are those of the original program, no
//! polish: forward .1 .8 .1, backward .9 .1; the seed changes from run to run.
//! `defaults` are passel's own.

#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/support/problems.rs"]
mod problems;

use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

use faer::{Accum, Mat, MatRef, Par, linalg::matmul::matmul};
use passel::{Design, Interrupt, Pass, criteria, device::Resources, search};

/// Particles × iterations.
type Swarm = (usize, usize);

static SMALL: OnceLock<Design> = OnceLock::new();
static LARGE: OnceLock<Design> = OnceLock::new();
static SEED: AtomicU64 = AtomicU64::new(0);

fn main() {
    divan::main();
}

/// Ing-Lai's model, 400 × 4,000.
fn small() -> &'static Design {
    SMALL.get_or_init(|| ing_lai(400, 4_000))
}

/// Ing-Lai's model, 1,000 × 20,000.
fn large() -> &'static Design {
    LARGE.get_or_init(|| ing_lai(1_000, 20_000))
}

fn ing_lai(n: usize, p: usize) -> Design {
    let (x, y) = problems::ing_lai(n, p, 10, 7);
    Design::from_matrices(&x, &y, &Default::default()).unwrap()
}

fn search(design: &Design, criterion: &str, (particles, iterations): Swarm, threads: usize) {
    let pass = Pass {
        particles,
        iterations,
        forward: [0.1, 0.8, 0.1],
        backward: [0.9, 0.1],
        polish: false,
        seed: SEED.fetch_add(1, Ordering::Relaxed),
        ..Pass::default()
    };
    let criterion = criteria::named(criterion, &[]).unwrap();
    let resources = Resources::cpu(threads);
    let never = Interrupt::default();
    let found = search::search(
        design,
        &*criterion,
        &pass,
        &resources,
        &never,
        None,
        &mut |_| {},
    );
    divan::black_box(found.unwrap());
}

/// The product of every iteration after the starts, for all particles.
fn plain(design: &Design, (particles, iterations): Swarm) {
    let (n, p) = (design.n(), design.p());
    let x = MatRef::from_column_major_slice(design.columns().values(), n, p);
    let r = Mat::from_fn(n, particles, |i, j| ((i * 7 + j * 13) % 17) as f64 - 8.0);
    let mut e = Mat::zeros(p, particles);
    for _ in 1..iterations {
        let out = e.as_mut();
        matmul(out, Accum::Replace, x.transpose(), &r, 1.0, Par::Seq);
    }
    divan::black_box(e);
}

const SMALL_SWARMS: [Swarm; 3] = [(16, 32), (256, 16), (256, 64)];

#[divan::bench(args = SMALL_SWARMS, consts = [1, 2], sample_count = 15, sample_size = 1)]
fn ing_lai_400_x_4000<const THREADS: usize>(bencher: divan::Bencher, swarm: Swarm) {
    small();
    bencher.bench(|| search(small(), "hdbic", swarm, THREADS));
}

#[divan::bench(args = SMALL_SWARMS, sample_count = 3, sample_size = 1)]
fn ing_lai_400_x_4000_plain(bencher: divan::Bencher, swarm: Swarm) {
    small();
    bencher.bench(|| plain(small(), swarm));
}

#[divan::bench(args = [(64, 32)], consts = [1, 2], sample_count = 15, sample_size = 1)]
fn ing_lai_1000_x_20000<const THREADS: usize>(bencher: divan::Bencher, swarm: Swarm) {
    large();
    bencher.bench(|| search(large(), "hdbic", swarm, THREADS));
}

#[divan::bench(args = [(64, 32)], sample_count = 3, sample_size = 1)]
fn ing_lai_1000_x_20000_plain(bencher: divan::Bencher, swarm: Swarm) {
    large();
    bencher.bench(|| plain(large(), swarm));
}

/// Of the data beside the repository; without them there is nothing to measure.
#[divan::bench(args = [(16, 256)], consts = [1, 2], sample_count = 50, sample_size = 1)]
fn hung_1_1<const THREADS: usize>(bencher: divan::Bencher, swarm: Swarm) {
    if problems::shared("data/hung").is_some() {
        let design = problems::hung("1_1");
        bencher.bench(|| search(&design, "hdhqc", swarm, THREADS));
    }
}

/// The defaults under EBIC(1), as `passel select` runs them; run these alone, the
/// last lays 1.3 GB of data out first.
#[divan::bench(args = [(400, 4_000), (1_000, 20_000), (4_000, 40_000)], sample_count = 7, sample_size = 1)]
fn defaults(bencher: divan::Bencher, (n, p): (usize, usize)) {
    let design = ing_lai(n, p);
    bencher.bench(|| {
        let pass = Pass {
            seed: SEED.fetch_add(1, Ordering::Relaxed),
            ..Pass::default()
        };
        let criterion = criteria::named("ebic", &[]).unwrap();
        let never = Interrupt::default();
        let one = Resources::cpu(1);
        let found = search::search(&design, &*criterion, &pass, &one, &never, None, &mut |_| {});
        let found = found.unwrap();
        assert!(found.certified.is_some() && found.fit.support().len() == 10);
        divan::black_box(found);
    });
}
