//! Where the logs of matches end, as the writer's transaction sees it.

use broadside_record::chain::Link;
use rustc_hash::FxHashMap;

/// Where the log of a match ends, and who may append to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Head {
    pub(in super::super) epoch: u64,
    /// The place of the next entry.
    pub(in super::super) next: usize,
    /// The link of the last entry; zeros if there is none.
    pub(in super::super) link: Link,
}

/// The heads of matches that are appended to: nobody else writes them.
#[derive(Debug, Default)]
pub(super) struct Heads {
    heads: FxHashMap<u64, Head>,
    /// What the open transaction has changed, with what was there before.
    before: Vec<(u64, Option<Head>)>,
}

impl Heads {
    /// That of a match, if it is known.
    pub(super) fn get(&self, match_id: u64) -> Option<Head> {
        self.heads.get(&match_id).copied()
    }

    /// A match has this head now.
    pub(super) fn set(&mut self, match_id: u64, head: Head) {
        let before = self.heads.insert(match_id, head);
        self.before.push((match_id, before));
    }

    /// A match is not appended to any more.
    pub(super) fn remove(&mut self, match_id: u64) {
        if let Some(before) = self.heads.remove(&match_id) {
            self.before.push((match_id, Some(before)));
        }
    }

    /// What was changed stays.
    pub(super) fn committed(&mut self) {
        self.before.clear();
    }

    /// What was changed is as it was before.
    pub(super) fn taken_back(&mut self) {
        for (match_id, before) in self.before.drain(..).rev() {
            match before {
                Some(head) => self.heads.insert(match_id, head),
                None => self.heads.remove(&match_id),
            };
        }
    }

    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.heads.clear();
        self.before.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn head(next: usize) -> Head {
        Head {
            epoch: 1,
            next,
            link: [next as u8; 32],
        }
    }

    #[test]
    fn what_is_taken_back_is_as_it_was() {
        let mut heads = Heads::default();
        heads.set(1, head(1));
        heads.set(2, head(1));
        heads.committed();
        for next in 2..5 {
            heads.set(1, head(next));
            heads.set(3, head(next));
        }
        heads.remove(2);
        heads.remove(1);
        heads.taken_back();
        assert_eq!(
            [1, 2, 3].map(|match_id| heads.get(match_id)),
            [Some(head(1)), Some(head(1)), None]
        );
    }
}
