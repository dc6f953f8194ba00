//! Models of maximum likelihood: every family with each of its links.

use std::num::NonZeroUsize;

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass, Table,
    design::{DesignOptions, MatrixOptions, ResponseOptions},
    device::DeviceChoice,
    family::{Distribution, Family, Link, Ties},
    search::Gain,
    table::Values,
};

use crate::{
    cases::{Case, polished, swarm},
    own_family::counts,
    places::{cpus, cuda_is_there, cudas, plain},
    problems::{Random, chain},
    same::{compare, run, same_everywhere, same_over_ranks},
};

/// The families with each of their links, but the normal one; and one that is none of passel's own.
pub fn families() -> Vec<Family> {
    use Distribution::{Binomial, Gamma, Multinomial, NegativeBinomial, Ordinal, Poisson};
    let all = [
        Binomial,
        Poisson,
        NegativeBinomial,
        Gamma,
        Ordinal,
        Multinomial,
        counts(Ok(Link::Log), false),
        counts(Err("own".to_owned()), false),
        counts(Ok(Link::Log), true),
        counts(Err("own".to_owned()), true),
    ]
    .into_iter();
    let with_links = all.flat_map(|own| own.links().iter().map(move |link| (own, *link)));
    with_links
        .map(|(own, link)| Family::new(own, Some(link)).unwrap())
        .collect()
}

/// A response of a family whose linear predictor is η: of binomial ones shares of two trials.
pub fn response(random: &mut Random, family: Family, eta: &[f64]) -> DVector<f64> {
    let draw = |random: &mut Random, eta: f64| match family.distribution() {
        Distribution::Binomial => {
            let mean = 1.0 / (1.0 + (-eta).exp());
            f64::from(u8::from(random.uniform() < mean) + u8::from(random.uniform() < mean))
        }
        Distribution::Gamma => {
            let mean = match family.link().name() {
                "inverse" => 1.0 / (2.0 + eta.tanh()),
                _ => (0.5 * eta).exp(),
            };
            -mean * (random.uniform() * random.uniform()).ln() / 2.0
        }
        _ => {
            let rate = (0.5 * eta).exp() * [1.0, 0.5 - random.uniform().ln()][random.below(2)];
            let mut count = 0.0_f64;
            let mut left = -random.uniform().ln();
            while left < rate && count < 60.0 {
                count += 1.0;
                left -= random.uniform().ln();
            }
            match family.distribution() {
                Distribution::Ordinal => count.min(3.0),
                Distribution::Multinomial => count.min(2.0),
                _ => count,
            }
        }
    };
    DVector::from_iterator(eta.len(), eta.iter().map(|eta| draw(random, *eta)))
}

/// A design of columns that follow one another with a correlation, every fifth the image of another in a mirror, and its
/// observations in an order.
fn design(
    (n, p, rho): (usize, usize, f64),
    family: Family,
    seed: u64,
    order: Option<u64>,
) -> Design {
    let mut random = Random::new(seed);
    let mut x = chain(&mut random, n, p, rho);
    for j in (9..p).step_by(5) {
        let image = -x.column(j - 7);
        x.set_column(j, &image);
    }
    let eta: Vec<f64> = (0..n)
        .map(|row| 1.2 * x[(row, 0)] - 0.9 * x[(row, p / 2)] + 0.6 * x[(row, p - 2)])
        .collect();
    let y = response(&mut random, family, &eta);
    let is_binomial = family.distribution() == Distribution::Binomial;
    let (has_weights, has_offset) = (seed.is_multiple_of(3), seed % 4 == 1);
    let order = match order {
        None => (0..n).collect(),
        Some(seed) => Random::new(seed).order(n),
    };
    let rows =
        |of: &dyn Fn(usize) -> f64| -> Vec<f64> { order.iter().map(|row| of(*row)).collect() };
    let trials = rows(&|_| 2.0);
    let weights = rows(&|row| 0.5 + (row % 3) as f64);
    let is_shiftable =
        family.link().name() != "inverse" && family.distribution() != Distribution::Multinomial;
    let offset = rows(&|row| 0.1 * (row % 4) as f64);
    let options = MatrixOptions {
        family,
        trials: is_binomial.then_some(&trials),
        weights: has_weights.then_some(&weights),
        offset: (has_offset && is_shiftable).then_some(&offset),
        keep: [&[][..], &[3]][(seed % 2) as usize],
        ..MatrixOptions::default()
    };
    let x = DMatrix::from_fn(n, p, |row, j| x[(order[row], j)]);
    let y = DVector::from_vec(rows(&|row| y[row]));
    Design::from_matrices(&x, &y, &options).unwrap()
}

