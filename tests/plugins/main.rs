//! Plugins as they are found, refused, listed and asked.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/problems.rs"]
mod problems;
#[path = "../support/program.rs"]
mod program;

mod archives;
mod asked;
mod choices;
mod contract;
mod criteria;
mod families;
mod families_refused;
mod files;
mod fitted;
mod found;
mod guard_pages;
mod harm;
mod harm_table;
mod installed;
mod isolated;
mod layouts;
mod lent;
mod levels;
mod likelihoods;
mod linked;
mod new;
mod oga;
mod planned;
mod regression;
mod runs;
mod rust;
mod signals;
mod twins;
mod v1;

use std::{
    env,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

/// A message without the number of a line of the plugin in Rust.
fn without_line(told: &str) -> String {
    let place = "faulty/lib.rs:";
    let Some((before, after)) = told.split_once(place) else {
        return told.to_owned();
    };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{place}LINE{rest}")
}

/// A library that cargo built beside this test.
fn beside(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    test.with_file_name(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// The C plugin as `libplain.so` in a folder, with these definitions; none where there is no
/// compiler.
fn c_plugin(folder: &Path, defined: &[&str]) -> Option<PathBuf> {
    built(folder, "tests/plugins/plugin.c", "plain", defined)
}

/// The C plugin that runs, as `libruns.so`.
fn c_runs(folder: &Path, defined: &[&str]) -> Option<PathBuf> {
    built(folder, "tests/plugins/runs.c", "runs", defined)
}

/// A plugin in C.
fn built(folder: &Path, source: &str, name: &str, defined: &[&str]) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"));
    let built = Command::new("cc")
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-missing-field-initializers",
            "-Wno-unused",
            "-Wno-pedantic",
            // Structs grow at their end, and what is left out is zero.
            "-Wno-missing-field-initializers",
            "-shared",
            "-fPIC",
        ])
        .args(defined.iter().map(|name| format!("-D{name}")))
        .arg("-I")
        .arg(root.join("plugins/abi"))
        .arg("-o")
        .arg(&library)
        .arg(root.join(source))
        .arg("-lm")
        .output();
    match built {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert!(env::var_os("PASSEL_REQUIRE_CC").is_none(), "no cc");
            eprintln!("skipped: there is no cc");
            None
        }
        built => {
            let built = built.unwrap();
            let told = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success(), "{defined:?}: {told}");
            Some(library)
        }
    }
}
