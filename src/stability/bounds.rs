//! Bounds on the expected number of false picks, by the cut-off of frequencies.
//!
//! With q the mean number of variables chosen from a resample, p the candidates and θ = q/p, a
//! false pick is, to Shah and Samworth, a variable that the method chooses from half of the rows
//! with a chance of θ at most; to Meinshausen and Bühlmann, one without an effect.

use super::tail::tail;

/// One of the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// q² / ((2π − 1)·p), of variables without an effect: where these are exchangeable, and the
    /// method is no worse than guessing, for subsamples of at most half the rows.
    ///
    /// *Source*: Meinshausen and Bühlmann 2010, Theorem 1.
    MeinshausenBuhlmann,
    /// The same number, of complementary pairs, without any assumption.
    ///
    /// *Source*: Shah and Samworth 2013, Theorem 1.
    WorstCase,
    /// C·q²/p, C = 1 / (2·(2τ − 1 − 1/(2B))) up to τ = 3/4, from there on
    /// 4·(1 − τ + 1/(2B)) / (1 + 1/B): of B complementary pairs, where the share of pairs both
    /// of whose halves choose a variable has a unimodal distribution.
    ///
    /// *Source*: Shah and Samworth 2013, Theorem 2.
    Unimodal,
    /// p·min{D(θ², 2τ − 1, B, −1/2), D(θ, τ, 2B, −1/4)}, D the heaviest tail of an r-concave
    /// distribution: of B complementary pairs, where the share of pairs has a −1/2-concave
    /// distribution and that of halves a −1/4-concave one.
    ///
    /// *Source*: Shah and Samworth 2013, Section 3.3, (8).
    RConcave,
}

/// What bounds go by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundInput {
    /// Variables chosen from a resample, on average.
    pub q: f64,
    /// Candidates.
    pub p: usize,
    /// Resamples; of complementary pairs both halves.
    pub resamples: usize,
}

