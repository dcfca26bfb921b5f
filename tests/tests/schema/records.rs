//! Records that a newer arena wrote.

use std::sync::Arc;

use anyhow::Context;
use broadside_agents::{Config, DialIn, Random, Seed, profile};
use broadside_proto::v1::{self, log_entry::Entry};
use broadside_record::{
    Replay, Written,
    chain::{Chain, Entry as Kept},
    commitment::commitment_to_bytes,
    signature::Signatory,
    verify, verify_written,
};
use broadside_tests::{TestArena, VARIANTS, named, newer::schema, request};
use prost::Message;
use prost_reflect::Value;

/// A record as bytes, of which each part may be that of a newer contract.
struct Newer {
    record: v1::MatchRecord,
    entries: Vec<Vec<u8>>,
}

impl Newer {
    /// The same match as a newer arena would have written it: every entry has more in it at every level, and there are entries of a
    /// kind that this contract does not know.
    fn of(record: &v1::MatchRecord) -> anyhow::Result<Self> {
        let Some(Entry::Created(created)) = &record.entries[0].entry else {
            anyhow::bail!("no creation");
        };
        let mut entries = Vec::new();
        for entry in &record.entries {
            let mut newer = schema::read("broadside.v1.LogEntry", &entry.encode_to_vec());
            schema::grow(&mut newer);
            if let Some(Entry::Accepted(accepted)) = &entry.entry
                && !accepted.commitment.is_empty()
            {
                let accepted_newer = newer.get_field_by_name_mut("accepted").context("none")?;
                let Value::Message(accepted_newer) = accepted_newer else {
                    anyhow::bail!("no message");
                };
                let action = accepted_newer.get_field_by_name("move").context("none")?;
                let action = action.as_message().context("no message")?.encode_to_vec();
                let commitment =
                    commitment_to_bytes(&created.commitment_key, accepted.turn_id, &action);
                accepted_newer
                    .set_field_by_name("commitment", Value::Bytes(commitment.to_vec().into()));
            }
            entries.push(newer.encode_to_vec());
            let mut news = schema::newer_member("broadside.v1.LogEntry");
            news.set_field_by_name("at_us", Value::U64(entry.at_us));
            if !matches!(entry.entry, Some(Entry::Ended(_))) {
                entries.push(news.encode_to_vec());
            }
        }
        Ok(Self {
            record: record.clone(),
            entries,
        })
    }

    /// Chained and signed, in bytes.
    fn signed(&self) -> Vec<u8> {
        let mut chain = Chain::new(self.record.match_id, self.record.create_time_ms);
        let links = self
            .entries
            .iter()
            .map(|body| chain.push_encoded(body).to_vec());
        let links = links.collect();
        let signatory = Signatory::new(&[9; 32]);
        let rest = v1::MatchRecord {
            entries: Vec::new(),
            chain: links,
            public_key: signatory.public_key().to_vec(),
            signature: signatory.sign(&chain.last()).to_vec(),
            ..self.record.clone()
        };
        let mut bytes = Vec::new();
        for body in &self.entries {
            prost::encoding::bytes::encode(4, body, &mut bytes);
        }
        bytes.extend(rest.encode_to_vec());
        bytes
    }
}

/// A record of every variant, as this arena writes it.
async fn records() -> anyhow::Result<Vec<v1::MatchRecord>> {
    let arena = TestArena::start().await?;
    let agents = ["one", "two"].map(|name| {
        let profile = profile::every_variant(name, 8).with_legal_moves();
        DialIn::spawn(
            Config::new(arena.url(), profile),
            Arc::new(Random::new(Seed(8))),
        )
    });
    let mut records = Vec::new();
    for (variant, _) in VARIANTS {
        let match_id = arena
            .create(request(variant, named("one"), named("two")))
            .await?;
        arena.ended(match_id).await?;
        records.push(arena.record(match_id).await?);
    }
    drop(agents);
    arena.stop().await?;
    Ok(records)
}

#[tokio::test]
async fn a_record_of_a_newer_arena_is_verified_as_far_as_it_is_known_and_says_how_far()
-> anyhow::Result<()> {
    for record in records().await? {
        let plain = verify(&record, None)?;
        let newer = Newer::of(&record)?;
        let bytes = newer.signed();
        let written = Written::read(&bytes)?;
        assert!(written.has_more());
        let verified = verify_written(&written, None)?;
        assert_eq!(verified.newer, (0..newer.entries.len()).collect::<Vec<_>>());
        assert!(!verified.unsigned);
        assert_eq!(
            (verified.moves, verified.refusals, &verified.outcome),
            (plain.moves, plain.refusals, &plain.outcome)
        );
        // What is outside of the log is not signed.
        let mut more = bytes.clone();
        more.extend(schema::newer_member("broadside.v1.Move").encode_to_vec());
        let verified = verify_written(&Written::read(&more)?, None)?;
        assert!(verified.unsigned);

        // Without what is not known it is not what was signed.
        let found = verify(written.record(), None).unwrap_err();
        assert_eq!(found.kind, verify::Kind::Chain);
        assert!(found.message.contains("lost on the way"), "{found}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_added_to_a_record_after_it_was_signed_is_found() -> anyhow::Result<()> {
    for record in records().await? {
        let newer = Newer::of(&record)?;
        // The entries of the newer one, which those of the plain one are chained without.
        let last = record.entries.len() - 1;
        for index in [0, last / 2, last] {
            let mut bytes = Vec::new();
            for (at, entry) in record.entries.iter().enumerate() {
                let plain = entry.encode_to_vec();
                let body = if at == index {
                    &newer.entries[2 * at]
                } else {
                    &plain
                };
                prost::encoding::bytes::encode(4, body, &mut bytes);
            }
            let rest = v1::MatchRecord {
                entries: Vec::new(),
                ..record.clone()
            };
            bytes.extend(rest.encode_to_vec());
            let found = verify_written(&Written::read(&bytes)?, None).unwrap_err();
            assert_eq!(
                (found.entry, found.kind),
                (Some(index), verify::Kind::Chain)
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_finding_in_a_record_of_a_newer_arena_says_that_a_newer_version_may_know_better()
-> anyhow::Result<()> {
    let records = records().await?;
    let record = &records[0];
    let mut newer = Newer::of(record)?;
    // A move left out, with all that is chained and signed anew.
    let is_move = |entry: &v1::LogEntry| matches!(entry.entry, Some(Entry::Accepted(_)));
    let moves = record
        .entries
        .iter()
        .rposition(is_move)
        .context("no move")?;
    newer.entries.remove(2 * moves);
    let found = verify_written(&Written::read(&newer.signed())?, None).unwrap_err();
    assert!(
        found
            .message
            .contains("verify the record with a newer version"),
        "{found}"
    );
    Ok(())
}

#[tokio::test]
async fn an_arena_reads_no_log_in_part() -> anyhow::Result<()> {
    let records = records().await?;
    let newer = Newer::of(&records[0])?;
    let mut chain = Chain::new(newer.record.match_id, newer.record.create_time_ms);
    let body = newer.entries[0].clone();
    let link = chain.push_encoded(&body);
    let mut replay = Replay::new(newer.record.match_id, newer.record.create_time_ms);
    let refused = replay.read(&Kept { body, link }).unwrap_err();
    assert!(refused.to_string().contains("newer version"), "{refused}");
    Ok(())
}
