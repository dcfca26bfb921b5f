//! Bots that dial in: one stream each, for any number of matches.
//!
//! [`Session`] is the way out to a bot; [`Gateway`] the way in, from the hello to the last message.

mod converse;
mod frame;
mod outbox;
mod profile;
mod resume;
mod sent;
mod session;
mod silence;

pub use converse::Gateway;
pub(crate) use converse::converse;
pub use frame::Frame;
pub use profile::profile_from;
pub(crate) use profile::{MAX_NAME, excerpt, is_name};
pub use resume::ResumeKey;
pub(crate) use sent::{Outlet, in_place};
pub(crate) use session::queue_limit;
pub use session::{Ending, Session};
