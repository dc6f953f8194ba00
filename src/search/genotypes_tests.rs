//! Genotypes at two bits beside the same columns as numbers.

use super::{IterationRecord, Pass, SearchResult, search};
use crate::{
    criteria::Ebic,
    design::{Design, DesignOptions, Making, ResponseOptions},
    device::{DeviceChoice, Gain, Partition, Resources, counting::tests::gpus},
    family::{Distribution, Family},
    interrupt::Interrupt,
    random::{Stream, uniform_below},
    ranks::{Communicator, tests::each},
    table::{Genotypes, Table, Values},
};

/// The draws of one set of data.
struct Draws(Stream);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        uniform_below(self.0.next_word(), end)
    }

    /// A number in [0, 1).
    fn unit(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
}

/// People and variants of a few haplotypes, some missing, with two covariates, weights and a response of some variants.
pub(super) fn table(seed: u64, binary: bool) -> Table {
    let mut draws = Draws(Stream::new(33, seed));
    let (n, p) = (60 + draws.below(100), 20 + draws.below(50));
    let missing = [0.0, 0.02, 0.1][draws.below(3)];
    let mut copies: Vec<Vec<u8>> = Vec::new();
    for j in 0..p {
        let frequency = 0.05 + 0.45 * draws.unit();
        let own = (0..n).map(|i| {
            let is_linked = j > 0 && draws.unit() < 0.5;
            match is_linked {
                true => copies[j - 1][i],
                false => (0..2).filter(|_| draws.unit() < frequency).count() as u8,
            }
        });
        copies.push(own.collect());
    }
    // One that does not vary, one again, and one with the alleles exchanged.
    copies[7] = vec![1; n];
    copies[9] = copies[4].clone();
    copies[12] = copies[3].iter().map(|own| 2 - own).collect();
    let mut y: Vec<f64> = (0..n).map(|_| draws.unit() + draws.unit()).collect();
    for j in [2, 11, p - 1] {
        y.iter_mut()
            .zip(&copies[j])
            .for_each(|(y, x)| *y += 0.4 * f64::from(*x));
    }
    if binary {
        let mut sorted = y.clone();
        sorted.sort_by(f64::total_cmp);
        let least = sorted[n / 2];
        y.iter_mut()
            .for_each(|y| *y = f64::from(u8::from(*y > least)));
    }
    for (j, own) in copies.iter_mut().enumerate() {
        let is_unknown = |draws: &mut Draws| j != 9 && j != 4 && draws.unit() < missing;
        own.iter_mut()
            .filter(|_| is_unknown(&mut draws))
            .for_each(|own| *own = 3);
    }
    let mut numbers = || -> Values { (0..n).map(|_| draws.unit()).collect::<Vec<f64>>().into() };
    let (age, dose) = (numbers(), numbers());
    let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64).collect();
    let before = [
        ("y", y.into()),
        ("age", age),
        ("dose", dose),
        ("w", weights.into()),
    ];
    let before = before.map(|(name, values): (&str, Values)| (name.to_owned(), values));
    let variants = copies.iter().enumerate();
    let variants = variants.map(|(j, own)| {
        (
            format!("rs{j}"),
            Values::Genotypes(Genotypes::of_copies(own)),
        )
    });
    Table::from_columns(before.into_iter().chain(variants)).unwrap()
}

/// What a search finds, and its course: of the swarm, and of the waves of the polish.
fn found(
    design: &Design,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
) -> (SearchResult, [Vec<String>; 2]) {
    let mut course = [Vec::new(), Vec::new()];
    let mut observe = |record: &IterationRecord| {
        course[usize::from(record.wave.is_some())].push(format!("{record:?}"));
    };
    let ebic = Ebic { gamma: 0.5 };
    let found = search(
        design,
        &ebic,
        pass,
        resources,
        interrupt,
        None,
        &mut observe,
    );
    (found.unwrap(), course)
}

/// The table as one of several ranks reads it.
fn share_of(mut table: Table, communicator: &Communicator) -> Table {
    let local = communicator.local_range(table.columns.len());
    for (at, column) in table.columns.iter_mut().enumerate() {
        if !local.contains(&at) && !["y", "w"].contains(&&*column.name) {
            column.values = Values::Remote;
        }
    }
    table
}

/// What is the same on any number of ranks.
fn outcome(design: &Design, found: &(SearchResult, [Vec<String>; 2])) -> String {
    let (own, course) = found;
    let aside = design.set_aside().iter();
    let aside: Vec<String> = aside
        .map(|own| format!("{} {}", own.name, own.reason))
        .collect();
    let chosen = own.fit.support().iter().map(|j| {
        let genotypes = design.genotypes(*j);
        (
            &design.variables()[*j as usize],
            genotypes.map(|own| own.counts()),
        )
    });
    let chosen: Vec<_> = chosen.collect();
    let (bits, alternatives) = (own.value.to_bits(), &own.alternatives);
    format!("{chosen:?} {bits} {alternatives:?} {course:?} {aside:?}")
}

