//! The end of the process by the code of a plugin, which is told by its name: a call of `exit`, a fault, `abort`.

// Functions of the system, and what it calls.
#![allow(unsafe_code)]

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

#[cfg(unix)]
use super::mapped::library_at;
use super::watchdog;
use crate::{
    foreign_calls::{callee, is_known_thread},
    interrupt::Interrupt,
    printable::printable_error,
};

/// Whether this process is the program, and whether that has come to its end.
static IS_PROGRAM: AtomicBool = AtomicBool::new(false);
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Whether a library was loaded that is not passel's own.
static HAS_OTHERS: AtomicBool = AtomicBool::new(false);

/// Notes that a library is loaded which is not passel's own.
pub(super) fn note_others() {
    HAS_OTHERS.store(true, Ordering::Relaxed);
}

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
            let _ = writeln!(
                io::stderr(),
                "error: {}",
                printable_error(&hung.to_string())
            );
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

/// Ends the process at once where code of others was loaded, whose destructors and functions for the end of the process could turn what is
/// complete into a fault or go on for ever. What it has written by functions of C is not lost.
pub(crate) fn end_without_others(code: u8) {
    if HAS_OTHERS.load(Ordering::Relaxed) {
        end();
        // Closed or full, it has been told.
        let _ = io::stdout().flush();
        system::flush();
        system::end_now(code);
    }
}

#[cfg(unix)]
mod system {
    use std::{
        ffi::{c_int, c_void},
        mem::MaybeUninit,
        ptr,
        sync::{
            OnceLock,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::{HAS_ENDED, callee, is_known_thread, library_at};

    /// The exit code where a plugin called `exit`.
    const EXIT_CODE: c_int = 1;

    /// Threads that may call `exit` at the same time: each runs a function that none has begun, and the first that finds none ends the
    /// process.
    const THREADS: usize = 1024;

    /// Words of a thread's stack among which the addresses of its callers are looked for.
    const WORDS: usize = 512;

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
        for _ in 0..THREADS {
            // SAFETY: a function that any thread may be in when it ends the process.
            unsafe { libc::atexit(at_exit) };
        }
        for ((signal, _), before) in FAULTS.iter().zip(&BEFORE) {
            // SAFETY: all zero is an action, whose members are set; the old one is written.
            unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = at_fault;
                action.sa_sigaction = handler as usize;
                // On the stack that threads have for the end of their own; again while it runs, should that be at fault.
                action.sa_flags = libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_SIGINFO;
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

    pub(super) fn flush() {
        // SAFETY: every stream of C, each of which is locked meanwhile.
        unsafe { libc::fflush(ptr::null_mut()) };
    }

    /// Writes a line to standard error, as may be done anywhere, in a handler of signals too: all of it at once, for other threads may
    /// have something to say.
    fn tell(parts: &[&str]) {
        let (mut line, mut length) = ([0; 1024], 0);
        for byte in parts.iter().flat_map(|part| part.bytes()) {
            if let Some(place) = line.get_mut(length) {
                *place = byte;
                length += 1;
            }
        }
        // SAFETY: so many bytes. Whether they were written nobody asks.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length) };
    }

    /// Whether this thread is the one that ends the process, and has not told so yet. Other threads end here: they would cut its words
    /// short.
    fn is_first_to_end() -> bool {
        static ENDING: AtomicUsize = AtomicUsize::new(0);
        // SAFETY: nothing but a number.
        let own = unsafe { libc::pthread_self() } as usize;
        match ENDING.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(first) if first == own => false,
            Err(_) => loop {
                // SAFETY: waits for a signal.
                unsafe { libc::pause() };
            },
        }
    }

    extern "C" fn at_exit() {
        if HAS_ENDED.load(Ordering::Relaxed) {
            return;
        }
        if is_first_to_end() {
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
        }
        // SAFETY: the end without further functions.
        unsafe { libc::_exit(EXIT_CODE) };
    }

    /// The address of the instruction that a thread was at, and of its stack; 0 where that is not known.
    fn registers(context: *mut c_void) -> [usize; 2] {
        let context = context.cast::<libc::ucontext_t>();
        if context.is_null() {
            return [0; 2];
        }
        // SAFETY: the system hands a handler the registers of its thread.
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        return unsafe {
            let registers = &(*context).uc_mcontext.gregs;
            [libc::REG_RIP, libc::REG_RSP].map(|own| registers[own as usize] as usize)
        };
        // SAFETY: as above.
        #[cfg(all(target_os = "linux", target_arch = "aarch64"))]
        return unsafe {
            let registers = &(*context).uc_mcontext;
            [registers.pc as usize, registers.sp as usize]
        };
        #[cfg(not(all(
            target_os = "linux",
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        [0; 2]
    }

    /// The library whose code a thread ran that is none of passel's: what was at fault, or called what was.
    fn library_of_thread(context: *mut c_void) -> Option<&'static str> {
        let [instruction, stack] = registers(context);
        let callers = (0..WORDS).filter(|_| stack > 0).map(|at| {
            let word = (stack as *const usize).wrapping_add(at);
            // SAFETY: the stack of this thread. Where it ends a fault follows, which ends the process untold.
            unsafe { word.read_volatile() }
        });
        [instruction]
            .into_iter()
            .chain(callers)
            .find_map(library_at)
    }

    extern "C" fn at_fault(signal: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
        let at = FAULTS.iter().position(|own| own.0 == signal).unwrap_or(0);
        let (name, lost) = (FAULTS[at].1, "); what was found is lost\n");
        if is_first_to_end() {
            match callee() {
                "" if is_known_thread() => {}
                "" => {
                    if let Some(library) = library_of_thread(context) {
                        tell(&[
                            "error: the code of ",
                            library,
                            ", in a thread of its own, ended this process (",
                            name,
                            lost,
                        ]);
                    }
                }
                called => tell(&["error: ", called, ": it ended this process (", name, lost]),
            }
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

    pub(super) fn flush() {}

    pub(super) fn end_now(code: u8) -> ! {
        std::process::exit(code.into())
    }
}
