//! The list of plugins that `passel plugins` prints.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{
    device::{DeviceError, cuda::functions::Checked},
    plugin::{MethodInfo, PATH, Plugin, Plugins},
};

/// The results of compiling and running the functions in CUDA C: plugin, method, result.
pub type Tried<'a> = [(&'a str, String, Result<Checked, DeviceError>)];

/// Every plugin with what it brings, and every library that is not used, for a reader.
pub fn text(plugins: &Plugins, tried: &Tried) -> String {
    let mut page = String::new();
    // Writing to a String cannot fail.
    for plugin in plugins.plugins() {
        let _ = writeln!(
            page,
            "{} {}  {}",
            plugin.name, plugin.version, plugin.description
        );
        let _ = writeln!(page, "    library      {}", plugin.path.display());
        for (what, names) in [
            ("methods", methods(plugin)),
            ("pair scores", pair_scores(plugin)),
            ("criteria", criteria(plugin)),
        ] {
            if !names.is_empty() {
                let _ = writeln!(page, "    {what:<11}  {}", names.join(", "));
            }
        }
        for (_, name, checked) in tried.iter().filter(|(of, ..)| *of == plugin.name) {
            let _ = writeln!(page, "    CUDA C       {name}: {}", outcome(checked));
        }
        page.push('\n');
    }
    if plugins.plugins().is_empty() {
        let _ = writeln!(
            page,
            "No plugin was found: they lie beside the program, in the folders of {PATH}, or are \
             named with --plugins.\n"
        );
    }
    if !plugins.refused().is_empty() {
        page += "Not used:\n";
        for refused in plugins.refused() {
            let _ = writeln!(page, "    {refused}");
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

fn methods(plugin: &Plugin) -> Vec<&str> {
    names(plugin.methods.iter().map(|method| &method.info))
}

fn pair_scores(plugin: &Plugin) -> Vec<&str> {
    names(plugin.pair_scores.iter().map(|score| &score.info))
}

fn criteria(plugin: &Plugin) -> Vec<&str> {
    names(plugin.criteria.iter().map(|criterion| &criterion.info))
}

fn names<'a>(all: impl Iterator<Item = &'a MethodInfo>) -> Vec<&'a str> {
    all.map(|info| info.name.as_str()).collect()
}

/// Every plugin, and every library that is not used, as JSON.
pub fn json(plugins: &Plugins, tried: &Tried) -> String {
    let used = plugins.plugins().iter().map(|plugin| {
        json!({
            "name": plugin.name,
            "version": plugin.version,
            "description": plugin.description,
            "path": plugin.path.to_string_lossy(),
            "methods": methods(plugin),
            "pair_scores": pair_scores(plugin),
            "criteria": criteria(plugin),
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
        .map(|refused| json!({ "path": refused.path.to_string_lossy(), "reason": refused.refusal.to_string() }));
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "plugins": used.collect::<Vec<Value>>(),
        "refused": refused.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}
