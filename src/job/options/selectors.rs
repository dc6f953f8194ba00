//! Methods other than the first, and where their choice ends.

use super::super::{OptionSpec, PairsDraft};

const METHOD: &str = "Method";

/// In the order they are listed.
pub(super) const SELECTORS: &[OptionSpec] = &[
    OptionSpec {
        name: "method",
        value: "NAME",
        default: "pass",
        range: "a name, then its parameters: NAME:PARAMETER=NUMBER; `passel methods` lists them",
        help: "What chooses the variables: pass, a search by criterion, or a selector of a plugin",
        heading: METHOD,
        list: false,
        set: |job, given| {
            job.method = given.text()?.trim().to_owned();
            Ok(())
        },
    },
    OptionSpec {
        name: "top",
        value: "K",
        default: "10 variables, 100 pairs; with threshold or stop all",
        range: "a whole number above 0; of selectors at most p",
        help: "Choose so many variables, or tell so many pairs",
        heading: METHOD,
        list: false,
        set: |job, given| {
            job.stop.top = Some(given.count(1..=usize::MAX)?);
            Ok(())
        },
    },
    OptionSpec {
        name: "threshold",
        value: "T",
        default: "none",
        range: "a number, in nats where scores are",
        help: "Of selectors and pairs: end before a score below it",
        heading: METHOD,
        list: false,
        set: |job, given| {
            job.stop.threshold = Some(given.number(f64::is_finite)?);
            Ok(())
        },
    },
    OptionSpec {
        name: "stop",
        value: "RULE",
        default: "none",
        range: "permutation:n=N,alpha=A (either may be left out: 1000, 0.05); N 19 … 1000000, A above 0, below 1",
        help: "Of selectors: end before a variable whose score the best of chance reaches too, in more than A of N permutations; without top and threshold nothing else ends it",
        heading: METHOD,
        list: false,
        set: |job, given| {
            job.stop.permutation = Some(given.permutation()?);
            Ok(())
        },
    },
    OptionSpec {
        name: "plugins",
        value: "A,B",
        default: "",
        range: "paths separated by commas, in double quotes where one holds a comma",
        help: "Load these libraries too; `passel plugins` lists those found by themselves",
        heading: METHOD,
        list: true,
        set: |job, given| {
            job.plugins = given.paths()?;
            Ok(())
        },
    },
];

/// What `passel pairs` has besides, in the order they are listed.
pub(super) const PAIRING: &[OptionSpec<PairsDraft>] = &[
    OptionSpec {
        name: "score",
        value: "NAME",
        default: "mi3",
        range: "a name; `passel methods` lists them",
        help: "The score of a pair",
        heading: METHOD,
        list: false,
        set: |it, given| {
            it.score = given.text()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "partners",
        value: "",
        default: "false",
        range: "true or false",
        help: "Tell of every variable the other with which it scores best too, whatever top and threshold",
        heading: METHOD,
        list: false,
        set: |it, given| {
            it.partners = given.flag()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "matrix",
        value: "FILE",
        default: "none",
        range: "a .npy file",
        help: "Write the scores of all pairs here, p × p, each variable with itself on the diagonal",
        heading: "Output",
        list: false,
        set: |it, given| {
            let path = given.path()?;
            if path.extension().is_none_or(|it| it != "npy") {
                return Err(given.out_of_range());
            }
            it.matrix = Some(path);
            Ok(())
        },
    },
];

/// The options of `passel select` that `passel pairs` has too.
pub(in crate::job) const SHARED: &[&str] = &[
    "response",
    "factor",
    "drop",
    "missing",
    "binning",
    "bin-response",
    "top",
    "threshold",
    "plugins",
    "threads",
    "device",
    "memory-limit",
    "format",
    "output",
    "progress",
];
