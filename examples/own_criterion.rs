//! A criterion of one's own: the corrected AIC of Hurvich and Tsai (1989),
//! n·ln(rss/n) + 2k + 2k(k + 1)/(n − k − 1).

use std::path::Path;

use passel::{
    Design, Pass,
    criteria::Criterion,
    design::DesignOptions,
    table::{ReadOptions, read},
};

#[derive(Debug)]
struct CorrectedAic;

impl Criterion for CorrectedAic {
    fn name(&self) -> &str {
        "aicc"
    }

    fn penalty(&self, n: usize, _p: usize, k: usize) -> f64 {
        let (n, k) = (n as f64, k as f64);
        2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/diabetes.csv");
    let options = DesignOptions {
        response: Some("y"),
        ..DesignOptions::default()
    };
    let design = Design::from_table(read(&data, &ReadOptions::default())?, &options)?;
    let selection = passel::select(&design, &CorrectedAic, &Pass::default())?;

    println!("AICc = {:.3}", selection.criterion.value);
    for chosen in &selection.selected {
        println!("{:>4}  {:>9.4}", chosen.name, chosen.estimate.coefficient);
    }
    Ok(())
}
