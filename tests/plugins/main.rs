//! Plugins as they are found, refused, listed and asked.

#![allow(clippy::unwrap_used)]

#[path = "../support/program.rs"]
mod program;

mod asked;
mod contract;
mod found;

use std::{
    env,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

/// A library that cargo built beside this test.
fn beside(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    test.with_file_name(format!("{DLL_PREFIX}{name}{DLL_SUFFIX}"))
}

/// The C plugin as `libplain.so` in a folder, with these definitions; none where there is no
/// compiler.
fn c_plugin(folder: &Path, defined: &[&str]) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join(format!("{DLL_PREFIX}plain{DLL_SUFFIX}"));
    let built = Command::new("cc")
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused",
            "-shared",
            "-fPIC",
        ])
        .args(defined.iter().map(|it| format!("-D{it}")))
        .arg("-I")
        .arg(root.join("plugins/abi"))
        .arg("-o")
        .arg(&library)
        .arg(root.join("tests/plugins/plugin.c"))
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
