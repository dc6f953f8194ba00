//! A pair score that cannot be declared: a function of the table, in Rust for CPUs and in CUDA C
//! for GPUs.

use passel_sdk::{Function, PairMeasure, PairScore, Table};

/// **χ²** of the table of both variables joined and the response: how far the counts are from
/// what independence would make of the margins. Symmetric in the two.
pub const CHI2: PairScore = PairScore {
    name: "chi2",
    title: "χ² of two variables and the response",
    formula: "Σ (observed − expected)² / expected over the cells of ((x,w), y)",
    source: "K. Pearson, On the criterion that a given system of deviations …, Philosophical Magazine 50 (1900) 157–175",
    parameters: &[],
    measure: PairMeasure::Function(&CHI2_OF_TABLE),
};

static CHI2_OF_TABLE: Function = Function::new(chi2)
    .cuda(include_str!("chi2.cu"))
    .tolerance(1e-12);

fn chi2(_: &[f64], table: &Table) -> f64 {
    // Σ (o − e)²/e = n·(Σ o² / (row · column) − 1).
    let responses = table.responses();
    let mut sum = 0.0;
    for row in table.rows() {
        let whole: u32 = row.iter().sum();
        for (&count, &response) in row.iter().zip(&responses) {
            // An empty row or column has empty cells alone.
            if count > 0 {
                let count = f64::from(count);
                sum += count * count / (f64::from(whole) * response as f64);
            }
        }
    }
    table.n() as f64 * (sum - 1.0)
}

passel_sdk::plugin! { name: chi2, pair_scores: [CHI2] }

#[cfg(test)]
mod tests {
    use super::*;
    use passel_sdk::trial;

    #[test]
    fn a_table_worked_by_hand() {
        // y is x alone: the four cells of (x, w) have 2 observations each, all of one response.
        // Each expects 1: Σ (2 − 1)² / 1 + (0 − 1)² / 1 = 8 over eight cells.
        let (x, w) = ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]);
        let value = trial::pair_score(&CHI2, &[], &x, &w, &x);
        assert!((value - 8.0).abs() < 1e-12);
        // Independent: nothing.
        let y = [0, 1, 0, 1, 0, 1, 0, 1];
        assert!(trial::pair_score(&CHI2, &[], &x, &w, &y).abs() < 1e-12);
    }
}
