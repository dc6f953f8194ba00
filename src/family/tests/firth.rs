//! Estimates by Firth's penalty by what defines them.

use super::{super::*, N, columns, responses, some};

/// ln of the determinant of a symmetric positive matrix, by elimination.
pub(super) fn ln_determinant(mut a: Vec<Vec<f64>>) -> f64 {
    let mut sum = 0.0;
    for k in 0..a.len() {
        sum += a[k][k].ln();
        for i in k + 1..a.len() {
            let (above, below) = a.split_at_mut(i);
            let share = below[0][k] / above[k][k];
            let rest = below[0].iter_mut().zip(&above[k]);
            rest.for_each(|(own, pivot)| *own -= share * pivot);
        }
    }
    sum
}

/// Rows of a regression: columns, responses, trials, weights, offsets.
pub(super) struct Data<'a> {
    pub(super) family: Family,
    pub(super) columns: Vec<&'a [f64]>,
    pub(super) y: &'a [f64],
    pub(super) trials: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) offset: &'a [f64],
}

impl Data<'_> {
    /// ℓ + ½ ln |XᵀWX| without constants, by its definition.
    pub(super) fn penalised(&self, b: &[f64]) -> f64 {
        let k = b.len();
        let (mut sum, mut information) = (0.0, vec![vec![0.0; k]; k]);
        for (row, y) in self.y.iter().enumerate() {
            let x: Vec<f64> = self.columns.iter().map(|column| column[row]).collect();
            let own: f64 = x.iter().zip(b).map(|(x, b)| x * b).sum();
            let eta = own + self.offset[row];
            let (m, w) = (self.trials[row], self.weights[row]);
            let variance = match self.family.distribution() {
                Distribution::Poisson => {
                    sum += w * (y * eta - eta.exp());
                    w * eta.exp()
                }
                _ => {
                    let p = 1.0 / (1.0 + (-eta).exp());
                    sum += w * (y * p.ln() + (m - y) * (1.0 - p).ln());
                    w * m * p * (1.0 - p)
                }
            };
            for a in 0..k {
                for b in 0..k {
                    information[a][b] += variance * x[a] * x[b];
                }
            }
        }
        sum + ln_determinant(information) / 2.0
    }
}

#[test]
fn the_penalised_score_is_zero_at_the_estimates() {
    let (x, draws) = columns(11, 3);
    let weights: Vec<f64> = (0..N).map(|row| 0.5 + (row % 4) as f64).collect();
    let offset: Vec<f64> = (0..N).map(|row| 0.1 * (row % 3) as f64).collect();
    let trials: Vec<f64> = (0..N).map(|row| 1.0 + (row % 3) as f64).collect();
    let ones = vec![1.0; N];
    let x = some(&x, &[0, 1, 2]);
    for (distribution, has_trials) in [
        (Distribution::Binomial, false),
        (Distribution::Binomial, true),
        (Distribution::Poisson, false),
    ] {
        let family = Family::new(distribution, None).unwrap();
        let mut y = responses(family, x[0], &draws);
        let trials = if has_trials { &trials } else { &ones };
        if has_trials {
            y.iter_mut()
                .zip(trials)
                .for_each(|(y, m)| *y = (*y * m - 0.5).ceil());
        }
        // The last has no end by likelihood: no event, or no count, where its column is positive.
        let separated = y
            .iter()
            .zip(x[2])
            .map(|(y, x)| if *x > 0.0 { 0.0 } else { *y });
        let separated: Vec<f64> = separated.collect();
        let step: Vec<f64> = x[2].iter().map(|x| f64::from(u8::from(*x > 0.0))).collect();
        for (y, intercept, last) in [
            (&y, true, x[1]),
            (&y, false, x[1]),
            (&separated, true, &step),
        ] {
            let what = format!("{distribution} {has_trials} {intercept}");
            let given = if has_trials { &trials[..] } else { &[] };
            let response = FamilyResponse::new(family, y, given, &weights, &offset).unwrap();
            let fit = FamilyFit::firth(&[x[0], last], &response, intercept).unwrap();
            assert_eq!(fit.status(), FitStatus::Converged, "{what}");
            let mut all = vec![x[0], last];
            let mut b = fit.coefficients().to_vec();
            if let Some(first) = fit.intercept() {
                all.insert(0, &ones);
                b.insert(0, first);
            }
            let (trials, weights, offset) = (trials, &weights, &offset);
            let data = Data {
                family,
                columns: all,
                y,
                trials,
                weights,
                offset,
            };
            let errors = fit.std_errors();
            assert!(errors.iter().all(|error| *error > 0.0 && error.is_finite()));
            for at in 0..b.len() {
                let moved = |step: f64| {
                    let mut b = b.clone();
                    b[at] += step * errors[at];
                    data.penalised(&b)
                };
                // Differences of fourth order: the slope per standard error is nought.
                let h = 0.01;
                let slope = (8.0 * (moved(h) - moved(-h)) - (moved(2.0 * h) - moved(-2.0 * h)))
                    / (12.0 * h);
                assert!(slope.abs() < 1e-7, "{what} {at}: {slope:e}");
                assert!(
                    moved(0.0) > moved(0.2) && moved(0.0) > moved(-0.2),
                    "{what} {at}"
                );
            }
        }
    }
    // The penalty is Jeffreys' prior of canonical links alone.
    let y: Vec<f64> = (0..N).map(|row| 1.0 + (row % 2) as f64).collect();
    for (distribution, shift) in [(Distribution::Binomial, 1.0), (Distribution::Gamma, 0.0)] {
        let links = [Link::Probit, Link::Log].into_iter();
        let mut own = links.filter_map(|link| Family::new(distribution, Some(link)).ok());
        let y: Vec<f64> = y.iter().map(|y| y - shift).collect();
        let response = FamilyResponse::new(own.next().unwrap(), &y, &[], &[], &[]).unwrap();
        let refused = FamilyFit::firth(&[], &response, true).unwrap_err();
        assert!(refused.to_string().contains("Firth's penalty"), "{refused}");
    }
}

