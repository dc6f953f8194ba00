//! Searches of models of families beside an exhaustive search by the definition: likelihoods as textbooks have them,
//! maximised by nalgebra alone.

use passel::{
    Pass,
    criteria::{Aic, Bic, Criterion, Ebic, EbicMonotone},
    family::{Distribution, FitStatus, Link},
    search::{Gain, ProofEffort},
    selection::Certificate,
};

use crate::{
    family_reference::{Problem, families},
    problems::Random,
    reference::run,
};

fn criteria() -> [Box<dyn Criterion>; 4] {
    [
        Box::new(Aic),
        Box::new(Bic),
        Box::new(Ebic { gamma: 1.0 }),
        Box::new(EbicMonotone { gamma: 1.0 }),
    ]
}

fn subsets(p: usize, most: usize) -> impl Iterator<Item = Vec<u32>> {
    let all =
        (0..1_u32 << p).map(move |bits| (0..p as u32).filter(|j| bits >> j & 1 == 1).collect());
    all.filter(move |support: &Vec<u32>| support.len() <= most)
}

/// 300 problems: what the defaults find is proved, and no model is better by the definition; without the proof the
/// certificate is true, and the polish misses the best of all rarely.
#[test]
fn three_hundred_problems_end_at_the_best_of_all_models() {
    let mut random = Random::new(41);
    let families = families();
    let (mut solved, mut missed, mut checked) = (0, 0, 0);
    for round in 0..400 {
        let family = families[round % families.len()];
        let is_slow = family.distribution() == Distribution::NegativeBinomial;
        let p = if is_slow { 3 } else { 3 + round % 3 };
        let n = 25 + 5 * (round % 5);
        let problem = Problem::random(&mut random, family, n, p);
        let Some(design) = problem.design() else {
            continue;
        };
        let criterion = &*criteria()[round % 4];
        let what = format!("{round} {} {}", family.distribution(), family.link());
        let gain = [Gain::Correlation, Gain::Exact][round % 2];
        let pass = Pass {
            gain,
            ..Pass::default()
        };
        let found = run(&design, criterion, &pass, 1 + round % 2, |_| {});
        // Where fits have no end, or columns are set aside, the reference is none.
        if found.fit.family().unwrap().status() != FitStatus::Converged || design.p() < p {
            continue;
        }
        let values = subsets(p, found.max_size).map(|own| problem.value(criterion, &own));
        let least = values.fold(f64::INFINITY, f64::min);
        let tolerance = 1e-6 * least.abs().max(1.0);
        assert!(
            (found.value - least).abs() <= tolerance,
            "{what}: {} {least}",
            found.value
        );
        assert_eq!(found.certified, Some(Certificate::Global), "{what}");
        let own = problem.value(criterion, &found.models[0].members);
        assert!(
            (found.value - own).abs() <= tolerance,
            "{what}: {} {own}",
            found.value
        );
        let without = Pass {
            proof: ProofEffort::None,
            ..pass
        };
        let local = run(&design, criterion, &without, 1, |_| {});
        assert_eq!(local.certified, Some(Certificate::Local), "{what}");
        missed += usize::from(local.value > found.value + tolerance);
        solved += 1;
        // Its neighbours, all of them.
        let model = local.models[0].members.to_vec();
        for neighbour in neighbours(&model, p, local.max_size) {
            let value = problem.value(criterion, &neighbour);
            assert!(
                value >= local.value - tolerance,
                "{what} {model:?} {neighbour:?}"
            );
            checked += 1;
        }
    }
    assert!(solved >= 300 && missed <= 3, "{solved} {missed}");
    assert!(checked > 2000, "{checked}");
}

/// The models one change away.
fn neighbours(model: &[u32], p: usize, most: usize) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let outside = || (0..p as u32).filter(|j| !model.contains(j));
    for at in 0..model.len() {
        let mut fewer = model.to_vec();
        fewer.remove(at);
        for joins in outside() {
            let mut own = fewer.clone();
            own.push(joins);
            all.push(own);
        }
        all.push(fewer);
    }
    if model.len() < most {
        all.extend(outside().map(|joins| [model, &[joins]].concat()));
    }
    all
}

/// More candidates than observations: every certificate, by exact fits of all neighbours.
#[test]
fn certificates_of_more_candidates_than_observations_are_true() {
    let mut random = Random::new(43);
    for (round, family) in families().into_iter().cycle().take(16).enumerate() {
        let p = 60;
        let problem = Problem::random(&mut random, family, 40, p);
        let Some(design) = problem.design() else {
            continue;
        };
        let criterion = EbicMonotone { gamma: 1.0 };
        let found = run(&design, &criterion, &Pass::default(), 2, |_| {});
        let what = format!("{round} {} {}", family.distribution(), family.link());
        if found.fit.family().unwrap().status() != FitStatus::Converged || design.p() < p {
            continue;
        }
        assert_eq!(found.certified, Some(Certificate::Local), "{what}");
        let settled = found.settled.unwrap();
        let canonical = matches!(
            (family.distribution(), family.link()),
            (Distribution::Binomial, Link::Logit) | (Distribution::Poisson, Link::Log)
        );
        assert_eq!(settled.by_bound > 0, canonical, "{what} {settled:?}");
        let model = found.models[0].members.to_vec();
        for neighbour in neighbours(&model, p, found.max_size) {
            let value = problem.value(&criterion, &neighbour);
            assert!(
                value >= found.value - 1e-6 * found.value.abs(),
                "{what} {neighbour:?}"
            );
        }
    }
}

/// Threads show nowhere.
#[test]
fn threads_do_not_show_in_models_of_families() {
    let mut random = Random::new(47);
    for family in families() {
        let problem = Problem::random(&mut random, family, 80, 60);
        let Some(design) = problem.design() else {
            continue;
        };
        let results = [1, 2, 5].map(|threads| {
            let found = run(
                &design,
                &Bic,
                &Pass {
                    iterations: 12,
                    ..Pass::default()
                },
                threads,
                |_| {},
            );
            let models: Vec<(u64, Vec<u32>)> = found
                .models
                .iter()
                .map(|own| (own.value.to_bits(), own.members.to_vec()))
                .collect();
            (
                found.value.to_bits(),
                found.models[0].members.to_vec(),
                models,
            )
        });
        assert!(
            results[0] == results[1] && results[0] == results[2],
            "{}",
            family.distribution()
        );
    }
}
