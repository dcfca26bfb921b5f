//! The naval variants, followed: what each side was told, and where the fleets lay.

use broadside_proto::v1::{
    AdvancedSalvoPublicView, AmiralAdvancedPublicView, AmiralPublicView, Berth, ClassicPublicView,
    Deployment, NaumachiaPublicView, Options, Phase, Reveal, SalvoPublicView, Seat, Variant,
    advanced_salvo_move, amiral_advanced_move, amiral_move, answer, classic_move, r#move,
    naumachia_move, public_view, salvo_move,
};

use super::told;
use crate::{names::opponent, notation::deployed};

/// Both sides.
pub(super) struct Naval {
    view: public_view::Variant,
    fleets: [Option<Deployment>; 2],
    berths: [Option<Berth>; 2],
}

/// The part of a pair that belongs to a seat.
fn of<T>(pair: &mut [T; 2], seat: Seat) -> &mut T {
    let [one, two] = pair;
    match seat {
        Seat::Two => two,
        _ => one,
    }
}

/// What a seat has been told, in the public view of one variant.
macro_rules! targets {
    ($view:expr, $seat:expr) => {
        match $seat {
            Seat::Two => $view.seat_two_targets.get_or_insert_default(),
            _ => $view.seat_one_targets.get_or_insert_default(),
        }
    };
}

impl Naval {
    pub(super) fn new(variant: Variant) -> Self {
        let view = match variant {
            Variant::Salvo => public_view::Variant::Salvo(SalvoPublicView::default()),
            Variant::AdvancedSalvo => {
                public_view::Variant::AdvancedSalvo(AdvancedSalvoPublicView::default())
            }
            Variant::Amiral => public_view::Variant::Amiral(AmiralPublicView::default()),
            Variant::AmiralAdvanced => {
                let mut view = AmiralAdvancedPublicView::default();
                for seat in [Seat::One, Seat::Two] {
                    told::arm(targets!(view, seat));
                }
                public_view::Variant::AmiralAdvanced(view)
            }
            Variant::Naumachia => public_view::Variant::Naumachia(NaumachiaPublicView::default()),
            Variant::Classic | Variant::Abalone | Variant::Unspecified => {
                public_view::Variant::Classic(ClassicPublicView::default())
            }
        };
        Self {
            view,
            fleets: [None, None],
            berths: [None, None],
        }
    }

    pub(super) fn phase(&self) -> Phase {
        if self.fleets.iter().all(Option::is_some) {
            Phase::Battle
        } else {
            Phase::Deployment
        }
    }

    pub(super) fn view(&self) -> public_view::Variant {
        self.view.clone()
    }

    pub(super) fn reveal(&self) -> Reveal {
        let [seat_one_fleet, seat_two_fleet] = self.fleets.clone();
        let [seat_one_berth, seat_two_berth] = self.berths;
        Reveal {
            seat_one_fleet,
            seat_two_fleet,
            seat_one_berth,
            seat_two_berth,
        }
    }

