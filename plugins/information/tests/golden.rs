//! The selectors' declared scores, counted from the definition in a plain greedy search, choose the
//! golden order: of `tests/golden`, made by a script there, and of FEAST in `../shared/golden`.

#![allow(clippy::unwrap_used)]

use std::{
    env,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use passel_information as all;
use passel_sdk::{Score, Selector, trial};
use serde_json::Value;

/// Each name in the golden files, its selector and parameters.
const METHODS: [(&str, Selector, &[f64]); 14] = [
    ("mim", all::MIM, &[]),
    ("mifs_b1", all::MIFS, &[1.0]),
    ("mifs_b0.5", all::MIFS, &[0.5]),
    ("mrmr_d", all::MRMR, &[]),
    ("jmi", all::JMI, &[]),
    ("disr", all::DISR, &[]),
    ("cmim", all::CMIM, &[]),
    ("cife", all::CIFE, &[]),
    ("icap", all::ICAP, &[]),
    ("condred", all::CONDRED, &[]),
    ("betagamma_0.5_0.5", all::BETAGAMMA, &[0.5, 0.5]),
    ("cmi", all::CMI, &[]),
    ("jmim", all::JMIM, &[]),
    ("njmim", all::NJMIM, &[]),
];

/// Scores nearer than this are a tie, which goes to the variable that stands first.
const TIE: f64 = 1e-10;

/// Every method of a set's golden file, by its selector.
fn agrees(folder: &Path, data: &str, set: &str) {
    let columns = columns(&folder.join(format!("{data}{set}.csv.gz")));
    let golden = File::open(folder.join(format!("golden_{set}.json"))).unwrap();
    let golden: Value = serde_json::from_reader(golden).unwrap();
    let k = golden["k"].as_u64().unwrap() as usize;
    let methods = golden["methods"].as_object().unwrap();
    let known = |name: &&String| METHODS.iter().any(|method| method.0 == *name);
    assert_eq!(methods.keys().filter(known).count(), methods.len());
    for (name, selector, values) in METHODS {
        // FEAST does not have all of them.
        let Some(golden) = methods.get(name) else {
            continue;
        };
        let score = (selector.score)(values).unwrap();
        let expected = golden["canonical_order"].as_array().unwrap();
        let chosen = chosen(&score, &columns, k);
        let order: Vec<Value> = chosen.iter().map(|pick| pick.0.into()).collect();
        assert_eq!(&order, expected, "{set} {name}");
        let scores = golden["canonical_scores"].as_array().unwrap();
        for (at, ((_, is), bits)) in chosen.iter().zip(scores).enumerate() {
            // Golden scores are in bits; a ratio has no unit.
            let unit = match ["disr", "njmim"].contains(&name) && at > 0 {
                true => 1.0,
                false => 2f64.ln(),
            };
            let expected = bits.as_f64().unwrap() * unit;
            assert!((is - expected).abs() < 1e-9, "{set} {name} {at}: {is}");
        }
    }
    for (threshold, golden) in golden["fcbf"].as_object().unwrap() {
        let score = (all::FCBF.score)(&[threshold.parse().unwrap()]).unwrap();
        let expected = golden["order"].as_array().unwrap();
        // One beyond, so that an end too late is seen.
        let chosen = chosen(&score, &columns, expected.len() + 1);
        let order: Vec<Value> = chosen.iter().map(|pick| pick.0.into()).collect();
        assert_eq!(&order, expected, "{set} fcbf {threshold}");
    }
}

#[test]
fn every_selector_chooses_the_golden_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden");
    agrees(&folder, "", "simulated");
}

#[test]
#[ignore = "needs ../shared/golden"]
fn every_selector_chooses_what_feast_chooses() {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = env::var_os("PASSEL_SHARED").map_or_else(beside, PathBuf::from);
    for set in ["iris", "wine"] {
        agrees(&shared.join("golden"), "data/", set);
    }
}

/// The columns of a file of codes, the response last.
fn columns(path: &Path) -> Vec<Vec<u32>> {
    let mut text = String::new();
    let mut file = GzDecoder::new(File::open(path).unwrap());
    file.read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let width = lines.next().unwrap().split(',').count();
    let mut columns = vec![Vec::new(); width];
    for line in lines {
        for (column, code) in columns.iter_mut().zip(line.split(',')) {
            column.push(code.parse().unwrap());
        }
    }
    columns
}

fn chosen(score: &Score, columns: &[Vec<u32>], most: usize) -> Vec<(usize, f64)> {
    let (y, variables) = columns.split_last().unwrap();
    let mut chosen: Vec<(usize, f64)> = Vec::new();
    while chosen.len() < most.min(variables.len()) {
        let anchors: Vec<&[u32]> = chosen.iter().map(|pick| &*variables[pick.0]).collect();
        let left = (0..variables.len()).filter(|at| chosen.iter().all(|pick| pick.0 != *at));
        let scores = left.map(|at| (at, trial::score(score, &variables[at], &anchors, y)));
        let scores: Vec<(usize, f64)> = scores.collect();
        let best = scores
            .iter()
            .map(|scored| scored.1)
            .fold(f64::MIN, f64::max);
        if score.floor.is_some_and(|floor| best <= floor + TIE) {
            break;
        }
        let first = scores.into_iter().find(|scored| scored.1 >= best - TIE);
        chosen.extend(first);
    }
    chosen
}
