//! The arguments of `passel devices`.

use clap::{
    Arg,
    builder::{PossibleValuesParser, ValueParser},
};

use crate::device::cuda::ahead::ARCHITECTURES;

/// Those that have kernels compiled.
pub(super) fn compilation() -> [Arg; 2] {
    let architectures = ARCHITECTURES.iter().chain(&["here", "all"]);
    let compile = Arg::new("compile")
        .long("compile")
        .value_name("FOR")
        .num_args(0..=1);
    let into = Arg::new("into")
        .long("into")
        .value_name("FOLDER")
        .requires("compile");
    [
        compile
            .value_delimiter(',')
            .default_missing_value("here")
            .value_parser(PossibleValuesParser::new(architectures))
            .help("Compile every kernel, those of plugins among them, before it is needed: for the GPUs here, for architectures as in sm_80,sm_90a, or for all"),
        into.value_parser(ValueParser::path_buf())
            .help("Put them into this folder, not into the user's cache: named kernels beside the program, or by PASSEL_KERNELS, it serves every user, on machines without a compiler's time to spare"),
    ]
}
