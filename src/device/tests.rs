//! Every verb of every device beside what its kernel's reference says, which is written
//! from the definition.

use std::num::NonZeroUsize;

use passel_kernels::{gain, least_squares, neighbours, strongest, update};

use super::*;
use crate::{random::Stream, vector::product};
use likelihoods::likelihoods_walk_as_on_one_cpu;
use terms::{terms_are_what_fits_say, terms_walk_as_fits_do};

pub(crate) mod bounds;
mod likelihoods;
mod risk_bounds;
mod terms;

/// n × p columns of unit norm, the last explained by the first two, and a response.
fn problem(n: usize, p: usize) -> (Vec<f64>, Vec<f64>) {
    let mut stream = Stream::new(11, n as u64);
    let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
    let mut x: Vec<f64> = (0..n * p).map(|_| draw()).collect();
    for row in 0..n {
        x[(p - 1) * n + row] = x[row] - 2.0 * x[n + row];
    }
    let mut y: Vec<f64> = (0..n)
        .map(|row| x[2 * n + row] + x[5 * n + row] - x[9 * n + row] + draw())
        .collect();
    for column in x.chunks_mut(n).chain([&mut y[..]]) {
        let norm = product(column, column).sqrt();
        column.iter_mut().for_each(|value| *value /= norm);
    }
    (x, y)
}

/// The order of the reference that is this update.
fn order(update: ModelUpdate) -> update::Order {
    match update {
        ModelUpdate::Add(column) => update::Order::Add(column),
        ModelUpdate::Drop(column) => update::Order::Drop(column),
        ModelUpdate::DropCheapest => update::Order::DropCheapest,
        ModelUpdate::Refactor => update::Order::Refactor,
    }
}

