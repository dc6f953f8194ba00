//! Options of `passel run`, which are also the keys of the table `[run]`.

use std::num::NonZeroUsize;

use super::super::{OptionSpec, RankSharing, RunSettings};

const RUNNING: OptionSpec<RunSettings> = OptionSpec::in_group("Run");

/// The options of `passel run`, in the order in which they are listed.
pub const RUN: &[OptionSpec<RunSettings>] = &[
    OptionSpec {
        name: "output",
        value: "FOLDER",
        default: "the job file's name, with -results for .toml",
        range: "a folder, created if it is not there",
        help: "The folder of results; a second run does only what is missing there",
        set: |settings, values| values.path().map(|value| settings.output = Some(value)),
        ..RUNNING
    },
    OptionSpec {
        name: "jobs",
        value: "N",
        default: "as many as threads and memory allow",
        range: "1 … 1024",
        help: "The most jobs to run at the same time",
        set: |settings, values| {
            values
                .count(1..=1024)
                .map(|count| settings.max_running = NonZeroUsize::new(count))
        },
        ..RUNNING
    },
    OptionSpec {
        name: "threads",
        value: "N",
        default: "one per core",
        range: "1 … 1024",
        help: "Threads of the CPU that the running jobs share",
        set: |settings, values| {
            values
                .count(1..=1024)
                .map(|count| settings.threads = NonZeroUsize::new(count))
        },
        ..RUNNING
    },
    OptionSpec {
        name: "memory-limit",
        value: "SIZE",
        default: "no limit",
        range: "bytes, or with a unit as in 500MB, 8GiB; 1 up to 2^53",
        help: "The most memory that jobs may need at the same time, by estimate",
        set: |settings, values| {
            values
                .bytes()
                .map(|value| settings.memory_limit = Some(value))
        },
        ..RUNNING
    },
    OptionSpec {
        name: "time-limit",
        value: "TIME",
        default: "no limit",
        range: "seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        help: "Stop the whole run after this time, as Ctrl-C would; the next run continues",
        set: |settings, values| {
            values
                .duration()
                .map(|value| settings.time_limit = Some(value))
        },
        ..RUNNING
    },
    OptionSpec {
        name: "ranks",
        value: "HOW",
        default: "auto",
        range: "auto, apart or together",
        help: "How the ranks of passel-mpi share the jobs: apart, each does jobs of its own; together, all work at each job; auto: apart if there are at least as many jobs to do as ranks",
        set: |settings, values| {
            values
                .choice(&[
                    ("auto", RankSharing::Auto),
                    ("apart", RankSharing::Apart),
                    ("together", RankSharing::Together),
                ])
                .map(|value| settings.ranks = value)
        },
        ..RUNNING
    },
    OptionSpec {
        name: "progress",
        value: "HOW",
        default: "auto",
        range: "auto, plain, json or none",
        help: "Progress on standard error; auto: bars on a terminal, else one line per job",
        set: |settings, values| values.progress().map(|value| settings.progress = value),
        ..RUNNING
    },
];
