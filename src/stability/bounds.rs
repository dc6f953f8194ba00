//! Bounds on the expected number of false picks, by the cut-off of frequencies.
//!
//! With q the mean number of variables chosen from a resample, p the candidates and θ = q/p, a
//! false pick is, to Shah and Samworth, a variable that the method chooses from half of the rows
//! with a chance of θ at most; to Meinshausen and Bühlmann, one without an effect.

use super::tail::tail;

/// A bound on the expected number of false selections, by the assumption it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// q² / ((2π − 1)·p), of variables without an effect: where these are exchangeable, and the
    /// method is no worse than guessing, for subsamples of at most half the rows.
    ///
    /// *Source*: Meinshausen and Bühlmann 2010, Theorem 1.
    MeinshausenBuhlmann,
    /// q² / ((2π − 1)·p), for complementary pairs, without any assumption.
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

/// The numbers that a bound depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundInput {
    /// q, the mean number of variables selected from a resample.
    pub q: f64,
    /// p, the number of candidates.
    pub p: usize,
    /// The number of resamples; a complementary pair counts as two.
    pub resamples: usize,
}

impl Bound {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::MeinshausenBuhlmann => "meinshausen-buehlmann",
            Self::WorstCase => "worst-case",
            Self::Unimodal => "unimodal",
            Self::RConcave => "r-concave",
        }
    }

    /// The bound on the expected number of false selections where the variables that `count` or
    /// more resamples selected are taken; `None` where the bound says nothing.
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

    /// The least count above half of the resamples at which the bound is at most `wanted`; `None`
    /// where even all of them do not reach it.
    ///
    /// A cut-off of one half or less would select what most resamples do not choose; the
    /// r-concave bound would allow it.
    pub fn cutoff(self, wanted: f64, chances: &BoundInput) -> Option<usize> {
        // A bound that is what is wanted, but for rounding, is enough.
        let wanted = wanted * (1.0 + 1e-12);
        let enough = |count| {
            self.expected_false(count, chances)
                .is_some_and(|number| number <= wanted)
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
