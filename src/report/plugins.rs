//! The list of plugins that `passel plugins` prints.

use std::borrow::Borrow;

use serde_json::{Value, json};

use crate::{
    device::{DeviceError, cuda::functions::Checked},
    plugin::{About, Installed, PATH, Plugins},
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
        page += &about_lines(&plugin.about);
        page += &brought(plugin.names());
        for (_, name, checked) in tried.iter().filter(|(of, ..)| *of == plugin.name) {
            page += &format!("    CUDA C       {name}: {}\n", told(checked));
        }
        page.push('\n');
    }
    if plugins.plugins().is_empty() {
        page += &format!(
            "No plugin was found: they lie in the folders of {PATH}, beside the program or where \
             `passel plugins install` puts them, or are named with --plugins.\n\n"
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

/// Whose a plugin is, a line for each that is known.
fn about_lines(about: &About) -> String {
    let lines = about.lines();
    lines
        .map(|(what, text)| format!("    {what:<11}  {text}\n"))
        .collect()
}

/// The names of methods, pair scores, criteria and families, a line for each kind.
fn brought<S: Borrow<str>>(names: [Vec<S>; 4]) -> String {
    let kinds = ["methods", "pair scores", "criteria", "families"]
        .iter()
        .zip(names);
    let there = kinds.filter(|(_, names)| !names.is_empty());
    there
        .map(|(what, names)| format!("    {what:<11}  {}\n", names.join(", ")))
        .collect()
}

fn told(checked: &Result<Checked, DeviceError>) -> String {
    match checked {
        Ok(checked) => outcome(checked),
        Err(error) => error.to_string(),
    }
}

/// What is said of a text in CUDA C that compiles, and gives what its twin gives where there is a GPU.
pub fn outcome(checked: &Checked) -> String {
    let for_all = checked.architectures.join(", ");
    let ran = match &checked.ran {
        None => "there is no GPU to run it on".to_owned(),
        Some(ran) => format!(
            "on {} as its twin for {}, to {:.0e} of the value",
            ran.device, ran.compared, ran.difference
        ),
    };
    format!("compiles for {for_all} with NVRTC {}; {ran}", checked.nvrtc)
}

/// Every plugin, and every library that is not used, as JSON.
pub fn json(plugins: &Plugins, tried: &Tried) -> String {
    let used = plugins.plugins().iter().map(|plugin| {
        let [methods, pair_scores, criteria, families] = plugin.names();
        json!({
            "name": plugin.name,
            "version": plugin.version,
            "description": plugin.description,
            "licence": plugin.about.licence,
            "authors": plugin.about.authors,
            "url": plugin.about.url,
            "doi": plugin.about.doi,
            "contract": plugin.contract,
            "sha256": plugin.sha256(),
            "path": plugin.path.to_string_lossy(),
            "methods": methods,
            "pair_scores": pair_scores,
            "criteria": criteria,
            "families": families,
            "cuda": tried
                .iter()
                .filter(|(of, ..)| *of == plugin.name)
                .map(|(_, name, checked)| {
                    json!({ "name": name, "works": checked.is_ok(), "told": told(checked) })
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

/// Every plugin that is installed, by its manifest, for a reader.
pub fn installed_text(all: &[Installed]) -> String {
    let mut page = String::new();
    for one in all {
        match &one.manifest {
            Some(manifest) => {
                let (name, version) = (&manifest.name, &manifest.version);
                page += &format!("{name} {version}  {}\n", manifest.description);
            }
            None => page += &format!("{}, without a manifest\n", name_of(one)),
        }
        page += &format!("    library      {}\n", one.library.display());
        if let Some(manifest) = &one.manifest {
            page += &format!("    SHA-256      {}\n", manifest.sha256);
            let (platform, contract) = (&manifest.platform, manifest.contract);
            page += &format!("    built for    {platform}, contract {contract}\n");
            page += &about_lines(&manifest.about);
            let names = [
                &manifest.methods,
                &manifest.pair_scores,
                &manifest.criteria,
                &manifest.families,
            ];
            page += &brought(names.map(|names| names.iter().map(String::as_str).collect()));
        }
        if let Some(fault) = &one.fault {
            page += &format!("    not used     {fault}\n");
        }
        page.push('\n');
    }
    if all.is_empty() {
        page += "No plugin is installed; `passel plugins install FILE` installs one.\n\n";
    }
    page.pop();
    page
}

/// What the file of an installed library is called.
fn name_of(one: &Installed) -> String {
    let name = one.library.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Every plugin that is installed, by its manifest, as JSON.
pub fn installed_json(all: &[Installed]) -> String {
    let all = all.iter().map(|one| {
        json!({
            "library": one.library.to_string_lossy(),
            "of": if one.is_users { "user" } else { "system" },
            "manifest": one.manifest,
            "fault": one.fault,
        })
    });
    let all = json!({
        "passel": env!("CARGO_PKG_VERSION"),
        "installed": all.collect::<Vec<Value>>(),
    });
    format!("{all:#}\n")
}
