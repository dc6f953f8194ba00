//! Selectors that heed the wish to end, and such as do not.

#![cfg(unix)]

use std::fmt::Write;

use serde_json::Value;

use super::{
    c_runs,
    program::{Folder, Ran, ran},
};

const LEVELS: &str = "OVER=PASSEL_OVER_LEVELS";
const REGRESSION: &str = "OVER=PASSEL_OVER_REGRESSION";

/// Chooses two variables and never ends. Files say that it has chosen, and that it has been asked to
/// end.
const DEAF: &str = "BODY=problem->choose(problem,1,2.0);problem->choose(problem,0,1.0);\
                    fclose(fopen(\"chosen\",\"w\"));while(!problem->interrupted(problem));\
                    fclose(fopen(\"asked\",\"w\"));for(;;)pause()";

/// Chooses two variables, says so by a file, and ends when it is asked to.
const HEEDS: &str = "BODY=problem->choose(problem,1,2.0);problem->choose(problem,0,1.0);\
                     fclose(fopen(\"chosen\",\"w\"));while(!problem->interrupted(problem))";

const CHOSEN: &str = "while [ ! -e chosen ]; do sleep 0.02; done; ";

/// Two signals are one unless the first has been handled before the second comes.
const ASKED: &str = "while [ ! -e asked ]; do sleep 0.02; done; ";

