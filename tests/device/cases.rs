//! The problems: each small, most of them awkward.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass,
    criteria::{Criterion, named},
    design::MatrixOptions,
    search::Gain,
};

use crate::problems::{self, Random};

/// One search.
pub struct Case {
    pub name: String,
    pub design: Design,
    pub criterion: Box<dyn Criterion>,
    pub pass: Pass,
    /// Which column is the strongest hangs on rounding alone: the answer must be the
    /// same, the walk only where the arithmetic is.
    pub rounding_decides: bool,
}

impl Case {
    pub fn new(name: impl Into<String>, design: Design, criterion: &str, pass: Pass) -> Self {
        Self {
            name: format!("{} under {criterion}", name.into()),
            design,
            criterion: named(criterion, &[]).unwrap(),
            pass,
            rounding_decides: false,
        }
    }
}

pub fn design((x, y): (DMatrix<f64>, DVector<f64>)) -> Design {
    Design::from_matrices(&x, &y, &Default::default()).unwrap()
}

/// A swarm without the polish.
pub fn swarm(particles: usize, iterations: usize, seed: u64) -> Pass {
    Pass {
        particles,
        iterations,
        polish: false,
        seed,
        ..Pass::default()
    }
}

pub fn polished(particles: usize, iterations: usize, seed: u64) -> Pass {
    Pass {
        polish: true,
        ..swarm(particles, iterations, seed)
    }
}

/// Wide, columns of one common part; p crosses the blocks of the sweeps.
pub fn ing_lai() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, r, seed) in [(100, 300, 5, 801), (63, 1025, 4, 802), (150, 513, 8, 803)] {
        let design = design(problems::ing_lai(n, p, r, seed));
        let name = format!("ing-lai {n} × {p}");
        for pass in [swarm(48, 40, seed), polished(16, 16, seed)] {
            cases.push(Case::new(&name, design.clone(), "hdbic", pass));
        }
    }
    cases
}

/// Tall, neighbours correlated; weak coefficients, so φ has many near optima.
pub fn chen_chen() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, rho, seed) in [
        (200, 50, 0.5, 811),
        (513, 33, 0.8, 812),
        (90, 120, 0.3, 813),
    ] {
        let design = design(problems::chen_chen(n, p, rho, seed));
        let name = format!("chen-chen {n} × {p}");
        for pass in [swarm(48, 40, seed), polished(16, 16, seed)] {
            cases.push(Case::new(&name, design.clone(), "ebic", pass));
        }
    }
    cases
}

/// Main effects of three levels and all their products, as in Hung's sets.
pub fn interactions() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, factors, seed) in [(80, 12, 821), (60, 20, 822)] {
        let mut random = Random::new(seed);
        let main = DMatrix::from_fn(n, factors, |_, _| random.below(3) as f64 - 1.0);
        let pairs = (0..factors).flat_map(|i| (i + 1..factors).map(move |j| (i, j)));
        let mut columns: Vec<DVector<f64>> = main.column_iter().map(|c| c.into_owned()).collect();
        columns.extend(pairs.map(|(i, j)| main.column(i).component_mul(&main.column(j))));
        let y = DVector::from_fn(n, |t, _| {
            let (a, b, c) = (main[(t, 0)], main[(t, 3)], main[(t, 5)]);
            2.0 * a + b + 1.5 * a * b - 2.0 * b * c + random.normal()
        });
        let design = design((DMatrix::from_columns(&columns), y));
        let name = format!("interactions {n} × {}", design.p());
        for pass in [swarm(40, 40, seed), polished(16, 16, seed)] {
            cases.push(Case::new(&name, design.clone(), "hdhqc", pass));
        }
    }
    cases
}

/// Beside every column its negative: each score is there twice, and the lowest wins.
pub fn mirrored_columns() -> Vec<Case> {
    let mut cases = Vec::new();
    // Of the second the mirror images lie far off, in another shard; the last has more
    // columns than a pool of the polish takes at once.
    for (p, apart, seed) in [(40, false, 831), (40, true, 832), (350, true, 833)] {
        let (x, y) = problems::small(50, p, seed);
        let wide = DMatrix::from_fn(50, 2 * p, |t, j| match apart {
            false => x[(t, j / 2)] * [1.0, -1.0][j % 2],
            true => x[(t, j % p)] * [-1.0, 1.0][usize::from(j < p)],
        });
        let design = design((wide, y));
        for pass in [swarm(40, 60, seed), polished(16, 16, seed)] {
            let name = format!("mirrored columns, {p} apart: {apart}");
            cases.push(Case::new(name, design.clone(), "ebic", pass));
        }
    }
    cases
}