/// Two groups: half an event and half of none are added to each (Haldane 1955, Anscombe 1956).
#[test]
fn two_by_two_tables_have_a_closed_form() {
    let family = Family::new(Distribution::Binomial, None).unwrap();
    let group = [0.0, 1.0];
    for [a, b, c, d] in [
        [7.0, 5.0, 3.0, 9.0_f64],
        [0.0, 6.0, 4.0, 8.0],
        [0.0, 6.0, 9.0, 0.0],
    ] {
        let (events, trials) = ([c, a], [c + d, a + b]);
        let response = FamilyResponse::new(family, &events, &trials, &[], &[]).unwrap();
        let fit = FamilyFit::firth(&[&group], &response, true).unwrap();
        let logit = |events: f64, others: f64| ((events + 0.5) / (others + 0.5)).ln();
        let expected = logit(a, b) - logit(c, d);
        assert!((fit.coefficients()[0] - expected).abs() < 1e-9 * expected.abs());
        assert!((fit.intercept().unwrap() - logit(c, d)).abs() < 1e-9);
        let variance = |events: f64, others: f64| {
            let (n, p) = (events + others, (events + 0.5) / (events + others + 1.0));
            1.0 / (n * p * (1.0 - p))
        };
        let error = (variance(a, b) + variance(c, d)).sqrt();
        assert!((fit.std_errors()[1] - error).abs() < 1e-8 * error);
        // Single trials are the same.
        let (mut y, mut x) = (Vec::new(), Vec::new());
        for (group, (events, others)) in [(1.0, (a, b)), (0.0, (c, d))] {
            for at in 0..(events + others) as usize {
                y.push(f64::from(u8::from((at as f64) < events)));
                x.push(group);
            }
        }
        let response = FamilyResponse::new(family, &y, &[], &[], &[]).unwrap();
        let single = FamilyFit::firth(&[&x], &response, true).unwrap();
        assert!((single.coefficients()[0] - expected).abs() < 1e-9 * expected.abs());
    }
    // Counts of one mean have half a count more.
    let family = Family::new(Distribution::Poisson, None).unwrap();
    let y = [0.0, 2.0, 1.0, 4.0];
    let response = FamilyResponse::new(family, &y, &[], &[], &[]).unwrap();
    let fit = FamilyFit::firth(&[], &response, true).unwrap();
    assert!((fit.intercept().unwrap() - (7.5_f64 / 4.0).ln()).abs() < 1e-10);
}
