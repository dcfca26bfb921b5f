//! The edge between the contract (`broadside_proto::v1`) and the rules (`broadside_rules`): the only place where one is
//! turned into the other. Into the contract is total; out of it is checked, and what is wrong is a [`Refusal`] or an
//! [`OptionsError`].

mod abalone;
mod advanced_salvo;
mod amiral;
mod amiral_advanced;
mod classic;
mod game;
mod naumachia;
mod naval;
mod options;
mod refusal;
mod salvo;
mod wire;

pub use abalone::layout_names;
pub use game::{
    answer, dealt_fleet, deployment_move, ending, is_secret, legal_moves, move_from, phase,
    public_view, reveal, seat, seat_from, variant, variant_from, variant_of, view, write_view,
};
pub use naval::fleet_info;
pub use options::{OptionsError, options, options_from};
pub use refusal::Refusal;
pub use wire::Writer;

/// Version of the form of match records.
pub const RECORD_FORMAT_VERSION: u32 = 1;