/// Every family and link, with either gain, alone and polished.
pub fn of_columns(order: Option<u64>) -> Vec<Case> {
    let mut cases = Vec::new();
    let sizes = [(90, 130, 0.6), (260, 60, 0.3), (70, 300, 0.0)];
    for (seed, family) in (1001..).zip(families()) {
        let size = sizes[seed as usize % 3];
        let design = design(size, family, seed, order);
        let (distribution, link) = (family.distribution(), family.link());
        let name = format!("{distribution} {link} {} × {}", size.0, size.1);
        let gain = [Gain::Correlation, Gain::Exact];
        for (at, pass) in [swarm(14, 14, seed), polished(8, 10, seed)]
            .into_iter()
            .enumerate()
        {
            let pass = Pass {
                gain: gain[(at + seed as usize) % 2],
                ..pass
            };
            cases.push(Case::new(&name, design.clone(), "bic", pass));
        }
    }
    cases
}

/// Survival times with ties and without, some in strata, some that enter late, some with weights and offsets.
pub fn of_survival_times() -> Vec<Case> {
    let mut cases = Vec::new();
    for (at, seed) in (1071..1087).enumerate() {
        let ties = Ties::ALL[at % 2];
        let [has_entry, has_strata, has_weights] = [1, 2, 3].map(|kind| at / 2 % 4 == kind);
        let mut random = Random::new(seed);
        let (n, p) = (110, 140);
        let mut x = chain(&mut random, n, p, 0.4);
        let image = -x.column(3);
        x.set_column(90, &image);
        let rate = |row: usize| (x[(row, 0)] - 0.8 * x[(row, 60)]).exp();
        let time = DVector::from_fn(n, |row, _| {
            let time = 1.0 - 12.0 * random.uniform().ln() / rate(row);
            if at < 8 { time.floor() } else { time }
        });
        let event: Vec<f64> = (0..n)
            .map(|_| f64::from(u8::from(random.uniform() < 0.7)))
            .collect();
        let entry: Vec<f64> = time
            .iter()
            .map(|time| (time * random.uniform()).floor() - 0.5)
            .collect();
        let strata: Vec<f64> = (0..n).map(|row| (row % 3) as f64).collect();
        let weights: Vec<f64> = (0..n).map(|row| [1.0, 0.0, 2.5][row % 3]).collect();
        let offset: Vec<f64> = (0..n).map(|row| 0.3 * (row % 4) as f64).collect();
        let options = MatrixOptions {
            family: Family::COX,
            event: Some(&event),
            entry: has_entry.then_some(&entry),
            strata: has_strata.then_some(&strata),
            weights: has_weights.then_some(&weights),
            offset: has_weights.then_some(&offset),
            ties,
            ..MatrixOptions::default()
        };
        let design = Design::from_matrices(&x, &time, &options).unwrap();
        for (gain, pass) in [
            (Gain::Correlation, swarm(12, 12, seed)),
            (Gain::Correlation, polished(6, 6, seed)),
            (Gain::Exact, polished(6, 6, seed)),
        ] {
            let name = format!("survival times {at}, ties by {}", ties.name());
            let pass = Pass { gain, ..pass };
            cases.push(Case::new(name, design.clone(), "bic", pass));
        }
    }
    cases
}

