//! The program `passel`, which is the library's module `program`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    passel::program::main(None).exit()
}
