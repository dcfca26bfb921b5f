//! Moves and refusals.

use super::*;

pub(super) const TURNS_AND_MOVES: &[Change] = &[
    ("a turn to come", "classic-won", Kind::Turn, |it| {
        the::Accepted(it, 4).turn_id += 2
    }),
    ("the other seat's turn", "classic-won", Kind::Turn, |it| {
        let moved = the::Accepted(it, 4);
        moved.seat = 3 - moved.seat;
    }),
    ("a move twice", "classic-won", Kind::Turn, |it| {
        let last = place(it, |it| matches!(it, Entry::Accepted(_)));
        let again = it.entries[last].clone();
        it.entries.insert(last + 1, again);
    }),
    ("a note of another turn", "noted", Kind::Turn, |it| {
        the::Noted(it, 0).turn_id += 2
    }),
    ("a cell fired at before", "classic-won", Kind::Move, |it| {
        the::Accepted(it, 4).r#move = the::Accepted(it, 2).r#move.clone();
    }),
    ("no move", "classic-won", Kind::Move, |it| {
        the::Accepted(it, 4).r#move = None
    }),
    (
        "a move of another variant",
        "abalone-won",
        Kind::Move,
        |it| {
            the::Accepted(it, 4).r#move = Some(v1::Move {
                variant: Some(v1::r#move::Variant::Classic(v1::ClassicMove::default())),
            });
        },
    ),
    ("nothing announced", "classic-won", Kind::Answer, |it| {
        the::Accepted(it, 4).answer = None
    }),
    (
        "a hit that was none, or one that was not told",
        "classic-won",
        Kind::Answer,
        |it| {
            let answer = the::Accepted(it, 4).answer.as_mut().unwrap();
            let Some(v1::answer::Variant::Classic(said)) = &mut answer.variant else {
                panic!("{answer:?}");
            };
            said.hit = !said.hit;
        },
    ),
    (
        "another commitment",
        "classic-won",
        Kind::Commitment,
        |it| the::Accepted(it, 0).commitment[5] ^= 1,
    ),
    ("no commitment", "classic-won", Kind::Commitment, |it| {
        the::Accepted(it, 1).commitment.clear()
    }),
    (
        "a commitment to a shot",
        "classic-won",
        Kind::Commitment,
        |it| {
            the::Accepted(it, 4).commitment = the::Accepted(it, 0).commitment.clone();
        },
    ),
    (
        "another commitment key",
        "classic-won",
        Kind::Commitment,
        |it| the::Created(it, 0).commitment_key[0] ^= 1,
    ),
];

pub(super) const REFUSALS: &[Change] = &[
    ("another reason", "refused", Kind::Refusal, |it| {
        let refused = the::Refused(it, 0).illegal_move.as_mut().unwrap();
        refused.reason = v1::IllegalMoveReason::GameOver.into();
    }),
    (
        "an agent's error with a move",
        "agent-error",
        Kind::Refusal,
        |it| {
            the::Refused(it, 0).r#move = Some(v1::Move::default());
        },
    ),
    (
        "an error of an agent that dials in",
        "agent-error",
        Kind::Refusal,
        |it| {
            the::Created(it, 0).seat_one_dialled = false;
            the::Created(it, 0).seat_two_dialled = false;
        },
    ),
    (
        "a refusal of a legal move",
        "classic-won",
        Kind::Refusal,
        |it| {
            let legal = place(it, |it| matches!(it, Entry::Accepted(_)));
            let moved = the::Accepted(it, 0).clone();
            let timing = v1::TurnTiming {
                charged_us: 0,
                ..moved.timing.unwrap()
            };
            let refused = v1::MoveRefused {
                seat: moved.seat,
                turn_id: moved.turn_id,
                r#move: moved.r#move,
                illegal_move: Some(v1::IllegalMove {
                    reason: v1::IllegalMoveReason::WrongFleet.into(),
                    message: "so it is".to_owned(),
                }),
                timing: Some(timing),
            };
            it.entries[legal].entry = Some(Entry::Refused(refused));
        },
    ),
    (
        "a refusal that does not stand",
        "disputed",
        Kind::Refusal,
        |it| the::Disputed(it, 0).stands = false,
    ),
    ("a dispute of nothing", "disputed", Kind::Refusal, |it| {
        let refused = place(it, |it| matches!(it, Entry::Refused(_)));
        let disputed = place(it, |it| matches!(it, Entry::Disputed(_)));
        let dispute = it.entries.remove(disputed);
        // The same turn, before it was refused.
        it.entries.insert(
            refused,
            LogEntry {
                at_us: it.entries[refused - 1].at_us,
                ..dispute
            },
        );
    }),
    ("a dispute twice", "disputed", Kind::Refusal, |it| {
        let disputed = place(it, |it| matches!(it, Entry::Disputed(_)));
        let again = it.entries[disputed].clone();
        it.entries.insert(disputed + 1, again);
    }),
    (
        "one refusal more than allowed, and on it goes",
        "agent-error",
        Kind::Outcome,
        |it| {
            the::Created(it, 0).strikes = 0;
            let refused = place(it, |it| matches!(it, Entry::Refused(_)));
            let seat = the::Refused(it, 0).seat;
            insert(
                it,
                refused,
                Entry::Disconnected(v1::SeatDisconnected {
                    seat,
                    message: String::new(),
                }),
            );
        },
    ),
];
