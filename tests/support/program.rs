//! The program as a user meets it: a folder, small files, a command.

#![allow(dead_code, clippy::expect_used, clippy::unwrap_used)]

use std::{
    collections::HashMap,
    fs,
    io::Read,
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A folder of its own for one test, with `data.csv` in it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("data.csv", &table(60));
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The program, to be started in this folder.
    pub fn passel(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_passel"));
        command.args(arguments).current_dir(self.0.path());
        // Not the plugins of whoever runs the tests.
        command.env("XDG_DATA_HOME", self.path("data-home"));
        command
    }

    /// Runs Debian's PLINK 2 on a fileset in this folder, and returns what it wrote to its standard error.
    pub fn plink2(&self, fileset: &str, arguments: &[&str]) -> String {
        let mut plink = Command::new("plink2");
        plink.current_dir(self.0.path());
        plink.args(["--bfile", fileset, "--out", "judge"]);
        let ran = plink.args(arguments).output();
        let ran = ran.expect("apt-get install plink2");
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{told}");
        told
    }

    /// Numbers of the variants that `--glm` of PLINK 2 tested for a quantity, by another column; none where it has none.
    pub fn plink_glm(&self, [name, number]: [&str; 2]) -> HashMap<String, f64> {
        let judged = self.read("judge.PHENO1.glm.linear");
        let mut lines = judged
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        let header = lines.next().unwrap();
        let at = |name: &str| header.iter().position(|own| *own == name).expect(name);
        let (name, number) = (at(name), at(number));
        lines
            .filter_map(|line| Some((line[name].to_owned(), line[number].parse().ok()?)))
            .collect()
    }

    /// A shell in this folder; the program is `"$passel"`.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(self.0.path());
        command.env("passel", Path::new(env!("CARGO_BIN_EXE_passel")));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.passel(arguments))
    }
}

/// How a command ended and what it wrote.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn ran(mut command: Command) -> Ran {
    told(command.output().unwrap())
}

/// A process whose standard output is read while it runs: a report may be longer than a pipe holds, and the process would wait.
pub struct Started {
    child: Child,
    stdout: thread::JoinHandle<Vec<u8>>,
}

impl Deref for Started {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.child
    }
}

impl DerefMut for Started {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.child
    }
}

/// Starts a command.
pub fn start(mut command: Command) -> Started {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let read = move || {
        let mut all = Vec::new();
        stdout.read_to_end(&mut all).unwrap();
        all
    };
    Started {
        child,
        stdout: thread::spawn(read),
    }
}

/// Waits for a process and reads its output.
pub fn finish(started: Started) -> Ran {
    let output = started.child.wait_with_output().unwrap();
    let stdout = started.stdout.join().unwrap();
    told(Output { stdout, ..output })
}

/// Waits until something is so, and returns true; false if the process ends before. The bound only
/// turns a hang into a failure: nothing that a test waits for takes a fraction of it.
pub fn wait_until(child: &mut Child, mut is_so: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return is_so();
        }
        assert!(started.elapsed() < Duration::from_secs(900), "a hang");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Waits for the first line on standard error that counts something; it is lost, as are all before it.
pub fn wait_for_line(child: &mut Child) {
    wait_for_line_that(child, |line| !line.contains("\"stage\""));
}

/// Waits for the first line on standard error that is so; it is lost, as are all before it.
pub fn wait_for_line_that(child: &mut Child, is_so: impl Fn(&str) -> bool) {
    let stderr = child.stderr.as_mut().unwrap();
    let (mut line, mut byte) = (Vec::new(), [0]);
    while stderr.read(&mut byte).unwrap() == 1 {
        match byte {
            [b'\n'] if is_so(&String::from_utf8_lossy(&line)) => return,
            [b'\n'] => line.clear(),
            [other] => line.push(other),
        }
    }
}

/// Sends a signal to a process, by its name.
pub fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let mut kill = Command::new("kill");
    let status = kill.args([&format!("-{signal}"), &id]).status();
    assert!(status.unwrap().success());
}

/// Kills a process, which can neither heed nor prevent that on Unix.
pub fn kill(mut child: Started) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A shell function that waits until a process handles SIGINT; elsewhere than on Linux, for a while.
pub const HANDLES_INT: &str = "handles_int() { if [ -e /proc/self/status ]; then \
    until grep -q '^SigCgt:.*[2367abef]$' \"/proc/$1/status\"; do sleep 0.02; done; \
    else sleep 5; fi; }; ";

pub fn told(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Columns y, a, b, c, d of noise, and y = 3a + 0.1·noise.
pub fn table(rows: usize) -> String {
    let mut state = 1_u64;
    let mut noise = || {
        // Knuth's 64-bit linear congruence; the high half is random enough here.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    };
    let mut text = String::from("y,a,b,c,d\n");
    for _ in 0..rows {
        let [a, b, c, d, e] = [noise(), noise(), noise(), noise(), noise()];
        text += &format!("{},{a},{b},{c},{d}\n", 3.0 * a + 0.1 * e);
    }
    text
}
