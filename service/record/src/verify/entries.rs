//! The log, entry by entry: which may follow which.

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::{Game, Phase, Seat};
use prost::Message;

use super::{
    Kind,
    finding::Wrong,
    seat::{AtFault, Refusal, SeatState},
    terms::Terms,
};
use crate::convert;

/// What must come next, because of what has just happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The end, by the game's own rules.
    ByPlay,
    /// This seat is at fault: it had a refusal too many.
    Strikes(Seat),
    /// The end, by the fault of this seat, which nothing is waited for any more.
    Fault(Seat),
    /// The end, as the arena's fault.
    Platform,
}

/// A log as far as it has been read.
pub(super) struct Verifier {
    pub(super) terms: Terms,
    pub(super) game: Game,
    pub(super) seats: [SeatState; 2],
    pub(super) started: bool,
    /// Of the last entry.
    pub(super) at_us: u64,
    pub(super) due: Option<Due>,
    pub(super) moves: usize,
    pub(super) refusals: usize,
    pub(super) outcome: Option<v1::Outcome>,
}

impl Verifier {
    /// A log that begins so.
    pub(super) fn new(first: &v1::LogEntry) -> Result<Self, Wrong> {
        let v1::LogEntry { at_us, entry } = first;
        let Some(Entry::Created(created)) = entry else {
            return Err(Kind::Order.wrong(format!(
                "it is {}: the first must be created",
                name(entry.as_ref())
            )));
        };
        Kind::Order.expect("at_us", at_us, &0)?;
        let terms = Terms::new(created)?;
        Ok(Self {
            game: Game::new(&terms.options),
            seats: Seat::ALL.map(|seat| SeatState::new(seat, &terms.control)),
            terms,
            started: false,
            at_us: 0,
            due: None,
            moves: 0,
            refusals: 0,
            outcome: None,
        })
    }

    /// Reads the next entry; `body` is how it was written, `rest` are those after it.
    pub(super) fn read(
        &mut self,
        entry: &v1::LogEntry,
        body: &[u8],
        rest: &[v1::LogEntry],
    ) -> Result<(), Wrong> {
        let whole = entry;
        let v1::LogEntry { at_us, entry } = entry;
        let at_us = *at_us;
        let wrong =
            |what: &str| Err(Kind::Order.wrong(format!("it is {}: {what}", name(entry.as_ref()))));
        if self.outcome.is_some() {
            return wrong("the match is over before it");
        }
        if at_us < self.at_us {
            return Err(Kind::Order.wrong(format!(
                "at_us is {at_us}: the entry before it is at {}",
                self.at_us
            )));
        }
        let Some(entry) = entry else {
            if body.len() == whole.encoded_len() {
                return Err(
                    Kind::Form.wrong("it says nothing: exactly one kind of entry must be set")
                );
            }
            // Of a kind that this program does not know.
            self.at_us = at_us;
            return Ok(());
        };
        match entry {
            Entry::Created(_) => return wrong("the match is created already"),
            Entry::Started(_) if self.started => return wrong("the match is started already"),
            Entry::Started(_) | Entry::Ended(_) => {}
            _ if !self.started => return wrong("the match is not started"),
            _ => {}
        }
        self.check_due(entry)?;
        match entry {
            Entry::Created(_) => {}
            Entry::Started(v1::MatchStarted {}) => {
                self.started = true;
                self.go_on(at_us);
            }
            Entry::Accepted(accepted) => self.accepted(accepted, body, at_us)?,
            Entry::Refused(refused) => self.refused(refused, at_us, rest)?,
            Entry::Disconnected(disconnected) => {
                let v1::SeatDisconnected { seat, message: _ } = disconnected;
                let state = self.present(*seat)?;
                if let Some(lost) = state.lost_us {
                    return Err(Kind::Connection.wrong(format!(
                        "the connection of {} is lost already, since {lost}",
                        seat_from(*seat)?
                    )));
                }
                state.lost_us = Some(at_us);
            }
            Entry::Reconnected(v1::SeatReconnected { seat }) => {
                let state = self.present(*seat)?;
                if state.lost_us.take().is_none() {
                    return Err(Kind::Connection.wrong(format!(
                        "the connection of {} is not lost",
                        seat_from(*seat)?
                    )));
                }
                state.reached_us = at_us;
                self.due_of_waiting();
            }
            Entry::Resumed(v1::MatchResumed {}) => {
                for state in &mut self.seats {
                    state.interrupt(at_us);
                }
            }
            Entry::Noted(noted) => {
                let v1::TurnNoted {
                    seat,
                    turn_id,
                    used_us,
                } = *noted;
                self.present(seat)?.turn(turn_id)?.note(used_us, at_us)?;
            }
            Entry::AtFault(at_fault) => self.at_fault(at_fault, at_us)?,
            Entry::Disputed(disputed) => self.disputed(disputed)?,
            Entry::Ended(ended) => self.ended(ended, at_us)?,
        }
        self.at_us = at_us;
        Ok(())
    }

    /// The log is read: it must have come to its end.
    pub(super) fn finish(self) -> Result<v1::Outcome, Wrong> {
        self.outcome
            .ok_or_else(|| Kind::Order.wrong("the last entry does not end the match: it must"))
    }

