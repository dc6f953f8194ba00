//! What every part of the program knows of the ranks: whether this process is one of several, and
//! whether it is the one that prints.

use std::{path::PathBuf, sync::Arc, time::Instant};

use super::{
    EXIT_DONE, EXIT_USAGE,
    print::{print_error, print_option_error, print_page, print_text},
};
use crate::{
    batch,
    interrupt::Interrupt,
    job::{OptionError, arguments},
    machine,
    ranks::{Communicator, Transport},
};

/// A single process, or one of several ranks.
pub(super) struct RankContext {
    /// When the program began.
    pub(super) started: Instant,
    communicator: Option<Communicator>,
}

impl RankContext {
    /// Connects the ranks, and checks that all run the same program with the same arguments; else the exit code, and the reason is printed.
    pub(super) fn new(
        transport: Option<Arc<dyn Transport>>,
        interrupt: &Interrupt,
    ) -> Result<Self, u8> {
        let started = Instant::now();
        let Some(transport) = transport else {
            return Ok(Self {
                started,
                communicator: None,
            });
        };
        let is_root = transport.rank() == 0;
        let arguments = machine::arguments();
        let arguments: Vec<_> = arguments
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect();
        let connected = Communicator::new(transport, interrupt).and_then(|communicator| {
            communicator.check_equal("passel", &env!("CARGO_PKG_VERSION").to_owned())?;
            communicator.check_equal("the arguments", &arguments.join(" "))?;
            Ok(communicator)
        });
        match connected {
            Ok(communicator) => Ok(Self {
                started,
                communicator: Some(communicator),
            }),
            Err(error) => {
                if is_root {
                    print_error(&format!("error: {error}"));
                }
                Err(EXIT_USAGE)
            }
        }
    }

    /// The ranks; `None` for a single process.
    pub(super) fn communicator(&self) -> Option<&Communicator> {
        self.communicator.as_ref()
    }

    /// Returns true for a single process and for rank 0, which prints for all.
    pub(super) fn is_root(&self) -> bool {
        self.communicator().is_none_or(Communicator::is_root)
    }

    pub(super) fn program(&self) -> &'static str {
        match self.communicator {
            None => "passel",
            Some(_) => "passel-mpi",
        }
    }

    pub(super) fn command_line(&self) -> clap::Command {
        match self.communicator {
            None => arguments::command(),
            Some(_) => arguments::mpi_command(),
        }
    }

    /// Prints a page made for a terminal on standard error, on rank 0 alone.
    pub(super) fn print_page(&self, page: &str) {
        if self.is_root() {
            print_page(page);
        }
    }

    /// Prints a line on standard error, on rank 0 alone.
    pub(super) fn print_error(&self, line: &str) {
        if self.is_root() {
            print_error(line);
        }
    }

    /// Prints a text on standard output, on rank 0 alone; the exit code.
    pub(super) fn print_text(&self, text: &str) -> u8 {
        match self.is_root() {
            true => print_text(text),
            false => EXIT_DONE,
        }
    }

    /// Ends the work of all ranks before it has begun: they learn why this one cannot take part. The
    /// exit code.
    pub(super) fn abandon(&self, reason: &str) -> u8 {
        if let Some(communicator) = &self.communicator {
            // A rank that is gone needs no message.
            let _ = communicator.finish(Err(reason.to_owned()));
        }
        EXIT_USAGE
    }

    /// Prints every option that is refused, and abandons the work; the exit code.
    pub(super) fn refuse(&self, errors: &[OptionError]) -> u8 {
        if self.is_root() {
            errors.iter().for_each(print_option_error);
        }
        let messages: Vec<String> = errors.iter().map(OptionError::to_string).collect();
        self.abandon(&messages.join("; "))
    }

    /// Checks that all ranks see the same contents in these files; else the exit code, and the reason is printed.
    pub(super) fn check_files(&self, what: &str, files: &[PathBuf]) -> Result<(), u8> {
        if self.communicator.is_none() {
            return Ok(());
        }
        let hashes = files.iter().map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Where it cannot be read, ranks differ, or all report that later.
            let hash = batch::sha256(path).unwrap_or_else(|error| error.to_string());
            format!("{name} {hash}")
        });
        self.check_equal(what, &hashes.collect::<Vec<_>>().join(", "))
    }

    /// Checks that a text is equal on all ranks; else the exit code, and the reason is printed.
    pub(super) fn check_equal(&self, what: &str, own: &String) -> Result<(), u8> {
        let Some(communicator) = &self.communicator else {
            return Ok(());
        };
        communicator.check_equal(what, own).map_err(|error| {
            self.print_error(&format!("error: {error}"));
            EXIT_USAGE
        })
    }
}
