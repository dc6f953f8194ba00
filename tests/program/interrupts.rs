//! Requests to end, wherever a command may be when they come: while it waits for its data, reads,
//! works or prints.

use std::{
    fs::OpenOptions,
    io::Write,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::support::{
    Folder, HANDLES_INT, Ran, finish, ran, send, start, wait_for_line, wait_for_line_that,
    wait_until,
};

const NOTHING: &str = "error: interrupted: nothing was found or written\n";

pub fn make_pipe(folder: &Folder, name: &str) {
    let made = Command::new("mkfifo").arg(folder.path(name)).status();
    assert!(made.unwrap().success());
}

/// Waits until a process handles INT, and so all that it handles.
fn handles(child: &Child) {
    let script = format!("{HANDLES_INT}handles_int {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &script])
            .status()
            .unwrap()
            .success()
    );
}

/// Starts a command, sends a signal to it once that is so, and waits for its end.
fn signalled(mut command: Command, signal: &str, when: impl FnOnce(&mut Child)) -> Ran {
    command.stdin(std::process::Stdio::null());
    let mut child = start(command);
    handles(&child);
    when(&mut child);
    send(&child, signal);
    finish(child)
}

#[test]
fn a_pipe_that_nobody_writes_is_waited_for_until_an_interrupt() {
    let folder = Folder::new();
    for name in [
        "late.csv",
        "late.csv.gz",
        "late.libsvm",
        "late.mrmr",
        "late.npy",
        "late.dat",
    ] {
        make_pipe(&folder, name);
        let command = folder.passel(&["select", name, "--response", "y", "--output", "o.json"]);
        // The file beside the output is made before the data are opened.
        let ran = signalled(command, "INT", |child| {
            wait_until(child, || {
                folder
                    .names()
                    .iter()
                    .any(|name| name.starts_with(".passel-"))
            });
        });
        // The signal may come before the reading has begun to heed it.
        let told = [NOTHING, "interrupted: no work had begun\n"];
        assert!(
            ran.code == Some(130) && told.contains(&&*ran.stderr),
            "{name}: {}",
            ran.stderr
        );
        assert!(
            folder
                .names()
                .iter()
                .all(|name| !name.starts_with('.') && name != "o.json")
        );
    }
}

#[test]
fn a_pipe_that_stays_open_is_read_until_an_interrupt() {
    let folder = Folder::new();
    make_pipe(&folder, "slow.csv");
    let mut command = folder.passel(&["select", "slow.csv", "--response", "y"]);
    command.args(["--progress", "json"]);
    let ran = signalled(command, "TERM", |child| {
        let mut pipe = OpenOptions::new()
            .write(true)
            .open(folder.path("slow.csv"))
            .unwrap();
        pipe.write_all(folder.read("data.csv").as_bytes()).unwrap();
        // Never closed while the program lives.
        std::mem::forget(pipe);
        // What lasts is shown.
        let is_told = "\"stage\":\"reading and preparing the data\"";
        wait_for_line_that(child, |line| line.contains(is_told));
    });
    assert_eq!(ran.code, Some(130));
    assert!(ran.stderr.ends_with(NOTHING), "{}", ran.stderr);
}

#[test]
fn a_pipe_is_read_once_however_often_its_reader_opens_it() {
    let folder = Folder::new();
    let arguments = ["--response", "y", "--threads", "1", "--format", "json"];
    let result = |data: &str| {
        let ran = folder.run(&[&["select", data], &arguments[..]].concat());
        let mut json: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        let members = json.as_object_mut().unwrap();
        members.retain(|name, _| !["data", "elapsed_seconds"].contains(&&**name));
        json
    };
    // Text makes the quick reader give up, and the other one begin anew.
    let text = folder.read("data.csv");
    let mut lines = text.lines();
    let mut with_text = format!("{},f\n", lines.next().unwrap());
    for (at, line) in lines.enumerate() {
        with_text += &format!("{line},{}\n", ["u", "v", "w"][at % 3]);
    }
    folder.write("text.csv", &with_text);
    make_pipe(&folder, "pipe.csv");
    let mut writer = folder.shell("cat text.csv > pipe.csv").spawn().unwrap();
    assert_eq!(result("pipe.csv"), result("text.csv"));
    writer.wait().unwrap();
}

#[test]
fn standard_input_that_never_ends_is_read_until_an_interrupt() {
    let folder = Folder::new();
    make_pipe(&folder, "pipe");
    // A shell that starts a program beside itself has it ignore Ctrl-C; passel heeds it all the same.
    let script = "\"$passel\" select - --response y < pipe & id=$!; exec 3> pipe; cat data.csv >&3; \
                  handles_int $id; kill -INT $id; wait $id";
    let ran = ran(folder.shell(&format!("{HANDLES_INT}{script}")));
    // Whatever came first, the end of the arguments' reading or the signal.
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
}

#[test]
fn a_pattern_of_data_opens_no_pipe() {
    let folder = Folder::new();
    make_pipe(&folder, "a.csv");
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"*.csv\"\nresponse = \"y\"\niterations = 2\n",
    );
    let ran = folder.run(&["run", "jobs.toml", "--list"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("1 job, 1 to do\n"), "{}", ran.stdout);
}

#[test]
fn saved_rules_are_read_from_no_pipe() {
    let folder = Folder::new();
    make_pipe(&folder, "rules.json");
    let select = ["select", "data.csv", "--response", "y", "--method", "mim"];
    let rules = [
        "--binning",
        "edges:rules.json",
        "--bin-response",
        "equal-width:3",
    ];
    let ran = folder.run(&[&select[..], &rules].concat());
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("not a regular file"), "{}", ran.stderr);
}

