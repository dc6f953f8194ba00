//! What reaches the reader: reports on standard output, the rest on standard error.

use std::io::{self, Write};

use super::{DONE, FAILED};

/// Writes a result to standard output.
pub(super) fn print(text: &[u8]) -> u8 {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(text).and_then(|()| stdout.flush()))
}

/// A reader who has seen enough (`| head`) is no failure; a full disk is.
pub(super) fn printed(result: io::Result<()>) -> u8 {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!(
                "error: writing to standard output failed: {error}"
            ));
            FAILED
        }
        _ => DONE,
    }
}

/// Writes a line to standard error; where that is closed, nobody listens.
pub(super) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
