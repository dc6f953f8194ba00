//! A run of isolated jobs is planned without its plugins: another process is asked what they bring, and may end.

#![cfg(target_os = "linux")]

use std::fs;

use super::{
    built, c_plugin,
    isolated::lives_on,
    program::{Folder, Ran, ran},
};

/// A folder with the plugin that does harm; none where there is no compiler.
fn folder() -> Option<Folder> {
    let folder = Folder::new();
    let source = "tests/plugins/harm.c";
    built(&folder.path(""), source, "harm", &["_REENTRANT"])?;
    Some(folder)
}

fn job(name: &str, more: &str) -> String {
    format!("[[job]]\nname = '{name}'\ndata = 'data.csv'\nresponse = 'y'\n{more}\n")
}

/// A job of the plugin that does harm.
fn harm(name: &str, more: &str) -> String {
    job(name, &format!("plugins = ['libharm.so']\n{more}"))
}

fn run(folder: &Folder, harm: &str, more: &[&str]) -> Ran {
    let mut command = folder.passel(&["run", "jobs.toml", "--isolate"]);
    command.args(more).env("HARM", harm);
    command.env("PASSEL_GRACE", "0.3");
    ran(command)
}

#[test]
fn a_library_that_cannot_be_loaded_loses_its_own_jobs_alone() {
    for (what, ended) in [
        ("entry abort", "was ended by signal: 6 (SIGABRT)"),
        ("entry _exit", "ended by itself with code 0"),
    ] {
        let Some(folder) = folder() else { return };
        let bad = "method = ['harm-run', 'harm-score']\nthreads = [1, 2]";
        let jobs = job("a", "iterations = 2") + &harm("bad", bad) + &job("z", "method = 'jmi'");
        folder.write("jobs.toml", &jobs);
        let first = run(&folder, what, &[]);
        assert_eq!(first.code, Some(1), "{}", first.stderr);
        assert!(
            first.stdout.starts_with("2 of 6 jobs done, 4 failed\n"),
            "{}",
            first.stdout
        );
        let told = first.stderr.lines();
        let told = told.filter(|line| line.starts_with("error: bad,method=harm-"));
        let told: Vec<&str> = told.collect();
        assert_eq!(told.len(), 4, "{}", first.stderr);
        for line in told {
            let reason = "lost while libharm.so was asked what it brings: ";
            assert!(line.contains(reason) && line.contains(ended), "{line}");
        }
        let table = folder.read("jobs-results/jobs.csv");
        assert_eq!(table.matches("lost while libharm.so").count(), 4, "{table}");
        assert!(table.contains(",harm-score,"), "{table}");
        let status = ran(folder.passel(&["status", "jobs-results"])).stdout;
        assert!(status.contains("lost while libharm.so"), "{status}");
        let failed = run(&folder, what, &["--retry-failed"]);
        assert!(
            failed.stdout.contains(" 4 failed"),
            "{what}: {}",
            failed.stdout
        );
        let next = run(&folder, "", &[]);
        assert_eq!(next.code, Some(0), "{}", next.stderr);
        assert!(
            next.stdout
                .starts_with("6 of 6 jobs done, 2 of them before\n"),
            "{}",
            next.stdout
        );
        let again = run(&folder, "", &[]);
        assert!(
            again.stdout.contains("6 of them before"),
            "{}",
            again.stdout
        );
    }
}

