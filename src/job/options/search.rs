//! Options of methods, of the search, of pairs and of resamples.

use super::{super::OptionSpec, first_and_others};
use crate::{
    score::Correction,
    search::{Gain, Pass, ProofEffort},
    stability::Resampling,
};

type TaskOption = OptionSpec;

/// The default fraction of the rows in a subsample.
const FRACTION: f64 = 0.5;

/// The expected number of false picks that is allowed by default.
pub(in crate::job) const FALSE_PICKS: f64 = 1.0;

const METHOD: &str = "Method";

pub(super) fn methods() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group(METHOD, [
        TaskOption::custom("method NAME", |draft, values| {
            (draft.job.method, draft.other_methods) = first_and_others(values.specs()?, String::new());
            Ok(())
        })
            .default("pass")
            .range("a name, then its parameters: NAME:PARAMETER=VALUE; `passel methods` lists them")
            .help("What selects the variables: pass, a search by criterion, or a selector from a plugin. Validation compares several, as in pass,jmi"),
        TaskOption::limit("top K", 1..=usize::MAX, |draft| &mut draft.job.stop.top)
            .default("10 variables or 100 pairs; all with threshold or stop")
            .range("a whole number above 0; for selectors at most p")
            .help("The number of variables to select, or of pairs to report"),
        TaskOption::number("threshold T", f64::is_finite, |draft| &mut draft.job.stop.threshold)
            .default("none")
            .range("a number, in nats if the scores are")
            .help("For selectors and pairs: end before the first score below it"),
        TaskOption::optional("stop RULE", |raw| raw.permutation(), |draft| &mut draft.job.stop.permutation)
            .default("none")
            .range("permutation:n=N,alpha=A with N in 19 … 1000000 and A above 0 and below 1, or permutation:raw,n=N,alpha=A; without them n=1000,alpha=0.05")
            .help("For selectors: choose the variable whose score is most deviations above the mean of its own permuted scores, and end before one whose excess is reached by the best permuted one in more than A of N permutations; raw: compare scores as they are, which favours variables of many levels; without top and threshold nothing else ends the selection"),
        TaskOption::choice("correction HOW", CORRECTION, |draft| &mut draft.job.correction)
            .help("For selectors: correct entropies for their bias, so that many levels are less of an advantage; miller-madow adds (cells with observations − 1) / 2n to each. On the CPU alone"),
        TaskOption::list("plugins A,B", |draft| &mut draft.job.plugins)
            .range("paths separated by commas, in double quotes where one holds a comma")
            .help("Load these libraries too; `passel plugins` lists those that are found automatically"),
    ])
}

const CORRECTION: [(&str, Correction); 2] = [
    (Correction::None.name(), Correction::None),
    (Correction::MillerMadow.name(), Correction::MillerMadow),
];

pub(super) fn search() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Search", [
        TaskOption::custom("preset NAME", |draft, values| {
            let (seed, max_size) = (draft.job.pass.seed, draft.job.pass.max_size);
            let presets: [(_, fn() -> Pass); 2] =
                [("default", Pass::default), ("paper", Pass::paper)];
            draft.job.pass = Pass {
                seed,
                max_size,
                ..values.choice(&presets)?()
            };
            Ok(())
        })
        .default("default")
        .range("default or paper")
        .help("The starting values of the search options below; paper: plain PaSS as in Table IV of the paper, with 16 particles, 256 iterations and no polish"),
        TaskOption::count("particles K", 1..=65_536, |draft| &mut draft.job.pass.particles)
            .help("Number of particles in the swarm"),
        TaskOption::count("iterations N", 1..=1_000_000_000, |draft| &mut draft.job.pass.iterations)
            .help("Number of iterations; the random starts are the first"),
        TaskOption::probabilities("forward B,I,R", |draft| &mut draft.job.pass.forward)
            .range("three probabilities with sum 1")
            .help("Probabilities that a forward step adds a variable of the best model, the most improving variable, or a random one"),
        TaskOption::probabilities("backward I,R", |draft| &mut draft.job.pass.backward)
            .range("two probabilities with sum 1")
            .help("Probabilities that a backward step drops the least costly variable, or a random one"),
        TaskOption::choice(
            "gain RULE",
            [("correlation", Gain::Correlation), ("exact", Gain::Exact)],
            |draft| &mut draft.job.pass.gain,
        )
        .help("How the most improving variable is found: by its correlation with the residual, or by the exact fall in RSS"),
        TaskOption::count("start-size K", 0..=usize::MAX, |draft| &mut draft.job.pass.start_size)
            .range("0 … max-size")
            .help("Number of random variables that each particle starts with, besides the kept ones"),
        TaskOption::flag("no-polish", |draft, is_given| draft.job.pass.polish = !is_given)
            .help("End with the best model of the swarm, without improving it to a certified optimum"),
        TaskOption::count("islands N", 1..=1024, |draft| &mut draft.job.pass.islands)
            .help("Number of walks of the polish, each from a model of its own"),
        TaskOption::flag("prove", |draft, is_given| {
            draft.job.pass.proof = match is_given {
                true => ProofEffort::Complete,
                false => ProofEffort::Bounded,
            };
        })
            .help("Go on until it is proved that no allowed model has a lower criterion, or the time limit or Ctrl-C ends it; without it the proof ends after a bounded amount of work, and resamples of stability selection go without"),
        TaskOption::limit("patience N", 1..=1_000_000_000, |draft| &mut draft.job.pass.patience)
            .default("no limit")
            .help("End the swarm after N iterations without a better model"),
        TaskOption::time_limit("time-limit TIME", |draft| &mut draft.job.pass.time_limit)
            .help("End the work after this time, not counting what comes before it: the result is the best until then. Of stability it is all resamples, of validations all splits, of pairs those that were scored"),
        TaskOption::seed(|draft| &mut draft.job.pass.seed)
            .help("Seed of all random numbers: of the search, of permutations (stop), and of methods that draw"),
    ])
}

