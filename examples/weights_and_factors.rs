//! PaSS with named variables, a factor, weights and a variable that every model holds.

use passel::{Design, DesignOptions, Pass, Table, criteria::Bic};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let column = |by: i32| (0..80).map(|i| i * 13 % by).collect::<Vec<i32>>();
    let (age, dose, weight) = (column(50), column(17), column(3));
    let site: Vec<&str> = (0..80).map(|i| ["north", "south"][i / 40]).collect();
    let y: Vec<i32> = (0..80)
        .map(|i| 2 * dose[i] + i as i32 / 40 + i as i32 % 5)
        .collect();
    let columns = [("age", age), ("dose", dose), ("weight", weight), ("y", y)];
    let columns = columns.map(|(name, numbers)| (name, numbers.into()));

    let mut options = DesignOptions::default();
    (options.response, options.weights) = (Some("y"), Some("weight"));
    let keep = ["age".to_owned()];
    options.keep = &keep;
    let table = Table::from_columns(columns.into_iter().chain([("site", site.into())]))?;
    let selection = passel::select(
        &Design::from_table(table, &options)?,
        &Bic,
        &Pass::default(),
    )?;
    for chosen in &selection.selected {
        println!("{:>10}  {:>8.4}", chosen.name, chosen.estimate.coefficient);
    }
    Ok(())
}
