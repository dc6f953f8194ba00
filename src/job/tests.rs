//! The options one by one, and combinations of them.

mod methods;
mod stability;

use std::{collections::HashSet, num::NonZeroUsize, path::Path};

use super::*;
use crate::{device::DeviceChoice, search::ProofEffort};

fn draft(options: &[(&str, &[&str])]) -> Result<JobDraft, OptionError> {
    let mut draft = JobDraft::new("x.csv");
    for (name, values) in options {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        draft.set(name, &values)?;
    }
    Ok(draft)
}

/// The job with options that may be of other methods, as defaults of a job file may be.
fn defaults(options: &[(&str, &[&str])]) -> Result<Job, Vec<OptionError>> {
    let mut draft = draft(options).map_err(|error| vec![error])?;
    draft.mark_defaults(|_| true);
    draft.check()
}

fn set(name: &str, values: &[&str]) -> Result<Job, Vec<OptionError>> {
    defaults(&[(name, values)])
}

fn message(name: &str, values: &[&str]) -> String {
    let errors = set(name, values).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors[0].to_string()
}

fn job(options: &[(&str, &str)]) -> Result<Job, Vec<OptionError>> {
    let options: Vec<_> = options
        .iter()
        .map(|(name, value)| (*name, [*value]))
        .collect();
    let options: Vec<_> = options
        .iter()
        .map(|(name, values)| (*name, &values[..]))
        .collect();
    draft(&options).unwrap().check()
}

fn conflicts(options: &[(&str, &str)]) -> Vec<String> {
    let errors = job(options).unwrap_err();
    errors.iter().map(OptionError::to_string).collect()
}

#[test]
fn documented_defaults_are_the_defaults() {
    let untouched = format!("{:?}", JobDraft::new("x.csv").check().unwrap());
    // Their defaults are not values.
    let in_words = [
        "max-size",
        "patience",
        "time-limit",
        "timeout",
        "memory-limit",
        "threads",
        "output",
        "trace",
        "checkpoint",
        "top",
        "threshold",
        "stop",
        "reference",
        "formula",
        "degree",
        "interactions",
        "group",
        "link",
        "success",
        "levels",
        "phenotype",
        "covariates",
    ];
    for option in OPTIONS.iter().filter(|option| !option.default.is_empty()) {
        if !in_words.contains(&option.name) {
            let job = set(option.name, &[&option.default]).unwrap();
            assert_eq!(format!("{job:?}"), untouched, "{}", option.name);
        }
    }
}

#[test]
fn devices_are_named_by_kind_and_number() {
    let devices = |value| set("device", &[value]).map(|job| job.resources.devices);
    assert_eq!(devices("auto").unwrap(), DeviceChoice::Auto);
    assert_eq!(
        devices("cpu").unwrap(),
        DeviceChoice::Cpu(NonZeroUsize::MIN)
    );
    assert_eq!(devices("cuda").unwrap(), DeviceChoice::Cuda(Vec::new()));
    assert_eq!(
        devices("cuda:2, 0").unwrap(),
        DeviceChoice::Cuda(vec![2, 0])
    );
    let hint = set("device", &["CPU"]).unwrap_err()[0].help.clone();
    assert_eq!(hint.as_deref(), Some("did you mean `cpu`?"));
    for wrong in ["gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:2", ""] {
        let text = message("device", &[wrong]);
        assert!(
            text.ends_with("must be auto, cpu, cuda (every GPU), or GPUs by number as in cuda:0,2"),
            "{text}"
        );
    }
}

#[test]
fn documented_ranges_are_the_ranges() {
    let mut tried = 0;
    for option in OPTIONS.iter() {
        let Some((least, most)) = option.range.split_once(" … ") else {
            continue;
        };
        let (Ok(least), Ok(most)) = (least.parse::<u64>(), most.parse::<u64>()) else {
            continue;
        };
        tried += 1;
        for inside in [least, most] {
            set(option.name, &[&inside.to_string()]).unwrap();
        }
        let below = i128::from(least) - 1;
        let above = i128::from(most) + 1;
        for outside in [
            below.to_string(),
            above.to_string(),
            "many".into(),
            "1.5".into(),
        ] {
            assert_eq!(
                message(option.name, &[&outside]),
                format!("{} = {outside} must be {}", option.name, option.range)
            );
        }
    }
    assert_eq!(
        tried, 8,
        "degree, interactions, particles, iterations, islands, patience, threads, seed"
    );
}

