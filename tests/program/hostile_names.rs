//! Names are data: whatever a file calls its columns, levels and itself, no message, report or page steers
//! a terminal, and no table makes a spreadsheet run it.

use std::path::Path;

use passel::table::{ReadOptions, Values, read};
use serde_json::Value;

use crate::support::{Folder, Ran};

/// Colours, clears, reorders, hides, and begins a new line.
const HOSTILE: &str = "a\u{1b}[31m\u{9b}2J\u{202e}\u{2066}\u{200f}\u{61c}\u{feff}\u{7f}\nz";

/// The same as messages have it.
const SHOWN: &str = "a\\u{1b}[31m\\u{9b}2J\\u{202e}\\u{2066}\\u{200f}\\u{61c}\\u{feff}\\u{7f}\\nz";

/// A folder with files of hostile names, columns and levels.
fn hostile_folder() -> Folder {
    let folder = Folder::new();
    let named = folder
        .read("data.csv")
        .replacen(",a,", &format!(",\"{HOSTILE}\","), 1);
    folder.write("h.csv", &named);
    folder.write(&format!("{HOSTILE}.csv"), &named);
    folder.write(
        "cell.csv",
        &named.replacen("\n-", &format!("\n\"{HOSTILE}\",1,2,3,4\n-"), 1),
    );
    folder.write(
        "twice.csv",
        &named.replacen(",b,", &format!(",\"{HOSTILE}\","), 1),
    );
    let numbered = named.lines().enumerate();
    let levels = numbered.map(|(at, line)| match at {
        // The header's name has two lines.
        0 => format!("{line}\n"),
        1 => format!("{line},f\n"),
        _ if at % 2 == 0 => format!("{line},\"{HOSTILE}\"\n"),
        _ => format!("{line},other\n"),
    });
    folder.write("levels.csv", &levels.collect::<String>());
    folder.write(
        "missing.csv",
        "y,g\n1,2\n2,\n3,4\n5,1\n"
            .replace('g', &format!("\"{HOSTILE}\""))
            .as_str(),
    );
    folder.write(
        "constant.csv",
        "y,g\n1,2\n2,2\n3,2\n5,2\n"
            .replace('g', &format!("\"{HOSTILE}\""))
            .as_str(),
    );
    folder
}

#[track_caller]
fn assert_plain(what: &[&str], ran: &Ran) {
    let is_steering = |letter: &char| {
        letter.is_control() && *letter != '\n'
            || "\u{61c}\u{200e}\u{200f}\u{feff}".contains(*letter)
            || ('\u{202a}'..='\u{202e}').contains(letter)
            || ('\u{2066}'..='\u{2069}').contains(letter)
    };
    for text in [&ran.stdout, &ran.stderr] {
        let found = text.chars().find(is_steering);
        assert_eq!(found, None, "{what:?}: {text:?}");
        // No name begins a line of its own.
        assert!(
            !text.lines().any(|line| line.starts_with('z')),
            "{what:?}: {text}"
        );
    }
}

#[test]
fn no_name_steers_a_terminal() {
    let folder = hostile_folder();
    let file = &format!("{HOSTILE}.csv");
    let missing = &format!("no-{HOSTILE}.csv");
    let output = &format!("no-{HOSTILE}/report.txt");
    let quick = ["--particles", "2", "--iterations", "2"];
    let all: [&[&str]; 22] = [
        // Reports.
        &["select", file, "--response", "y"],
        &["select", "levels.csv", "--response", "y", "--keep", "f"],
        &["select", "levels.csv", "--response", "f", "--method", "mim"],
        &["select", "h.csv", "--response", HOSTILE],
        &["pairs", "h.csv", "--response", "y", "--format", "json"],
        &["pairs", "h.csv", "--response", "y"],
        &[
            "stability",
            "h.csv",
            "--response",
            "y",
            "--method",
            "mim",
            "--resamples",
            "2",
        ],
        &["select", "h.csv", "--response", "y", "--format", "html"],
        &["select", "h.csv", "--response", "y", "--progress", "json"],
        // Mistakes in data.
        &["select", "cell.csv", "--response", HOSTILE],
        &["select", "twice.csv", "--response", "y"],
        &["select", "missing.csv", "--response", "y"],
        &["select", "constant.csv", "--response", HOSTILE],
        // Mistakes on the command line.
        &["select", "h.csv", "--response", "nobody"],
        &[
            "select",
            "h.csv",
            "--response",
            "y",
            "--drop",
            "\"a\u{1b}\u{202e}\nz\"",
        ],
        &["select", "h.csv", "--response", "y", "--method", HOSTILE],
        &["select", "h.csv", "--response", "y", "--criterion", HOSTILE],
        &["select", "h.csv", "--response", "y", "--top", HOSTILE],
        &["select", missing, "--response", "y"],
        &["select", "h.csv", "--response", "y", "--output", output],
        &["select", "h.csv", HOSTILE],
        &["run", missing],
    ];
    for command in all {
        let is_search = command[0] == "select" && !command.contains(&"--method");
        let more: &[&str] = if is_search { &quick } else { &[] };
        let ran = folder.run(&[command, more].concat());
        assert_plain(command, &ran);
        assert!(matches!(ran.code, Some(0 | 2)), "{command:?}: {ran:?}");
    }
    let ran = folder.run(&["select", "missing.csv", "--response", "y"]);
    assert!(ran.stderr.contains(SHOWN), "{}", ran.stderr);
}

