//! The program called, its answer read: the one place here that knows the JSON.

use std::{fmt::Write, path::Path, process::Command};

use serde_json::Value;

use super::{
    problems::Random,
    reference::{NONE, Pick, Set},
    support::{Ran, ran},
};

/// The program under test; `PASSEL_PROGRAM` names another build.
pub fn run(arguments: &[&str]) -> Ran {
    let own = env!("CARGO_BIN_EXE_passel").into();
    let program = std::env::var_os("PASSEL_PROGRAM").unwrap_or(own);
    let mut command = Command::new(program);
    command.args(arguments);
    ran(command)
}

/// A selection.
pub struct Selection {
    pub json: Value,
    pub picks: Vec<Chosen>,
    /// The scores as they are printed.
    pub printed: Vec<String>,
}

/// One variable of a selection.
#[derive(Debug)]
pub struct Chosen {
    pub name: String,
    pub index: usize,
    pub score: f64,
    pub relevance: f64,
    pub redundancy: Option<f64>,
}

impl Selection {
    pub fn order(&self) -> Vec<usize> {
        self.picks.iter().map(|pick| pick.index).collect()
    }
}

/// What `pairs` tells.
pub struct Pairs {
    /// Name, index and score.
    pub single: Vec<(String, usize, f64)>,
    pub pairs: Vec<Pair>,
    /// Each variable first, then its partner; none where they were not asked for.
    pub partners: Option<Vec<Option<Pair>>>,
    /// The scores as they are printed, single ones first, then those of pairs.
    pub printed: Vec<String>,
}

/// Two variables; names, indices, numbers.
#[derive(Debug)]
pub struct Pair {
    pub names: [String; 2],
    pub at: [usize; 2],
    pub score: f64,
    pub synergy: f64,
}

/// Each text that follows `"score":`.
fn printed_scores(text: &str) -> Vec<String> {
    let after = text.split("\"score\":").skip(1);
    let number = |rest: &str| rest.split([',', '}', '\n']).next().unwrap().trim().into();
    after.map(number).collect()
}

