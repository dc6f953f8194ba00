//! Terms of several columns on every device, beside fits on the host.

use std::collections::BTreeSet;

use super::super::*;
use super::problem;
use crate::{
    design::Terms,
    random::{Stream, uniform_below},
    vector::product,
};

/// The columns of each term.
const WIDTHS: [usize; 10] = [1, 3, 2, 1, 4, 2, 1, 2, 3, 1];

/// Columns of unit norm by terms, some of which others explain, and a response.
fn dependent_terms(n: usize) -> (Vec<f64>, Vec<f64>) {
    let p = WIDTHS.iter().sum();
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
    (x, y)
}

/// Sweeps of terms of several columns, some of which others explain, on the devices chosen and so many threads.
pub(super) fn terms_are_what_fits_say(choice: DeviceChoice, threads: usize) {
    let is_cpu = matches!(choice, DeviceChoice::Cpu(_));
    let n = 60;
    let (x, y) = dependent_terms(n);
    let terms = Terms::of_widths(&x, n, &WIDTHS).unwrap();
    let columns = Columns::new(&x, n).with_terms(Some(&terms));
    let keep = [0];
    let resources = Resources {
        devices: choice,
        ..Resources::cpu(threads)
    };
    let kept = Fit::of(columns, &y, &keep).0;
    let pool = crate::threads::pool(threads).unwrap();
    let (places, _) = Placement::resolve(&resources.devices, false).unwrap();
    let all = WIDTHS.len() as u32;
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
                square: devices.rss(0),
            }];
            match is_cpu {
                true => assert_eq!(devices.rss(0).to_bits(), fit.rss().to_bits()),
                false => assert!((devices.rss(0) - fit.rss()).abs() < 1e-13),
            }
            assert_eq!(devices.parameters(0), fit.support().len());
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
                .filter(|term| WIDTHS[**term as usize] == found.parameters);
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

/// Models that walk at random, one update after another, as fits on the host do.
pub(super) fn terms_walk_as_fits_do(choice: DeviceChoice, threads: usize) {
    let resources = Resources {
        devices: choice,
        ..Resources::cpu(threads)
    };
    let pool = crate::threads::pool(threads).unwrap();
    for n in [60, 2100] {
        let (x, y) = dependent_terms(n);
        let terms = Terms::of_widths(&x, n, &WIDTHS).unwrap();
        let columns = Columns::new(&x, n).with_terms(Some(&terms));
        let (places, _) = Placement::resolve(&resources.devices, false).unwrap();
        let kept = Fit::of(columns, &y, &[0, 3]).0;
        let mut fits = vec![kept.clone(); 5];
        let mut stream = Stream::new(21, n as u64);
        let mut draw = |below: usize| uniform_below(stream.next_word(), below);
        pool.install(|| {
            let wanted = (fits.len(), Gain::Correlation);
            let mut devices =
                Devices::new(&places, columns, &y, wanted, &resources, threads).unwrap();
            devices.init_models(&kept, fits.len()).unwrap();
            for step in 0..60 {
                // Not every model each time.
                let moving: Vec<usize> = (0..fits.len()).filter(|_| draw(4) > 0).collect();
                let update = |model: usize, draw: &mut dyn FnMut(usize) -> usize| {
                    let term = draw(WIDTHS.len()) as u32;
                    match fits[model].terms().contains(&term) {
                        _ if step % 7 == 6 => ModelUpdate::Refactor,
                        true => ModelUpdate::Drop(term),
                        false => ModelUpdate::Add(term),
                    }
                };
                let updates = moving
                    .iter()
                    .map(|model| (*model, update(*model, &mut draw)));
                let updates: Vec<(usize, ModelUpdate)> = updates.collect();
                let told = devices.update_models(&updates).unwrap();
                for ((model, update), told) in updates.into_iter().zip(told) {
                    let fit = &mut fits[model];
                    let moved = match update {
                        ModelUpdate::Add(term) => fit.add(columns, term).is_ok().then_some(term),
                        ModelUpdate::Drop(term) => {
                            fit.drop_all(columns, &[term]);
                            Some(term)
                        }
                        _ => {
                            fit.refactor(columns, &y);
                            None
                        }
                    };
                    assert_eq!(told.variable, moved, "{update:?}");
                    assert_eq!(told.parameters, fit.support().len(), "{update:?}");
                    assert!((told.rss - fit.rss()).abs() < 1e-11, "{update:?}");
                }
                let costs = devices.find_drop_costs(&moving).unwrap();
                for (model, mut costs) in moving.iter().zip(costs) {
                    costs.sort_by_key(|cost| cost.term);
                    let fit = &fits[*model];
                    let all = fit.terms().iter().zip(fit.term_drop_costs(columns));
                    let free = all.filter(|(term, _)| ![0, 3].contains(*term));
                    let mut free: Vec<(u32, (f64, usize))> =
                        free.map(|(term, cost)| (*term, cost)).collect();
                    free.sort_by_key(|(term, _)| *term);
                    assert_eq!(costs.len(), free.len());
                    for (told, (term, own)) in costs.iter().zip(free) {
                        assert_eq!((told.term, told.parameters), (term, own.1));
                        assert!((told.rss - own.0).abs() < 1e-10, "{told:?} {own:?}");
                    }
                }
                let members: Vec<Vec<u32>> = fits.iter().map(Fit::members).collect();
                let held = |model: &usize| ModelView {
                    number: *model,
                    support: &members[*model],
                    rss: devices.rss(*model),
                    square: devices.rss(*model),
                };
                let held: Vec<ModelView> = moving.iter().map(held).collect();
                let found = devices
                    .find_strongest_terms(&held, Gain::Correlation)
                    .unwrap();
                for (model, found) in moving.iter().zip(found) {
                    let fit = &fits[*model];
                    let outside =
                        (0..WIDTHS.len() as u32).filter(|term| !fit.terms().contains(term));
                    let own = |term: u32| TermChange {
                        term,
                        parameters: WIDTHS[term as usize],
                        rss: fit.rss() - Fit::of(columns, fit.residual(), &[term]).0.rss(),
                    };
                    let all: Vec<TermChange> = outside.map(own).collect();
                    let kinds: BTreeSet<usize> = all.iter().map(|own| own.parameters).collect();
                    assert_eq!(found.len(), kinds.len());
                    for found in found {
                        let like = all.iter().filter(|own| own.parameters == found.parameters);
                        let most = like.map(|own| own.rss).fold(0.0, f64::max);
                        assert!((found.rss - most).abs() < 1e-12, "{found:?} {most}");
                    }
                }
            }
            let supports: Vec<Vec<u32>> = fits.iter().map(Fit::members).collect();
            let supports: Vec<&[u32]> = supports.iter().map(Vec::as_slice).collect();
            devices.set_supports(&supports).unwrap();
            for (model, support) in supports.iter().enumerate() {
                let fit = Fit::of(columns, &y, support).0;
                assert_eq!(devices.parameters(model), fit.support().len());
                assert!((devices.rss(model) - fit.rss()).abs() < 1e-11);
            }
        });
    }
}
