//! Bots that dial in: one stream each, for any number of matches.
//!
//! [`Session`] is the way out to a bot; [`converse`] is the way in, from the hello to the last message.

mod converse;
mod outbox;
mod profile;
mod resume;
mod session;
mod silence;

pub use converse::{Gateway, converse};
pub use outbox::Outbox;
pub use profile::profile_from;
pub(crate) use profile::{MAX_NAME, excerpt, is_name};
pub use resume::ResumeKey;
pub(crate) use session::queue_limit;
pub use session::{Ending, Session};
