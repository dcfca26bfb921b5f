//! The bots of every language under `agents/`, as their authors start them, against the real arena. A language whose toolchain is
//! not on the machine is skipped loudly, and is a failure with CI=true.

mod access;
mod bot;
mod check;
mod language;
mod matches;
mod newer;
mod own_tests;
mod python;
mod restart;
mod sessions;
