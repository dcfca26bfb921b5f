//! What there is to know of each variant before a match.

use broadside_proto::v1::{self, Notation};
use broadside_rules::{
    Options, Variant,
    naval::{self, Edition},
};

use crate::convert;

/// All variants, in the order of the contract.
pub fn variants() -> Vec<v1::VariantInfo> {
    Variant::ALL.into_iter().map(info).collect()
}

fn info(variant: Variant) -> v1::VariantInfo {
    let default = Options::default_of(variant);
    v1::VariantInfo {
        variant: convert::variant(variant).into(),
        slug: variant.slug().to_owned(),
        summary: summary(variant).to_owned(),
        options: options(variant),
        default_options: Some(convert::options(&default)),
        fleets: fleets(variant),
        default_strikes: variant.default_strikes(),
        notation: match variant {
            Variant::Abalone => Notation::Abalone,
            Variant::Naumachia => Notation::Greek,
            _ => Notation::LetterNumber,
        }
        .into(),
    }
}

fn summary(variant: Variant) -> &'static str {
    match variant {
        Variant::Classic => "one shot a turn, turns alternate, a hit names the ship hit",
        Variant::Salvo => "as many shots a turn as you have ships afloat, each answered",
        Variant::AdvancedSalvo => "salvo answered only with how many hit",
        Variant::Amiral => "one shot a turn, turns alternate, a hit does not name the ship",
        Variant::AmiralAdvanced => {
            "amiral with an off-grid submarine (3 torpedoes) and one air strike"
        }
        Variant::Naumachia => {
            "ten ships that may not touch; a hit shoots again; a rule broken loses"
        }
        Variant::Abalone => "61 cells, 14 marbles each, push off six",
    }
}

fn option(name: &str, description: &str, default_value: &str, allowed: &str) -> v1::OptionInfo {
    v1::OptionInfo {
        name: name.to_owned(),
        description: description.to_owned(),
        default_value: default_value.to_owned(),
        allowed: allowed.to_owned(),
    }
}

fn options(variant: Variant) -> Vec<v1::OptionInfo> {
    let edition = || option("edition", "whose fleet is played", "2002", "1967, 2002");
    let name_ship = || {
        option(
            "name_ship_on_hit",
            "whether a hit names the class of the ship hit",
            "true",
            "true, false",
        )
    };
    match variant {
        Variant::Classic | Variant::Salvo => vec![edition(), name_ship()],
        Variant::AdvancedSalvo => vec![edition()],
        Variant::Amiral | Variant::AmiralAdvanced | Variant::Naumachia => Vec::new(),
        Variant::Abalone => vec![
            option(
                "layout",
                "where the marbles start",
                "standard",
                &convert::layout_names().join(", "),
            ),
            option(
                "rows",
                "a layout of one's own, instead of layout: nine rows, row i first, b black, w white, . empty",
                "none",
                "rows of 5 6 7 8 9 8 7 6 5 cells",
            ),
            option(
                "max_plies",
                "plies after which marbles ejected decide",
                "400",
                "1 to 10000",
            ),
            option(
                "repetition_limit",
                "how often the same position may stand before it is a draw; 0: no limit",
                "3",
                "0, 2 to 100",
            ),
        ],
    }
}

fn fleets(variant: Variant) -> Vec<v1::FleetInfo> {
    let Some(default) = naval::Options::default_of(variant) else {
        return Vec::new();
    };
    let of = |edition: Edition| match default {
        naval::Options::Classic {
            name_ship_on_hit, ..
        } => Some(naval::Options::Classic {
            edition,
            name_ship_on_hit,
        }),
        naval::Options::Salvo {
            name_ship_on_hit, ..
        } => Some(naval::Options::Salvo {
            edition,
            name_ship_on_hit,
        }),
        naval::Options::AdvancedSalvo { .. } => Some(naval::Options::AdvancedSalvo { edition }),
        naval::Options::Amiral | naval::Options::AmiralAdvanced | naval::Options::Naumachia => None,
    };
    let editions = [
        (v1::Edition::Edition1967, Edition::Edition1967),
        (v1::Edition::Edition2002, Edition::Edition2002),
    ];
    let with_editions: Vec<_> = editions
        .into_iter()
        .filter_map(|(name, edition)| Some(convert::fleet_info(name, of(edition)?.ruleset().fleet)))
        .collect();
    if with_editions.is_empty() {
        vec![convert::fleet_info(
            v1::Edition::Unspecified,
            default.ruleset().fleet,
        )]
    } else {
        with_editions
    }
}
