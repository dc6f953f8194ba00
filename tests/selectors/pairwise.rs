//! `--missing pairwise`: every table leaves out the observations that miss one of its variables.

use super::{
    pairs::agrees_with,
    problems::Random,
    program::{assert_near, csv, made, pairs, run, select},
    reference::{METHODS, Method, NONE, Reference, Set, TIE},
    support::Folder,
};

const PAIRWISE: &[&str] = &["--response", "y", "--missing", "pairwise"];

/// A set with values missing here and there: of some variables none, of some nearly all.
fn holed(random: &mut Random, mut set: Set) -> Set {
    for column in &mut set.columns {
        let share = [0.0, 0.0, 0.05, 0.3, 0.9, 1.0][random.below(6)];
        for code in column.iter_mut() {
            if random.uniform() < share {
                *code = NONE;
            }
        }
    }
    set
}

/// A set of this seed and size with values missing, and what every method makes of it.
pub fn agrees_on_holes(seed: u64, n: usize, more: &[&str]) {
    let mut random = Random::new(seed);
    let set = made(&mut random, n, 8, 5, 3);
    let set = holed(&mut random, set);
    agrees(&Folder::new(), &set, &format!("seed {seed}"), more);
}

/// Every method always chooses the best by the reference, or what is equal to it: sums over
/// tables of other observations are rounded otherwise, so that which one it is is not told.
fn agrees(folder: &Folder, set: &Set, what: &str, more: &[&str]) {
    folder.write("set.csv", &csv(set, 1));
    let data = folder.path("set.csv");
    let p = set.columns.len();
    let mut reference = Reference::new(set);
    for (method, _, is) in METHODS {
        let mut chosen = Vec::new();
        for pick in select(&data, method, p, more).picks {
            let what = format!("{what} {method}, after {chosen:?}");
            let scores = reference.scores(*is, &chosen);
            let best = scores
                .iter()
                .map(|scored| scored.1)
                .fold(f64::MIN, f64::max);
            let own = scores.iter().find(|score| score.0 == pick.index).unwrap().1;
            assert!(own >= best - TIE, "{what}: {} of {scores:?}", pick.index);
            assert_near(pick.score, own, &what);
            assert_near(pick.relevance, reference.first(*is, pick.index), &what);
            let redundancy = reference.redundancy(pick.index, &chosen);
            assert_eq!(pick.redundancy.is_some(), redundancy.is_some());
            assert_near(
                pick.redundancy.unwrap_or(0.0),
                redundancy.unwrap_or(0.0),
                &what,
            );
            chosen.push(pick.index);
        }
        let left = reference.scores(*is, &chosen);
        let ended =
            matches!(is, Method::Cmi | Method::Fcbf(_)) && left.iter().all(|scored| scored.1 < TIE);
        assert!(ended || left.is_empty(), "{what} {method}: {left:?}");
    }
}

#[test]
fn every_method_agrees_whatever_is_missing() {
    let folder = Folder::new();
    for seed in 0..30 {
        let mut random = Random::new(900 + seed);
        let n = [2, 5, 24, 70, 200, 310][random.below(6)];
        let levels = [2, 3, 8, 9, 40, 300][random.below(6)];
        let (p, classes) = (1 + random.below(9), 1 + random.below(5));
        let set = made(&mut random, n, p, levels, classes);
        let mut set = holed(&mut random, set);
        if seed % 3 == 0 {
            // Rare levels, for sparse columns.
            for (t, code) in set
                .columns
                .iter_mut()
                .flat_map(|column| column.iter_mut().enumerate())
            {
                if t % 15 != 0 && *code != NONE {
                    *code = 0;
                }
            }
        }
        agrees(&folder, &set, &format!("seed {seed}"), PAIRWISE);
    }
}

#[test]
fn every_pair_agrees_whatever_is_missing() {
    let folder = Folder::new();
    for seed in 0..12 {
        let mut random = Random::new(950 + seed);
        let n = [2, 40, 150, 310][random.below(4)];
        let levels = [2, 5, 40, 300][random.below(4)];
        let set = made(&mut random, n, 8, levels, 3);
        let set = holed(&mut random, set);
        agrees_with(&folder, &set, &format!("seed {seed}"), PAIRWISE);
    }
}

#[test]
fn more_cells_than_are_walked_are_counted_all_the_same() {
    // 20,000 levels with 20,000 would be 4·10⁸ cells a class.
    let folder = Folder::new();
    let mut random = Random::new(990);
    let n = 30_000;
    let order = random.order(n);
    let y: Vec<u32> = (0..n).map(|_| random.below(4) as u32).collect();
    let all = |levels: u32| order.iter().map(|t| *t as u32 % levels).collect();
    let told = y.iter().map(|y| (y + u32::from(random.below(3) == 0)) % 4);
    let columns = vec![told.collect(), all(20_000), all(2), all(19_000)];
    let mut set = Set { columns, y };
    for (t, code) in set
        .columns
        .iter_mut()
        .flat_map(|column| column.iter_mut().enumerate())
    {
        if t % 11 == 3 {
            *code = NONE;
        }
    }
    agrees(&folder, &set, "many cells", PAIRWISE);
}

#[test]
fn where_nothing_is_missing_the_bits_are_as_ever() {
    let folder = Folder::new();
    let set = made(&mut Random::new(31), 150, 12, 5, 3);
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    for (method, ..) in METHODS {
        let [refuse, pairwise] = ["refuse", "pairwise"]
            .map(|how| select(&data, method, 12, &["--response", "y", "--missing", how]));
        assert_eq!(refuse.printed, pairwise.printed, "{method}");
        assert_eq!(refuse.order(), pairwise.order(), "{method}");
        assert_eq!(refuse.json["selected"], pairwise.json["selected"]);
    }
    let [refuse, pairwise] = ["refuse", "pairwise"]
        .map(|how| pairs(&data, "mi3", 66, &["--response", "y", "--missing", how]));
    assert_eq!(refuse.printed, pairwise.printed);
}

