//! `passel.h` is what `lib.rs` and `plugin.rs` say, and C and C++ take it.

#![allow(clippy::unwrap_used)]

use std::{env, fs, io::ErrorKind, path::Path, process::Command};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_header_is_the_one_made_from_the_mirror() {
    let mut config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    // What stands first tells what the whole is; the guard may follow.
    config.header = config.header.map(|text| text.trim().to_owned());
    let made = cbindgen::Builder::new()
        .with_config(config)
        .with_src(folder().join("lib.rs"))
        .with_src(folder().join("score.rs"))
        .with_src(folder().join("plugin.rs"))
        .with_src(folder().join("criterion.rs"))
        .with_src(folder().join("family.rs"))
        .generate()
        .unwrap();
    let mut text = Vec::new();
    made.write(&mut text);
    let text = compact(&String::from_utf8(text).unwrap());
    let path = folder().join("passel.h");
    if env::var_os("PASSEL_BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap();
    assert!(
        there == text,
        "it is not: PASSEL_BLESS=1 cargo test -p passel-abi"
    );
    // Selectors, criteria and families: who writes one of these reads a third of it.
    assert!(text.lines().count() <= 520, "an evening's reading");
}

/// Arguments fill their lines, and a constant of a member has one line, with the others of it.
fn compact(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut arguments = false;
    for line in text.lines() {
        let last = lines.last().cloned().unwrap_or_default();
        if arguments {
            let line = line.trim();
            match (last.chars().count() + line.chars().count()) < 100 {
                true => *lines.last_mut().unwrap() = format!("{last} {line}"),
                false => lines.push(format!("        {line}")),
            }
        } else if let (Some(comment), true) =
            (last.strip_prefix("// passel_"), line.starts_with("#define"))
        {
            lines.pop();
            let member = comment.split(':').next().unwrap();
            let before = lines.iter().rev().find(|line| !line.is_empty());
            if before.is_some_and(|line| line.contains(&format!("// passel_{member}:"))) {
                lines.pop();
            }
            lines.push(format!("{line:<34} // passel_{comment}"));
        } else {
            lines.push(line.to_owned());
        }
        arguments = (arguments || line.contains("(*")) && !line.ends_with(");");
    }
    lines.join("\n") + "\n"
}

/// Compiles a source that includes the header and nothing else; without the compiler there
/// is nothing to see.
fn compiles(compiler: &str, arguments: &[&str], name: &str) {
    let place = tempfile::tempdir().unwrap();
    let source = place.path().join(name);
    // Twice: the guard is tried too.
    let include = "#include \"passel.h\"\n";
    fs::write(
        &source,
        format!("{include}{include}passel_plugin plugin;\n"),
    )
    .unwrap();
    let run = Command::new(compiler)
        .args(arguments)
        .args([
            "-Wall",
            "-Wextra",
            "-Werror",
            "-pedantic",
            "-fsyntax-only",
            "-I",
        ])
        .arg(folder())
        .arg(&source)
        .output();
    match run {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let required = compiler == "cc" && env::var_os("PASSEL_REQUIRE_CC").is_some();
            assert!(!required, "there is no cc");
            eprintln!("skipped: there is no {compiler}");
        }
        run => {
            let run = run.unwrap();
            let told = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{told}");
        }
    }
}

#[test]
fn c_takes_the_header() {
    compiles("cc", &["-std=c99"], "header.c");
}

#[test]
fn cpp_takes_the_header() {
    compiles("c++", &["-std=c++11"], "header.cpp");
}
