//! Every verb of every device beside what its kernel's reference says, which is written
//! from the definition.

use std::{collections::BTreeSet, num::NonZeroUsize};

use passel_kernels::{gain, least_squares, neighbours, strongest, update};

use super::*;
use crate::{design::Terms, random::Stream, vector::product};

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
        let (places, _) = Placement::resolve(&resources.devices, x.len()).unwrap();
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

/// Sweeps of terms of several columns, some of which others explain, on so many shards and threads.
fn terms_are_what_fits_say(shards: usize, threads: usize) {
    let widths = [1, 3, 2, 1, 4, 2, 1, 2, 3, 1];
    let (n, p) = (60, widths.iter().sum());
    let (mut x, y) = problem(n, p);
    // The last column of the term of four is a combination of two columns of earlier terms, and the next
    // term is one of columns of that of three.
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let combinations = [(10, 1, 4), (11, 1, 2), (12, 2, 3)];
    for (to, a, b) in combinations {
        let sum: Vec<f64> = (0..n)
            .map(|row| x[a * n + row] - 0.5 * x[b * n + row])
            .collect();
        let length = norm(&sum);
        x[to * n..][..n]
            .iter_mut()
            .zip(sum)
            .for_each(|(x, sum)| *x = sum / length);
    }
    let terms = Terms::of_widths(&x, n, &widths).unwrap();
    let columns = Columns::new(&x, n).with_terms(Some(&terms));
    let keep = [0];
    let resources = Resources {
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::cpu(threads)
    };
    let kept = Fit::of(columns, &y, &keep).0;
    let pool = crate::threads::pool(threads).unwrap();
    let places = Placement::Cpu(shards);
    let all = widths.len() as u32;
    let fitted = |model: &[u32]| Fit::of(columns, &y, model).0;
    let size = |fit: &Fit| fit.support().len() as i32;
    // One is partial from the start, one once a term leaves, one with all that the others explain.
    for model in [
        &[0][..],
        &[0, 1, 3],
        &[0, 1, 2, 4],
        &[0, 2, 4, 5, 8],
        &[0, 1, 5, 9],
    ] {
        let fit = fitted(model);
        let mut turned = Fit::empty(&y);
        let mut reversed = model.iter().rev();
        if !reversed.all(|term| turned.add(columns, *term).is_ok()) {
            // The last of them explain the first.
            turned = fit.clone();
        }
        let outside: Vec<u32> = (0..all).filter(|term| !model.contains(term)).collect();
        let change = |model: &[u32]| {
            let after = fitted(model);
            (size(&after) - size(&fit), fit.rss() - after.rss())
        };
        let with = |term: &u32| [model, &[*term]].concat();
        let without = |left: &u32| -> Vec<u32> {
            model.iter().copied().filter(|term| term != left).collect()
        };
        let found = pool.install(|| {
            let wanted = (1, Gain::Exact);
            let mut devices =
                Devices::new(&places, columns, &y, wanted, &resources, threads).unwrap();
            devices.init_models(&kept, 1).unwrap();
            devices.set_supports(&[model]).unwrap();
            let held = [ModelView {
                number: 0,
                support: model,
                rss: devices.rss(0),
            }];
            assert_eq!(devices.rss(0).to_bits(), fit.rss().to_bits());
            let exact = devices.find_strongest_terms(&held, Gain::Exact).unwrap();
            let plain = devices
                .find_strongest_terms(&held, Gain::Correlation)
                .unwrap();
            let costs = devices.find_drop_costs(&[0]).unwrap();
            // The same model, but for the order in which its terms were added.
            let near = devices.find_neighbours(&[turned.view()], &keep, 3, &|| false);
            (exact, plain, costs, near.unwrap().swap_remove(0))
        });
        let (exact, plain, costs, near) = found;
        for cost in &costs[0] {
            let (fewer, fall) = change(&without(&cost.term));
            assert_eq!(cost.parameters as i32, -fewer);
            assert!((cost.rss + fall).abs() < 1e-12, "{model:?} {cost:?} {fall}");
        }
        assert_eq!(costs[0].len(), model.len() - 1);
        // Of each number of parameters the best, by the definition.
        let additions = outside.iter().map(|term| (change(&with(term)), *term));
        let additions: Vec<((i32, f64), u32)> =
            additions.filter(|((more, _), _)| *more > 0).collect();
        let most = |all: &[((i32, f64), u32)], parameters: i32| {
            let own = all.iter().filter(|((own, _), _)| *own == parameters);
            let mut falls: Vec<f64> = own.map(|((_, fall), _)| *fall).collect();
            falls.sort_by(|a, b| b.total_cmp(a));
            falls
        };
        for found in &exact[0] {
            let best = most(&additions, found.parameters as i32)[0];
            assert!(
                (found.rss - best).abs() < 1e-12,
                "{model:?} {found:?} {best}"
            );
        }
        for found in &plain[0] {
            let of_width = outside
                .iter()
                .filter(|term| widths[**term as usize] == found.parameters);
            let score = |term: &u32| {
                1.0 - Fit::of(columns, fit.residual(), &[*term]).0.rss()
                    / product(fit.residual(), fit.residual())
            };
            let scores = of_width.map(score).fold(0.0, f64::max);
            let share = found.rss / product(fit.residual(), fit.residual());
            assert!(
                (share - scores).abs() < 1e-12,
                "{model:?} {found:?} {scores}"
            );
        }
        let mut exchanges = Vec::new();
        for left in model.iter().filter(|term| !keep.contains(term)) {
            for term in &outside {
                let after = [&without(left)[..], &[*term]].concat();
                let before = fitted(&without(left));
                // What the rest explains is no exchange.
                if size(&fitted(&after)) > size(&before) {
                    exchanges.push((change(&after), *term));
                }
            }
        }
        for change in &near.exchanges {
            let left = turned.terms()[change.replaces.unwrap()];
            let after = [&without(&left)[..], &[change.column]].concat();
            let fall = fit.rss() - fitted(&after).rss();
            assert!(
                (change.fall - fall).abs() < 1e-11,
                "{model:?} {change:?} {fall}"
            );
        }
        // Of each term the best of each number of parameters.
        exchanges.sort_by(|a, b| {
            let key = |own: &((i32, f64), u32)| (own.1, own.0.0);
            key(a).cmp(&key(b)).then(b.0.1.total_cmp(&a.0.1))
        });
        exchanges.dedup_by_key(|own| (own.1, own.0.0));
        for (found, all) in [(&near.additions, &additions), (&near.exchanges, &exchanges)] {
            let kinds: BTreeSet<i32> = all.iter().map(|((own, _), _)| *own).collect();
            for parameters in kinds {
                let own = found
                    .iter()
                    .filter(|change| change.parameters == parameters);
                let own: Vec<f64> = own.map(|change| change.fall).collect();
                let falls = most(all, parameters);
                assert!(own.len() >= falls.len().min(3), "{model:?} {parameters}");
                for (own, fall) in own.iter().zip(&falls) {
                    assert!(
                        (own - fall).abs() < 1e-11,
                        "{model:?} {parameters}: {own} {fall}"
                    );
                }
            }
        }
    }
}

#[test]
fn cpu_sweeps_of_terms_are_what_fits_say() {
    for (shards, threads) in [(1, 1), (3, 1), (2, 2)] {
        terms_are_what_fits_say(shards, threads);
    }
}

#[test]
fn cpu_verbs_are_what_their_references_say() {
    for shards in [1, 3] {
        let count = NonZeroUsize::new(shards).unwrap();
        verbs_are_what_their_references_say(DeviceChoice::Cpu(count));
    }
}

#[test]
fn cuda_verbs_are_what_their_references_say() {
    let required = std::env::var_os("PASSEL_REQUIRE_CUDA").is_some();
    match cuda::facts::cuda().obstacle {
        None => verbs_are_what_their_references_say(DeviceChoice::Cuda(Vec::new())),
        Some(obstacle) => assert!(!required, "{obstacle}"),
    }
}
