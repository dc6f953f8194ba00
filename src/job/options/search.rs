//! Options of the search.

use super::super::OptionSpec;
use crate::search::{Gain, Pass};

const SEARCH: OptionSpec = OptionSpec::in_group("Search");

/// In the order in which they are listed.
pub(super) const SEARCHING: &[OptionSpec] = &[
    OptionSpec {
        name: "preset",
        value: "NAME",
        default: "default",
        range: "default or paper",
        help: "The starting values of the search options below; paper: plain PaSS as in Table IV of the paper, with 16 particles, 256 iterations and no polish",
        set: |job, values| {
            let seed = job.pass.seed;
            let choices: [(_, fn() -> Pass); 2] =
                [("default", Pass::default), ("paper", Pass::paper)];
            let max_size = job.pass.max_size;
            job.pass = Pass {
                seed,
                max_size,
                ..values.choice(&choices)?()
            };
            Ok(())
        },
        ..SEARCH
    },
    OptionSpec {
        name: "particles",
        value: "K",
        default: "32",
        range: "1 … 65536",
        help: "Number of particles in the swarm",
        set: |job, values| {
            values
                .count(1..=65_536)
                .map(|value| job.pass.particles = value)
        },
        ..SEARCH
    },
    OptionSpec {
        name: "iterations",
        value: "N",
        default: "32",
        range: "1 … 1000000000",
        help: "Number of iterations; the random starts are the first",
        set: |job, values| {
            values
                .count(1..=1_000_000_000)
                .map(|value| job.pass.iterations = value)
        },
        ..SEARCH
    },
    OptionSpec {
        name: "forward",
        value: "B,I,R",
        default: "0.2,0.6,0.2",
        range: "three probabilities with sum 1",
        help: "Probabilities that a forward step adds a variable of the best model, the most improving variable, or a random one",
        set: |job, values| values.probabilities().map(|value| job.pass.forward = value),
        ..SEARCH
    },
    OptionSpec {
        name: "backward",
        value: "I,R",
        default: "0.4,0.6",
        range: "two probabilities with sum 1",
        help: "Probabilities that a backward step drops the least costly variable, or a random one",
        set: |job, values| {
            values
                .probabilities()
                .map(|value| job.pass.backward = value)
        },
        ..SEARCH
    },
    OptionSpec {
        name: "gain",
        value: "RULE",
        default: "correlation",
        range: "correlation or exact",
        help: "How the most improving variable is found: by its correlation with the residual, or by the exact fall in RSS",
        set: |job, values| {
            let choices = [("correlation", Gain::Correlation), ("exact", Gain::Exact)];
            job.pass.gain = values.choice(&choices)?;
            Ok(())
        },
        ..SEARCH
    },
    OptionSpec {
        name: "start-size",
        value: "K",
        default: "1",
        range: "0 … max-size",
        help: "Number of random variables that each particle starts with, besides the kept ones",
        set: |job, values| {
            values
                .count(0..=usize::MAX)
                .map(|value| job.pass.start_size = value)
        },
        ..SEARCH
    },
    OptionSpec {
        name: "no-polish",
        default: "false",
        range: "true or false",
        help: "End with the best model of the swarm, without improving it to a certified optimum",
        set: |job, values| values.flag().map(|flag| job.pass.polish = !flag),
        ..SEARCH
    },
    OptionSpec {
        name: "islands",
        value: "N",
        default: "4",
        range: "1 … 1024",
        help: "Number of walks of the polish, each from a model of its own",
        set: |job, values| values.count(1..=1024).map(|value| job.pass.islands = value),
        ..SEARCH
    },
    OptionSpec {
        name: "patience",
        value: "N",
        default: "no limit",
        range: "1 … 1000000000",
        help: "End the swarm after N iterations without a better model",
        set: |job, values| {
            values
                .count(1..=1_000_000_000)
                .map(|value| job.pass.patience = Some(value))
        },
        ..SEARCH
    },
    OptionSpec {
        name: "time-limit",
        value: "TIME",
        default: "no limit",
        range: "seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        help: "End the search after this time",
        set: |job, values| {
            values
                .duration()
                .map(|value| job.pass.time_limit = Some(value))
        },
        ..SEARCH
    },
    OptionSpec {
        name: "seed",
        value: "S",
        default: "1",
        range: "0 … 18446744073709551615",
        help: "Seed of all random numbers: of the search, of permutations (stop), and of methods that draw",
        set: |job, values| values.seed().map(|value| job.pass.seed = value),
        ..SEARCH
    },
];
