//! One match: a state machine that knows no I/O ([`Machine`]), and the task that runs it ([`Driver`]).

mod clock;
mod driver;
mod machine;
mod outcome;
mod spec;

pub use clock::{SeatClock, TimeControl, TurnKind};
pub use driver::{Driver, Inbox, Input, Surroundings, limits};
pub use machine::{Delivery, Limits, Machine, Step};
pub use outcome::{cancelled, platform_fault};
pub use spec::{AgentId, MatchSpec};
