//! What the search may run on: the selection does not depend on it.

use std::num::NonZeroUsize;

use super::super::Opt;
use crate::device::Precision;

const MACHINE: &str = "Machine";

/// In the order they are listed.
pub(super) const RESOURCES: &[Opt] = &[
    Opt {
        name: "device",
        value: "WHERE",
        default: "auto",
        range: "auto, cpu, cuda (every GPU), or GPUs by number as in cuda:0,2",
        help: "Where columns are swept; auto: every GPU if there is one and n × p is at least 2^26. The selection does not depend on it",
        heading: MACHINE,
        list: false,
        set: |job, given| {
            job.resources.devices = given.devices()?;
            Ok(())
        },
    },
    Opt {
        name: "precision",
        value: "P",
        default: "f64",
        range: "f64, f32 or tf32",
        help: "Arithmetic that screens candidates on GPUs; f64 decides, so the selection does not depend on it. Where f64 is slow, f32 screens by itself",
        heading: MACHINE,
        list: false,
        set: |job, given| {
            job.resources.precision = given.choice(&[
                ("f64", Precision::F64),
                ("f32", Precision::F32),
                ("tf32", Precision::Tf32),
            ])?;
            Ok(())
        },
    },
    Opt {
        name: "memory-limit",
        value: "SIZE",
        default: "what is free",
        range: "bytes, or as in 500MB, 8GiB; above 0",
        help: "Memory for each device's columns, beside models and products; what has no room on a GPU streams through it",
        heading: MACHINE,
        list: false,
        set: |job, given| {
            job.resources.memory_limit = Some(given.bytes()?);
            Ok(())
        },
    },
    Opt {
        name: "threads",
        value: "N",
        default: "one a core",
        range: "1 … 1024",
        help: "Threads of the CPU; the selection does not depend on it",
        heading: MACHINE,
        list: false,
        set: |job, given| {
            job.resources.threads = NonZeroUsize::new(given.count(1..=1024)?);
            Ok(())
        },
    },
];
