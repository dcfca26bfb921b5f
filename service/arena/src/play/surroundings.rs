//! What a match needs of the arena around it.

use std::{sync::Arc, time::Duration};

use broadside_record::signature::Signatory;
use tokio_util::sync::CancellationToken;

use super::Limits;
use crate::{
    meters::Meters,
    roster::Roster,
    stall::Stalls,
    store::Store,
    time::{WallClock, duration_us},
};

/// What a match needs of the arena. One for all matches.
pub struct Surroundings {
    /// Where logs are kept.
    pub store: Arc<dyn Store>,
    /// Who is there.
    pub roster: Arc<Roster>,
    /// Waits that hold for every match.
    pub limits: Limits,
    /// How long an agent may take to connect, in microseconds.
    pub connect_us: u64,
    /// How long a match may wait for agents that are there to have room, in microseconds.
    pub queue_us: u64,
    /// The arena's key, under every record.
    pub signatory: Arc<Signatory>,
    /// When the arena itself did not get to run.
    pub stalls: Arc<Stalls>,
    /// What tells the date.
    pub wall: WallClock,
    /// What is measured.
    pub meters: Arc<Meters>,
    /// Is cancelled when no more matches are taken, and none starts.
    pub draining: CancellationToken,
    /// Is cancelled when matches are to be left as they are, to be resumed: for one that waits for its store. The others are told, since
    /// it would be looked at with every turn.
    pub leaving: CancellationToken,
}

/// How often the time of a turn that waits for its answer is noted in the log. What is used after the last note is forgiven if the
/// arena must be started again.
const NOTE: Duration = Duration::from_secs(1);

/// The waits of an arena, in microseconds, from its settings.
pub fn limits(grace: Duration, delivery: Duration) -> Limits {
    Limits {
        note_us: duration_us(NOTE),
        grace_us: duration_us(grace),
        delivery_us: duration_us(delivery),
    }
}