#[test]
fn genotypes_at_two_bits_are_selected_as_numbers_are() {
    let mut places = vec![Resources::cpu(1), Resources::cpu(2)];
    places.extend((1..=gpus().unwrap_or(0)).map(|count| Resources {
        devices: DeviceChoice::Cuda((0..count).collect()),
        ..Resources::default()
    }));
    // On one GPU with so little room that genotypes pass through.
    places.extend(places.get(2).map(|own| Resources {
        memory_limit: Some(4096),
        ..own.clone()
    }));
    for seed in 0..70 {
        let binary = seed % 5 == 4;
        let keep = ["age".to_owned()];
        let (weights, drop) = match seed % 5 {
            3 => (Some("w"), Vec::new()),
            _ => (None, vec!["w".to_owned()]),
        };
        let kind = match binary {
            true => ResponseOptions {
                family: Family::new(Distribution::Binomial, None).unwrap(),
                ..ResponseOptions::default()
            },
            false => ResponseOptions::default(),
        };
        let options = DesignOptions {
            response: Some("y"),
            keep: &keep[..usize::from(seed % 3 == 0)],
            drop: &drop,
            weights,
            intercept: seed % 7 != 6 || binary,
            kind,
            ..DesignOptions::default()
        };
        let packed = Design::from_table(table(seed, binary), &options).unwrap();
        assert!(!packed.columns().is_unpacked());
        let numbers = packed.unpacked();
        assert!(numbers.columns().is_unpacked());
        let p = packed.p() as u32;
        for j in 0..p {
            let (own, expected) = (packed.columns(), numbers.columns().column(j));
            assert_eq!(&*own.column_once(j), expected);
            let square: f64 = expected.iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-12, "{square}");
        }
        let aside = packed.set_aside();
        let reason = |name: &str| {
            aside
                .iter()
                .find(|own| own.name == name)
                .map(|own| &*own.reason)
        };
        assert_eq!(reason("rs7").is_some(), options.intercept);
        assert_eq!(reason("rs9"), Some("duplicate of rs4"));
        let pass = Pass {
            particles: 6,
            iterations: 8,
            max_size: Some(8),
            islands: 1,
            gain: if seed % 11 == 10 {
                Gain::Exact
            } else {
                Gain::Correlation
            },
            ..Pass::default()
        };
        // One rank or several: the same, down to the walks of the polish.
        let whole = outcome(
            &packed,
            &found(&packed, &pass, &places[0], &Interrupt::default()),
        );
        let mut shared = vec![(2, Partition::Columns), (3, Partition::Columns)];
        shared.extend((seed % 4 == 0).then_some((3, Partition::Particles)));
        for (size, over) in shared {
            let all = each(size, |communicator, interrupt| {
                let table = share_of(table(seed, binary), &communicator);
                let making = Making {
                    communicator: Some(&communicator),
                    ..Making::alone(interrupt)
                };
                let design = Design::from_partitioned_table(table, &options, making).unwrap();
                assert!(!design.columns().is_unpacked());
                // A share of the columns is held, and no more.
                assert!(design.matrix_bytes() < packed.matrix_bytes() * 3 / 4);
                let design = match over {
                    Partition::Columns => design,
                    _ => design.replicated().unwrap(),
                };
                let resources = Resources {
                    communicator: Some(communicator.clone()),
                    partition: Some(over),
                    ..Resources::cpu(1)
                };
                outcome(&design, &found(&design, &pass, &resources, interrupt))
            });
            for own in all {
                assert_eq!(own, whole, "{seed} {size} {over:?}");
            }
        }
        let mut on_first = None;
        for place in &places {
            // A GPU rounds otherwise than the CPU does: numbers on the same device say what the bits are.
            let never = Interrupt::default();
            // A walk of the polish rests on products of columns, of which those of integers are rounded otherwise.
            let (expected, [course, _]) = found(&numbers, &pass, place, &never);
            let (own, [of_own, _]) = found(&packed, &pass, place, &never);
            assert_eq!(of_own, course, "{seed} {place:?}");
            assert_eq!(
                own.fit.members(),
                expected.fit.members(),
                "{seed} {place:?}"
            );
            let first = on_first.get_or_insert_with(|| own.fit.members());
            assert_eq!(*first, own.fit.members(), "{seed} {place:?}");
            assert_eq!(own.value.to_bits(), expected.value.to_bits());
            assert_eq!(own.certified, expected.certified);
        }
    }
}
