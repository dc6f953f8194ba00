//! Intervals by profiles by what defines them.

use super::{super::*, N, columns, families, firth::Data, responses, some};

/// χ² of one degree of freedom at 95 %.
const QUANTILE: f64 = 3.841_458_820_694_124;

/// The least value of a function of several numbers, one after another by parabolas until none moves.
fn least(of: &dyn Fn(&[f64]) -> f64, mut at: Vec<f64>, scales: &[f64]) -> f64 {
    let mut value = of(&at);
    for _ in 0..400 {
        let before = value;
        for (place, scale) in scales.iter().enumerate() {
            let h = 0.05 * scale;
            let moved = |step: f64| {
                let mut at = at.clone();
                at[place] += step;
                of(&at)
            };
            let (below, above) = (moved(-h), moved(h));
            let step = 0.5 * h * (below - above) / (below - 2.0 * value + above);
            let step = if step.is_finite() {
                step.clamp(-scale, *scale)
            } else {
                0.0
            };
            let new = moved(step);
            if new < value {
                at[place] += step;
                value = new;
            }
        }
        if before - value < 1e-11 * (1.0 + value.abs()) {
            break;
        }
    }
    value
}

#[test]
fn at_each_end_the_deviance_is_its_least_plus_the_quantile() {
    for (family, seed) in families().zip(40..) {
        let (x, draws) = columns(seed, 2);
        let y = responses(family, &x, &draws);
        let weights: Vec<f64> = (0..N).map(|row| 0.5 + (row % 4) as f64).collect();
        let offset: Vec<f64> = (0..N).map(|row| 0.1 * (row % 3) as f64).collect();
        let offset = if family.link() == Link::Inverse {
            vec![0.0; N]
        } else {
            offset
        };
        let response = FamilyResponse::new(family, &y, &[], &weights, &offset).unwrap();
        let (x, ones) = (some(&x, &[0, 1]), vec![1.0; N]);
        let what = format!("{} {}", family.distribution(), family.link());
        let fit = FamilyFit::of(&x, &response, true, None).unwrap();
        let all = [&*ones, x[0], x[1]];
        let mut coefficients = vec![fit.intercept().unwrap()];
        coefficients.extend(fit.coefficients());
        let errors = fit.std_errors();
        let is_negative = family.distribution() == Distribution::NegativeBinomial;
        // −2ℓ up to constants, over the dispersion; of the last number ln θ is made.
        let objective = |b: &[f64]| {
            let means = (0..N).map(|row| {
                let own: f64 = all.iter().zip(b).map(|(x, b)| x[row] * b).sum();
                family.link().mean(own + offset[row]).0
            });
            let means: Vec<f64> = means.collect();
            if means
                .iter()
                .any(|mean| !family.distribution().is_mean(*mean))
            {
                return f64::INFINITY;
            }
            match is_negative {
                true => {
                    let theta = b[3].exp();
                    response.minus_two_log_likelihood(response.deviance(&means, theta), theta)
                }
                false => response.deviance(&means, f64::INFINITY) / fit.dispersion(),
            }
        };
        let mut start = coefficients.clone();
        let mut scales = errors.clone();
        if is_negative {
            start.push(fit.theta().unwrap().ln());
            scales.push(0.2);
        }
        let lowest = objective(&start);
        let profile = Profile::new(x.clone(), vec![0.0; 2], &response, &fit);
        for (at, estimate) in coefficients.iter().enumerate() {
            let ends = profile.ends(at, QUANTILE).map(Option::unwrap);
            assert!(ends[0] < *estimate && *estimate < ends[1], "{what} {at}");
            for end in ends {
                let held = |others: &[f64]| {
                    let mut b = others.to_vec();
                    b.insert(at, end);
                    objective(&b)
                };
                let (mut start, mut scales) = (start.clone(), scales.clone());
                start.remove(at);
                scales.remove(at);
                let rise = least(&held, start, &scales) - lowest;
                assert!((rise - QUANTILE).abs() < 1e-5, "{what} {at} {end}: {rise}");
            }
        }
    }
}

