//! Checks every input by the target that the environment names.

#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<String> =
    LazyLock::new(|| std::env::var("PASSEL_FUZZ").expect("PASSEL_FUZZ names the target"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| passel_fuzz::check(&TARGET, data));
