//! Jobs in processes of their own, and calls that do not return.

#![cfg(target_os = "linux")]

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use super::{
    built, c_runs,
    program::{Folder, Ran, ran},
};

const REGRESSION: &str = "OVER=PASSEL_OVER_REGRESSION";
const CHOSEN: &str = "while [ ! -e chosen ]; do sleep 0.02; done; ";

fn job(name: &str, more: &str) -> String {
    format!("[[job]]\nname = '{name}'\ndata = 'data.csv'\nresponse = 'y'\n{more}\n")
}

/// A job by the plugin of `harm.c`.
fn harm(name: &str, how: &str) -> String {
    job(name, &format!("{how}\nplugins = ['libharm.so']"))
}

/// A folder with the plugin that does harm; none where there is no compiler.
fn folder() -> Option<Folder> {
    let folder = Folder::new();
    built(
        &folder.path(""),
        "tests/plugins/harm.c",
        "harm",
        &["_REENTRANT"],
    )?;
    Some(folder)
}

/// A run of the folder's jobs with what the plugin is to do.
fn run(folder: &Folder, harm: &str, more: &[&str]) -> Ran {
    ran(started(folder, harm, more))
}

fn started(folder: &Folder, harm: &str, more: &[&str]) -> Command {
    let mut command = folder.passel(&["run", "jobs.toml"]);
    command
        .args(more)
        .env("HARM", harm)
        .env("PASSEL_GRACE", "0.3");
    command
}

#[test]
fn results_are_the_same_bytes() {
    let Some(folder) = folder() else { return };
    let jobs = [
        "[run]\nthreads = 2\n\n[defaults]\nseed = 7\n\n".to_owned(),
        job(
            "pass",
            "output = '{id}-{OUT}.txt'\npreset = 'paper'\niterations = 4",
        ),
        job("jmi", "method = 'jmi'\nstop = 'permutation'"),
        job(
            "stable",
            "command = 'stability'\nresamples = 10\niterations = 2",
        ),
        job("pairs", "command = 'pairs'"),
        job("validated", "command = 'validate'\niterations = 2"),
        harm("own", "method = 'harm-run'"),
        harm("price", "criterion = 'harm-price'"),
    ];
    let jobs = jobs.concat();
    for (place, more) in [("here", ""), ("apart", "isolate = true\n")] {
        let jobs = jobs.replace("{OUT}", place);
        let jobs = jobs.replace("[run]\n", &format!("[run]\noutput = '{place}'\n{more}"));
        folder.write("jobs.toml", &jobs);
        let ran = run(&folder, "", &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(
            ran.stdout.starts_with("7 of 7 jobs done\n"),
            "{}",
            ran.stdout
        );
    }
    let names = [
        "pass",
        "jmi",
        "stable",
        "pairs",
        "validated",
        "own",
        "price",
    ];
    for name in names {
        let of = |place: &str| folder.read(&format!("{place}/{name}.json"));
        assert_eq!(of("here"), of("apart"), "{name}");
    }
    for table in ["jobs.csv", "results.csv", "pairs.csv", "errors.csv"] {
        let of = |place: &str| folder.read(&format!("{place}/{table}")).replace(place, "");
        assert_eq!(of("here"), of("apart"), "{table}");
    }
    assert_eq!(folder.read("pass-here.txt"), folder.read("pass-apart.txt"));
    // The lines of what the jobs took have all that others have.
    let times = folder.read("apart/times.csv");
    for line in times.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(!cells[6].is_empty() && !cells[7].is_empty(), "{line}");
    }
    // Nothing is left to do.
    let again = run(&folder, "", &[]);
    assert!(
        again.stdout.contains("7 of them before"),
        "{}",
        again.stdout
    );
}

#[test]
fn a_job_that_is_lost_fails_alone_and_is_tried_again() {
    let Some(folder) = folder() else { return };
    let jobs = [
        job("a", ""),
        harm("bad", "method = 'harm-run'"),
        job("b", "seed = 2"),
    ];
    folder.write("jobs.toml", &jobs.concat());
    let first = run(&folder, "run _exit", &["--isolate"]);
    assert_eq!(first.code, Some(1), "{}", first.stderr);
    assert!(
        first.stdout.starts_with("2 of 3 jobs done, 1 failed\n"),
        "{}",
        first.stdout
    );
    let told = "error: bad: lost: its process ended by itself with code 0\n";
    assert!(first.stderr.contains(told), "{}", first.stderr);
    let list = ran(folder.passel(&["run", "jobs.toml", "--list", "--open"])).stdout;
    assert!(
        list.contains("lost: its process ended by itself with code 0"),
        "{list}"
    );
    let second = run(&folder, "", &["--isolate"]);
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    assert!(
        second.stdout.contains("2 of them before"),
        "{}",
        second.stdout
    );
}

