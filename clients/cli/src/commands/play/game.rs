//! One match as the person sees it: what is asked, what was answered, what is said about it.

use broadside_proto::v1::{
    Event, FleetInfo, IllegalMove, MatchEnd, Move, Options, Phase, Rejected, RejectedReason, Seat,
    Turn, TurnAnswer, Variant, View, connect_response::Message, r#move, view,
};

use super::{check::check, draft::Draft, input::Line, left};
use crate::{
    board, describe,
    error::Error,
    names,
    notation::{deployed, move_text, parse_move},
    output::Output,
    text::{count, escape},
};

/// What follows from what was heard or read.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    Nothing,
    Answer(TurnAnswer),
    Resign,
    Quit,
    Over(Box<MatchEnd>),
}

/// The match that is played.
pub(super) struct Game {
    match_id: u64,
    seat: Seat,
    variant: Variant,
    options: Options,
    fleet: Option<FleetInfo>,
    draft: Option<Draft>,
    begun: bool,
    turn: Option<Turn>,
    /// The answer to `turn`, once it is given: sent again if the turn comes again unrefused.
    answer: Option<TurnAnswer>,
    /// Whether the last own move was told when it was accepted.
    told: bool,
    /// Events that were told with the turn that is due: an end that comes during it brings them again.
    shown: Vec<Event>,
}

impl Game {
    pub(super) fn new(
        match_id: u64,
        seat: Seat,
        variant: Variant,
        options: Options,
        fleet: Option<FleetInfo>,
    ) -> Self {
        Self {
            match_id,
            seat,
            variant,
            options,
            fleet,
            draft: None,
            begun: false,
            turn: None,
            answer: None,
            told: false,
            shown: Vec::new(),
        }
    }

    pub(super) fn match_id(&self) -> u64 {
        self.match_id
    }

