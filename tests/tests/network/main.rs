//! Matches over a bad network: nobody loses on time for what the network did not take, no match is stuck, and nothing is left behind.

mod dialled;
mod messages;
mod rig;
mod vanished;
mod weather;
