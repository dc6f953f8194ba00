//! Options of the machine and of reports, and those of `passel run`.

use super::super::{OptionSpec, RankSharing, RunSettings};
use crate::{
    device::{Partition, Precision},
    presentation::Format,
    selection::{Adjustment, Intervals},
};

type TaskOption = OptionSpec;
type RunOption = OptionSpec<RunSettings>;

/// Options on which the selection does not depend.
pub(super) fn machine() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Machine", [
        TaskOption::field("device WHERE", |raw| raw.devices(), |draft| &mut draft.job.resources.devices)
            .default("auto")
            .range("auto, cpu, cuda (every GPU), or GPUs by number as in cuda:0,2")
            .help("Where columns are swept; auto: all GPUs if there are any and they would be done before the CPU, by n × p, the search's settings and the number of threads. The selection does not depend on it"),
        TaskOption::choice("precision P", PRECISION, |draft| &mut draft.job.resources.precision)
            .help("Arithmetic that screens candidates on GPUs; f64 decides among them, so the selection does not depend on it. A GPU with slow f64 screens in f32 instead of f64"),
        TaskOption::choice("over WHAT", PARTITION, |draft| &mut draft.job.resources.partition)
            .help("What the ranks of passel-mpi divide in a search: columns, of which those that join a model are broadcast; or, with the whole of X on each rank, the sweeps or the particles; auto: whatever broadcasts fewer columns. The selection does not depend on it"),
        TaskOption::memory_limit(|draft| &mut draft.job.resources.memory_limit)
            .default("what is free")
            .help("The most memory of a job on the CPU: its table, design matrix, codes, copies and models. Where it is short the CPU does without its copies in f32; where that is not enough the job fails. On GPUs: memory for each one's columns, besides models and products; columns that do not fit are streamed"),
        TaskOption::threads("threads N", |draft| &mut draft.job.resources.threads)
            .default("one per core")
            .help("Threads of the CPU; the selection does not depend on it"),
        TaskOption::time_limit("timeout TIME", |draft| &mut draft.job.timeout)
            .help("The job fails after this time, reading and all: the best until then is told beside the error, the checkpoint stays, and a run goes on with its other jobs. A time-limit is a wish, and its end a result; a timeout is for what must not happen"),
    ])
}

const PRECISION: [(&str, Precision); 3] = [
    ("f64", Precision::F64),
    ("f32", Precision::F32),
    ("tf32", Precision::Tf32),
];

const PARTITION: [(&str, Option<Partition>); 4] = [
    ("auto", None),
    ("columns", Some(Partition::Columns)),
    ("sweeps", Some(Partition::Sweeps)),
    ("particles", Some(Partition::Particles)),
];

pub(super) fn reports() -> impl Iterator<Item = OptionSpec> {
    TaskOption::group("Output", [
        TaskOption::value(
            "level L",
            |values| values.number(|level| level > 0.0 && level < 1.0),
            |draft| &mut draft.job.level,
        )
        .range("above 0, below 1")
        .help("Level of the confidence intervals, and of the credible sets"),
        TaskOption::choice("intervals HOW", INTERVALS, |draft| &mut draft.job.intervals)
            .help("What the intervals of coefficients are by: wald, their standard errors; profile, the profile of the likelihood of each, as R's confint of a glm, with firth of the penalised one. Of the family gaussian both are Student's t; p-values are Wald's either way"),
        TaskOption::choice("adjust METHOD", Adjustment::ALL.map(|own| (own.name(), own)), |draft| &mut draft.job.adjustment)
            .help("Adjust the p-values of the selected variables, or of terms, for their number, as R's p.adjust: bonferroni and holm keep the chance of any false one, bh (Benjamini and Hochberg) the expected share of these. It accounts for the tests that are reported and not for the search that chose them"),
        TaskOption::custom("infer HOW", |draft, values| {
            draft.job.inference = values.inference()?;
            Ok(())
        })
            .default("none")
            .range("none, split, split:splits=50, bootstrap or bootstrap:resamples=1000, of at least 50")
            .help("P-values or intervals that account for the choice of variables. split: half of the rows choose and the others estimate, many times, and p-values of all splits make one, adjusted for all variables, with false discovery rates; bootstrap: intervals of the whole procedure from resamples. With cluster rows of one stay together; docs/inference.md"),
        TaskOption::choice("format FORM", FORMAT, |draft| &mut draft.job.format)
            .help("Form of the report; html is a page with figures; parquet, if built in, needs --output"),
        TaskOption::optional("output FILE", |raw| raw.path(), |draft| &mut draft.job.output)
            .default("standard output")
            .range("a file")
            .help("Write the report to this file, whole or not at all"),
        TaskOption::optional("trace FILE", |raw| raw.path(), |draft| &mut draft.job.trace)
            .default("none")
            .range("a file")
            .help("Write every step of every particle to this file, as CSV"),
        TaskOption::optional("checkpoint FILE", |raw| raw.path(), |draft| &mut draft.job.checkpoint)
            .default("none")
            .range("a file")
            .help("Save the state of the search, of a selector's permutation tests or of the pairs scored to this file about every 10 seconds, and continue from it: after an interrupt, a time limit or a crash the same command ends with the same report. The file is removed when the work is complete. Cannot be combined with trace, matrix, nor with several criteria"),
        TaskOption::flag("overwrite", |draft, is_given| draft.job.overwrite = is_given)
            .help("Let output, trace and matrix replace files that passel did not write; its own of the same kind they always replace"),
        TaskOption::flag("timings", |draft, is_given| draft.job.timings = is_given)
            .help("Print on standard error where the time went, from the start of the process to the printed report"),
        TaskOption::progress(|draft| &mut draft.job.progress)
            .help("Progress on standard error; auto: a bar on a terminal, else nothing"),
    ])
}

