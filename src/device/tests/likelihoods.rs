//! Models of a likelihood on every device, beside those of one CPU.

use super::{
    super::*,
    bounds::{columns, likelihood},
};
use crate::{
    family::FitStatus,
    least_squares::{Fit, FitView},
    random::Stream,
};

/// Walks a few models of logistic and Poisson regression by all verbs: each moves as on one CPU, to the same losses.
pub(super) fn likelihoods_walk_as_on_one_cpu(choice: DeviceChoice) {
    use ModelUpdate::{Add, Drop, DropCheapest, Refactor};
    let resources = Resources {
        devices: choice,
        ..Resources::default()
    };
    let mut stream = Stream::new(31, 5);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (mut joined, mut settled, mut fitted) = (0, 0, 0);
    for round in 0..12 {
        let (n, p) = ([60, 300, 1100][round % 3], [40, 130][round % 2]);
        let x = columns(&mut draw, n, p);
        let likelihood = likelihood(&mut draw, round, &x, n);
        let all = Columns::new(&x, n).with_likelihood(Some(&likelihood));
        let y = likelihood.scores();
        let keep = [3];
        let kept = Fit::of(all, y, &keep).0;
        let (places, _) = Placement::resolve(&resources.devices, false).unwrap();
        let open = |places: &Placement, resources: &Resources| {
            let wanted = (4, Gain::Correlation);
            let mut devices = Devices::new(places, all, y, wanted, resources, 1).unwrap();
            devices.init_models(&kept, 4).unwrap();
            devices
        };
        let mut devices = open(&places, &resources);
        let mut plain = open(&Placement::Cpu(1), &Resources::cpu(1));
        let mut supports = vec![keep.to_vec(); 4];
        let last = p as u32 - 1;
        for updates in [
            [0, 1, 2, 4].map(Add),
            [1, 0, 9, last].map(Add),
            [5, 6, 7, 8].map(Add),
            [11, 12, 13, 14].map(Add),
            [Refactor; 4],
            [DropCheapest; 4],
            [Drop(5), Add(15), Drop(2), Add(16)],
            [21, 22, 23, 24].map(Add),
            [31, 32, 33, 34].map(Add),
            [DropCheapest, Refactor, Drop(12), DropCheapest],
        ] {
            let updates: Vec<_> = updates.into_iter().enumerate().collect();
            let told = devices.update_models(&updates).unwrap();
            let expected = plain.update_models(&updates).unwrap();
            for ((model, told), expected) in told.iter().enumerate().zip(&expected) {
                let what = format!("{round} {:?} of {:?}", updates[model].1, supports[model]);
                assert_eq!(told.variable, expected.variable, "{what}");
                assert_eq!(told.parameters, expected.parameters, "{what}");
                for (own, other) in [(told.rss, expected.rss), (told.square, expected.square)] {
                    assert!(
                        (own - other).abs() <= 1e-8 * (1e-3 + other),
                        "{what}: {own} {other}"
                    );
                }
                match (updates[model].1, told.variable) {
                    (Add(_), Some(variable)) => supports[model].push(variable),
                    (Drop(_) | DropCheapest, Some(variable)) => {
                        supports[model].retain(|own| *own != variable);
                    }
                    _ => {}
                }
            }
            let view = |(number, support)| ModelView {
                number,
                support,
                rss: devices.rss(number),
                square: devices.square(number),
            };
            let held = supports.iter().map(Vec::as_slice).enumerate();
            let views: Vec<ModelView> = held.map(view).collect();
            for gain in [Gain::Correlation, Gain::Exact] {
                // Where they are fitted on GPUs these have no exact gains.
                if gain == Gain::Exact && matches!(places, Placement::Cuda(_)) {
                    continue;
                }
                let found = devices.find_strongest(&views, gain).unwrap();
                let expected = plain.find_strongest(&views, gain).unwrap();
                assert_eq!(found, expected, "{round} {supports:?}");
            }
        }
        // What the bounds leave open, and what fits say of it.
        let fits = supports.iter().map(|own| {
            let mut own = own.clone();
            own.sort_unstable();
            Fit::of(all, y, &own).0
        });
        let fits: Vec<Fit> = fits
            .filter(|fit| fit.family().unwrap().status() == FitStatus::Converged)
            .collect();
        let views: Vec<FitView> = fits.iter().map(Fit::view).collect();
        let least: Vec<f64> = fits.iter().map(|fit| 0.02 * fit.rss()).collect();
        let never = || false;
        let open = devices.find_joining(&views, &least, &never).unwrap();
        let expected = plain.find_joining(&views, &least, &never).unwrap();
        assert_eq!(open, expected, "{round}");
        let pairs: Vec<(usize, u32)> = (0..fits.len())
            .flat_map(|at| (0..p as u32).map(move |column| (at, column)))
            .filter(|(at, column)| !fits[*at].support().contains(column))
            .collect();
        settled += pairs.len() - open.iter().map(Vec::len).sum::<usize>();
        joined += pairs.len();
        let losses = devices.fit_joined(&views, &pairs, &never).unwrap();
        for ((at, column), loss) in pairs.iter().zip(losses) {
            let Some(loss) = loss else { continue };
            let mut fit = fits[*at].clone();
            fit.add(all, *column).unwrap();
            let off = (loss - fit.rss()).abs();
            assert!(off <= 1e-10 * (1e-3 + loss), "{round} {loss} {}", fit.rss());
            fitted += 1;
        }
        let near = devices.find_neighbours(&views, &keep, 8, &never).unwrap();
        let expected = plain.find_neighbours(&views, &keep, 8, &never).unwrap();
        for (near, expected) in near.iter().zip(&expected) {
            for (own, other) in [
                (&near.additions, &expected.additions),
                (&near.exchanges, &expected.exchanges),
            ] {
                assert_eq!(own.len(), other.len(), "{round}");
                for (own, other) in own.iter().zip(other) {
                    assert_eq!((own.column, own.replaces), (other.column, other.replaces));
                    assert!((own.fall - other.fall).abs() < 1e-9, "{own:?} {other:?}");
                }
            }
        }
    }
    assert!(settled * 4 > joined, "{settled} of {joined}");
    let on_gpus = matches!(resources.devices, DeviceChoice::Cuda(_));
    assert!(!on_gpus || fitted * 10 > joined * 7, "{fitted} of {joined}");
}
