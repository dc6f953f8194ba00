#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| passel_fuzz::mrmr(data));