/// Walks a few models by all verbs, on the devices chosen.
fn verbs_are_what_their_references_say(choice: DeviceChoice) {
    use ModelUpdate::{Add, Drop, DropCheapest, Refactor};
    let resources = Resources {
        devices: choice,
        ..Resources::default()
    };
    // Past the tiles of the CPU, the threads of a block, and where blocks grow wider.
    for (n, p) in [(30, 20), (300, 150), (2100, 70)] {
        let (x, y) = problem(n, p);
        let columns = Columns::new(&x, n);
        let keep = [3];
        let kept = Fit::of(columns, &y, &keep).0;
        let (places, _) = Placement::resolve(&resources.devices, false).unwrap();
        let open = |models, gain| {
            let wanted = (models, gain);
            let mut devices = Devices::new(&places, columns, &y, wanted, &resources, 1).unwrap();
            devices.init_models(&kept, models).unwrap();
            devices
        };
        let update = |devices: &mut Devices, updates: [ModelUpdate; 4]| {
            let updates: Vec<_> = updates.into_iter().enumerate().collect();
            devices.update_models(&updates).unwrap()
        };
        let mut devices = open(4, Gain::Correlation);
        let mut supports = vec![keep.to_vec(); 4];
        let last = p as u32 - 1;
        for updates in [
            [0, 1, 2, 4].map(Add),
            [1, 0, 9, last].map(Add),
            // Explained by now, in the first two.
            [Add(last); 4],
            [DropCheapest; 4],
            [Drop(3), Add(7), Drop(2), Drop(9)],
            [Refactor; 4],
        ] {
            let told = update(&mut devices, updates);
            for ((support, update), told) in supports.iter_mut().zip(updates).zip(told) {
                let (after, fit) = update::reference(&x, &y, support, &keep, order(update));
                assert_eq!(told.variable.is_some(), after.len() != support.len());
                let off = (told.rss - fit.rss).abs();
                assert!(off < 1e-12, "{update:?} of {support:?}");
                *support = after;
            }
            let held = |(number, support)| ModelView {
                number,
                support,
                rss: devices.rss(number),
                square: devices.rss(number),
            };
            let held: Vec<_> = supports
                .iter()
                .map(Vec::as_slice)
                .enumerate()
                .map(held)
                .collect();
            let found = devices.find_strongest(&held, Gain::Correlation).unwrap();
            for (support, found) in supports.iter().zip(found) {
                let fit = least_squares::reference(&x, &y, support);
                assert_eq!(found, strongest::reference(&x, &fit.residual, support));
            }
        }
        // Built anew last, they are what the same supports give wherever they come from,
        // on models that were others before.
        let mut others = open(4, Gain::Correlation);
        update(&mut others, [0, 5, 6, 8].map(Add));
        supports
            .iter_mut()
            .for_each(|support| support.sort_unstable());
        let again: Vec<&[u32]> = supports.iter().map(Vec::as_slice).collect();
        others.set_supports(&again).unwrap();
        for model in 0..4 {
            assert_eq!(others.rss(model).to_bits(), devices.rss(model).to_bits());
        }
        let drops = [DropCheapest; 4];
        assert_eq!(update(&mut others, drops), update(&mut devices, drops));
        for gained in [Gain::Correlation, Gain::Exact] {
            let mut devices = open(1, gained);
            if gained == Gain::Exact {
                let held = ModelView {
                    number: 0,
                    support: &keep,
                    rss: kept.rss(),
                    square: kept.rss(),
                };
                let found = devices.find_strongest(&[held], gained).unwrap();
                let gains = gain::reference(&x, &y, &keep);
                let most = gains.iter().copied().fold(0.0, f64::max);
                let column = found[0].unwrap() as usize;
                assert!((gains[column] - most).abs() < 1e-12);
            }
            let fit = Fit::of(columns, &y, &[2, 3, 6]).0;
            let count = 8;
            let found = devices.find_neighbours(&[fit.view()], &keep, count, &|| false);
            let found = found.unwrap().swap_remove(0);
            let changes = neighbours::reference(&x, &y, fit.support(), &keep);
            let all = || changes.iter().flatten();
            let joining: Vec<f64> = all().map(|change| change.joining).collect();
            let replacing = all()
                .filter_map(|change| change.replacing)
                .map(|exchange| exchange.0)
                .collect();
            for (found, mut falls) in [(found.additions, joining), (found.exchanges, replacing)] {
                falls.sort_by(|a, b| b.total_cmp(a));
                assert!(found.len() >= count);
                for (change, fall) in found.iter().zip(&falls) {
                    assert!((change.fall - fall).abs() < 1e-11, "{change:?} for {fall}");
                }
            }
        }
    }
}

#[test]
fn cpu_sweeps_of_terms_are_what_fits_say() {
    for (shards, threads) in [(1, 1), (3, 1), (2, 2)] {
        let shards = NonZeroUsize::new(shards).unwrap();
        terms_are_what_fits_say(DeviceChoice::Cpu(shards), threads);
        terms_walk_as_fits_do(DeviceChoice::Cpu(shards), threads);
    }
}

#[test]
fn cpu_verbs_are_what_their_references_say() {
    for shards in [1, 3] {
        let count = NonZeroUsize::new(shards).unwrap();
        verbs_are_what_their_references_say(DeviceChoice::Cpu(count));
        likelihoods_walk_as_on_one_cpu(DeviceChoice::Cpu(count));
    }
}

#[test]
fn cuda_verbs_are_what_their_references_say() {
    let required = std::env::var_os("PASSEL_REQUIRE_CUDA").is_some();
    match cuda::facts::cuda().obstacle {
        None => {
            verbs_are_what_their_references_say(DeviceChoice::Cuda(Vec::new()));
            terms_are_what_fits_say(DeviceChoice::Cuda(Vec::new()), 2);
            terms_walk_as_fits_do(DeviceChoice::Cuda(Vec::new()), 2);
            likelihoods_walk_as_on_one_cpu(DeviceChoice::Cuda(Vec::new()));
        }
        Some(obstacle) => assert!(!required, "{obstacle}"),
    }
}
