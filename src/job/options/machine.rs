//! Options of the machine, on which the selection does not depend.

use std::num::NonZeroUsize;

use super::super::OptionSpec;
use crate::device::{Partition, Precision};

const MACHINE: OptionSpec = OptionSpec::in_group("Machine");

/// In the order in which they are listed.
pub(super) const RESOURCES: &[OptionSpec] = &[
    OptionSpec {
        name: "device",
        value: "WHERE",
        default: "auto",
        range: "auto, cpu, cuda (every GPU), or GPUs by number as in cuda:0,2",
        help: "Where columns are swept; auto: all GPUs if there are any and n × p is at least 2^26, else the CPU. The selection does not depend on it",
        set: |job, values| values.devices().map(|value| job.resources.devices = value),
        ..MACHINE
    },
    OptionSpec {
        name: "precision",
        value: "P",
        default: "f64",
        range: "f64, f32 or tf32",
        help: "Arithmetic that screens candidates on GPUs; f64 decides among them, so the selection does not depend on it. A GPU with slow f64 screens in f32 instead of f64",
        set: |job, values| {
            values
                .choice(&[
                    ("f64", Precision::F64),
                    ("f32", Precision::F32),
                    ("tf32", Precision::Tf32),
                ])
                .map(|value| job.resources.precision = value)
        },
        ..MACHINE
    },
    OptionSpec {
        name: "over",
        value: "WHAT",
        default: "auto",
        range: "auto, columns, sweeps or particles",
        help: "What the ranks of passel-mpi divide in a search: columns, of which those that join a model are broadcast; or, with the whole of X on each rank, the sweeps or the particles; auto: whatever broadcasts fewer columns. The selection does not depend on it",
        set: |job, values| {
            values
                .choice(&[
                    ("auto", None),
                    ("columns", Some(Partition::Columns)),
                    ("sweeps", Some(Partition::Sweeps)),
                    ("particles", Some(Partition::Particles)),
                ])
                .map(|value| job.resources.partition = value)
        },
        ..MACHINE
    },
    OptionSpec {
        name: "memory-limit",
        value: "SIZE",
        default: "what is free",
        range: "bytes, or with a unit as in 500MB, 8GiB; 1 up to 2^53",
        help: "Memory for each device's columns, besides models and products. A GPU streams the columns that do not fit; the CPU does without its copies in f32",
        set: |job, values| {
            values
                .bytes()
                .map(|value| job.resources.memory_limit = Some(value))
        },
        ..MACHINE
    },
    OptionSpec {
        name: "threads",
        value: "N",
        default: "one per core",
        range: "1 … 1024",
        help: "Threads of the CPU; the selection does not depend on it",
        set: |job, values| {
            values
                .count(1..=1024)
                .map(|count| job.resources.threads = NonZeroUsize::new(count))
        },
        ..MACHINE
    },
];
