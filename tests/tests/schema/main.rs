//! The contract grows, and what was written before plays on: one end speaks a schema that has more of everything, the other this one.

mod matches;
mod newer_end;
mod richer;
mod services;
