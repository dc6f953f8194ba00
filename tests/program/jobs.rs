//! Job files: what is wrong with one, and what a good one does.

use std::fs;

use serde_json::Value;

use crate::{
    batch::results,
    support::{Folder, Ran},
};

/// The folder with this job file in it, and how the program took it.
fn run(file: &str) -> (Folder, Ran) {
    let folder = Folder::new();
    folder.write("jobs.toml", file);
    let ran = folder.run(&["run", "jobs.toml"]);
    (folder, ran)
}

/// What standard error says of a file that must not run.
fn mistakes(file: &str) -> String {
    let (folder, ran) = run(file);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(2), ""),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.names(), ["data.csv", "jobs.toml"], "nothing ran");
    ran.stderr
}

#[test]
fn what_a_job_lacks_is_a_mistake_before_any_job_runs() {
    let folder = Folder::new();
    let refused = |text: &[u8], expected: &[&str]| {
        std::fs::write(folder.path("jobs.toml"), text).unwrap();
        let ran = folder.run(&["run", "jobs.toml", "--check"]);
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{}", ran.stderr);
        for text in expected {
            assert!(ran.stderr.contains(text), "{text}: {}", ran.stderr);
        }
    };
    let no_response = b"[[job]]\ndata = [\"data.csv\"]\nseed = [1, 2]\n";
    let one = [
        "no response",
        "jobs.toml:1:1",
        "response = \"NAME\"",
        ": 1 mistake,",
    ];
    refused(no_response, &one);
    let job = "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\n";
    refused(
        format!("{job}output = \"no/{{id}}.txt\"\n").as_bytes(),
        &["there is no folder no", "jobs.toml:4:10", "make it first"],
    );
    std::fs::create_dir(folder.path("sub")).unwrap();
    refused(
        format!("{job}output = \"sub\"\n").as_bytes(),
        &["sub is a folder", "jobs.toml:4:10"],
    );
    // Latin-1, and what is nested too deeply: no text, no place, of the parser.
    refused(
        &[job.as_bytes(), b"# caf\xe9\nname = \"a\"\n"].concat(),
        &["not UTF-8", "jobs.toml:4:6", "save it"],
    );
    let deep = vec!["a"; 5000].join(".");
    refused(
        format!("{job}{deep} = 1\n").as_bytes(),
        &["not TOML", "jobs.toml:4:1"],
    );
    refused(
        format!("{job}seed = {{ from = 1, count = 100001 }}\n").as_bytes(),
        &["no such range: count must be 1 … 100000", "this range"],
    );
}

#[test]
fn every_mistake_of_a_job_file_is_shown_at_its_line() {
    let told = mistakes(
        r#"seeds = 1

[defaults]
response = "y"
particles = 0

[[job]]
data = "data.csv"
itterations = 5
forward = [0.5, 0.5, 0.5]

[[job]]
criterion = "hdbci"
keep = [ "a,b", "c" ]
drop = "c"
"#,
    );
    for part in [
        "error: a job file has no `seeds` outside its tables\n --> jobs.toml:1:1\n",
        "error: particles = 0 must be 1 … 65536\n --> jobs.toml:5:13\n",
        "5 | particles = 0\n  |             ^ this value\n",
        "= help: write `seed` below a line [[job]] or [defaults]\n",
        "error: there is no option `itterations`\n --> jobs.toml:9:1\n",
        "= help: did you mean `iterations`? `iterations` is 1 … 1000000000\n",
        "error: forward = 0.5,0.5,0.5 must be probabilities: none below 0, with sum 1 (it is 1.5)\n",
        "error: this job has no data\n",
        "error: criterion = hdbci: there is no criterion `hdbci`\n",
        "= help: did you mean `hdbic`?\n",
        "error: keep and drop both name c\n",
        "error: jobs.toml: 7 mistakes, so no job was run\n",
    ] {
        let told: Vec<&str> = told.lines().map(str::trim_start).collect();
        let part: Vec<&str> = part.lines().map(str::trim_start).collect();
        assert!(
            told.windows(part.len()).any(|lines| lines == part),
            "{part:?} in {told:#?}"
        );
    }
}