impl Bound {
    /// As reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MeinshausenBuhlmann => "meinshausen-buehlmann",
            Self::WorstCase => "worst-case",
            Self::Unimodal => "unimodal",
            Self::RConcave => "r-concave",
        }
    }

    /// The expected number of false picks at most, where a variable is selected that was chosen
    /// from so many of the resamples; none where the bound says nothing.
    pub fn expected_false(self, count: usize, chances: &BoundInput) -> Option<f64> {
        let BoundInput { q, p, resamples } = *chances;
        if q <= 0.0 || p == 0 {
            return Some(0.0);
        }
        let whole = p as f64;
        let theta = q / whole;
        let tau = count as f64 / resamples as f64;
        let pairs = resamples / 2;
        match self {
            Self::MeinshausenBuhlmann | Self::WorstCase => {
                (2 * count > resamples).then(|| q * theta / (2.0 * tau - 1.0))
            }
            Self::Unimodal => {
                // Of one pair, in units of a cut-off.
                let one = 0.5 / pairs as f64;
                let least = (0.5 + theta * theta).min(0.5 + one + 0.75 * theta * theta);
                let holds = theta * theta <= 1.0 / 3.0 && tau > least;
                let c = match 4 * count <= 3 * resamples {
                    true => 0.5 / (2.0 * tau - 1.0 - one),
                    false => 4.0 * (1.0 - tau + one) / (1.0 + 2.0 * one),
                };
                (holds && c > 0.0).then_some(c * q * theta)
            }
            Self::RConcave => {
                let both = match count > pairs {
                    true => tail(theta * theta, count - pairs, pairs, 2),
                    false => 1.0,
                };
                Some(whole * both.min(tail(theta, count, resamples, 4)))
            }
        }
    }

    /// The least count above half of the resamples at which the bound is at most what is wanted;
    /// none where even all of them are too few.
    ///
    /// A cut-off of one half or less would select what most resamples do not choose; the
    /// r-concave bound would allow it.
    pub fn cutoff(self, wanted: f64, chances: &BoundInput) -> Option<usize> {
        // A bound that is what is wanted, but for rounding, is enough.
        let wanted = wanted * (1.0 + 1e-12);
        let enough = |count| {
            self.expected_false(count, chances)
                .is_some_and(|it| it <= wanted)
        };
        let (mut least, mut most) = (chances.resamples / 2 + 1, chances.resamples);
        if least > most || !enough(most) {
            return None;
        }
        // Bounds fall with the cut-off.
        while least < most {
            let middle = (least + most) / 2;
            match enough(middle) {
                true => most = middle,
                false => least = middle + 1,
            }
        }
        Some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Bound; 4] = [
        Bound::MeinshausenBuhlmann,
        Bound::WorstCase,
        Bound::Unimodal,
        Bound::RConcave,
    ];

    fn chances(q: f64, p: usize, pairs: usize) -> BoundInput {
        BoundInput {
            q,
            p,
            resamples: 2 * pairs,
        }
    }

    #[track_caller]
    fn near(a: Option<f64>, b: f64, digits: f64) {
        assert!(a.is_some_and(|a| (a - b).abs() <= digits), "{a:?} {b}");
    }

    #[test]
    fn values_are_those_printed_by_the_package_stabs() {
        // tests/regtest-inference.Rout.save of stabs 0.6: B = 50, cut-off 0.6, p = 100.
        let concave = [
            0.006971364,
            0.03342845,
            0.08691176,
            0.1637231,
            0.2605329,
            0.3820466,
            0.5295188,
            0.7042719,
            0.9077127,
            1.141338,
        ];
        for (at, printed) in concave.into_iter().enumerate() {
            let q = (at + 1) as f64;
            let told = chances(q, 100, 50);
            // Its search does not reach the ends of its intervals, where the largest tail is for
            // small q: what it prints may be a little too small.
            let own = Bound::RConcave.expected_false(60, &told).unwrap();
            assert!(own >= printed * (1.0 - 1e-6), "{own} {printed}");
            assert!(own <= printed * 1.004, "{own} {printed}");
            near(
                Bound::Unimodal.expected_false(60, &told),
                0.02631579 * q * q,
                1e-8 * q * q,
            );
            near(
                Bound::WorstCase.expected_false(60, &told),
                0.05 * q * q,
                1e-12 * q * q,
            );
        }
        let told = |q| chances(q, 200, 50);
        near(Bound::RConcave.expected_false(60, &told(6.0)), 0.174, 5e-4);
        near(Bound::RConcave.expected_false(60, &told(7.0)), 0.248, 5e-4);
        near(Bound::RConcave.expected_false(62, &told(7.0)), 0.196, 5e-4);
        near(Bound::RConcave.expected_false(61, &told(7.0)), 0.219, 5e-4);
        assert_eq!(Bound::RConcave.cutoff(0.2, &told(7.0)), Some(62));
        assert_eq!(Bound::Unimodal.cutoff(0.2, &told(7.0)), Some(81));
        // Bodyfat, q = 3 of 10: 0.176 at 0.96, where 0.2 is wanted; 0.9 at 1 without assumption.
        let bodyfat = chances(3.0, 10, 50);
        assert_eq!(Bound::Unimodal.cutoff(0.2, &bodyfat), Some(96));
        near(Bound::Unimodal.expected_false(96, &bodyfat), 0.176, 5e-4);
        near(
            Bound::MeinshausenBuhlmann.expected_false(100, &bodyfat),
            0.9,
            1e-12,
        );
        assert_eq!(Bound::MeinshausenBuhlmann.cutoff(0.2, &bodyfat), None);
    }

    #[test]
    fn bounds_fall_with_the_cutoff_and_rise_with_q() {
        for pairs in [1, 2, 7, 50] {
            for (q, p) in [(0.5, 1000), (3.0, 10), (20.0, 1000), (49.0, 100)] {
                let (told, more) = (chances(q, p, pairs), chances(1.1 * q, p, pairs));
                for bound in ALL {
                    let each: Vec<_> = (1..=2 * pairs)
                        .map(|at| bound.expected_false(at, &told))
                        .collect();
                    let known: Vec<f64> = each.iter().copied().flatten().collect();
                    assert!(known.windows(2).all(|two| two[1] <= two[0]), "{bound:?}");
                    // Where one says something, it does so from there on.
                    let first = each.iter().position(Option::is_some);
                    let first = first.unwrap_or(each.len());
                    assert!(each[first..].iter().all(Option::is_some), "{bound:?}");
                    for at in 1..=2 * pairs {
                        let rises = bound
                            .expected_false(at, &more)
                            .zip(bound.expected_false(at, &told));
                        assert!(rises.is_none_or(|(more, less)| more >= less));
                    }
                }
            }
        }
    }

    #[test]
    fn the_sharper_the_assumption_the_smaller_the_bound() {
        let told = chances(20.0, 1000, 50);
        for count in 52..=100 {
            let [_, worst, unimodal, concave] = ALL.map(|it| it.expected_false(count, &told));
            assert!(unimodal <= worst && concave <= unimodal, "{count}");
        }
    }

    #[test]
    fn the_cutoff_is_the_least_that_is_enough() {
        for pairs in [3, 50] {
            for (q, p) in [(2.0, 10), (5.0, 500), (30.0, 400)] {
                let told = chances(q, p, pairs);
                for wanted in [0.01, 0.3, 1.0, 5.0, 1e6] {
                    let near = wanted * (1.0 + 1e-12);
                    for bound in ALL {
                        let enough = |at: &usize| {
                            bound
                                .expected_false(*at, &told)
                                .is_some_and(|it| it <= near)
                        };
                        let least = (pairs + 1..=2 * pairs).find(enough);
                        assert_eq!(bound.cutoff(wanted, &told), least, "{bound:?} {told:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn small_cases_are_exact() {
        // Of a bound that is just reached.
        let told = chances(2.0, 40, 5);
        near(Bound::WorstCase.expected_false(6, &told), 0.5, 1e-12);
        assert_eq!(Bound::WorstCase.cutoff(0.5, &told), Some(6));
        assert_eq!(Bound::WorstCase.expected_false(5, &told), None);
        // Nothing was chosen: nothing is false. Nor where there is nothing to choose.
        for bound in ALL {
            assert_eq!(bound.cutoff(0.1, &chances(0.0, 40, 5)), Some(6));
            assert_eq!(bound.expected_false(10, &chances(0.0, 0, 5)), Some(0.0));
        }
        // All is chosen always: all may be false.
        let all = chances(40.0, 40, 5);
        near(Bound::RConcave.expected_false(10, &all), 40.0, 0.0);
        assert_eq!(Bound::Unimodal.expected_false(10, &all), None);
        // One subsample alone.
        let one = BoundInput {
            q: 1.0,
            p: 10,
            resamples: 1,
        };
        assert_eq!(Bound::MeinshausenBuhlmann.cutoff(0.1, &one), Some(1));
    }
}