    pub(super) fn seat(&self) -> Seat {
        self.seat
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Whether a decision is due that has not been made.
    pub(super) fn waits_for_input(&self) -> bool {
        self.turn.is_some() && self.answer.is_none()
    }

    /// Takes in what the arena says.
    pub(super) fn hear(&mut self, out: &mut Output, message: Message) -> Result<Next, Error> {
        match message {
            Message::MatchStart(start) if start.match_id == self.match_id => {
                self.begun = true;
                if let Some(options) = start.options {
                    self.options = options;
                }
                out.line(&format!(
                    "The match begins: you are {} against {}.",
                    names::seat(self.variant, self.seat),
                    escape(&start.opponent)
                ))?;
            }
            Message::Turn(turn) if turn.match_id == self.match_id => return self.ask(out, turn),
            Message::Accepted(accepted) if accepted.match_id == self.match_id => {
                let event = accepted.event.unwrap_or_default();
                let said = describe::move_and_answer(
                    &self.options,
                    event.r#move.as_ref(),
                    event.answer.as_ref(),
                );
                self.told = true;
                self.shown.clear();
                self.turn = None;
                self.answer = None;
                out.line(&format!("You: {said}"))?;
            }
            Message::Rejected(rejected) => self.rejected(out, &rejected)?,
            Message::MatchEnd(end) if end.match_id == self.match_id => {
                self.tell(out, &end.events)?;
                return Ok(Next::Over(Box::new(end)));
            }
            _ => {}
        }
        Ok(Next::Nothing)
    }

    /// A decision is due.
    fn ask(&mut self, out: &mut Output, turn: Turn) -> Result<Next, Error> {
        let again = self.turn.as_ref().map(|turn| turn.turn_id) == Some(turn.turn_id);
        if again && turn.refusal.is_none() {
            // It came again after a reconnection. What was answered may have been lost on the way.
            self.turn = Some(turn);
            return Ok(match &self.answer {
                Some(answer) => Next::Answer(answer.clone()),
                None => Next::Nothing,
            });
        }
        self.answer = None;
        self.begun = true;
        self.tell(out, &turn.events)?;
        if let Some(refusal) = &turn.refusal {
            self.refused(out, refusal, turn.refusals_left)?;
        }
        self.draft = match (turn.phase(), &self.fleet) {
            (Phase::Deployment, Some(fleet)) => {
                Some(Draft::new(self.options.clone(), fleet.clone()))
            }
            _ => None,
        };
        self.turn = Some(turn);
        self.show(out)?;
        Ok(Next::Nothing)
    }

    /// Tells what has happened, as far as it is new.
    fn tell(&mut self, out: &mut Output, events: &[Event]) -> Result<(), Error> {
        let fresh = events.strip_prefix(self.shown.as_slice()).unwrap_or(events);
        for event in fresh {
            if event.seat() != self.seat || !self.told {
                out.line(&describe::event(&self.options, event))?;
            }
        }
        self.shown = events.to_vec();
        self.told = false;
        Ok(())
    }

    /// The position, and what is asked.
    fn show(&self, out: &mut Output) -> Result<(), Error> {
        let Some(turn) = &self.turn else {
            out.line("It is not your turn.")?;
            return Ok(());
        };
        out.text("\n")?;
        match (turn.phase(), self.dealt()) {
            (Phase::Deployment, Some(dealt)) => {
                let fleet = dealt.variant.as_ref().and_then(deployed);
                out.line("The arena deals you this fleet:")?;
                out.text(&board::deployment(
                    &self.options,
                    &fleet.cloned().unwrap_or_default(),
                ))?;
                if self.variant == Variant::AmiralAdvanced {
                    let text = move_text(dealt);
                    let berth = text.rsplit_once(", ").map_or("", |(_, berth)| berth);
                    out.line(&format!("with the submarine at {berth}."))?;
                }
            }
            (Phase::Deployment, None) => {}
            _ => {
                let view = turn.view.clone().unwrap_or_default();
                out.text(&board::view(&self.options, self.seat, &view))?;
            }
        }
        out.line(&format!(
            "{} You have {}.",
            self.instruction(turn),
            left(turn.time_left_us)
        ))?;
        Ok(())
    }

    fn instruction(&self, turn: &Turn) -> String {
        match turn.phase() {
            Phase::Deployment => {
                let missing = self.draft.as_ref().map(Draft::still_missing);
                format!(
                    "{}, such as {}: {}.",
                    match self.dealt() {
                        Some(_) => "Enter takes it; or place your own",
                        None => "Place your fleet",
                    },
                    match self.variant {
                        Variant::Naumachia => "battleship Γ4 horizontal (or 3:4)",
                        _ => "carrier A1 horizontal",
                    },
                    missing.unwrap_or_default()
                )
            }
            Phase::Relocation => {
                "The enemy hunted your submarine in vain. Say where it goes, such as berth E; Enter: it stays."
                    .to_owned()
            }
            _ => match self.variant {
                Variant::Salvo | Variant::AdvancedSalvo => format!(
                    "Fire your salvo of {}, such as D4 E5 F6.",
                    count(salvo_size(turn), "cell")
                ),
                Variant::AmiralAdvanced => {
                    "Your move: a shot (E5), torpedo E5, hunt E or hunt 5, or strike B1.".to_owned()
                }
                Variant::Naumachia => {
                    "Fire at a cell, such as Γ4 (or 3:4: column 3, row 4).".to_owned()
                }
                Variant::Abalone => {
                    "Your move: one to three marbles and a direction, such as c3 c4 c5 ne.".to_owned()
                }
                Variant::Classic | Variant::Amiral | Variant::Unspecified => {
                    "Fire at a cell, such as B10.".to_owned()
                }
            },
        }
    }

    fn refused(
        &self,
        out: &mut Output,
        refusal: &IllegalMove,
        refusals_left: u32,
    ) -> Result<(), Error> {
        let left = match refusals_left {
            0 => "one more refusal loses the match".to_owned(),
            more => format!("{more} more may be refused"),
        };
        out.line(&format!(
            "The arena refuses: {} ({left}.)",
            describe::refusal(refusal)
        ))?;
        Ok(())
    }

    fn rejected(&mut self, out: &mut Output, rejected: &Rejected) -> Result<(), Error> {
        if matches!(
            rejected.reason(),
            RejectedReason::Late | RejectedReason::AlreadyAnswered | RejectedReason::UnknownTurn
        ) && self.turn.as_ref().map(|turn| turn.turn_id) == Some(rejected.turn_id)
        {
            self.turn = None;
            self.answer = None;
        }
        out.line(&format!("The arena says: {}", escape(&rejected.message)))?;
        Ok(())
    }

    /// Takes in what was typed.
    pub(super) fn read(&mut self, out: &mut Output, text: &str) -> Result<Next, Error> {
        match Line::of(self.variant, text) {
            Line::Help => out.line(&self.help())?,
            Line::Board => self.show(out)?,
            Line::Moves => out.line(&self.moves())?,
            Line::Resign => return Ok(Next::Resign),
            Line::Quit => return Ok(Next::Quit),
            _ if !self.waits_for_input() => {
                out.line("It is not your turn yet; that line is not kept.")?;
            }
            Line::Undo | Line::Clear if self.draft.is_none() => {
                out.line("There is no fleet to place now.")?;
            }
            Line::Undo => self.edit(out, Draft::undo)?,
            Line::Clear => self.edit(out, Draft::clear)?,
            Line::Dealt => return self.take_dealt(out),
            Line::Move(text) => return self.take_move(out, &text),
        }
        Ok(Next::Nothing)
    }

    fn take_move(&mut self, out: &mut Output, text: &str) -> Result<Next, Error> {
        let Some(turn) = &self.turn else {
            return Ok(Next::Nothing);
        };
        if let Some(draft) = &mut self.draft {
            let before = draft.deployment();
            let wrong = draft.add(text).err();
            if let Some(fleet) = draft.finished() {
                return Ok(self.answer(fleet));
            }
            if draft.deployment() != before {
                out.text(&board::deployment(&self.options, &draft.deployment()))?;
            }
            if let Some(wrong) = wrong {
                out.line(&wrong)?;
            }
            out.line(&format!("Still to place: {}.", draft.still_missing()))?;
            return Ok(Next::Nothing);
        }
        let played = match parse_move(self.variant, turn.phase(), text) {
            Ok(played) => played,
            Err(wrong) => {
                out.line(&wrong.to_string())?;
                return Ok(Next::Nothing);
            }
        };
        let legal = turn.legal_moves.clone().unwrap_or_default();
        if let Err(wrong) = check(self.variant, &legal, &played) {
            out.line(&wrong)?;
            return Ok(Next::Nothing);
        }
        Ok(self.answer(played))
    }

    /// `random`, or an empty line.
    fn take_dealt(&mut self, out: &mut Output) -> Result<Next, Error> {
        let phase = self.turn.as_ref().map(Turn::phase).unwrap_or_default();
        match (phase, self.dealt().cloned()) {
            (Phase::Deployment, Some(_))
                if self.draft.as_ref().is_some_and(|it| !it.is_empty()) =>
            {
                out.line("You have begun to place your own fleet: clear takes it back.")?;
            }
            (Phase::Deployment, Some(dealt)) => return Ok(self.answer(dealt)),
            (Phase::Deployment, None) => out.line("The arena has dealt no fleet.")?,
            (Phase::Relocation, _) => {
                if let Some(stay) = self.stay() {
                    return Ok(self.answer(stay));
                }
                out.line("Where the submarine lies is not known: name a berth.")?;
            }
            _ => {
                out.line("A move is needed: help says how it is written, moves which there are.")?
            }
        }
        Ok(Next::Nothing)
    }

    fn answer(&mut self, played: Move) -> Next {
        let Some(turn) = &self.turn else {
            return Next::Nothing;
        };
        let answer = TurnAnswer {
            match_id: self.match_id,
            turn_id: turn.turn_id,
            r#move: Some(played),
        };
        self.answer = Some(answer.clone());
        Next::Answer(answer)
    }

    /// Changes the fleet that is being placed, and shows it.
    fn edit(&mut self, out: &mut Output, change: impl FnOnce(&mut Draft)) -> Result<(), Error> {
        if let Some(draft) = &mut self.draft {
            change(draft);
            out.text(&board::deployment(&self.options, &draft.deployment()))?;
            out.line(&format!("Still to place: {}.", draft.still_missing()))?;
        }
        Ok(())
    }

    /// The fleet that the arena deals.
    fn dealt(&self) -> Option<&Move> {
        self.turn.as_ref()?.legal_moves.as_ref()?.moves.first()
    }

    /// The submarine stays where it is.
    fn stay(&self) -> Option<Move> {
        let view = self.turn.as_ref()?.view.as_ref()?;
        let Some(view::Variant::AmiralAdvanced(view)) = &view.variant else {
            return None;
        };
        let berth = crate::notation::berth(view.berth.as_ref()?);
        parse_move(self.variant, Phase::Relocation, &berth).ok()
    }

    fn moves(&self) -> String {
        let legal = self
            .turn
            .as_ref()
            .and_then(|turn| turn.legal_moves.as_ref());
        let Some(legal) = legal.filter(|_| self.waits_for_input()) else {
            return "It is not your turn.".to_owned();
        };
        if self.draft.is_some() {
            return "Any fleet that lies on the grid as the rules say.".to_owned();
        }
        let cells = |cell: &_| crate::notation::Coordinates::LetterNumber.cell(*cell);
        match &legal.salvo {
            Some(choice) => format!(
                "Any {} of: {}",
                choice.size,
                choice.cells.iter().map(cells).collect::<Vec<_>>().join(" ")
            ),
            None => {
                let separator = match legal.moves.first().and_then(|it| it.variant.as_ref()) {
                    Some(r#move::Variant::Abalone(_) | r#move::Variant::AmiralAdvanced(_)) => ", ",
                    _ => " ",
                };
                let moves: Vec<String> = legal.moves.iter().map(move_text).collect();
                moves.join(separator)
            }
        }
    }

    fn help(&self) -> String {
        let phase = match &self.turn {
            Some(turn) => self.instruction(turn),
            None => "Wait for your turn.".to_owned(),
        };
        format!(
            "{phase}\nAlso: moves (what is legal), board (show it again), undo and clear (while you place ships), resign (give up), quit (give up and leave), help."
        )
    }
}

/// How many cells the turn's salvo has.
fn salvo_size(turn: &Turn) -> usize {
    let view: Option<&View> = turn.view.as_ref();
    let size = match view.and_then(|view| view.variant.as_ref()) {
        Some(view::Variant::Salvo(view)) => view.salvo_size,
        Some(view::Variant::AdvancedSalvo(view)) => view.salvo_size,
        _ => 0,
    };
    usize::try_from(size).unwrap_or(usize::MAX)
}
