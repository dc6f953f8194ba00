//! What Ctrl-C and TERM do.

use std::{io, thread};

use signal_hook::{consts, iterator::Signals, low_level};

use super::EXIT_INTERRUPTED;
use crate::interrupt::Interrupt;

/// Lets the first Ctrl-C or TERM interrupt the work, which then reports the best so far. The second
/// ends the process; but if a plugin is running that did not heed the first, it only detaches the
/// plugin, and what that chose is reported.
pub(super) fn handle(interrupt: &Interrupt) -> io::Result<()> {
    let mut signals = Signals::new([consts::SIGINT, consts::SIGTERM])?;
    let interrupt = interrupt.clone();
    let handle = move || {
        for _ in signals.forever() {
            if !interrupt.requested_here() {
                interrupt.request();
            } else if !interrupt.force() {
                // Without destructors, for a plugin may still use what they would free.
                low_level::exit(EXIT_INTERRUPTED.into());
            }
        }
    };
    thread::Builder::new().spawn(handle).map(drop)
}
