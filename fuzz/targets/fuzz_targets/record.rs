#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| broadside_fuzz::record(bytes));
