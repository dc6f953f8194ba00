//! What tests, benches and examples share: generated problems, by ChaCha and
//! Box-Muller from a seed, and the data kept outside the repository.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;

use nalgebra::{DMatrix, DVector};
use passel::{Design, design::DesignOptions, table::ReadOptions};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// Random numbers of a seed.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Uniform integer in 0 … count − 1.
    pub fn below(&mut self, count: usize) -> usize {
        (self.uniform() * count as f64) as usize
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// A random order of 0 … count − 1.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// Ing and Lai's model: X_1 … X_r iid N(0, 1); for i > r, X_i = d + b·Σ X_l,
/// d ~ N(0, 1/4), b = (3/(4r))^½; β = 3, 3.75, …; noise N(0, 1).
pub fn ing_lai(n: usize, p: usize, r: usize, seed: u64) -> (DMatrix<f64>, DVector<f64>) {
    let mut random = Random::new(seed);
    let mut x = DMatrix::from_fn(n, p, |_, _| random.normal());
    let b = (3.0 / (4.0 * r as f64)).sqrt();
    let common: Vec<f64> = (0..n)
        .map(|t| (0..r).map(|l| x[(t, l)]).sum::<f64>() * b)
        .collect();
    for i in r..p {
        for t in 0..n {
            x[(t, i)] = 0.5 * x[(t, i)] + common[t];
        }
    }
    let y = DVector::from_fn(n, |t, _| {
        let signal: f64 = (0..r).map(|l| (3.0 + 0.75 * l as f64) * x[(t, l)]).sum();
        signal + random.normal()
    });
    (x, y)
}

/// N(0, 1) columns with covariance ρ^|i−j|.
pub fn chain(random: &mut Random, n: usize, p: usize, rho: f64) -> DMatrix<f64> {
    let mut x = DMatrix::zeros(n, p);
    for t in 0..n {
        x[(t, 0)] = random.normal();
        for j in 1..p {
            x[(t, j)] = rho * x[(t, j - 1)] + (1.0 - rho * rho).sqrt() * random.normal();
        }
    }
    x
}

/// Columns that follow each other with correlation .9; r of them, anywhere, have coefficients ±1, and
/// the signal twice the variance of the noise.
pub fn spread(n: usize, p: usize, r: usize, seed: u64) -> (DMatrix<f64>, DVector<f64>) {
    let mut random = Random::new(seed);
    let x = chain(&mut random, n, p, 0.9);
    let order = random.order(p);
    let mut y = DVector::zeros(n);
    for &j in &order[..r] {
        let sign = [1.0, -1.0][random.below(2)];
        y.axpy(sign, &x.column(j), 1.0);
    }
    let noise = (y.variance() / 2.0).sqrt();
    y.iter_mut().for_each(|y| *y += noise * random.normal());
    (x, y)
}

/// Chen and Chen's model: N(0, 1) columns with covariance ρ^|i−j|, β = (.7 .9 .4
/// .3 1 .2 .2 .1), noise N(0, 1); the columns are then permuted.
pub fn chen_chen(n: usize, p: usize, rho: f64, seed: u64) -> (DMatrix<f64>, DVector<f64>) {
    let mut random = Random::new(seed);
    let x = chain(&mut random, n, p, rho);
    let b = [0.7, 0.9, 0.4, 0.3, 1.0, 0.2, 0.2, 0.1];
    let y = DVector::from_fn(n, |t, _| {
        let signal: f64 = b.iter().enumerate().map(|(j, b)| b * x[(t, j)]).sum();
        signal + random.normal()
    });
    let order = random.order(p);
    let permuted = DMatrix::from_fn(n, p, |t, j| x[(t, order[j])]);
    (permuted, y)
}

/// A random problem for exhaustive search: correlated columns, about half of
/// them with a part in y, some weak.
pub fn small(n: usize, p: usize, seed: u64) -> (DMatrix<f64>, DVector<f64>) {
    let mut random = Random::new(seed);
    let common = 0.9 * random.uniform();
    let shared: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let x = DMatrix::from_fn(n, p, |t, _| {
        (1.0 - common).sqrt() * random.normal() + common.sqrt() * shared[t]
    });
    let b: Vec<f64> = (0..p)
        .map(|_| match random.below(4) {
            0 => random.normal(),
            1 => 0.3 * random.normal(),
            _ => 0.0,
        })
        .collect();
    let y = DVector::from_fn(n, |t, _| {
        5.0 + (0..p).map(|j| b[j] * x[(t, j)]).sum::<f64>() + random.normal()
    });
    (x, y)
}

/// A file of the repository's own golden sets.
pub fn golden(file: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/golden").join(file)
}

/// A file of the folder beside the repository, `../shared` or `PASSEL_SHARED`, if it is there:
/// licences keep its files out of the repository.
pub fn shared(path: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let root = std::env::var_os("PASSEL_SHARED").map_or_else(beside, PathBuf::from);
    Some(root.join(path)).filter(|file| file.exists())
}

/// A file of `../shared`, for tests that are ignored unless it is asked for.
pub fn needed(path: &str) -> PathBuf {
    shared(path).unwrap_or_else(|| panic!("../shared/{path} is absent"))
}

/// Hung's set `1_1`, `1_3`, … of `../shared`.
pub fn hung(set: &str) -> Design {
    let file = needed(&format!("data/hung/genlin_hung_{set}.dat.gz"));
    let table = passel::table::read(&file, &ReadOptions::default()).unwrap();
    Design::from_table(table, &DesignOptions::default()).unwrap()
}
