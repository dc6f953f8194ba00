//! Interactions whose main effects are absent: to reach them a search takes in a term with all that it needs.

use std::num::NonZeroUsize;

use passel::{
    Design, Interrupt, Pass, Table,
    criteria::{Bic, Criterion, Ebic},
    design::{FormulaOptions, Hierarchy},
    device::{DeviceChoice, Resources},
    formula::Formula,
    search::{Gain, IterationRecord, SearchResult, search},
    selection::Certificate,
};

use crate::{problems::Random, reference};

/// A design of all main effects and pairs of p variables, centred; the response is the product of two of
/// them, of which the first is a factor of three levels if asked for, and noise.
fn pairs(
    random: &mut Random,
    (n, p): (usize, usize),
    (a, b): (usize, usize),
    has_factor: bool,
    hierarchy: Hierarchy,
) -> Design {
    let x: Vec<Vec<f64>> = (0..p)
        .map(|_| (0..n).map(|_| random.normal()).collect())
        .collect();
    let codes: Vec<usize> = (0..n).map(|row| row % 3).collect();
    let y = (0..n).map(|row| {
        let first = match has_factor {
            true => [-1.2, 0.0, 1.2][codes[row]],
            false => x[a][row],
        };
        first * x[b][row] + 0.7 * random.normal()
    });
    let y: Vec<f64> = y.collect();
    let levels = |_| {
        codes
            .iter()
            .map(|code| format!("l{code}"))
            .collect::<Vec<_>>()
    };
    let named = x.into_iter().enumerate().map(|(at, x)| {
        let values = match has_factor && at == a {
            true => levels(at).into(),
            false => x.into(),
        };
        (format!("x{at}"), values)
    });
    let table = Table::from_columns(named.chain([("y".to_owned(), y.into())])).unwrap();
    let options = FormulaOptions {
        hierarchy,
        response: Some("y"),
        ..FormulaOptions::default()
    };
    Design::from_formula(table, &Formula::parse("~ .^2").unwrap(), &options).unwrap()
}

fn names<'a>(design: &'a Design, members: &[u32]) -> Vec<&'a str> {
    let names = members.iter().map(|term| design.term_name(*term));
    names.collect()
}

fn run(design: &Design, criterion: &dyn Criterion, pass: &Pass) -> SearchResult {
    reference::run(design, criterion, pass, 2, |_| {})
}

#[test]
fn an_interaction_is_found_whose_variables_have_no_effect_of_their_own() {
    for seed in 0..12 {
        let mut random = Random::new(1_000 + seed);
        let (a, b) = (random.below(10), 10 + random.below(10));
        let has_factor = seed % 3 == 2;
        for rule in [Hierarchy::Strong, Hierarchy::Weak] {
            let design = pairs(&mut random, (120, 20), (a, b), has_factor, rule);
            let pass = Pass {
                seed,
                gain: [Gain::Correlation, Gain::Exact][seed as usize % 2],
                ..Pass::default()
            };
            let found = run(&design, &Ebic { gamma: 1.0 }, &pass);
            let members = names(&design, &found.models[0].members);
            let [a, b] = [a, b].map(|at| format!("x{at}"));
            let both = format!("{a}:{b}");
            assert!(members.contains(&&*both), "{seed} {rule:?}: {members:?}");
            let has = [&a, &b].map(|name| members.contains(&&**name));
            let is_allowed = match rule {
                Hierarchy::Strong => has[0] && has[1],
                _ => has[0] || has[1],
            };
            assert!(is_allowed, "{seed} {rule:?}: {members:?}");
            assert_eq!(found.certified, Some(Certificate::Local));
        }
    }
}

#[test]
fn an_interaction_is_found_among_more_terms_than_a_pool_holds() {
    for seed in 0..4 {
        let mut random = Random::new(2_000 + seed);
        let (a, b) = (random.below(25), 25 + random.below(25));
        let design = pairs(&mut random, (150, 50), (a, b), false, Hierarchy::Strong);
        let pass = Pass {
            seed,
            ..Pass::default()
        };
        let found = run(&design, &Ebic { gamma: 1.0 }, &pass);
        let members = names(&design, &found.models[0].members);
        let [a, b] = [a, b].map(|at| format!("x{at}"));
        let both = format!("{a}:{b}");
        assert_eq!(members, [&*a, &*b, &*both], "{seed}");
    }
}

#[test]
fn a_swarm_alone_moves_by_closures() {
    let mut random = Random::new(3_000);
    let design = pairs(&mut random, (120, 6), (1, 4), false, Hierarchy::Strong);
    let pass = Pass {
        forward: [0.2, 0.3, 0.5],
        polish: false,
        iterations: 200,
        ..Pass::default()
    };
    let found = run(&design, &Ebic { gamma: 1.0 }, &pass);
    let members = names(&design, &found.models[0].members);
    assert_eq!(members, ["x1", "x4", "x1:x4"]);
}

#[test]
fn shards_and_threads_do_not_show_in_moves_by_closures() {
    let mut random = Random::new(4_000);
    // More terms than a pool takes at once, so that the sweep finds closures.
    let design = pairs(&mut random, (100, 34), (3, 20), true, Hierarchy::Strong);
    for gain in [Gain::Correlation, Gain::Exact] {
        let pass = Pass {
            gain,
            ..Pass::default()
        };
        let found = |shards: usize, threads: usize| {
            let resources = Resources {
                devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
                ..Resources::cpu(threads)
            };
            let never = Interrupt::default();
            let mut steps = Vec::new();
            let mut observe = |record: &IterationRecord| {
                steps.push(format!("{:?}", record.steps));
            };
            let found = search(&design, &Bic, &pass, &resources, &never, None, &mut observe);
            (found.unwrap().models, steps)
        };
        let one = found(1, 1);
        assert_eq!(found(3, 1), one);
        assert_eq!(found(2, 3), one);
    }
}
