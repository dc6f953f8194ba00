//! The end of the process by the code of a plugin, which is told by its name: a call of `exit`, a fault, `abort`.

// Functions of the system, and what it calls.
#![allow(unsafe_code)]

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use super::watchdog;
use crate::{foreign_calls::callee, interrupt::Interrupt, printable::printable_error};

/// Whether this process is the program, and whether that has come to its end.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_program() -> bool {
    IS_PROGRAM.load(Ordering::Relaxed)
}

/// Watches over the end of a process that is the program: a plugin that calls `exit`, whatever it says of success, or is at
/// fault, is named on standard error, and the exit code is not 0. What plugins write to standard output goes to standard
/// error from the first one that is loaded. A call that goes on long after the end was wanted, or that its time was over, ends the
/// process, too.
pub(crate) fn watch(interrupt: &Interrupt) {
    if IS_PROGRAM.swap(true, Ordering::Relaxed) {
        return;
    }
    system::watch();
    // Without a thread for it a second signal still ends the process.
    let _ = watchdog::start(interrupt, |ended| {
        let code = ended.unwrap_or_else(|hung| {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "error: {}", printable_error(&hung.to_string()));
            hung.exit_code()
        });
        end_now(code);
    });
}

/// The program has done its work: from here on the end of the process is its own.
pub(crate) fn end() {
    HAS_ENDED.store(true, Ordering::Relaxed);
}

/// Ends the process at once, without destructors: a plugin may still use what they would free.
pub(crate) fn end_now(code: u8) -> ! {
    end();
    system::end_now(code)
}

#[cfg(unix)]
mod system {
    use std::{
        ffi::c_int,
        mem::MaybeUninit,
        ptr,
        sync::{OnceLock, atomic::Ordering},
    };

    use super::{HAS_ENDED, callee};

    /// The exit code where a plugin called `exit`.
    const EXIT_CODE: c_int = 1;

    /// Faults, each with its name.
    const FAULTS: [(c_int, &str); 5] = [
        (libc::SIGSEGV, "SIGSEGV"),
        (libc::SIGBUS, "SIGBUS"),
        (libc::SIGILL, "SIGILL"),
        (libc::SIGFPE, "SIGFPE"),
        (libc::SIGABRT, "SIGABRT"),
    ];

    /// What each of them did before.
    static BEFORE: [OnceLock<Action>; FAULTS.len()] = [const { OnceLock::new() }; FAULTS.len()];

    struct Action(libc::sigaction);

    // SAFETY: numbers and the address of a function.
    unsafe impl Send for Action {}
    // SAFETY: as above.
    unsafe impl Sync for Action {}

    pub(super) fn watch() {
        // SAFETY: a function that any thread may be in when it ends the process.
        unsafe { libc::atexit(at_exit) };
        for ((signal, _), before) in FAULTS.iter().zip(&BEFORE) {
            // SAFETY: all zero is an action, whose members are set; the old one is written.
            unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let handler: extern "C" fn(c_int) = at_fault;
                action.sa_sigaction = handler as usize;
                // On the stack that threads have for the end of their own; again while it runs, should that be at fault.
                action.sa_flags = libc::SA_ONSTACK | libc::SA_NODEFER;
                let mut old: libc::sigaction = MaybeUninit::zeroed().assume_init();
                if libc::sigaction(*signal, &action, &mut old) == 0 {
                    let _ = before.set(Action(old));
                }
            }
        }
    }

    pub(super) fn end_now(code: u8) -> ! {
        // SAFETY: nothing runs after it.
        unsafe { libc::_exit(code.into()) }
    }

    /// Writes to standard error what may be written anywhere, in a handler of signals too.
    fn tell(parts: &[&str]) {
        for part in parts {
            // SAFETY: so many bytes of a text. Whether they were written nobody asks.
            let _ = unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
        }
    }

    extern "C" fn at_exit() {
        if HAS_ENDED.load(Ordering::Relaxed) {
            return;
        }
        match callee() {
            "" => tell(&[
                "error: something in this process called exit before passel was done: what it found is lost\n",
            ]),
            called => tell(&[
                "error: ",
                called,
                ": it called exit, which ends this process; what was found is lost\n",
            ]),
        }
        // SAFETY: the end without further functions.
        unsafe { libc::_exit(EXIT_CODE) };
    }

    extern "C" fn at_fault(signal: c_int) {
        let at = FAULTS.iter().position(|own| own.0 == signal).unwrap_or(0);
        let called = callee();
        if !called.is_empty() {
            tell(&[
                "error: ",
                called,
                ": it ended this process (",
                FAULTS[at].1,
                "); what was found is lost\n",
            ]);
        }
        // What was to happen without this happens: a fault comes again where it came from, and `abort` goes on.
        let before = BEFORE[at].get();
        // SAFETY: an action that the system handed out, or that of a new process.
        unsafe {
            match before {
                Some(before) => libc::sigaction(signal, &before.0, ptr::null_mut()),
                None => {
                    libc::signal(signal, libc::SIG_DFL);
                    0
                }
            };
        }
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn watch() {}

    pub(super) fn end_now(code: u8) -> ! {
        std::process::exit(code.into())
    }
}
