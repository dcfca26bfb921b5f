//! The words for the contract's enums.

use broadside_proto::v1::{
    AbaloneLayout, Edition, MatchState, Options, Seat, ShipClass, Variant, options,
};

/// Every variant, in the order of the contract.
pub const VARIANTS: [Variant; 7] = [
    Variant::Classic,
    Variant::Salvo,
    Variant::AdvancedSalvo,
    Variant::Amiral,
    Variant::AmiralAdvanced,
    Variant::Naumachia,
    Variant::Abalone,
];

/// Every class of ship, in the order of the contract.
pub const SHIP_CLASSES: [ShipClass; 8] = [
    ShipClass::Carrier,
    ShipClass::Battleship,
    ShipClass::Cruiser,
    ShipClass::Destroyer,
    ShipClass::Submarine,
    ShipClass::PatrolBoat,
    ShipClass::AssaultBoat,
    ShipClass::TorpedoBoat,
];

/// Every named layout of abalone, in the order of the contract.
pub const LAYOUTS: [AbaloneLayout; 13] = [
    AbaloneLayout::Standard,
    AbaloneLayout::BelgianDaisy,
    AbaloneLayout::GermanDaisy,
    AbaloneLayout::DutchDaisy,
    AbaloneLayout::SwissDaisy,
    AbaloneLayout::TheWall,
    AbaloneLayout::AlienAttack,
    AbaloneLayout::Snakes,
    AbaloneLayout::Checkerboard,
    AbaloneLayout::Duel,
    AbaloneLayout::Star,
    AbaloneLayout::Clearing,
    AbaloneLayout::Papillons,
];

/// A variant's name on the command line.
pub fn slug(variant: Variant) -> &'static str {
    match variant {
        Variant::Unspecified => "unknown",
        Variant::Classic => "classic",
        Variant::Salvo => "salvo",
        Variant::AdvancedSalvo => "advanced-salvo",
        Variant::Amiral => "amiral",
        Variant::AmiralAdvanced => "amiral-advanced",
        Variant::Naumachia => "naumachia",
        Variant::Abalone => "abalone",
    }
}

/// The variant that these options are of; unspecified if they are unset.
pub fn variant(options: &Options) -> Variant {
    match options.variant {
        None => Variant::Unspecified,
        Some(options::Variant::Classic(_)) => Variant::Classic,
        Some(options::Variant::Salvo(_)) => Variant::Salvo,
        Some(options::Variant::AdvancedSalvo(_)) => Variant::AdvancedSalvo,
        Some(options::Variant::Amiral(_)) => Variant::Amiral,
        Some(options::Variant::AmiralAdvanced(_)) => Variant::AmiralAdvanced,
        Some(options::Variant::Naumachia(_)) => Variant::Naumachia,
        Some(options::Variant::Abalone(_)) => Variant::Abalone,
    }
}

/// `patrol boat`.
pub fn ship_class(class: ShipClass) -> &'static str {
    match class {
        ShipClass::Unspecified => "unknown ship",
        ShipClass::Carrier => "carrier",
        ShipClass::Battleship => "battleship",
        ShipClass::Cruiser => "cruiser",
        ShipClass::Destroyer => "destroyer",
        ShipClass::Submarine => "submarine",
        ShipClass::PatrolBoat => "patrol boat",
        ShipClass::AssaultBoat => "assault boat",
        ShipClass::TorpedoBoat => "torpedo boat",
    }
}

/// `2002`.
pub fn edition(edition: Edition) -> &'static str {
    match edition {
        Edition::Unspecified => "unknown",
        Edition::Edition1967 => "1967",
        Edition::Edition2002 => "2002",
    }
}

/// `belgian_daisy`.
pub fn layout(layout: AbaloneLayout) -> String {
    layout
        .as_str_name()
        .trim_start_matches("ABALONE_LAYOUT_")
        .to_lowercase()
}

/// `running`.
pub fn match_state(state: MatchState) -> &'static str {
    match state {
        MatchState::Unspecified => "unknown",
        MatchState::Waiting => "waiting",
        MatchState::Running => "running",
        MatchState::Over => "over",
    }
}

/// `Seat 1`; in abalone with the colour, `Black`.
pub fn seat(variant: Variant, seat: Seat) -> &'static str {
    match (variant, seat) {
        (_, Seat::Unspecified) => "No seat",
        (Variant::Abalone, Seat::One) => "Black",
        (Variant::Abalone, Seat::Two) => "White",
        (_, Seat::One) => "Seat 1",
        (_, Seat::Two) => "Seat 2",
    }
}

/// The other seat.
pub fn opponent(seat: Seat) -> Seat {
    match seat {
        Seat::Unspecified => Seat::Unspecified,
        Seat::One => Seat::Two,
        Seat::Two => Seat::One,
    }
}
