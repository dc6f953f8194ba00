//! Where a selection ends by permutations: what they promise where scores are compared as they are.

use std::{collections::HashMap, thread, time::Duration};

use passel::{
    Interrupt,
    device::Resources,
    selection::{RankedColumns, StopReason},
    selector::{PermutationTest, Stop, rank},
};

use super::{
    problems::Random,
    program::{csv, made, select},
    ranked::{binned, ranked, ranked_everywhere, score},
    reference::{Method, Reference, Set},
    support::Folder,
};

fn rule(n: usize, alpha: f64, seed: u64) -> PermutationTest {
    PermutationTest {
        n,
        alpha,
        standardise: false,
        seed,
    }
}

/// Codes of `levels` levels, as equally frequent as can be, in random order: ties are rare.
pub fn even(random: &mut Random, n: usize, levels: usize) -> Vec<u32> {
    let order = random.order(n);
    order.iter().map(|at| (at % levels) as u32).collect()
}

/// Variables of five levels and one of four, of which the response knows nothing.
pub fn noise(random: &mut Random, n: usize, p: usize) -> Set {
    Set {
        columns: (0..p).map(|j| even(random, n, 5 - j % 2)).collect(),
        y: (0..n).map(|_| random.below(3) as u32).collect(),
    }
}

/// A share of `of` that comes with probability α is within three standard errors of it.
#[track_caller]
pub fn assert_share(accepted: usize, of: usize, alpha: f64, what: &str) {
    let share = accepted as f64 / of as f64;
    let error = (alpha * (1.0 - alpha) / of as f64).sqrt();
    println!("{what}: {accepted} of {of}, {share:.4} for {alpha}");
    assert!((share - alpha).abs() <= 3.0 * error, "{what}: {share}");
}

fn type_one_error_of_the_first_pick(method: Method, seed: u64, sets: usize) {
    let mut random = Random::new(seed);
    let accepted = (0..sets as u64).filter(|at| {
        let set = noise(&mut random, 60, 12);
        // 10 of 200: p ≤ 0.05 has a probability of just 0.05 where nothing ties.
        let found = ranked(&set, method, 1, rule(199, 0.05, *at));
        !found.chosen.is_empty()
    });
    let accepted = accepted.count();
    assert_share(accepted, sets, 0.05, &format!("{method:?}, first pick"));
}

#[test]
fn pure_noise_is_accepted_by_mim_as_often_as_alpha_says() {
    type_one_error_of_the_first_pick(Method::Mim, 11, 1000);
}

#[test]
fn pure_noise_is_accepted_by_jmi_as_often_as_alpha_says() {
    type_one_error_of_the_first_pick(Method::Jmi, 12, 1000);
}

/// The response follows variable 0 alone; the second winner is noise.
fn type_one_error_of_the_second_pick(method: Method, seed: u64, sets: usize) {
    let mut random = Random::new(seed);
    let (mut first, mut second) = (0, 0);
    for at in 0..sets as u64 {
        let mut set = noise(&mut random, 60, 8);
        for (y, x) in set.y.iter_mut().zip(&set.columns[0]) {
            if random.uniform() < 0.8 {
                *y = x % 3;
            }
        }
        let found = ranked(&set, method, 2, rule(99, 0.05, at));
        first += usize::from(found.chosen.first().is_some_and(|pick| pick.column == 0));
        second += usize::from(found.chosen.len() == 2);
    }
    assert_eq!(first, sets, "the one that tells is found");
    assert_share(second, sets, 0.05, &format!("{method:?}, second pick"));
}

#[test]
fn noise_behind_a_variable_that_tells_is_accepted_by_jmi_as_often_as_alpha_says() {
    type_one_error_of_the_second_pick(Method::Jmi, 13, 1000);
}

#[test]
fn noise_behind_a_variable_that_tells_is_accepted_by_cmim_as_often_as_alpha_says() {
    type_one_error_of_the_second_pick(Method::Cmim, 14, 1000);
}

/// y is x0 and x1 together, each with some noise.
fn two_that_tell(seed: u64, n: usize) -> Set {
    let mut random = Random::new(seed);
    let mut set = noise(&mut random, n, 10);
    for (t, y) in set.y.iter_mut().enumerate() {
        if random.uniform() < 0.8 {
            *y = u32::from(set.columns[2][t] > 1) + 2 * u32::from(set.columns[7][t] > 1);
        }
    }
    set
}

