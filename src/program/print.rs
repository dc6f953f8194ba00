//! Writing to standard output, which is for reports, and to standard error, for everything else.

use std::io::{self, Write};

use super::{EXIT_DONE, EXIT_FAILED};
use crate::{
    job::OptionError,
    machine::standard_output,
    printable::{printable_error, printable_json, printable_lines},
};

/// Writes a result to standard output; the exit code.
pub(super) fn print_result(text: &[u8]) -> u8 {
    exit_code(match standard_output() {
        // Plugins write where it was.
        Some(mut kept) => kept.write_all(text),
        None => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(text).and_then(|()| stdout.flush())
        }
    })
}

/// The exit code of an attempt to write to standard output. A full disk is a failure; a reader that
/// has closed the pipe, such as `head`, is not.
pub(super) fn exit_code(written: io::Result<()>) -> u8 {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            print_error(&format!(
                "error: writing to standard output failed: {error}"
            ));
            EXIT_FAILED
        }
        _ => EXIT_DONE,
    }
}

/// Writes a text of several lines to standard output, whatever names are in it; the exit code.
pub(super) fn print_text(text: &str) -> u8 {
    print_result(printable_lines(text).as_bytes())
}

/// Writes JSON to standard output, whatever names are in it; the exit code.
pub(super) fn print_json(json: &str) -> u8 {
    print_result(printable_json(json).as_bytes())
}

/// Writes a page whose makers have escaped its names to standard error.
pub(super) fn print_page(page: &str) {
    let _ = write!(io::stderr(), "{page}");
}

/// Writes an error to standard error, whatever names are in it; a closed one is no failure.
pub(super) fn print_error(error: &str) {
    let _ = writeln!(io::stderr(), "{}", printable_error(error));
}

/// Prints why an option is refused, and what would mend it.
pub(super) fn print_option_error(error: &OptionError) {
    let help = error.help.as_ref();
    let help = help.map_or(String::new(), |help| format!("; {help}"));
    print_error(&format!("error: {error}{help}"));
}
