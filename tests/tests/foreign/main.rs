//! Clients that nobody here wrote, and that know of the arena what it says of itself.

mod ghz;
mod grpcurl;
mod tools;
