//! Orthogonal polynomials over the values of a variable, by their three-term recurrence.
//!
//! *Source*: Kennedy and Gentle, Statistical Computing (1980), section 10.3; R's `poly` keeps these
//! coefficients for prediction.

/// Finds the coefficients of polynomials of degree 1 to `degree` that are orthogonal over the
/// values: the centers c₁, …, and ‖P₀‖², ‖P₁‖², ….
///
/// The values must be finite and of more than `degree` different ones.
pub(super) fn fit_polynomials(values: &[f64], degree: usize) -> (Vec<f64>, Vec<f64>) {
    let mut centers = Vec::with_capacity(degree);
    let mut squared_norms = vec![values.len() as f64];
    let mut previous = vec![0.0; values.len()];
    let mut present = vec![1.0; values.len()];
    // Values far from zero lose digits: the mean is taken off within the sums.
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    for step in 0..degree {
        let moments = values.iter().zip(&present);
        let moment: f64 = moments.map(|(x, p)| (x - mean) * p * p).sum();
        centers.push(mean + moment / squared_norms[step]);
        let next = next_polynomial(values, &centers, &squared_norms, (&previous, &present));
        squared_norms.push(next.iter().map(|p| p * p).sum());
        previous = std::mem::replace(&mut present, next);
    }
    (centers, squared_norms)
}

/// The polynomials at values, each divided by its norm over the values that they were found of:
/// a column a degree from 1.
pub(super) fn evaluate_polynomials(
    values: &[f64],
    centers: &[f64],
    squared_norms: &[f64],
) -> Vec<Vec<f64>> {
    let mut previous = vec![0.0; values.len()];
    let mut present = vec![1.0; values.len()];
    let mut columns = Vec::with_capacity(centers.len());
    for step in 0..centers.len().min(squared_norms.len().saturating_sub(1)) {
        let known = &centers[..=step];
        let next = next_polynomial(values, known, squared_norms, (&previous, &present));
        let norm = squared_norms[step + 1].sqrt();
        columns.push(next.iter().map(|p| p / norm).collect());
        previous = std::mem::replace(&mut present, next);
    }
    columns
}

/// The polynomial of the degree of the last center, from the two before it.
fn next_polynomial(
    values: &[f64],
    centers: &[f64],
    squared_norms: &[f64],
    (previous, present): (&[f64], &[f64]),
) -> Vec<f64> {
    let step = centers.len() - 1;
    let ratio = match step {
        0 => 0.0,
        _ => squared_norms[step] / squared_norms[step - 1],
    };
    let both = present.iter().zip(previous);
    let points = values.iter().zip(both);
    points
        .map(|(x, (present, previous))| (x - centers[step]) * present - ratio * previous)
        .collect()
}
