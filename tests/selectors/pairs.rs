//! `passel pairs` against the reference.

use super::{
    problems::Random,
    program::{Pair, assert_near, csv, made, pairs},
    reference::{Reference, Set},
    support::Folder,
};

const RESPONSE: &[&str] = &["--response", "y"];

fn places(pairs: &[Pair]) -> Vec<[usize; 2]> {
    pairs.iter().map(|pair| pair.at).collect()
}

/// Variables and pairs of a set are the reference's.
fn agrees(folder: &Folder, set: &Set, what: &str) {
    agrees_with(folder, set, what, RESPONSE);
}

/// The same with these options.
pub fn agrees_with(folder: &Folder, set: &Set, what: &str, more: &[&str]) {
    folder.write("set.csv", &csv(set, 0));
    let p = set.columns.len();
    let reference = Reference::new(set);
    let count = p * (p - 1) / 2;
    let found = pairs(&folder.path("set.csv"), "mi3", count, more);
    assert_eq!(found.single.len(), p, "{what}");
    for (j, (name, index, score)) in found.single.iter().enumerate() {
        assert_eq!((name.as_str(), *index), (format!("x{j}").as_str(), j));
        assert_near(*score, reference.relevance(j), what);
    }
    let mut met = places(&found.pairs);
    met.sort_unstable();
    met.dedup();
    assert_eq!(met.len(), count, "{what}: every pair once");
    for pair in &found.pairs {
        let [a, b] = pair.at;
        assert_eq!(pair.names, [a, b].map(|j| format!("x{j}")));
        let together = reference.three_variate(a, b);
        assert_near(pair.score, together, what);
        assert_near(pair.synergy, reference.synergy(a, b), what);
    }
    for two in found.pairs.windows(2) {
        let [a, b] = [&two[0], &two[1]];
        let right = a.score > b.score || (a.score == b.score && a.at < b.at);
        assert!(right, "{what}: {a:?} before {b:?}");
    }
}

#[test]
fn every_pair_is_the_references() {
    let folder = Folder::new();
    for (seed, (n, levels, classes)) in [
        (2, 2, 2),
        (3, 3, 2),
        (33, 2, 2),
        (64, 2, 3),
        (65, 3, 1),
        (200, 4, 5),
        (300, 17, 12),
        (300, 40, 2),
        (300, 280, 7),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = Random::new(seed as u64);
        let mut set = made(&mut random, n, 9, levels, classes);
        set.columns[3] = set.columns[0].clone();
        set.columns[5].fill(1);
        agrees(&folder, &set, &format!("n {n}, {levels} levels"));
    }
}

#[test]
fn pairs_of_unequal_levels_are_the_references() {
    let folder = Folder::new();
    let mut random = Random::new(20);
    let y: Vec<u32> = (0..270).map(|_| random.below(3) as u32).collect();
    let levels = [2, 270, 3, 257, 8, 2, 33, 32, 31];
    let column = |levels: usize| {
        (0..270)
            .map(|t| ((t * t + t / 7) % levels) as u32)
            .collect()
    };
    let columns = levels.map(column).to_vec();
    agrees(&folder, &Set { columns, y }, "unequal levels");
}

#[test]
fn an_exclusive_or_is_the_best_pair_and_all_of_it_is_synergy() {
    let folder = Folder::new();
    let mut random = Random::new(21);
    let mut set = made(&mut random, 400, 20, 2, 2);
    set.columns[4] = (0..400).map(|t| t % 2).collect();
    set.columns[13] = (0..400).map(|t| t / 2 % 2).collect();
    let xor = |t: usize| set.columns[4][t] ^ set.columns[13][t];
    set.y = (0..400).map(xor).collect();
    folder.write("set.csv", &csv(&set, 0));
    for score in ["mi3", "synergy"] {
        let found = pairs(&folder.path("set.csv"), score, 1, RESPONSE);
        assert_eq!(places(&found.pairs), [[4, 13]]);
        assert_near(found.pairs[0].score, 2_f64.ln(), score);
        assert_near(found.pairs[0].synergy, 2_f64.ln(), score);
        assert_eq!(found.single[4].2, 0.0);
    }
}

#[test]
fn the_best_pairs_are_the_first_of_all() {
    let folder = Folder::new();
    let mut set = made(&mut Random::new(22), 80, 30, 3, 3);
    // Ties across the end of the list.
    for j in 0..30 {
        set.columns[j] = set.columns[j % 6].clone();
    }
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    for score in ["mi3", "synergy"] {
        let all = pairs(&data, score, 435, RESPONSE);
        for top in [1, 2, 7, 100, 434] {
            let found = pairs(&data, score, top, RESPONSE);
            assert_eq!(places(&found.pairs), places(&all.pairs)[..top], "{score}");
            assert_eq!(found.printed, all.printed[..30 + top], "{score}");
        }
    }
}

#[test]
fn a_threshold_keeps_the_pairs_above_it() {
    let folder = Folder::new();
    let set = made(&mut Random::new(23), 80, 12, 3, 3);
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    let all = pairs(&data, "mi3", 66, RESPONSE);
    // Between two scores, so that it does not matter whether one equal to it stays.
    let kept = all
        .pairs
        .windows(2)
        .position(|two| two[0].score > two[1].score + 1e-6);
    let kept = 1 + kept.unwrap();
    let between = 0.5 * (all.pairs[kept - 1].score + all.pairs[kept].score);
    let between = between.to_string();
    let more = [RESPONSE, &["--threshold", &between]].concat();
    let found = pairs(&data, "mi3", 66, &more);
    assert_eq!(places(&found.pairs), places(&all.pairs)[..kept]);
    assert_eq!(
        found.single.len(),
        12,
        "every variable is told all the same"
    );
}

#[test]
fn the_matrix_has_every_pair_twice() {
    let folder = Folder::new();
    let set = made(&mut Random::new(24), 60, 11, 3, 3);
    folder.write("set.csv", &csv(&set, 0));
    let path = folder.path("matrix.npy");
    for score in ["mi3", "synergy"] {
        let more = [RESPONSE, &["--matrix", path.to_str().unwrap()]].concat();
        let found = pairs(&folder.path("set.csv"), score, 55, &more);
        assert_eq!(found.pairs.len(), 55);
        let matrix = passel::table::read(&path, &Default::default()).unwrap();
        assert_eq!((matrix.rows, matrix.columns.len()), (11, 11));
        let entry = |a: usize, b: usize| match &matrix.columns[a].values {
            passel::table::Values::Numbers(values) => values[b],
            _ => panic!("no list of numbers"),
        };
        for pair in &found.pairs {
            let [a, b] = pair.at;
            assert_near(entry(a, b), pair.score, score);
            assert_eq!(entry(a, b), entry(b, a));
        }
    }
}
