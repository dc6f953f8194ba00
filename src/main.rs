//! The program `passel`; all of it is in `program/`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    passel::program::main(None).exit()
}