/// Whole factors among numbers, of logistic and Poisson regression.
pub fn of_terms() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, distribution) in (1051..).zip([Distribution::Binomial, Distribution::Poisson]) {
        let mut random = Random::new(seed);
        let (n, factors, numbers) = (160, 12, 8);
        let codes: Vec<Vec<usize>> = (0..factors)
            .map(|at| {
                (0..n)
                    .map(|row| (row + random.below(60)) % (2 + at % 3))
                    .collect()
            })
            .collect();
        let x = DMatrix::from_fn(n, numbers, |_, _| random.normal());
        let eta: Vec<f64> = (0..n)
            .map(|row| x[(row, 0)] + [0.0, 1.0, -1.0, 0.5][codes[2][row]] - 0.3)
            .collect();
        let family = Family::new(distribution, None).unwrap();
        let y = response(&mut random, family, &eta).map(|y| match distribution {
            Distribution::Binomial => f64::from(u8::from(y > 1.0)),
            _ => y,
        });
        let factors = codes.iter().enumerate().map(|(at, codes)| {
            let levels: Vec<String> = codes.iter().map(|code| format!("l{code}")).collect();
            (format!("f{at}"), Values::from(levels))
        });
        let numbers = x.column_iter().enumerate().map(|(at, column)| {
            let values: Vec<f64> = column.iter().copied().collect();
            (format!("x{at}"), values.into())
        });
        let y: Vec<f64> = y.iter().copied().collect();
        let table = factors.chain(numbers).chain([("y".to_owned(), y.into())]);
        let options = DesignOptions {
            response: Some("y"),
            kind: ResponseOptions {
                family,
                ..ResponseOptions::default()
            },
            ..DesignOptions::default()
        };
        let design = Design::from_table(Table::from_columns(table).unwrap(), &options).unwrap();
        for (gain, pass) in [
            (Gain::Correlation, swarm(14, 14, seed)),
            (Gain::Exact, polished(8, 8, seed)),
        ] {
            let name = format!("{distribution} of factors");
            cases.push(Case::new(
                name,
                design.clone(),
                "bic",
                Pass { gain, ..pass },
            ));
        }
    }
    cases
}

fn all() -> Vec<Case> {
    let mut all = of_columns(None);
    all.extend(of_survival_times());
    all.extend(of_terms());
    all
}

mod cpu {
    use super::*;

    /// Some of the cases, so that it does not take long.
    fn some(each: usize) -> Vec<Case> {
        all().into_iter().step_by(each).collect()
    }

    #[test]
    fn over_ranks() {
        same_over_ranks(&some(4), &DeviceChoice::Cpu(NonZeroUsize::MIN));
    }

    #[test]
    fn families() {
        // Each place once in a while: what a family adds to them is little.
        same_everywhere(&some(2), |design| {
            let places = cpus(design).into_iter().enumerate();
            let some = places.filter(|(at, _)| (at + design.p()).is_multiple_of(3));
            some.map(|(_, place)| place).collect()
        });
    }
}

mod reordered {
    use super::*;

    /// As [`crate::rounding`] has it for least squares.
    #[test]
    fn families() {
        let mut parted = Vec::new();
        for (mut case, mut moved) in of_columns(None).into_iter().zip(of_columns(Some(971))) {
            (case.pass.polish, moved.pass.polish) = (false, false);
            let runs = (run(&case, &plain()), run(&moved, &plain()));
            if let Err(what) = compare(&moved, &runs.0, &runs.1, false) {
                parted.push(format!("{}: {what}", case.name));
            }
        }
        assert!(parted.is_empty(), "\n{}", parted.join("\n"));
    }
}

mod cuda {
    use super::*;

    #[test]
    fn families() {
        if cuda_is_there() {
            same_everywhere(&all(), cudas);
        }
    }

    #[test]
    fn over_ranks() {
        if cuda_is_there() {
            same_over_ranks(&all(), &DeviceChoice::Cuda(vec![0]));
        }
    }
}
