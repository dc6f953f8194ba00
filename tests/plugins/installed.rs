//! Plugins that are installed: `passel plugins install`, `list` and `remove`.

use std::{
    env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS},
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    archives::archive,
    c_plugin,
    program::{Folder, Ran, ran},
};

pub(super) fn library(name: &str) -> String {
    format!("{DLL_PREFIX}{name}{DLL_SUFFIX}")
}

/// A folder with the C plugin in it, and its path there; none where there is no compiler.
pub(super) fn with_plugin(defined: &[&str]) -> Option<(Folder, String)> {
    let folder = Folder::new();
    c_plugin(&folder.path(""), defined)?;
    Some((folder, library("plain")))
}

/// Where the test's user has a file of plugins.
pub(super) fn place(folder: &Folder, file: &str) -> PathBuf {
    let place = folder.path("data-home/passel/plugins/1");
    place.join(format!("{ARCH}-{OS}")).join(file)
}

pub(super) fn install(folder: &Folder, file: &str, more: &[&str]) -> Ran {
    folder.run(&[&["plugins", "install", file][..], more].concat())
}

/// Refuses, in one line on standard error, behind what plugins say, that begins so and has this in it, with exit code 2, and
/// installs nothing.
pub(super) fn refuses(folder: &Folder, file: &str, start: &str, reason: &str) {
    let told = install(folder, file, &[]);
    assert_eq!(
        (told.code, told.stdout.as_str()),
        (Some(2), ""),
        "{file}: {}",
        told.stderr
    );
    let (error, others) = told
        .stderr
        .trim_end()
        .rsplit_once('\n')
        .map_or((told.stderr.trim_end(), ""), |(others, error)| {
            (error, others)
        });
    assert!(
        others.lines().all(|line| line == "warning: plain: entered"),
        "{others}"
    );
    let starts = error.starts_with(&format!("error: {start}"));
    assert!(starts && error.contains(reason), "{file}: {}", told.stderr);
    assert!(!place(folder, "").exists(), "{file}");
}

pub(super) fn sha256(path: &Path) -> String {
    let run = std::process::Command::new("sha256sum").arg(path).output();
    let text = String::from_utf8(run.unwrap().stdout).unwrap();
    text.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_plugin_is_installed_listed_used_and_removed() {
    let about = "ABOUT=\"MIT\",\"A. One\",\"https://example.org\",\"10.1000/182\"";
    let Some((folder, file)) = with_plugin(&[about]) else {
        return;
    };
    let told = install(&folder, &file, &[]);
    let at = place(&folder, &file);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    assert_eq!(
        told.stdout,
        format!("Installed plain 1.2 as {}\n", at.display())
    );
    // What the plugin says when it is loaded.
    assert_eq!(told.stderr, "warning: plain: entered\n");
    let manifest = json!({
        "name": "plain",
        "version": "1.2",
        "description": "a plugin in C",
        "licence": "MIT",
        "authors": "A. One",
        "url": "https://example.org",
        "doi": "10.1000/182",
        "platform": format!("{ARCH}-{OS}"),
        "contract": 1,
        "sha256": sha256(&folder.path(&file)),
        "methods": ["c-jmi"],
        "pair_scores": ["c-mi3"],
        "criteria": [],
        "families": [],
    });
    let text = fs::read_to_string(at.with_extension("json")).unwrap();
    assert_eq!(text, format!("{manifest:#}\n"));
    // Found from then on.
    let select = ["select", "data.csv", "--response", "y", "--method", "c-jmi"];
    let report = folder.run(&[&select[..], &["--format", "json"]].concat());
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["method"]["plugin"], "plain");
    assert_eq!(report["method"]["plugin_sha256"], manifest["sha256"]);
    // Without being loaded it says nothing.
    let list = folder.run(&["plugins", "list", "--format", "json"]);
    assert_eq!((list.code, list.stderr.as_str()), (Some(0), ""));
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    let expected = json!([{
        "library": at.display().to_string(), "of": "user", "manifest": manifest, "fault": null,
    }]);
    assert_eq!(list["installed"], expected);
    let text = folder.run(&["plugins", "list"]);
    for part in [
        "plain 1.2  a plugin in C\n",
        "    licence      MIT\n",
        "    DOI          10.1000/182\n",
        "    methods      c-jmi\n",
    ] {
        assert!(text.stdout.contains(part), "{part}: {}", text.stdout);
    }
    let told = folder.run(&["plugins", "remove", "plain"]);
    assert_eq!(
        (told.code, told.stdout),
        (Some(0), format!("Removed {}\n", at.display()))
    );
    assert!(!at.exists() && !at.with_extension("json").exists());
    let told = folder.run(&["plugins", "list"]);
    assert!(told.stdout.starts_with("No plugin is installed"));
    for name in ["plain", "../plain", ""] {
        let told = folder.run(&["plugins", "remove", name]);
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""));
        let error = format!("error: plugin `{name}` is not installed; ");
        assert!(told.stderr.starts_with(&error), "{}", told.stderr);
    }
}

