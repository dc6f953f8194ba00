//! Equal scores made of different counts are equal: the lowest variable wins.

use super::{
    program::{assert_same, csv, pairs, select},
    reference::{METHODS, Reference, Set},
    support::Folder,
};

/// Two tables, levels × classes, with the same classes and the same mutual information: all
/// their c·ln c are made of the same logarithms of primes. Rounded one by one they differ, in
/// most numbers of digits.
type Twins = (&'static [&'static [usize]], &'static [&'static [usize]]);

const TWINS: &[Twins] = &[
    (
        &[&[0, 3], &[1, 1], &[1, 1], &[1, 1], &[2, 1], &[3, 1]],
        &[&[2, 0], &[2, 1], &[2, 1], &[2, 6]],
    ),
    (
        &[
            &[0, 1, 1],
            &[0, 1, 1],
            &[0, 1, 1],
            &[1, 1, 0],
            &[1, 1, 0],
            &[4, 0, 2],
        ],
        &[&[0, 1, 2], &[1, 0, 1], &[1, 0, 2], &[4, 4, 0]],
    ),
    (
        &[&[0, 2], &[2, 2], &[2, 4], &[6, 2]],
        &[&[0, 3], &[1, 1], &[1, 1], &[2, 1], &[3, 1], &[3, 3]],
    ),
    (
        &[&[0, 2], &[4, 6], &[8, 4]],
        &[&[1, 2], &[1, 4], &[2, 1], &[2, 2], &[2, 2], &[4, 1]],
    ),
    (
        &[&[1, 5], &[2, 0], &[3, 7], &[4, 8]],
        &[&[1, 2], &[1, 2], &[2, 0], &[2, 3], &[2, 6], &[2, 7]],
    ),
    (
        &[&[2, 0], &[3, 6], &[4, 6], &[6, 3]],
        &[&[1, 4], &[2, 4], &[4, 1], &[4, 2], &[4, 4]],
    ),
];

/// The observations of a table, class by class.
fn column(table: &[&[usize]]) -> Vec<u32> {
    let classes = 0..table[0].len();
    let levels = classes.flat_map(|class| {
        let level = move |(level, row): (usize, &&[usize])| vec![level as u32; row[class]];
        table.iter().enumerate().flat_map(level)
    });
    levels.collect()
}

/// The class of each.
fn classes(table: &[&[usize]]) -> Vec<u32> {
    let all = (0..table[0].len()).flat_map(|class| {
        let count = table.iter().map(|row| row[class]).sum();
        vec![class as u32; count]
    });
    all.collect()
}

/// Either order of two columns, after `others`.
fn both_orders(twins: &Twins, others: &[Vec<u32>]) -> [Set; 2] {
    let y = classes(twins.0);
    assert_eq!(y, classes(twins.1), "the tables have one response");
    [[twins.0, twins.1], [twins.1, twins.0]].map(|tables| {
        let columns = others.iter().cloned().chain(tables.map(column));
        Set {
            columns: columns.collect(),
            y: y.clone(),
        }
    })
}

#[test]
fn equal_information_of_different_counts_goes_to_the_lowest_variable() {
    let folder = Folder::new();
    for twins in TWINS {
        for set in both_orders(twins, &[]) {
            folder.write("set.csv", &csv(&set, 0));
            let found = select(&folder.path("set.csv"), "mim", 2, &["--response", "y"]);
            assert_eq!(found.order(), [0, 1], "{twins:?}");
            assert_eq!(found.printed[0], found.printed[1], "{twins:?}");
        }
    }
}

#[test]
fn ties_stay_ties_at_later_steps() {
    // A copy of the class is chosen first. Then both have the same relevance and redundancy, and
    // a weight that is no binary fraction must not part them.
    let folder = Folder::new();
    let data = folder.path("set.csv");
    for twins in TWINS {
        for set in both_orders(twins, &[classes(twins.0)]) {
            folder.write("set.csv", &csv(&set, 3));
            for method in [
                "mifs:beta=0.3",
                "betagamma:beta=0.7,gamma=0.1",
                "mifs:beta=0.9",
            ] {
                let found = select(&data, method, 2, &["--response", "y"]);
                assert_eq!(found.order(), [0, 1], "{method} {twins:?}");
            }
            let mut reference = Reference::new(&set);
            for (method, _, is) in METHODS {
                let expected = reference.select(*is, 3);
                let found = select(&data, method, 3, &["--response", "y"]);
                assert_same(&found, &expected, &format!("{method} {twins:?}"));
            }
        }
    }
}

#[test]
fn tied_pairs_come_in_the_order_of_the_file() {
    let folder = Folder::new();
    for twins in TWINS {
        // Beside a constant, a pair is worth what its other variable is.
        let constant = vec![3; classes(twins.0).len()];
        for set in both_orders(twins, &[constant]) {
            folder.write("set.csv", &csv(&set, 1));
            let found = pairs(&folder.path("set.csv"), "mi3", 3, &["--response", "y"]);
            let order: Vec<[usize; 2]> = found.pairs.iter().map(|pair| pair.at).collect();
            assert_eq!(order, [[1, 2], [0, 1], [0, 2]], "{twins:?}");
            assert_eq!(found.pairs[1].score, found.pairs[2].score, "{twins:?}");
            assert_eq!(found.single[1].2, found.single[2].2, "{twins:?}");
            assert_eq!(found.pairs[1].score, found.single[1].2, "{twins:?}");
        }
    }
}

#[test]
fn copies_are_chosen_in_the_order_of_the_file() {
    // All variables are one, under other codes: every step is a tie of all that are left.
    let one = column(TWINS[1].0);
    let other = |k: u32| one.iter().map(|code| (code * k) % 7).collect();
    let set = Set {
        columns: (1..7).map(other).collect(),
        y: classes(TWINS[1].0),
    };
    let folder = Folder::new();
    folder.write("set.csv", &csv(&set, 0));
    let mut reference = Reference::new(&set);
    for (method, _, is) in METHODS {
        let expected = reference.select(*is, 6);
        assert_eq!(expected[0].tied, 6);
        let found = select(&folder.path("set.csv"), method, 6, &["--response", "y"]);
        assert_same(&found, &expected, method);
        let first: Vec<usize> = (0..expected.len()).collect();
        assert_eq!(found.order(), first, "{method}");
    }
}
