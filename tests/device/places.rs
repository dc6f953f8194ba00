//! The shapes of devices a case is run on.

use std::{num::NonZeroUsize, sync::OnceLock};

use passel::{
    Design, Interrupt, Pass,
    criteria::Bic,
    device::{DeviceChoice, Precision, Resources},
    search::{SearchError, search},
};

use crate::problems;

/// One shape: its name in messages, and what a search is given.
pub struct Place {
    pub name: String,
    pub resources: Resources,
    /// It does the arithmetic of one shard of the CPU, so its walk has the same bits.
    pub same_bits: bool,
}

/// One shard, one thread.
pub fn plain() -> Resources {
    Resources::cpu(1)
}

/// The CPU with threads, in shards, and without room for its copies in f32.
pub fn cpus(_: &Design) -> Vec<Place> {
    let place = |shards: usize, threads: usize, limit: Option<u64>| Place {
        name: format!("{shards} shards, {threads} threads, limit {limit:?}"),
        resources: Resources {
            threads: NonZeroUsize::new(threads),
            devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
            memory_limit: limit,
            ..Resources::default()
        },
        same_bits: true,
    };
    vec![
        place(1, 3, None),
        place(2, 1, None),
        place(3, 2, None),
        place(4, 1, None),
        place(1, 1, Some(1000)),
        place(3, 1, Some(1000)),
    ]
}

/// The GPUs: one, all, all with room for a third of the columns, and those that screen
/// with fewer digits.
pub fn cudas(design: &Design) -> Vec<Place> {
    // Of X, or a few columns: none is streamed by halves.
    let third = |parts: usize| {
        let x = 8 * design.columns().values().len();
        Some((x / 3 / parts).max(24 * design.n()) as u64)
    };
    let place = |name: &str, ordinals: &[usize], limit: Option<u64>, precision| Place {
        name: name.to_owned(),
        resources: Resources {
            devices: DeviceChoice::Cuda(ordinals.to_vec()),
            precision,
            memory_limit: limit,
            ..Resources::default()
        },
        same_bits: false,
    };
    let mut places = vec![
        place("cuda:0", &[0], None, Precision::F64),
        place("cuda:0 streaming", &[0], third(1), Precision::F64),
        place("cuda:0 f32", &[0], None, Precision::F32),
        place("cuda:0 tf32", &[0], None, Precision::Tf32),
    ];
    if gpus() > 1 {
        places.extend([
            place("cuda", &[], None, Precision::F64),
            place("cuda streaming", &[], third(gpus()), Precision::F64),
            place("cuda f32 streaming", &[], third(gpus()), Precision::F32),
        ]);
    }
    places
}

/// Whether GPUs can be used; said on standard error where they cannot.
pub fn cuda_is_there() -> bool {
    gpus() > 0
}

/// How many GPUs there are, by a tiny search on all of them.
fn gpus() -> usize {
    static GPUS: OnceLock<usize> = OnceLock::new();
    *GPUS.get_or_init(|| {
        let reason = match tiny() {
            Ok(devices) if devices.iter().all(|name| name.starts_with("cuda")) => {
                return devices.len();
            }
            Ok(devices) => format!("--device cuda ran on {devices:?}"),
            Err(SearchError::Device(error)) => error.to_string(),
            Err(error) => panic!("{error}"),
        };
        let required = std::env::var_os("PASSEL_REQUIRE_CUDA").is_some();
        assert!(!required, "CUDA is required: {reason}");
        eprintln!("skipped: {reason}");
        0
    })
}

/// The devices of a search on all GPUs. It has more columns than any host has GPUs.
fn tiny() -> Result<Vec<String>, SearchError> {
    let (x, y) = problems::small(30, 64, 800);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let pass = Pass {
        particles: 2,
        iterations: 2,
        ..Pass::default()
    };
    let resources = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..Resources::default()
    };
    let never = Interrupt::default();
    search(&design, &Bic, &pass, &resources, &never, None, &mut |_| {}).map(|found| found.devices)
}
