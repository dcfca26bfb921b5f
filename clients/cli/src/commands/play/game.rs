//! One match as the person sees it: what is asked, what was answered, what is said about it.

use broadside_proto::v1::{
    Event, FleetInfo, MatchEnd, Move, Options, Phase, Rejected, RejectedReason, Seat, Turn,
    TurnAnswer, Variant, connect_response::Message,
};

use super::{check::check, draft::Draft, input::Line, left, words};
use crate::{
    board, describe,
    error::Error,
    names,
    notation::{deployed, move_text, parse_move},
    output::Output,
    text::escape,
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
    given_up: bool,
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
            given_up: false,
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
        self.turn.is_some() && self.answer.is_none() && !self.given_up
    }

    /// Whoever gives up is asked nothing more.
    pub(super) fn give_up(&mut self) {
        self.given_up = true;
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
        if again && turn.refusal.is_none() && !self.given_up {
            // It came again after a reconnection. What was answered may have been lost on the way.
            self.turn = Some(turn);
            return Ok(match &self.answer {
                Some(answer) => Next::Answer(answer.clone()),
                None => Next::Nothing,
            });
        }
        self.answer = None;
        self.begun = true;
        if self.given_up {
            // The resignation may have been lost with a connection.
            return Ok(Next::Resign);
        }
        self.tell(out, &turn.events)?;
        if let Some(refusal) = &turn.refusal {
            out.line(&words::refused(refusal, turn.refusals_left))?;
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
        match (turn.phase(), words::dealt(turn)) {
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
            words::instruction(self.variant, turn, self.draft.as_ref()),
            left(turn.time_left_us)
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
            Line::Help => {
                if let Some(turn) = &self.turn {
                    out.line(&words::instruction(self.variant, turn, self.draft.as_ref()))?;
                }
                out.line(words::HELP)?;
            }
            Line::Board => self.show(out)?,
            Line::Moves => {
                let turn = self.turn.as_ref().filter(|_| self.waits_for_input());
                out.line(&words::legal_moves(turn))?;
            }
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
        let turn = self.turn.as_ref();
        let phase = turn.map(Turn::phase).unwrap_or_default();
        match (phase, turn.and_then(words::dealt).cloned()) {
            (Phase::Deployment, Some(_))
                if self.draft.as_ref().is_some_and(|it| !it.is_empty()) =>
            {
                out.line("You have begun to place your own fleet: clear takes it back.")?;
            }
            (Phase::Deployment, Some(dealt)) => return Ok(self.answer(dealt)),
            (Phase::Deployment, None) => out.line("The arena has dealt no fleet.")?,
            (Phase::Relocation, _) => {
                if let Some(stay) = turn.and_then(words::stay) {
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
}
