//! How models are searched.

use super::super::OptionSpec;
use crate::search::{Gain, Pass};

const SEARCH: &str = "Search";

/// In the order they are listed.
pub(super) const SEARCHING: &[OptionSpec] = &[
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
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
    OptionSpec {
        name: "seed",
        value: "S",
        default: "1",
        range: "0 … 18446744073709551615",
        help: "Seed of every random number; of selectors, of permutations (stop) and of those that draw",
        heading: SEARCH,
        list: false,
        set: |job, given| {
            job.pass.seed = given.seed()?;
            Ok(())
        },
    },
];