#[test]
fn a_library_that_is_not_the_one_of_its_manifest_is_not_used() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    assert_eq!(install(&folder, &file, &[]).code, Some(0));
    let at = place(&folder, &file);
    let before = sha256(&at);
    let mut bytes = fs::read(&at).unwrap();
    bytes.push(0);
    fs::write(&at, bytes).unwrap();
    let reason = format!(
        "{}: its SHA-256 is {}, and that of its manifest is {before}: it is not the library that was installed; install it again",
        at.display(),
        sha256(&at)
    );
    let select = ["select", "data.csv", "--response", "y", "--method", "jmi"];
    let told = folder.run(&select);
    assert_eq!(
        (told.code, told.stderr),
        (Some(0), format!("warning: {reason}; it is not used\n"))
    );
    let own = folder.run(&[&select[..5], &["c-jmi"]].concat());
    assert_eq!(own.code, Some(2));
    assert!(own.stderr.contains(&reason), "{}", own.stderr);
    let list = folder.run(&["plugins", "list"]);
    assert!(list.stdout.contains("    not used     its SHA-256 is "));
    // A manifest that is none, and one whose library is gone.
    fs::write(at.with_extension("json"), "{}").unwrap();
    let list = folder.run(&["plugins", "list"]);
    assert!(list.stdout.contains("is no manifest: missing field `name`"));
    assert_eq!(install(&folder, &file, &["--force"]).code, Some(0));
    fs::remove_file(&at).unwrap();
    let list = folder.run(&["plugins", "list"]);
    assert!(
        list.stdout
            .contains("it is missing, and its manifest is there")
    );
    // Put there by hand, without a manifest, it is used.
    let told = folder.run(&["plugins", "remove", "plain"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    fs::copy(folder.path(&file), &at).unwrap();
    let own = folder.run(&[&select[..5], &["c-jmi"]].concat());
    assert_eq!(own.code, Some(0), "{}", own.stderr);
    let list = folder.run(&["plugins", "list"]);
    let start = format!("{file}, without a manifest\n");
    assert!(list.stdout.starts_with(&start), "{}", list.stdout);
}

#[test]
fn a_name_that_is_installed_is_replaced_by_force_alone() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    assert_eq!(install(&folder, &file, &[]).code, Some(0));
    let at = place(&folder, &file);
    let (before, manifest) = (sha256(&at), fs::read(at.with_extension("json")).unwrap());
    fs::create_dir(folder.path("other")).unwrap();
    let other = c_plugin(&folder.path("other"), &["TITLE=\"another\""]).unwrap();
    let hash = sha256(&other);
    assert_ne!(hash, before);
    for (path, hash) in [(folder.path(&file), &before), (other.clone(), &hash)] {
        let path = path.display().to_string();
        let told = install(&folder, &path, &[]);
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""));
        let error = format!(
            "error: plugin `plain` is installed as {}: version 1.2, SHA-256 {before}; {path} has version 1.2, SHA-256 {hash}; \
             replace it with --force\n",
            at.display()
        );
        assert!(told.stderr.ends_with(&error), "{}", told.stderr);
    }
    assert_eq!(sha256(&at), before);
    let path = other.display().to_string();
    assert_eq!(install(&folder, &path, &["--force"]).code, Some(0));
    assert_eq!(sha256(&at), hash);
    // The manifest of a library is the same whenever it is made.
    assert_eq!(install(&folder, &file, &["--force"]).code, Some(0));
    assert_eq!(fs::read(at.with_extension("json")).unwrap(), manifest);
    let names = fs::read_dir(place(&folder, "")).unwrap().count();
    assert_eq!(names, 2);
}