/// Groups of columns that differ by 10⁻⁴ of their norm.
pub fn nearly_collinear() -> Vec<Case> {
    let mut cases = Vec::new();
    for (p, seed) in [(48, 841), (48, 842), (600, 843)] {
        let mut random = Random::new(seed);
        let (base, y) = problems::small(60, p / 4, seed);
        let x = DMatrix::from_fn(60, p, |t, j| base[(t, j / 4)] + 1e-4 * random.normal());
        let design = design((x, y));
        for pass in [swarm(40, 40, seed), polished(12, 12, seed)] {
            cases.push(Case::new("nearly collinear", design.clone(), "bic", pass));
        }
    }
    cases
}

/// Sums and differences of other columns: models refuse them.
pub fn linear_combinations() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, seed) in [(40, 846), (25, 847)] {
        let (base, y) = problems::small(n, 6, seed);
        let x = DMatrix::from_fn(n, 24, |t, j| {
            let (a, b) = (base[(t, j % 6)], base[(t, (j + 1) % 6)]);
            [a, a + b, a - b, 2.0 * a + b][j / 6]
        });
        let design = design((x, y));
        for criterion in ["aic", "bic"] {
            let pass = swarm(40, 60, seed);
            cases.push(Case::new(
                "linear combinations",
                design.clone(),
                criterion,
                pass,
            ));
        }
    }
    cases
}

/// n from 8 to 12, fewer or more columns than that.
pub fn few_observations() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, seed) in [
        (8, 5, 851),
        (9, 30, 852),
        (10, 40, 853),
        (12, 9, 854),
        (12, 70, 855),
    ] {
        let design = design(problems::small(n, p, seed));
        for (criterion, pass) in [
            ("bic", swarm(24, 40, seed)),
            ("hdbic", polished(8, 8, seed)),
        ] {
            cases.push(Case::new(
                format!("small {n} × {p}"),
                design.clone(),
                criterion,
                pass,
            ));
        }
    }
    cases
}

/// AIC with all sizes open: models of dozens of variables.
pub fn large_models() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, seed) in [(300, 90, 861), (160, 75, 862)] {
        let (x, _) = problems::small(n, p, seed);
        let mut random = Random::new(seed);
        // Two in three columns have a part.
        let y = DVector::from_fn(n, |t, _| {
            let parts = (0..p).filter(|j| j % 3 > 0).map(|j| x[(t, j)]);
            parts.sum::<f64>() + 2.0 * random.normal()
        });
        let design = design((x, y));
        let pass = swarm(24, 150, seed);
        cases.push(Case::new(
            format!("large models {n} × {p}"),
            design.clone(),
            "aic",
            pass,
        ));
        let pass = Pass {
            start_size: 30,
            ..polished(8, 40, seed)
        };
        cases.push(Case::new(
            format!("large starts {n} × {p}"),
            design,
            "aic",
            pass,
        ));
    }
    cases
}

/// Some columns in every model.
pub fn kept_variables() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, seed) in [(60, 40, 871), (50, 90, 872)] {
        let (x, y) = problems::small(n, p, seed);
        let options = MatrixOptions {
            keep: &[p - 1, 0, p / 2],
            ..MatrixOptions::default()
        };
        let design = Design::from_matrices(&x, &y, &options).unwrap();
        for pass in [swarm(32, 40, seed), polished(12, 12, seed)] {
            cases.push(Case::new(
                format!("kept {n} × {p}"),
                design.clone(),
                "ebic",
                pass,
            ));
        }
    }
    cases
}

/// A forward step takes the column of the largest fall in RSS.
pub fn exact_gain() -> Vec<Case> {
    let mut mirrored = mirrored_columns();
    mirrored.extend(nearly_collinear());
    mirrored.extend(few_observations());
    mirrored.extend(ing_lai().into_iter().take(2));
    for case in &mut mirrored {
        case.pass.gain = Gain::Exact;
        case.pass.particles = case.pass.particles.min(16);
        case.pass.iterations = case.pass.iterations.min(24);
        case.name += ", exact gain";
    }
    mirrored
}