#[test]
fn options_have_unique_names_and_documentation_and_are_grouped_by_heading() {
    let names: HashSet<_> = OPTIONS.iter().map(|option| option.name).collect();
    assert_eq!(names.len(), OPTIONS.len());
    let documented = |option: &&OptionSpec| !option.range.is_empty() && !option.help.is_empty();
    assert_eq!(OPTIONS.iter().filter(documented).count(), OPTIONS.len());
    let mut headings: Vec<_> = OPTIONS.iter().map(|option| option.heading).collect();
    headings.dedup();
    let distinct: HashSet<_> = headings.iter().collect();
    assert_eq!(distinct.len(), headings.len());
}

#[test]
fn every_option_reaches_its_field() {
    let job = defaults(&[
        ("response", &["y"]),
        ("weights", &["w"]),
        ("factor", &["a,b", "c"]),
        ("drop", &["\"d,e\""]),
        ("missing", &["level"]),
        ("binning", &["equal-frequency:7"]),
        ("bin-response", &["edges:old.json"]),
        ("top", &["3"]),
        ("threshold", &["0.5"]),
        ("stop", &["permutation:n=99"]),
        ("correction", &["miller-madow"]),
        ("reference", &["f=1"]),
        ("keep", &["f"]),
        ("no-intercept", &["true"]),
        ("criterion", &["ebic:gamma=0.5"]),
        ("p-total", &["20"]),
        ("max-size", &["9"]),
        ("particles", &["3"]),
        ("iterations", &["4"]),
        ("forward", &["0,1,0"]),
        ("backward", &["0.25", "0.75"]),
        ("gain", &["exact"]),
        ("start-size", &["2"]),
        ("patience", &["5"]),
        ("time-limit", &["1m30s"]),
        ("threads", &["2"]),
        ("seed", &["18446744073709551615"]),
        ("level", &["0.9"]),
        ("format", &["csv"]),
        ("output", &["o.csv"]),
        ("trace", &["t.csv"]),
        ("progress", &["json"]),
        ("no-polish", &["true"]),
        ("islands", &["7"]),
        ("prove", &["true"]),
    ])
    .unwrap();
    assert_eq!((job.stop.top, job.stop.threshold), (Some(3), Some(0.5)));
    assert_eq!(job.stop.permutation.map(|test| test.n), Some(99));
    assert_eq!(job.response.as_deref(), Some("y"));
    assert_eq!(job.factor, ["a", "b", "c"]);
    assert_eq!(job.drop, ["d,e"]);
    assert_eq!(job.missing, Missing::Level);
    assert_eq!(job.binning, Binning::EqualFrequency(7));
    assert_eq!(job.bin_response, Binning::Edges("old.json".into()));
    assert_eq!(job.keep, ["f"]);
    assert_eq!(job.reference, ["f=1"]);
    assert_eq!(job.correction, Correction::MillerMadow);
    assert!(!job.intercept);
    assert_eq!(job.weights.as_deref(), Some("w"));
    assert_eq!((job.p_total, job.level), (Some(20), 0.9));
    assert_eq!(job.criterion.name(), "ebic");
    assert_eq!(job.criterion.parameters(), [("gamma", 0.5)]);
    let pass = Pass {
        particles: 3,
        iterations: 4,
        forward: [0.0, 1.0, 0.0],
        backward: [0.25, 0.75],
        gain: crate::search::Gain::Exact,
        start_size: 2,
        max_size: Some(9),
        polish: false,
        islands: 7,
        proof: ProofEffort::Complete,
        alternatives: true,
        patience: Some(5),
        time_limit: Some(std::time::Duration::from_secs(90)),
        seed: u64::MAX,
    };
    assert_eq!(job.pass, pass);
    assert_eq!(job.resources.threads, std::num::NonZeroUsize::new(2));
    assert_eq!(job.format, Format::Csv);
    assert_eq!(job.output.as_deref(), Some(Path::new("o.csv")));
    assert_eq!(job.trace.as_deref(), Some(Path::new("t.csv")));
    assert_eq!(job.progress, Progress::Json);
}

