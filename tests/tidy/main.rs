//! The layout is a promise: who may import whom, one home for each outside
//! crate, small files, few banned words.

#![allow(clippy::unwrap_used)]

mod architecture;
mod graph;
mod names;

use std::{collections::BTreeSet, fs, path::PathBuf, process::Command};

/// Where each outside crate may be named: a module, or a folder or file below it.
const HOMES: &[(&str, &[&str])] = &[
    // `report` has a module of that name, and no need of the crate.
    ("bytes", &["table"]),
    ("csv", &["table", "report", "batch/times"]),
    ("fast_float2", &["table"]),
    ("flate2", &["table", "program/archive"]),
    ("memchr", &["table"]),
    ("npyz", &["table"]),
    // Optional; `report` and `table` have modules of that name.
    ("parquet", &["table", "report"]),
    ("cudarc", &["device/cuda"]),
    ("faer", &["device"]),
    (
        "pulp",
        &[
            "vector",
            "device",
            "family",
            "least_squares",
            "design",
            "search",
            "genotypes",
        ],
    ),
    ("nalgebra", &["design", "sandwich", "selection"]),
    ("rand_chacha", &["random"]),
    ("rayon", &["threads", "device", "search", "selector"]),
    ("libm", &["family"]),
    ("statrs", &["selection", "family", "inference"]),
    ("annotate_snippets", &["job"]),
    ("clap", &["job", "program"]),
    ("clap_complete", &["program"]),
    ("clap_mangen", &["program"]),
    ("comfy_table", &["report"]),
    ("glob", &["job", "batch"]),
    ("indicatif", &["progress"]),
    ("kuva", &["report/html/draw", "report/html/maps"]),
    ("libloading", &["plugin"]),
    ("maud", &["report/html"]),
    ("passel_abi", &["plugin"]),
    ("passel_score", &["score"]),
    ("postcard", &["ranks"]),
    ("libc", &["memory", "plugin"]),
    ("memmap2", &["memory"]),
    ("rustix", &["machine", "memory"]),
    ("sha2", &["sha256"]),
    ("signal_hook", &["program"]),
    ("strsim", &["nearest"]),
    ("tar", &["program/archive"]),
    (
        "tempfile",
        &[
            "output",
            "trace",
            "batch",
            "device/cuda",
            "memory",
            "program/install",
            "program/check_plugin",
        ],
    ),
    ("toml", &["job"]),
    ("zip", &["program/archive"]),
];

/// Longest source file, in lines: a reader keeps one in mind.
const LONGEST: usize = 400;
/// The longest file outside `src`, where a contract or a reference may need a few more.
const LONGEST_ELSEWHERE: usize = 420;

/// Identifiers that hide what is meant (the glossary in ARCHITECTURE.md has the
/// right ones), and leftovers.
const BANNED: &[&str] = &[
    "dataframe",
    "active_set",
    "bucket",
    "epoch",
    "n_features",
    "n_samples",
    "get_unchecked",
    "todo!(",
    "unimplemented!(",
    "dbg!(",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below a folder of the repository, with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root()).unwrap().to_owned();
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} holds no source");
    found
}

fn all_sources() -> Vec<(PathBuf, String)> {
    [
        "src",
        "criteria",
        "kernels",
        "plugins",
        "tests",
        "examples",
        "benches",
        "mpi",
        "fuzz/src",
        "fuzz/fuzz_targets",
    ]
    .into_iter()
    .flat_map(sources)
    .collect()
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or(line)
}

#[test]
fn outside_crates_stay_at_home() {
    for (path, text) in sources("src") {
        let place = path.strip_prefix("src").unwrap().with_extension("");
        for (name, homes) in HOMES {
            let named = text.lines().map(code).any(|line| {
                line.match_indices(&format!("{name}::")).any(|(at, _)| {
                    let before = line[..at].chars().next_back();
                    !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
                })
            });
            assert!(
                !named || homes.iter().any(|home| place.starts_with(home)),
                "{}: {name} belongs in {homes:?}",
                path.display()
            );
        }
    }
}

#[test]
fn every_dependency_has_a_home() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, dependencies) = manifest.split_once("\n[dependencies]\n").unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    // Used everywhere that errors and results are.
    let everywhere = [
        // Named nowhere: see below.
        "getrandom",
        "indexmap",
        "passel-criteria",
        // Named nowhere: the library that is built with the program and loaded.
        "passel-information",
        "passel-kernels",
        "passel-relief",
        "serde",
        "serde_json",
        "thiserror",
    ];
    for line in dependencies.lines().filter(|line| line.contains(" = ")) {
        let name = line.split(" = ").next().unwrap();
        let known = HOMES
            .iter()
            .any(|(home, _)| *home == name.replace('-', "_"));
        assert!(known || everywhere.contains(&name), "{name} has no home");
    }
}

