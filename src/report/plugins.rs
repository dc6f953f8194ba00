//! The list of plugins that `passel plugins` prints.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::{
    device::{DeviceError, cuda::functions::Checked},
    plugin::{MethodInfo, PATH, Plugin, Plugins},
};

/// What became of the functions in CUDA C that were tried: by plugin and method.
pub type Tried<'a> = [(&'a str, String, Result<Checked, DeviceError>)];

/// Every plugin with what it brings, and every library that is not used, for a reader.
pub fn text(plugins: &Plugins, tried: &Tried) -> String {
    let mut page = String::new();
    // Writing to a String cannot fail.
    for it in plugins.plugins() {
        let _ = writeln!(page, "{} {}  {}", it.name, it.version, it.description);
        let _ = writeln!(page, "    library      {}", it.path.display());
        for (what, names) in [
            ("methods", methods(it)),
            ("pair scores", pair_scores(it)),
            ("criteria", criteria(it)),
        ] {
            if !names.is_empty() {
                let _ = writeln!(page, "    {what:<11}  {}", names.join(", "));
            }
        }
        for (_, name, checked) in tried.iter().filter(|(plugin, ..)| *plugin == it.name) {
            let _ = writeln!(page, "    CUDA C       {name}: {}", told(checked));
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
        for it in plugins.refused() {
            let _ = writeln!(page, "    {it}");
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

fn told(checked: &Result<Checked, DeviceError>) -> String {
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
    names(plugin.methods.iter().map(|it| &it.info))
}

fn pair_scores(plugin: &Plugin) -> Vec<&str> {
    names(plugin.pair_scores.iter().map(|it| &it.info))
}

fn criteria(plugin: &Plugin) -> Vec<&str> {
    names(plugin.criteria.iter().map(|it| &it.info))
}

fn names<'a>(all: impl Iterator<Item = &'a MethodInfo>) -> Vec<&'a str> {
    all.map(|it| it.name.as_str()).collect()
}

/// The same, for a program.
pub fn json(plugins: &Plugins, tried: &Tried) -> String {
    let used = plugins.plugins().iter().map(|it| {
        json!({
            "name": it.name,
            "version": it.version,
            "description": it.description,
            "path": it.path.to_string_lossy(),
            "methods": methods(it),
            "pair_scores": pair_scores(it),
            "criteria": criteria(it),
            "cuda": tried
                .iter()
                .filter(|(plugin, ..)| *plugin == it.name)
                .map(|(_, name, checked)| {
                    json!({ "name": name, "works": checked.is_ok(), "told": told(checked) })
                })
                .collect::<Vec<Value>>(),
        })
    });
    let refused = plugins
        .refused()
        .iter()
        .map(|it| json!({ "path": it.path.to_string_lossy(), "reason": it.refusal.to_string() }));
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "plugins": used.collect::<Vec<Value>>(),
        "refused": refused.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}