const INTERVALS: [(&str, Intervals); 2] =
    [("wald", Intervals::Wald), ("profile", Intervals::Profile)];

const FORMAT: [(&str, Format); 5] = [
    ("text", Format::Text),
    ("json", Format::Json),
    ("csv", Format::Csv),
    ("html", Format::Html),
    ("parquet", Format::Parquet),
];

pub(super) fn run() -> impl Iterator<Item = RunOption> {
    RunOption::group("Run", [
        RunOption::optional("output FOLDER", |raw| raw.path(), |settings| &mut settings.output)
            .default("the job file's name, with -results for .toml")
            .range("a folder, created if it is not there")
            .help("The folder of results; a second run does only what is missing there"),
        RunOption::flag("overwrite", |settings, is_given| settings.overwrite = is_given)
            .help("Let tables, results and the files of jobs replace files that passel did not write"),
        RunOption::threads("jobs N", |settings| &mut settings.max_running)
            .default("as many as threads and memory allow")
            .help("The most jobs to run at the same time"),
        RunOption::threads("threads N", |settings| &mut settings.threads)
            .default("one per core")
            .help("Threads of the CPU that the running jobs share"),
        RunOption::memory_limit(|settings| &mut settings.memory_limit)
            .default("no limit")
            .help("The most memory that jobs hold at the same time. A job starts beside others if by estimate there is room for it; what does not fit in the end fails"),
        RunOption::time_limit("time-limit TIME", |settings| &mut settings.time_limit)
            .help("Stop the whole run after this time, as Ctrl-C would; the next run continues"),
        RunOption::limit("max-failures N", 1..=1_000_000, |settings| &mut settings.max_failures)
            .default("no limit")
            .help("Start no further job once so many have failed; those that run go on to their end. Ranks that work apart count each their own"),
        RunOption::flag("isolate", |settings, is_given| settings.isolate = is_given)
            .help("Do each job in a process of its own, and ask plugins what they bring in another one: what ends or hangs there, such as the code of a plugin, loses its jobs alone, and the others go on. Results are the same; data are read once a job, and threads and memory are divided among the processes. Not under passel-mpi"),
        RunOption::optional("heartbeat TIME", |raw| raw.duration(), |settings| &mut settings.heartbeat)
            .default("1m")
            .range("seconds, or 500ms, 10m, 1h30m; above 0, at most 366d")
            .help("Where standard error is no terminal, say this often that the run goes on: what is done, what runs, and about how long the rest takes"),
        RunOption::count("nice N", 0..=19, |settings| &mut settings.nice)
            .help("Lower the priority of the run: N is added to its niceness, which the system's other programs have at 0"),
        RunOption::choice("ranks HOW", RANKS, |settings| &mut settings.ranks)
            .help("How the ranks of passel-mpi share the jobs: apart, each does jobs of its own; together, all work at each job; auto: apart if there are at least as many jobs to do as ranks"),
        RunOption::progress(|settings| &mut settings.progress)
            .help("Progress on standard error; auto: bars on a terminal, else one line per job"),
    ])
}

const RANKS: [(&str, RankSharing); 3] = [
    ("auto", RankSharing::Auto),
    ("apart", RankSharing::Apart),
    ("together", RankSharing::Together),
];
