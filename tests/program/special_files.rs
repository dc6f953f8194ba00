//! What is no regular file in the place of one: pipes that nobody opens at the other end, devices without an
//! end, links in circles, and what a shell let lead to standard input. None is waited for, none fills the
//! memory, and none lets an input be written over.

use std::{
    fs::{self, File, OpenOptions},
    io::Read,
    os::unix::fs::symlink,
    process::Stdio,
};

use crate::{
    interrupts::make_pipe,
    support::{Folder, finish, ran, start},
};

const JOBS: &str =
    "[[job]]\nname = \"one\"\ndata = \"data.csv\"\nresponse = \"y\"\niterations = 5\n";

#[test]
fn what_is_read_from_standard_input_is_an_input() {
    let folder = Folder::new();
    let data = folder.read("data.csv");
    for output in ["data.csv", "/dev/stdin"] {
        let mut command = folder.passel(&["select", "-", "--response", "y", "--overwrite"]);
        command.args(["--output", output]);
        command.stdin(Stdio::from(File::open(folder.path("data.csv")).unwrap()));
        let ran = finish(start(command));
        assert_eq!(ran.code, Some(2), "{output}: {}", ran.stderr);
        assert!(ran.stderr.contains("the same file"), "{}", ran.stderr);
        assert_eq!(folder.read("data.csv"), data);
    }
}

#[test]
fn a_plugin_that_is_found_without_being_named_is_an_input() {
    let folder = Folder::new();
    fs::create_dir(folder.path("plugins")).unwrap();
    folder.write("plugins/libmine.so", "a library");
    for option in ["--output", "--trace"] {
        let mut command = folder.passel(&["select", "data.csv", "--response", "y", "--overwrite"]);
        command.args([option, "plugins/libmine.so"]);
        command.env("PASSEL_PLUGIN_PATH", folder.path("plugins"));
        let ran = ran(command);
        assert_eq!(ran.code, Some(2), "{option}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("a plugin are the same file"),
            "{}",
            ran.stderr
        );
        assert_eq!(folder.read("plugins/libmine.so"), "a library");
    }
}

#[test]
fn a_result_that_is_no_file_fails_its_job() {
    for device in ["/dev/null", "/dev/zero"] {
        let folder = Folder::new();
        folder.write("jobs.toml", JOBS);
        assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
        fs::remove_file(folder.path("jobs-results/one.json")).unwrap();
        symlink(device, folder.path("jobs-results/one.json")).unwrap();
        let run = folder.run(&["run", "jobs.toml"]);
        assert_eq!(run.code, Some(1), "{device}: {}", run.stderr);
        assert!(
            run.stderr.contains("no regular file; remove it"),
            "{}",
            run.stderr
        );
        let table = folder.read("jobs-results/jobs.csv");
        assert!(table.contains("failed"), "{table}");
        fs::remove_file(folder.path("jobs-results/one.json")).unwrap();
        assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
    }
}

#[test]
fn pipes_in_the_place_of_own_files_are_not_waited_for() {
    for (name, codes) in [
        ("times.csv", [2, 0]),
        ("jobs.csv", [2, 0]),
        ("one.json", [1, 0]),
        (".status", [0, 2]),
        (".lock", [0, 0]),
    ] {
        let folder = Folder::new();
        folder.write("jobs.toml", JOBS);
        assert_eq!(folder.run(&["run", "jobs.toml"]).code, Some(0));
        let path = format!("jobs-results/{name}");
        fs::remove_file(folder.path(&path)).unwrap();
        make_pipe(&folder, &path);
        let commands = [&["run", "jobs.toml"][..], &["status", "jobs-results"]];
        for (command, code) in commands.into_iter().zip(codes) {
            let ran = folder.run(command);
            assert_eq!(ran.code, Some(code), "{name} {command:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_pipe_that_nobody_reads_is_no_output() {
    let folder = Folder::new();
    make_pipe(&folder, "pipe");
    make_pipe(&folder, "pipe.csv");
    folder.write("jobs.toml", &format!("{JOBS}output = \"pipe\"\n"));
    for (command, code) in [
        ("select data.csv --response y --output pipe", 2),
        ("simulate chen-chen --output pipe.csv", 2),
        // The pipe is of one job of a run.
        ("run jobs.toml", 1),
    ] {
        let ran = folder.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(code), "{command}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("nobody reads this pipe"),
            "{command}: {}",
            ran.stderr
        );
    }
    // One that is read is an output like any other.
    let mut reader = OpenOptions::new();
    let mut reader = reader
        .read(true)
        .write(true)
        .open(folder.path("pipe"))
        .unwrap();
    let ran = folder.run(&["select", "data.csv", "--response", "y", "--output", "pipe"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut report = vec![0; 1 << 16];
    let length = reader.read(&mut report).unwrap();
    let report = String::from_utf8_lossy(&report[..length]);
    assert!(report.contains("criterion"), "{report}");
}

#[test]
fn links_in_circles_make_no_jobs() {
    let folder = Folder::new();
    fs::create_dir(folder.path("a")).unwrap();
    for (to, link) in [("..", "a/up"), (".", "a/here"), (".", "a/again")] {
        symlink(to, folder.path(link)).unwrap();
    }
    fs::copy(folder.path("data.csv"), folder.path("a/b.csv")).unwrap();
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"**/*.csv\"\nresponse = \"y\"\n",
    );
    let list = folder.run(&["run", "jobs.toml", "--check"]);
    assert_eq!(list.code, Some(0), "{}", list.stderr);
    assert!(list.stdout.contains("2 jobs"), "{}", list.stdout);
    // A link that a pattern meets otherwise is followed, and one that leads nowhere is no folder.
    folder.write(
        "jobs.toml",
        "[[job]]\ndata = \"a/h*/*.csv\"\nresponse = \"y\"\n",
    );
    assert!(
        folder
            .run(&["run", "jobs.toml", "--check"])
            .stdout
            .contains("1 job")
    );
    symlink("nowhere", folder.path("out")).unwrap();
    let ran = folder.run(&["run", "jobs.toml", "--output", "out"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("a link that leads nowhere"),
        "{}",
        ran.stderr
    );
}