#[test]
fn what_it_says_is_told_with_the_job() {
    let Some(folder) = folder() else { return };
    folder.write("jobs.toml", &harm("talks", "method = 'harm-run'"));
    let ran = run(&folder, "run print", &["--isolate"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("talks: noise\n"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("noise"), "{}", ran.stdout);
}

/// Whether a process goes on for five seconds more; one that has ended and is not waited for does not.
pub(super) fn lives_on(pid: &str) -> bool {
    let lives = || {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    let end = Instant::now() + Duration::from_secs(5);
    while lives() && Instant::now() < end {
        thread::sleep(Duration::from_millis(20));
    }
    lives()
}

#[test]
fn no_child_outlives_the_run() {
    let own = "BODY=FILE*own=fopen(\"pid\",\"w\");fprintf(own,\"%d\",(int)getpid());fclose(own);\
               problem->choose(problem,0,1.0);rename(\"pid\",\"chosen\");for(;;)pause()";
    for signal in ["KILL", "TERM"] {
        let folder = Folder::new();
        if c_runs(&folder.path(""), &[REGRESSION, own]).is_none() {
            return;
        }
        let more = "method = 'c-run'\nplugins = ['libruns.so']";
        folder.write("jobs.toml", &(job("deaf", more) + &job("other", "")));
        let script = format!(
            "PASSEL_GRACE=0.3 \"$passel\" run jobs.toml --isolate & id=$!; {CHOSEN} kill -{signal} $id; \
             wait $id; echo $?"
        );
        let ran = ran(folder.shell(&script));
        assert!(!lives_on(&folder.read("chosen")), "{}", ran.stderr);
        let code = if signal == "KILL" { "137\n" } else { "130\n" };
        assert!(ran.stdout.ends_with(code), "{} {}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_call_that_does_not_return_ends_the_run_and_what_there_is_is_kept() {
    let Some(folder) = folder() else { return };
    let bad = harm("bad", "method = 'harm-score'\ntimeout = '200ms'");
    let jobs =
        "[run]\nthreads = 1\njobs = 1\n".to_owned() + &job("a", "") + &bad + &job("z", "seed = 2");
    folder.write("jobs.toml", &jobs);
    let first = run(&folder, "function loop", &[]);
    assert_eq!(first.code, Some(1), "{}", first.stderr);
    let told = "error: bad: plugin harm, harm-score: a call of it did not return within 0.3 s";
    assert!(first.stderr.contains(told), "{}", first.stderr);
    assert!(
        first.stderr.contains("1 of 3 jobs done, 1 failed, 1 left"),
        "{}",
        first.stderr
    );
    assert!(
        folder
            .read("jobs-results/jobs.csv")
            .contains("did not return")
    );
    let status = ran(folder.passel(&["status", "jobs-results"])).stdout;
    assert!(
        status.contains("did not return") && status.contains("exit code 1"),
        "{status}"
    );
    // It comes last now, and takes no other with it.
    let second = run(&folder, "function loop", &[]);
    assert!(
        second
            .stderr
            .contains("2 of 3 jobs done, 1 of them before, 1 failed"),
        "{}",
        second.stderr
    );
}

#[test]
fn the_time_limit_of_a_run_and_an_interrupt_hold_for_every_call() {
    for (how, what) in [
        ("method = 'harm-score'", "function loop"),
        ("criterion = 'harm-price'", "criterion loop"),
        ("method = 'harm-score'", "declare loop"),
        ("method = 'harm-score'", "entry loop"),
    ] {
        let Some(folder) = folder() else { return };
        folder.write("jobs.toml", &(harm("bad", how) + &job("other", "")));
        // 1 where no job is left, as after any interrupt.
        let codes = [Some(1), Some(130)];
        let late = run(&folder, what, &["--time-limit", "200ms"]);
        assert!(codes.contains(&late.code), "{what}: {}", late.stderr);
        assert!(
            late.stderr.contains("did not return within 0.3 s"),
            "{what}: {}",
            late.stderr
        );
        let script = "\"$passel\" run jobs.toml & id=$!; sleep 0.5; kill -INT $id; wait $id";
        let mut command = folder.shell(script);
        command.env("HARM", what).env("PASSEL_GRACE", "0.3");
        let stopped = ran(command);
        assert!(codes.contains(&stopped.code), "{what}: {}", stopped.stderr);
    }
}

#[test]
fn a_run_that_was_killed_finds_out_by_whom() {
    let Some(folder) = folder() else { return };
    // Both are under way when the first one ends the process.
    let jobs = "[run]\nthreads = 2\n".to_owned()
        + &harm("bad", "method = 'harm-score'")
        + &harm("slow", "method = 'harm-run'");
    folder.write("jobs.toml", &jobs);
    let mut first = started(&folder, "function later-exit", &[]);
    first.env("WAITS", "1");
    let first = ran(first);
    assert_eq!(first.code, Some(1), "{}", first.stderr);
    let is_done = || folder.path("jobs-results/slow.json").is_file();
    assert!(!is_done());
    for _ in 0..2 {
        run(&folder, "function exit", &[]);
    }
    assert!(is_done());
}

#[test]
fn a_signal_asks_for_the_end_whatever_a_library_made_of_it() {
    let Some(folder) = folder() else { return };
    let script = "\"$passel\" select data.csv --response y --method harm-run --plugins libharm.so & \
                  id=$!; while [ ! -e waits ]; do sleep 0.02; done; kill -INT $id; wait $id; echo $?";
    let mut command = folder.shell(script);
    command.env("HARM", "entry handlers").env("WAITS", "1");
    let ran = ran(command);
    assert!(
        ran.stdout.ends_with("130\n"),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_check_ends_where_a_call_does_not() {
    for (what, told) in [
        (
            "function loop",
            "plugin harm, harm-score: a call of it did not return within 0.3 s",
        ),
        (
            "criterion loop",
            "plugin harm, harm-price: a call of it did not return within 0.3 s",
        ),
        (
            "declare loop",
            "plugin harm, harm-score: a call of it did not return within 0.3 s",
        ),
        (
            "entry loop",
            "plugin harm: a call of it did not return within 0.3 s",
        ),
        (
            "run loop",
            "FAILED  method harm-run: it did not end within 0.3 s",
        ),
    ] {
        let Some(folder) = folder() else { return };
        let mut command = folder.passel(&["plugins", "--check", "libharm.so"]);
        command.env("HARM", what).env("PASSEL_GRACE", "0.3");
        let ran = ran(command);
        assert_eq!(ran.code, Some(1), "{what}: {}{}", ran.stdout, ran.stderr);
        assert!(
            (ran.stdout + &ran.stderr).contains(told),
            "{what}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_check_does_not_outlive_who_asked_for_it() {
    let Some(folder) = folder() else { return };
    fs::create_dir(folder.path("temporary")).unwrap();
    let script = "TMPDIR=$PWD/temporary; export TMPDIR; \"$passel\" plugins --check libharm.so & id=$!; \
                  for at in $(seq 100); do sleep 0.1; child=$(cat /proc/$id/task/*/children); \
                  test \"$child\" && test -z \"$(ls temporary)\" && break; done; kill -KILL $id; wait $id; echo $child";
    let mut command = folder.shell(script);
    command.env("HARM", "entry loop");
    let ran = ran(command);
    let child = ran.stdout.trim();
    assert!(
        !child.is_empty() && !lives_on(child),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(fs::read_dir(folder.path("temporary")).unwrap().count(), 0);
}

#[test]
fn the_command_at_the_end_is_run_where_a_call_does_not_return() {
    let end = "env | grep ^PASSEL_ | sort > told";
    for (what, is_read) in [("function loop", true), ("entry loop", false)] {
        let Some(folder) = folder() else { return };
        let bad = harm("bad", "method = 'harm-score'\ntimeout = '200ms'");
        let jobs = "[run]\nthreads = 1\njobs = 1\n".to_owned() + &job("a", "") + &bad;
        folder.write("jobs.toml", &jobs);
        let limit = ["--time-limit", if is_read { "1h" } else { "100ms" }];
        let ran = run(&folder, what, &[&["--on-end", end][..], &limit].concat());
        assert_eq!(ran.code, Some(1), "{what}: {}", ran.stderr);
        assert!(ran.stderr.contains("did not return"), "{}", ran.stderr);
        let told = folder.read("told");
        let numbers = match is_read {
            true => "PASSEL_DONE=1\nPASSEL_EXIT_CODE=1\nPASSEL_FAILED=1\nPASSEL_FILE=jobs.toml\n",
            false => "PASSEL_DONE=0\nPASSEL_EXIT_CODE=1\nPASSEL_FAILED=0\nPASSEL_FILE=\n",
        };
        assert!(told.starts_with(numbers), "{what}: {told}");
    }
}

#[test]
fn an_install_ends_where_a_library_does_not_load_and_leaves_nothing() {
    let Some(folder) = folder() else { return };
    fs::create_dir(folder.path("staging")).unwrap();
    let left = |folder: &Folder| fs::read_dir(folder.path("staging")).unwrap().count();
    let mut command = folder.passel(&["plugins", "install", "libharm.so"]);
    command.env("HARM", "entry loop").env("PASSEL_GRACE", "0.3");
    let hung = ran({
        command.env("TMPDIR", folder.path("staging"));
        command
    });
    assert_eq!(hung.code, Some(2), "{}", hung.stderr);
    let told = "it was not loaded within 0.3 s: its process was killed; nothing was installed";
    assert!(hung.stderr.contains(told), "{}", hung.stderr);
    assert_eq!(left(&folder), 0);
    // Whoever asked for it asks for its end.
    let script = "\"$passel\" plugins install libharm.so & id=$!; sleep 0.5; \
                  child=$(cat /proc/$id/task/*/children); kill -TERM $id; wait $id; echo $child";
    let mut command = folder.shell(script);
    command.env("HARM", "entry loop");
    let ended = ran({
        command.env("TMPDIR", folder.path("staging"));
        command
    });
    let child = ended.stdout.trim();
    assert!(!child.is_empty() && !lives_on(child), "{}", ended.stderr);
    assert_eq!(left(&folder), 0, "{}", ended.stderr);
}
