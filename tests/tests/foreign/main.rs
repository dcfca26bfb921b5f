//! Clients that nobody here wrote, and that know of the arena what it says of itself; and a verifier in another language.

mod ghz;
mod grpcurl;
mod tools;
mod verifier;
