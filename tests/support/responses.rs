//! Responses of families, as problems in JSON describe them.

use passel::{
    Table,
    family::{Distribution, Family, FamilyResponse, Link},
    table::Values,
};
use serde_json::Value;

/// The values of a column of numbers.
fn numbers(table: &Table, name: &str) -> Vec<f64> {
    let column = table.columns.iter().find(|own| own.name == name).unwrap();
    match &column.values {
        Values::Numbers(values) => values.to_vec(),
        Values::Bytes(values) => values.iter().map(|value| f64::from(*value)).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

/// The response of this name: `family` and `link` name its own, `events` (the number of trials), `weights` and `offset`
/// columns, where there are any.
pub fn response(table: &Table, name: &str, problem: &Value) -> FamilyResponse {
    let text = |field: &str| problem[field].as_str();
    let column = |field: &str| text(field).map_or(Vec::new(), |name| numbers(table, name));
    let distribution = Distribution::named(text("family").unwrap()).unwrap();
    let family = Family::new(distribution, Link::named(text("link").unwrap())).unwrap();
    let y = numbers(table, name);
    let (trials, weights, offset) = (column("events"), column("weights"), column("offset"));
    FamilyResponse::new(family, &y, &trials, &weights, &offset).unwrap()
}
