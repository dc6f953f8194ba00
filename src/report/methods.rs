//! The list of methods that `passel methods` prints.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::plugin::{MethodInfo, MethodParameter, PASS, Plugins};

/// passel's own method, told as a plugin's is.
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
    for it in plugins.methods() {
        entry_of(&mut page, &it.info);
    }
    if plugins.pair_scores().next().is_some() {
        page += "\nPair scores, larger is better: x and w the two variables, y the response.\n";
    }
    for it in plugins.pair_scores() {
        entry_of(&mut page, &it.info);
    }
    page
}

pub(super) fn entry_of(page: &mut String, it: &MethodInfo) {
    let head = [&*it.name, &it.title, &it.formula];
    entry(page, head, &it.parameters, &it.source, Some(&it.plugin));
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
    for it in parameters {
        let _ = writeln!(
            page,
            "    parameter  {} = {}, in {} … {}: {}",
            it.name, it.default, it.least, it.most, it.help
        );
    }
    let _ = writeln!(page, "    source     {source}");
    if let Some(plugin) = plugin {
        let _ = writeln!(page, "    plugin     {plugin}");
    }
}

/// The same, for a program; the plugin of passel's own method is null.
pub fn json(plugins: &Plugins) -> String {
    let pass = json!({
        "name": PASS,
        "title": TITLE,
        "formula": FORMULA,
        "parameters": [],
        "source": SOURCE,
        "plugin": null,
    });
    let others = plugins.methods().map(|it| about(&it.info));
    let methods: Vec<Value> = [pass].into_iter().chain(others).collect();
    let pair_scores = plugins.pair_scores().map(|it| about(&it.info));
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "methods": methods,
        "pair_scores": pair_scores.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}

pub(super) fn about(it: &MethodInfo) -> Value {
    let parameters = it.parameters.iter().map(|it| {
        json!({
            "name": it.name,
            "help": it.help,
            "default": it.default,
            "min": it.least,
            "max": it.most,
        })
    });
    json!({
        "name": it.name,
        "title": it.title,
        "formula": it.formula,
        "parameters": parameters.collect::<Vec<Value>>(),
        "source": it.source,
        "plugin": it.plugin,
    })
}
