use arrayvec::ArrayVec;

use super::{
    Answer, Arsenal, Berth, Cell, CellSet, Deployment, Knowledge, LegalMoves, Move, Route, Ruleset,
    ShipClass, ShotAnswer, Sunk, Telling, Volley,
    amiral_advanced::SUNK_BEFORE_AIR_STRIKE,
    deployment::MAX_SHIPS,
    side::{Impact, Side},
};
use crate::{Ending, IllegalMove, MoveKind, Outcome, Phase, Seat, Seats};

/// A game from the first shot to the last: both fleets are placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Battle {
    rules: &'static Ruleset,
    sides: [Side; 2],
    told: [Knowledge; 2],
    turn: Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Move(Seat),
    Relocate(Seat),
    Over(Outcome),
}

/// A battle move that was found legal, with what the check worked out.
enum Checked<'a> {
    Shot(Cell),
    Salvo(&'a [Cell]),
    Torpedo(Route),
    Hunt { end: Berth, found: bool },
    Relocate(Berth),
    AirStrike(CellSet),
}

impl Battle {
    /// A battle of which nothing was told yet.
    pub(super) fn new(rules: &'static Ruleset, placed: [Deployment; 2]) -> Self {
        Self {
            rules,
            sides: placed.map(Side::new),
            told: [Knowledge::new(rules), Knowledge::new(rules)],
            turn: Turn::Move(Seat::One),
        }
    }

    pub(super) const fn to_act(&self) -> Seats {
        match self.turn {
            Turn::Move(seat) | Turn::Relocate(seat) => Seats::only(seat),
            Turn::Over(_) => Seats::NONE,
        }
    }

    pub(super) const fn phase(&self) -> Phase {
        match self.turn {
            Turn::Move(_) => Phase::Battle,
            Turn::Relocate(_) => Phase::Relocation,
            Turn::Over(_) => Phase::Over,
        }
    }

    pub(super) const fn outcome(&self) -> Option<Outcome> {
        match self.turn {
            Turn::Over(outcome) => Some(outcome),
            _ => None,
        }
    }

    pub(super) const fn told(&self) -> &[Knowledge; 2] {
        &self.told
    }

    pub(super) const fn side(&self, seat: Seat) -> &Side {
        &self.sides[seat.index()]
    }

    /// Cells a salvo of `seat` must name now; none unless salvos are played and it is to move.
    pub(super) fn salvo_size(&self, seat: Seat) -> Option<usize> {
        let fires = self.turn == Turn::Move(seat) && self.rules.volley == Volley::ShipsAfloat;
        fires.then(|| self.required_salvo(seat))
    }

    pub(super) fn check(&self, seat: Seat, action: &Move) -> Result<(), IllegalMove> {
        self.checked(seat, action).map(drop)
    }

    pub(super) fn play(&mut self, seat: Seat, action: &Move) -> Result<Answer, IllegalMove> {
        let answer = match self.checked(seat, action)? {
            Checked::Shot(cell) => self.shoot(seat, cell),
            Checked::Salvo(cells) => match self.rules.telling {
                Telling::EachShot => self.fire_salvo(seat, cells),
                Telling::Count => self.fire_counted_salvo(seat, cells),
            },
            Checked::Torpedo(route) => self.fire_torpedo(seat, route),
            Checked::Hunt { end, found } => self.hunt(seat, end, found),
            Checked::Relocate(berth) => {
                self.sides[seat.index()].moor(berth);
                self.turn = Turn::Move(seat);
                Answer::Relocated
            }
            Checked::AirStrike(cells) => self.air_strike(seat, cells),
        };
        if self.side(seat.other()).afloat() == 0 {
            self.turn = Turn::Over(Outcome {
                winner: Some(seat),
                ending: Ending::FleetSunk,
            });
        }
        Ok(answer)
    }

    pub(super) fn legal_moves(&self, seat: Seat) -> LegalMoves {
        match self.turn {
            Turn::Move(mover) if mover == seat => {
                let mut moves = LegalMoves {
                    targets: self.own_told(seat).targets(),
                    salvo_size: self.salvo_size(seat),
                    ..LegalMoves::default()
                };
                if self.rules.submarine {
                    self.add_arsenal(seat, &mut moves);
                }
                moves
            }
            Turn::Relocate(owner) if owner == seat => LegalMoves {
                berths: Berth::all().collect(),
                ..LegalMoves::default()
            },
            _ => LegalMoves::default(),
        }
    }

