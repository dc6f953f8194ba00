//! From nalgebra matrices to a printed selection.

use nalgebra::{DMatrix, DVector};
use passel::{Design, Pass, criteria::EbicMonotone};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 60 observations of 12 variables, two of which make the response.
    let x = DMatrix::from_fn(60, 12, |i, j| ((i * i + 31 * i * j + 7 * j) % 101) as f64);
    let y = DVector::from_fn(60, |i, _| 2.0 * x[(i, 3)] - x[(i, 8)] + (i % 5) as f64);

    let design = Design::from_matrices(&x, &y, &Default::default())?;
    let selection = passel::select(&design, &EbicMonotone::default(), &Pass::default())?;

    println!("EBIC = {:.3}", selection.criterion.value);
    for chosen in &selection.selected {
        println!("{:>4}  {:>8.4}", chosen.name, chosen.estimate.coefficient);
    }
    Ok(())
}