#[test]
fn folders_of_the_variable_stand_before_what_ships_and_installed_ones_behind() {
    let Some((folder, file)) = with_plugin(&["NAME=\"jmi\""]) else {
        return;
    };
    let by = |variable: &str| {
        let select = ["select", "data.csv", "--response", "y", "--method", "jmi"];
        let mut command = folder.passel(&[&select[..], &["--format", "json"]].concat());
        command.env("PASSEL_PLUGIN_PATH", variable);
        let told = ran(command);
        let report: Value = serde_json::from_str(&told.stdout).unwrap();
        let warnings = told
            .stderr
            .lines()
            .filter(|line| *line != "warning: plain: entered");
        let warnings = warnings
            .map(str::to_owned)
            .collect::<Vec<String>>()
            .join("\n");
        (
            report["method"]["plugin"].as_str().unwrap().to_owned(),
            warnings,
        )
    };
    assert_eq!(by(""), ("information".to_owned(), String::new()));
    assert_eq!(install(&folder, &file, &[]).code, Some(0));
    let (plugin, warning) = by("");
    assert_eq!(plugin, "information");
    let told = |plugin: &str, other: &str| {
        format!(
            "warning: method `jmi` is that of plugin {plugin}, and plugin {other} has one, too: write {plugin}/jmi or {other}/jmi"
        )
    };
    assert_eq!(warning, told("information", "plain"));
    assert_eq!(folder.run(&["plugins", "remove", "plain"]).code, Some(0));
    let (plugin, warning) = by(".");
    assert_eq!(plugin, "plain");
    assert_eq!(warning, told("plain", "information"));
}

#[test]
fn what_is_no_plugin_of_this_machine_is_refused() {
    let Some((folder, file)) = with_plugin(&[]) else {
        return;
    };
    let own = &*format!("{file}: ");
    refuses(
        &folder,
        "nowhere.so",
        "nowhere.so: it cannot be read: ",
        "nothing was installed",
    );
    fs::create_dir(folder.path("folder.so")).unwrap();
    refuses(&folder, "folder.so", "folder.so: it is not a file", "");
    refuses(
        &folder,
        "data.csv",
        "data.csv: it is neither a shared library",
        ".whl",
    );
    let url = "https://example.org/libplain.so";
    refuses(&folder, url, url, "nothing is fetched");
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let mut bytes = fs::read(folder.path(&file)).unwrap();
        bytes[18] = 183;
        fs::write(folder.path(&file), &bytes).unwrap();
        let reason = "it is built for aarch64, this passel for x86_64";
        refuses(&folder, &file, own, reason);
        archive(&folder, "a.zip", &[(&file, &bytes)]);
        refuses(&folder, "a.zip", &format!("a.zip, {own}"), reason);
        bytes.truncate(9_000);
        fs::write(folder.path(&file), &bytes).unwrap();
        refuses(&folder, &file, own, "it is cut short: ");
    }
    // Its faults are those of another process.
    for (defined, reason) in [
        ("GIVES_UP", "its entry gave up: it returned null"),
        ("DECLARE=0", "it has neither declare nor run"),
        ("FAULT=__builtin_trap()", "it ended this process (SIGILL)"),
    ] {
        c_plugin(&folder.path(""), &[defined]).unwrap();
        let told = install(&folder, &file, &[]);
        assert_eq!(told.code, Some(2), "{defined}: {}", told.stderr);
        let error = told.stderr.lines().last().unwrap();
        assert!(
            error.starts_with(&format!("error: {own}")),
            "{defined}: {error}"
        );
        assert!(error.contains(reason), "{defined}: {error}");
        assert!(!place(&folder, "").exists(), "{defined}");
    }
}
