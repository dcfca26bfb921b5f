//! Colours. Each says again what a character already says, so that nothing is lost without them.

use anstyle::{AnsiColor, Color, Effects, Style};

pub(crate) const SHIP: Style = bold(AnsiColor::BrightWhite);
pub(crate) const HIT: Style = bold(AnsiColor::BrightRed);
pub(crate) const SUNK: Style =
    bold(AnsiColor::BrightWhite).bg_color(Some(Color::Ansi(AnsiColor::Red)));
pub(crate) const MISS: Style = AnsiColor::BrightCyan.on_default();
pub(crate) const MARKED: Style = AnsiColor::Cyan.on_default();
pub(crate) const UNKNOWN: Style = AnsiColor::BrightYellow.on_default();
pub(crate) const WATER: Style = AnsiColor::Blue.on_default();
pub(crate) const LABEL: Style = Style::new().effects(Effects::DIMMED);
pub(crate) const TITLE: Style = Style::new().effects(Effects::BOLD);
pub(crate) const BLACK: Style =
    bold(AnsiColor::BrightWhite).bg_color(Some(Color::Ansi(AnsiColor::Black)));
pub(crate) const WHITE: Style = AnsiColor::Black
    .on_default()
    .bg_color(Some(Color::Ansi(AnsiColor::White)));
pub(crate) const WIN: Style = bold(AnsiColor::BrightGreen);
pub(crate) const DRAW: Style = bold(AnsiColor::BrightYellow);
pub(crate) const VOID: Style = bold(AnsiColor::BrightMagenta);
pub(crate) const ERROR: Style = bold(AnsiColor::BrightRed);

const fn bold(color: AnsiColor) -> Style {
    color.on_default().effects(Effects::BOLD)
}

/// `text` in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}
