//! What a plugin may do wrong, wherever it is called: what happens, and to whom. The table is `docs/plugins-harm.md`.

#![cfg(target_os = "linux")]

use std::{
    env, fs,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::ExitStatus,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use serde_json::Value;

use super::{built, program::Folder};

const EVERYWHERE: &[&str] = &["entry", "declare", "function", "criterion", "run", "thread"];

/// What it does, in the words of `harm.c` and of the table, and where.
const HARM: [(&str, &str, &[&str]); 24] = [
    ("exit", "calls `exit(0)`", EVERYWHERE),
    ("_exit", "calls `_exit(0)`", EVERYWHERE),
    ("abort", "calls `abort`", EVERYWHERE),
    ("kill", "kills its process", EVERYWHERE),
    ("fault", "writes to address 8", EVERYWHERE),
    ("stack", "recurses without end", EVERYWHERE),
    ("throw", "throws as C++ does", EVERYWHERE),
    (
        "memory",
        "asks for more memory than there is, and writes to what it got",
        EVERYWHERE,
    ),
    ("loop", "loops without end", EVERYWHERE),
    ("print", "prints to standard output", EVERYWHERE),
    ("rounding", "rounds upward from then on", EVERYWHERE),
    ("flushing", "flushes small numbers to zero", EVERYWHERE),
    ("handlers", "changes handlers of signals", EVERYWHERE),
    ("directory", "changes the directory", EVERYWHERE),
    ("descriptors", "closes descriptors 0, 1 and 2", EVERYWHERE),
    ("nan", "gives NaN", &["function", "criterion", "run"]),
    ("infinity", "gives +∞", &["function", "criterion"]),
    ("minus-infinity", "gives −∞", &["function", "criterion"]),
    (
        "code",
        "fails without a reason",
        &["entry", "declare", "run"],
    ),
    ("size", "says a wrong size", &["entry", "declare", "run"]),
    ("count", "says a wrong number", &["entry", "declare", "run"]),
    (
        "null",
        "hands over a null pointer",
        &["entry", "declare", "run"],
    ),
    (
        "dangling",
        "hands over a text that cannot be read",
        &["entry"],
    ),
    ("none", "does nothing wrong", &["entry"]),
];

/// What may end or hold a process, of which a run with `--isolate` loses one job.
const ENDS: usize = 9;

fn method(place: &str) -> [&'static str; 2] {
    match place {
        "criterion" => ["criterion", "harm-price"],
        "run" | "thread" => ["method", "harm-run"],
        _ => ["method", "harm-score"],
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => code.to_string(),
        (_, Some(6)) => "SIGABRT".to_owned(),
        (_, Some(9)) => "SIGKILL".to_owned(),
        (_, Some(11)) => "SIGSEGV".to_owned(),
        other => format!("{other:?}"),
    }
}

/// What passel says on standard error, on one line.
fn told(text: &str, folder: &Path) -> String {
    let ours = ["error: ", "warning: ", "interrupted"];
    let lines = text.lines();
    let lines = lines.filter(|line| ours.iter().any(|start| line.starts_with(start)));
    let text = lines.collect::<Vec<_>>().join("; ");
    let text = text.replace(&format!("{}/", folder.display()), "");
    text.replace('|', "\\|")
}

/// A selection to which this happens there: how it ended, what its report is, and what was told.
fn select(library: &Path, place: &str, what: &str, plain: Option<&Value>) -> (String, Value) {
    let folder = Folder::new();
    let [option, name] = method(place);
    let library = library.display().to_string();
    let select = ["select", "data.csv", "--response", "y", "--format", "json"];
    let own = [&*format!("--{option}"), name, "--plugins", &library];
    let mut command = folder.passel(&[&select[..], &own].concat());
    if what == "loop" {
        command.args(["--time-limit", "100ms"]);
    }
    command.env("HARM", format!("{place} {what}"));
    command.env("PASSEL_GRACE", "0.3");
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let selected = report["selected"].clone();
    let is_empty = output.stdout.is_empty();
    assert!(
        is_empty || !report.is_null(),
        "{place} {what}: a report that is none"
    );
    let kind = match plain {
        _ if is_empty => "none",
        Some(plain) if selected == *plain => "the same",
        _ => "another",
    };
    let parent = Path::new(&library).parent().unwrap();
    let told = told(&String::from_utf8_lossy(&output.stderr), parent);
    let row = format!("{} | {kind} | {told}", ended(output.status));
    (row, selected)
}

/// A run of two jobs, each in a process of its own, to one of which this happens: how the run ended, and why that job failed. The
/// other one is done.
fn isolated(library: &Path, place: &str, what: &str) -> String {
    let folder = Folder::new();
    let [option, name] = method(place);
    let library = library.display().to_string();
    let both = "data = 'data.csv'\nresponse = 'y'\n";
    folder.write(
        "jobs.toml",
        &format!(
            "[run]\nisolate = true\nthreads = 2\n[[job]]\nname = 'bad'\n{both}{option} = '{name}'\n\
             plugins = ['{library}']\ntimeout = '300ms'\n[[job]]\nname = 'good'\n{both}iterations = 2\n"
        ),
    );
    let mut command = folder.passel(&["run", "jobs.toml"]);
    command.env("HARM", format!("{place} {what}"));
    command.env("PASSEL_GRACE", "0.3");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let is_done = |job: &str| folder.path(&format!("jobs-results/{job}.json")).is_file();
    assert_eq!(
        [is_done("bad"), is_done("good")],
        [false, true],
        "{place} {what}: {text}"
    );
    assert_eq!(output.status.code(), Some(1), "{place} {what}: {text}");
    let errors = text
        .lines()
        .filter_map(|line| line.strip_prefix("error: bad: "));
    let errors: Vec<_> = errors.collect();
    assert_eq!(errors.len(), 1, "{place} {what}: {text}");
    let parent = Path::new(&library).parent().unwrap();
    let error = errors[0].replace(&format!("{}/", parent.display()), "");
    error.replace(" (core dumped)", "").replace('|', "\\|")
}

const HEAD: &str = "# What a plugin may do wrong\n\n\
    A plugin in C does what each row says, in a selection by it: in its entry, in `declare`, in a function of a table, in a \
    criterion, in `run`, or in a thread of its own that `run` waits for. The table is made by \
    `PASSEL_BLESS=1 cargo test --test plugins harm_table`, which compares it otherwise.\n\n\
    *Ended*: the exit code of `passel select`, or the signal that ended it. *Report*: whether there is one, and whether it selects \
    what it does of a plugin that behaves. *Told*: on standard error. Loops are given a time limit; a call that goes on for ten \
    seconds after it ends the process (here .3 s, by `PASSEL_GRACE`). *With --isolate*: why the job failed in \
    `passel run --isolate`, where the other job was done each time and the exit code was 1; entries and `declare` are called \
    first by a process that the run asks what plugins bring, before there are jobs.\n\n";

#[test]
fn the_table_of_what_happens_is_as_it_was() {
    let folder = Folder::new();
    let Some(library) = built(
        &folder.path(""),
        "tests/plugins/harm.c",
        "harm",
        &["_REENTRANT"],
    ) else {
        return;
    };
    let places = ["function", "criterion", "run"];
    let plain = |place: &str| select(&library, place, "nothing", None).1;
    let plain = places.map(plain);
    let cells: Vec<_> = HARM
        .iter()
        .enumerate()
        .flat_map(|(number, (what, words, places))| {
            places
                .iter()
                .map(move |place| (number, *what, *words, *place))
        })
        .collect();
    let (next, rows) = (
        AtomicUsize::new(0),
        Mutex::new(vec![String::new(); cells.len()]),
    );
    let work = || {
        while let Some((number, what, words, place)) =
            cells.get(next.fetch_add(1, Ordering::Relaxed)).copied()
        {
            let at = cells
                .iter()
                .position(|cell| (cell.1, cell.3) == (what, place))
                .unwrap();
            let plain = match place {
                "criterion" => &plain[1],
                "run" | "thread" => &plain[2],
                _ => &plain[0],
            };
            let (row, _) = select(&library, place, what, Some(plain));
            let alone = match number < ENDS {
                true => isolated(&library, place, what),
                false => String::new(),
            };
            let place = if place == "thread" {
                "own thread"
            } else {
                place
            };
            rows.lock().unwrap()[at] = format!("| {words} | {place} | {row} | {alone} |\n");
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let rows = rows.into_inner().unwrap().concat();
    let head = "| it | in | ended | report | told | with --isolate |\n| --- | --- | --- | --- | --- | --- |\n";
    let table = format!("{HEAD}{head}{rows}")
        .replace(" |  |", " | |")
        .replace("|  |", "| |");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/plugins-harm.md");
    if env::var_os("PASSEL_BLESS").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    for (new, old) in table.lines().zip(known.lines()) {
        assert_eq!(new, old);
    }
    assert_eq!(table.len(), known.len());
}