#[test]
fn no_name_in_a_job_file_steers_a_terminal() {
    let folder = hostile_folder();
    let toml = |text: &str| {
        serde_json::to_string(text)
            .unwrap()
            .replace('\u{7f}', "\\u007f")
    };
    let (file, missing) = (
        toml(&format!("{HOSTILE}.csv")),
        toml(&format!("no-{HOSTILE}.csv")),
    );
    let (name, job) = (toml(HOSTILE), "particles = 2\niterations = 2\n");
    let good = format!("[[job]]\nname = {name}\ndata = {file}\nresponse = \"y\"\n{job}");
    let bad = format!("{good}[[job]]\ndata = \"cell.csv\"\nresponse = {name}\n{job}");
    folder.write(&format!("{HOSTILE}.toml"), &bad);
    let file = &format!("{HOSTILE}.toml");
    for more in [
        &["--check"][..],
        &["--list"],
        &["--only", HOSTILE],
        &["--output", "plain", "--progress", "plain"],
        &["--output", "json", "--progress", "json"],
    ] {
        let command = [&["run", file], more].concat();
        let ran = folder.run(&command);
        assert_plain(&command, &ran);
        assert!(matches!(ran.code, Some(0..=2)), "{command:?}: {ran:?}");
    }
    let page = Ran {
        code: None,
        stdout: folder.read("plain/report.html"),
        stderr: String::new(),
    };
    assert_plain(&["report.html"], &page);
    for mistake in [
        format!("[[job]]\ndata = {missing}\nresponse = \"y\"\n"),
        format!("{good}{name} = 3\n"),
        format!("{good}{name} 3 # \u{202e}\u{9b}\n"),
        format!("{good}method = {name}\n"),
        format!("{name} = 3\n{good}"),
        format!("[run]\n{name} = 3\n{good}"),
    ] {
        folder.write("bad.toml", &mistake);
        let ran = folder.run(&["run", "bad.toml", "--check"]);
        assert_plain(&[&mistake], &ran);
        assert_eq!(ran.code, Some(2), "{mistake}: {ran:?}");
    }
}

/// The levels of the factor `name` of a CSV file.
fn names_in(path: &Path) -> Vec<String> {
    let factors = ["name".to_owned()];
    let options = ReadOptions {
        factors: &factors,
        ..ReadOptions::default()
    };
    let table = read(path, &options).unwrap();
    match &table.columns[table.position("name").unwrap()].values {
        Values::Factor { levels, .. } => levels.clone(),
        values => panic!("{values:?}"),
    }
}

