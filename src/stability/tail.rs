//! The heaviest tail of an r-concave distribution, on which the sharpest bound rests.

/// Logarithms of a between which the maximum is looked for, and how many of them at first. Below
/// the least, chances of 10⁻²⁴ would be at stake; the largest is all but a uniform distribution.
const LEAST: f64 = -28.0;
const STEPS: usize = 240;
/// Golden sections of the best of those.
const SECTIONS: usize = 60;

/// D(η, t/b, b, r): the largest P(X ≥ t/b) of any r-concave X on {0, 1/b, …, 1} whose mean is η
/// at most, with r = −1/`power`; 1 for t up to ⌈2ηb⌉, where nothing better is known.
///
/// A probability function f is r-concave, r below 0, where f^r is convex. The heaviest tail is
/// that of an f whose f^r is a straight line, f(i) ∝ (a + i)^(1/r) for i = 0 … k, and at most
/// what the line says at k + 1, the mean being η: one number, a, to be found.
///
/// *Source*: Shah and Samworth 2013, Section 3.3 and Appendix A.4.
pub(super) fn tail(mean: f64, t: usize, b: usize, power: i32) -> f64 {
    // In units of 1/b; that 2 · 0.05 · 100 is a little above 10 must not cost a step.
    let mean = mean * b as f64;
    if t <= (2.0 * mean - 1e-9).ceil() as usize {
        return 1.0;
    }
    if t > b || mean <= 0.0 {
        return 0.0;
    }
    let at = |ln_a: f64| of_line(ln_a.exp(), (mean, t, b), power);
    let most = (1e6 * b as f64).ln();
    let step = (most - LEAST) / STEPS as f64;
    let place = |at: usize| LEAST + step * at as f64;
    let mut best = (0, 0.0);
    for number in 0..=STEPS {
        let value = at(place(number));
        if value > best.1 {
            best = (number, value);
        }
    }
    // The function is continuous and has one maximum between the neighbours of the best.
    let (mut low, mut high) = (place(best.0) - step, place(best.0) + step);
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut at_left, mut at_right) = (at(left), at(right));
    let mut largest = best.1;
    for _ in 0..SECTIONS {
        largest = largest.max(at_left).max(at_right);
        if at_left < at_right {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = at(right);
        } else {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = at(left);
        }
    }
    largest.min(1.0)
}

