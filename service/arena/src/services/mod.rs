//! The services of the contract. A method decodes, calls one thing, and encodes.

mod catalog;
mod gateway;
mod matches;
mod page;
mod watch;

pub use catalog::Catalog;
pub use gateway::GatewayEndpoint;
pub(crate) use matches::MAX_REASON;
pub use matches::Matches;
pub(crate) use page::MAX_SIZE as MAX_PAGE_SIZE;
