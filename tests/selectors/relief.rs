//! `relief` against FEAST's golden weights, `relieff` against its definition, and what must hold
//! for any data.

use std::path::Path;

use super::{
    golden::{Place, indices, on_sets, read},
    problems::Random,
    program::{Selection, assert_near, run, select},
    support::Folder,
};

const RESPONSE: &[&str] = &["--response", "y"];

/// Numbers and classes.
#[derive(Clone)]
struct Numbers {
    columns: Vec<Vec<f64>>,
    /// So many columns, the first, are texts: the numbers are of names.
    texts: usize,
    y: Vec<u32>,
}

impl Numbers {
    /// Variables `x0`, `x1`, …, then the response `y`.
    fn csv(&self) -> String {
        let names: Vec<String> = (0..self.columns.len()).map(|j| format!("x{j}")).collect();
        let mut text = names.join(",") + ",y\n";
        for (t, y) in self.y.iter().enumerate() {
            let value = |(j, x): (usize, &Vec<f64>)| match j < self.texts {
                true => format!("name {}", x[t]),
                false => x[t].to_string(),
            };
            let row = self.columns.iter().enumerate().map(value);
            text += &format!("{},c{y}\n", row.collect::<Vec<_>>().join(","));
        }
        text
    }

    fn ranges(&self) -> Vec<f64> {
        let range = |x: &Vec<f64>| {
            let most = x.iter().copied().fold(f64::MIN, f64::max);
            most - x.iter().copied().fold(f64::MAX, f64::min)
        };
        self.columns.iter().map(range).collect()
    }

    /// Kononenko's definition, all observations in the middle in turn.
    fn relieff(&self, k: usize) -> Vec<f64> {
        let (n, p) = (self.y.len(), self.columns.len());
        let ranges = self.ranges();
        let diff = |j: usize, a: usize, b: usize| match ranges[j] {
            0.0 => 0.0,
            _ if j < self.texts => f64::from(u8::from(self.columns[j][a] != self.columns[j][b])),
            range => (self.columns[j][a] - self.columns[j][b]).abs() / range,
        };
        let classes = 1 + *self.y.iter().max().unwrap();
        let share = |class| self.y.iter().filter(|y| **y == class).count() as f64 / n as f64;
        let mut weights = vec![0.0; p];
        for a in 0..n {
            for class in 0..classes {
                let members = (0..n).filter(|b| *b != a && self.y[*b] == class);
                // To nine digits, so that rounding does not part what is equally far.
                let far = |b: usize| (0..p).map(|j| diff(j, a, b)).sum::<f64>();
                let mut near: Vec<(i64, usize)> = members
                    .map(|b| ((far(b) * 1e9).round() as i64, b))
                    .collect();
                near.sort_unstable();
                near.truncate(k);
                let factor = match class == self.y[a] {
                    true => -1.0,
                    false => share(class) / (1.0 - share(self.y[a])),
                };
                for (j, weight) in weights.iter_mut().enumerate() {
                    let sum: f64 = near.iter().map(|other| diff(j, a, other.1)).sum();
                    *weight += factor * sum / near.len().max(1) as f64 / n as f64;
                }
            }
        }
        weights
    }
}

/// The largest first; of those as good as equal the lowest.
fn order(weights: &[f64]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..weights.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let most = left.iter().map(|at| weights[*at]).fold(f64::MIN, f64::max);
        let first = left.iter().position(|at| weights[*at] > most - 1e-11);
        order.push(left.remove(first.unwrap()));
    }
    order
}

#[track_caller]
fn assert_weights(found: &Selection, weights: &[f64], what: &str) {
    assert_eq!(found.order(), order(weights), "{what}");
    for pick in &found.picks {
        let what = format!("{what} {}", pick.name);
        assert_near(pick.score, weights[pick.index], &what);
    }
}

