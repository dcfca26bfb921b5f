//! What other people wrote, made safe for a terminal.

/// Writes `text` so that no character of it can move the cursor, change colours, reorder or hide what stands around
/// it: control characters, bidirectional controls and invisible characters come out as `\u{..}`.
///
/// ```
/// assert_eq!(broadside_cli::text::escape("plain"), "plain");
/// assert_eq!(broadside_cli::text::escape("\x1b[2J"), "\\u{1b}[2J");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unsafe(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// `1 ship`, `2 ships`: a count and its noun, whose plural takes an s.
pub fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_steer_the_terminal() {
        assert_eq!(escape("a\nb\u{202e}c\u{9b}d"), "a\\u{a}b\\u{202e}c\\u{9b}d");
        assert_eq!(escape("Γ4 ναυμαχία 🚢"), "Γ4 ναυμαχία 🚢");
    }

    #[test]
    fn counts_take_their_plural() {
        assert_eq!(count(1, "ship"), "1 ship");
        assert_eq!(count(0, "ship"), "0 ships");
    }
}
