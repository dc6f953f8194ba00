//! What no plugin's call outlives: an end that was asked for, or a time limit, by more than a grace.

use std::{
    collections::HashMap,
    fmt, io,
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    foreign_calls::{self, Call},
    interrupt::{Interrupt, grace},
};

/// How often calls are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A call that has not returned.
#[derive(Debug, Clone)]
pub(crate) struct HungCall {
    call: Call,
    /// Whether a request, not a deadline, wanted the end.
    is_requested: bool,
}

impl HungCall {
    /// The job that it is of, in a run.
    pub(crate) fn job(&self) -> Option<&str> {
        self.call.work.job()
    }

    /// The exit code of the program that it ends.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.is_requested {
            true => 130,
            false => 1,
        }
    }
}

impl fmt::Display for HungCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (callee, seconds) = (self.call.callee, grace().as_secs_f64());
        let since = match self.is_requested {
            true => "the end was asked for",
            false => "its time was over",
        };
        write!(
            f,
            "{callee}: a call of it did not return within {seconds} s after {since}, which ends this process; what was \
             found is lost"
        )
    }
}

/// Finds calls that hang.
#[derive(Debug, Default)]
struct Watchdog {
    /// Since when calls go on of which the end is wanted, each by its thread.
    since: HashMap<usize, (usize, Instant)>,
}

impl Watchdog {
    fn look(&mut self, is_requested: bool) -> Option<HungCall> {
        let mut calls = foreign_calls::under_way();
        calls.retain(|call| is_requested || call.work.is_late());
        let is_there = |thread: usize| calls.iter().any(|call| call.id.0 == thread);
        self.since.retain(|thread, _| is_there(*thread));
        let now = Instant::now();
        let hangs = |call: &Call| {
            let (thread, number) = call.id;
            let known = self.since.entry(thread).or_insert((number, now));
            if known.0 != number {
                *known = (number, now);
            }
            now.duration_since(known.1) >= grace()
        };
        let hung = calls.into_iter().find(hangs);
        hung.map(|call| HungCall { call, is_requested })
    }
}

/// A hung call, and where the exit code is to be sent of the program that it ends.
pub(crate) type HungNotice = (HungCall, Sender<u8>);

/// Who is told of a hung call before it ends the process.
static LISTENER: Mutex<Option<Sender<HungNotice>>> = Mutex::new(None);

fn listener() -> MutexGuard<'static, Option<Sender<HungNotice>>> {
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, whoever holds what it was made with is told of hung calls.
#[derive(Debug)]
pub(crate) struct Listening(());

impl Drop for Listening {
    fn drop(&mut self) {
        *listener() = None;
    }
}

/// Hung calls, before they end the process: each is to be answered with the exit code.
pub(crate) fn hung_calls() -> (Listening, Receiver<HungNotice>) {
    let (sender, receiver) = mpsc::channel();
    *listener() = Some(sender);
    (Listening(()), receiver)
}

/// Watches over calls until the process ends; a hung one ends it by `end`, with a message or with the exit code that a listener gave.
pub(super) fn start(
    interrupt: &Interrupt,
    end: impl Fn(Result<u8, &HungCall>) + Send + 'static,
) -> io::Result<()> {
    let interrupt = interrupt.clone();
    let mut watchdog = Watchdog::default();
    let watch = move || loop {
        thread::sleep(LOOK_EVERY);
        let Some(hung) = watchdog.look(interrupt.requested_here()) else {
            continue;
        };
        let told = listener().as_ref().and_then(|listener| {
            let (answer, answered) = mpsc::channel();
            listener.send((hung.clone(), answer)).ok()?;
            Some(answered)
        });
        // Whoever was told and went away has ended in order.
        match told.map(|answered| answered.recv()) {
            None => end(Err(&hung)),
            Some(Ok(code)) => end(Ok(code)),
            Some(Err(_)) => {}
        }
    };
    thread::Builder::new().spawn(watch).map(drop)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::foreign_calls::{Callee, Work};

    #[test]
    fn what_is_late_hangs_once_its_grace_is_over_and_another_call_begins_anew() {
        const NAME: &str = "plugin of a test";
        let callee = Callee::named(NAME);
        let of_test = |hung: Option<HungCall>| hung.is_some_and(|hung| hung.call.callee == NAME);
        let work = Work::of_job("late");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                foreign_calls::set_work(Some(Arc::clone(&work)));
                let mut watchdog = Watchdog::default();
                let outer = foreign_calls::enter(callee);
                // Tests beside this one call others, too.
                let all = foreign_calls::under_way();
                let own = all.iter().find(|call| call.callee == NAME).unwrap().id.0;
                let is_known = |watchdog: &Watchdog| watchdog.since.contains_key(&own);
                assert!(!of_test(watchdog.look(false)) && !is_known(&watchdog));
                work.ends_at(Instant::now());
                thread::sleep(Duration::from_millis(5));
                assert!(!of_test(watchdog.look(false)) && is_known(&watchdog));
                let back = |watchdog: &mut Watchdog| {
                    let known = watchdog.since.get_mut(&own).unwrap();
                    known.1 = known.1.checked_sub(grace()).unwrap();
                };
                back(&mut watchdog);
                let hung = watchdog.look(false).unwrap();
                assert_eq!((hung.job(), hung.exit_code()), (Some("late"), 1));
                foreign_calls::leave_to(outer);
                let outer = foreign_calls::enter(callee);
                back(&mut watchdog);
                assert!(!of_test(watchdog.look(false)));
                foreign_calls::leave_to(outer);
                assert!(!of_test(watchdog.look(false)) && !is_known(&watchdog));
            });
        });
    }
}
