//! The list of plugins that `passel plugins` prints.

use serde_json::{Value, json};

use crate::{
    device::{DeviceError, cuda::functions::Checked},
    plugin::{PATH, Plugin, Plugins},
};

/// The results of compiling and running the functions in CUDA C: plugin, method, result.
pub type Tried<'a> = [(&'a str, String, Result<Checked, DeviceError>)];

/// Every plugin with what it brings, and every library that is not used, for a reader.
pub fn text(plugins: &Plugins, tried: &Tried) -> String {
    let mut page = String::new();
    for plugin in plugins.plugins() {
        let (name, version, about) = (&plugin.name, &plugin.version, &plugin.description);
        page += &format!("{name} {version}  {about}\n");
        page += &format!("    library      {}\n", plugin.path.display());
        let names = brought(plugin);
        for (what, names) in ["methods", "pair scores", "criteria", "families"]
            .iter()
            .zip(names)
        {
            if !names.is_empty() {
                page += &format!("    {what:<11}  {}\n", names.join(", "));
            }
        }
        for (_, name, checked) in tried.iter().filter(|(of, ..)| *of == plugin.name) {
            page += &format!("    CUDA C       {name}: {}\n", outcome(checked));
        }
        page.push('\n');
    }
    if plugins.plugins().is_empty() {
        page += &format!(
            "No plugin was found: they lie beside the program, in the folders of {PATH}, or are \
             named with --plugins.\n\n"
        );
    }
    if !plugins.refused().is_empty() {
        page += "Not used:\n";
        for refused in plugins.refused() {
            page += &format!("    {refused}\n");
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn outcome(checked: &Result<Checked, DeviceError>) -> String {
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => return error.to_string(),
    };
    let for_all = checked.architectures.join(", ");
    let ran = match &checked.ran {
        None => "there is no GPU to run it on".to_owned(),
        Some(ran) => format!(
            "on {} as its twin for {} tables, to {:.0e} of the value",
            ran.device, ran.tables, ran.difference
        ),
    };
    format!("compiles for {for_all} with NVRTC {}; {ran}", checked.nvrtc)
}

/// The names of a plugin's methods, pair scores, criteria and families.
fn brought(plugin: &Plugin) -> [Vec<&str>; 4] {
    [
        plugin.methods.iter().map(|own| &*own.info.name).collect(),
        plugin
            .pair_scores
            .iter()
            .map(|own| &*own.info.name)
            .collect(),
        plugin.criteria.iter().map(|own| &*own.info.name).collect(),
        plugin.families.iter().map(|own| &*own.info.name).collect(),
    ]
}

/// Every plugin, and every library that is not used, as JSON.
pub fn json(plugins: &Plugins, tried: &Tried) -> String {
    let used = plugins.plugins().iter().map(|plugin| {
        let [methods, pair_scores, criteria, families] = brought(plugin);
        json!({
            "name": plugin.name,
            "version": plugin.version,
            "description": plugin.description,
            "path": plugin.path.to_string_lossy(),
            "methods": methods,
            "pair_scores": pair_scores,
            "criteria": criteria,
            "families": families,
            "cuda": tried
                .iter()
                .filter(|(of, ..)| *of == plugin.name)
                .map(|(_, name, checked)| {
                    json!({ "name": name, "works": checked.is_ok(), "told": outcome(checked) })
                })
                .collect::<Vec<Value>>(),
        })
    });
    let refused = plugins
        .refused()
        .iter()
        .map(|refused| json!({ "path": refused.path.to_string_lossy(), "reason": refused.reason }));
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "plugins": used.collect::<Vec<Value>>(),
        "refused": refused.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}
