//! What concerns a database in a file alone.
