//! The largest RSS of each number of terms and of parameters with which a model is as good as the best one
//! known.

use std::{ops::RangeInclusive, sync::atomic::AtomicBool};

use super::super::thresholds::{largest_rss, rises_at};
use crate::search::problem::{Objective, Size, tolerance};

/// Sizes that models may have: for each number of parameters the numbers of terms.
#[derive(Debug, Clone)]
pub(in super::super) struct Sizes {
    by_parameters: Vec<RangeInclusive<usize>>,
    terms: usize,
    mean_width: f64,
}

impl Sizes {
    /// Of terms of at most these widths, with up to so many parameters; where `are_reduced`, terms may have
    /// fewer parameters than columns.
    pub(in super::super) fn of(mut widths: Vec<usize>, are_reduced: bool, largest: usize) -> Self {
        widths.sort_unstable();
        let most = widths.iter().sum::<usize>().min(largest);
        let (mut narrow, mut wide) = (Vec::new(), vec![0]);
        let mut sum = 0;
        for width in &widths {
            sum += width;
            narrow.push(sum);
        }
        for width in widths.iter().rev() {
            wide.push(wide[wide.len() - 1] + width);
        }
        let of_parameters = |parameters: usize| {
            let least = wide.partition_point(|sum| *sum < parameters);
            match are_reduced {
                true => least..=widths.len(),
                false => least..=narrow.partition_point(|sum| *sum <= parameters),
            }
        };
        Self {
            by_parameters: (0..=most).map(of_parameters).collect(),
            terms: widths.len(),
            mean_width: widths.iter().sum::<usize>() as f64 / widths.len() as f64,
        }
    }

    fn all(&self) -> impl Iterator<Item = Size> {
        let by_parameters = self.by_parameters.iter().cloned().enumerate();
        by_parameters
            .flat_map(|(parameters, terms)| terms.map(move |terms| Size { terms, parameters }))
    }

    /// Whether φ never falls while RSS rises, at any of these sizes of at least so many terms.
    pub(in super::super) fn rise_with_rss(&self, objective: &Objective, least: usize) -> bool {
        let undefined = AtomicBool::new(false);
        let objective = objective.noting(&undefined);
        let mut sizes = self.all().filter(|size| size.terms >= least);
        sizes.all(|size| rises_at(&objective, size))
    }
}

/// Thresholds on RSS, the response at unit norm.
#[derive(Debug, Clone)]
pub(in super::super) struct Thresholds {
    /// By the number of parameters, from the least number of terms on.
    by_size: Vec<(usize, Vec<f64>)>,
    /// The RSS that one more column must save near the best model's size, with its share of a term's price;
    /// and that price.
    pub(in super::super) price: f64,
    pub(in super::super) term_price: f64,
}

impl Thresholds {
    /// Thresholds against φ of a model of a size; `rounding` is added.
    pub(in super::super) fn new(
        objective: &Objective,
        (best, size): (f64, Size),
        sizes: &Sizes,
        rounding: f64,
    ) -> Self {
        let undefined = AtomicBool::new(false);
        let objective = objective.noting(&undefined);
        let highest = best + tolerance(best);
        let of_size = |terms: usize, parameters: usize| {
            largest_rss(&objective, Size { terms, parameters }, highest, rounding)
        };
        let by_size = sizes
            .by_parameters
            .iter()
            .enumerate()
            .map(|(parameters, terms)| {
                let own = terms.clone().map(|terms| of_size(terms, parameters));
                (*terms.start(), own.collect())
            });
        let by_size: Vec<(usize, Vec<f64>)> = by_size.collect();
        let all = by_size.iter().flat_map(|(_, own)| own).copied();
        let most = all.fold(1e-12, f64::max);
        // Any prices make valid bounds.
        let own = of_size(size.terms, size.parameters);
        let fall = |terms: usize, parameters: usize| {
            let other = match size.terms + terms <= sizes.terms {
                true => of_size(size.terms + terms, size.parameters + parameters),
                false => f64::NAN,
            };
            Some(own - other).filter(|fall| fall.is_finite() && *fall > 0.0)
        };
        let term_price = fall(1, 0).unwrap_or(0.0);
        let price = match fall(0, 1) {
            Some(price) => price + term_price / sizes.mean_width,
            None => most / 100.0,
        };
        Self {
            by_size,
            price,
            term_price,
        }
    }

    /// The threshold of a size; −∞ where no model has it.
    pub(in super::super) fn at(&self, size: Size) -> f64 {
        let own = self.by_size.get(size.parameters);
        let own = own.and_then(|(least, own)| own.get(size.terms.checked_sub(*least)?));
        own.copied().unwrap_or(f64::NEG_INFINITY)
    }
}
