//! What signals do.

use std::{io, thread};

use signal_hook::{consts, iterator::Signals, low_level};

use super::{EXIT_INTERRUPTED, print::print_error};
use crate::{interrupt::Interrupt, machine, plugin};

/// Signals that ask the program to end: Ctrl-C, `kill`, the end of the terminal, the limit on processor
/// time.
#[cfg(unix)]
const REQUESTS: [i32; 4] = [
    consts::SIGINT,
    consts::SIGTERM,
    consts::SIGHUP,
    consts::SIGXCPU,
];
#[cfg(not(unix))]
const REQUESTS: [i32; 2] = [consts::SIGINT, consts::SIGTERM];

/// Signals that would end the program and must not: a file that reaches its limit of size is an error
/// of writing it, and what schedulers send as a warning asks for nothing.
#[cfg(unix)]
const WITHOUT_EFFECT: &[i32] = &[consts::SIGXFSZ, consts::SIGUSR1, consts::SIGUSR2];
#[cfg(not(unix))]
const WITHOUT_EFFECT: &[i32] = &[];

/// Lets the first request interrupt the work, which then reports the best so far; where no work has
/// begun, it ends the process. The second request ends the process; but if a plugin is running that
/// did not heed the first, it only detaches the plugin, and what that chose is reported.
pub(super) fn handle(interrupt: &Interrupt) -> io::Result<()> {
    let ignored = ignored_signals();
    let requests = REQUESTS.into_iter();
    // Ctrl-C is for this program even where a shell started it in the background.
    let requests = requests.filter(|signal| *signal == consts::SIGINT || !ignored(*signal));
    let mut signals = Signals::new(requests.chain(WITHOUT_EFFECT.iter().copied()))?;
    let interrupt = interrupt.clone();
    let handle = move || {
        for signal in signals.forever() {
            if WITHOUT_EFFECT.contains(&signal) {
                continue;
            }
            if !interrupt.requested_here() {
                interrupt.request();
                if interrupt.is_heeded() {
                    continue;
                }
                print_error("interrupted: no work had begun");
            } else if interrupt.force() {
                continue;
            }
            plugin::end();
            // Without destructors, for a plugin may still use what they would free.
            low_level::exit(EXIT_INTERRUPTED.into());
        }
    };
    thread::Builder::new().spawn(handle).map(drop)
}

/// Tells the signals that whoever started the program has it ignore, as nohup does with SIGHUP. Where the
/// system does not say, none.
fn ignored_signals() -> impl Fn(i32) -> bool {
    let mask = machine::process_status("SigIgn");
    let mask = mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    move |signal| mask.unwrap_or(0) >> (signal - 1) & 1 == 1
}
