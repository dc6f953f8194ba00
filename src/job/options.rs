//! Every option of a job, once: the command line, its help, the keys of a job
//! file and docs/options.md are all made from [`OPTIONS`].

use std::num::NonZeroUsize;

use super::Opt;
use crate::{
    device::Precision,
    progress::Progress,
    report::Format,
    search::{Gain, Pass},
    table::Missing,
};

/// The option of that name.
pub fn option(name: &str) -> Option<&'static Opt> {
    OPTIONS.iter().find(|option| option.name == name)
}

const DATA: &str = "Data";
const MODEL: &str = "Model";
const SEARCH: &str = "Search";
const OUTPUT: &str = "Output";
const NAMES: &str = "names separated by commas, in double quotes where a name holds one";

/// The options of `passel select` and of a job, in the order they are listed.
pub const OPTIONS: &[Opt] = &[
    Opt {
        name: "response",
        value: "NAME",
        default: "",
        range: "a column; a second file for .npy data",
        help: "The response; needed unless the format of the data names it",
        heading: DATA,
        list: false,
        set: |job, given| {
            job.response = Some(given.text()?);
            Ok(())
        },
    },
    Opt {
        name: "weights",
        value: "NAME",
        default: "",
        range: "a column of numbers, none below 0",
        help: "Weigh the observations by this column (weighted least squares); those of weight 0 are left out",
        heading: DATA,
        list: false,
        set: |job, given| {
            job.weights = Some(given.text()?);
            Ok(())
        },
    },
    Opt {
        name: "factor",
        value: "A,B",
        default: "",
        range: NAMES,
        help: "Read these columns as factors, even where they hold numbers; a name with a comma as '\"a, b\"'",
        heading: DATA,
        list: true,
        set: |job, given| {
            job.factor = given.names()?;
            Ok(())
        },
    },
    Opt {
        name: "drop",
        value: "C,D",
        default: "",
        range: NAMES,
        help: "Leave these columns out; a name with a comma as '\"a, b\"'",
        heading: DATA,
        list: true,
        set: |job, given| {
            job.drop = given.names()?;
            Ok(())
        },
    },
    Opt {
        name: "missing",
        value: "HOW",
        default: "refuse",
        range: "refuse or drop-rows",
        help: "Missing values: an error, or leave out their observations",
        heading: DATA,
        list: false,
        set: |job, given| {
            let choices = [
                ("refuse", Missing::Refuse),
                ("drop-rows", Missing::DropRows),
            ];
            job.missing = given.choice(&choices)?;
            Ok(())
        },
    },
    Opt {
        name: "keep",
        value: "A,B",
        default: "",
        range: NAMES,
        help: "Hold these variables in every model; a name with a comma as '\"a, b\"'",
        heading: MODEL,
        list: true,
        set: |job, given| {
            job.keep = given.names()?;
            Ok(())
        },
    },
    Opt {
        name: "no-intercept",
        value: "",
        default: "false",
        range: "true or false",
        help: "Fit without an intercept",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.intercept = !given.flag()?;
            Ok(())
        },
    },
    Opt {
        name: "criterion",
        value: "NAME",
        default: "ebic:gamma=1",
        range: "a name, then its parameters: NAME:PARAMETER=NUMBER; `passel criteria` lists them",
        help: "What models are compared by; smaller is better",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.criterion = given.criterion()?;
            Ok(())
        },
    },
    Opt {
        name: "p-total",
        value: "P",
        default: "",
        range: "a whole number, at least the candidates in the file",
        help: "Candidates before the file was screened: p in the criterion's penalty",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.p_total = Some(given.count(1..=usize::MAX)?);
            Ok(())
        },
    },
    Opt {
        name: "max-size",
        value: "K",
        default: "p where p ≤ n/2, else n/4 beside the kept ones",
        range: "1 … min(p, n − 2)",
        help: "The largest model, in variables",
        heading: MODEL,
        list: false,
        set: |job, given| {
            job.pass.max_size = Some(given.count(1..=usize::MAX)?);
            Ok(())
        },
    },
    Opt {
        name: "preset",
        value: "NAME",
        default: "default",
        range: "default or paper",
        help: "What the search options below start from; paper: plain PaSS as in the paper's Table IV, 16 particles, 256 iterations, no polish",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            let seed = job.pass.seed;
            let choices: [(_, fn() -> Pass); 2] =
                [("default", Pass::default), ("paper", Pass::paper)];
            let max_size = job.pass.max_size;
            job.pass = Pass {
                seed,
                max_size,
                ..given.choice(&choices)?()
            };
            Ok(())
        },
    },
    Opt {
        name: "particles",
        value: "K",
        default: "32",
        range: "1 … 65536",
        help: "Particles of the swarm",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.particles = given.count(1..=65_536)?;
            Ok(())
        },
    },
    Opt {
        name: "iterations",
        value: "N",
        default: "32",
        range: "1 … 1000000000",
        help: "Iterations, the random starts being the first",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.iterations = given.count(1..=1_000_000_000)?;
            Ok(())
        },
    },
    Opt {
        name: "forward",
        value: "B,I,R",
        default: "0.2,0.6,0.2",
        range: "three probabilities with sum 1",
        help: "A forward step adds from the best model, the most improving, or at random",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.forward = given.probabilities()?;
            Ok(())
        },
    },
    Opt {
        name: "backward",
        value: "I,R",
        default: "0.4,0.6",
        range: "two probabilities with sum 1",
        help: "A backward step drops the least costly, or at random",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.backward = given.probabilities()?;
            Ok(())
        },
    },
    Opt {
        name: "gain",
        value: "RULE",
        default: "correlation",
        range: "correlation or exact",
        help: "The most improving: by correlation with the residual, or by the exact fall in RSS",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            let choices = [("correlation", Gain::Correlation), ("exact", Gain::Exact)];
            job.pass.gain = given.choice(&choices)?;
            Ok(())
        },
    },
    Opt {
        name: "start-size",
        value: "K",
        default: "1",
        range: "0 … max-size",
        help: "Random variables each particle starts with, beside the kept ones",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.start_size = given.count(0..=usize::MAX)?;
            Ok(())
        },
    },
    Opt {
        name: "no-polish",
        value: "",
        default: "false",
        range: "true or false",
        help: "End with the swarm's best model, without walking on from it to a certified optimum",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.polish = !given.flag()?;
            Ok(())
        },
    },
    Opt {
        name: "islands",
        value: "N",
        default: "4",
        range: "1 … 1024",
        help: "Walks of the polish, each from a model of its own",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.islands = given.count(1..=1024)?;
            Ok(())
        },
    },
    Opt {
        name: "patience",
        value: "N",
        default: "no end",
        range: "1 … 1000000000",
        help: "End the swarm after N iterations without a better model",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.patience = Some(given.count(1..=1_000_000_000)?);
            Ok(())
        },
    },
    Opt {
        name: "time-limit",
        value: "TIME",
        default: "no end",
        range: "seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        help: "End the search after this long",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.time_limit = Some(given.duration()?);
            Ok(())
        },
    },
    Opt {
        name: "device",
        value: "WHERE",
        default: "auto",
        range: "auto, cpu, cuda (every GPU), or GPUs by number as in cuda:0,2",
        help: "Where columns are swept; auto: every GPU if there is one and n × p is at least 2^26. The selection does not depend on it",
        heading: SEARCH,
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
        heading: SEARCH,
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
        help: "Memory for columns on each device; what has no room on a GPU streams through it",
        heading: SEARCH,
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
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.resources.threads = NonZeroUsize::new(given.count(1..=1024)?);
            Ok(())
        },
    },
    Opt {
        name: "seed",
        value: "S",
        default: "1",
        range: "0 … 18446744073709551615",
        help: "Seed of every random number",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.seed = given.seed()?;
            Ok(())
        },
    },
    Opt {
        name: "level",
        value: "L",
        default: "0.95",
        range: "above 0, below 1",
        help: "Level of the confidence intervals",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.level = given.number(|it| it > 0.0 && it < 1.0)?;
            Ok(())
        },
    },
    Opt {
        name: "format",
        value: "FORM",
        default: "text",
        range: "text, json, csv or parquet",
        help: "Form of the report; parquet, where it is built in, needs --output",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            let choices = [
                ("text", Format::Text),
                ("json", Format::Json),
                ("csv", Format::Csv),
                ("parquet", Format::Parquet),
            ];
            job.format = given.choice(&choices)?;
            Ok(())
        },
    },
    Opt {
        name: "output",
        value: "FILE",
        default: "standard output",
        range: "a file",
        help: "Write the report here, whole or not at all",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.output = Some(given.path()?);
            Ok(())
        },
    },
    Opt {
        name: "trace",
        value: "FILE",
        default: "none",
        range: "a file",
        help: "Write every step of every particle here, as CSV",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.trace = Some(given.path()?);
            Ok(())
        },
    },
    Opt {
        name: "progress",
        value: "HOW",
        default: "auto",
        range: "auto, plain, json or none",
        help: "Progress on standard error; auto: a bar on a terminal, else none",
        heading: OUTPUT,
        list: false,
        set: |job, given| {
            job.progress = given.choice(&[
                ("auto", Progress::Auto),
                ("plain", Progress::Plain),
                ("json", Progress::Json),
                ("none", Progress::None),
            ])?;
            Ok(())
        },
    },
];
