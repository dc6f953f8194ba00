//! The error of the best models of each size.

use super::{
    Measure, Scheme,
    errors::{of_repeats, of_rows, out_of_bag, rows_of},
    response::{Judged, Response},
};

/// The error of models of one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SizeErrors {
    pub(crate) size: usize,
    pub(crate) value: f64,
    pub(crate) std_error: Option<f64>,
}

/// The errors of sizes by a measure whose least is the best, each with the place of its models in the splits, ascending; with the size of the least error, and the
/// smallest one whose error is within one standard error of that. Of a bootstrap they are out of the bag.
///
/// *Source:* L. Breiman et al., *Classification and Regression Trees* (1984), section 3.4.3.
pub(crate) fn errors_by_size(
    (scheme, measure): (Scheme, Measure),
    response: &Response,
    judged: &[Judged],
    sizes: impl Iterator<Item = (usize, usize)>,
) -> (Vec<SizeErrors>, Option<[usize; 2]>) {
    let of_size = |(size, model): (usize, usize)| {
        let (value, std_error) = match scheme {
            Scheme::Bootstrap { .. } => {
                let others = judged.get(1..).unwrap_or_default();
                of_rows(
                    measure,
                    response,
                    &out_of_bag(scheme, response, others, model),
                )
            }
            _ => {
                let rows = rows_of(scheme, response, judged, model);
                of_repeats(measure, response, &rows, judged)
            }
        };
        let value = value?;
        Some(SizeErrors {
            size,
            value,
            std_error,
        })
    };
    let all: Vec<SizeErrors> = sizes.filter_map(of_size).collect();
    let best = all.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let chosen = best.and_then(|best| {
        let most = best.value + best.std_error.unwrap_or(0.0);
        let within = all.iter().find(|own| own.value <= most)?;
        Some([best.size, within.size])
    });
    (all, chosen)
}