#[test]
fn json_has_names_as_they_are_and_csv_guards_them_reversibly() {
    let folder = Folder::new();
    let names = ["=cmd|' /C calc'!A0", "+a", "-b", "@c\u{202e}"];
    let header = names.map(|name| format!("\"{name}\"")).join(",");
    let text = folder.read("data.csv").replacen("a,b,c,d", &header, 1);
    folder.write("formulas.csv", &text);
    let base = [
        "select",
        "formulas.csv",
        "--response",
        "y",
        "--method",
        "mim",
    ];
    let ran = folder.run(&[&base[..], &["--format", "json"]].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let selected = report["selected"].as_array().unwrap().iter();
    let mut told: Vec<&str> = selected.map(|own| own["name"].as_str().unwrap()).collect();
    told.sort_unstable();
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(told, sorted);
    let ran = folder.run(&[&base[..], &["--format", "csv"]].concat());
    for line in ran.stdout.lines().skip(1) {
        let cell = line.trim_start_matches('"');
        assert!(cell.starts_with("'"), "{line}");
    }
    folder.write("report.csv", &ran.stdout);
    assert_eq!(names_in(&folder.path("report.csv")), sorted);
    // The tables of a run, of a job whose name is a formula too.
    folder.write(
        "jobs.toml",
        "[[job]]\nname = \"=x\"\ndata = \"formulas.csv\"\nresponse = \"y\"\nmethod = \"mim\"\n",
    );
    assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    assert_eq!(names_in(&folder.path("jobs-results/results.csv")), sorted);
    for table in ["jobs.csv", "results.csv", "times.csv"] {
        let text = folder.read(&format!("jobs-results/{table}"));
        let starts = text.lines().skip(1);
        let is_guarded = |line: &str| line.trim_start_matches('"').starts_with("'=x");
        assert!(
            starts.clone().count() > 0 && starts.clone().all(is_guarded),
            "{text}"
        );
    }
}

/// Elsewhere names are Unicode.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_a_name() {
    use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

    let folder = Folder::new();
    let at = |name: &[u8]| folder.path("").join(OsStr::from_bytes(name));
    for name in [&b"caf\xe9.csv"[..], b"caf\xe8.csv"] {
        fs::copy(folder.path("data.csv"), at(name)).unwrap();
    }
    let options = ["--response", "y", "--particles", "2", "--iterations", "2"];
    let mut command = folder.passel(&["select"]);
    command.arg(OsStr::from_bytes(b"caf\xe9.csv")).args(options);
    command
        .arg("--output")
        .arg(OsStr::from_bytes(b"out-\xe9.txt"));
    command.arg(OsStr::from_bytes(b"--trace=trace-\xe9.csv"));
    assert_eq!(crate::support::ran(command).code, Some(0));
    assert!(
        fs::read_to_string(at(b"out-\xe9.txt"))
            .unwrap()
            .contains("response")
    );
    assert!(at(b"trace-\xe9.csv").exists());
    for pattern in ["caf*.csv", "./caf?.csv"] {
        let job = "response = \"y\"\nparticles = 2\niterations = 2\noutput = \"{id}.txt\"\n";
        folder.write(
            "jobs.toml",
            &format!("[[job]]\ndata = \"{pattern}\"\n{job}"),
        );
        let mut command = folder.passel(&["run", "jobs.toml", "--overwrite", "--output"]);
        command.arg(OsStr::from_bytes(b"results-\xe9"));
        let ran = crate::support::ran(command);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.stdout.starts_with("2 of 2 jobs done"), "{ran:?}");
    }
    assert!(at(b"results-\xe9").join("jobs.csv").exists());
    // Folders may have such names, too: those that a pattern matches, and that of the job file.
    fs::create_dir_all(at(b"n\xe9/a")).unwrap();
    fs::copy(folder.path("data.csv"), at(b"n\xe9/a/d.csv")).unwrap();
    let job = "response = \"y\"\nparticles = 2\niterations = 2\n";
    for (file, pattern) in [
        (&b"jobs.toml"[..], "n?/a/d.csv"),
        (b"jobs.toml", "n*/**/*.csv"),
        (b"n\xe9/jobs.toml", "a/*.csv"),
    ] {
        let text = format!("[[job]]\ndata = \"{pattern}\"\n{job}");
        fs::write(at(file), text).unwrap();
        let mut command = folder.passel(&["run", "--check"]);
        command.arg(OsStr::from_bytes(file));
        let ran = crate::support::ran(command);
        assert_eq!(ran.code, Some(0), "{pattern}: {ran:?}");
        assert!(ran.stdout.ends_with("no mistakes, 1 job\n"), "{ran:?}");
    }
    // What is no path is a text.
    let mut command = folder.passel(&["select", "data.csv", "--response"]);
    command.arg(OsStr::from_bytes(b"\xe9"));
    let ran = crate::support::ran(command);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
