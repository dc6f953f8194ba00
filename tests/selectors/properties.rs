//! What must hold for any data, without knowing the answer.

use super::{
    problems::Random,
    program::{Selection, assert_same, csv, libsvm, made, pairs, run, select},
    reference::{METHODS, Reference, Set, TIE, joint_entropy},
    support::Folder,
};

const RESPONSE: &[&str] = &["--response", "y"];

/// Every method on a set, written as CSV.
fn selections(folder: &Folder, set: &Set, k: usize, more: &[&str]) -> Vec<Selection> {
    folder.write("set.csv", &csv(set, 1));
    let data = folder.path("set.csv");
    let arguments = [RESPONSE, more].concat();
    let one = |method: &(&str, &str, _)| select(&data, method.0, k, &arguments);
    METHODS.iter().map(one).collect()
}

/// Order and scores are the same, to the last digit printed.
#[track_caller]
fn assert_identical(a: &[Selection], b: &[Selection]) {
    for ((method, ..), (a, b)) in METHODS.iter().zip(a.iter().zip(b)) {
        assert_eq!(a.order(), b.order(), "{method}");
        assert_eq!(a.printed, b.printed, "{method}");
    }
}

#[test]
fn permuting_observations_changes_nothing() {
    let folder = Folder::new();
    let mut random = Random::new(1);
    let set = made(&mut random, 203, 12, 5, 3);
    let order = random.order(203);
    let permute = |codes: &Vec<u32>| order.iter().map(|t| codes[*t]).collect::<Vec<u32>>();
    let permuted = Set {
        columns: set.columns.iter().map(permute).collect(),
        y: permute(&set.y),
    };
    let [a, b] = [&set, &permuted].map(|set| selections(&folder, set, 12, &[]));
    assert_identical(&a, &b);
}

#[test]
fn permuting_variables_permutes_the_answer() {
    let folder = Folder::new();
    let mut random = Random::new(2);
    let set = made(&mut random, 211, 11, 3, 3);
    let order = random.order(11);
    let permuted = Set {
        columns: order.iter().map(|j| set.columns[*j].clone()).collect(),
        y: set.y.clone(),
    };
    let mut reference = Reference::new(&set);
    let [a, b] = [&set, &permuted].map(|set| selections(&folder, set, 6, &[]));
    for ((method, _, is), (a, b)) in METHODS.iter().zip(a.iter().zip(&b)) {
        let untied = reference.select(*is, 6).iter().all(|pick| pick.tied == 1);
        assert!(
            untied,
            "{method}: the data have ties, and their order decides"
        );
        let back: Vec<usize> = b.order().iter().map(|j| order[*j]).collect();
        assert_eq!(a.order(), back, "{method}");
        assert_eq!(a.printed, b.printed, "{method}");
    }
}

#[test]
fn other_names_of_the_levels_change_nothing() {
    let folder = Folder::new();
    let mut random = Random::new(3);
    let set = made(&mut random, 150, 10, 6, 4);
    let plain = selections(&folder, &set, 10, &[]);
    // Each variable and the response by its own one-to-one map, far apart and out of order.
    let rename = |codes: &Vec<u32>, by: u32| codes.iter().map(|c| c * by % 101 * 1_009).collect();
    let numbered = Set {
        columns: (7..)
            .zip(&set.columns)
            .map(|(by, codes)| rename(codes, by))
            .collect(),
        y: rename(&set.y, 55),
    };
    assert_identical(&plain, &selections(&folder, &numbered, 10, &[]));
    // Text, and integers below zero.
    let text: Vec<String> = csv(&set, 0)
        .lines()
        .enumerate()
        .map(|(t, line)| match (t, line.split_once(',').unwrap()) {
            (0, _) => line.to_owned(),
            (_, (y, rest)) => format!("class {y},-{}", rest.replace(',', ",-")),
        })
        .collect();
    folder.write("set.csv", &text.join("\n"));
    let data = folder.path("set.csv");
    let one = |method: &(&str, &str, _)| select(&data, method.0, 10, RESPONSE);
    assert_identical(&plain, &METHODS.iter().map(one).collect::<Vec<_>>());
}

#[test]
fn information_is_symmetric_and_at_most_either_entropy() {
    let folder = Folder::new();
    let mut random = Random::new(4);
    let Set { columns, y } = made(&mut random, 97, 5, 7, 4);
    let all = [&columns[..], &[y]].concat();
    let of = |x: usize, y: usize| {
        let [x, y] = [x, y].map(|j| all[j].clone());
        folder.write(
            "set.csv",
            &csv(
                &Set {
                    columns: vec![x],
                    y,
                },
                0,
            ),
        );
        let found = select(&folder.path("set.csv"), "mim", 1, RESPONSE);
        (found.printed[0].clone(), found.picks[0].score)
    };
    for (a, codes) in all.iter().enumerate() {
        let of_itself = of(a, a).1;
        assert!(
            (of_itself - joint_entropy(&[codes])).abs() < 1e-12,
            "H({a})"
        );
        for b in 0..a {
            assert_eq!(of(a, b), of(b, a));
            let score = of(a, b).1;
            assert!((0.0..=of_itself.min(of(b, b).1)).contains(&score));
        }
    }
}