#[test]
fn before_work_has_begun_a_request_ends_the_program_at_once() {
    let folder = Folder::new();
    make_pipe(&folder, "pipe");
    // What reads an output is waited for, a while.
    let command = folder.passel(&["select", "data.csv", "--response", "y", "--output", "pipe"]);
    let ran = signalled(command, "INT", |_| {});
    let told = "interrupted: no work had begun\n";
    assert_eq!((ran.code, &*ran.stderr), (Some(130), told));
}

/// A search that would not end.
fn endless(folder: &Folder, more: &[&str]) -> Command {
    let select = [
        "select",
        "data.csv",
        "--response",
        "y",
        "--iterations",
        "1000000000",
    ];
    let progress = ["--progress", "json", "--format", "json", "--threads", "1"];
    folder.passel(&[&select[..], &progress, more].concat())
}

fn check_best_so_far(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(130), "{what}: {}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["termination"], "interrupted", "{what}");
    assert!(
        ran.stderr
            .ends_with("interrupted: this is the best so far\n"),
        "{what}"
    );
}

/// Whether the tests run under `nohup` or what does alike, so that programs that they start ignore a
/// hangup.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn a_lost_terminal_and_the_limit_of_processor_time_are_requests_as_any() {
    let folder = Folder::new();
    let signals = ["INT", "TERM", "HUP", "XCPU"].into_iter();
    for signal in signals.filter(|signal| *signal != "HUP" || !ignores_hangups()) {
        let ran = signalled(endless(&folder, &[]), signal, wait_for_line);
        check_best_so_far(&ran, signal);
    }
}

#[test]
fn warnings_of_schedulers_end_nothing() {
    let folder = Folder::new();
    let mut child = start(endless(&folder, &[]));
    wait_for_line(&mut child);
    for signal in ["USR1", "USR2"] {
        send(&child, signal);
        wait_for_line(&mut child);
        wait_for_line(&mut child);
    }
    send(&child, "INT");
    check_best_so_far(&finish(child), "USR1");
}

#[cfg(target_os = "linux")]
#[test]
fn what_ignores_a_hangup_goes_on_ignoring_it() {
    let folder = Folder::new();
    let script = "trap '' HUP; exec \"$passel\" select data.csv --response y --iterations 1000000000 \
                  --progress json --format json --threads 1";
    let mut child = start(folder.shell(script));
    wait_for_line(&mut child);
    send(&child, "HUP");
    wait_for_line(&mut child);
    wait_for_line(&mut child);
    send(&child, "TERM");
    check_best_so_far(&finish(child), "HUP");
}

#[test]
fn a_second_interrupt_ends_at_once_while_a_report_waits_for_its_reader() {
    let folder = Folder::new();
    let mut command = folder.passel(&["select", "data.csv", "--response", "y"]);
    command.args([
        "--format",
        "html",
        "--iterations",
        "2",
        "--progress",
        "json",
    ]);
    // The page is larger than a pipe, and nobody reads: the program waits in the printing of it.
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let is_last = |line: &str| line.contains("\"wave\"");
    wait_for_line_that(&mut child, is_last);
    send(&child, "INT");
    // A signal before the first was handled is one with it, so the second is repeated.
    while child.try_wait().unwrap().is_none() {
        send_if_alive(&child);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

fn send_if_alive(child: &Child) {
    let mut kill = Command::new("kill");
    let _ = kill.args(["-INT", &child.id().to_string()]).output();
}

#[test]
fn limits_of_the_system_are_told_plainly() {
    let folder = Folder::new();
    // A large report: a file may have 512 or 1,024 bytes.
    let select = "\"$passel\" select data.csv --response y --iterations 2 --format html";
    let ran = ran(folder.shell(&format!("ulimit -f 1; {select} --output page.html")));
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("writing page.html failed") && ran.stderr.contains("ulimit -f"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.names(), ["data.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn too_many_open_files_are_told_plainly() {
    let folder = Folder::new();
    let select = "\"$passel\" select data.csv --response y --iterations 2 --threads 1";
    for files in 3..12 {
        let script = format!("ulimit -n {files}; {select} --output o.json");
        let ran = ran(folder.shell(&script));
        assert!(
            !ran.stderr.contains("uncategorized"),
            "{files}: {}",
            ran.stderr
        );
        assert!(!ran.stderr.contains("panicked"), "{files}: {}", ran.stderr);
        if ran.stderr.contains("o.json") && ran.code != Some(0) {
            assert!(ran.stderr.contains("ulimit -n"), "{files}: {}", ran.stderr);
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_run_and_leaves_the_jobs_that_had_not_begun() {
    let folder = Folder::new();
    // Whatever is written to this device finds the disk full.
    let jobs = "[run]\nthreads = 1\n[defaults]\nresponse = \"y\"\niterations = 2\n\
                [[job]]\nname = \"a\"\ndata = \"data.csv\"\n\
                [[job]]\nname = \"b\"\ndata = \"data.csv\"\noutput = \"/dev/full\"\n\
                [[job]]\nname = \"c\"\ndata = \"data.csv\"\nseed = [1, 2, 3]\n";
    folder.write("jobs.toml", jobs);
    let ran = folder.run(&["run", "jobs.toml", "--progress", "none"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("1 of 5 jobs done, 1 failed, 3 left for the next run"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("make room"), "{}", ran.stderr);
    // Where there is room, the rest is done.
    folder.write("jobs.toml", &jobs.replace("/dev/full", "/dev/null"));
    let ran = folder.run(&["run", "jobs.toml", "--progress", "none"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("5 of 5 jobs done, 1 of them before"),
        "{}",
        ran.stdout
    );
}
