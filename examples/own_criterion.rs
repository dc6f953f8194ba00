//! A criterion of one's own: the consistent AIC of Bozdogan (1987),
//! n·ln(rss/n) + k·(ln n + 1).

use std::path::Path;

use passel::{
    Design, Pass,
    criteria::{Criterion, Model},
    design::DesignOptions,
    table::{ReadOptions, read},
};

#[derive(Debug)]
struct ConsistentAic;

impl Criterion for ConsistentAic {
    fn name(&self) -> &str {
        "caic"
    }

    fn penalty(&self, model: &Model) -> f64 {
        model.parameters() as f64 * ((model.n as f64).ln() + 1.0)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/diabetes.csv");
    let options = DesignOptions {
        response: Some("y"),
        ..DesignOptions::default()
    };
    let design = Design::from_table(read(&data, &ReadOptions::default())?, &options)?;
    let selection = passel::select(&design, &ConsistentAic, &Pass::default())?;

    println!("CAIC = {:.3}", selection.criterion.value);
    for chosen in &selection.selected {
        println!("{:>4}  {:>9.4}", chosen.name, chosen.estimate.coefficient);
    }
    Ok(())
}