    /// Whether the entry is what must come next, if something must.
    fn check_due(&self, entry: &Entry) -> Result<(), Wrong> {
        let must = match (self.due, entry) {
            (None, _) | (Some(_), Entry::Ended(_)) => return Ok(()),
            (Some(Due::Strikes(seat)), Entry::AtFault(at_fault))
                if seat_from(at_fault.seat)? == seat =>
            {
                return Ok(());
            }
            (Some(Due::ByPlay), _) => "the game is over, and the match must end".to_owned(),
            (Some(Due::Strikes(seat)), _) => format!(
                "{seat} has had {} refusals with {} allowed, and must be at fault",
                self.seats[seat.index()].refusals,
                self.terms.strikes
            ),
            (Some(Due::Fault(seat)), _) => {
                format!(
                    "nothing is waited for any more, and the match must end by the fault of {seat}"
                )
            }
            (Some(Due::Platform), _) => {
                "the arena refused a legal move, and the match must end as its fault".to_owned()
            }
        };
        Err(Kind::Outcome.wrong(format!("it is {}: {must}", name(Some(entry)))))
    }

    /// A seat that is not at fault.
    fn present(&mut self, seat: i32) -> Result<&mut SeatState, Wrong> {
        let seat = seat_from(seat)?;
        let state = &mut self.seats[seat.index()];
        match &state.fault {
            None => Ok(state),
            Some(_) => Err(Kind::Fault.wrong(format!(
                "{seat} is at fault already, and has no part in the match any more"
            ))),
        }
    }

    pub(super) fn state(&mut self, seat: i32) -> Result<(Seat, &mut SeatState), Wrong> {
        let state = self.present(seat)?;
        Ok((seat_from(seat)?, state))
    }

    /// After the start, and after an accepted move answered at that moment: the game is over, or whoever is to act is asked.
    pub(super) fn go_on(&mut self, asked_us: u64) {
        if self.game.outcome().is_some() {
            self.due = Some(Due::ByPlay);
            return;
        }
        if let Some(seat) = self.first_at_fault() {
            self.due = Some(Due::Fault(seat));
            return;
        }
        let deployment = self.game.phase() == Phase::Deployment;
        for seat in self.game.to_act().iter() {
            let state = &mut self.seats[seat.index()];
            if state.pending.is_none() {
                state.ask(deployment, asked_us);
            }
        }
    }

    pub(super) fn first_at_fault(&self) -> Option<Seat> {
        Seat::ALL
            .into_iter()
            .find(|seat| self.seats[seat.index()].fault.is_some())
    }

    /// Whether the match waits for the other seat before this one loses by such a fault: while it deploys, and while both
    /// are disconnected.
    pub(super) fn waits(&self, at_fault: Seat, termination: v1::Termination) -> bool {
        let other = &self.seats[at_fault.other().index()];
        let deploys = self.game.phase() == Phase::Deployment && other.pending.is_some();
        deploys || (termination == v1::Termination::Disconnected && other.lost_us.is_some())
    }

    /// A seat is found again: if the other one is at fault, that was all that was waited for, or it still deploys.
    fn due_of_waiting(&mut self) {
        for seat in Seat::ALL {
            if let Some(AtFault { termination, .. }) = self.seats[seat.index()].fault
                && !self.waits(seat, termination)
            {
                self.due = Some(Due::Fault(seat));
            }
        }
    }

    /// A refusal was disputed, and judged again.
    fn disputed(&mut self, disputed: &v1::RefusalDisputed) -> Result<(), Wrong> {
        let v1::RefusalDisputed {
            seat,
            turn_id,
            stands,
        } = *disputed;
        let pending = self.present(seat)?.turn(turn_id)?;
        let expected = match pending.refusal {
            Refusal::Right => true,
            Refusal::Overturned => false,
            Refusal::None => {
                return Err(Kind::Refusal.wrong(format!(
                    "turn {turn_id} has no refusal that can be disputed"
                )));
            }
            Refusal::Disputed => {
                return Err(Kind::Refusal
                    .wrong(format!("the refusal in turn {turn_id} was disputed before")));
            }
        };
        Kind::Refusal.expect("stands", &stands, &expected)?;
        pending.refusal = Refusal::Disputed;
        if !stands {
            self.due = Some(Due::Platform);
        }
        Ok(())
    }
}

pub(super) fn seat_from(seat: i32) -> Result<Seat, Wrong> {
    v1::Seat::try_from(seat)
        .ok()
        .and_then(convert::seat_from)
        .ok_or_else(|| Kind::Form.wrong(format!("seat is {seat}: it must be 1 or 2")))
}

/// An entry as the contract calls it.
fn name(entry: Option<&Entry>) -> &'static str {
    match entry {
        None => "empty",
        Some(Entry::Created(_)) => "created",
        Some(Entry::Started(_)) => "started",
        Some(Entry::Accepted(_)) => "accepted",
        Some(Entry::Refused(_)) => "refused",
        Some(Entry::Disconnected(_)) => "disconnected",
        Some(Entry::Reconnected(_)) => "reconnected",
        Some(Entry::Ended(_)) => "ended",
        Some(Entry::Resumed(_)) => "resumed",
        Some(Entry::Noted(_)) => "noted",
        Some(Entry::AtFault(_)) => "at_fault",
        Some(Entry::Disputed(_)) => "disputed",
    }
}
