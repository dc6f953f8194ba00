//! A process of this program that does a part of its work, and does not outlive it.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, Write},
    process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{interrupt::Interrupt, machine, plugin};

/// What a child is told by when it is to end.
const INTERRUPT: &[u8] = b"interrupt\n";

/// How often it is looked whether a child has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

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
        let mut orders = process.stdin.take();
        if let Some(orders) = &mut orders {
            // A child that has ended already is told of by its status.
            let _ = orders.write_all(format!("{order}\n").as_bytes());
        }
        Ok(Self { process, orders })
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
    machine::end_with_parent();
    let mut orders = BufReader::new(machine::take_standard_input()?);
    let mut order = String::new();
    if orders.read_line(&mut order)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let interrupt = interrupt.clone();
    let heed = move || {
        let mut line = Vec::new();
        while orders
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            if line == INTERRUPT {
                interrupt.request();
            }
            line.clear();
        }
        // Nobody reads what this process would tell.
        plugin::end_now(1);
    };
    thread::Builder::new().spawn(heed)?;
    Ok(order)
}

/// How a process ended, in words.
pub(crate) fn ended_text(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended by itself with code {code}"),
        // `signal: 11 (SIGSEGV)`, with `(core dumped)` at times.
        None => format!("was ended by {status}"),
    }
}