    pub(super) fn play(
        &mut self,
        options: &Options,
        seat: Seat,
        played: &r#move::Variant,
        answer: Option<&answer::Variant>,
    ) -> Result<(), String> {
        if let Some(fleet) = deployed(played) {
            self.deploy(seat, fleet.clone());
        }
        if let r#move::Variant::AmiralAdvanced(played) = played {
            match &played.r#move {
                Some(amiral_advanced_move::Move::Deployment(deployment)) => {
                    *of(&mut self.berths, seat) = deployment.berth;
                }
                Some(amiral_advanced_move::Move::Relocation(relocation)) => {
                    *of(&mut self.berths, seat) = relocation.berth;
                }
                _ => {}
            }
        }
        let fits = match (&mut self.view, played, answer) {
            (view, played, None) => same_variant(view, played),
            (
                public_view::Variant::Classic(view),
                r#move::Variant::Classic(played),
                Some(answer::Variant::Classic(answer)),
            ) => {
                if let Some(classic_move::Move::Shot(shot)) = &played.r#move {
                    told::classic(targets!(view, seat), *shot, *answer);
                }
                true
            }
            (
                public_view::Variant::Salvo(view),
                r#move::Variant::Salvo(played),
                Some(answer::Variant::Salvo(answer)),
            ) => {
                if let Some(salvo_move::Move::Salvo(salvo)) = &played.r#move {
                    told::salvo(targets!(view, seat), salvo, answer);
                }
                true
            }
            (
                public_view::Variant::AdvancedSalvo(view),
                r#move::Variant::AdvancedSalvo(played),
                Some(answer::Variant::AdvancedSalvo(answer)),
            ) => {
                if let Some(advanced_salvo_move::Move::Salvo(salvo)) = &played.r#move {
                    told::advanced_salvo(targets!(view, seat), salvo, *answer);
                }
                true
            }
            (
                public_view::Variant::Amiral(view),
                r#move::Variant::Amiral(played),
                Some(answer::Variant::Amiral(answer)),
            ) => {
                if let Some(amiral_move::Move::Shot(shot)) = &played.r#move {
                    told::amiral(targets!(view, seat), *shot, *answer);
                }
                true
            }
            (
                public_view::Variant::AmiralAdvanced(view),
                r#move::Variant::AmiralAdvanced(played),
                Some(answer::Variant::AmiralAdvanced(answer)),
            ) => {
                let own = view.seat_one_targets.get_or_insert_default();
                let enemy = view.seat_two_targets.get_or_insert_default();
                let (own, enemy) = match seat {
                    Seat::Two => (enemy, own),
                    _ => (own, enemy),
                };
                told::amiral_advanced(own, enemy, played, answer);
                true
            }
            (
                public_view::Variant::Naumachia(view),
                r#move::Variant::Naumachia(played),
                Some(answer::Variant::Naumachia(answer)),
            ) => {
                if let Some(naumachia_move::Move::Shot(shot)) = &played.r#move {
                    told::naumachia(options, targets!(view, seat), *shot, *answer);
                }
                true
            }
            _ => false,
        };
        if fits {
            Ok(())
        } else {
            Err("the move or its answer is of another variant".to_owned())
        }
    }

    /// A fleet is there: the other side has so many ships to sink.
    fn deploy(&mut self, seat: Seat, fleet: Deployment) {
        let afloat = u32::try_from(fleet.ships.len()).unwrap_or(u32::MAX);
        let shooter = opponent(seat);
        match &mut self.view {
            public_view::Variant::Classic(view) => {
                let targets = targets!(view, shooter);
                targets.grid.get_or_insert_default();
                targets.afloat = afloat;
            }
            public_view::Variant::Salvo(view) => {
                let targets = targets!(view, shooter);
                targets.grid.get_or_insert_default();
                targets.afloat = afloat;
            }
            public_view::Variant::AdvancedSalvo(view) => targets!(view, shooter).afloat = afloat,
            public_view::Variant::Amiral(view) => {
                let targets = targets!(view, shooter);
                targets.grid.get_or_insert_default();
                targets.afloat = afloat;
            }
            public_view::Variant::AmiralAdvanced(view) => {
                let targets = targets!(view, shooter);
                targets.grid.get_or_insert_default();
                targets.afloat = afloat;
            }
            public_view::Variant::Naumachia(view) => {
                let targets = targets!(view, shooter);
                targets.grid.get_or_insert_default();
                targets.afloat = afloat;
            }
            public_view::Variant::Abalone(_) => {}
        }
        *of(&mut self.fleets, seat) = Some(fleet);
    }
}

fn same_variant(view: &public_view::Variant, played: &r#move::Variant) -> bool {
    matches!(
        (view, played),
        (
            public_view::Variant::Classic(_),
            r#move::Variant::Classic(_)
        ) | (public_view::Variant::Salvo(_), r#move::Variant::Salvo(_))
            | (
                public_view::Variant::AdvancedSalvo(_),
                r#move::Variant::AdvancedSalvo(_)
            )
            | (public_view::Variant::Amiral(_), r#move::Variant::Amiral(_))
            | (
                public_view::Variant::AmiralAdvanced(_),
                r#move::Variant::AmiralAdvanced(_)
            )
            | (
                public_view::Variant::Naumachia(_),
                r#move::Variant::Naumachia(_)
            )
    )
}