    /// What amiral-advanced has beside its guns.
    fn add_arsenal(&self, seat: Seat, moves: &mut LegalMoves) {
        moves.torpedoes = self.torpedoes(seat);
        if let Some(route) = self.enemy_arsenal(seat).and_then(Arsenal::huntable) {
            moves.hunts = route.ends().into();
        }
        moves.air_strikes = self.air_strikes(seat);
    }
}

/// What is legal. Only the mover's own waters and what was told are looked at, but for the one
/// answer that a hunt asks for.
impl Battle {
    fn checked<'a>(&self, seat: Seat, action: &'a Move) -> Result<Checked<'a>, IllegalMove> {
        self.check_turn(seat, action.kind())?;
        match action {
            Move::Shot(cell) => {
                self.check_target(seat, *cell)?;
                Ok(Checked::Shot(*cell))
            }
            Move::Salvo(cells) => {
                self.check_salvo(seat, cells)?;
                Ok(Checked::Salvo(cells))
            }
            Move::Torpedo(route) => {
                self.check_torpedo(seat, *route)?;
                Ok(Checked::Torpedo(*route))
            }
            Move::Hunt(end) => self.checked_hunt(seat, *end),
            Move::Relocate(berth) => Ok(Checked::Relocate(*berth)),
            Move::AirStrike(top_left) => self.checked_air_strike(seat, *top_left),
            Move::Deploy { .. } => Err(self.out_of_turn(seat, MoveKind::Deploy)),
        }
    }

    fn check_turn(&self, seat: Seat, attempted: MoveKind) -> Result<(), IllegalMove> {
        let in_turn = match self.turn {
            Turn::Over(_) => return Err(IllegalMove::GameOver),
            Turn::Relocate(owner) => owner == seat && attempted == MoveKind::Relocate,
            Turn::Move(mover) => {
                mover == seat && !matches!(attempted, MoveKind::Deploy | MoveKind::Relocate)
            }
        };
        if !in_turn {
            return Err(self.out_of_turn(seat, attempted));
        }
        let variant = self.rules.variant;
        if self.rules.has(attempted) {
            Ok(())
        } else {
            Err(IllegalMove::MoveNotOfVariant { attempted, variant })
        }
    }

    const fn out_of_turn(&self, seat: Seat, attempted: MoveKind) -> IllegalMove {
        IllegalMove::OutOfTurn {
            seat,
            attempted,
            phase: self.phase(),
            to_act: self.to_act(),
        }
    }

    fn check_target(&self, seat: Seat, cell: Cell) -> Result<(), IllegalMove> {
        let told = self.own_told(seat);
        if told.targets().contains(cell) {
            Ok(())
        } else if told.marked().contains(cell) {
            Err(IllegalMove::MarkedWater { cell })
        } else {
            Err(IllegalMove::AlreadyFired { cell })
        }
    }

    fn required_salvo(&self, seat: Seat) -> usize {
        let afloat = usize::from(self.side(seat).afloat());
        afloat.min(self.own_told(seat).targets().len())
    }

    fn check_salvo(&self, seat: Seat, cells: &[Cell]) -> Result<(), IllegalMove> {
        let (named, required) = (cells.len(), self.required_salvo(seat));
        if named != required {
            return Err(IllegalMove::WrongSalvoSize { named, required });
        }
        let mut seen = CellSet::EMPTY;
        for &cell in cells {
            self.check_target(seat, cell)?;
            if seen.contains(cell) {
                return Err(IllegalMove::DuplicateCell { cell });
            }
            seen.insert(cell);
        }
        Ok(())
    }

    /// Where the submarine of `seat` lies, if it is in play.
    fn submarine(&self, seat: Seat) -> Result<Berth, IllegalMove> {
        let arsenal = self.own_told(seat).arsenal();
        match (arsenal, self.side(seat).berth()) {
            (Some(arsenal), Some(berth)) if arsenal.submarine_in_play() => Ok(berth),
            _ => Err(IllegalMove::NoSubmarine),
        }
    }

    fn check_torpedo(&self, seat: Seat, route: Route) -> Result<(), IllegalMove> {
        let berth = self.submarine(seat)?;
        if !route.ends().contains(&berth) {
            return Err(IllegalMove::BerthNotOnRoute { berth, route });
        }
        let arsenal = self.own_told(seat).arsenal();
        if !arsenal.is_some_and(Arsenal::shot_since_torpedo) {
            return Err(IllegalMove::NeedsShotFirst);
        }
        Ok(())
    }

    fn torpedoes(&self, seat: Seat) -> ArrayVec<Route, 2> {
        let routes = self.submarine(seat).into_iter().flat_map(Berth::routes);
        routes
            .filter(|&route| self.check_torpedo(seat, route).is_ok())
            .collect()
    }

    fn checked_hunt<'a>(&self, seat: Seat, end: Berth) -> Result<Checked<'a>, IllegalMove> {
        let route = self
            .enemy_arsenal(seat)
            .and_then(Arsenal::huntable)
            .ok_or(IllegalMove::NothingToHunt)?;
        if !route.ends().contains(&end) {
            return Err(IllegalMove::NotARouteEnd { end, route });
        }
        let found = self.side(seat.other()).berth() == Some(end);
        Ok(Checked::Hunt { end, found })
    }

    /// Whether `seat` may make an air strike at all, wherever it be.
    fn check_air_strike(&self, seat: Seat) -> Result<(), IllegalMove> {
        let told = self.own_told(seat);
        if told.arsenal().is_none_or(Arsenal::air_strike_spent) {
            return Err(IllegalMove::StrikeSpent);
        }
        if !self.side(seat).unhit(ShipClass::Carrier) {
            return Err(IllegalMove::CarrierHit);
        }
        let sunk = told.sinkings().len();
        if sunk < SUNK_BEFORE_AIR_STRIKE {
            return Err(IllegalMove::TooFewSunk { sunk });
        }
        Ok(())
    }

    fn checked_air_strike<'a>(&self, seat: Seat, cell: Cell) -> Result<Checked<'a>, IllegalMove> {
        self.check_air_strike(seat)?;
        let block = CellSet::block(cell).ok_or(IllegalMove::OffGrid {
            row: u32::from(cell.row()) + 1,
            column: u32::from(cell.column()) + 1,
        })?;
        let struck = block & self.own_told(seat).targets();
        if struck.is_empty() {
            return Err(IllegalMove::AlreadyFired { cell });
        }
        Ok(Checked::AirStrike(struck))
    }

    fn air_strikes(&self, seat: Seat) -> CellSet {
        match self.check_air_strike(seat) {
            Ok(()) => self.own_told(seat).targets().blocks(),
            Err(_) => CellSet::EMPTY,
        }
    }

    const fn own_told(&self, seat: Seat) -> &Knowledge {
        &self.told[seat.index()]
    }

    const fn enemy_arsenal(&self, seat: Seat) -> Option<&Arsenal> {
        self.told[seat.other().index()].arsenal()
    }
}

