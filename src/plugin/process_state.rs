//! What the code of a plugin may change of the whole process, put back after calls that are seldom: the working directory, and what
//! signals do by which users end the program.

// Functions of the system.
#![allow(unsafe_code)]

use std::env;

/// Runs a plugin's code, and puts back what it changed.
pub(super) fn kept<T>(call: impl FnOnce() -> T) -> T {
    let directory = env::current_dir();
    let handlers = handlers::now();
    let result = call();
    handlers::restore(handlers);
    if let Ok(directory) = directory
        && env::current_dir().ok().as_ref() != Some(&directory)
    {
        // One that is gone meanwhile nobody misses.
        let _ = env::set_current_dir(directory);
    }
    result
}

#[cfg(unix)]
mod handlers {
    use std::{ffi::c_int, mem::MaybeUninit, ptr};

    use crate::plugin::ends;

    /// Requests to end, and what a closed pipe does.
    const KEPT: [c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE];

    pub(super) type Handlers = Option<[libc::sigaction; KEPT.len()]>;

    /// What is done now; only of the program, for in others signals are not passel's.
    pub(super) fn now() -> Handlers {
        ends::is_program().then(|| KEPT.map(|signal| action(signal, None)))
    }

    pub(super) fn restore(handlers: Handlers) {
        for (signal, action_before) in KEPT.into_iter().zip(handlers.iter().flatten()) {
            if action(signal, None).sa_sigaction != action_before.sa_sigaction {
                action(signal, Some(action_before));
            }
        }
    }

    /// What a signal did until now, and does no longer where there is a new action.
    fn action(signal: c_int, new: Option<&libc::sigaction>) -> libc::sigaction {
        // SAFETY: all zero is an action, which the system overwrites; the new one is one that it handed out.
        unsafe {
            let mut old: libc::sigaction = MaybeUninit::zeroed().assume_init();
            libc::sigaction(signal, new.map_or(ptr::null(), ptr::from_ref), &mut old);
            old
        }
    }
}

#[cfg(not(unix))]
mod handlers {
    pub(super) fn now() {}

    pub(super) fn restore((): ()) {}
}