#[test]
fn a_second_variable_that_tells_is_accepted_and_what_ends_is_told() {
    let set = two_that_tell(21, 200);
    for method in [Method::Mim, Method::Jmi, Method::Cmim, Method::Cmi] {
        let found = ranked(&set, method, 10, rule(199, 0.01, 5));
        let mut two: Vec<usize> = found.chosen.iter().map(|pick| pick.column).collect();
        two.sort_unstable();
        assert_eq!(two, [2, 7], "{method:?}");
        for pick in &found.chosen {
            assert_eq!(pick.permutation_p, Some(1.0 / 200.0), "{method:?}");
        }
        assert_eq!(found.termination, StopReason::Permutation, "{method:?}");
        let refused = found.refused.unwrap();
        assert!(refused.permutation_p > 0.01, "{method:?}");
        assert!(!two.contains(&refused.column), "{method:?}");
    }
}

/// Every order of 0 … n − 1 (Heap).
pub fn orders(n: usize) -> Vec<Vec<usize>> {
    fn heap(k: usize, order: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if k <= 1 {
            return all.push(order.clone());
        }
        for i in 0..k {
            heap(k - 1, order, all);
            order.swap(if k.is_multiple_of(2) { i } else { 0 }, k - 1);
        }
    }
    let mut all = Vec::new();
    heap(n, &mut (0..n).collect(), &mut all);
    all
}

/// The best score of those left, by the definitions, response and chosen ones in this order.
fn best_left(set: &Set, method: Method, chosen: &[usize], order: &[usize]) -> f64 {
    let moved = moved(set, chosen, order);
    let mut reference = Reference::new(&moved);
    let left = (0..set.columns.len()).filter(|x| !chosen.contains(x));
    let scores = left.map(|x| reference.scored(method, x, chosen));
    scores.fold(f64::NEG_INFINITY, f64::max)
}

/// The set with response and chosen ones in this order.
pub fn moved(set: &Set, chosen: &[usize], order: &[usize]) -> Set {
    let permuted = |codes: &Vec<u32>| order.iter().map(|t| codes[*t]).collect();
    let mut columns = set.columns.clone();
    chosen
        .iter()
        .for_each(|w| columns[*w] = permuted(&set.columns[*w]));
    let y = permuted(&set.y);
    Set { columns, y }
}

#[test]
fn p_of_many_permutations_is_the_share_of_all_there_are() {
    const MANY: usize = 20_000;
    let mut compared = HashMap::new();
    for (n, seed) in [(6, 31), (6, 32), (7, 33)] {
        let all = orders(n);
        assert_eq!(all.len(), (1..=n).product::<usize>());
        let mut random = Random::new(seed);
        let columns = (0..4).map(|_| (0..n).map(|_| random.below(3) as u32).collect());
        let set = Set {
            columns: columns.collect(),
            y: even(&mut random, n, 2),
        };
        for method in [Method::Mim, Method::Jmi, Method::Cmim, Method::Cmi] {
            let found = ranked(&set, method, 3, rule(MANY, 0.999, seed));
            let mut tested: Vec<(usize, f64)> = Vec::new();
            tested.extend(
                found
                    .chosen
                    .iter()
                    .map(|pick| (pick.column, pick.permutation_p.unwrap())),
            );
            tested.extend(
                found
                    .refused
                    .map(|refused| (refused.column, refused.permutation_p)),
            );
            for step in 0..tested.len() {
                let chosen: Vec<usize> = tested[..step].iter().map(|pick| pick.0).collect();
                let observed = best_left(&set, method, &chosen, &all[0]);
                // Equal ones are off by rounding here.
                let reached = |order: &&Vec<usize>| {
                    best_left(&set, method, &chosen, order) >= observed - 1e-10
                };
                let share = all.iter().filter(reached).count() as f64 / all.len() as f64;
                let p = (tested[step].1 * (MANY + 1) as f64 - 1.0) / MANY as f64;
                let error = (share * (1.0 - share) / MANY as f64).sqrt();
                let off = (p - share).abs();
                assert!(
                    off <= 4.0 * error + 1e-9,
                    "{n} {method:?} {step}: {p} for {share}"
                );
                if share < 1.0 {
                    *compared.entry(step).or_insert(0) += 1;
                }
            }
        }
    }
    // Where every order reaches it nothing is shown.
    assert!(compared[&0] >= 4 && compared[&1] >= 4, "{compared:?}");
}

