//! Every seed of the fuzz targets through the checks of its target, and a target for every
//! reader.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../fuzz/src/lib.rs"]
mod checks;

use std::{fs, panic::catch_unwind, path::Path};

use checks::{check, targets};

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

/// Seeds of genotypes with bytes changed, taken out and put in, through the checks.
fn mangled(seed: &[u8], state: &mut u64) -> Vec<u8> {
    let mut drawn = |most: usize| {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (*state >> 33) as usize % most.max(1)
    };
    let mut bytes = seed.to_vec();
    for _ in 0..=drawn(3) {
        let at = drawn(bytes.len());
        match drawn(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, drawn(256) as u8),
            2 if !bytes.is_empty() => drop(bytes.remove(at)),
            _ => bytes
                .iter_mut()
                .skip(at)
                .take(1)
                .for_each(|byte| *byte ^= 1 << drawn(8)),
        }
    }
    bytes
}

/// One test: what is allocated is counted for the whole program.
#[test]
fn every_seed_passes_the_checks_of_its_target() {
    let (mut bytes, mut failed) = (0, Vec::new());
    for target in targets() {
        let folder = fuzz().join("seeds").join(target);
        for name in names(&folder) {
            let seed = fs::read(folder.join(&name)).unwrap();
            bytes += seed.len();
            if catch_unwind(|| check(target, &seed)).is_err() {
                failed.push(format!("{target}/{name}"));
            }
            let mut state = bytes as u64;
            let rounds = if target == "pgen" { 40 } else { 0 };
            for round in 0..rounds {
                let own = mangled(&seed, &mut state);
                if catch_unwind(|| check(target, &own)).is_err() {
                    failed.push(format!("{target}/{name}, mangled {round}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(bytes < LARGEST, "{bytes} bytes of seeds");
}

#[test]
fn every_target_has_seeds_and_all_seeds_a_target() {
    let mut seeds = names(&fuzz().join("seeds"));
    for target in targets() {
        assert!(!names(&fuzz().join("seeds").join(target)).is_empty());
        seeds.retain(|folder| folder != target);
    }
    let unbuilt: &[&str] = match cfg!(feature = "parquet") {
        true => &[],
        false => &["parquet"],
    };
    assert_eq!(seeds, unbuilt, "seeds of no target");
}
