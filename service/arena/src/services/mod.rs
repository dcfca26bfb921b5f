//! The services of the contract. A method decodes, calls one thing, and encodes.

mod catalog;
mod gateway;
mod matches;
mod page;
mod watch;

pub use catalog::Catalog;
pub use gateway::GatewayEndpoint;
pub use matches::Matches;