/// Columns of whole numbers, of fractions, of few values, copies and constants.
fn drawn(random: &mut Random, n: usize, classes: usize) -> Numbers {
    let y: Vec<u32> = (0..n).map(|t| (t % classes) as u32).collect();
    let order = random.order(n);
    let y: Vec<u32> = order.iter().map(|t| y[*t]).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for kind in 0..9 {
        let numbers = y.iter().map(|y| match kind % 3 {
            0 => (random.below(7) + *y as usize) as f64,
            1 => random.normal() * 3.0 + f64::from(*y),
            _ => random.below(2) as f64 * 0.25 - 1e3,
        });
        columns.push(numbers.collect());
    }
    columns.push(vec![4.5; n]);
    columns.push(columns[1].clone());
    Numbers {
        columns,
        texts: 0,
        y,
    }
}

fn golden_agrees(place: Place, name: &str) {
    let golden = read(place, name, "golden");
    let relief = &golden.answers["relief"];
    let weights: Vec<Option<f64>> = relief["weights"]
        .as_array()
        .unwrap()
        .iter()
        .map(|weight| weight.as_f64())
        .collect();
    // A constant has none there, and comes first.
    let known: Vec<f64> = weights.iter().map(|weight| weight.unwrap_or(0.0)).collect();
    let p = known.len();
    let found = select(&golden.data, "relief", p, &["--response", "class"]);
    assert_weights(&found, &known, name);
    let told = |at: &usize| weights[*at].is_some();
    let theirs = indices(&relief["order"]);
    let ours = found.order().into_iter().filter(told);
    for (our, their) in ours.zip(theirs.into_iter().filter(told)) {
        // Theirs are parted by rounding where they tie.
        assert!((known[our] - known[their]).abs() < 1e-12, "{name}");
    }
}

on_sets!(relief_has_the_golden_weights, golden_agrees; breast_cancer simulated;
    shared: iris wine breast_cancer digits synth200);

#[test]
fn relieff_is_its_definition() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let classes = 2 + random.below(4);
        // More than a block of them, and classes of fewer than are asked for.
        let n = classes + random.below(80);
        let mut set = drawn(&mut random, n, classes);
        // Every kind, and texts beside numbers.
        set.texts = seed as usize % 5;
        if seed % 3 == 0 {
            // Whole numbers alone: crowds are equally far.
            set.columns
                .retain(|x| x.iter().all(|number| number.fract() == 0.0));
        }
        folder.write("set.csv", &set.csv());
        let p = set.columns.len();
        for k in [1, 3, 10, 100] {
            let method = format!("relieff:neighbours={k}");
            let found = select(&data, &method, p, RESPONSE);
            assert_weights(&found, &set.relieff(k), &format!("seed {seed} k {k}"));
        }
    }
}

/// Both methods on a set.
fn both(data: &Path, top: usize, more: &[&str]) -> [Selection; 2] {
    let more = [RESPONSE, more].concat();
    ["relief", "relieff:neighbours=4"].map(|method| select(data, method, top, &more))
}

#[test]
fn threads_do_not_show_and_fewer_are_the_first_of_more() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    folder.write("set.csv", &drawn(&mut Random::new(1), 170, 3).csv());
    let one = both(&data, 11, &["--threads", "1"]);
    for (top, threads) in [(11, "2"), (11, "3"), (4, "3")] {
        let many = both(&data, top, &["--threads", threads]);
        for (one, many) in one.iter().zip(many) {
            assert_eq!(one.order()[..top], many.order());
            assert_eq!(one.printed[..top], many.printed);
            assert_eq!(many.json["termination"], "done");
        }
    }
}

#[test]
fn copies_tie_and_constants_are_worth_nothing() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    folder.write("set.csv", &drawn(&mut Random::new(2), 90, 3).csv());
    for found in both(&data, 11, &[]) {
        let place = |column| found.order().iter().position(|own| *own == column).unwrap();
        // x10 is x1 again, x9 is constant.
        assert_eq!(place(10), place(1) + 1);
        assert_eq!(found.printed[place(10)], found.printed[place(1)]);
        assert_eq!(found.picks[place(9)].score, 0.0);
        assert!(found.picks[0].score > 0.0);
    }
}

