//! Two bots at a match, for tests of one turn.

use anyhow::Context;
use broadside_proto::v1::{self, IllegalMoveReason as Reason, Termination, r#move::Variant as Of};

use crate::{Bot, TestArena, named, request};

/// Two bots in a match of `variant`, both in the deployment.
pub struct Table {
    /// The arena.
    pub arena: TestArena,
    /// The match.
    pub match_id: u64,
    /// The bot in seat 1.
    pub one: Bot,
    /// The bot in seat 2.
    pub two: Bot,
}

impl Table {
    /// A match of `variant` with a hundred strikes, but in naumachia, which has none.
    ///
    /// # Errors
    /// If arena, bots or match cannot be had.
    pub async fn set(variant: v1::Variant) -> anyhow::Result<Self> {
        Self::set_with(variant, |_| {}).await
    }

    /// The same, with the request changed.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub async fn set_with(
        variant: v1::Variant,
        change: impl FnOnce(&mut v1::CreateMatchRequest),
    ) -> anyhow::Result<Self> {
        let arena = TestArena::start().await?;
        let one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
        let two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        let mut request = request(variant, named("one"), named("two"));
        request.strikes = (variant != v1::Variant::Naumachia).then_some(100);
        change(&mut request);
        let match_id = arena.create(request).await?;
        Ok(Self {
            arena,
            match_id,
            one,
            two,
        })
    }

    /// Both deploy what they are dealt. Returns seat 1's first turn of the battle.
    ///
    /// # Errors
    /// If the arena does otherwise.
    pub async fn deployed(&mut self) -> anyhow::Result<v1::Turn> {
        for bot in [&mut self.one, &mut self.two] {
            let turn = bot.turn().await?;
            bot.answer(&turn, Bot::first_legal(&turn)?).await?;
        }
        self.one.turn().await
    }

    /// Sends a move that must be refused for this reason; the turn comes again as it was, with one refusal less.
    ///
    /// # Errors
    /// If the arena does otherwise.
    pub async fn refused(
        &mut self,
        turn: &v1::Turn,
        action: impl Into<Option<v1::Move>>,
        reason: Reason,
        tells: &str,
    ) -> anyhow::Result<v1::Turn> {
        self.one.answer(turn, action).await?;
        let again = self.one.turn().await?;
        let refusal = again.refusal.clone().context("no refusal")?;
        assert_eq!(refusal.reason(), reason, "{}", refusal.message);
        assert!(refusal.message.contains(tells), "{}", refusal.message);
        assert_eq!(again.turn_id, turn.turn_id);
        assert_eq!(again.view, turn.view);
        assert_eq!(again.refusals_left + 1, turn.refusals_left);
        Ok(again)
    }

    /// The match goes on as if nothing had been, to its proper end.
    ///
    /// # Errors
    /// If the arena does otherwise.
    pub async fn plays_on(mut self, turn: v1::Turn) -> anyhow::Result<()> {
        self.one.answer(&turn, Bot::first_legal(&turn)?).await?;
        let (one, two) = tokio::join!(self.one.play_first_legal(), self.two.play_first_legal());
        for end in [one?, two?] {
            let outcome = end.outcome.context("no outcome")?;
            assert!(
                matches!(
                    outcome.termination(),
                    Termination::WonByPlay | Termination::DrawByRule
                ),
                "{}",
                outcome.message
            );
        }
        self.arena.stop().await
    }

    /// As [`deployed`](Self::deployed), with seat 1's deployment turn already read.
    ///
    /// # Errors
    /// If the arena does otherwise.
    pub async fn deployed_after(&mut self, turn: &v1::Turn) -> anyhow::Result<v1::Turn> {
        self.one.answer(turn, Bot::first_legal(turn)?).await?;
        let turn = self.two.turn().await?;
        self.two.answer(&turn, Bot::first_legal(&turn)?).await?;
        self.one.turn().await
    }
}

/// A shot in classic.
pub fn shot(row: u32, column: u32) -> v1::Move {
    v1::Move {
        variant: Some(Of::Classic(v1::ClassicMove {
            r#move: Some(v1::classic_move::Move::Shot(v1::Shot {
                cell: Some(v1::Cell { row, column }),
            })),
        })),
    }
}

/// A move in classic.
pub fn classic(action: Option<v1::classic_move::Move>) -> v1::Move {
    v1::Move {
        variant: Some(Of::Classic(v1::ClassicMove { r#move: action })),
    }
}
