//! `--checkpoint`: a search that was stopped by whatever it may be goes on, and its report
//! does not show it.

use std::fs;

use crate::support::{Folder, Ran, finish, kill, send, start, wait_until};
use serde_json::Value;

const SELECT: [&str; 6] = ["select", "data.csv", "--response", "y", "--format", "json"];
const KEEP: [&str; 2] = ["--checkpoint", "ck.json"];

fn select<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SELECT[..], more].concat()
}

/// A report without what one run has alone.
fn report(text: &str) -> String {
    let mut json: Value = serde_json::from_str(text).unwrap();
    json["elapsed_seconds"] = Value::Null;
    json["method"]["time_limit"] = Value::Null;
    json.to_string()
}

/// Neighbours that are taken for one another, so that the polish has work too.
fn simulated(rows: &str) -> Folder {
    let folder = Folder::new();
    std::fs::remove_file(folder.path("data.csv")).unwrap();
    let ran = folder.run(&[
        "simulate", "ar1", "--n", rows, "--p", "300", "--r", "20", "--output", "data.csv",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    folder
}

fn refused(folder: &Folder, more: &[&str]) -> String {
    let ran = folder.run(&select(&[&KEEP[..], more].concat()));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    ran.stderr
}

#[test]
fn where_nothing_stops_it_nothing_shows_and_nothing_stays() {
    let folder = Folder::new();
    let plain = folder.run(&SELECT);
    let kept = folder.run(&select(&KEEP));
    assert_eq!((kept.code, kept.stderr.as_str()), (Some(0), ""));
    assert_eq!(report(&kept.stdout), report(&plain.stdout));
    let to_file = folder.run(&select(&[&KEEP[..], &["--output", "o.json"]].concat()));
    assert_eq!(to_file.code, Some(0));
    assert_eq!(report(&folder.read("o.json")), report(&plain.stdout));
    assert_eq!(folder.names(), ["data.csv", "o.json"]);
}

/// A search of this seed and the report of one that nothing stopped. The search is so long that
/// `stopped`, which runs it in parts, returns the report of the last; `None` if it was too short.
fn ends_as_one_search(seed: &str, stopped: impl Fn(&Folder, &[&str]) -> Option<Ran>) {
    let folder = simulated("100");
    for doubling in 0..16 {
        let iterations = (1_000 << doubling).to_string();
        let settings = [
            "--iterations",
            &iterations,
            "--criterion",
            "bic",
            "--seed",
            seed,
        ];
        let kept = select(&[&KEEP[..], &settings].concat());
        let Some(last) = stopped(&folder, &kept) else {
            continue;
        };
        assert_eq!((last.code, last.stderr.as_str()), (Some(0), ""));
        let whole = folder.run(&select(&settings));
        assert_eq!(whole.code, Some(0), "{}", whole.stderr);
        assert_eq!(report(&last.stdout), report(&whole.stdout));
        // A kill may leave what was half written, under a hidden name.
        let names = folder.names();
        let shown = names.iter().filter(|name| !name.starts_with(".passel-"));
        assert_eq!(shown.collect::<Vec<_>>(), ["data.csv"]);
        return;
    }
    panic!("no search was long enough to be stopped");
}

#[test]
fn limit_after_limit_ends_as_one_search() {
    ends_as_one_search("1", |folder, kept| {
        for part in 0..20 {
            let limit = ["--time-limit", ["200ms", "350ms"][part % 2]];
            let threads = ["--threads", ["1", "2"][part % 2]];
            let ran = folder.run(&[kept, &limit, &threads].concat());
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
            let json: Value = serde_json::from_str(&ran.stdout).unwrap();
            if json["termination"] == "iterations" {
                return (part > 0).then_some(ran);
            }
            assert!(folder.path("ck.json").is_file());
        }
        Some(folder.run(kept))
    });
}

#[test]
fn killed_again_and_again_it_ends_as_one_search() {
    ends_as_one_search("5", |folder, kept| {
        let state = || fs::read(folder.path("ck.json")).ok();
        for kills in 0..6 {
            let before = state();
            let mut child = start(folder.passel(kept));
            if !wait_until(&mut child, || {
                state().is_some_and(|now| Some(now) != before)
            }) {
                return (kills > 0).then(|| finish(child));
            }
            kill(child);
        }
        Some(folder.run(kept))
    });
}

/// The page draws the course of the search, which its checkpoint therefore has too.
#[test]
fn the_page_of_a_job_killed_again_and_again_has_every_step() {
    let folder = simulated("100");
    let checkpoints = || -> Option<Vec<Vec<u8>>> {
        let files = fs::read_dir(folder.path("jobs-results/.work")).ok()?;
        let paths = files.map(|file| file.unwrap().path());
        let whole = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
        let texts: Vec<_> = whole.filter_map(|path| fs::read(path).ok()).collect();
        (!texts.is_empty()).then_some(texts)
    };
    for doubling in 0..16 {
        let iterations = 1_000 << doubling;
        let job = "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\ncriterion = \"bic\"\n\
                   format = \"html\"\noutput = \"page.html\"\n";
        folder.write("jobs.toml", &format!("{job}iterations = {iterations}\n"));
        let mut kills = 0;
        while kills < 3 {
            let before = checkpoints();
            let mut child = start(folder.passel(&["run", "jobs.toml"]));
            let is_kept = || checkpoints().is_some_and(|now| Some(now) != before);
            if !wait_until(&mut child, is_kept) {
                break;
            }
            kill(child);
            kills += 1;
        }
        let resumed = folder.run(&["run", "jobs.toml"]);
        assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
        let page = folder.read("page.html");
        fs::remove_dir_all(folder.path("jobs-results")).unwrap();
        fs::remove_file(folder.path("page.html")).unwrap();
        if kills == 0 {
            continue;
        }
        let whole = folder.run(&["run", "jobs.toml"]);
        assert_eq!(whole.code, Some(0), "{}", whole.stderr);
        assert!(folder.read("page.html") == page);
        assert!(!page.contains("went on from a checkpoint"));
        return;
    }
    panic!("no search was long enough to be killed");
}

#[test]
fn a_damaged_course_of_a_search_is_a_damaged_checkpoint() {
    let folder = simulated("100");
    let select = [
        "select",
        "data.csv",
        "--response",
        "y",
        "--format",
        "html",
        "--iterations",
        "1000000000",
    ];
    let cut = [&select[..], &KEEP, &["--time-limit", "300ms"]].concat();
    let ran = folder.run(&cut);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let kept = folder.read("ck.json");
    let [state, drawn] = kept.lines().collect::<Vec<_>>()[..] else {
        panic!("{kept}");
    };
    for damaged in [
        drawn.replacen("\"stride\":", "\"stride\":1", 1),
        drawn[1..].to_owned(),
    ] {
        folder.write("ck.json", &format!("{state}\n{damaged}\n"));
        let ran = folder.run(&cut);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("ck.json is damaged"), "{}", ran.stderr);
    }
    // Of a search that no page was to draw it has the state alone, and a page says what it lacks.
    folder.write("ck.json", &format!("{state}\n"));
    let ran = folder.run(&cut);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("went on from a checkpoint"));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_state_and_the_same_command_goes_on() {
    let folder = Folder::new();
    let settings = ["--iterations", "1000000000", "--particles", "3"];
    let state = || fs::read(folder.path("ck.json")).ok();
    let interrupted = || -> Ran {
        let before = state();
        let mut child = start(folder.passel(&select(&[&KEEP[..], &settings].concat())));
        assert!(wait_until(&mut child, || state()
            .is_some_and(|now| Some(now) != before)));
        send(&child, "INT");
        finish(child)
    };
    let mut before = 0;
    for _ in 0..3 {
        let ran = interrupted();
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        assert_eq!(
            ran.stderr,
            "interrupted: this is the best so far; the same command continues from ck.json\n"
        );
        let json: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(json["termination"], "interrupted");
        let iterations = json["iterations"].as_u64().unwrap();
        // It went on from where it was, but for the iterations since a canonical one.
        assert!(iterations + 64 > before, "{iterations} after {before}");
        before = iterations;
        assert!(folder.path("ck.json").is_file());
    }
    let told = refused(&folder, &[&settings[..], &["--seed", "2"]].concat());
    assert_eq!(
        told,
        "error: the checkpoint ck.json is of another search: seed 1, this one has 2; \
         name another file or delete it\n"
    );
    let kept = folder.read("ck.json");
    folder.write("ck.json", &kept[..kept.len() / 2]);
    assert_eq!(
        refused(&folder, &settings),
        "error: the checkpoint ck.json is damaged; name another file or delete it\n"
    );
}

#[test]
fn a_file_that_is_not_a_checkpoint_is_refused_and_left_alone() {
    let folder = Folder::new();
    for text in ["", "notes\n", "{\"a\": 1}\n"] {
        folder.write("ck.json", text);
        assert_eq!(
            refused(&folder, &[]),
            "error: the checkpoint ck.json is no checkpoint of a search; \
             name another file or delete it\n"
        );
        assert_eq!(folder.read("ck.json"), text);
    }
    fs::write(folder.path("ck.json"), [0xff, 0xfe, 0]).unwrap();
    assert!(refused(&folder, &[]).contains("is no checkpoint of a search"));
    let report = folder.run(&SELECT).stdout;
    folder.write("ck.json", &report);
    assert!(refused(&folder, &[]).contains("is no checkpoint of a search"));
    fs::remove_file(folder.path("ck.json")).unwrap();
    fs::create_dir(folder.path("ck.json")).unwrap();
    assert_eq!(
        refused(&folder, &[]),
        "error: cannot write ck.json: it is a folder; name a file in it\n"
    );
    #[cfg(unix)]
    {
        let ran = folder.run(&select(&["--checkpoint", "/dev/zero"]));
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.stderr.contains("/dev/zero is no checkpoint"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn unwritable_checkpoints_and_conflicting_options_are_refused_before_any_work() {
    let folder = Folder::new();
    let refused = |more: &[&str]| {
        // So long a search would never end.
        let endless = ["--iterations", "1000000000"];
        let ran = folder.run(&[&SELECT[..], &endless, more].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        ran.stderr
    };
    assert_eq!(
        refused(&["--checkpoint", "no/ck.json"]),
        "error: cannot write no/ck.json: there is no folder no; make it first\n"
    );
    assert_eq!(
        refused(&["--checkpoint", "ck.json", "--trace", "t.csv"]),
        "error: checkpoint and trace exclude each other: a search that continues has not kept \
         the steps before its checkpoint; leave one of them out\n"
    );
    assert_eq!(
        refused(&["--checkpoint", "o.json", "--output", "o.json"]),
        "error: output and checkpoint are the same file, o.json\n"
    );
    assert_eq!(
        refused(&["--checkpoint", "data.csv"]),
        "error: checkpoint and the data are the same file, data.csv\n"
    );
    let ran = folder.run(&select(&["--checkpoint", "ck.json", "--method", "jmi"]));
    assert_eq!(ran.code, Some(2));
    let told = "checkpoint has no effect with the method jmi; it is for the method pass, and for selectors with stop = permutation";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    assert_eq!(folder.names(), ["data.csv"]);
}
