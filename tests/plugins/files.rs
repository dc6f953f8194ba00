//! Parameters that are files.

use serde_json::Value;

use super::{
    beside, built,
    program::{Folder, Ran},
};

/// A folder with the plugin; none where there is no compiler.
fn folder(defined: &[&str]) -> Option<Folder> {
    let folder = Folder::new();
    built(&folder.path(""), "tests/plugins/files.c", "files", defined)?;
    Some(folder)
}

const DATA: &str = "a,b,c,y\n0,0,1,0\n1,0,0,1\n0,1,1,0\n1,1,0,1\n0,0,1,1\n1,1,0,1\n";

fn select(folder: &Folder, method: &str, more: &[&str]) -> Ran {
    let arguments = [
        "select",
        "levels.csv",
        "--response",
        "y",
        "--binning",
        "levels",
        "--plugins",
        "libfiles.so",
        "--method",
    ];
    folder.run(&[&arguments[..], &[method], more].concat())
}

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

fn names(report: &Value) -> Vec<&str> {
    let selected = report["selected"].as_array().unwrap().iter();
    selected.map(|own| own["name"].as_str().unwrap()).collect()
}

#[test]
fn a_plugin_reads_the_file_and_the_report_has_its_hash() {
    let Some(folder) = folder(&[]) else { return };
    folder.write("levels.csv", DATA);
    folder.write("order.txt", "2 0\n");
    let report = json(&select(
        &folder,
        "listed:columns=order.txt",
        &["--format", "json"],
    ));
    assert_eq!(names(&report), ["c", "a"]);
    assert_eq!(report["method"]["columns"], "order.txt");

    let own = report["method"]["columns_sha256"].as_str().unwrap();
    assert_eq!(own.len(), 64);
    // Another file has another hash.
    folder.write("other.txt", "1\n");
    let other = json(&select(
        &folder,
        "files/listed:columns=other.txt",
        &["--format", "json"],
    ));
    assert_eq!(names(&other), ["b"]);
    assert_ne!(other["method"]["columns_sha256"], own);
    // Of a declared score, and of stability.
    folder.write("weight.txt", "0.5\n");
    let weighed = |method: &str| {
        json(&select(
            &folder,
            method,
            &["--format", "json", "--top", "2"],
        ))
    };
    let [with, without] = ["weighed:columns=weight.txt", "weighed"].map(weighed);
    assert_eq!(without["method"]["columns"], Value::Null);
    assert_eq!(with["method"]["columns"], "weight.txt");
    assert!(without["method"].get("columns_sha256").is_none());
    assert_ne!(
        with["selected"][1]["score"],
        without["selected"][1]["score"]
    );
}

#[test]
fn a_plugin_in_rust_reads_it() {
    let folder = Folder::new();
    folder.write("levels.csv", DATA);
    folder.write("order.txt", "1 2\n");
    let library = beside("faulty").display().to_string();
    let run = |method: &str| {
        let arguments = [
            "select",
            "levels.csv",
            "--response",
            "y",
            "--format",
            "json",
            "--plugins",
            &library,
            "--method",
            method,
        ];
        folder.run(&arguments)
    };
    assert_eq!(
        names(&json(&run("faulty-file:columns=order.txt"))),
        ["b", "c"]
    );
    let ran = run("faulty-file");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let told = "method `faulty-file` of plugin `faulty`: the file of columns is None";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn a_job_reads_it_from_its_own_folder_and_is_out_of_date_when_it_changes() {
    let Some(folder) = folder(&[]) else { return };
    std::fs::create_dir(folder.path("own")).unwrap();
    folder.write("own/levels.csv", DATA);
    folder.write("own/order.txt", "2 0\n");
    folder.write(
        "own/jobs.toml",
        "[[job]]\nname = \"listed\"\ndata = \"levels.csv\"\nresponse = \"y\"\n\
         binning = \"levels\"\nmethod = \"listed:columns=order.txt\"\nplugins = [\"../libfiles.so\"]\n",
    );
    for isolate in [&[][..], &["--isolate"]] {
        folder.write("own/order.txt", "2 0\n");
        let run = |folder: &Folder| folder.run(&[&["run", "own/jobs.toml"], isolate].concat());
        let result = |folder: &Folder| -> Value {
            serde_json::from_str(&folder.read("own/jobs-results/listed.json")).unwrap()
        };
        let ran = run(&folder);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let first = result(&folder);
        assert_eq!(names(&first["result"]), ["c", "a"]);
        let inputs = first["manifest"]["inputs"].as_array().unwrap();
        let own = inputs
            .iter()
            .find(|own| own["path"] == "order.txt")
            .unwrap();
        assert_eq!(own["sha256"], first["result"]["method"]["columns_sha256"]);
        let again = run(&folder);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        folder.write("own/order.txt", "1 2 0\n");
        let ran = run(&folder);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(
            names(&result(&folder)["result"]),
            ["b", "c", "a"],
            "{isolate:?}"
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_one_error_before_data_are_read() {
    let Some(folder) = folder(&[]) else { return };
    // There are no data.
    for (method, told) in [
        (
            "listed:columns=none.txt",
            "columns = none.txt of method `listed` cannot be read: ",
        ),
        (
            "listed:columns=own",
            "columns = own of method `listed` cannot be read: it is not a file",
        ),
        (
            "listed",
            "method `listed` of plugin `files`: columns is to be given",
        ),
    ] {
        std::fs::create_dir_all(folder.path("own")).unwrap();
        let ran = select(&folder, method, &[]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    // What would be written over.
    folder.write("levels.csv", DATA);
    folder.write("order.txt", "2 0\n");
    let ran = select(
        &folder,
        "listed:columns=order.txt",
        &["--output", "order.txt"],
    );
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(folder.read("order.txt"), "2 0\n");
}

#[test]
fn lists_tell_it_and_what_a_file_cannot_be_is_refused() {
    let Some(own) = folder(&[]) else { return };
    let list = own.run(&["methods", "--plugins", "libfiles.so"]);
    let line = "    parameter  columns, a file: Their numbers\n";
    assert!(list.stdout.contains(line), "{}", list.stdout);
    let checked = own.run(&["plugins", "--check", "libfiles.so"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    for (defined, told) in [
        (
            "LEAST=-1.0",
            "selector 1 (listed), parameter 1: it is a file, whose default, least and most are 0, without choices",
        ),
        (
            "CRITERION",
            "criterion 1 (of-file): its parameter columns is a file, which selectors and pair scores have alone",
        ),
    ] {
        let Some(folder) = folder(&[defined]) else {
            return;
        };
        let ran = folder.run(&["plugins", "--plugins", "libfiles.so"]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}
