//! Nothing of a user's is written over: not what jobs read, and not what passel did not write.

use std::fs;

use crate::{
    batch::results,
    support::{Folder, finish, kill, start, wait_until},
};

/// A job whose options the tests add to.
const JOB: &str =
    "[[job]]\nname = \"one\"\ndata = \"data.csv\"\nresponse = \"y\"\niterations = 5\n";

const SELECT: [&str; 5] = ["select", "data.csv", "--response", "y", "--iterations=5"];

/// Every file below the folder but those of the program's own, with what it holds.
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let names = folder.names().into_iter();
    let files = names.filter(|name| folder.path(name).is_file());
    files
        .map(|name| (name.clone(), fs::read(folder.path(&name)).unwrap()))
        .collect()
}

#[test]
fn a_run_refuses_inputs_that_it_would_write() {
    // The user's own data under a name that the run writes; each with the job that reads it.
    let by_name = |name: &str| format!("[[job]]\ndata = \"{name}\"\nresponse = \"y\"\n");
    let edges = "[[job]]\nname = \"lab\"\ndata = \"data.csv\"\nresponse = \"y\"\nmethod = \"jmi\"\n\
                 binning = \"edges:lab.json\"\n";
    let cases = [
        ("jobs.csv", by_name("jobs.csv")),
        ("results.csv", by_name("results.csv")),
        ("pairs.csv", by_name("pairs.csv")),
        ("errors.csv", by_name("errors.csv")),
        ("times.csv", by_name("times.csv")),
        ("lab.json", edges.to_owned()),
    ];
    for (name, jobs) in cases {
        let folder = Folder::new();
        folder.write(name, &folder.read("data.csv"));
        folder.write("night.toml", &jobs);
        let before = contents(&folder);
        for more in [&["--check"][..], &["--list"], &[], &["--overwrite"]] {
            let arguments = [&["run", "night.toml", "--output", "."], more].concat();
            let ran = folder.run(&arguments);
            assert_eq!(ran.code, Some(2), "{name} {more:?}: {}", ran.stderr);
            assert!(ran.stderr.contains(name), "{}", ran.stderr);
            assert!(
                ran.stderr.contains("is written by the run"),
                "{}",
                ran.stderr
            );
            assert!(ran.stderr.contains("--output"), "{}", ran.stderr);
            assert_eq!(contents(&folder), before, "{name} {more:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_input_is_known_by_any_of_its_names() {
    for link in ["ln", "ln -s ../data.csv; true"] {
        let folder = Folder::new();
        fs::create_dir(folder.path("out")).unwrap();
        let data = folder.path("data.csv");
        match link {
            "ln" => fs::hard_link(&data, folder.path("out/results.csv")).unwrap(),
            _ => std::os::unix::fs::symlink("../data.csv", folder.path("out/results.csv")).unwrap(),
        }
        folder.write("night.toml", JOB);
        let before = contents(&folder);
        let ran = folder.run(&["run", "night.toml", "--output", "out", "--overwrite"]);
        assert_eq!(ran.code, Some(2), "{link}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("one reads it as data.csv"),
            "{}",
            ran.stderr
        );
        assert_eq!(contents(&folder), before);
        // And of the files that one command writes.
        fs::hard_link(&data, folder.path("other")).unwrap();
        for option in ["--output", "--trace", "--checkpoint"] {
            let ran = folder.run(&[&SELECT[..], &[option, "other", "--overwrite"]].concat());
            assert_eq!(ran.code, Some(2), "{option}: {}", ran.stderr);
            assert!(ran.stderr.contains("the same file"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_run_replaces_only_what_passel_wrote() {
    let folder = Folder::new();
    folder.write("night.toml", JOB);
    fs::create_dir(folder.path("out")).unwrap();
    let run = ["run", "night.toml", "--output", "out"];
    let names = [
        "jobs.csv",
        "results.csv",
        "pairs.csv",
        "errors.csv",
        "report.html",
        "times.csv",
    ];
    for name in names {
        folder.write(&format!("out/{name}"), "job,of,the,user\n1,2,3,4\n");
        let ran = folder.run(&run);
        assert_eq!(ran.code, Some(2), "{name}: {}", ran.stderr);
        let told = format!("{name} is not a file that passel wrote");
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
        let left = results(&folder.path("out"));
        let others = left.keys().filter(|other| *other != name);
        assert_eq!(others.count(), 0, "{left:?}");
        fs::remove_file(folder.path("out").join(name)).unwrap();
    }
    for name in names {
        folder.write(&format!("out/{name}"), "of the user");
    }
    let ran = folder.run(&[&run[..], &["--overwrite"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let done = results(&folder.path("out"));
    for name in names {
        assert!(
            !folder.read(&format!("out/{name}")).contains("of the user"),
            "{name}"
        );
    }
    // Its own it replaces without a word, and a user's file that is in nobody's way stays.
    folder.write("out/mine.txt", "of the user");
    fs::remove_file(folder.path("out/one.json")).unwrap();
    let ran = folder.run(&run);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    fs::remove_file(folder.path("out/mine.txt")).unwrap();
    assert_eq!(results(&folder.path("out")), done);
}

#[test]
fn a_file_in_the_place_of_one_result_fails_that_job_alone() {
    let folder = Folder::new();
    let other = JOB.replace("\"one\"", "\"two\"") + "output = \"two.txt\"\n";
    folder.write(
        "night.toml",
        &(JOB.to_owned() + &other + &JOB.replace("\"one\"", "\"three\"")),
    );
    fs::create_dir(folder.path("night-results")).unwrap();
    folder.write("night-results/one.json", "{\"mine\": true}\n");
    folder.write("two.txt", "my notes\n");
    let ran = folder.run(&["run", "night.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("1 of 3 jobs done, 2 failed\n"),
        "{}",
        ran.stdout
    );
    for told in [
        "one.json: the file there is not a result",
        "two.txt: the file there is not a report",
    ] {
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
    assert_eq!(folder.read("night-results/one.json"), "{\"mine\": true}\n");
    assert_eq!(folder.read("two.txt"), "my notes\n");
    let file = folder.read("night.toml");
    folder.write("night.toml", &format!("[run]\noverwrite = true\n{file}"));
    let ran = folder.run(&["run", "night.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(folder.read("two.txt").starts_with("data "));
}

#[test]
fn commands_replace_only_what_passel_wrote() {
    let folder = Folder::new();
    let report = |format: &'static str| [&SELECT[..], &["--format", format, "--output"]].concat();
    let ranked = ["--method", "jmi", "--top=2", "--bin-response=equal-width:3"];
    let ranked = [&SELECT[..4], &ranked, &["--format=csv", "--output"]].concat();
    let pairs = [
        "pairs",
        "data.csv",
        "--response=y",
        "--bin-response=equal-width:3",
    ];
    let stable = [
        &["stability"],
        &SELECT[1..],
        &["--resamples=2", "--particles=2"],
    ]
    .concat();
    let several = [&SELECT[..], &["--criterion", "aic,bic"]].concat();
    let with = |command: &[&'static str], more: &[&'static str]| [command, more].concat();
    let cases: Vec<Vec<&str>> = vec![
        report("text"),
        report("csv"),
        report("json"),
        report("html"),
        ranked,
        with(&SELECT, &["--trace"]),
        with(&several, &["--format", "csv", "--output"]),
        with(&several, &["--output"]),
        with(&pairs, &["--output"]),
        with(&pairs, &["--format=csv", "--partners", "--output"]),
        with(&pairs, &["--format=html", "--output"]),
        with(&pairs, &["--matrix"]),
        with(&stable, &["--output"]),
        with(&stable, &["--format=csv", "--output"]),
        vec!["simulate", "ing-lai", "--n=9", "--p=40", "--output"],
    ];
    for (at, command) in cases.iter().enumerate() {
        let is_simulation = command[0] == "simulate";
        let names = match is_simulation {
            true => vec!["a.csv", "b.csv.gz", "c.dat", "d.tsv"],
            false if command.contains(&"--matrix") => vec!["out.npy"],
            false => vec!["out"],
        };
        for name in names {
            let name = format!("{at}-{name}");
            let command = [&command[..], &[&name]].concat();
            folder.write(&name, "y,x\n1,2\n");
            let ran = folder.run(&command);
            assert_eq!(ran.code, Some(2), "{command:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("that passel wrote"), "{}", ran.stderr);
            assert!(ran.stderr.contains("--overwrite"), "{}", ran.stderr);
            assert_eq!(folder.read(&name), "y,x\n1,2\n", "{command:?}");
            let ran = folder.run(&[&command[..], &["--overwrite"]].concat());
            assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.stderr);
            assert_ne!(fs::read(folder.path(&name)).unwrap(), b"y,x\n1,2\n");
            // Its own it replaces.
            let ran = folder.run(&command);
            assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.stderr);
        }
    }
    // A report is no trace, and a table of jobs no report.
    let ran = folder.run(&[&SELECT[..], &["--trace", "0-out"]].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        folder
            .names()
            .iter()
            .all(|name| !name.starts_with(".passel"))
    );
}

#[test]
fn a_damaged_result_is_done_again() {
    let folder = Folder::new();
    folder.write("night.toml", &(JOB.to_owned() + "output = \"one.txt\"\n"));
    let run = ["run", "night.toml"];
    assert_eq!(folder.run(&run).code, Some(0));
    let whole = results(&folder.path("night-results"));
    let stored = folder.read("night-results/one.json");
    let start = stored.find("\"coefficient\": ").unwrap() + "\"coefficient\": ".len();
    let changed = format!("{}99999.0{}", &stored[..start], &stored[start + 7..]);
    let (manifest, _) = stored.split_once("  \"result\"").unwrap();
    let (_, checksum) = stored.split_once("  \"sha256\"").unwrap();
    let emptied = format!("{manifest}  \"result\": {{}},\n  \"sha256\"{checksum}");
    let damages = [
        (changed, "its checksum differs"),
        (emptied, "its checksum differs"),
        (
            stored[..stored.len() / 2].to_owned(),
            "does not end with its checksum",
        ),
        (String::new(), "does not end with its checksum"),
    ];
    for (damaged, told) in damages {
        folder.write("night-results/one.json", &damaged);
        let listed = folder.run(&["run", "night.toml", "--list"]);
        assert!(listed.stdout.starts_with("damaged "), "{}", listed.stdout);
        let ran = folder.run(&run);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
        assert!(
            ran.stdout.starts_with("1 of 1 jobs done\n"),
            "{}",
            ran.stdout
        );
        assert_eq!(results(&folder.path("night-results")), whole);
    }
}

#[test]
fn reports_of_runs_are_the_same_bytes_every_time() {
    let jobs = "[defaults]\nresponse = \"y\"\niterations = 5\nbin-response = \"equal-width:3\"\n\
                [[job]]\nname = \"a\"\ndata = \"data.csv\"\n\
                format = [\"text\", \"json\", \"csv\", \"html\"]\noutput = \"{id}\"\n\
                [[job]]\nname = \"b\"\ndata = \"data.csv\"\ncriterion = \"aic,bic\"\noutput = \"{id}\"\n\
                [[job]]\nname = \"c\"\ndata = \"data.csv\"\nmethod = \"jmi\"\noutput = \"{id}\"\n\
                [[job]]\nname = \"d\"\ndata = \"data.csv\"\ncommand = \"pairs\"\noutput = \"{id}\"\n\
                [[job]]\nname = \"e\"\ndata = \"data.csv\"\ncommand = \"stability\"\nresamples = 4\n\
                output = \"{id}\"\n";
    let folders = ["1", "2"].map(|threads| {
        let folder = Folder::new();
        folder.write("night.toml", jobs);
        let ran = folder.run(&["run", "night.toml", "--threads", threads]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        folder
    });
    let [first, second] = &folders;
    assert_eq!(first.names(), second.names());
    let [own, others] = [first, second].map(|folder| results(&folder.path("night-results")));
    for (name, text) in &own {
        assert!(others[name] == *text, "{name}");
    }
    for name in first.names().iter().filter(|name| *name != "night-results") {
        assert_eq!(first.read(name), second.read(name), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn temporary_files_are_swept_once_their_maker_is_gone() {
    let folder = Folder::new();
    let long = "iterations = 1000000000\noutput = \"out/{id}.txt\"\n";
    folder.write("night.toml", &(JOB.replace("iterations = 5\n", long)));
    fs::create_dir(folder.path("out")).unwrap();
    let temporary_names = |place: &str| -> Vec<String> {
        let files = fs::read_dir(folder.path(place)).unwrap().flatten();
        let names = files.map(|file| file.file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(".passel-")).collect()
    };
    let temporary = |place: &str| temporary_names(place).len();
    let mut run = start(folder.passel(&["run", "night.toml"]));
    assert!(wait_until(&mut run, || temporary("out") == 1));
    kill(run);
    let left = temporary_names("out");
    // A command that is at work keeps its own, whatever others do.
    let long = [
        &SELECT[..4],
        &["--iterations=1000000000", "--output=out/long.txt"],
    ]
    .concat();
    let mut select = start(folder.passel(&long));
    let is_swept = || temporary("out") == 1 && temporary_names("out") != left;
    assert!(wait_until(&mut select, is_swept));
    let ran = folder.run(&[&SELECT[..], &["--output=out/short.txt"]].concat());
    assert_eq!((ran.code, temporary("out")), (Some(0), 1), "{}", ran.stderr);
    folder.write(
        "night.toml",
        &(JOB.to_owned() + "output = \"out/{id}.txt\"\n"),
    );
    assert_eq!(folder.run(&["run", "night.toml"]).code, Some(0));
    assert_eq!(temporary("out"), 1);
    assert_eq!(temporary("night-results"), 0);
    crate::support::send(&select, "TERM");
    assert_eq!(finish(select).code, Some(130));
    assert_eq!(temporary("out"), 0);
    assert!(folder.read("out/long.txt").starts_with("data "));
}

#[test]
fn what_a_run_wrote_is_no_data_of_its_patterns() {
    let folder = Folder::new();
    let file = "[[job]]\ndata = \"*.csv\"\nresponse = \"y\"\niterations = 5\nformat = \"csv\"\n\
                output = \"{id}-out.csv\"\ntrace = \"{id}-trace.csv\"\n";
    folder.write("night.toml", file);
    for done in ["1 of 1 jobs done\n", "1 of 1 jobs done, 1 of them before\n"] {
        let ran = folder.run(&["run", "night.toml"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.starts_with(done), "{}", ran.stdout);
    }
    // What another has put there is data.
    folder.write("data-out.csv", &folder.read("data.csv"));
    let ran = folder.run(&["run", "night.toml"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("write it to another folder"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("data-out.csv"), folder.read("data.csv"));
}
