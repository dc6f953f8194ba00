//! The list of methods that `passel methods` prints.

use serde_json::{Value, json};

use crate::plugin::{MethodInfo, PASS, Plugins};

/// Every method and every pair score with its formula, parameters and source, for a reader.
pub fn text(plugins: &Plugins) -> String {
    let mut page = String::from(
        "Methods. Of a selector the score, larger is better: x the candidate, w a chosen\n\
         variable, S all chosen ones, y the response, I and H in nats. A method is written\n\
         NAME or NAME:PARAMETER=VALUE.\n",
    );
    let [methods, pair_scores, families] = all(plugins);
    page.extend(methods.iter().map(entry));
    if !pair_scores.is_empty() {
        page += "\nPair scores, larger is better: x and w the two variables, y the response.\n";
    }
    page.extend(pair_scores.iter().map(entry));
    if !families.is_empty() {
        page += "\nFamilies of plugins, beside passel's own: --family NAME:PARAMETER=VALUE.\n";
    }
    page.extend(families.iter().map(entry));
    page
}

/// Every method and every pair score as JSON; the plugin of passel's own method is null.
pub fn json(plugins: &Plugins) -> String {
    let [methods, pair_scores, families] = all(plugins);
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "methods": methods,
        "pair_scores": pair_scores,
        "families": families,
    });
    format!("{all:#}\n")
}

/// The methods, passel's own first, the pair scores, and the families of plugins.
fn all(plugins: &Plugins) -> [Vec<Value>; 3] {
    let pass = json!({
        "name": PASS,
        "title": "particle swarm stepwise",
        "formula": "the model of least φ; `passel criteria` lists the criteria",
        "parameters": [],
        "source": "M. Yang, R.-B. Chen, I-H. Chung and W. Wang, Particle Swarm Stepwise \
                   Algorithm (PaSS) on Multicore Hybrid CPU-GPU Clusters (2016)",
        "plugin": null,
    });
    let methods = plugins.methods().map(|method| about(&method.info));
    let pair_scores = plugins.pair_scores().map(|score| about(&score.info));
    let families = plugins.families().map(|family| {
        let mut about = about(&family.info);
        let [responses, link] = family.responses_and_link();
        (about["responses"], about["link"]) = (responses.into(), link.into());
        about
    });
    [
        [pass].into_iter().chain(methods).collect(),
        pair_scores.collect(),
        families.collect(),
    ]
}

/// What a plugin says of a method, a pair score or a criterion.
pub(super) fn about(info: &MethodInfo) -> Value {
    let parameters = info.parameters.iter().map(|parameter| {
        json!({
            "name": parameter.name,
            "help": parameter.help,
            "default": parameter.default,
            "min": parameter.least,
            "max": parameter.most,
            "whole": parameter.is_whole,
            "choices": parameter.choices,
            "file": parameter.is_file,
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

/// An entry of a list for a reader: name and title, then each other field that has a text, and each
/// parameter, on a line.
pub(super) fn entry(about: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut page = format!("\n{}  {}\n", text(&about["name"]), text(&about["title"]));
    for (key, value) in about.as_object().into_iter().flatten().skip(2) {
        if value.is_string() {
            page += &format!("    {key:<9}  {}\n", text(value));
        }
        for parameter in value.as_array().into_iter().flatten() {
            let name = text(&parameter["name"]);
            let [least, most] =
                ["min", "max"].map(|key| parameter[key].as_f64().unwrap_or_default());
            // Without a default the data decide.
            let default = parameter["default"].as_f64();
            let default = default.map_or(String::new(), |default| format!(" = {default}"));
            let choices = parameter["choices"].as_array().into_iter().flatten();
            let choices: Vec<String> = choices.map(text).collect();
            let whole = match parameter["whole"].as_bool() {
                Some(true) => ", a whole number",
                _ => "",
            };
            page += &match choices.as_slice() {
                _ if parameter["file"] == true => format!("    parameter  {name}, a file"),
                [] => {
                    format!("    parameter  {name}{default}{whole}, in {least} … {most}")
                }
                choices => {
                    let own = parameter["default"].as_f64().unwrap_or_default() as usize;
                    format!(
                        "    parameter  {name} = {}, of {}",
                        choices[own],
                        choices.join(", ")
                    )
                }
            };
            let help = parameter
                .get("help")
                .map(|help| format!(": {}", text(help)));
            page += &(help.unwrap_or_default() + "\n");
        }
    }
    page
}
