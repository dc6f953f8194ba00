//! The program against the reference, on data of every shape and with every method.

use std::path::Path;

use super::{
    places::methods,
    problems::Random,
    program::{assert_same, csv, select},
    reference::{METHODS, Reference, Set},
    support::Folder,
};

/// One variable of n codes, of a kind drawn from all that matter.
fn column(random: &mut Random, before: &[Vec<u32>], y: &[u32]) -> Vec<u32> {
    let n = y.len();
    let levels = [1, 2, 2, 3, 4, 7, 16, 17, 64, 100, 255, 256, 257, 300][random.below(14)];
    let earlier = before.get(random.below(before.len().max(1)));
    match (random.below(8), earlier) {
        (0, _) => vec![random.below(300) as u32; n],
        (1, Some(earlier)) => earlier.clone(),
        // Other codes, far from 0, in the other order.
        (2, Some(earlier)) => earlier.iter().map(|code| (1 << 20) - 1 - code).collect(),
        (3, _) => {
            let rare = |_| match random.below(10) {
                0 => random.below(levels) as u32,
                _ => 0,
            };
            (0..n).map(rare).collect()
        }
        (4 | 5, _) => {
            let told = random.uniform();
            let code = |y: &u32| match random.uniform() < told {
                true => y % levels as u32,
                false => random.below(levels) as u32,
            };
            y.iter().map(code).collect()
        }
        _ => (0..n).map(|_| random.below(levels) as u32).collect(),
    }
}

/// A set of n observations of up to 12 variables.
fn set(random: &mut Random, n: usize) -> Set {
    let classes = 1 + random.below(12);
    let y: Vec<u32> = (0..n).map(|_| random.below(classes) as u32).collect();
    let mut columns: Vec<Vec<u32>> = Vec::new();
    for _ in 0..1 + random.below(12) {
        columns.push(column(random, &columns, &y));
    }
    Set { columns, y }
}

/// Selectors that are held against a reference elsewhere: `jim` in `family.rs`, whose values are
/// floats, those by nearest observations in `relief.rs`, and those that are no sums of terms in
/// `published.rs`.
const ELSEWHERE: [&str; 11] = [
    "jim", "relief", "relieff", "miq", "nmifs", "mifs-u", "mmifs-u", "dwfs", "iwfs", "ucrfs", "cfs",
];

#[test]
fn every_selector_that_ships_has_a_reference() {
    let name = |method: &str| method.split(':').next().map(str::to_owned);
    let known: Vec<String> = METHODS.iter().filter_map(|method| name(method.0)).collect();
    for method in methods() {
        let has_reference = known.contains(&method) || ELSEWHERE.contains(&&*method);
        assert!(
            has_reference,
            "add {method} to tests/selectors/reference.rs"
        );
    }
}

/// Every method on the set chooses as the reference does, until none is left.
fn agrees(set: &Set, data: &Path, what: &str) {
    let mut reference = Reference::new(set);
    let p = set.columns.len();
    for (method, _, is) in METHODS {
        let expected = reference.select(*is, p);
        let found = select(data, method, p, &["--response", "y"]);
        assert_same(&found, &expected, &format!("{what} {method}"));
    }
}

/// As [`agrees`], of the set of this seed and with these options.
pub fn agrees_with(seed: u64, n: usize, folder: &Folder, more: &[&str]) {
    let mut random = Random::new(seed);
    let set = set(&mut random, n);
    folder.write("set.csv", &csv(&set, random.below(set.columns.len() + 1)));
    let data = folder.path("set.csv");
    let mut reference = Reference::new(&set);
    let p = set.columns.len();
    for (method, _, is) in METHODS {
        let expected = reference.select(*is, p);
        let found = select(&data, method, p, more);
        assert_same(&found, &expected, &format!("seed {seed} {method} {more:?}"));
    }
}

/// The sets of so many seeds, each with the response at another place.
fn agrees_on(seeds: std::ops::Range<u64>, size: impl Fn(&mut Random) -> usize) {
    let folder = Folder::new();
    let data = folder.path("set.csv");
    for seed in seeds {
        let mut random = Random::new(seed);
        let n = size(&mut random);
        let set = set(&mut random, n);
        folder.write("set.csv", &csv(&set, random.below(set.columns.len() + 1)));
        agrees(&set, &data, &format!("seed {seed}"));
    }
}

#[test]
fn every_method_agrees_on_few_observations() {
    agrees_on(0..25, |random| 2 + random.below(23));
}

#[test]
fn every_method_agrees_about_a_word_of_bits() {
    agrees_on(100..115, |random| {
        [31, 32, 33, 63, 64, 65, 127, 128, 129][random.below(9)]
    });
}

#[test]
fn every_method_agrees_about_a_byte_of_levels() {
    agrees_on(200..225, |random| {
        [254, 255, 256, 257, 258, 299, 300][random.below(7)]
    });
}

#[test]
fn more_levels_than_a_byte_has_are_all_told_apart() {
    // 300 levels of 600 observations, of which those from 256 on alone tell the class: a code
    // cut to eight bits would tell nothing.
    let mut random = Random::new(7);
    let levels: Vec<u32> = random.order(600).iter().map(|t| *t as u32 % 300).collect();
    let y: Vec<u32> = levels.iter().map(|code| u32::from(*code >= 256)).collect();
    let noise = (0..600).map(|_| random.below(290) as u32).collect();
    let columns = vec![noise, levels];
    let set = Set { columns, y };
    let folder = Folder::new();
    folder.write("set.csv", &csv(&set, 0));
    let found = select(&folder.path("set.csv"), "mim", 1, &["--response", "y"]);
    assert_eq!(found.order(), [1]);
    agrees(&set, &folder.path("set.csv"), "300 levels");
}

#[test]
fn as_many_levels_as_there_are_codes_are_all_told_apart() {
    // A cell for each combination would be 1.3·10¹⁰ of them, and anchor and class together
    // have more levels than a code has.
    let mut random = Random::new(8);
    let n = 66_000;
    let order = random.order(n);
    let y: Vec<u32> = (0..n).map(|_| random.below(5) as u32).collect();
    let all = |levels: u32| order.iter().map(|t| *t as u32 % levels).collect();
    let told = y.iter().map(|y| (y + u32::from(random.below(3) == 0)) % 5);
    let columns = vec![told.collect(), all(2), all(65_536), all(40_000)];
    let set = Set { columns, y };
    let folder = Folder::new();
    folder.write("set.csv", &csv(&set, 2));
    agrees(&set, &folder.path("set.csv"), "65,536 levels");
}

#[test]
fn every_method_agrees_on_the_example_that_ships() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/breast_cancer.csv.gz");
    let table = passel::table::read(&data, &Default::default()).unwrap();
    let codes = |name: &str| match &table.columns[table.position(name).unwrap()].values {
        passel::table::Values::Numbers(values) => values.iter().map(|v| *v as u32).collect(),
        _ => panic!("{name} is no list of numbers"),
    };
    let set = Set {
        columns: (0..30).map(|j| codes(&format!("f{j}"))).collect(),
        y: codes("class"),
    };
    let mut reference = Reference::new(&set);
    for (method, _, is) in METHODS {
        let expected = reference.select(*is, 30);
        let found = select(&data, method, 30, &["--response", "class"]);
        assert_same(&found, &expected, method);
    }
}
