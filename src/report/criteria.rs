//! The list of criteria that `passel criteria` prints.

use std::fmt::Write;

use passel_criteria::ALL;
use serde_json::{Value, json};

use super::methods::{about, entry_of};
use crate::plugin::Plugins;

/// Every criterion with its penalty, parameters and source, for a reader; those of plugins
/// last.
pub fn text(plugins: &Plugins) -> String {
    let mut page = String::from(
        "Criteria φ = n·ln(rss/n) + penalty, smaller is better; n observations, p\n\
         candidates, k chosen variables. `--criterion NAME:PARAMETER=NUMBER` picks one.\n",
    );
    for entry in ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "\n{}  {}", entry.name, entry.title);
        let _ = writeln!(page, "    penalty    {}", entry.penalty);
        for parameter in entry.parameters {
            let _ = writeln!(
                page,
                "    parameter  {} = {}, in {} … {}",
                parameter.name, parameter.default, parameter.min, parameter.max
            );
        }
        let _ = writeln!(page, "    source     {}", entry.source);
    }
    for criterion in plugins.criteria() {
        entry_of(&mut page, &criterion.info);
    }
    page
}

/// Every criterion as JSON: passel's own have a penalty, those of plugins a formula.
pub fn json(plugins: &Plugins) -> String {
    let own = ALL.iter().map(|entry| {
        let parameters = entry.parameters.iter().map(
            |parameter| json!({ "name": parameter.name, "default": parameter.default, "min": parameter.min, "max": parameter.max }),
        );
        json!({
            "name": entry.name,
            "title": entry.title,
            "penalty": entry.penalty,
            "parameters": parameters.collect::<Vec<_>>(),
            "source": entry.source,
        })
    });
    let others = plugins.criteria().map(|criterion| about(&criterion.info));
    format!("{:#}\n", Value::from(own.chain(others).collect::<Vec<_>>()))
}