/// What a legal move does.
impl Battle {
    /// One shot, what is told of it, and the ship that it sank, if any: its sinking is still to be
    /// [announced](Self::announce).
    fn fire(&mut self, seat: Seat, cell: Cell) -> (ShotAnswer, Option<usize>) {
        let target = &mut self.sides[seat.other().index()];
        let (ship, sunk) = match target.strike(cell) {
            Impact::Miss => (None, None),
            Impact::Hit(ship) => (Some(ship), None),
            Impact::Sunk(ship) => (Some(ship), Some(ship)),
        };
        let ships = target.deployment().ships();
        let answer = ShotAnswer {
            hit: ship.is_some(),
            class: ship
                .filter(|_| self.rules.hit_names_ship)
                .map(|ship| ships[ship].class),
        };
        self.told[seat.index()].record_shot(cell, answer.hit, answer.class);
        (answer, sunk)
    }

    /// Tells of a sinking. Shots that are resolved together are all told first, so that nothing
    /// says which of them it was.
    fn announce(&mut self, seat: Seat, ship: usize) -> Sunk {
        let deployment = self.sides[seat.other().index()].deployment();
        let placed = deployment.ships()[ship];
        let sunk = Sunk {
            class: placed.class,
            placement: self.rules.sinking_shows_ship.then_some(placed),
        };
        let told = &mut self.told[seat.index()];
        told.record_sinking(sunk.class, sunk.placement);
        if self.rules.sinking_shows_ship {
            told.mark(deployment.hull(ship).ring());
        }
        sunk
    }