#[test]
fn each_mistake_names_option_value_and_range() {
    // The option and the value are those that the message begins with.
    for text in [
        "response = \"\" must be a column, A,B,C for a model of each, or EVENTS,FAILURES of the family binomial; a second file for .npy data",
        "keep = a,,b must be names separated by commas, in double quotes where a name holds one: a name is empty",
        "missing = ignore must be auto, refuse, drop-rows, mean, level or pairwise",
        "binning = equal-width:1 must be auto, levels, equal-width:BINS or equal-frequency:BINS (2 … 65536), mdlp, or edges:FILE",
        "bin-response = mdlp must be auto, levels, equal-width:BINS or equal-frequency:BINS (2 … 65536), or edges:FILE; not mdlp, which goes by the response's levels",
        "no-intercept = yes must be true or false",
        "max-size = 0 must be 1 … min(p, n − 2)",
        "start-size = -1 must be 0 … max-size",
        "level = 1 must be above 0, below 1",
        "p-total = 0 must be a whole number, at least the number of candidates in the file",
        "particles = 0 must be 1 … 65536",
        "forward = 0.5,0.5 must be three probabilities with sum 1",
        "forward = 0.5,0.5,0.5 must be probabilities: none below 0, with sum 1 (it is 1.5)",
        "backward = 2,-1 must be probabilities: none below 0, with sum 1 (it is 1)",
        "backward = NaN,1 must be probabilities: none below 0, with sum 1 (it is NaN)",
        "time-limit = 0 must be seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        "time-limit = 10 years must be seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        "time-limit = 367d must be seconds, or 500ms, 10m, 1h30m; above 0, at most 366d",
        "criterion = ebic:gamma must be a name, then its parameters: NAME:PARAMETER=NUMBER; `passel criteria` lists them",
        "criterion = lasso: there is no criterion `lasso`",
        "criterion = ebic:gamma=2: gamma = 2 of criterion `ebic` lies outside 0 … 1",
        "criterion = ebic:gamma=NaN: gamma = NaN of criterion `ebic` lies outside 0 … 1",
        "criterion = bic:gamma=1: criterion `bic` has no parameter `gamma`; it has n",
        "output = \"\" must be a file",
    ] {
        let (name, rest) = text.split_once(" = ").unwrap();
        let end = rest.find(" must be ").or_else(|| rest.find(": ")).unwrap();
        assert_eq!(message(name, &[rest[..end].trim_matches('"')]), text);
    }
    assert_eq!(
        message("drop", &["\"a"]),
        format!(
            "drop = \"a must be {}: a double quote does not close",
            option("drop").unwrap().range
        )
    );
    let several = message("particles", &["1", "2"]);
    assert_eq!(several, "particles takes one value, not 2");
    let unknown = message("particels", &["1"]);
    assert_eq!(unknown, "there is no option `particels`");
}

#[test]
fn a_misspelling_gets_the_nearest_name() {
    for (name, value, meant) in [
        ("particels", "1", "particles"),
        ("missing", "drop-row", "drop-rows"),
        ("binning", "equalwidth:10", "equal-width"),
        ("binning", "mdl", "mdlp"),
        ("gain", "exakt", "exact"),
        ("format", "JSON", "json"),
        ("progress", "plian", "plain"),
        ("criterion", "hdbci", "hdbic"),
        ("criterion", "ebic:gama=1", "gamma"),
    ] {
        let errors = set(name, &[value]).unwrap_err();
        assert_eq!(errors[0].help, Some(format!("did you mean `{meant}`?")));
    }
    let far = &set("criterion", &["lasso"]).unwrap_err()[0];
    assert_eq!(far.help.as_deref(), Some("`passel criteria` lists them"));
    for (name, value) in [("gain", "lasso"), ("bin-response", "mdl")] {
        assert_eq!(set(name, &[value]).unwrap_err()[0].help, None);
    }
}

#[test]
fn every_conflict_between_options_is_reported() {
    assert_eq!(
        conflicts(&[("output", "./o"), ("trace", "o")]),
        ["output and trace are the same file, ./o"]
    );
    assert_eq!(
        conflicts(&[
            ("method", "mim"),
            ("output", "./r.json"),
            ("binning", "edges:r.json")
        ]),
        ["output and binning are the same file, ./r.json"]
    );
    assert_eq!(
        conflicts(&[("output", "x.csv"), ("trace", "./x.csv")]),
        [
            "output and trace are the same file, x.csv",
            "output and the data are the same file, x.csv",
            "trace and the data are the same file, ./x.csv",
        ]
    );
    assert_eq!(
        conflicts(&[
            ("response", "y"),
            ("keep", "a,b,y"),
            ("drop", "b"),
            ("start-size", "5"),
            ("max-size", "4"),
        ]),
        [
            "keep and drop both name b",
            "keep and response both name y",
            "start-size = 5 is above max-size = 4",
        ]
    );
}

#[test]
fn a_device_may_be_named_twice() {
    job(&[("output", "/dev/null"), ("trace", "/dev/null")]).unwrap();
}

#[test]
fn pages_made_from_options_are_up_to_date() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for (name, page) in [
        ("options.md", options_markdown()),
        ("simulate.md", simulate_markdown()),
        (
            "jobs.schema.json",
            serde_json::to_string_pretty(&super::file::schema()).unwrap() + "\n",
        ),
    ] {
        let path = docs.join(name);
        if std::env::var_os("PASSEL_BLESS").is_some() {
            std::fs::create_dir_all(&docs).unwrap();
            std::fs::write(&path, &page).unwrap();
        }
        let current = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            current == page,
            "docs/{name} is stale: PASSEL_BLESS=1 cargo test"
        );
    }
}

#[test]
fn clap_accepts_the_command_line() {
    arguments::command().debug_assert();
}