/// The packages that a build has, each with its version and features.
fn packages(options: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "--format",
            "{p} {f}",
            "--prefix",
            "none",
        ])
        .args(options)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        tree.status.success(),
        "{}",
        String::from_utf8_lossy(&tree.stderr)
    );
    let lines = String::from_utf8(tree.stdout).unwrap();
    lines
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

#[test]
fn the_program_and_its_tests_share_one_build() {
    // The program's longest part, the library, is built again where tests ask other features of a crate below it.
    let program = packages(&["--edges", "normal,build"]);
    let tests = packages(&["--workspace", "--edges", "normal,build,dev"]);
    let others: Vec<&String> = program.difference(&tests).collect();
    assert!(
        program.len() > 100 && others.is_empty(),
        "built twice: {others:#?}"
    );
}

/// Whether `word` stands in a text that is not part of a longer identifier.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let after = text[at + word.len()..].chars().next();
        !text[..at].chars().next_back().is_some_and(part) && !after.is_some_and(part)
    })
}

/// Where the calls of CUDA, of plugins, and an allocator need it.
const UNSAFE: &[&str] = &[
    "src/device/cuda",
    "kernels/tests/compile.rs",
    "kernels/tests/gpu.rs",
    "src/memory/pages.rs",
    "src/memory/words.rs",
    "src/plugin/calls.rs",
    "src/plugin/ends.rs",
    "src/plugin/family.rs",
    "src/plugin/finish.rs",
    "src/plugin/guard.rs",
    "src/plugin/guard_pages.rs",
    "src/plugin/layout_tests.rs",
    "src/plugin/problem.rs",
    "src/plugin/process_state.rs",
    "src/plugin/load.rs",
    "src/plugin/memory.rs",
    "src/plugin/read.rs",
    "plugins",
    "fuzz/src/memory.rs",
];

#[test]
fn cuda_and_unsafe_code_stay_in_their_folders() {
    for (path, text) in all_sources() {
        if path.starts_with("tests/tidy") {
            continue;
        }
        for line in text.lines().map(code) {
            let name = path.display();
            let at_home = path.starts_with("src/device/cuda") || path.starts_with("kernels/tests");
            assert!(at_home || !has_word(line, "cudarc"), "{name}: {line}");
            if UNSAFE.iter().any(|home| path.starts_with(home)) {
                continue;
            }
            // The lint may be made stricter elsewhere, not looser.
            let looser = has_word(line, "unsafe_code") && !line.contains("forbid(unsafe_code)");
            assert!(!looser, "{name}: {line}");
        }
    }
}

#[test]
fn every_kernel_is_listed_and_has_a_reference_and_a_test() {
    let list = fs::read_to_string(root().join("kernels/lib.rs")).unwrap();
    for entry in fs::read_dir(root().join("kernels")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "cu") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.lines().count() <= LONGEST, "{stem}.cu is long");
        assert!(list.contains(&format!("\n    {stem} [")), "{stem}");
        let twin = fs::read_to_string(path.with_extension("rs")).unwrap();
        assert!(twin.contains("pub fn reference"), "{stem}.rs");
        let test = root().join(format!("kernels/tests/{stem}.rs"));
        let test = fs::read_to_string(test).unwrap();
        for part in ["KERNEL", &format!("{stem}::reference")] {
            assert!(test.contains(part), "the test of {stem} has no {part}");
        }
    }
}

#[test]
fn files_are_small() {
    for (path, text) in all_sources() {
        let lines = text.lines().count();
        let most = match path.starts_with("src") {
            true => LONGEST,
            false => LONGEST_ELSEWHERE,
        };
        assert!(lines <= most, "{} has {lines} lines", path.display());
    }
}

#[test]
fn banned_words_are_absent() {
    for (path, text) in all_sources() {
        if path.starts_with("tests/tidy") {
            continue;
        }
        for word in BANNED {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn test_modules_are_compiled() {
    for entry in fs::read_dir(root().join("tests")).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(main) = fs::read_to_string(folder.join("main.rs")) else {
            continue;
        };
        let name = folder.file_name().unwrap().to_str().unwrap();
        for (path, _) in sources(&format!("tests/{name}")) {
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert!(
                stem == "main" || main.contains(&format!("mod {stem};")),
                "{} is compiled by nobody",
                path.display()
            );
        }
    }
}

#[test]
fn the_readme_has_two_commands_and_ci_runs_them() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let commands: Vec<&str> = readme
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split("\n```").next().unwrap())
        .collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    // Taken from the README itself, so that what is written is what runs.
    assert!(ci.contains("README.md"), ".ci/run reads the commands there");
    assert!(commands[0].starts_with("cargo run"), "{}", commands[0]);
    assert!(commands[1].starts_with("cargo test"), "{}", commands[1]);
}
