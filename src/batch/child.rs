//! A process of this program that does a part of its work, and does not outlive it.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, Read, Write},
    process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use crate::{interrupt::Interrupt, machine, plugin};

/// What a child is told by when it is to end.
const INTERRUPT: &[u8] = b"interrupt\n";

/// How often it is looked whether a child has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long after the grace of a plugin's call a child that has not ended by itself is killed.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long the last words of a child are waited for once it has ended: a process that it started may hold its pipes.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// A process that was started. It is killed, should it go on when this is dropped, and ends by itself when this process does.
#[derive(Debug)]
pub(crate) struct Child {
    process: process::Child,
    /// While it is open the child knows that this process lives.
    orders: Option<ChildStdin>,
}

impl Child {
    /// Starts this program with these arguments, and hands it an order of one line, which [`order`] reads. Its standard output
    /// and error go where this process's go, or are piped.
    ///
    /// # Errors
    /// The system starts no process.
    pub(crate) fn start<S: AsRef<OsStr>>(
        arguments: impl IntoIterator<Item = S>,
        order: &str,
        is_piped: bool,
    ) -> io::Result<Self> {
        let stream = || match is_piped {
            true => Stdio::piped(),
            false => Stdio::inherit(),
        };
        let mut process = machine::this_program()?
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(stream())
            .stderr(stream())
            .spawn()?;
        let orders = process.stdin.take();
        let mut child = Self { process, orders };
        child.tell(order);
        Ok(child)
    }

    /// Hands it one more order of a line.
    pub(super) fn tell(&mut self, order: &str) {
        if let Some(orders) = &mut self.orders {
            // A child that has ended already is told of by its status.
            let _ = orders.write_all(format!("{order}\n").as_bytes());
        }
    }

    /// The ends of its pipes, once.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.process.stdout.take(), self.process.stderr.take())
    }

    /// Asks it to end.
    pub(crate) fn interrupt(&mut self) {
        if let Some(orders) = &mut self.orders {
            let _ = orders.write_all(INTERRUPT);
        }
    }

    /// How it ended, if it does within this time.
    pub(crate) fn wait(&mut self, time: Duration) -> io::Result<Option<ExitStatus>> {
        let started = Instant::now();
        loop {
            let status = self.process.try_wait()?;
            if status.is_some() || started.elapsed() >= time {
                return Ok(status);
            }
            thread::sleep(LOOK_EVERY.min(time));
        }
    }

    pub(crate) fn kill(&mut self) {
        // One that has ended is no error.
        let _ = self.process.kill();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        let _ = self.process.wait();
    }
}

/// The order that the process was given which started this one. From now on the interrupt is requested when that process asks for
/// it, and this one ends with it.
///
/// # Errors
/// There is no such process, or no thread can be started.
pub(crate) fn order(interrupt: &Interrupt) -> io::Result<String> {
    let first = orders(interrupt)?.recv();
    first.map_err(|_| io::ErrorKind::UnexpectedEof.into())
}

/// The orders of the process which started this one, as they come; else as [`order`].
pub(super) fn orders(interrupt: &Interrupt) -> io::Result<Receiver<String>> {
    machine::end_with_parent();
    let orders = BufReader::new(machine::take_standard_input()?);
    let interrupt = interrupt.clone();
    let (sender, receiver) = mpsc::channel();
    let heed = move || {
        let mut is_ordered = false;
        for line in orders.split(b'\n').map_while(Result::ok) {
            match line == INTERRUPT.trim_ascii_end() {
                true => interrupt.request(),
                false => {
                    is_ordered = true;
                    // Whoever takes one order alone has gone on to work.
                    let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
                }
            }
        }
        if is_ordered {
            // Nobody reads what this process would tell.
            plugin::end_now(1);
        }
    };
    thread::Builder::new().spawn(heed)?;
    Ok(receiver)
}

/// What a thread of its own makes of a pipe.
pub(super) fn listen<T: Send + 'static>(
    listener: impl FnOnce() -> Option<T> + Send + 'static,
) -> Receiver<Option<T>> {
    let (done, result) = mpsc::channel();
    // Without a thread nothing is heard.
    let _ = thread::Builder::new().spawn(move || drop(done.send(listener())));
    result
}

/// Passes the messages of a child on, but for its last error, which explains its end.
pub(super) fn messages(errors: impl Read, tell: impl Fn(&str)) -> Option<String> {
    let mut last: Option<String> = None;
    let mut lines = BufReader::new(errors).split(b'\n').map_while(Result::ok);
    for line in lines.by_ref() {
        let line = String::from_utf8_lossy(&line).into_owned();
        match line.strip_prefix("error: ") {
            Some(error) => {
                if let Some(before) = last.replace(error.to_owned()) {
                    tell(&format!("error: {before}"));
                }
            }
            None => tell(&line),
        }
    }
    last
}

/// How a process ended, in words.
pub(crate) fn ended_text(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended by itself with code {code}"),
        // `signal: 11 (SIGSEGV)`, with `(core dumped)` at times.
        None => format!("was ended by {status}"),
    }
}
