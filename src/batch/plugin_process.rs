//! A process that loads plugins in place of this one, and answers what they bring: whatever they do to it, this one goes on.

use std::{
    io::{self, BufRead, BufReader, Write},
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use super::child::{self, Child, LAST_WORDS, PATIENCE, ended_text, listen, messages};
use crate::{
    interrupt::{Interrupt, grace},
    job::PluginAnswers,
    plugin,
};

/// The command of such a process.
pub const COMMAND: &str = "plugin-answers";

/// How often it is looked whether the process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A process that answers questions about plugins. It is started by the first one, and anew after its end.
#[derive(Debug, Default)]
pub struct PluginProcess(Mutex<Option<Running>>);

#[derive(Debug)]
struct Running {
    child: Child,
    answers: Receiver<String>,
    last_error: Receiver<Option<String>>,
}

impl PluginProcess {
    /// Asks a question of one line, whose calls of plugins have so much time; the line that answers it.
    ///
    /// # Errors
    /// How a process ended which was asked this question alone.
    pub fn ask(&self, question: &str, within: Option<Duration>) -> Result<String, String> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut running) = place.take()
            && let Ok(answer) = running.ask(question, within)
        {
            *place = Some(running);
            return Ok(answer);
        }
        // What ended a process that was asked other questions before may be of those.
        let started = Running::start();
        let mut running = started.map_err(|error| format!("no process can be started: {error}"))?;
        let answer = running.ask(question, within)?;
        *place = Some(running);
        Ok(answer)
    }
}

impl Running {
    fn start() -> io::Result<Self> {
        let mut child = Child::start([COMMAND], "", true)?;
        let (output, errors) = child.pipes();
        let (sender, answers) = mpsc::channel();
        let read = move || {
            let lines = output.map(|output| BufReader::new(output).lines());
            let lines = lines.into_iter().flatten().map_while(Result::ok);
            for line in lines {
                let _ = sender.send(line);
            }
        };
        thread::Builder::new().spawn(read)?;
        Ok(Self {
            child,
            answers,
            last_error: listen(move || messages(errors?, pass_on)),
        })
    }

    fn ask(&mut self, question: &str, within: Option<Duration>) -> Result<String, String> {
        self.child.tell(question);
        let end_by = within.and_then(|time| Instant::now().checked_add(time + grace() + PATIENCE));
        let mut is_killed = false;
        let status = loop {
            match self.answers.recv_timeout(LOOK_EVERY) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Timeout) => {}
                // It says no more, whatever it does.
                Err(RecvTimeoutError::Disconnected) => {
                    let ended = self.child.wait(LAST_WORDS);
                    is_killed = ended.map_err(|error| error.to_string())?.is_none();
                }
            }
            if is_killed || end_by.is_some_and(|end_by| Instant::now() >= end_by) {
                is_killed = true;
                self.child.kill();
            }
            let status = self.child.wait(Duration::ZERO);
            if let Some(status) = status.map_err(|error| error.to_string())? {
                break status;
            }
        };
        // What it said at last. Another process that it started may hold its pipes.
        if let Ok(answer) = self.answers.recv_timeout(LAST_WORDS) {
            return Ok(answer);
        }
        let ended = match is_killed {
            true => "did not end when it was to, and was killed".to_owned(),
            false => ended_text(status),
        };
        Err(
            match self.last_error.recv_timeout(LAST_WORDS).ok().flatten() {
                Some(error) => format!("{error} (its process {ended})"),
                None => format!("its process {ended}"),
            },
        )
    }
}

/// Passes a message of such a process on; a warning once, however many of them warn.
fn pass_on(line: &str) {
    match line.strip_prefix("warning: ") {
        Some(warning) => plugin::warn_once(warning),
        // Standard error may be closed.
        None => drop(writeln!(io::stderr(), "{line}")),
    }
}

/// Answers the questions of the process which started this one, until that ends.
///
/// # Errors
/// Questions cannot be read, or nobody listens.
pub fn answer_questions(interrupt: &Interrupt, output: &mut dyn Write) -> Result<(), String> {
    // Whoever asks ends this one.
    let _heeding = interrupt.heeding();
    let questions = child::orders(interrupt).map_err(|error| error.to_string())?;
    let answers = PluginAnswers::default();
    for question in questions {
        let Some(answer) = answers.answer(&question) else {
            continue;
        };
        let written = output
            .write_all(format!("{answer}\n").as_bytes())
            .and_then(|()| output.flush());
        written.map_err(|error| error.to_string())?;
    }
    Ok(())
}
