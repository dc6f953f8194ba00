//! Bounds on what a column does for a partial likelihood, beside fits.

use super::bounds::columns;
use crate::{
    design::Columns,
    device::{Devices, Gain, Placement, Resources},
    family::{FamilyResponse, FitStatus, Likelihood, SurvivalTimes, Ties},
    least_squares::{Fit, FitView},
    random::Stream,
};

/// Survival times of two columns, of which many are equal, by turns with late entry, strata, weights and offsets.
fn likelihood(draw: &mut impl FnMut() -> f64, round: usize, x: &[f64], n: usize) -> Likelihood {
    let some = |is: bool, of: &mut dyn FnMut(usize) -> f64| -> Vec<f64> {
        (0..n).filter(|_| is).map(of).collect()
    };
    let strength = [0.0, 3.0, 9.0][round / 2 % 3];
    let time: Vec<f64> = (0..n)
        .map(|row| {
            let rate = (strength * (x[row] - x[n + row])).exp();
            (1.0 - [8.0, 60.0][round / 3 % 2] * draw().ln() / rate).floor()
        })
        .collect();
    let strata = some(round % 3 == 1, &mut |row| (row % 2) as f64);
    let times = SurvivalTimes {
        event: &some(true, &mut |_| f64::from(u8::from(draw() < 0.7))),
        entry: &some(round % 4 == 1, &mut |row| {
            (0.6 * time[row] * draw()).floor() - 0.5
        }),
        strata: &strata.iter().map(|own| *own as u32).collect::<Vec<u32>>(),
        weights: &some(round % 5 == 2, &mut |row| [0.0, 0.4, 1.0, 2.5][row % 4]),
        offset: &some(round % 7 == 3, &mut |row| 0.3 * (row % 4) as f64),
        ties: Ties::ALL[round % 2],
        time: &time,
    };
    Likelihood::new(FamilyResponse::of_survival(&times).unwrap(), false).unwrap()
}

/// No column that lowers the loss of a model by more than a number is settled, however near it is; most of the others are.
#[test]
fn no_column_of_survival_times_does_more_than_its_bound() {
    let mut stream = Stream::new(37, 3);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (mut checked, mut below, mut settled) = (0, 0, 0);
    let resources = Resources::cpu(1);
    for round in 0..250 {
        let (n, p) = (40 + 7 * round % 120, 40);
        let x = columns(&mut draw, n, p);
        let likelihood = likelihood(&mut draw, round, &x, n);
        let all = Columns::new(&x, n).with_likelihood(Some(&likelihood));
        let y = likelihood.scores();
        let size = round % 6;
        let members: Vec<u32> = (0..size as u32).map(|at| at * 17 % p as u32).collect();
        let (fit, _) = Fit::of(all, y, &members);
        if fit.family().unwrap().status() != FitStatus::Converged {
            continue;
        }
        let outside = (0..p as u32).filter(|j| !members.contains(j));
        let gains: Vec<(u32, f64)> = outside
            .map(|j| {
                let mut larger = fit.clone();
                let added = larger.add(all, j);
                let gain = added.map_or(0.0, |()| fit.rss() - larger.rss());
                (j, gain)
            })
            .collect();
        let places = Placement::Cpu(1);
        let wanted = (1, Gain::Correlation);
        let mut devices = Devices::new(&places, all, y, wanted, &resources, 1).unwrap();
        // Just below and just above what each column does, and what all but a few do less than.
        let mut sorted: Vec<f64> = gains.iter().map(|own| own.1).collect();
        sorted.sort_by(f64::total_cmp);
        let near = gains.iter().step_by(5);
        let near = near.flat_map(|(_, gain)| [gain * (1.0 - 1e-7), gain * 1.02]);
        let shares = [0.5, 0.9, 0.99].map(|share| sorted[(share * sorted.len() as f64) as usize]);
        let least: Vec<f64> = near.chain(shares).collect();
        let views: Vec<FitView> = vec![fit.view(); least.len()];
        let open = devices.find_joining(&views, &least, &|| false).unwrap();
        for (open, least) in open.iter().zip(&least) {
            for (j, gain) in &gains {
                checked += 1;
                let is_open = open.binary_search(j).is_ok();
                assert!(is_open || gain <= least, "{round} {j}: {gain} {least}");
                if *gain < least * (1.0 - 1e-3) {
                    below += 1;
                    settled += usize::from(!is_open);
                }
            }
        }
    }
    assert!(checked > 100_000, "{checked}");
    assert!(settled * 100 > below * 95, "{settled} of {below}");
}

/// No exchange of a column of a model for another that lowers the loss by more than a number is settled, by the sweep of the model or
/// beside it; most of the others are.
#[test]
fn no_exchange_of_survival_times_does_more_than_its_bound() {
    let mut stream = Stream::new(37, 4);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (mut checked, mut below, mut settled) = (0, 0, 0);
    for round in 0..80 {
        let (n, p) = (60 + 7 * round % 150, 30);
        let x = columns(&mut draw, n, p);
        let likelihood = likelihood(&mut draw, round, &x, n);
        let all = Columns::new(&x, n).with_likelihood(Some(&likelihood));
        let y = likelihood.scores();
        // The first two columns are the times'.
        let members: Vec<u32> = (0..2 + round as u32 % 4).collect();
        let (best, _) = Fit::of(all, y, &members);
        let without = (0..members.len()).map(|at| {
            let mut fit = best.clone();
            fit.drop(all, at);
            fit
        });
        let fits: Vec<Fit> = std::iter::once(best.clone()).chain(without).collect();
        let has_ended = |fit: &Fit| fit.family().unwrap().status() == FitStatus::Converged;
        if !fits.iter().all(has_ended) {
            continue;
        }
        let gains: Vec<Vec<(u32, f64)>> = fits
            .iter()
            .map(|fit| {
                let outside = (0..p as u32).filter(|j| !fit.support().contains(j));
                let gain = |j: u32| {
                    let mut larger = fit.clone();
                    let added = larger.add(all, j);
                    (j, added.map_or(0.0, |()| fit.rss() - larger.rss()))
                };
                outside.map(gain).collect()
            })
            .collect();
        let resources = Resources::cpu(1);
        let wanted = (1, Gain::Correlation);
        let mut devices = Devices::new(&Placement::Cpu(1), all, y, wanted, &resources, 1).unwrap();
        let views: Vec<FitView> = fits.iter().map(Fit::view).collect();
        // What it takes to be as good as the first model, and just below and above what columns do.
        let as_good = |turn: usize, number: usize| match turn {
            0 => (fits[number].rss() - best.rss()).max(1e-3),
            turn => {
                let own = &gains[number][turn * 7 % gains[number].len()];
                own.1 * [1.0 - 1e-7, 1.02][turn % 2]
            }
        };
        for turn in 0..7 {
            let least: Vec<f64> = (0..fits.len())
                .map(|number| as_good(turn, number))
                .collect();
            let open = devices.find_joining(&views, &least, &|| false).unwrap();
            for (number, (open, least)) in open.iter().zip(&least).enumerate() {
                for (j, gain) in &gains[number] {
                    checked += 1;
                    let is_open = open.binary_search(j).is_ok();
                    assert!(
                        is_open || gain <= least,
                        "{round} {number} {j}: {gain} {least}"
                    );
                    if *gain < least * (1.0 - 1e-3) {
                        below += 1;
                        settled += usize::from(!is_open);
                    }
                }
            }
        }
    }
    assert!(checked > 30_000, "{checked}");
    assert!(settled * 100 > below * 95, "{settled} of {below}");
}
