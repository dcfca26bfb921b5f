//! What must not get into a log, wherever it is.

use std::fmt;

/// Something that is not printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Hidden<T>(pub(super) T);

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}
