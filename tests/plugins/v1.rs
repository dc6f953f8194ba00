//! The promise of contract 1: a library made of its first header, kept as it was made, is run by every
//! later passel, and does what its source does when it is compiled today.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{built, program::Folder};

fn at(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/plugins/v1")
        .join(name)
}

/// Levels that tell of y more or less, and counts.
fn data() -> String {
    let mut text = "b,c,d,e,y,count\n".to_owned();
    for row in 0..90_usize {
        let b = row % 3;
        let c = row / 3 % 4;
        let d = (row * 7 + 3) % 5 / 2;
        let e = (b + usize::from(row % 5 == 0)) % 3;
        let y = usize::from(b + c > 2) + usize::from(row % 11 == 0);
        text += &format!("{b},{c},{d},{e},{y},{}\n", (b * c + row % 4) / 2);
    }
    text
}

/// What a command tells as JSON, without what differs between libraries and shipped methods.
fn told(folder: &Folder, arguments: &str) -> Value {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let ran = folder.run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

const SELECT: &str = "select data.csv --response y --drop count --binning levels --plugins";
const COUNTS: &str = "select data.csv --response count --drop y --seed 1 --plugins";

/// What the library of this path chooses, by each kind of thing that it brings.
fn chosen(folder: &Folder, library: &str) -> Vec<Value> {
    let methods = ["v1-mrmr", "v1-mrmr:by=difference", "v1-purity", "v1-run"];
    let mut all: Vec<Value> = methods
        .iter()
        .map(|method| {
            let json = told(folder, &format!("{SELECT} {library} --method {method}"));
            [&json["selected"], &json["numbers"]]
                .into_iter()
                .cloned()
                .collect()
        })
        .collect();
    let pairs = format!(
        "pairs data.csv --response y --drop count --binning levels --plugins {library} --score v1-mi3"
    );
    all.push(told(folder, &pairs)["pairs"].clone());
    for options in [
        "--criterion v1-bic",
        "--family v1-poisson --criterion v1-bic",
    ] {
        let json = told(folder, &format!("{COUNTS} {library} {options}"));
        all.push(
            [&json["selected"], &json["criterion"]["value"]]
                .into_iter()
                .cloned()
                .collect(),
        );
    }
    all
}

fn names(selected: &Value) -> Vec<&str> {
    let selected = selected.as_array().unwrap().iter();
    selected.map(|own| own["name"].as_str().unwrap()).collect()
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_library_of_the_first_header_does_what_its_source_does_today() {
    let folder = Folder::new();
    folder.write("data.csv", &data());
    let library = at("libwhole.so");
    let then = chosen(&folder, &library.display().to_string());
    // What ships says the same.
    for (own, shipped) in [(0, "miq"), (1, "mrmr")] {
        let json = told(
            &folder,
            &format!("{SELECT} {} --method {shipped}", library.display()),
        );
        assert_eq!(names(&then[own][0]), names(&json["selected"]), "{shipped}");
    }
    let near = |a: &Value, b: &Value| {
        let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
        assert!((a - b).abs() < 1e-8 * a.abs().max(1.0), "{a} {b}");
    };
    for (own, options) in [
        (5, "--criterion bic"),
        (6, "--family poisson --criterion bic"),
    ] {
        let json = told(
            &folder,
            &format!("{COUNTS} {} {options}", library.display()),
        );
        assert_eq!(names(&then[own][0]), names(&json["selected"]), "{options}");
        near(&then[own][1], &json["criterion"]["value"]);
    }
    let best = then[3][0][0]["name"].as_str().unwrap();
    let letter = best.as_bytes()[0] - b'a';
    assert_eq!(then[3][1]["letters"], f64::from(letter));
    // Compiled today, by today's header.
    let Some(now) = built(&folder.path(""), "tests/plugins/v1/whole.c", "whole", &[]) else {
        return;
    };
    assert_eq!(chosen(&folder, &now.display().to_string()), then);
}

/// The binary is what the source and the header beside it make: same version, same struct sizes.
#[test]
fn the_first_header_still_compiles_what_it_did() {
    let folder = Folder::new();
    let run = Command::new("cc")
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ])
        .arg(at(""))
        .arg(at("whole.c"))
        .current_dir(folder.path(""))
        .output();
    // Without a compiler there is nothing to see; `built` insists on one where it must be there.
    if let Ok(run) = run {
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
    }
    let header = fs::read_to_string(at("passel.h")).unwrap();
    assert!(header.contains("#define PASSEL_ABI_VERSION 1\n"));
}
