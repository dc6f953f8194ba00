//! How the jobs of a file are run: what `passel run` takes, and its table `[run]`.

use std::num::NonZeroUsize;

use super::super::{OptionSpec, RunSettings};

const RUNNING: &str = "Run";

/// The options of `passel run`, in the order they are listed.
pub const RUN: &[OptionSpec<RunSettings>] = &[
    OptionSpec {
        name: "output",
        value: "FOLDER",
        default: "the job file's name without .toml, and -results",
        range: "a folder, made if it is not there",
        help: "Where results go; a second run does only what is missing there",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.output = Some(given.path()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "jobs",
        value: "N",
        default: "as many as threads and memory allow",
        range: "1 … 1024",
        help: "Run so many jobs at the same time, at most",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.at_once = NonZeroUsize::new(given.count(1..=1024)?);
            Ok(())
        },
    },
    OptionSpec {
        name: "threads",
        value: "N",
        default: "one a core",
        range: "1 … 1024",
        help: "Threads of the CPU that the running jobs share",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.threads = NonZeroUsize::new(given.count(1..=1024)?);
            Ok(())
        },
    },
    OptionSpec {
        name: "memory-limit",
        value: "SIZE",
        default: "none",
        range: "bytes, or with a unit as in 500MB, 8GiB; 1 up to 2^53",
        help: "Start no job beside others that would need more memory together, by estimate",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.memory_limit = Some(given.bytes()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "time-limit",
        value: "TIME",
        default: "no end",
        range: "seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        help: "Stop the whole run after this long, as Ctrl-C would; the next run goes on",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.time_limit = Some(given.duration()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "ranks",
        value: "HOW",
        default: "auto",
        range: "auto, apart or together",
        help: "What the ranks of passel-mpi do: each takes other jobs, or all work at each job; auto: apart where there are as many jobs as ranks",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.apart = given.choice(&[
                ("auto", None),
                ("apart", Some(true)),
                ("together", Some(false)),
            ])?;
            Ok(())
        },
    },
    OptionSpec {
        name: "progress",
        value: "HOW",
        default: "auto",
        range: "auto, plain, json or none",
        help: "Progress on standard error; auto: bars on a terminal, else a line a job",
        heading: RUNNING,
        list: false,
        set: |it, given| {
            it.progress = given.progress()?;
            Ok(())
        },
    },
];
