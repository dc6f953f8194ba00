//! Ranks that fail, are killed, or are at other work.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command},
    thread::{self, sleep},
    time::{Duration, Instant},
};

use super::{LONGEST, PROGRAM, Ran, ended, example, plain, ran, started, two_folders};

/// The command, which rank 1 does elsewhere.
fn elsewhere(command: &str) -> String {
    format!("[ $OMPI_COMM_WORLD_RANK = 1 ] && cd other; exec \"$passel\" {command}")
}

#[test]
fn a_rank_that_fails_is_named_with_its_machine() {
    let folder = two_folders();
    for command in [
        "select data.csv --response y",
        "select data.csv --response y --over particles",
        "select data.csv --response y --method jmi",
        "pairs data.csv --response y",
    ] {
        let ran = ran(folder.path(), 3, &elsewhere(command));
        assert_eq!(ran.code.map(|code| code > 0), Some(true));
        let told = format!("error: rank 1 on {}: data.csv: no such file", host());
        assert_eq!(ran.stderr.matches(&told).count(), 1, "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn a_rank_that_cannot_begin_is_reported() {
    let folder = two_folders();
    fs::write(
        folder.path().join("jobs.toml"),
        "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\n",
    )
    .unwrap();
    let library = folder.path().join("libmine.so");
    fs::write(library, "none").unwrap();
    for (command, told) in [
        ("run jobs.toml", "jobs.toml"),
        (
            "select data.csv --response y --method mine --plugins libmine.so",
            "libmine.so",
        ),
    ] {
        let ran = ran(folder.path(), 2, &elsewhere(command));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{}", ran.stderr);
    }
}

/// What MPI calls this machine.
fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    name.trim().to_owned()
}

#[test]
fn ranks_at_other_work_are_refused() {
    let folder = two_folders();
    let text = fs::read_to_string(folder.path().join("data.csv")).unwrap();
    let other = folder.path().join("other/data.csv");
    let refused = |script: &str, told: &str| {
        let ran = ran(folder.path(), 2, script);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        let told = format!("error: the ranks differ in {told}");
        assert_eq!(ran.stderr.matches(&told).count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("rank 1 on {}", host())));
        assert_eq!(ran.stdout, "");
    };
    // A digit of the response.
    let at = text.rfind(|letter: char| letter.is_ascii_digit()).unwrap();
    let digit = if text.as_bytes()[at] == b'1' {
        "2"
    } else {
        "1"
    };
    fs::write(&other, format!("{}{digit}{}", &text[..at], &text[at + 1..])).unwrap();
    refused(&elsewhere("select data.csv --response y"), "the data");
    refused(
        &elsewhere("select data.csv --response y --method jmi"),
        "the data",
    );
    refused(&elsewhere("pairs data.csv --response y"), "the data");
    // A row less.
    let rows = text.trim_end().rfind('\n').unwrap();
    fs::write(&other, &text[..=rows]).unwrap();
    refused(&elsewhere("select data.csv --response y"), "the data");
    let seeds = "exec \"$passel\" select data.csv --response y --seed $OMPI_COMM_WORLD_RANK";
    refused(seeds, "the arguments");
    fs::write(
        folder.path().join("jobs.toml"),
        "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("other/jobs.toml"),
        "[[job]]\ndata = \"data.csv\"\nresponse = \"y\"\nseed = 2\n",
    )
    .unwrap();
    refused(&elsewhere("run jobs.toml"), "jobs.toml");
    // Programs with plugins beside them that are the same but for what is behind their end.
    fs::copy(folder.path().join("data.csv"), &other).unwrap();
    let libraries = Path::new(PROGRAM).parent().unwrap().join("deps");
    let mut library = fs::read(libraries.join("libpassel_information.so")).unwrap();
    for (place, more) in [(".", ""), ("other", "another")] {
        let place = folder.path().join(place);
        fs::copy(PROGRAM, place.join("program")).unwrap();
        library.extend(more.bytes());
        fs::write(place.join("libpassel_information.so"), &library).unwrap();
    }
    let plugins = "[ $OMPI_COMM_WORLD_RANK = 1 ] && cd other; exec $PWD/program select data.csv \
                   --response y --method jmi --bin-response equal-width:3";
    refused(plugins, "plugins");
}

/// The processes of a test's folder, by rank.
fn ranks_in(folder: &Path) -> BTreeMap<usize, u32> {
    let mut ranks = BTreeMap::new();
    let program = Path::new(PROGRAM).canonicalize().unwrap();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
        let is_program = fs::read_link(entry.path().join("exe")).is_ok_and(|path| path == program);
        let is_here = fs::read_link(entry.path().join("cwd")).is_ok_and(|path| path == folder);
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        let rank = environment
            .split('\0')
            .find_map(|variable| variable.strip_prefix("OMPI_COMM_WORLD_RANK=")?.parse().ok());
        if let (true, true, Some(rank)) = (is_program, is_here, rank) {
            ranks.insert(rank, pid);
        }
    }
    ranks
}