/// The options that only `passel pairs` has.
pub(super) fn pairs() -> impl Iterator<Item = OptionSpec> {
    let method = TaskOption::group(METHOD, [
        TaskOption::value("score NAME", |raw| raw.text(), |draft| &mut draft.score)
            .range("a name; `passel methods` lists them")
            .help("The score of a pair"),
        TaskOption::flag("partners", |draft, is_given| draft.partners = is_given)
            .help("Also report the best-scoring partner of every variable, whatever top and threshold"),
    ]);
    let output = TaskOption::group("Output", [
        TaskOption::optional("matrix FILE", |raw| raw.npy(), |draft| &mut draft.matrix)
            .default("none")
            .range("a .npy file")
            .help("Write the scores of all pairs to this file, p × p, with each variable's score with itself on the diagonal"),
    ]);
    method.chain(output)
}

/// The options that only `passel stability` has.
pub(super) fn resampling() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Stability", [
        TaskOption::count("resamples B", 2..=100_000, |draft| &mut draft.resamples)
            .help("Number of resamples of the rows; B complementary pairs make 2B selections"),
        TaskOption::choice("resampling HOW", RESAMPLING, |draft| &mut draft.resampling)
            .help("How rows are drawn: in complementary pairs of halves that share no row (Shah and Samworth), in subsamples without replacement (Meinshausen and Bühlmann), or in bootstrap samples with replacement, for which the bounds are only a guide"),
        TaskOption::number("fraction F", |part| part > 0.0 && part < 1.0, |draft| &mut draft.fraction)
            .default(FRACTION.to_string())
            .range("above 0, below 1")
            .help("For resampling = subsample: the fraction of the rows in each subsample"),
        TaskOption::number("false-picks E", |count| count > 0.0 && count.is_finite(), |draft| &mut draft.false_picks)
            .default(FALSE_PICKS.to_string())
            .range("a number above 0")
            .help("The expected number of false picks to allow: the cut-off is the smallest above one half that keeps to it"),
        TaskOption::number("cutoff PI", |share| share > 0.0 && share <= 1.0, |draft| &mut draft.cutoff)
            .default("from false-picks")
            .range("above 0, at most 1")
            .help("Select what is chosen in at least this fraction of the resamples; the bounds for it are reported"),
    ])
}

/// The options that only `passel validate` has.
pub(super) fn validation() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Validation", [
        TaskOption::value("scheme SCHEME", |raw| raw.scheme(), |draft| &mut draft.scheme)
            .range("folds:k=K,repeats=R; leave-one-out; time:blocks=B; holdout:share=S,repeats=R; marked; or bootstrap:resamples=B; without parameters k=10, repeats=1, blocks=5, share=0.2, resamples=100")
            .help("How rows are split into those that a model is selected on and those that it is judged on: cross-validation, each class of a response in all folds alike; each row by itself; blocks in the order of the rows or of by, each judged by the model of those before it; a share drawn at random; the rows that the column by marks with a number that is not 0; or bootstrap samples, with the estimator .632+"),
        TaskOption::optional("by COLUMN", |raw| raw.text(), |draft| &mut draft.by)
            .default("none")
            .range("a column without missing values, which then is no candidate")
            .help("Let rows of one value of this column stay together on one side of each split; of the scheme time the column of the times, of marked that of the marks"),
        TaskOption::optional("then MODEL", |raw| raw.plain_model(), |draft| &mut draft.then)
            .default("none")
            .range("ols; logistic; or knn:k=K, without it k=5")
            .help("For selectors, which make no model: what predicts from the variables that they chose; least squares, logistic regression of two levels or more, or the mean or share among the K nearest rows. The error by size is that of the first 1, 2, … up to top variables"),
    ])
}

const RESAMPLING: [(&str, Resampling); 3] = [
    ("complementary", Resampling::Complementary),
    ("subsample", Resampling::Subsample(FRACTION)),
    ("bootstrap", Resampling::Bootstrap),
];
