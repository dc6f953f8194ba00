//! Options of methods, and those that only `passel pairs` has.

use super::super::{OptionSpec, PairsDraft};

const METHOD: OptionSpec = OptionSpec::in_group("Method");
const PAIRS_METHOD: OptionSpec<PairsDraft> = OptionSpec::in_group("Method");
const PAIRS_OUTPUT: OptionSpec<PairsDraft> = OptionSpec::in_group("Output");

/// In the order in which they are listed.
pub(super) const SELECTORS: &[OptionSpec] = &[
    OptionSpec {
        name: "method",
        value: "NAME",
        default: "pass",
        range: "a name, then its parameters: NAME:PARAMETER=NUMBER; `passel methods` lists them",
        help: "What selects the variables: pass, a search by criterion, or a selector from a plugin",
        set: |job, values| {
            job.method = values.text()?.trim().to_owned();
            Ok(())
        },
        ..METHOD
    },
    OptionSpec {
        name: "top",
        value: "K",
        default: "10 variables or 100 pairs; all with threshold or stop",
        range: "a whole number above 0; for selectors at most p",
        help: "The number of variables to select, or of pairs to report",
        set: |job, values| {
            values
                .count(1..=usize::MAX)
                .map(|value| job.stop.top = Some(value))
        },
        ..METHOD
    },
    OptionSpec {
        name: "threshold",
        value: "T",
        default: "none",
        range: "a number, in nats if the scores are",
        help: "For selectors and pairs: end before the first score below it",
        set: |job, values| {
            values
                .number(f64::is_finite)
                .map(|value| job.stop.threshold = Some(value))
        },
        ..METHOD
    },
    OptionSpec {
        name: "stop",
        value: "RULE",
        default: "none",
        range: "permutation:n=N,alpha=A with N in 19 … 1000000 and A above 0 and below 1; without them n=1000,alpha=0.05",
        help: "For selectors: end before a variable whose score is reached by the best permuted score in more than A of N permutations; without top and threshold nothing else ends the selection",
        set: |job, values| {
            values
                .permutation()
                .map(|value| job.stop.permutation = Some(value))
        },
        ..METHOD
    },
    OptionSpec {
        name: "plugins",
        value: "A,B",
        range: "paths separated by commas, in double quotes where one holds a comma",
        help: "Load these libraries too; `passel plugins` lists those that are found automatically",
        list: true,
        set: |job, values| values.paths().map(|value| job.plugins = value),
        ..METHOD
    },
];

/// The options that only `passel pairs` has, in the order in which they are listed.
pub(super) const PAIRING: &[OptionSpec<PairsDraft>] = &[
    OptionSpec {
        name: "score",
        value: "NAME",
        default: "mi3",
        range: "a name; `passel methods` lists them",
        help: "The score of a pair",
        set: |draft, values| values.text().map(|value| draft.score = value),
        ..PAIRS_METHOD
    },
    OptionSpec {
        name: "partners",
        default: "false",
        range: "true or false",
        help: "Also report the best-scoring partner of every variable, whatever top and threshold",
        set: |draft, values| values.flag().map(|value| draft.partners = value),
        ..PAIRS_METHOD
    },
    OptionSpec {
        name: "matrix",
        value: "FILE",
        default: "none",
        range: "a .npy file",
        help: "Write the scores of all pairs to this file, p × p, with each variable's score with itself on the diagonal",
        set: |draft, values| {
            let path = values.path()?;
            if path.extension().is_none_or(|extension| extension != "npy") {
                return Err(values.out_of_range());
            }
            draft.matrix = Some(path);
            Ok(())
        },
        ..PAIRS_OUTPUT
    },
];

/// The options of `passel select` that `passel pairs` has too.
pub(in crate::job) const SHARED_WITH_PAIRS: &[&str] = &[
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
