//! Whatever was found interesting before, and is kept, is taken in again by the same functions.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::{fs, path::Path};

use broadside_fuzz::{TARGETS, record};

#[test]
fn everything_that_is_kept_is_taken_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus-kept");
    for (name, target) in TARGETS {
        let mut count = 0;
        for file in fs::read_dir(folder.join(name)).expect(name) {
            target(&fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count >= 5, "{name}: {count} files");
    }
}

#[test]
fn real_records_are_taken_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../service/record/tests/records");
    for file in fs::read_dir(folder).unwrap() {
        record(&fs::read(file.unwrap().path()).unwrap());
    }
}