#[test]
fn sparse_files_equal_dense_ones() {
    let folder = Folder::new();
    let mut random = Random::new(5);
    let mut set = made(&mut random, 400, 40, 4, 5);
    for column in &mut set.columns {
        let rare = random.uniform();
        for code in column {
            *code *= u32::from(random.uniform() < rare * rare);
        }
    }
    // A variable of zeros alone, one without any, a last one that a late line names.
    set.columns[7].fill(0);
    set.columns[9].fill(2);
    set.columns[39][399] = 3;
    let dense = selections(&folder, &set, 25, &[]);
    folder.write("set.libsvm", &libsvm(&set));
    let data = folder.path("set.libsvm");
    let one = |method: &(&str, &str, _)| select(&data, method.0, 25, &[]);
    let sparse: Vec<Selection> = METHODS.iter().map(one).collect();
    assert_identical(&dense, &sparse);
    assert!(sparse.iter().all(|selection| selection.json["p"] == 40));
    let [a, b] = [("set.csv", RESPONSE), ("set.libsvm", &[])]
        .map(|(name, more)| pairs(&folder.path(name), "mi3", 780, more));
    assert_eq!(a.printed, b.printed);
}

#[test]
fn threads_do_not_show() {
    let folder = Folder::new();
    let mut random = Random::new(6);
    let mut set = made(&mut random, 130, 90, 9, 6);
    // Ties on either side of wherever the columns are split.
    for j in 1..90 {
        if j % 3 == 0 {
            set.columns[j] = set.columns[j / 3].clone();
        }
    }
    let one = selections(&folder, &set, 40, &["--threads", "1"]);
    let of_pairs = |threads: &str| {
        let more = [RESPONSE, &["--threads", threads]].concat();
        let found = pairs(&folder.path("set.csv"), "synergy", 500, &more);
        let order: Vec<[usize; 2]> = found.pairs.iter().map(|pair| pair.at).collect();
        (order, found.printed)
    };
    for threads in ["2", "3"] {
        let many = selections(&folder, &set, 40, &["--threads", threads]);
        assert_identical(&one, &many);
        assert_eq!(of_pairs("1"), of_pairs(threads));
    }
}

#[test]
fn counts_above_46341_do_not_overflow() {
    // Products of two margins pass 2³¹, and even 2³², where few levels share 100,000
    // observations.
    let folder = Folder::new();
    let mut random = Random::new(7);
    let n = 100_000;
    let mut set = made(&mut random, n, 4, 2, 2);
    let rare = |_| u32::from(random.below(5_000) == 0);
    set.columns.push((0..n).map(rare).collect());
    set.columns.push(vec![1; n]);
    let rare_class = set
        .y
        .iter()
        .map(|y| u32::from(y + random.below(40) as u32 == 0));
    set.y = rare_class.collect();
    let largest = set.y.iter().filter(|y| **y == 0).count();
    assert!(largest > 65_536 && largest < n);
    let found = selections(&folder, &set, 6, &[]);
    let mut reference = Reference::new(&set);
    for ((method, _, is), found) in METHODS.iter().zip(&found) {
        assert_same(found, &reference.select(*is, 6), method);
    }
    let found = pairs(&folder.path("set.csv"), "mi3", 15, RESPONSE);
    for pair in &found.pairs {
        let [a, b] = pair.at;
        assert!((pair.score - reference.three_variate(a, b)).abs() < TIE);
    }
}

#[test]
fn relevance_never_rises_down_the_ranking() {
    let folder = Folder::new();
    let set = made(&mut Random::new(8), 90, 30, 6, 3);
    folder.write("set.csv", &csv(&set, 4));
    let found = select(&folder.path("set.csv"), "mim", 30, RESPONSE);
    let ranks = found.picks.windows(2);
    assert!({ ranks }.all(|two| two[0].score >= two[1].score));
    assert!(found.picks.iter().all(|pick| pick.score == pick.relevance));
    let mut order = found.order();
    order.sort_unstable();
    assert_eq!(order, (0..30).collect::<Vec<_>>());
}

#[test]
fn fewer_choices_are_the_first_of_more() {
    let folder = Folder::new();
    let set = made(&mut Random::new(9), 120, 15, 4, 3);
    let [few, many] = [4, 15].map(|k| selections(&folder, &set, k, &[]));
    for ((method, ..), (few, many)) in METHODS.iter().zip(few.iter().zip(&many)) {
        let shared = few.printed.len();
        assert!(shared == 4 || shared == many.printed.len(), "{method}");
        assert_eq!(few.order(), many.order()[..shared], "{method}");
        assert_eq!(few.printed, many.printed[..shared], "{method}");
    }
}

#[test]
fn the_answer_says_which_method_made_it() {
    let folder = Folder::new();
    let set = made(&mut Random::new(10), 40, 3, 3, 2);
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    let method = |name: &str| select(&data, name, 2, RESPONSE).json["method"].clone();
    for (told, ..) in METHODS {
        let (name, given) = told.split_once(':').unwrap_or((told, ""));
        let method = method(told);
        assert_eq!(method["name"], name);
        for (key, value) in given
            .split(',')
            .filter_map(|parameter| parameter.split_once('='))
        {
            let value: f64 = value.parse().unwrap();
            assert_eq!(method[key].as_f64(), Some(value), "{told}");
        }
    }
    let plain = run(&[
        "select",
        data.to_str().unwrap(),
        "--method",
        "jmi",
        "--top",
        "2",
        "--response",
        "y",
    ]);
    assert_eq!(plain.code, Some(0), "{}", plain.stderr);
    for (j, name) in ["x0", "x1", "x2"].iter().enumerate() {
        let chosen = select(&data, "jmi", 2, RESPONSE).order().contains(&j);
        assert!(!chosen || plain.stdout.contains(name), "{}", plain.stdout);
    }
}