/// `$select` starts the method compiled so; none where there is no compiler.
fn folder(defined: &[&str]) -> Option<(Folder, String)> {
    let folder = Folder::new();
    c_runs(&folder.path(""), defined)?;
    let select = "\"$passel\" select data.csv --response y --method c-run --format json \
                  --plugins libruns.so";
    Some((folder, select.to_owned()))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn whole(folder: &Folder, report: &str, ran: &Ran) {
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    let told = "interrupted: this is the best so far\n";
    assert!(ran.stderr.ends_with(told), "{}", ran.stderr);
    let report = json(report);
    assert_eq!(report["termination"], "interrupted");
    assert_eq!(report["k"], 2);
    let mut names = folder.names();
    names.retain(|name| name.contains("tmp"));
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn one_that_does_not_heed_is_left_behind_at_the_second() {
    for over in [LEVELS, REGRESSION] {
        for signal in ["INT", "TERM"] {
            let Some((folder, select)) = folder(&[over, DEAF]) else {
                return;
            };
            let script = format!(
                "{select} > out & id=$!; {CHOSEN} kill -{signal} $id; {ASKED} \
                 sleep 0.4; kill -0 $id && echo waits; kill -{signal} $id; wait $id"
            );
            let ran = ran(folder.shell(&script));
            assert_eq!(ran.stdout, "waits\n", "{}", ran.stderr);
            whole(&folder, &folder.read("out"), &ran);
            assert!(was_left(&json(&folder.read("out"))));
        }
    }
}

/// Whether a report says so.
fn was_left(report: &Value) -> bool {
    let warnings = report["warnings"].as_array().unwrap();
    let said = |warning: &Value| warning.as_str().unwrap().contains("was left behind");
    warnings.iter().any(said)
}

#[test]
fn one_that_heeds_nothing_is_left_behind_after_a_while() {
    let Some((folder, select)) = folder(&[REGRESSION, DEAF]) else {
        return;
    };
    // Both wait ten seconds, together: after its time limit, and after one signal alone.
    let script = format!(
        "{select} > out & id=$!; {CHOSEN} rm chosen; {select} --time-limit 100ms > late & late=$!; \
         {CHOSEN} kill -TERM $id; wait $late; echo $?; wait $id"
    );
    let ran = ran(folder.shell(&script));
    assert_eq!(ran.stdout, "0\n", "{}", ran.stderr);
    whole(&folder, &folder.read("out"), &ran);
    let late = json(&folder.read("late"));
    assert_eq!(
        (&late["termination"], &late["k"]),
        (&"time-limit".into(), &2.into())
    );
    assert!(was_left(&late) && was_left(&json(&folder.read("out"))));
}

#[test]
fn what_is_left_behind_is_in_the_output_too() {
    let Some((folder, select)) = folder(&[REGRESSION, DEAF]) else {
        return;
    };
    let script = format!(
        "{select} --output o.json & id=$!; {CHOSEN} kill -INT $id; {ASKED} kill -INT $id; \
         wait $id"
    );
    let ran = ran(folder.shell(&script));
    assert_eq!(ran.stdout, "");
    whole(&folder, &folder.read("o.json"), &ran);
    let report = json(&folder.read("o.json"));
    // Told though it never returned.
    assert_eq!(report["devices"][0], "cpu");
}

#[test]
fn one_that_heeds_ends_at_the_first() {
    for over in [LEVELS, REGRESSION] {
        let Some((folder, select)) = folder(&[over, HEEDS]) else {
            return;
        };
        let script = format!("{select} > out & id=$!; {CHOSEN} kill -INT $id; wait $id");
        let ran = ran(folder.shell(&script));
        whole(&folder, &folder.read("out"), &ran);
        assert!(!was_left(&json(&folder.read("out"))));
    }
}

#[test]
fn the_time_limit_ends_one_that_heeds() {
    for over in [LEVELS, REGRESSION] {
        let Some((folder, select)) = folder(&[over, HEEDS]) else {
            return;
        };
        let ran = ran(folder.shell(&format!("{select} --time-limit 500ms")));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert_eq!(json(&ran.stdout)["termination"], "time-limit");
        assert_eq!(json(&ran.stdout)["k"], 2);
    }
}

#[test]
fn jobs_behind_one_that_was_left_are_not_started() {
    let twice = format!("{ASKED} kill -INT $id; ");
    for (defined, second) in [(DEAF, &*twice), (HEEDS, "")] {
        let Some((folder, _)) = folder(&[REGRESSION, defined]) else {
            return;
        };
        let job = "[[job]]\ndata = 'data.csv'\nresponse = 'y'\nmethod = 'c-run'\n\
                   plugins = ['libruns.so']\nformat = 'json'\noutput = ";
        folder.write(
            "jobs.toml",
            &format!("[run]\njobs = 1\n{job}'one'\n{job}'two'\n{job}'three'\n"),
        );
        let script =
            format!("\"$passel\" run jobs.toml & id=$!; {CHOSEN} kill -INT $id; {second} wait $id");
        let ran = ran(folder.shell(&script));
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        let told = "0 of 3 jobs done, 3 left for the next run\n";
        assert!(ran.stdout.starts_with(told), "{}", ran.stdout);
        // What was cut is no result.
        for name in ["one", "two", "jobs-results/data.json"] {
            assert!(!folder.path(name).exists(), "{name}");
        }
    }
}

/// A report longer than a pipe has room for, and a reader that waits: the program hangs where
/// it writes.
fn writing(last: &str) -> Option<(Folder, Ran)> {
    let all = "BODY=for(size_t i=0;i<problem->p;i++)problem->choose(problem,i,1.0);\
               fclose(fopen(\"chosen\",\"w\"));while(!problem->interrupted(problem))";
    let (folder, select) = folder(&[LEVELS, all])?;
    let mut text = String::from("y");
    for column in 0..1000 {
        write!(text, ",a_variable_of_a_long_name_{column}").unwrap();
    }
    for row in 0..4 {
        write!(text, "\n{row}{}", format!(",{row}").repeat(1000)).unwrap();
    }
    folder.write("data.csv", &(text + "\n"));
    let script = format!(
        "mkfifo pipe; {select} --top 1000 > pipe & id=$!; exec 3< pipe; {CHOSEN} \
         kill -INT $id; sleep 1; kill -INT $id; sleep 0.3; kill -0 $id && echo waits; {last}"
    );
    let ran = ran(folder.shell(&script));
    Some((folder, ran))
}

#[test]
fn the_second_does_not_lose_a_report_that_is_being_told() {
    let Some((folder, ran)) = writing("cat <&3 > out; wait $id") else {
        return;
    };
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(130), "waits\n"));
    assert_eq!(json(&folder.read("out"))["k"], 1000);
}

#[test]
fn the_third_ends_at_once() {
    let Some((folder, ran)) =
        writing("kill -INT $id; wait $id; code=$?; cat <&3 > out; exit $code")
    else {
        return;
    };
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(130), "waits\n"));
    let cut: Result<Value, _> = serde_json::from_str(&folder.read("out"));
    assert!(cut.is_err());
}
