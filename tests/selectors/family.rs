//! The selectors that FEAST does not have, or has beside its declared ones: `fcbf` against its
//! golden files, `jmi3` and `jim` against the reference.

use serde_json::Value;

use super::{
    golden::{Place, indices, on_sets, read},
    problems::Random,
    program::{Selection, assert_near, assert_same, csv, made, run, select},
    reference::{Method, Reference, Set, TIE},
    support::Folder,
};

const RESPONSE: &[&str] = &["--response", "y"];

/// As many as the method chooses by itself, with their scores.
fn chosen_by_itself(data: &std::path::Path, method: &str) -> (Value, Vec<usize>, Vec<f64>) {
    let data = data.to_str().unwrap();
    let mut arguments = vec!["select", data, "--response", "class", "--method", method];
    arguments.extend(["--binning", "levels", "--format", "json"]);
    let ran = run(&arguments);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    let selected = json["selected"].as_array().unwrap();
    let order = selected
        .iter()
        .map(|variable| variable["index"].as_u64().unwrap());
    let order = order.map(|index| index as usize).collect();
    let scores = selected
        .iter()
        .map(|variable| variable["score"].as_f64().unwrap());
    let scores = scores.collect();
    (json, order, scores)
}

/// An order by these scores; of equal ones, which rounding parted there, the lowest first.
fn canonical(mut order: Vec<usize>, scores: &[f64]) -> Vec<usize> {
    let mut start = 0;
    let ranked = order.clone();
    for tied in ranked.chunk_by(|a, b| (scores[*a] - scores[*b]).abs() < TIE) {
        order[start..start + tied.len()].sort_unstable();
        start += tied.len();
    }
    order
}

/// The fcbf of a golden file, for each of its thresholds.
fn fcbf_agrees(place: Place, name: &str) {
    let golden = read(place, name, "golden");
    let mut reference = Reference::new(&golden.set);
    let p = golden.set.columns.len();
    let uncertainty = |x| reference.first(Method::Fcbf(0.0), x);
    let uncertainties: Vec<f64> = (0..p).map(uncertainty).collect();
    let thresholds = golden.answers["fcbf"].as_object().unwrap();
    assert_eq!(thresholds.len(), 3, "{name}");
    for (threshold, answer) in thresholds {
        let method = format!("fcbf:threshold={threshold}");
        let (json, order, scores) = chosen_by_itself(&golden.data, &method);
        // FEAST fails where nothing passes.
        let theirs = match answer["error"].is_string() {
            true => Vec::new(),
            false => indices(&answer["order"]),
        };
        let theirs = canonical(theirs, &uncertainties);
        assert_eq!(order, theirs, "{name} {method}");
        for (score, of) in scores.iter().zip(&order) {
            assert_near(*score, uncertainties[*of], &format!("{name} {method}"));
        }
        // Where both programs that made the file agree.
        if answer["independent_same"] == true {
            let listed = answer["su"].as_array().unwrap();
            assert_eq!(listed.len(), scores.len(), "{name} {method}");
            for (score, of) in scores.iter().zip(listed) {
                assert_near(*score, of.as_f64().unwrap(), &format!("{name} {method}"));
            }
        }
        let end = match threshold.as_str() {
            "0" => "zero",
            _ => "threshold",
        };
        assert_eq!(json["termination"], end, "{name} {method}");
        let picks = reference.select(Method::Fcbf(threshold.parse().unwrap()), p);
        assert!(
            picks.iter().map(|pick| pick.index).eq(order),
            "{name} {method}"
        );
    }
}

/// `jmi3` and `jim` on a golden set, the first k.
fn reference_agrees((place, name): (Place, &str), k: usize) {
    let golden = read(place, name, "golden");
    let mut reference = Reference::new(&golden.set);
    for (method, is) in [("jmi3", Method::Jmi3), ("jim", Method::Jim)] {
        let k = k.min(golden.set.columns.len());
        let expected = reference.select(is, k);
        let found = select(&golden.data, method, k, &["--response", "class"]);
        assert_same(&found, &expected, &format!("{name} {method}"));
    }
}

on_sets!(fcbf_chooses_the_golden_order, fcbf_agrees; breast_cancer simulated;
    shared: iris wine breast_cancer digits synth200 sparse3000);
on_sets!(third_order_and_impurity_agree, |at, name| reference_agrees((at, name), 30);
    breast_cancer simulated; shared: iris wine);
on_sets!(third_order_and_impurity_agree_on_some, |at, name| reference_agrees((at, name), 8); ;
    shared: digits synth200);

/// jim's scores are rounded sums: near, not equal.
#[track_caller]
fn assert_like(a: &Selection, b: &Selection) {
    assert_eq!(a.order(), b.order());
    for (a, b) in a.picks.iter().zip(&b.picks) {
        assert_near(a.score, b.score, &a.name);
    }
}

#[test]
fn jim_agrees_with_the_reference_on_small_sets() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    for seed in 0..25 {
        let mut random = Random::new(seed);
        let n = 2 + random.below(89);
        let (levels, classes) = (1 + random.below(9), 1 + random.below(6));
        let mut set = made(&mut random, n, 8, levels, classes);
        set.columns.push(vec![3; n]);
        set.columns.push(set.columns[0].clone());
        let p = set.columns.len();
        folder.write("set.csv", &csv(&set, 1));
        let expected = Reference::new(&set).select(Method::Jim, p);
        let found = select(&data, "jim", p, RESPONSE);
        assert_same(&found, &expected, &format!("seed {seed}"));
    }
}

#[test]
fn jim_does_not_see_names_of_levels_nor_the_order_of_rows_nor_threads() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    let mut random = Random::new(3);
    let set = made(&mut random, 150, 14, 5, 3);
    folder.write("set.csv", &csv(&set, 1));
    let plain = select(&data, "jim", 14, RESPONSE);
    let threads = [RESPONSE, &["--threads", "3"]].concat();
    let many = select(&data, "jim", 14, &threads);
    assert_eq!(
        (plain.order(), plain.printed.clone()),
        (many.order(), many.printed)
    );

    let order = random.order(150);
    let permuted = |codes: &Vec<u32>| order.iter().map(|t| codes[*t]).collect::<Vec<u32>>();
    let other = |codes: &Vec<u32>| codes.iter().map(|code| 90 - 7 * code).collect::<Vec<u32>>();
    let rows = Set {
        columns: set.columns.iter().map(permuted).collect(),
        y: permuted(&set.y),
    };
    let names = Set {
        columns: set.columns.iter().map(other).collect(),
        y: other(&set.y),
    };
    for set in [rows, names] {
        folder.write("set.csv", &csv(&set, 1));
        assert_like(&plain, &select(&data, "jim", 14, RESPONSE));
    }
}

#[test]
fn fcbf_keeps_one_of_many_copies_and_heeds_top() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    let mut set = made(&mut Random::new(5), 200, 6, 4, 3);
    for at in 0..6 {
        set.columns.push(set.columns[at].clone());
    }
    set.columns.push(vec![0; 200]);
    folder.write("set.csv", &csv(&set, 0));
    let all = select(&data, "fcbf", 13, RESPONSE);
    assert!(
        all.order().iter().all(|column| *column < 6),
        "{:?}",
        all.order()
    );
    assert_eq!(all.json["termination"], "zero");
    let one = select(&data, "fcbf", 1, RESPONSE);
    assert_eq!(one.order(), all.order()[..1]);
    assert_eq!(one.json["termination"], "top");
    let none = select(&data, "fcbf:threshold=1", 13, RESPONSE);
    assert_eq!(none.order(), [0usize; 0]);
}
