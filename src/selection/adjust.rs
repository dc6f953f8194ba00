//! P-values of several tests, adjusted for their number.

use super::Selection;

/// How p-values are adjusted for the number of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adjustment {
    /// They are not.
    #[default]
    None,
    /// Times the number of tests: the chance of any false rejection is at most the level.
    Bonferroni,
    /// Step by step from the least: that chance too, with more power.
    ///
    /// *Source:* S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    Holm,
    /// Step by step from the largest: of those rejected the expected share of false ones is at most the level, where tests are
    /// independent or positively dependent.
    ///
    /// *Source:* Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical Society B
    /// 57, 1995.
    BenjaminiHochberg,
}

impl Adjustment {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::None,
        Self::Bonferroni,
        Self::Holm,
        Self::BenjaminiHochberg,
    ];

    /// The name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bonferroni => "bonferroni",
            Self::Holm => "holm",
            Self::BenjaminiHochberg => "bh",
        }
    }

    /// The adjusted p-values of tests, as R's `p.adjust` has them: the least level at which each would be rejected. A test
    /// without a p-value is none of them.
    pub fn adjust(self, p: &[Option<f64>]) -> Vec<Option<f64>> {
        let mut order: Vec<(f64, usize)> = p
            .iter()
            .zip(0..)
            .filter_map(|(p, at)| Some(((*p)?, at)))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = order.len();
        let mut adjusted: Vec<Option<f64>> = p.to_vec();
        let scaled = |rank: usize, p: f64| {
            let times = match self {
                Self::None => 1.0,
                Self::Bonferroni => count as f64,
                Self::Holm => (count - rank) as f64,
                Self::BenjaminiHochberg => count as f64 / (rank + 1) as f64,
            };
            (p * times).min(1.0)
        };
        // Never against the order of the tests.
        let mut bound = match self {
            Self::BenjaminiHochberg => 1.0,
            _ => 0.0,
        };
        let mut set = |rank: usize, (p, at): (f64, usize)| {
            let own = scaled(rank, p);
            bound = match self {
                Self::BenjaminiHochberg => f64::min(bound, own),
                _ => f64::max(bound, own),
            };
            adjusted[at] = Some(bound);
        };
        let ranked = order.into_iter().enumerate();
        match self {
            Self::None => {}
            Self::BenjaminiHochberg => ranked.rev().for_each(|(rank, test)| set(rank, test)),
            Self::Bonferroni | Self::Holm => ranked.for_each(|(rank, test)| set(rank, test)),
        }
        adjusted
    }
}

impl Selection {
    /// Adjusts the p-values of the selected variables for the number of these, and those of the terms for theirs. The
    /// intercept is tested by itself.
    pub fn adjust(&mut self, adjustment: Adjustment) {
        if adjustment == Adjustment::None {
            return;
        }
        self.adjusted = Some(adjustment.name().into());
        let p = self.selected.iter().map(|own| own.estimate.p_value);
        let adjusted = adjustment.adjust(&p.collect::<Vec<_>>());
        for (own, p) in self.selected.iter_mut().zip(adjusted) {
            own.estimate.p_adjusted = p;
        }
        let p = self.terms.iter().map(|own| own.p_value);
        let adjusted = adjustment.adjust(&p.collect::<Vec<_>>());
        for (own, p) in self.terms.iter_mut().zip(adjusted) {
            own.p_adjusted = p;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of R's `p.adjust(c(0.01, 0.02, NA, 0.03, 0.9), …)`.
    #[test]
    fn p_values_are_those_of_r() {
        let p = [Some(0.01), Some(0.02), None, Some(0.03), Some(0.9)];
        let own = |adjustment: Adjustment| -> Vec<f64> {
            let all = adjustment.adjust(&p);
            assert_eq!(all[2], None);
            all.into_iter().flatten().collect()
        };
        let near = |own: Vec<f64>, expected: [f64; 4]| {
            let off = own.iter().zip(expected).map(|(a, b)| (a - b).abs());
            assert!(off.fold(0.0, f64::max) < 1e-15, "{own:?}");
        };
        near(own(Adjustment::None), [0.01, 0.02, 0.03, 0.9]);
        near(own(Adjustment::Bonferroni), [0.04, 0.08, 0.12, 1.0]);
        near(own(Adjustment::Holm), [0.04, 0.06, 0.06, 0.9]);
        near(own(Adjustment::BenjaminiHochberg), [0.04, 0.04, 0.04, 0.9]);
    }
}
