//! `passel devices` where CUDA is whole, old, broken or not there: one answer, no panic.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::{Folder, ran};
use serde_json::Value;

const LIBRARIES: [&str; 3] = ["libcuda.so", "libnvrtc.so", "libcublas.so"];

/// The functions the program asks for, from its own list, less those `defined` already.
fn functions(defined: &str) -> Vec<&'static str> {
    let list = include_str!("../../src/device/cuda/library.rs");
    let quoted = list.split('"').skip(1).step_by(2);
    let words = quoted.flat_map(str::split_whitespace);
    let is_name = |word: &&str| {
        let of = |prefix| *word != "cuBLAS" && word.strip_prefix(prefix).is_some_and(starts_large);
        of("cu") || of("nvrtc") || of("cublas")
    };
    let mut names: Vec<&str> = words.filter(is_name).collect();
    names.retain(|name| !defined.contains(&format!("int {name}(")));
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 30, "{names:?}");
    names
}

fn starts_large(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_uppercase()) && text.chars().all(is_part)
}

fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A library of C, under the names of all three of CUDA's.
fn build(folder: &Folder, source: &str) -> PathBuf {
    folder.write("cuda.c", source);
    let place = folder.path("lib");
    fs::create_dir(&place).unwrap();
    let first = place.join(LIBRARIES[0]);
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(&first)
        .arg(folder.path("cuda.c"))
        .status();
    assert!(built.unwrap().success());
    for name in &LIBRARIES[1..] {
        fs::copy(&first, place.join(name)).unwrap();
    }
    place
}

fn whole(folder: &Folder) -> PathBuf {
    let source = include_str!("../support/cuda.c");
    let rest = functions(source).into_iter();
    let rest: String = rest
        .map(|name| format!("int {name}() {{ return 0; }}\n"))
        .collect();
    build(folder, &format!("{source}\n{rest}"))
}

/// What `passel devices` prints with these libraries, first of all, and variables.
fn devices(folder: &Folder, place: &Path, set: &[(&str, &str)]) -> (String, Value) {
    let run = |format| {
        let mut command = folder.passel(&["devices", "--format", format]);
        command.env("LD_LIBRARY_PATH", place).envs(set.to_vec());
        let ran = ran(command);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        ran.stdout
    };
    (run("text"), serde_json::from_str(&run("json")).unwrap())
}

#[test]
fn the_cpu_is_always_there() {
    let folder = Folder::new();
    let (text, json) = devices(&folder, folder.path("").as_path(), &[]);
    assert!(text.starts_with("cpu  "), "{text}");
    assert!(json["cpu"]["cores"].as_u64().unwrap() >= 1);
    let cards = json["cuda"]["devices"].as_array().unwrap();
    assert_eq!(text.matches("\ncuda:").count(), cards.len(), "{text}");
    if json["cuda"]["driver"].is_null() {
        // One line says what is missing and what to do.
        let line = text.lines().last().unwrap();
        assert!(
            line.contains("libcuda.so.1) was not found; install"),
            "{line}"
        );
        assert_eq!(text.lines().nth(1), Some("driver   none"));
        assert_eq!(text.lines().count(), 5);
        let problem = json["cuda"]["problem"].as_str().unwrap();
        assert!(line.ends_with(problem), "{line}");
    }
}

#[test]
fn cards_are_listed_with_their_memory_and_the_libraries() {
    let folder = Folder::new();
    let place = whole(&folder);
    let (text, json) = devices(&folder, &place, &[]);
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "cuda:0   A card, compute capability 9.0, 139.0 GiB, 137.0 GiB free",
            "cuda:1   A card, compute capability 9.0, 139.0 GiB, not usable now: cuda:1 failed \
             during asking for its memory: CUDA_ERROR_DEVICE_UNAVAILABLE (busy)",
            "driver   CUDA 13.0",
            "NVRTC    CUDA 13.0",
            "cuBLAS   CUDA 13.1",
        ]
    );
    assert_eq!(json["cuda"]["problem"], Value::Null);
    assert_eq!(json["cuda"]["devices"][1]["device"], "cuda:1");
}

#[test]
fn a_gpu_that_is_not_there_is_told_before_anything_is_read() {
    let folder = Folder::new();
    for (place, device, told, code) in [
        (whole(&folder), "cuda:7", "cuda:7 does not exist", 2),
        (folder.path(""), "cuda", "was not found", 1),
    ] {
        let args = [
            "select",
            "nowhere.csv",
            "--response",
            "y",
            "--device",
            device,
        ];
        let mut command = folder.passel(&args);
        command.env("LD_LIBRARY_PATH", &place);
        let ran = ran(command);
        // Where a driver is installed, the second finds it.
        if code == 2 || ran.stderr.contains("libcuda") {
            assert!(ran.stderr.contains(told), "{}", ran.stderr);
            assert_eq!(ran.code, Some(code));
        }
    }
}

#[test]
fn what_is_wrong_with_cuda_is_told() {
    let folder = Folder::new();
    let place = whole(&folder);
    let problem = |name, value| {
        let (text, json) = devices(&folder, &place, &[(name, value)]);
        let problem = json["cuda"]["problem"].as_str().unwrap().to_owned();
        assert!(text.ends_with(&format!("no CUDA  {problem}\n")), "{text}");
        problem
    };
    for (name, value, told) in [
        (
            "CUDA_INIT",
            "100",
            "no GPU can be used: the driver finds no GPU",
        ),
        (
            "CUDA_INIT",
            "804",
            "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        ),
        (
            "CUDA_DRIVER",
            "11080",
            "is of CUDA 11.8, and 12.0 is needed",
        ),
        (
            "CUDA_DRIVER",
            "12090",
            "12.9, NVRTC is of CUDA 13.0, cuBLAS is of CUDA 13.1; update",
        ),
        (
            "CUDA_NVRTC",
            "11",
            "NVRTC (libnvrtc.so.13 or .12) is too old",
        ),
    ] {
        let problem = problem(name, value);
        assert!(problem.contains(told), "{problem}");
    }
}

#[test]
fn libraries_that_lack_functions_or_are_none_are_refused() {
    let folder = Folder::new();
    let place = build(&folder, "int cuInit(unsigned flags) { return 0; }");
    let problem = |place: &Path| {
        let (_, json) = devices(&folder, place, &[]);
        json["cuda"]["problem"].as_str().unwrap().to_owned()
    };
    let lacks = problem(&place);
    assert!(lacks.contains("is too old, it lacks cu"), "{lacks}");
    // All of CUDA, but for one function of cuBLAS.
    let folder_of_other = Folder::new();
    let good = whole(&folder_of_other);
    fs::rename(place.join(LIBRARIES[2]), good.join(LIBRARIES[2])).unwrap();
    let lacks = problem(&good);
    assert!(lacks.starts_with("cuBLAS"), "{lacks}");
    assert!(lacks.contains("is too old, it lacks cublas"), "{lacks}");
}
