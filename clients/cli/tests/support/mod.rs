//! What the tests share: samples of every variant, and golden files.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses its own part"
)]

pub mod samples;

use std::{fs, path::Path};

/// Compares a text with `tests/golden/NAME`; with `BROADSIDE_UPDATE_GOLDEN` set, writes it there instead.
pub fn golden(name: &str, text: &str) {
    let text = text.replace('\u{1b}', "␛");
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("BROADSIDE_UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{} differs.\nExpected:\n{expected}\nFound:\n{text}",
        path.display()
    );
}