fn json(arguments: &[&str]) -> (Value, String) {
    let ran = run(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    (serde_json::from_str(&ran.stdout).unwrap(), ran.stdout)
}

fn number(value: &Value) -> f64 {
    let number = value.as_f64();
    number.unwrap_or_else(|| panic!("{value} is no number"))
}

fn index(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// `passel select` on a file, codes as they are.
pub fn select(data: &Path, method: &str, top: usize, more: &[&str]) -> Selection {
    let top = top.to_string();
    let mut all = vec!["select", data.to_str().unwrap(), "--method", method];
    all.extend(["--top", &top, "--format", "json", "--binning", "levels"]);
    all.extend(more);
    let (json, stdout) = json(&all);
    let chosen = |variable: &Value| Chosen {
        name: text(&variable["name"]),
        index: index(&variable["index"]),
        score: number(&variable["score"]),
        relevance: number(&variable["relevance"]),
        redundancy: variable["redundancy"].as_f64(),
    };
    let picks: Vec<Chosen> = json["selected"]
        .as_array()
        .unwrap()
        .iter()
        .map(chosen)
        .collect();
    let mut printed = printed_scores(&stdout);
    // The one that permutations refused comes behind.
    let refused = usize::from(!json["refused"].is_null());
    assert_eq!(printed.len(), picks.len() + refused);
    printed.truncate(picks.len());
    assert_eq!(json["k"], picks.len());
    Selection {
        json,
        picks,
        printed,
    }
}

/// `passel pairs` on a file, codes as they are.
pub fn pairs(data: &Path, score: &str, top: usize, more: &[&str]) -> Pairs {
    let top = top.to_string();
    let mut all = vec!["pairs", data.to_str().unwrap(), "--score", score];
    all.extend(["--top", &top, "--format", "json", "--binning", "levels"]);
    all.extend(more);
    let (json, stdout) = json(&all);
    let list = |name: &str| json[name].as_array().unwrap().iter();
    let single = |variable: &Value| {
        (
            text(&variable["name"]),
            index(&variable["index"]),
            number(&variable["score"]),
        )
    };
    let pair = |pair: &Value| Pair {
        names: [text(&pair["a"]), text(&pair["b"])],
        at: [index(&pair["a_index"]), index(&pair["b_index"])],
        score: number(&pair["score"]),
        synergy: number(&pair["synergy"]),
    };
    let partner = |variable: &Value| {
        variable["partner"].as_str().map(|partner| Pair {
            names: [text(&variable["name"]), partner.to_owned()],
            at: [index(&variable["index"]), index(&variable["partner_index"])],
            score: number(&variable["score"]),
            synergy: number(&variable["synergy"]),
        })
    };
    let partners = json.get("partners").map(|all| all.as_array().unwrap());
    Pairs {
        partners: partners.map(|all| all.iter().map(partner).collect()),
        single: list("single").map(single).collect(),
        pairs: list("pairs").map(pair).collect(),
        printed: printed_scores(&stdout),
    }
}

/// The set as CSV: variables `x0`, `x1`, … and the response `y`, which stands at `place`; what
/// is missing is empty.
pub fn csv(set: &Set, place: usize) -> String {
    let row = |mut fields: Vec<String>, y: String| {
        fields.insert(place, y);
        fields.join(",") + "\n"
    };
    let p = set.columns.len();
    let mut text = row((0..p).map(|j| format!("x{j}")).collect(), "y".into());
    for (t, y) in set.y.iter().enumerate() {
        let code = |code: &u32| match *code {
            NONE => String::new(),
            code => code.to_string(),
        };
        let codes = set.columns.iter().map(|column| code(&column[t]));
        text += &row(codes.collect(), code(y));
    }
    text
}

/// The set as libsvm: the class, then the codes that are not 0, numbered from 1; of the first
/// observation all, for a variable that no line names is none.
pub fn libsvm(set: &Set) -> String {
    let mut text = String::new();
    for (t, y) in set.y.iter().enumerate() {
        write!(text, "{y}").unwrap();
        for (j, column) in set.columns.iter().enumerate() {
            if t == 0 || column[t] != 0 {
                write!(text, " {}:{}", j + 1, column[t]).unwrap();
            }
        }
        text.push('\n');
    }
    text
}

/// Codes of p variables of so many levels, every other one told by a response of so many
/// classes, less and less.
pub fn made(random: &mut Random, n: usize, p: usize, levels: usize, classes: usize) -> Set {
    let y: Vec<u32> = (0..n).map(|_| random.below(classes) as u32).collect();
    let columns = (0..p).map(|j| {
        let told = if j % 2 == 0 {
            0.8 / (j + 1) as f64
        } else {
            0.0
        };
        let code = |y: &u32| match random.uniform() < told {
            true => y % levels as u32,
            false => random.below(levels) as u32,
        };
        y.iter().map(code).collect()
    });
    let columns = columns.collect();
    Set { columns, y }
}

/// |a − b| within 10⁻⁹, of their size where that is above 1: both add some 10³ terms that are
/// off by some 10⁻¹⁵.
#[track_caller]
pub fn assert_near(a: f64, b: f64, what: &str) {
    let near = (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    assert!(near, "{what}: {a} for {b}");
}

/// The selection is the reference's: order, scores, relevance, redundancy.
#[track_caller]
pub fn assert_same(found: &Selection, expected: &[Pick], what: &str) {
    let order: Vec<usize> = expected.iter().map(|pick| pick.index).collect();
    assert_eq!(found.order(), order, "{what}");
    for (step, (found, expected)) in found.picks.iter().zip(expected).enumerate() {
        let what = format!("{what}, step {step}");
        assert_near(found.score, expected.score, &what);
        assert_near(found.relevance, expected.relevance, &what);
        let [redundancy, of] =
            [found.redundancy, expected.redundancy].map(|value| value.unwrap_or(0.0));
        assert_near(redundancy, of, &what);
    }
}
