//! Who creates the matches, waits for their end, and looks at their records.

use std::{collections::BTreeMap, future::Future, time::Duration};

use anyhow::{Context, ensure};
use broadside_proto::v1::{
    self, Termination, log_entry::Entry, match_service_client::MatchServiceClient,
};
use broadside_record::verify::verify;
use broadside_tests::{VARIANTS, named, options};
use tonic::{Code, Status, transport::Channel};

use super::{
    bot::Told,
    network,
    world::{Course, Played},
};

/// How often it asks.
const AGAIN: Duration = Duration::from_millis(200);

type Matches = MatchServiceClient<Channel>;

/// Makes a call until it comes through. All of its calls may be made again.
async fn insist<T, F>(call: impl Fn(Matches) -> F) -> Result<T, Status>
where
    F: Future<Output = Result<tonic::Response<T>, Status>>,
{
    loop {
        if let Ok(channel) = network::connect().await {
            let matches = MatchServiceClient::new(channel).max_decoding_message_size(16 << 20);
            // On a connection that is dead its keepalive ends the call.
            match call(matches).await {
                Ok(response) => return Ok(response.into_inner()),
                // What the arena itself says, and nothing of the way there.
                Err(status)
                    if matches!(
                        status.code(),
                        Code::InvalidArgument | Code::NotFound | Code::AlreadyExists
                    ) =>
                {
                    return Err(status);
                }
                Err(_) => {}
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

fn request(variant: v1::Variant) -> v1::CreateMatchRequest {
    let mut options = options(variant);
    if let Some(v1::options::Variant::Abalone(abalone)) = &mut options.variant {
        abalone.max_plies = Some(60);
    }
    v1::CreateMatchRequest {
        request_id: format!("{variant:?}"),
        options: Some(options),
        players: vec![named("ada"), named("bob")],
        // Far more than all faults of a seed together: a loss on time would be the arena's doing.
        time_control: Some(v1::TimeControl {
            turn_cap_ms: Some(600_000),
            deployment_ms: Some(600_000),
            ..Default::default()
        }),
        seed: Some(7),
        ..Default::default()
    }
}

/// Has a match of each of these variants played, all at once, and returns their courses.
pub(crate) async fn organise(variants: &[v1::Variant], told: &Told) -> anyhow::Result<Played> {
    let mut ids = BTreeMap::new();
    for variant in variants {
        let request = request(*variant);
        let created = insist(|mut matches: Matches| {
            let request = request.clone();
            async move { matches.create_match(request).await }
        })
        .await?;
        let match_id = created.r#match.context("no match")?.match_id;
        let name = VARIANTS.iter().find(|(of, _)| of == variant);
        ids.insert(name.context("a variant without a name")?.1, match_id);
    }
    let mut played = Played::default();
    for (name, match_id) in ids {
        loop {
            let got = insist(|mut matches: Matches| async move {
                matches.get_match(v1::GetMatchRequest { match_id }).await
            })
            .await?;
            if got.r#match.context("no match")?.state() == v1::MatchState::Over {
                break;
            }
            tokio::time::sleep(AGAIN).await;
        }
        let got = insist(|mut matches: Matches| async move {
            let request = v1::GetMatchRecordRequest { match_id };
            matches.get_match_record(request).await
        })
        .await?;
        let record = got.record.context("no record")?;
        let lost = |logged: &&v1::LogEntry| matches!(logged.entry, Some(Entry::Disconnected(_)));
        played.lost += record.entries.iter().filter(lost).count();
        let course = course(&record, told).with_context(|| name.to_owned())?;
        played.courses.insert(name.to_owned(), course);
    }
    Ok(played)
}

/// What a record says was played, once it is found to be right.
fn course(record: &v1::MatchRecord, told: &Told) -> anyhow::Result<Course> {
    let verified = verify(record, None).map_err(|finding| anyhow::anyhow!("{finding}"))?;
    let outcome = verified.outcome;
    ensure!(
        matches!(
            outcome.termination(),
            Termination::WonByPlay | Termination::DrawByRule
        ),
        "it did not end by play: {}",
        outcome.message
    );
    let accepted = record
        .entries
        .iter()
        .filter_map(|logged| match &logged.entry {
            Some(Entry::Accepted(accepted)) => Some(accepted),
            _ => None,
        });
    let mut moves: Vec<_> = accepted
        .map(|accepted| (accepted.seat, accepted.turn_id, accepted.r#move.clone()))
        .collect();
    // Both deploy at once: who is first is the network's doing.
    let deployments = moves.len().min(2);
    moves[..deployments].sort_by_key(|(seat, ..)| *seat);
    let told = told.lock().map_err(|_| anyhow::anyhow!("a bot panicked"))?;
    for (_, turn_id) in told.iter().filter(|(of, _)| *of == record.match_id) {
        ensure!(
            moves.iter().any(|(_, accepted, _)| accepted == turn_id),
            "turn {turn_id} was accepted, and is not in the record"
        );
    }
    Ok(Course {
        moves,
        outcome: outcome.message,
    })
}
