//! What the log of a match takes.

use std::net::SocketAddr;

use broadside_proto::v1::{self, log_entry, match_service_client::MatchServiceClient};
use prost::Message;
use tonic::transport::Endpoint;

/// Bytes of the chain's value for an entry.
const LINK: usize = 32;

/// Matches whose records are read: they are much alike.
const READ: u32 = 64;

/// The entries of some matches that are over.
pub(super) struct Logs(Vec<Vec<Entry>>);

struct Entry {
    bytes: usize,
    is_move: bool,
}

impl Logs {
    /// Of the last matches that are over.
    pub(super) async fn read(arena: SocketAddr) -> anyhow::Result<Self> {
        let channel = Endpoint::from_shared(format!("http://{arena}"))?
            .connect()
            .await?;
        let mut matches = MatchServiceClient::new(channel)
            // Records are larger than most messages.
            .max_decoding_message_size(16 << 20);
        let request = v1::ListMatchesRequest {
            page_size: READ,
            states: vec![v1::MatchState::Over.into()],
            ..Default::default()
        };
        let page = matches.list_matches(request).await?.into_inner();
        let mut logs = Vec::new();
        for over in page.matches {
            let request = v1::GetMatchRecordRequest {
                match_id: over.match_id,
            };
            let record = matches.get_match_record(request).await?.into_inner().record;
            let entries = record.unwrap_or_default().entries;
            logs.push(entries.iter().map(Entry::of).collect());
        }
        Ok(Self(logs))
    }

    /// Bytes of a whole one.
    pub(super) fn whole(&self) -> f64 {
        self.mean(|entries| entries.iter().map(|entry| entry.bytes).sum())
    }

    /// Bytes of one when so many moves had been made.
    pub(super) fn after(&self, moves: usize) -> f64 {
        self.mean(|entries| {
            let mut made = 0;
            let so_far = entries.iter().take_while(|entry| {
                made += usize::from(entry.is_move);
                made <= moves
            });
            so_far.map(|entry| entry.bytes).sum()
        })
    }

    fn mean(&self, bytes: impl Fn(&[Entry]) -> usize) -> f64 {
        let all: usize = self.0.iter().map(|entries| bytes(entries)).sum();
        all as f64 / self.0.len().max(1) as f64
    }
}

impl Entry {
    fn of(entry: &v1::LogEntry) -> Self {
        Self {
            bytes: entry.encoded_len() + LINK,
            is_move: matches!(entry.entry, Some(log_entry::Entry::Accepted(_))),
        }
    }
}
