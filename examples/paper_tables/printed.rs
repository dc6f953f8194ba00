//! What the paper prints: `printed.csv`, every row of its Tables II, III and IV in their order.

use std::error::Error;

const PRINTED: &str = include_str!("printed.csv");

/// One row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// `II`, `III` or `IV`.
    pub table: String,
    /// Particles K.
    pub particles: usize,
    /// Iterations.
    pub iterations: usize,
    /// Probabilities of a forward step: best, improve, random.
    pub forward: [f64; 3],
    /// Probabilities of a backward step: improve, random; none where the paper has `*`, the same
    /// for every pair.
    pub backward: Option<[f64; 2]>,
    /// As printed: mean PSR, mean FDR, and the standard deviations of both.
    pub rates: [String; 4],
}

/// Every row.
///
/// # Errors
/// A file that was edited into nonsense.
pub fn rows() -> Result<Vec<Row>, Box<dyn Error>> {
    let rows = PRINTED.lines().skip(1);
    rows.map(|line| row(line).ok_or_else(|| format!("printed.csv: {line}").into()))
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split(',').collect();
    let [table, particles, iterations, forward, backward, rates @ ..] = &fields[..] else {
        return None;
    };
    let rates: [&str; 4] = rates.try_into().ok()?;
    let backward = match *backward {
        "*" => None,
        pair => Some(numbers(pair)?),
    };
    Some(Row {
        table: (*table).to_owned(),
        particles: particles.parse().ok()?,
        iterations: iterations.parse().ok()?,
        forward: numbers(forward)?,
        backward,
        rates: rates.map(str::to_owned),
    })
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}
