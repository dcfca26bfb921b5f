//! Other bots that dial, while one is checked: bots that were left behind, and think that this is their arena.

use broadside_proto::v1::Hello;
use tonic::Status;

use super::{Bench, Out};
use crate::summary;

impl Bench {
    /// Whether a hello is none of the bot's that is checked. Such a bot is turned away, and nothing that it does is graded.
    pub(super) fn is_stray(&mut self, connection: u64, hello: &Hello) -> bool {
        let name = hello.profile.as_ref().map(|profile| &profile.name);
        let (Some(checked), Some(name)) = (&self.checked, name) else {
            return false;
        };
        let stray = checked != name && self.current != Some(connection);
        if stray {
            let (checked, name) = (checked.clone(), name.clone());
            self.send_away(connection, &name, &checked);
        }
        stray
    }

    /// Whether the bot that the arena welcomes is the one that is checked. The first one that is welcomed becomes that.
    pub(super) fn is_welcome(&mut self, connection: u64) -> bool {
        let known = self.connections.get(&connection);
        let Some((bot, hello)) = known.and_then(|known| known.greeted.clone()) else {
            return true;
        };
        match &self.checked {
            Some(checked) if *checked != bot.name => {
                let checked = checked.clone();
                self.send_away(connection, &bot.name, &checked);
                false
            }
            _ => {
                self.checked = Some(bot.name.clone());
                self.bot = Some(bot);
                self.hello = Some(hello);
                true
            }
        }
    }

    fn send_away(&mut self, connection: u64, name: &str, checked: &str) {
        self.strays.insert(connection);
        // One that was turned away already is merely not counted.
        let Some(known) = self.connections.remove(&connection) else {
            return;
        };
        if let Some(arena) = known.arena {
            arena.cancel();
        }
        // It may well find its own arena here later.
        let status = Status::unavailable(format!(
            "this is a checker of bots, and it checks \"{checked}\", not \"{name}\""
        ));
        self.transcript.note(format!(
            "connection {connection} is another bot's, and turned away: {}",
            summary::status(&status)
        ));
        if let Some(speaker) = known.speaker {
            let _ = speaker.send(Out {
                item: Err(status),
                taken: None,
            });
        }
    }
}
