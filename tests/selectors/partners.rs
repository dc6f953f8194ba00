//! The best partner of every variable: `passel pairs --partners`.

use super::{
    problems::Random,
    program::{Pairs, assert_near, csv, made, pairs, run},
    reference::{NONE, Reference, Set},
    support::Folder,
};

const PARTNERS: &[&str] = &["--response", "y", "--partners"];
const PAIRWISE: &[&str] = &["--missing", "pairwise"];

/// Partners as numbers, scores as they are printed: whatever two reports must agree on.
fn told(found: &Pairs) -> (Vec<[usize; 2]>, Vec<String>) {
    let all = found.partners.as_ref().unwrap().iter();
    let places = all.map(|pair| pair.as_ref().unwrap().at).collect();
    let before = found.single.len() + found.pairs.len();
    (places, found.printed[before..].to_vec())
}

/// Every variable has the partner that the reference finds, and with every pair told the first
/// of these that it is in.
fn agrees(folder: &Folder, set: &Set, what: &str) {
    folder.write("set.csv", &csv(set, 1));
    let data = folder.path("set.csv");
    let p = set.columns.len();
    let reference = Reference::new(set);
    for (score, of) in [
        ("mi3", &|a, b| reference.three_variate(a, b)),
        ("synergy", &|a, b| reference.synergy(a, b)),
    ] as [(&str, &dyn Fn(usize, usize) -> f64); 2]
    {
        let more = [PARTNERS, PAIRWISE].concat();
        let all = pairs(&data, score, p * (p - 1) / 2, &more);
        let partners = all.partners.as_ref().unwrap();
        assert_eq!(partners.len(), p, "{what}");
        for (x, own) in partners.iter().enumerate() {
            let own = own.as_ref().unwrap();
            let [at, other] = own.at;
            assert_eq!(at, x, "{what}: in the order of the file");
            assert_eq!(own.names, [x, other].map(|j| format!("x{j}")));
            let others = (0..p).filter(|w| *w != x);
            let best = others.map(|w| of(x.min(w), x.max(w)));
            assert_near(own.score, best.fold(f64::NEG_INFINITY, f64::max), what);
            let [a, b] = [x.min(other), x.max(other)];
            assert_near(own.score, of(a, b), what);
            assert_near(own.synergy, reference.synergy(a, b), what);
            let first = all.pairs.iter().find(|pair| pair.at.contains(&x)).unwrap();
            assert_eq!(first.at, [a, b], "{what}: of equal scores the first");
            assert_eq!((first.score, first.synergy), (own.score, own.synergy));
        }
        // Whatever pairs are told, by however many threads, and whether the matrix is.
        let matrix = folder.path("matrix.npy");
        for more in [
            &["--threads", "1"][..],
            &["--threads", "3"],
            &["--threshold", "1e9"],
            &["--matrix", matrix.to_str().unwrap()],
        ] {
            let few = pairs(&data, score, 1, &[PARTNERS, PAIRWISE, more].concat());
            assert_eq!(few.pairs.len(), usize::from(more[0] != "--threshold"));
            assert_eq!(told(&few), told(&all), "{what}, {more:?}");
        }
    }
}

#[test]
fn every_partner_is_the_references() {
    let folder = Folder::new();
    for (seed, (n, levels, classes)) in [
        (3, 2, 2),
        (65, 3, 1),
        (200, 4, 5),
        (300, 40, 2),
        (300, 280, 7),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = Random::new(60 + seed as u64);
        let mut set = made(&mut random, n, 12, levels, classes);
        // Ties, also of all that a variable has.
        set.columns[3] = set.columns[0].clone();
        set.columns[8] = set.columns[0].clone();
        set.columns[5].fill(1);
        set.columns[11].fill(0);
        agrees(&folder, &set, &format!("n {n}, {levels} levels"));
    }
}

#[test]
fn partners_of_variables_that_miss_values_are_the_references() {
    let folder = Folder::new();
    let mut random = Random::new(70);
    let mut set = made(&mut random, 90, 9, 3, 2);
    for (j, column) in set.columns.iter_mut().enumerate().step_by(2) {
        column
            .iter_mut()
            .step_by(3 + j)
            .for_each(|code| *code = NONE);
    }
    set.columns[7] = set.columns[2].clone();
    // It has no observation with any other, and partners all the same.
    set.columns[1].fill(NONE);
    agrees(&folder, &set, "missing values");
}

/// Two variables that tell of the response only together, and one that is theirs.
fn set() -> Set {
    let code = |by: u32| (0..40).map(|t| t / by % 2).collect::<Vec<u32>>();
    let (a, b) = (code(1), code(2));
    let y = a.iter().zip(&b).map(|(a, b)| a ^ b).collect();
    Set {
        columns: vec![vec![0; 40], b, a],
        y,
    }
}

#[test]
fn partners_are_told_in_every_form_and_only_where_asked_for() {
    let folder = Folder::new();
    folder.write("set.csv", &csv(&set(), 0));
    let data = folder.path("set.csv");
    let asked = |more: &[&str]| {
        let all = ["pairs", data.to_str().unwrap(), "--response", "y"];
        let ran = run(&[&all, &["--score", "synergy", "--top", "1"], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    let without = [&["--format", "json"][..], &["--format", "csv"], &[]].map(asked);
    assert!(without.iter().all(|text| !text.contains("partner")));
    let rows = asked(&["--partners", "--format", "csv"]);
    let mut lines = rows.lines();
    let head = "a,a_index,b,b_index,score,synergy,p_value,\
                partner,partner_index,partner_score,partner_synergy";
    assert_eq!(lines.next(), Some(head));
    let fields: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert!(fields.iter().all(|row| row.len() == 11), "{rows}");
    let partners: Vec<_> = fields
        .iter()
        .map(|row| [row[0], row[2], row[7], row[8]])
        .collect();
    let expected = [
        // Beside the constant nothing tells more: of equal ones the first.
        ["x0", "", "x1", "1"],
        ["x1", "", "x2", "2"],
        ["x2", "", "x1", "1"],
        ["x1", "x2", "", ""],
    ];
    assert_eq!(partners, expected);
    let number = |row: usize, at: usize| fields[row][at].parse::<f64>().unwrap();
    for (at, is) in [(9, 2_f64.ln()), (10, 2_f64.ln())] {
        assert_near(number(1, at), is, "x1");
        assert_near(number(2, at), is, "x2");
        assert_near(number(0, at), 0.0, "x0");
    }
    let page = asked(&["--partners"]);
    let place = |line: &str| page.find(line).unwrap_or_else(|| panic!("{line}: {page}"));
    let lines = [
        "variable  best partner     score   synergy\n",
        "x1        x2            0.693147  0.693147\n",
        "x2        x1            0.693147  0.693147\n",
        "x0        x1",
        "a   b",
    ];
    assert!(lines.map(place).is_sorted(), "{page}");
}