#[test]
fn neither_scale_nor_rows_nor_columns_nor_names_of_classes_change_relieff() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    let mut random = Random::new(4);
    // Normal numbers, so that none are equally far: of those the earlier row is nearer.
    let y: Vec<u32> = (0..120).map(|_| random.below(3) as u32).collect();
    let column = |j: usize, random: &mut Random| {
        y.iter()
            .map(|y| random.normal() + f64::from(*y) / (j + 1) as f64)
            .collect()
    };
    let columns = (0..7).map(|j| column(j, &mut random)).collect();
    let set = Numbers {
        texts: 0,
        columns,
        y: y.clone(),
    };
    let weights = set.relieff(4);
    let rows = random.order(120);
    let mut permuted = set.clone();
    for x in &mut permuted.columns {
        *x = rows.iter().map(|t| x[*t]).collect();
    }
    permuted.y = rows.iter().map(|t| y[*t]).collect();
    let mut scaled = set.clone();
    for (j, x) in scaled.columns.iter_mut().enumerate() {
        x.iter_mut()
            .for_each(|value| *value = *value * -10f64.powi(j as i32 - 3) + 5.0);
    }
    let mut renamed = set.clone();
    renamed.y.iter_mut().for_each(|y| *y = 2 - *y);
    let mut reversed = set.clone();
    reversed.columns.reverse();
    for other in [&set, &permuted, &scaled, &renamed, &reversed] {
        folder.write("set.csv", &other.csv());
        let found = select(&data, "relieff:neighbours=4", 7, RESPONSE);
        for pick in &found.picks {
            let at = match std::ptr::eq(other, &reversed) {
                true => 6 - pick.index,
                false => pick.index,
            };
            assert_near(pick.score, weights[at], &pick.name);
        }
    }
}

#[test]
fn samples_are_drawn_by_the_seed_and_all_of_them_are_all() {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    folder.write("set.csv", &drawn(&mut Random::new(6), 150, 2).csv());
    let printed = |method: &str, seed: &str| {
        let more = [RESPONSE, &["--seed", seed]].concat();
        select(&data, method, 11, &more).printed
    };
    let all = printed("relieff", "1");
    assert_eq!(printed("relieff:samples=150", "2"), all);
    assert_eq!(printed("relieff:samples=1000", "3"), all);
    let some = printed("relieff:samples=40", "1");
    assert_eq!(printed("relieff:samples=40", "1"), some);
    assert_ne!(some, all);
    assert_ne!(printed("relieff:samples=40", "2"), some);
}

#[test]
fn what_cannot_be_ranked_is_one_line() {
    let folder = Folder::new();
    let gap = "a,b,y\n1,2,u\n2,,v\n3,1,u\n4,4,v\n";
    folder.write("gap.csv", gap);
    folder.write("one.csv", &gap.replace('v', "u").replace(",,", ",7,"));
    let refused = |method: &str, file: &str| {
        let data = folder.path(file);
        let data = data.to_str().unwrap();
        let arguments = ["select", data, "--response", "y", "--method", method];
        let ran = run(&[&arguments[..], &["--top", "2", "--missing", "level"]].concat());
        assert_ne!(ran.code, Some(0));
        assert_eq!(ran.stderr.trim().lines().count(), 1, "{}", ran.stderr);
        ran.stderr
    };
    for method in ["relief", "relieff"] {
        let told = refused(method, "gap.csv");
        assert!(told.contains("candidate 2 of 2 has missing"), "{told}");
        let told = refused(method, "one.csv");
        assert!(told.contains("one level"), "{told}");
    }
    let told = refused("relieff:neighbours=1.5", "gap.csv");
    assert!(told.contains("whole number"), "{told}");
}

#[test]
fn a_job_file_asks_for_it() {
    let folder = Folder::new();
    folder.write("set.csv", &drawn(&mut Random::new(8), 60, 2).csv());
    let job = "[[job]]\nname = \"near\"\ndata = \"set.csv\"\nresponse = \"y\"\nmethod = \"relieff:neighbours=3,samples=30\"\n\
               top = 5\nseed = 4\nformat = \"json\"\nbinning = \"levels\"\n";
    folder.write("job.toml", job);
    let ran = folder.run(&["run", "job.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let method = "relieff:neighbours=3,samples=30";
    let more = [RESPONSE, &["--seed", "4"]].concat();
    let found = select(&folder.path("set.csv"), method, 5, &more);
    let stored = folder.read("job-results/near.json");
    let json: serde_json::Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(json["result"]["selected"], found.json["selected"]);
    assert_eq!(json["result"]["method"]["neighbours"], 3.0);
}
