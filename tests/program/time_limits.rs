//! `--time-limit` ends the work of every kind of job: what was found until then is the result.

use serde_json::Value;

use crate::support::{Folder, Ran};

/// Columns of codes of which none tells anything of the response.
fn codes(folder: &Folder, name: &str, rows: usize, columns: usize) {
    let mut state = 9_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) % 3
    };
    let mut text = String::from("y");
    for column in 0..columns {
        text += &format!(",x{column}");
    }
    for _ in 0..rows {
        text += &format!("\n{}", draw());
        for _ in 0..columns {
            text += &format!(",{}", draw());
        }
    }
    folder.write(name, &(text + "\n"));
}

fn report(ran: &Ran) -> Value {
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&ran.stdout).unwrap()
}

/// The command with what all here have in common.
fn limited(folder: &Folder, command: &str, limit: &str, more: &str) -> Ran {
    let all = format!("{command} c.csv --response y --format json --time-limit {limit} {more}");
    folder.run(&all.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn permutations_by_either_rule_end_at_the_limit() {
    let folder = Folder::new();
    codes(&folder, "c.csv", 200, 20);
    for rule in ["permutation:n=1000000", "permutation:raw,n=1000000"] {
        for method in ["mim", "jmi"] {
            let more = format!("--method {method} --stop {rule} --threads 2");
            let told = report(&limited(&folder, "select", "200ms", &more));
            assert_eq!(told["termination"], "time-limit", "{more}");
            assert_eq!(told["k"], 0, "the test of the first was not complete");
        }
    }
    // A limit that is not met changes nothing.
    let more = "--method jmi --top 3";
    let mut told = report(&limited(&folder, "select", "1h", more));
    let plain = "select c.csv --response y --format json --method jmi --top 3";
    let mut plain = report(&folder.run(&plain.split_whitespace().collect::<Vec<_>>()));
    for report in [&mut told, &mut plain] {
        report["elapsed_seconds"] = Value::Null;
    }
    assert_eq!(told, plain);
}

#[test]
fn pairs_say_what_part_was_scored() {
    let folder = Folder::new();
    codes(&folder, "c.csv", 400, 600);
    let told = report(&limited(&folder, "pairs", "1ms", "--matrix m.npy"));
    assert_eq!(told["termination"], "time-limit");
    let share = told["scored"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&share), "{share}");
    let warnings = told["warnings"].to_string();
    let part = format!("about {:.0} % of all pairs were scored", 100.0 * share);
    assert!(warnings.contains(&part), "{warnings}");
    // No matrix that lacks something.
    assert!(warnings.contains("the matrix was not written"));
    assert!(!folder.path("m.npy").exists());
    let text = "pairs c.csv --response y --time-limit 1ms";
    let text = folder.run(&text.split_whitespace().collect::<Vec<_>>());
    assert!(
        text.stdout.contains("time limit: about "),
        "{}",
        text.stdout
    );
    let whole = report(&limited(&folder, "pairs", "1h", "--top 3"));
    assert_eq!(
        (&whole["termination"], &whole["scored"]),
        (&"top".into(), &Value::Null)
    );
}

#[test]
fn resamples_share_one_limit() {
    let folder = Folder::new();
    codes(&folder, "c.csv", 100, 10);
    for method in ["pass", "jmi --top 2"] {
        let more = format!("--method {method} --resamples 100000");
        // However slow the machine is, some limit lets it complete a few.
        let limits = (1..12).map(|doubling| format!("{}s", 1 << doubling));
        let mut tried = limits.map(|limit| limited(&folder, "stability", &limit, &more));
        let told = report(&tried.find(|ran| ran.code == Some(0)).unwrap());
        assert_eq!(told["termination"], "time-limit");
        let done = told["resamples"].as_u64().unwrap();
        assert!(done > 0 && done < 200_000, "{done}");
        let told = limited(&folder, "stability", "1ms", &more);
        assert_eq!(told.code, Some(1), "{}", told.stdout);
        assert!(
            told.stderr.contains("before the first resample"),
            "{}",
            told.stderr
        );
    }
}

#[test]
fn a_job_at_its_timeout_fails_and_the_run_goes_on() {
    let folder = Folder::new();
    codes(&folder, "c.csv", 200, 20);
    let long = [
        ("perms", "method = 'jmi'\nstop = 'permutation:n=1000000'"),
        ("raw", "method = 'jmi'\nstop = 'permutation:raw,n=1000000'"),
        ("search", "iterations = 1000000000"),
        ("stable", "command = 'stability'\nresamples = 100000"),
    ];
    let mut jobs = String::from("[defaults]\nresponse = 'y'\n");
    for (name, options) in long {
        jobs +=
            &format!("[[job]]\ndata = 'c.csv'\nname = '{name}'\ntimeout = '400ms'\n{options}\n");
    }
    jobs += "[[job]]\ndata = 'c.csv'\nname = 'short'\nmethod = 'mim'\ntimeout = '1h'\n";
    folder.write("jobs.toml", &jobs);
    let ran = folder.run(&["run", "jobs.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    for (name, _) in long {
        let told = format!("error: {name}: it did not end within its timeout of 400ms");
        assert!(ran.stderr.contains(&told), "{}", ran.stderr);
        assert!(!folder.path(&format!("jobs-results/{name}.json")).exists());
    }
    assert!(folder.path("jobs-results/short.json").exists());
    // A timeout shapes no result: with another the job is still done.
    folder.write("jobs.toml", &jobs.replace("'1h'", "'2h'"));
    let ran = folder.run(&["run", "jobs.toml", "--only", "short"]);
    assert!(ran.stdout.contains("1 of them before"), "{}", ran.stdout);
}

#[test]
fn a_timeout_on_the_command_line_is_a_failure_with_the_best_so_far() {
    let folder = Folder::new();
    let endless = "select data.csv --response y --format json --iterations 1000000000";
    let all = format!("{endless} --timeout 500ms --time-limit 1h");
    let ran = folder.run(&all.split_whitespace().collect::<Vec<_>>());
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = "error: it did not end within its timeout of 500ms: this is the best so far\n";
    assert_eq!(ran.stderr, told);
    assert!(
        ran.stdout.contains("\"termination\": \"interrupted\""),
        "{}",
        ran.stdout
    );
    // The earlier of both counts.
    let all = format!("{endless} --timeout 1h --time-limit 500ms");
    let told = report(&folder.run(&all.split_whitespace().collect::<Vec<_>>()));
    assert_eq!(told["termination"], "time-limit");
}

#[test]
fn simulated_data_that_take_longer_than_the_timeout_are_not_written() {
    let folder = Folder::new();
    let simulate = "simulate ing-lai --n 20000 --p 4000 --output made.csv --timeout 1ms";
    let ran = folder.run(&simulate.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let told = "error: it did not end within its timeout of 1ms: nothing was written\n";
    assert_eq!(ran.stderr, told);
    assert_eq!(folder.names(), ["data.csv"]);
}

/// A report without what is of one run alone.
fn lasting(ran: &Ran) -> Value {
    let mut told = report(ran);
    told["elapsed_seconds"] = Value::Null;
    told
}

#[test]
fn limit_after_limit_permutations_and_pairs_end_as_if_there_were_none() {
    let folder = Folder::new();
    codes(&folder, "c.csv", 200, 100);
    let raw = "select c.csv --method jmi --top 3 --stop permutation:raw,n=49,alpha=0.99";
    let pairs = "pairs c.csv --top 20 --partners";
    for command in [raw, pairs] {
        let all = format!("{command} --response y --format json --threads 2");
        let run = |more: &str| {
            let all = format!("{all} {more}");
            folder.run(&all.split_whitespace().collect::<Vec<_>>())
        };
        let whole = lasting(&run(""));
        // Ever longer, so that it ends on a slow machine too.
        let last = (0..40).find_map(|part: u32| {
            let limit = 100 << (part / 4);
            let ran = run(&format!("--checkpoint ck.json --time-limit {limit}ms"));
            let told = lasting(&ran);
            let is_cut = told["termination"] == "time-limit";
            (!is_cut).then_some((part, told))
        });
        let (parts, last) = last.unwrap();
        assert_eq!(last, whole, "{command}: {parts} parts");
        assert!(!folder.path("ck.json").exists());
    }
    let ran = folder.run(&[
        "pairs",
        "c.csv",
        "--response",
        "y",
        "--matrix",
        "m.npy",
        "--checkpoint",
        "ck.json",
    ]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("checkpoint and matrix exclude each other"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_job_that_timed_out_goes_on_in_the_next_run() {
    let folder = Folder::new();
    codes(&folder, "c.csv", 200, 60);
    let job = "[[job]]\nname = 'a'\ndata = 'c.csv'\nresponse = 'y'\nmethod = 'jmi'\n\
               stop = 'permutation:raw,n=199,alpha=0.99'\ntop = 2\n";
    let run = |timeout: &str, output: &str| {
        folder.write("jobs.toml", &format!("{job}{timeout}"));
        folder.run(&["run", "jobs.toml", "--output", output])
    };
    assert_eq!(run("", "whole").code, Some(0));
    for part in 0..40 {
        let ran = run(&format!("timeout = '{}ms'\n", 150 << (part / 4)), "parts");
        if ran.code == Some(0) {
            break;
        }
        assert!(ran.stderr.contains("within its timeout"), "{}", ran.stderr);
    }
    let result = |output: &str| folder.read(&format!("{output}/a.json"));
    assert_eq!(result("parts"), result("whole"));
}
