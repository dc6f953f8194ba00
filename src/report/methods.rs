//! The list of methods that `passel methods` prints.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::plugin::{MethodInfo, MethodParameter, PASS, Plugins};

/// The description of passel's own method.
const TITLE: &str = "particle swarm stepwise";
const FORMULA: &str = "the model of least φ; `passel criteria` lists the criteria";
const SOURCE: &str = "M. Yang, R.-B. Chen, I-H. Chung and W. Wang, Particle Swarm Stepwise \
                      Algorithm (PaSS) on Multicore Hybrid CPU-GPU Clusters (2016)";

/// Every method and every pair score with its formula, parameters and source, for a reader.
pub fn text(plugins: &Plugins) -> String {
    let mut page = String::from(
        "Methods. Of a selector the score, larger is better: x the candidate, w a chosen\n\
         variable, S all chosen ones, y the response, I and H in nats. A method is written\n\
         NAME or NAME:PARAMETER=NUMBER.\n",
    );
    entry(&mut page, [PASS, TITLE, FORMULA], &[], SOURCE, None);
    for method in plugins.methods() {
        entry_of(&mut page, &method.info);
    }
    if plugins.pair_scores().next().is_some() {
        page += "\nPair scores, larger is better: x and w the two variables, y the response.\n";
    }
    for score in plugins.pair_scores() {
        entry_of(&mut page, &score.info);
    }
    page
}

pub(super) fn entry_of(page: &mut String, info: &MethodInfo) {
    let head = [&*info.name, &info.title, &info.formula];
    entry(
        page,
        head,
        &info.parameters,
        &info.source,
        Some(&info.plugin),
    );
}

fn entry(
    page: &mut String,
    [name, title, formula]: [&str; 3],
    parameters: &[MethodParameter],
    source: &str,
    plugin: Option<&str>,
) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "\n{name}  {title}");
    let _ = writeln!(page, "    formula    {formula}");
    for parameter in parameters {
        let _ = writeln!(
            page,
            "    parameter  {} = {}, in {} … {}: {}",
            parameter.name, parameter.default, parameter.least, parameter.most, parameter.help
        );
    }
    let _ = writeln!(page, "    source     {source}");
    if let Some(plugin) = plugin {
        let _ = writeln!(page, "    plugin     {plugin}");
    }
}

/// Every method and every pair score as JSON; the plugin of passel's own method is null.
pub fn json(plugins: &Plugins) -> String {
    let pass = json!({
        "name": PASS,
        "title": TITLE,
        "formula": FORMULA,
        "parameters": [],
        "source": SOURCE,
        "plugin": null,
    });
    let others = plugins.methods().map(|method| about(&method.info));
    let methods: Vec<Value> = [pass].into_iter().chain(others).collect();
    let pair_scores = plugins.pair_scores().map(|score| about(&score.info));
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "methods": methods,
        "pair_scores": pair_scores.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}

pub(super) fn about(info: &MethodInfo) -> Value {
    let parameters = info.parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "help": parameter.help,
            "default": parameter.default,
            "min": parameter.least,
            "max": parameter.most,
        })
    });
    json!({
        "name": info.name,
        "title": info.title,
        "formula": info.formula,
        "parameters": parameters.collect::<Vec<Value>>(),
        "source": info.source,
        "plugin": info.plugin,
    })
}