/// P(X ≥ t) of the line with this a, for a mean in units of 1/b.
fn of_line(a: f64, (mean, t, b): (f64, usize, usize), power: i32) -> f64 {
    // Of 0 … i − 1, with f(0) = 1: their sum, their sum of i·f(i), and the sum below t.
    let (mut mass, mut moment, mut below) = (0.0, 0.0, 0.0);
    for at in 0..=b {
        let i = at as f64;
        let f = (a / (a + i)).powi(power);
        if moment + i * f > mean * (mass + f) {
            // The whole of the line here would take the mean too far: a part of it, the rest of
            // the chance, so that c·moment + i·(1 − c·mass) = mean.
            let c = (i - mean) / (i * mass - moment);
            return if at < t { 0.0 } else { 1.0 - c * below };
        }
        mass += f;
        moment += i * f;
        if at < t {
            below += f;
        }
    }
    1.0 - below / mass
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether f^(−1/power) is convex, and the chances stand side by side.
    fn is_concave(f: &[f64], power: i32) -> bool {
        let raised = |chance: f64| match chance > 0.0 {
            true => chance.powf(-1.0 / f64::from(power)),
            false => f64::INFINITY,
        };
        let g: Vec<f64> = f.iter().map(|chance| raised(*chance)).collect();
        let there: Vec<usize> = (0..f.len()).filter(|at| f[*at] > 0.0).collect();
        let together = there.windows(2).all(|two| two[1] == two[0] + 1);
        let convex = |three: &[f64]| 2.0 * three[1] <= (three[0] + three[2]) * (1.0 + 1e-12);
        together && g.windows(3).all(convex)
    }

    /// The largest tail of all distributions on 0 … 4 of this mean, by the definition alone:
    /// f(2), f(3) and f(4) in steps, in ever smaller steps about the best so far.
    fn searched(mean: f64, t: usize, power: i32) -> f64 {
        let steps = 12_usize;
        let mut ranges = [2.0, 3.0, 4.0].map(|at| (0.0, mean / at));
        let (mut largest, mut best) = (0.0, [0.0; 3]);
        for _ in 0..24 {
            for number in 0..(steps + 1).pow(3) {
                let step = [0, 1, 2].map(|at| number / (steps + 1).pow(at) % (steps + 1));
                let part = |at: usize| {
                    let (low, high): (f64, f64) = ranges[at];
                    low + (high - low) * step[at] as f64 / steps as f64
                };
                let upper @ [f2, f3, f4] = [part(0), part(1), part(2)];
                let f1 = mean - 2.0 * f2 - 3.0 * f3 - 4.0 * f4;
                let f = [1.0 - f1 - f2 - f3 - f4, f1, f2, f3, f4];
                let tail: f64 = f[t..].iter().sum();
                let is_one = f.iter().all(|chance| *chance >= 0.0);
                if is_one && tail > largest && is_concave(&f, power) {
                    (largest, best) = (tail, upper);
                }
            }
            for (range, best) in ranges.iter_mut().zip(best) {
                let half = 0.35 * (range.1 - range.0);
                *range = ((best - half).max(0.0), best + half);
            }
        }
        largest
    }

    #[test]
    fn no_r_concave_distribution_has_a_heavier_tail() {
        for power in [2, 4] {
            for mean in [0.05, 0.4, 0.9, 1.3] {
                for t in [2, 3, 4] {
                    let bound = tail(mean / 4.0, t, 4, power);
                    if bound == 1.0 {
                        continue;
                    }
                    let found = searched(mean, t, power);
                    let told = format!("r −1/{power}, mean {mean}, t {t}: {found} of {bound}");
                    assert!(found <= bound * (1.0 + 1e-9), "{told}");
                    assert!(found >= 0.99 * bound, "{told}");
                }
            }
        }
    }

    /// As the appendix has it: for each k the line's a between the two at which the mean needs
    /// nothing, and all, of the place k + 1; the best of many between them.
    fn by_places(mean: f64, t: usize, b: usize, power: i32) -> f64 {
        let mean = mean * b as f64;
        let f = |a: f64, i: usize| (a + i as f64).powi(-power);
        let own_mean = |a: f64, k: usize| {
            let moment: f64 = (0..=k).map(|i| i as f64 * f(a, i)).sum();
            moment / (0..=k).map(|i| f(a, i)).sum::<f64>()
        };
        let a_of = |k: usize| {
            let (mut low, mut high) = (1e-8_f64, 1e8_f64);
            for _ in 0..120 {
                let middle = (low * high).sqrt();
                match own_mean(middle, k) > mean {
                    true => high = middle,
                    false => low = middle,
                }
            }
            high
        };
        let first = (2.0 * mean).ceil() as usize + 1;
        let mut largest = 0.0_f64;
        for k in first.max(t - 1)..b {
            let (low, high) = (a_of(k + 1), a_of(k));
            for step in 0..=50 {
                let a = low + (high - low) * f64::from(step) / 50.0;
                let below: f64 = (0..t).map(|i| f(a, i)).sum();
                let to_next: f64 = (0..=k).map(|i| (k + 1 - i) as f64 * f(a, i)).sum();
                largest = largest.max(1.0 - ((k + 1) as f64 - mean) * below / to_next);
            }
        }
        largest
    }

    #[test]
    fn the_maximum_over_one_number_is_that_over_all_places() {
        for (power, b, means) in [(2, 50, [0.0001, 0.0025, 0.01]), (4, 100, [0.01, 0.05, 0.1])] {
            for mean in means {
                for t in [b / 4, b / 2, 3 * b / 5, 9 * b / 10, b] {
                    let (one, all) = (tail(mean, t, b, power), by_places(mean, t, b, power));
                    let told = format!("r −1/{power}, mean {mean}, t {t}: {one}, {all}");
                    assert!(
                        one >= all * (1.0 - 1e-9) && one <= all * (1.0 + 1e-4),
                        "{told}"
                    );
                }
            }
        }
    }

    #[test]
    fn three_places_are_solved_by_hand() {
        // f(2) = x, f(1) = m − 2x, f(0) = 1 − m + x, and 2·f(1)^r = f(0)^r + f(2)^r.
        let mean = 0.3;
        for power in [2, 4] {
            let r = -1.0 / f64::from(power);
            let x = tail(mean / 2.0, 2, 2, power);
            let (f0, f1) = (1.0 - mean + x, mean - 2.0 * x);
            let off = 2.0 * f1.powf(r) - f0.powf(r) - x.powf(r);
            assert!(off.abs() < 1e-6, "{off}");
        }
    }

    #[test]
    fn a_tail_further_out_is_lighter_and_a_larger_mean_heavier() {
        for power in [2, 4] {
            for (mean, b) in [
                (1e-9, 50),
                (0.0025, 50),
                (0.05, 100),
                (0.2, 31),
                (0.49, 400),
            ] {
                let tails: Vec<f64> = (0..=b + 1).map(|t| tail(mean, t, b, power)).collect();
                assert!(tails.windows(2).all(|two| two[1] <= two[0]), "{tails:?}");
                assert_eq!((tails[0], tails[b + 1]), (1.0, 0.0));
                let heavier = |t: &usize| tail(1.01 * mean, *t, b, power) >= tails[*t];
                assert!((1..=b).all(|t| heavier(&t)));
                // Markov's inequality holds for any distribution.
                let markov = |t: usize| mean * b as f64 / t as f64;
                assert!((1..=b).all(|t| tails[t] == 1.0 || tails[t] <= markov(t)));
            }
        }
    }
}