#[test]
fn each_mistake_says_how_to_mend_it() {
    for (file, parts) in [
        (
            "",
            &[
                "there is no job in this file",
                "start each job with a line [[job]]",
            ][..],
        ),
        (
            "[job]\ndata = \"data.csv\"\n",
            &["`job` is not written like this", "[[job]]"],
        ),
        (
            "defaults = 3\n",
            &["`defaults` is not written like this", "[defaults]"],
        ),
        ("job = [3]\n", &["a job is a table, not a integer"]),
        (
            "data = \"data.csv\"\n",
            &["outside its tables", "write `data` below a line [[job]]"],
        ),
        (
            "[defaults]\ndata = \"data.csv\"\n",
            &["`data` belongs to one job, not to the defaults"],
        ),
        ("[[job]]\ndata = 3\n", &["there is no file 3"]),
        ("[[job]]\ndata = \"\"\n", &["`data` is empty"]),
        (
            "[[job]]\ndata = \"data.csv\"\nkeep = {a = 1}\n",
            &["`keep` takes no table"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nkeep = [[[1]]]\n",
            &["`keep` takes no array"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = []\n",
            &["`seed` lists no value"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = { from = 1 }\n",
            &["count is missing", "seed = { from = 1, count = 100 }"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = { from = 0, count = 2000000 }\n",
            &["count must be 1 … 100000"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = {from = 1, count = 10000}\ntop = {from = 1, count = 10000}\nmethod = \"mim\"\n",
            &["there are more than 100000 jobs"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = { from = 1, count = 3, step = 170141183460469231731687303715884105727 }\n",
            &["its numbers are too large"],
        ),
        (
            "[[job]]\ndata = \"none.csv\"\n",
            &["there is no file none.csv", "the folder of the job file"],
        ),
        (
            "[[job]]\ndata = \"none*.csv\"\n",
            &["no file matches none*.csv"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\ncommand = \"pair\"\n",
            &["command = pair must be", "did you mean `pairs`?"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\ncommand = \"pairs\"\nparticles = 3\n",
            &["pairs has no option `particles`", "command = \"select\""],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nprogress = \"json\"\n",
            &[
                "there is no option `progress`",
                "write `progress` below a line [run]",
            ],
        ),
        (
            "[run]\nparticles = 3\n[[job]]\ndata = \"data.csv\"\n",
            &[
                "[run] has no `particles`",
                "below a line [[job]] or [defaults]",
            ],
        ),
        (
            "[run]\njobs = 0\n[[job]]\ndata = \"data.csv\"\n",
            &["jobs = 0 must be 1 … 1024"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = [1, \"x\", 3]\n",
            &["seed = x must be", "jobs.toml:3:12"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = [1, 2]\noutput = \"o\"\n",
            &["also writes o", "{id} stands for the name of the job"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nno-intercept = 1\n",
            &["no-intercept = 1 must be true or false"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nseed = \n",
            &["this is not TOML", "jobs.toml:3:"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\ndata = \"data.csv\"\n",
            &["this is not TOML", "duplicate key"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\nkeep = [\"b\"]\ndrop = \"b\"\n",
            &["keep and drop both name b", "keep = [\"b\"]"],
        ),
        (
            "[[job]]\ndata = \"data.csv\"\noutput = \"./data.csv\"\n",
            &["output and the data are the same file"],
        ),
    ] {
        let told = mistakes(file);
        for part in parts {
            assert!(told.contains(part), "{part} in {told}");
        }
        assert!(
            told.ends_with("jobs.toml: 1 mistake, so no job was run\n"),
            "{told}"
        );
    }
}

#[test]
fn toml_syntax_errors_are_shown_once_per_line() {
    let told = mistakes("[[job]]\nseed = = 1\ndata = 'x'\nkeep = [1, ,, 2]\n");
    assert_eq!(told.matches("error: this is not TOML").count(), 2, "{told}");
    for line in ["2 | seed = = 1", "4 | keep = [1, ,, 2]"] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn two_jobs_with_one_file_between_them_are_a_mistake() {
    let job = "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\n";
    let twice = mistakes(&format!("{job}output = \"o\"\n{job}trace = \"./o\"\n"));
    assert!(twice.contains("job 1 also writes ./o"), "{twice}");
    assert!(twice.contains("8 | trace = \"./o\""), "{twice}");
    let (folder, _) = run("");
    folder.write("late.csv", &folder.read("data.csv"));
    folder.write(
        "jobs.toml",
        &format!("{job}output = \"late.csv\"\n[[job]]\ndata = \"late.csv\"\n"),
    );
    let read = folder.run(&["run", "jobs.toml"]).stderr;
    assert!(read.contains("job 2 reads late.csv"), "{read}");
}

#[test]
fn a_missing_job_file_is_named() {
    let folder = Folder::new();
    let ran = folder.run(&["run", "none.toml"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.starts_with("error: cannot read none.toml: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn paths_start_at_the_job_file_and_jobs_override_the_defaults() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("jobs")).unwrap();
    folder.write(
        "jobs/two.toml",
        r#"
[run]
progress = "none"

[defaults]
response = "y"
format = "json"
iterations = 20
particles = 4

[[job]]
name = "first"
data = "../data.csv"
output = "{id}.json"

[[job]]
data = "../data.csv"
output = "second.json"
iterations = 0x10
forward = [0.0, 1.0, 0.0]
"#,
    );
    let ran = folder.run(&["run", "jobs/two.toml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(
        ran.stdout.starts_with("2 of 2 jobs done\n"),
        "{}",
        ran.stdout
    );
    let iterations = |name| {
        let json: Value = serde_json::from_str(&folder.read(name)).unwrap();
        assert_eq!(json["selected"][0]["name"], "a");
        json["iterations"].clone()
    };
    assert_eq!(iterations("jobs/first.json"), 20);
    assert_eq!(iterations("jobs/second.json"), 16);
    let stored: Value = serde_json::from_str(&folder.read("jobs/two-results/data.json")).unwrap();
    assert_eq!(stored["result"]["iterations"], 16);
    assert_eq!(stored["manifest"]["options"]["iterations"][0], "16");
    assert_eq!(stored["manifest"]["inputs"][0]["path"], "../data.csv");
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn where_a_job_file_lies_does_not_show_in_results() {
    let file = "[[job]]\nname = \"a\"\ndata = \"sets/data.csv\"\nresponse = \"y\"\ncriterion = \"aic,bic\"\n\
                output = \"a.json\"\nformat = \"json\"\n\
                [[job]]\nname = \"b\"\ndata = \"sets/data.csv\"\nresponse = \"y\"\nmethod = \"mim\"\n";
    let lain = ["here", "there"].map(|place| {
        let folder = Folder::new();
        fs::create_dir_all(folder.path(place).join("sets")).unwrap();
        fs::rename(
            folder.path("data.csv"),
            folder.path(place).join("sets/data.csv"),
        )
        .unwrap();
        folder.write(&format!("{place}/jobs.toml"), file);
        let path = folder.path(place).join("jobs.toml");
        let path = match place {
            "here" => "here/jobs.toml",
            _ => path.to_str().unwrap(),
        };
        let ran = folder.run(&["run", path]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let mut output = json(&folder.read(&format!("{place}/a.json")));
        for report in [&output, &output["by_other_criteria"][0]] {
            assert_eq!(report["data"], "sets/data.csv");
        }
        output["elapsed_seconds"] = Value::Null;
        output["by_other_criteria"][0]["elapsed_seconds"] = Value::Null;
        let mut made = results(&folder.path(place).join("jobs-results"));
        // The hash of the output, which has times.
        made.remove("a~files.json");
        (made, output)
    });
    let [here, there] = &lain;
    assert!(here.0.len() > 3 && here.0.keys().eq(there.0.keys()));
    for (name, bytes) in &here.0 {
        assert!(bytes == &there.0[name], "{name}");
    }
    assert_eq!(here.1, there.1);
    let stored = json(std::str::from_utf8(&here.0["b.json"]).unwrap());
    assert_eq!(stored["result"]["data"], "sets/data.csv");
}
