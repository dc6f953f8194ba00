//! What the search may run on: the selection does not depend on it.

use std::num::NonZeroUsize;

use super::super::OptionSpec;
use crate::device::{Partition, Precision};

const MACHINE: &str = "Machine";

/// In the order they are listed.
pub(super) const RESOURCES: &[OptionSpec] = &[
    OptionSpec {
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
    OptionSpec {
        name: "precision",
        value: "P",
        default: "f64",
        range: "f64, f32 or tf32",
        help: "Arithmetic that screens candidates on GPUs; f64 decides, so the selection does not depend on it. A GPU whose f64 is slow takes f32 for f64 here",
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
    OptionSpec {
        name: "over",
        value: "WHAT",
        default: "auto",
        range: "auto, columns, sweeps or particles",
        help: "What the ranks of passel-mpi share out in a search: columns, those that join a model being told to all; or, X being whole on each, sweeps of columns or particles; auto: what is fewer columns to tell. The selection does not depend on it",
        heading: MACHINE,
        list: false,
        set: |job, given| {
            job.resources.partition = given.choice(&[
                ("auto", None),
                ("columns", Some(Partition::Columns)),
                ("sweeps", Some(Partition::Sweeps)),
                ("particles", Some(Partition::Particles)),
            ])?;
            Ok(())
        },
    },
    OptionSpec {
        name: "memory-limit",
        value: "SIZE",
        default: "what is free",
        range: "bytes, or with a unit as in 500MB, 8GiB; 1 up to 2^53",
        help: "Memory for each device's columns, beside models and products. What has no room on a GPU streams through it; the CPU, where X lies anyway, only does without its copies in f32",
        heading: MACHINE,
        list: false,
        set: |job, given| {
            job.resources.memory_limit = Some(given.bytes()?);
            Ok(())
        },
    },
    OptionSpec {
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