#[test]
fn neither_threads_nor_shards_show_but_seeds_do() {
    let set = made(&mut Random::new(41), 150, 14, 4, 3);
    for method in [Method::Mim, Method::Jmi, Method::Cmim, Method::Cmi] {
        let [one, other] = ranked_everywhere(&set, method, 6, |seed| rule(300, 0.6, seed));
        let p = |found: &RankedColumns| -> Vec<Option<f64>> {
            let refused = found.refused.map(|refused| refused.permutation_p);
            found
                .chosen
                .iter()
                .map(|pick| pick.permutation_p)
                .chain([refused])
                .collect()
        };
        assert_ne!(p(&one), p(&other), "{method:?}");
        // The winners are those of a selection without the rule.
        let stop = Stop {
            top: Some(6),
            ..Stop::default()
        };
        let (columns, score, never) = (binned(&set), score(method), Interrupt::default());
        let resources = Resources::cpu(1);
        let plain = rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {});
        let plain = plain.unwrap().chosen;
        assert!(plain.iter().all(|pick| pick.permutation_p.is_none()));
        for (a, b) in one.chosen.iter().zip(&plain) {
            assert_eq!((a.column, a.score.to_bits()), (b.column, b.score.to_bits()));
        }
    }
}

#[test]
fn an_interrupt_ends_a_test_and_its_winner_does_not_join() {
    let set = two_that_tell(51, 4000);
    let stop = Stop {
        permutation: Some(rule(1_000_000, 0.5, 1)),
        ..Stop::default()
    };
    let interrupt = Interrupt::default();
    let asked = interrupt.clone();
    // A million permutations take minutes.
    let asking = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        asked.request();
    });
    let (columns, score, resources) = (binned(&set), score(Method::Jmi), Resources::cpu(2));
    let found = rank(
        &columns,
        &score,
        &stop,
        &resources,
        &interrupt,
        &mut |_, _| {},
    )
    .unwrap();
    asking.join().unwrap();
    assert_eq!(found.termination, StopReason::Interrupted);
    assert!(found.chosen.is_empty() && found.refused.is_none());
}

#[test]
fn the_report_tells_rule_seed_and_the_one_refused() {
    let folder = Folder::new();
    folder.write("set.csv", &csv(&two_that_tell(21, 200), 0));
    let data = folder.path("set.csv");
    let stop = [
        "--response",
        "y",
        "--stop",
        "permutation:raw,n=199,alpha=0.01",
    ];
    let seeded = [&stop[..], &["--seed", "5"]].concat();
    let found = select(&data, "jmi", 10, &seeded);
    assert_eq!(found.json["k"], 2);
    assert_eq!(found.json["termination"], "permutation");
    assert_eq!(found.json["seed"], 5);
    let rule = serde_json::json!({ "rule": "permutation", "n": 199, "alpha": 0.01, "standardised": false });
    assert_eq!(found.json["stop"], rule);
    for variable in found.json["selected"].as_array().unwrap() {
        assert_eq!(variable["permutation_p"], 1.0 / 200.0);
    }
    let refused = &found.json["refused"];
    let place = refused["index"].as_u64().unwrap();
    assert_eq!(refused["name"], format!("x{place}"));
    assert!(refused["score"].is_f64() && refused["permutation_p"].as_f64().unwrap() > 0.01);
    // A job file says the same; without a seed of its own it is 1.
    folder.write(
        "jobs.toml",
        "[defaults]\nseed = 5\nresponse = \"y\"\nbinning = \"levels\"\n\n[[job]]\n\
         data = \"set.csv\"\noutput = \"told\"\nmethod = \"jmi\"\nstop = \"permutation:raw,n=199,alpha=0.01\"\n",
    );
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let p = refused["permutation_p"].as_f64().unwrap();
    for part in [
        "stop                 permutation:raw,n=199,alpha=0.01, seed 5\n".to_owned(),
        format!("not chosen: x{place}, score "),
        format!("permutation p {p:.3}\n"),
        "ended before a variable no better than the best of chance; ".to_owned(),
    ] {
        let told = folder.read("told");
        assert!(told.contains(&part), "no {part:?} in {told}");
    }
    let plain = select(&data, "jmi", 2, &["--response", "y"]);
    for absent in ["stop", "seed", "refused"] {
        assert!(plain.json[absent].is_null(), "{absent}");
    }
    assert_eq!(select(&data, "jmi", 10, &stop).json["seed"], 1);
}