/// Kills a rank once a checkpoint is there; how mpirun ends then. None if the ranks end before.
fn killed(child: Child, folder: &Path, rank: usize) -> Option<Ran> {
    let began = Instant::now();
    // A report is longer than a pipe holds.
    let running = thread::spawn(|| ended(child));
    while !folder.join("ck.json").exists() {
        if running.is_finished() {
            return None;
        }
        assert!(began.elapsed() < LONGEST, "no checkpoint was written");
        sleep(Duration::from_millis(2));
    }
    let pid = *ranks_in(folder).get(&rank)?;
    let kill = Command::new("kill").args(["-9", &pid.to_string()]).status();
    let is_killed = kill.unwrap().success();
    let ended = running.join().unwrap();
    while !ranks_in(folder).is_empty() {
        assert!(began.elapsed() < LONGEST, "the ranks did not end");
        sleep(Duration::from_millis(2));
    }
    (is_killed && ended.code != Some(0)).then_some(ended)
}

#[test]
fn a_rank_that_is_killed_ends_the_others_and_any_number_goes_on() {
    let folder = two_folders();
    let here = folder.path().canonicalize().unwrap();
    let data = example("diabetes_quadratic.csv.gz");
    for (over, rank, first, then) in [
        ("columns", 1, 3, 2),
        ("particles", 2, 3, 4),
        ("columns", 0, 2, 1),
    ] {
        // The search is so long that a rank is killed before it ends.
        let mut lengths = (0..12).map(|doubling| 2000 << doubling);
        let (cut, select) = lengths
            .find_map(|iterations| {
                let select = format!(
                    "select {data} --response y --particles 64 --iterations {iterations} \
                     --patience {iterations} --format json"
                );
                let command =
                    format!("exec \"$passel\" {select} --over {over} --checkpoint ck.json");
                let cut = killed(started(&here, first, &command), &here, rank)?;
                Some((cut, select))
            })
            .expect("a search that is long enough");
        assert_eq!(cut.code.map(|code| code > 0), Some(true), "{}", cut.stderr);
        let named = format!("rank {rank} with PID");
        assert_eq!(cut.stderr.matches(&named).count(), 1, "{}", cut.stderr);
        assert!(
            cut.stderr.contains(&format!("on node {}", host())),
            "{}",
            cut.stderr
        );
        assert_eq!(cut.stdout, "");
        let uncut = ran(&here, 1, &format!("exec \"$passel\" {select}"));
        assert_eq!(uncut.code, Some(0), "{}", uncut.stderr);
        let command = format!("exec \"$passel\" {select} --over {over} --checkpoint ck.json");
        let on = ran(&here, then, &command);
        assert_eq!(on.code, Some(0), "{}", on.stderr);
        assert_eq!(
            plain(on.stdout.as_bytes()),
            plain(uncut.stdout.as_bytes()),
            "{over}"
        );
        assert!(!here.join("ck.json").exists());
    }
}

#[test]
fn a_rank_that_is_stopped_is_told_and_the_answer_does_not_depend_on_it() {
    let folder = two_folders();
    let here = folder.path().canonicalize().unwrap();
    let data = example("diabetes_quadratic.csv.gz");
    let select = format!(
        "select {data} --response y --particles 64 --iterations 3000 --patience 3000 --format json"
    );
    let command = format!("exec \"$passel\" {select} --progress json --checkpoint ck.json");
    let mut child = started(&here, 2, &command);
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    // A report is longer than a pipe holds.
    let running = thread::spawn(|| ended(child));
    let (mut is_stopped, mut told) = (None, false);
    for line in lines.map_while(Result::ok) {
        // The first line that counts: the search is under way.
        if is_stopped.is_none() && line.contains("\"iteration\":") {
            let pid = ranks_in(&here)[&1].to_string();
            assert!(signal("-STOP", &pid));
            is_stopped = Some(pid);
        }
        if let Some(pid) = is_stopped.as_ref().filter(|_| line.contains("is stopped")) {
            assert!(
                line.contains(&format!("rank 1 on {} is stopped", host())),
                "{line}"
            );
            assert!(line.contains(&format!("-CONT {pid}")), "{line}");
            told = true;
            assert!(signal("-CONT", pid));
        }
    }
    assert!(told);
    let ended = running.join().unwrap();
    assert_eq!(ended.code, Some(0));
    let uncut = ran(&here, 1, &format!("exec \"$passel\" {select}"));
    assert_eq!(
        plain(ended.stdout.as_bytes()),
        plain(uncut.stdout.as_bytes())
    );
}

fn signal(name: &str, pid: &str) -> bool {
    Command::new("kill")
        .args([name, pid])
        .status()
        .unwrap()
        .success()
}
