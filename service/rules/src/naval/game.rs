use super::{
    Answer, Deployment, Knowledge, LegalMoves, Move, Options, OwnWaters, PublicView, Ruleset, View,
    battle::Battle,
};
use crate::{IllegalMove, Outcome, Phase, Seat, Seats};

/// A game of one of the six variants of Battleship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    options: Options,
    rules: &'static Ruleset,
    stage: Stage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stage {
    Deployment {
        placed: [Option<Deployment>; 2],
        told: [Knowledge; 2],
    },
    Battle(Battle),
}

impl Game {
    /// A game in which no fleet is placed yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let rules = options.ruleset();
        Self {
            options,
            rules,
            stage: Stage::Deployment {
                placed: [None, None],
                told: [Knowledge::new(rules), Knowledge::new(rules)],
            },
        }
    }

    /// The options that the game was made with.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.options
    }

    /// The rules that it is played by.
    #[must_use]
    pub const fn ruleset(&self) -> &'static Ruleset {
        self.rules
    }

    /// Who is to act now.
    #[must_use]
    pub fn to_act(&self) -> Seats {
        match &self.stage {
            Stage::Deployment { placed, .. } => {
                let mut seats = Seats::NONE;
                for seat in Seat::ALL {
                    if placed[seat.index()].is_none() {
                        seats.insert(seat);
                    }
                }
                seats
            }
            Stage::Battle(battle) => battle.to_act(),
        }
    }

    /// Where the game stands.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match &self.stage {
            Stage::Deployment { .. } => Phase::Deployment,
            Stage::Battle(battle) => battle.phase(),
        }
    }

    /// How the game ended, once it has.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        match &self.stage {
            Stage::Deployment { .. } => None,
            Stage::Battle(battle) => battle.outcome(),
        }
    }

    /// Plays a move of `seat`, and returns what everybody is told of it.
    ///
    /// # Errors
    /// [`IllegalMove`] if it is not legal; the game is then as it was.
    pub fn play(&mut self, seat: Seat, action: &Move) -> Result<Answer, IllegalMove> {
        if let Stage::Battle(battle) = &mut self.stage {
            return battle.play(seat, action);
        }
        let deployment = self.checked_deployment(seat, action)?;
        self.deploy(seat, deployment);
        Ok(Answer::Deployed)
    }

    /// Whether [`play`](Self::play) would accept the move, and if not, why.
    ///
    /// # Errors
    /// The [`IllegalMove`] that `play` would return.
    pub fn check(&self, seat: Seat, action: &Move) -> Result<(), IllegalMove> {
        match &self.stage {
            Stage::Deployment { .. } => self.checked_deployment(seat, action).map(drop),
            Stage::Battle(battle) => battle.check(seat, action),
        }
    }

    /// Whether the move may be played now.
    #[must_use]
    pub fn is_legal(&self, seat: Seat, action: &Move) -> bool {
        self.check(seat, action).is_ok()
    }

    /// The legal moves of `seat`, so far as they can be listed: deployments cannot.
    #[must_use]
    pub fn legal_moves(&self, seat: Seat) -> LegalMoves {
        match &self.stage {
            Stage::Deployment { .. } => LegalMoves::default(),
            Stage::Battle(battle) => battle.legal_moves(seat),
        }
    }

    /// All that `seat` may know.
    #[must_use]
    pub fn view(&self, seat: Seat) -> View<'_> {
        let (own, salvo_size) = match &self.stage {
            Stage::Deployment { placed, .. } => {
                (placed[seat.index()].as_ref().map(OwnWaters::placed), None)
            }
            Stage::Battle(battle) => (
                Some(OwnWaters::fighting(battle.side(seat))),
                battle.salvo_size(seat),
            ),
        };
        View {
            seat,
            phase: self.phase(),
            to_act: self.to_act(),
            own,
            target: &self.told()[seat.index()],
            incoming: &self.told()[seat.other().index()],
            salvo_size,
        }
    }

    /// All that was said aloud: what spectators may see while the game runs.
    #[must_use]
    pub fn public_view(&self) -> PublicView<'_> {
        PublicView {
            phase: self.phase(),
            to_act: self.to_act(),
            told: self.told().each_ref(),
        }
    }

    /// The fleet of `seat`, once it has placed it: secret until the game is over.
    #[must_use]
    pub fn deployment(&self, seat: Seat) -> Option<&Deployment> {
        match &self.stage {
            Stage::Deployment { placed, .. } => placed[seat.index()].as_ref(),
            Stage::Battle(battle) => Some(battle.side(seat).deployment()),
        }
    }

    const fn told(&self) -> &[Knowledge; 2] {
        match &self.stage {
            Stage::Deployment { told, .. } => told,
            Stage::Battle(battle) => battle.told(),
        }
    }

    fn checked_deployment(&self, seat: Seat, action: &Move) -> Result<Deployment, IllegalMove> {
        match action {
            Move::Deploy { ships, berth } if self.to_act().contains(seat) => {
                Deployment::new(self.rules, ships, *berth)
            }
            _ => Err(IllegalMove::OutOfTurn {
                seat,
                attempted: action.kind(),
                phase: self.phase(),
                to_act: self.to_act(),
            }),
        }
    }

    /// Nothing is told of a fleet but that it is placed; when both are, the battle begins.
    fn deploy(&mut self, seat: Seat, deployment: Deployment) {
        let Stage::Deployment { placed, .. } = &mut self.stage else {
            return;
        };
        placed[seat.index()] = Some(deployment);
        if let [Some(one), Some(two)] = placed {
            let placed = [one.clone(), two.clone()];
            self.stage = Stage::Battle(Battle::new(self.rules, placed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thousands of matches go on at once, each with its game: what a turn waits for is the memory
    /// that its game lies in, cache line by cache line.
    #[test]
    fn a_game_lies_in_twelve_cache_lines() {
        assert!(size_of::<Game>() <= 12 * 64, "{}", size_of::<Game>());
    }
}