#[test]
fn what_one_value_does_to_the_process_costs_no_other() {
    let folder = Folder::new();
    let fault = "FAULT=if(values[0]==3)__builtin_trap();";
    if c_plugin(&folder.path(""), &[fault]).is_none() {
        return;
    }
    let own = |name: &str, more: &str| job(name, &format!("plugins = ['libplain.so']\n{more}"));
    let weights =
        "method = ['c-jmi:weight=1', 'c-jmi:weight=3', 'c-jmi:weight=4']\nthreads = [1, 2]";
    let both = "command = 'validate'\nmethod = 'pass,c-jmi:weight=3'\nthen = 'ols'";
    let jobs = own("grid", weights) + &own("both", both) + &job("jmi", "method = 'jmi'");
    folder.write("jobs.toml", &jobs);
    let ran = run(&folder, "", &[]);
    assert!(
        ran.stdout.starts_with("5 of 8 jobs done, 3 failed\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let told = "what it brings: plugin plain, c-jmi: it ended this process (SIG";
    assert_eq!(ran.stderr.matches(told).count(), 3, "{}", ran.stderr);
    // A value that the plugin itself refuses is a mistake of the file.
    folder.write("jobs.toml", &own("refused", "method = 'c-jmi:weight=2'"));
    let refused = run(&folder, "", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("knows no 2"), "{}", refused.stderr);
}

#[test]
fn a_library_that_was_found_loses_the_jobs_that_ask_plugins() {
    let Some(folder) = folder() else { return };
    let jobs = job("plain", "iterations = 2")
        + &job("jmi", "method = 'jmi'")
        + &job("pairs", "command = 'pairs'");
    folder.write("jobs.toml", &jobs);
    let mut command = folder.passel(&["run", "jobs.toml", "--isolate"]);
    command.env("HARM", "entry kill");
    command.env("PASSEL_PLUGIN_PATH", folder.path(""));
    let ran = ran(command);
    assert!(
        ran.stdout.starts_with("1 of 3 jobs done, 2 failed\n"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let told = "lost while the plugins that are installed were asked what they bring: its process \
                was ended by signal: 9 (SIGKILL)";
    assert_eq!(ran.stderr.matches(told).count(), 2, "{}", ran.stderr);
}

#[test]
fn mistakes_and_warnings_are_those_of_a_run_that_loads_plugins() {
    let Some(folder) = folder() else { return };
    if c_plugin(&folder.path(""), &[]).is_none() {
        return;
    }
    fs::create_dir(folder.path("found")).unwrap();
    folder.write("found/libcut.so", "\u{7f}ELF");
    folder.write("libnone.so", "no library");
    let wrong = [
        job("unknown", "method = 'jnmi'"),
        job("none", "method = 'nothing-like-it'"),
        job("text", "method = 'mifs:beta=much'"),
        job("range", "method = 'mifs:beta=-1'"),
        job("library", "method = 'jmi'\nplugins = ['libnone.so']"),
        job("criterion", "criterion = 'harm-prize'"),
        job("family", "family = 'nb'"),
        harm("unused", "method = 'harm-run'\nbinning = 'mdlp'"),
        harm(
            "squares",
            "criterion = 'harm-price'\nfamily = 'poisson'\niterations = 2",
        ),
        job("pairs", "command = 'pairs'\nscore = 'mi4'"),
    ];
    let right = [
        job("plain", "plugins = ['libplain.so']\nmethod = 'c-jmi'"),
        harm("run", "method = 'harm-run'"),
    ];
    for jobs in [wrong.concat(), right.concat()] {
        folder.write("jobs.toml", &jobs);
        let told = |more: &[&str]| {
            let mut command = folder.passel(&["run", "jobs.toml", "--check", "--open"]);
            command.args(more);
            command.env("PASSEL_PLUGIN_PATH", folder.path("found"));
            let ran = ran(command);
            (ran.code, ran.stdout, ran.stderr)
        };
        let (here, apart) = (told(&[]), told(&["--isolate"]));
        assert!(here.2.contains("libcut.so"), "{}", here.2);
        assert_eq!(here, apart);
    }
}

#[test]
fn a_look_that_opens_plugins_tells_of_those_that_end_it() {
    let Some(folder) = folder() else { return };
    let jobs = job("a", "") + &harm("bad", "method = 'harm-score'");
    folder.write("jobs.toml", &("[run]\nisolate = true\n".to_owned() + &jobs));
    let reason = "lost while libharm.so was asked what it brings: plugin harm: it called exit";
    let check = run(&folder, "entry exit", &["--check", "--open"]);
    assert_eq!(check.code, Some(2), "{}", check.stderr);
    assert!(
        check.stderr.contains(&format!("error: bad: {reason}"))
            && check.stdout == "jobs.toml: 1 of 2 jobs cannot be run on their data\n",
        "{}{}",
        check.stdout,
        check.stderr
    );
    let list = run(&folder, "entry exit", &["--list", "--open"]);
    assert!(
        list.stdout.contains(reason) && list.stdout.ends_with("2 jobs, 1 to do, 1 unknown\n"),
        "{}",
        list.stdout
    );
}

#[test]
fn the_time_limit_of_a_run_holds_while_it_is_planned() {
    let Some(folder) = folder() else { return };
    folder.write("jobs.toml", &harm("bad", "method = 'harm-score'"));
    let ran = run(&folder, "entry loop", &["--time-limit", "200ms"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = "plugin harm: a call of it did not return within 0.3 s after its time was over";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn what_a_lost_job_had_saved_is_kept() {
    let Some(folder) = folder() else { return };
    let more = "criterion = 'harm-price'\niterations = 100000000";
    folder.write("jobs.toml", &harm("long", more));
    let first = run(&folder, "", &["--time-limit", "500ms"]);
    assert_eq!(first.code, Some(130), "{}", first.stderr);
    let saved = || {
        fs::read_dir(folder.path("jobs-results/.work"))
            .unwrap()
            .count()
    };
    assert_eq!(saved(), 1);
    let lost = run(&folder, "entry abort", &[]);
    assert_eq!(lost.code, Some(1), "{}", lost.stderr);
    assert_eq!(saved(), 1);
}

#[test]
fn a_look_that_loads_no_plugin_tells_what_it_takes_a_name_for() {
    let Some(folder) = folder() else { return };
    let jobs = harm("own", "method = 'jmi'")
        + &harm("again", "method = 'jmi'\ntop = 2")
        // What ships has no such value; the library might.
        + &harm("value", "method = 'mifs:beta=-1'")
        + &job("plain", "method = 'mifs'");
    folder.write("jobs.toml", &jobs);
    let told = "warning: method `jmi` is taken for that of plugin information; a library that jobs name was not loaded";
    for (look, code, counted) in [
        ("--check", 0, "no mistakes, 4 jobs\n1 of them ask"),
        ("--list", 0, "4 jobs, 3 to do, 1 unknown\n"),
    ] {
        let ran = ran(folder.passel(&["run", "jobs.toml", look]));
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        assert!(ran.stdout.contains(counted), "{}", ran.stdout);
        assert_eq!(ran.stderr.matches(told).count(), 1, "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        let opened = self::ran(folder.passel(&["run", "jobs.toml", look, "--open"]));
        assert_eq!(opened.code, Some(2), "{}", opened.stdout);
        assert!(!opened.stderr.contains("is taken for"), "{}", opened.stderr);
    }
    // Who asks how a run stands looks at no names.
    let status = ran(folder.passel(&["status", "jobs.toml"]));
    assert!(!status.stderr.contains("is taken for"), "{}", status.stderr);
}

#[test]
fn who_is_asked_does_not_outlive_the_run() {
    for (signal, code) in [("INT", "130"), ("KILL", "137")] {
        let Some(folder) = folder() else { return };
        folder.write("jobs.toml", &harm("bad", "method = 'harm-score'"));
        let script = format!(
            "\"$passel\" run jobs.toml --isolate & id=$!; \
             while child=$(cat /proc/$id/task/*/children 2>/dev/null); [ -z \"$child\" ]; do sleep 0.02; done; \
             sleep 0.3; kill -{signal} $id; wait $id; echo $? $child"
        );
        let mut command = folder.shell(&script);
        command.env("HARM", "entry loop");
        let ran = ran(command);
        let (ended, child) = ran.stdout.trim().split_once(' ').expect(&ran.stderr);
        assert_eq!(ended, code, "{}", ran.stderr);
        assert!(!lives_on(child.trim()), "{signal}: {}", ran.stderr);
    }
}
