//! The list of criteria that `passel criteria` prints.

use passel_criteria::ALL;
use serde_json::{Value, json};

use super::methods::{about, entry};
use crate::plugin::Plugins;

/// Every criterion with its penalty, parameters and source, as text; those of plugins last.
pub fn text(plugins: &Plugins) -> String {
    let page = String::from(
        "Criteria φ = n·ln(rss/n) + penalty, smaller is better; n observations, p candidates, k of\n\
         them chosen, m variables kept (--keep). `--criterion NAME:PARAMETER=NUMBER` picks one.\n",
    );
    page + &all(plugins).iter().map(entry).collect::<String>() + OFFSETS
}

/// What other programs add, which is the same for every model of the same data: neither the intercept
/// nor the error variance is counted here. (n = 32, k = 3: see tests/program/cli.rs.)
const OFFSETS: &str = "
Constants left out here and added by others, of models with an intercept, without weights:
    R          extractAIC()        aic + 2, bic + ln n (k = log(n))
    R          AIC(), MuMIn::AICc  aic, aicc + n·(1 + ln 2π) + 4
    R          BIC()               bic + n·(1 + ln 2π) + 2·ln n
    R          leaps               cp as it is; bic + ln n − n·ln(tss/n)
    SAS        GLMSELECT           aic, aicc + n + 4; bic (its SBC) + ln n; cp as it is
Without an intercept 2, ln n are 0 above, 4 is 2, and 2·ln n is ln n; n + 4 is n + 2.
";

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
