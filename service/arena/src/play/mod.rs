//! One match: a state machine that knows no I/O ([`Machine`]), and the task that runs it ([`Driver`]).

mod clock;
mod dispute;
mod driver;
mod hidden;
mod inbox;
mod input;
mod ledger;
mod machine;
mod outcome;
mod progress;
mod spec;
mod surroundings;

pub use clock::{SeatClock, TimeControl, TurnKind};
pub use driver::Driver;
pub use inbox::{Inbox, NotTaken, Over};
pub use input::Input;
pub use ledger::Ledger;
pub use machine::{Delivery, Limits, Machine, News, PendingTurn, ResumeError, Step};
pub use outcome::{cancelled, platform_fault};
pub use progress::{Followed, Follower, Progress};
pub use spec::{AgentId, BadCreation, MatchSpec};
pub use surroundings::{Surroundings, limits};
