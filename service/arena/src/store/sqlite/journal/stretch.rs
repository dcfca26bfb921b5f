//! A stretch of a match's log: how its entries are read from where they stand without their links.

use broadside_record::chain::{Chain, Entry, Link};

use super::entries::Entries;
use crate::store::StoreError;

/// Which match a log is of: what its chain begins with.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Origin {
    pub(in super::super) match_id: u64,
    pub(in super::super) create_time_ms: u64,
}

/// Entries that follow each other.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Stretch<'a> {
    /// The place in the log of the first.
    pub(in super::super) first: usize,
    /// How many there are.
    pub(in super::super) count: usize,
    /// The link before the first; zeros at the beginning of the log.
    pub(in super::super) before: Link,
    /// The link of the last.
    pub(in super::super) link: Link,
    /// The entries.
    pub(in super::super) bytes: &'a [u8],
}

impl Stretch<'_> {
    /// Its entries from a place in the log on. The links are worked out from the beginning of the stretch, whichever the place: two blocks
    /// of SHA-256 for an entry of up to 87 bytes.
    ///
    /// # Errors
    /// If they are not those that were written.
    pub(in super::super) fn entries_from(
        &self,
        of: Origin,
        from: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let Self { first, count, .. } = *self;
        let corrupt = |why: &str| StoreError::Corrupt {
            match_id: of.match_id,
            why: format!("the {count} entries of its log from {first} on {why}"),
        };
        let skipped = from.saturating_sub(first);
        let mut chain = Chain::after(of.match_id, of.create_time_ms, first, self.before);
        let mut entries = Vec::new();
        let mut found = 0_usize;
        for body in Entries::new(self.bytes) {
            let body = body.map_err(|_| corrupt("cannot be read"))?;
            let link = chain.push_encoded(body);
            if found >= skipped {
                let body = body.to_vec();
                entries.push(Entry { body, link });
            }
            found += 1;
        }
        if found != count {
            return Err(corrupt("cannot be read"));
        }
        if chain.last() != self.link {
            return Err(corrupt(
                "do not end with the link that is kept of them: they were changed",
            ));
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::journal::entries;

    const OF: Origin = Origin {
        match_id: 7,
        create_time_ms: 9,
    };

    /// A log of four entries.
    fn log() -> Vec<Entry> {
        let mut chain = Chain::new(OF.match_id, OF.create_time_ms);
        let bodies = [vec![], vec![1; 200], vec![2], vec![3; 3]];
        let entries = bodies.into_iter().map(|body| Entry {
            link: chain.push_encoded(&body),
            body,
        });
        entries.collect()
    }

    fn bytes(log: &[Entry]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for entry in log {
            entries::push(&mut bytes, &entry.body);
        }
        bytes
    }

    #[test]
    fn links_are_worked_out_wherever_the_stretch_begins_and_reading_does() {
        let log = log();
        for first in 0..log.len() {
            let bytes = bytes(&log[first..]);
            let stretch = Stretch {
                first,
                count: log.len() - first,
                before: first.checked_sub(1).map_or([0; 32], |last| log[last].link),
                link: log[3].link,
                bytes: &bytes,
            };
            for from in 0..=log.len() + 1 {
                let rest = log.get(from.max(first)..).unwrap_or_default();
                assert_eq!(
                    stretch.entries_from(OF, from),
                    Ok(rest.to_vec()),
                    "{first}, {from}"
                );
            }
        }
    }

    #[test]
    fn what_was_changed_is_no_log_and_that_is_said() {
        let log = log();
        let bytes = bytes(&log[1..]);
        let stretch = Stretch {
            first: 1,
            count: 3,
            before: log[0].link,
            link: log[3].link,
            bytes: &bytes,
        };
        let told = |stretch: Stretch<'_>, of| {
            let told = stretch.entries_from(of, 3).map_err(|why| why.to_string());
            told.err()
        };
        let changed = "match 7: the 3 entries of its log from 1 on do not end with the link that is kept of them: they were changed";
        for place in 0..32 {
            let (mut before, mut link) = (stretch.before, stretch.link);
            before[place] ^= 1;
            link[place] ^= 1;
            for stretch in [Stretch { before, ..stretch }, Stretch { link, ..stretch }] {
                assert_eq!(told(stretch, OF).as_deref(), Some(changed));
            }
        }
        let mut body = bytes.clone();
        body[9] ^= 1;
        let body = Stretch {
            bytes: &body,
            ..stretch
        };
        assert_eq!(told(body, OF).as_deref(), Some(changed));
        for (bytes, count) in [(&bytes[..bytes.len() - 1], 3), (&bytes, 2), (&bytes, 4)] {
            let cut = Stretch {
                bytes,
                count,
                ..stretch
            };
            let why = format!("match 7: the {count} entries of its log from 1 on cannot be read");
            assert_eq!(told(cut, OF), Some(why));
        }
    }
}
