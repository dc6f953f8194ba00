//! Every seed of the fuzz targets through the checks of its target, and a target for every
//! reader.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../fuzz/src/lib.rs"]
mod checks;

use std::{collections::BTreeSet, fs, panic::catch_unwind, path::Path};

use checks::TARGETS;

/// Largest folder of seeds, in bytes: they are read in every run of the tests.
const LARGEST: usize = 300_000;

fn fuzz() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz"))
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|_| panic!("no {}", folder.display()));
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// One test: what is allocated is counted for the whole program.
#[test]
fn every_seed_passes_the_checks_of_its_target() {
    let (mut bytes, mut failed) = (0, Vec::new());
    for target in TARGETS {
        let folder = fuzz().join("seeds").join(target.name);
        for name in names(&folder) {
            let seed = fs::read(folder.join(&name)).unwrap();
            bytes += seed.len();
            if catch_unwind(|| (target.check)(&seed)).is_err() {
                failed.push(format!("{}/{name}", target.name));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(bytes < LARGEST, "{bytes} bytes of seeds");
}

#[test]
fn every_reader_has_a_target_and_every_target_seeds() {
    let covered = TARGETS.iter().flat_map(|target| target.endings);
    let covered: BTreeSet<&str> = covered.copied().collect();
    for ending in passel::table::extensions() {
        let built = cfg!(feature = "parquet") || ending != "parquet";
        assert!(
            !built || covered.contains(ending),
            "no target for .{ending}"
        );
    }
    let mut programs = names(&fuzz().join("fuzz_targets"));
    let mut seeds = names(&fuzz().join("seeds"));
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for target in TARGETS {
        assert!(!names(&fuzz().join("seeds").join(target.name)).is_empty());
        assert!(manifest.contains(&format!("\nname = \"{}\"\n", target.name)));
        programs.retain(|program| *program != format!("{}.rs", target.name));
        seeds.retain(|folder| folder != target.name);
    }
    let unbuilt: &[&str] = match cfg!(feature = "parquet") {
        true => &[],
        false => &["parquet"],
    };
    assert_eq!(seeds, unbuilt, "seeds of no target");
    assert_eq!(
        programs.len(),
        unbuilt.len(),
        "programs of no target: {programs:?}"
    );
}
