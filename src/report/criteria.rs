//! The list of criteria that `passel criteria` prints.

use passel_criteria::ALL;
use serde_json::{Value, json};

use super::methods::{about, entry};
use crate::plugin::Plugins;

/// Every criterion with its penalty, parameters and source, for a reader; those of plugins
/// last.
pub fn text(plugins: &Plugins) -> String {
    let page = String::from(
        "Criteria φ = n·ln(rss/n) + penalty, smaller is better; n observations, p\n\
         candidates, k chosen variables. `--criterion NAME:PARAMETER=NUMBER` picks one.\n",
    );
    page + &all(plugins).iter().map(entry).collect::<String>()
}

/// Every criterion as JSON: passel's own have a penalty, those of plugins a formula.
pub fn json(plugins: &Plugins) -> String {
    format!("{:#}\n", Value::from(all(plugins)))
}

fn all(plugins: &Plugins) -> Vec<Value> {
    let own = ALL.iter().map(|entry| {
        let parameters = entry.parameters.iter().map(|own| {
            json!({ "name": own.name, "default": own.default, "min": own.min, "max": own.max })
        });
        json!({
            "name": entry.name,
            "title": entry.title,
            "penalty": entry.penalty,
            "parameters": parameters.collect::<Vec<_>>(),
            "source": entry.source,
        })
    });
    let others = plugins.criteria().map(|criterion| about(&criterion.info));
    own.chain(others).collect()
}