    fn shoot(&mut self, seat: Seat, cell: Cell) -> Answer {
        let (ShotAnswer { hit, class }, sunk) = self.fire(seat, cell);
        let sunk = sunk.map(|ship| self.announce(seat, ship));
        if let Some(arsenal) = self.told[seat.index()].arsenal_mut() {
            arsenal.record_plain_shot();
        }
        if !(hit && self.rules.hit_shoots_again) {
            self.pass(seat);
        }
        Answer::Shot { hit, class, sunk }
    }

    fn fire_salvo(&mut self, seat: Seat, cells: &[Cell]) -> Answer {
        let mut shots = ArrayVec::<_, MAX_SHIPS>::new();
        let mut sunk = ArrayVec::<_, MAX_SHIPS>::new();
        for &cell in cells {
            let (shot, ship) = self.fire(seat, cell);
            shots.push(shot);
            sunk.extend(ship);
        }
        let sunk = sunk.into_iter().map(|ship| self.announce(seat, ship).class);
        let sunk = sunk.collect();
        self.pass(seat);
        Answer::Salvo { shots, sunk }
    }

    /// The shots strike, but only their sum is told.
    fn fire_counted_salvo(&mut self, seat: Seat, cells: &[Cell]) -> Answer {
        let target = &mut self.sides[seat.other().index()];
        let impacts = cells.iter().map(|&cell| target.strike(cell));
        let hits = impacts.filter(|&impact| impact != Impact::Miss).count() as u8;
        let enemy_afloat = target.afloat();
        self.told[seat.index()].record_salvo(cells, hits, enemy_afloat);
        self.pass(seat);
        Answer::SalvoCount { hits, enemy_afloat }
    }

    fn fire_torpedo(&mut self, seat: Seat, route: Route) -> Answer {
        let target = &mut self.sides[seat.other().index()];
        let told = &mut self.told[seat.index()];
        let ship = target.torpedo(route);
        let sunk = ship.map(|ship| target.deployment().ships()[ship].class);
        if let Some(class) = sunk {
            told.record_sinking(class, None);
        }
        if let Some(arsenal) = told.arsenal_mut() {
            arsenal.record_torpedo(route, sunk);
        }
        self.pass(seat);
        Answer::Torpedo { sunk }
    }

    fn hunt(&mut self, seat: Seat, end: Berth, found: bool) -> Answer {
        if let Some(arsenal) = self.told[seat.index()].arsenal_mut() {
            arsenal.record_hunt(end, found);
        }
        if let Some(arsenal) = self.told[seat.other().index()].arsenal_mut() {
            arsenal.record_hunted(found);
        }
        self.turn = if found {
            Turn::Move(seat.other())
        } else {
            Turn::Relocate(seat.other())
        };
        Answer::Hunt { found }
    }

    fn air_strike(&mut self, seat: Seat, cells: CellSet) -> Answer {
        let mut struck = ArrayVec::<_, 4>::new();
        let mut sunk = ArrayVec::<_, 4>::new();
        for cell in cells.iter() {
            let (shot, ship) = self.fire(seat, cell);
            struck.push((cell, shot.hit));
            sunk.extend(ship);
        }
        let sunk = sunk.into_iter().map(|ship| self.announce(seat, ship).class);
        let sunk = sunk.collect();
        if let Some(arsenal) = self.told[seat.index()].arsenal_mut() {
            arsenal.record_air_strike();
        }
        self.pass(seat);
        Answer::AirStrike { struck, sunk }
    }

    const fn pass(&mut self, seat: Seat) {
        self.turn = Turn::Move(seat.other());
    }
}