/// One group without events, as closed forms have it: the likelihood of the other is of two parameters.
#[test]
fn an_interval_of_separated_data_has_one_end() {
    let family = Family::new(Distribution::Binomial, None).unwrap();
    let (events, trials, group) = ([4.0, 6.0], [12.0, 6.0], [0.0, 1.0]);
    let response = FamilyResponse::new(family, &events, &trials, &[], &[]).unwrap();
    let fit = FamilyFit::of(&[&group], &response, true, None).unwrap();
    assert_eq!(fit.status(), FitStatus::Separated);
    let profile = Profile::new(vec![&group], vec![0.0], &response, &fit);
    let ends = profile.ends(1, QUANTILE).map(Option::unwrap);
    assert_eq!(ends[1], f64::INFINITY);
    let minus_two = |first: f64, change: f64| {
        let ln_1p = |eta: f64| eta.max(0.0) + (-eta.abs()).exp().ln_1p();
        2.0 * (12.0 * ln_1p(first) - 4.0 * first + 6.0 * ln_1p(-(first + change)))
    };
    let lowest = minus_two(0.5_f64.ln(), f64::INFINITY);
    let held = |others: &[f64]| minus_two(others[0], ends[0]);
    let rise = least(&held, vec![0.5_f64.ln()], &[0.5]) - lowest;
    assert!((rise - QUANTILE).abs() < 1e-6, "{rise}");
    // Of the intercept both are there.
    let ends = profile.ends(0, QUANTILE).map(Option::unwrap);
    let rises = ends.map(|end| minus_two(end, f64::INFINITY) - lowest);
    assert!(
        rises.iter().all(|rise| (rise - QUANTILE).abs() < 1e-6),
        "{ends:?} {rises:?}"
    );
    // Where one column tells all events from all others, nothing is said of another one; where both are needed, each has one end.
    let (x, _) = columns(21, 2);
    for share in [0.0, 0.3] {
        let rows = (0..N).map(|row| x[row] + share * x[N + row] > 0.0);
        let split: Vec<f64> = rows.map(|is| f64::from(u8::from(is))).collect();
        let response = FamilyResponse::new(family, &split, &[], &[], &[]).unwrap();
        let x = some(&x, &[0, 1]);
        let fit = FamilyFit::of(&x, &response, true, None).unwrap();
        assert_eq!(fit.status(), FitStatus::Separated);
        let profile = Profile::new(x.clone(), vec![0.0; 2], &response, &fit);
        let ends = |at| profile.ends(at, QUANTILE).map(Option::unwrap);
        let deviance = |held: usize, at: f64| {
            let minus_two = |b: &[f64]| {
                let mut b = b.to_vec();
                b.insert(held, at);
                let rows = (0..N).map(|row| {
                    let eta = b[0] + b[1] * x[0][row] + b[2] * x[1][row];
                    let eta = if split[row] > 0.5 { -eta } else { eta };
                    2.0 * (eta.max(0.0) + (-eta.abs()).exp().ln_1p())
                });
                rows.sum()
            };
            let start = [0.0, 20.0, 20.0 * share];
            let mut start = start.to_vec();
            start.remove(held);
            least(&minus_two, start, &[2.0, 10.0])
        };
        for held in [1, 2] {
            let [lower, upper] = ends(held);
            assert_eq!(upper, f64::INFINITY, "{share} {held}");
            if share == 0.0 && held == 2 {
                assert_eq!(lower, f64::NEG_INFINITY);
                continue;
            }
            let rise = deviance(held, lower);
            assert!(
                (rise - QUANTILE).abs() < 1e-4,
                "{share} {held} {lower}: {rise}"
            );
        }
    }
}

#[test]
fn ends_by_firths_penalty_are_those_of_its_profile() {
    let (x, draws) = columns(31, 2);
    for distribution in [Distribution::Binomial, Distribution::Poisson] {
        let family = Family::new(distribution, None).unwrap();
        let mut y = responses(family, &x, &draws);
        // No event and no count where the second column is positive.
        let step: Vec<f64> = (0..N)
            .map(|row| f64::from(u8::from(x[N + row] > 0.05)))
            .collect();
        y.iter_mut()
            .zip(&step)
            .filter(|(_, step)| **step > 0.0)
            .for_each(|(y, _)| *y = 0.0);
        let (ones, zeros) = (vec![1.0; N], vec![0.0; N]);
        let response = FamilyResponse::new(family, &y, &[], &[], &[]).unwrap();
        let fit = FamilyFit::firth(&[&x[..N], &step], &response, true).unwrap();
        let columns = vec![&*ones, &x[..N], &step];
        let mut coefficients = vec![fit.intercept().unwrap()];
        coefficients.extend(fit.coefficients());
        let errors = fit.std_errors();
        let data = Data {
            family,
            columns: columns.clone(),
            y: &y,
            trials: &ones,
            weights: &ones,
            offset: &zeros,
        };
        let lowest = -2.0 * data.penalised(&coefficients);
        for at in 0..3 {
            let profile = Profile::new(columns[1..].to_vec(), vec![0.0; 2], &response, &fit);
            for end in profile.ends(at, QUANTILE) {
                let end = end.unwrap();
                let held = |others: &[f64]| {
                    let mut b = others.to_vec();
                    b.insert(at, end);
                    -2.0 * data.penalised(&b)
                };
                let (mut start, mut scales) = (coefficients.clone(), errors.clone());
                start.remove(at);
                scales.remove(at);
                let rise = least(&held, start, &scales) - lowest;
                assert!(
                    (rise - QUANTILE).abs() < 1e-5,
                    "{distribution} {at} {end}: {rise}"
                );
            }
        }
    }
}