#[test]
fn variables_without_holes_keep_their_scores_beside_those_with_some() {
    // The hole is in a variable that tells nothing; the others are scored as without it.
    let folder = Folder::new();
    let mut set = made(&mut Random::new(32), 120, 8, 4, 3);
    folder.write("set.csv", &csv(&set, 0));
    let whole = select(&folder.path("set.csv"), "jmi", 8, &["--response", "y"]);
    set.columns.push(vec![NONE; 120]);
    folder.write("set.csv", &csv(&set, 0));
    let holed = select(&folder.path("set.csv"), "jmi", 9, PAIRWISE);
    assert_eq!(holed.printed[..8], whole.printed);
    assert_eq!((holed.picks[8].index, holed.picks[8].score), (8, 0.0));
    assert_eq!(holed.picks[8].redundancy, Some(0.0));
}

#[test]
fn threads_do_not_show() {
    let folder = Folder::new();
    let mut random = Random::new(33);
    let set = made(&mut random, 90, 40, 4, 3);
    let set = holed(&mut random, set);
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    for (method, ..) in METHODS {
        let one = select(&data, method, 40, &[PAIRWISE, &["--threads", "1"]].concat());
        let three = select(&data, method, 40, &[PAIRWISE, &["--threads", "3"]].concat());
        assert_eq!(one.json["selected"], three.json["selected"], "{method}");
    }
    let of = |threads| {
        let more = [PAIRWISE, &["--threads", threads]].concat();
        let found = pairs(&data, "synergy", 500, &more);
        let order: Vec<[usize; 2]> = found.pairs.iter().map(|pair| pair.at).collect();
        (order, found.printed)
    };
    assert_eq!(of("1"), of("3"));
}

#[test]
fn equal_tables_tie_however_many_observations_are_left() {
    // The second has every observation of the first twice as often, in the half it has.
    let first: Vec<u32> = vec![0, 0, 1, 1, 1, 2, NONE, NONE, NONE, NONE, NONE, NONE];
    let second: Vec<u32> = vec![0, 0, 1, 1, 1, 2, 0, 0, 1, 1, 1, 2];
    let half = [0, 1, 0, 1, 1, 1];
    let y = [half, half].concat();
    let folder = Folder::new();
    for columns in [
        vec![first.clone(), second.clone()],
        vec![second.clone(), first.clone()],
    ] {
        let set = Set {
            columns,
            y: y.clone(),
        };
        folder.write("set.csv", &csv(&set, 0));
        let found = select(&folder.path("set.csv"), "mim", 2, PAIRWISE);
        assert_eq!(found.order(), [0, 1]);
        assert_eq!(found.printed[0], found.printed[1]);
    }
}

#[test]
fn what_misses_the_response_is_left_out_at_the_start() {
    let folder = Folder::new();
    let mut random = Random::new(34);
    let set = made(&mut random, 100, 6, 4, 3);
    let mut holed = holed(&mut random, set);
    let few = Set {
        columns: holed
            .columns
            .iter()
            .map(|column| column[9..].to_vec())
            .collect(),
        y: holed.y[9..].to_vec(),
    };
    holed.y[..9].fill(NONE);
    folder.write("few.csv", &csv(&few, 0));
    folder.write("set.csv", &csv(&holed, 0));
    let few = select(&folder.path("few.csv"), "mrmr", 6, PAIRWISE);
    let found = select(&folder.path("set.csv"), "mrmr", 6, PAIRWISE);
    assert_eq!(found.json["selected"], few.json["selected"]);
    assert_eq!(found.json["n"], 91);
    let told = found.json["warnings"].to_string();
    assert!(told.contains("9 of 100 rows were dropped"), "{told}");
    holed.y.fill(NONE);
    folder.write("set.csv", &csv(&holed, 0));
    let data = folder.path("set.csv");
    let none = run(&[
        &["select", data.to_str().unwrap(), "--method", "mim"],
        PAIRWISE,
    ]
    .concat());
    assert_eq!(none.code, Some(2), "{}", none.stderr);
    assert!(none.stderr.contains("`y`"), "{}", none.stderr);
}

#[test]
fn saved_rules_code_new_holes() {
    let folder = Folder::new();
    let mut random = Random::new(35);
    let set = made(&mut random, 60, 5, 4, 2);
    let whole = csv(&set, 0);
    folder.write("set.csv", &whole);
    let data = folder.path("set.csv");
    let report = run(&[
        "select",
        data.to_str().unwrap(),
        "--method",
        "mim",
        "--response",
        "y",
        "--format",
        "json",
        "--binning",
        "levels",
    ]);
    folder.write("report.json", &report.stdout);
    let set = holed(&mut random, set);
    folder.write("set.csv", &csv(&set, 0));
    let edges = format!("edges:{}", folder.path("report.json").display());
    let mut all = vec![
        "select",
        data.to_str().unwrap(),
        "--method",
        "jmi",
        "--top",
        "5",
    ];
    all.extend(["--format", "json", "--binning", &edges]);
    all.extend(PAIRWISE);
    let found = run(&all);
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let json: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let expected = select(&data, "jmi", 5, PAIRWISE);
    for (found, expected) in json["selected"]
        .as_array()
        .unwrap()
        .iter()
        .zip(&expected.picks)
    {
        assert!((found["score"].as_f64().unwrap() - expected.score).abs() < TIE);
        assert_eq!(found["index"], expected.index);
    }
}
