//! Golden answers, logarithms to base 2: those of a plain Python implementation, which ship in
//! `tests/golden`, and those of FEAST, MIToolbox and fast-mRMR on larger sets in `../shared/golden`,
//! whose README says where those programs' choices were rounding noise.

use std::{fs, io::Read, path::PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

use super::{
    problems::{golden, needed},
    program::{Pair, Pairs, assert_near, pairs, select},
    reference::{METHODS, Reference, Set},
};

/// A set: its codes, the file they lie in, what the other programs made of it.
pub struct Golden {
    pub set: Set,
    pub data: PathBuf,
    pub answers: Value,
}

/// Where golden sets lie.
#[derive(Clone, Copy)]
pub enum Place {
    /// `tests/golden`, with `examples/data`.
    Repository,
    /// `../shared/golden`.
    Shared,
}

impl Place {
    /// A set's file of this ending: `csv.gz`, `mrmr.gz`.
    pub fn data(self, name: &str, ending: &str) -> PathBuf {
        match self {
            Self::Shared => needed(&format!("golden/data/{name}.{ending}")),
            Self::Repository if (name, ending) == ("breast_cancer", "csv.gz") => {
                golden("../../examples/data/breast_cancer.csv.gz")
            }
            Self::Repository => golden(&format!("{name}.{ending}")),
        }
    }

    fn answers(self, name: &str, kind: &str) -> PathBuf {
        match self {
            Self::Shared => needed(&format!("golden/{kind}_{name}.json")),
            Self::Repository => golden(&format!("{kind}_{name}.json")),
        }
    }
}

/// A set with its answers: of selections (`golden`), or of all pairs (`mi`).
pub fn read(place: Place, name: &str, kind: &str) -> Golden {
    let data = place.data(name, "csv.gz");
    let answers = fs::read_to_string(place.answers(name, kind)).unwrap();
    let mut text = String::new();
    GzDecoder::new(fs::File::open(&data).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for line in text.lines().skip(1) {
        let codes: Vec<u32> = line
            .split(',')
            .map(|field| field.parse().unwrap())
            .collect();
        columns.resize(codes.len(), Vec::new());
        for (column, code) in columns.iter_mut().zip(codes) {
            column.push(code);
        }
    }
    let y = columns.pop().unwrap();
    Golden {
        set: Set { columns, y },
        data,
        answers: serde_json::from_str(&answers).unwrap(),
    }
}

pub fn indices(value: &Value) -> Vec<usize> {
    let list = value.as_array().unwrap().iter();
    list.map(|index| index.as_u64().unwrap() as usize).collect()
}

/// To nats.
fn nats(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|number| number.as_f64().unwrap() * 2_f64.ln())
        .collect()
}

/// The order and the scores of every method that the golden files have.
fn each_method(golden: &Golden, check: &mut dyn FnMut(usize, Vec<usize>, Vec<f64>)) {
    let methods = &golden.answers["methods"];
    let mut met = 0;
    for (at, (_, name, _)) in METHODS.iter().enumerate() {
        // Not every program that made golden files has every method.
        let answer = &methods[name];
        if answer.is_null() {
            continue;
        }
        let order = indices(&answer["canonical_order"]);
        let mut scores = nats(&answer["canonical_scores"]);
        if ["disr", "njmim"].contains(name) {
            // Ratios, all but the first: no unit to change.
            let ratios = scores.iter_mut().skip(1);
            ratios.for_each(|ratio| *ratio /= 2_f64.ln());
        }
        assert_eq!(order.len(), scores.len());
        check(at, order, scores);
        met += 1;
    }
    assert_eq!(Some(met), methods.as_object().map(|all| all.len()));
}

fn reference_agrees(place: Place, name: &str) {
    let golden = read(place, name, "golden");
    let k = golden.answers["k"].as_u64().unwrap() as usize;
    let mut reference = Reference::new(&golden.set);
    each_method(&golden, &mut |at, order, scores| {
        let (method, _, what) = METHODS[at];
        let picks = reference.select(what, k);
        let found: Vec<usize> = picks.iter().map(|pick| pick.index).collect();
        assert_eq!(found, order, "{name} {method}");
        for (pick, score) in picks.iter().zip(scores) {
            assert_near(pick.score, score, &format!("{name} {method}"));
        }
    });
}

fn program_agrees(place: Place, name: &str) {
    let golden = read(place, name, "golden");
    let k = golden.answers["k"].as_u64().unwrap() as usize;
    each_method(&golden, &mut |at, order, scores| {
        let (method, ..) = METHODS[at];
        let found = select(&golden.data, method, k, &["--response", "class"]);
        assert_eq!(found.order(), order, "{name} {method}");
        assert_eq!(found.json["n"], golden.answers["n"]);
        assert_eq!(found.json["p"], golden.answers["p"]);
        for (pick, score) in found.picks.iter().zip(scores) {
            assert_eq!(pick.name, format!("f{}", pick.index));
            assert_near(pick.score, score, &format!("{name} {method}"));
        }
    });
}

/// Data whose class comes first, in the format of fast-mRMR, which picked the lowest of ties.
fn fast_mrmr_agrees(place: Place, name: &str) {
    let file = place.data(name, "mrmr.gz");
    let golden = read(place, name, "golden");
    let order = indices(&golden.answers["fast_mrmr_cpu"]["order"]);
    let found = select(&file, "mrmr", order.len(), &[]);
    assert_eq!(found.order(), order);
    let dense = select(&golden.data, "mrmr", order.len(), &["--response", "class"]);
    assert_eq!(found.printed, dense.printed);
}

/// To 10⁻¹², of the size of what is above 1.
#[track_caller]
fn assert_close(found: f64, value: f64, what: &str) {
    let close = (found - value).abs() <= 1e-12 * value.abs().max(1.0);
    assert!(close, "{what}: {found} for {value}");
}

/// A list of the golden file, [`nats`], against as many pairs: equal ranks have equal scores,
/// and what is not tied with the list's last is the same pair.
fn assert_listed(pairs: &[&Pair], list: &Value, what: &str) {
    let list = list.as_array().unwrap();
    let listed: Vec<([usize; 2], f64)> = list
        .iter()
        .map(|pair| {
            let at = |name: &str| pair[name].as_u64().unwrap() as usize;
            (
                [at("n"), at("m")],
                pair["value"].as_f64().unwrap() * 2_f64.ln(),
            )
        })
        .collect();
    let last = listed.last().unwrap().1;
    for (pair, (_, value)) in pairs.iter().zip(&listed) {
        assert_close(pair.score, *value, what);
    }
    for (at, value) in &listed {
        let tied = (value - last).abs() < 1e-10;
        let there = pairs.iter().any(|pair| pair.at == *at);
        assert!(there || tied, "{what}: {at:?}");
    }
}

/// Best first, and of equal scores the lowest pair.
fn assert_ordered(found: &Pairs) {
    for two in found.pairs.windows(2) {
        let [a, b] = [&two[0], &two[1]];
        let before = a.score > b.score || (a.score == b.score && a.at < b.at);
        assert!(before, "{a:?} before {b:?}");
    }
    assert!(found.pairs.iter().all(|pair| pair.at[0] < pair.at[1]));
}

fn pairs_agree(place: Place, name: &str) {
    let golden = read(place, name, "mi");
    let answers = &golden.answers;
    let all = answers["pairs"].as_u64().unwrap() as usize;
    let response = ["--response", "class"];
    let found = pairs(&golden.data, "mi3", all, &response);
    let bivariate = nats(&answers["bivariate"]);
    assert_eq!(found.single.len(), bivariate.len());
    for (j, (name, index, score)) in found.single.iter().enumerate() {
        assert_eq!((name, *index), (&format!("f{j}"), j));
        assert_close(*score, bivariate[j], name);
    }
    assert_eq!(found.pairs.len(), all);
    assert_ordered(&found);
    let best: Vec<_> = found.pairs.iter().collect();
    assert_listed(&best, &answers["three_variate_top100"], name);
    if let Value::Array(_) = answers["three_variate_all"] {
        let values = nats(&answers["three_variate_all"]);
        for pair in &found.pairs {
            let [n, m] = pair.at;
            assert_close(pair.score, values[m * (m - 1) / 2 + n], name);
        }
    }
    let sum: f64 = found.pairs.iter().map(|pair| pair.score).sum();
    let told = |what: &str| answers[what].as_f64().unwrap() * 2_f64.ln();
    assert_close(sum, told("three_variate_sum"), "sum");
    assert_close(found.pairs[0].score, told("three_variate_max"), "best");
    assert_close(
        found.pairs[all - 1].score,
        told("three_variate_min"),
        "least",
    );
    for pair in &found.pairs {
        let [a, b] = pair.at.map(|j| bivariate[j]);
        assert_close(pair.synergy, pair.score - a - b, name);
    }
    let found = pairs(&golden.data, "synergy", all, &response);
    assert_ordered(&found);
    let best: Vec<_> = found.pairs.iter().collect();
    assert_listed(&best, &answers["interaction_top100"], name);
    let worst: Vec<_> = found.pairs.iter().rev().collect();
    assert_listed(&worst, &answers["interaction_bottom20"], name);
    assert!(found.pairs.iter().all(|pair| pair.score == pair.synergy));
}

/// A test of each set that ships, and an ignored one of each that does not.
macro_rules! on_sets {
    ($what:ident, $check:expr; $($set:ident)*; shared: $($other:ident)*) => {
        mod $what {
            use super::*;

            $(#[test]
            fn $set() {
                $check($crate::golden::Place::Repository, stringify!($set));
            })*

            mod shared {
                use super::*;

                $(#[test]
                #[ignore = "needs ../shared/golden"]
                fn $other() {
                    $check($crate::golden::Place::Shared, stringify!($other));
                })*
            }
        }
    };
}
pub(crate) use on_sets;

on_sets!(the_reference_chooses_the_golden_order, reference_agrees; breast_cancer simulated;
    shared: iris wine breast_cancer digits synth200 sparse3000 golub);
on_sets!(the_program_chooses_the_golden_order, program_agrees; breast_cancer simulated;
    shared: iris wine breast_cancer digits synth200 sparse3000 golub);
on_sets!(mrmr_files_give_the_order_of_fast_mrmr, fast_mrmr_agrees; breast_cancer simulated;
    shared: breast_cancer digits synth200);
on_sets!(pairs_are_those_of_an_independent_program, pairs_agree; breast_cancer simulated;
    shared: iris wine breast_cancer digits synth200);
