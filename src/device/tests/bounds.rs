//! Bounds on what a column does for a likelihood, beside fits.

use crate::{
    design::Columns,
    device::{Devices, Gain, Placement, Resources, joining_bound},
    family::{Distribution, Family, FamilyResponse, FitStatus, Likelihood},
    least_squares::Fit,
    random::Stream,
    vector::product,
};

/// n × p columns about their means at unit norm, half of them near others.
pub(crate) fn columns(draw: &mut impl FnMut() -> f64, n: usize, p: usize) -> Vec<f64> {
    let mut x: Vec<f64> = (0..n * p).map(|_| draw() - 0.5).collect();
    for j in 1..p {
        for row in 0..n {
            x[j * n + row] += [0.0, 1.5][j % 2] * x[(j - 1) * n + row];
        }
    }
    for column in x.chunks_mut(n) {
        let mean = column.iter().sum::<f64>() / n as f64;
        column.iter_mut().for_each(|x| *x -= mean);
        let norm = product(column, column).sqrt();
        column.iter_mut().for_each(|x| *x /= norm);
    }
    x
}

/// Responses of logistic and Poisson regression by turns, with weights, offsets and trials.
pub(crate) fn likelihood(
    draw: &mut impl FnMut() -> f64,
    round: usize,
    x: &[f64],
    n: usize,
) -> Likelihood {
    let distribution = [Distribution::Binomial, Distribution::Poisson][round % 2];
    let family = Family::new(distribution, None).unwrap();
    let (has_weights, has_offset, has_trials) = (
        round % 3 == 1,
        round % 5 == 2,
        round % 7 < 3 && round.is_multiple_of(2),
    );
    let some = |is: bool, of: &mut dyn FnMut(usize) -> f64| -> Vec<f64> {
        (0..n).filter(|_| is).map(of).collect()
    };
    let weights = some(has_weights, &mut |row| [0.0, 0.3, 1.0, 2.5][row % 4]);
    let offset = some(has_offset, &mut |row| 0.4 * (row % 5) as f64 - 0.8);
    let trials = some(has_trials, &mut |row| 1.0 + (row % 6) as f64);
    let strength = [0.0, 2.0, 6.0][round / 2 % 3];
    let y: Vec<f64> = (0..n)
        .map(|row| {
            let eta = strength * (x[row] + x[n + row]) - 0.3;
            match distribution {
                Distribution::Binomial => {
                    let times = trials.get(row).copied().unwrap_or(1.0) as usize;
                    let mean = 1.0 / (1.0 + (-eta).exp());
                    (0..times).filter(|_| draw() < mean).count() as f64
                }
                _ => ((1.0 + 0.4 * eta).exp() * -(1.0 - draw()).ln()).floor(),
            }
        })
        .collect();
    let response = FamilyResponse::new(family, &y, &trials, &weights, &offset).unwrap();
    Likelihood::new(response, round % 4 != 3).unwrap()
}

/// 100,000 candidates: no column lowers the loss by more than its bound says, and none that does by more than a number is
/// settled.
#[test]
fn no_column_does_more_than_its_bound() {
    let mut stream = Stream::new(29, 3);
    let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (mut checked, mut bounded, mut settled, mut tight) = (0, 0, 0, 0);
    let resources = Resources::cpu(1);
    for round in 0..1100 {
        let (n, p) = (30 + round % 50, 100);
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
                (
                    j,
                    if added.is_ok() {
                        fit.rss() - larger.rss()
                    } else {
                        0.0
                    },
                )
            })
            .collect();
        for (j, gain) in &gains {
            checked += 1;
            let Some(bound) = joining_bound(all, &likelihood, &fit.view(), *j) else {
                continue;
            };
            bounded += 1;
            assert!(
                *gain <= bound * (1.0 + 1e-6) + 1e-11,
                "{round} {j}: {gain} {bound}"
            );
            tight += usize::from(bound <= 1.1 * gain + 1e-9);
        }
        let mut sorted: Vec<f64> = gains.iter().map(|(_, gain)| *gain).collect();
        sorted.sort_by(f64::total_cmp);
        let places = Placement::Cpu(1);
        let wanted = (1, Gain::Correlation);
        let mut devices = Devices::new(&places, all, y, wanted, &resources, 1).unwrap();
        for share in [0.5, 0.9, 0.99] {
            let least = sorted[(share * sorted.len() as f64) as usize];
            let open = devices
                .find_joining(&[fit.view()], &[least], &|| false)
                .unwrap();
            for (j, gain) in &gains {
                let is_open = open[0].contains(j);
                assert!(
                    is_open || *gain <= least * (1.0 + 1e-9) + 1e-12,
                    "{round} {j} {gain} {least}"
                );
            }
            settled += gains.len() - open[0].len();
        }
    }
    assert!(checked >= 100_000, "{checked}");
    // Most columns have a bound, most bounds are near, and most columns below a number are settled.
    assert!(
        bounded * 10 > checked * 9 && tight * 2 > bounded,
        "{bounded} {tight}"
    );
    assert!(settled * 10 > 3 * checked * 7, "{settled} {checked}");
}
