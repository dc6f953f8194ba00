//! The list of plugins that `passel plugins` prints.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::plugin::{PATH, Plugin, Plugins};

/// Every plugin with what it brings, and every library that is not used, for a reader.
pub fn text(plugins: &Plugins) -> String {
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

fn methods(plugin: &Plugin) -> Vec<&str> {
    plugin
        .methods
        .iter()
        .map(|it| it.about.name.as_str())
        .collect()
}

fn pair_scores(plugin: &Plugin) -> Vec<&str> {
    let names = plugin.pair_scores.iter().map(|it| it.about.name.as_str());
    names.collect()
}

fn criteria(plugin: &Plugin) -> Vec<&str> {
    plugin
        .criteria
        .iter()
        .map(|it| it.about.name.as_str())
        .collect()
}

/// The same, for a program.
pub fn json(plugins: &Plugins) -> String {
    let used = plugins.plugins().iter().map(|it| {
        json!({
            "name": it.name,
            "version": it.version,
            "description": it.description,
            "path": it.path.to_string_lossy(),
            "methods": methods(it),
            "pair_scores": pair_scores(it),
            "criteria": criteria(it),
        })
    });
    let refused = plugins
        .refused()
        .iter()
        .map(|it| json!({ "path": it.path.to_string_lossy(), "reason": it.fault.to_string() }));
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "plugins": used.collect::<Vec<Value>>(),
        "refused": refused.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}