/// The first and the last column do almost the same, by less than counts as different: on
/// whatever shards they lie, the first is taken.
pub fn nearly_equal_gains() -> Vec<Case> {
    let n = 20;
    let wave = |i: usize, c: usize| {
        (((i + 1) * (c + 2)) as f64 * 1.37 + (i * i * (c + 1)) as f64 * 0.731).sin()
    };
    // Orthonormal, without their means.
    let mut q: Vec<DVector<f64>> = Vec::new();
    for c in 0..6 {
        let mut v = DVector::from_fn(n, |i, _| wave(i, c));
        v.add_scalar_mut(-v.mean());
        for _ in 0..2 {
            for u in &q {
                v -= u * v.dot(u);
            }
        }
        v /= v.norm();
        q.push(v);
    }
    let beside = |r: f64, c: usize| &q[0] * r + &q[c] * (1.0 - r * r).sqrt();
    let mut cases = Vec::new();
    for apart in [1e-13, 1e-12, 1e-11, 1e-10, 4e-10] {
        let last = beside(0.8 * (1.0 + apart / 2.0), 2);
        let x = DMatrix::from_columns(&[beside(0.8, 1), q[3].clone(), q[4].clone(), last]);
        let design = design((x, &q[0] + &q[5] * 0.3));
        let pass = Pass {
            forward: [0.0, 1.0, 0.0],
            start_size: 0,
            max_size: Some(1),
            gain: Gain::Exact,
            ..swarm(1, 2, 1)
        };
        let name = format!("gains {apart:e} apart");
        cases.push(Case::new(name, design, "ebic", pass));
    }
    cases
}

/// y is a sum of columns: beyond them the residual is rounding.
pub fn exact_fit() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, seed) in [(40, 30, 881), (60, 200, 882)] {
        let (x, _) = problems::small(n, p, seed);
        let y = DVector::from_fn(n, |t, _| 2.0 * x[(t, 3)] - x[(t, 11)] + 0.5 * x[(t, 20)]);
        let design = design((x, y));
        for pass in [swarm(24, 40, seed), polished(8, 8, seed)] {
            let case = Case::new(
                format!("exact fit {n} × {p}"),
                design.clone(),
                "hdbic",
                pass,
            );
            cases.push(Case {
                rounding_decides: true,
                ..case
            });
        }
    }
    cases
}

/// One, two, three columns.
pub fn fewer_columns_than_shards() -> Vec<Case> {
    let mut cases = Vec::new();
    for p in 1..=3 {
        let design = design(problems::small(30, p, 890 + p as u64));
        for pass in [swarm(8, 20, 891), polished(8, 8, 891)] {
            cases.push(Case::new(
                format!("small 30 × {p}"),
                design.clone(),
                "aic",
                pass,
            ));
        }
    }
    cases
}

/// Columns of −1, 0, 1 and a whole response: many scores are equal but for rounding.
pub fn whole_numbers() -> Vec<Case> {
    let mut cases = Vec::new();
    for (n, p, seed) in [(24, 40, 901), (40, 60, 902), (64, 200, 903)] {
        let mut random = Random::new(seed);
        let x = DMatrix::from_fn(n, p, |_, _| random.below(3) as f64 - 1.0);
        let y = DVector::from_fn(n, |t, _| {
            2.0 * x[(t, 1)] - x[(t, 5)] + x[(t, 9)] + random.below(3) as f64 - 1.0
        });
        let design = design((x, y));
        for pass in [swarm(40, 40, seed), polished(16, 16, seed)] {
            cases.push(Case::new(
                format!("whole numbers {n} × {p}"),
                design.clone(),
                "bic",
                pass,
            ));
        }
    }
    cases
}

/// So many moves that every fit is built anew more than once.
pub fn long_walks() -> Vec<Case> {
    [("bic", 911), ("aic", 912)]
        .map(|(criterion, seed)| {
            let design = design(problems::chen_chen(100, 40, 0.5, seed));
            Case::new("long walks", design, criterion, swarm(16, 300, seed))
        })
        .into()
}
