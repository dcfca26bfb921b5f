//! A request for a match, checked.

use broadside_proto::v1;
use prost::Message;
use rand::rngs::SysError;
use sha2::{Digest, Sha256};

use crate::{
    convert,
    dial::{self, Allowed},
    field::Violations,
    gateway::{excerpt, is_name},
    play::{AgentId, MatchSpec, TimeControl},
    seed,
    settings::Settings,
    time::duration_us,
};

/// Longest request id, in characters.
pub(crate) const MAX_REQUEST_ID: usize = 64;
/// Most strikes.
pub(crate) const MAX_STRIKES: u32 = 100;
/// A day, in milliseconds: the longest budget, cap and deployment.
const DAY_MS: u64 = 86_400_000;
/// Longest increment, in milliseconds.
const MAX_INCREMENT_MS: u64 = 3_600_000;
/// Longest lag allowance, in milliseconds.
const MAX_LAG_MS: u64 = 60_000;

/// Why a request makes no match.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Fields are wrong.
    #[error("{0}")]
    Fields(Violations),
    /// Nothing could be drawn.
    #[error("the system has no randomness to give: {0}")]
    NoRandomness(#[from] SysError),
}

/// What identifies a request: another one with the same request id is a mistake of the caller.
pub fn fingerprint(request: &v1::CreateMatchRequest) -> u64 {
    let hash = Sha256::digest(request.encode_to_vec());
    hash.iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The match that a request asks for, defaults filled in, with an id drawn for it.
///
/// # Errors
/// Names each field that is wrong, and its range.
pub fn match_from(
    request: v1::CreateMatchRequest,
    settings: &Settings,
) -> Result<MatchSpec, RequestError> {
    let v1::CreateMatchRequest {
        request_id,
        options,
        players,
        seating,
        time_control,
        strikes,
        seed,
        private,
    } = request;
    let mut violations = Violations::default();

    violations.check_text("request_id", &request_id, MAX_REQUEST_ID);
    let options = match options {
        None => {
            violations.add("options", "is unset: it must name a variant");
            None
        }
        Some(options) => convert::options_from(options)
            .map_err(|error| violations.add(error.field, error.what))
            .ok(),
    };
    let agents = agents_from(players, &settings.dial_allow, &mut violations);
    let drawn = match seating.map(v1::Seating::try_from) {
        None | Some(Ok(v1::Seating::Fixed)) => false,
        Some(Ok(v1::Seating::Drawn)) => true,
        Some(Ok(v1::Seating::Unspecified) | Err(_)) => {
            violations.add("seating", "must be fixed (1) or drawn (2), or unset");
            false
        }
    };
    let time_control = time_control_from(time_control, settings, &mut violations);
    let strikes = strikes_from(strikes, options.as_ref(), &mut violations);

    let (Some(options), Some(mut agents), true) = (options, agents, violations.is_empty()) else {
        return Err(RequestError::Fields(violations));
    };
    let seed = match seed {
        Some(seed) => seed,
        None => seed::fresh()?,
    };
    if drawn && seed::swaps_seats(seed) {
        agents.swap(0, 1);
    }
    Ok(MatchSpec {
        match_id: fresh_match_id()?,
        options,
        agents,
        time_control,
        strikes,
        seed,
        request_id,
        commitment_key: seed::fresh_key()?,
        private,
    })
}

/// 1 to 2^53 - 1: exact in every language, JavaScript's numbers included.
pub fn fresh_match_id() -> Result<u64, SysError> {
    loop {
        let id = seed::fresh()? >> 11;
        if id != 0 {
            return Ok(id);
        }
    }
}

fn agents_from(
    players: Vec<v1::Player>,
    dial_allow: &[Allowed],
    violations: &mut Violations,
) -> Option<[AgentId; 2]> {
    let [one, two] = <[v1::Player; 2]>::try_from(players)
        .map_err(|players| {
            violations.add(
                "players",
                format!("names {} players: it must name exactly 2", players.len()),
            );
        })
        .ok()?;
    let one = agent_from(one, "players[0]", dial_allow, violations);
    let two = agent_from(two, "players[1]", dial_allow, violations);
    Some([one?, two?])
}

fn agent_from(
    player: v1::Player,
    field: &str,
    dial_allow: &[Allowed],
    violations: &mut Violations,
) -> Option<AgentId> {
    let v1::Player { agent } = player;
    match agent {
        Some(v1::player::Agent::Name(name)) if is_name(&name) => Some(AgentId::Named(name.into())),
        Some(v1::player::Agent::Name(name)) => {
            violations.add(
                format!("{field}.name"),
                format!(
                    "is {:?}: it must be 1-64 characters of A-Z a-z 0-9 . _ - and start with a letter or a digit",
                    excerpt(&name)
                ),
            );
            None
        }
        Some(v1::player::Agent::Address(address)) => match dial::check(&address, dial_allow) {
            Ok(_) => Some(AgentId::Dialled(address.trim_end_matches('/').into())),
            Err(what) => {
                violations.add(format!("{field}.address"), what);
                None
            }
        },
        None => {
            violations.add(field, "is unset: it must have a name or an address");
            None
        }
    }
}

/// The time control of matches that ask for none.
pub fn default_time_control(settings: &Settings) -> TimeControl {
    TimeControl {
        budget_us: settings.budget.map(duration_us),
        increment_us: duration_us(settings.increment),
        turn_cap_us: settings.turn_cap.map(duration_us),
        deployment_us: duration_us(settings.deployment_limit),
        lag_allowance_us: duration_us(settings.lag_allowance),
    }
}

fn time_control_from(
    time_control: Option<v1::TimeControl>,
    settings: &Settings,
    violations: &mut Violations,
) -> TimeControl {
    let default = default_time_control(settings);
    match time_control {
        None => default,
        Some(time_control) => check_time_control(time_control, default, violations),
    }
}

/// A time control, what it leaves to the arena taken from `default`; what is out of range is added to `violations`.
pub(crate) fn check_time_control(
    time_control: v1::TimeControl,
    default: TimeControl,
    violations: &mut Violations,
) -> TimeControl {
    let v1::TimeControl {
        budget_ms,
        increment_ms,
        turn_cap_ms,
        deployment_ms,
        lag_allowance_ms,
    } = time_control;
    let mut check = |field: &str, value: Option<u64>, least: u64, most: u64| {
        if let Some(ms) = value
            && !(least..=most).contains(&ms)
        {
            violations.add(
                format!("time_control.{field}"),
                format!("is {ms}: it must be {least} to {most} milliseconds"),
            );
            return None;
        }
        value.map(|ms| ms * 1_000)
    };
    let control = TimeControl {
        budget_us: check("budget_ms", budget_ms, 1, DAY_MS),
        increment_us: check("increment_ms", increment_ms, 0, MAX_INCREMENT_MS).unwrap_or(0),
        turn_cap_us: check("turn_cap_ms", turn_cap_ms, 1, DAY_MS),
        deployment_us: check("deployment_ms", deployment_ms, 1, DAY_MS)
            .unwrap_or(default.deployment_us),
        lag_allowance_us: check("lag_allowance_ms", lag_allowance_ms, 0, MAX_LAG_MS)
            .unwrap_or(default.lag_allowance_us),
    };
    if budget_ms.is_none() && turn_cap_ms.is_none() {
        violations.add(
            "time_control",
            "has no limit: set budget_ms or turn_cap_ms, or leave the whole time control unset for the arena's default",
        );
    } else if budget_ms.is_none() && increment_ms.is_some() {
        violations.add(
            "time_control.increment_ms",
            "is set without budget_ms: an increment is added to a budget",
        );
    }
    control
}

fn strikes_from(
    strikes: Option<u32>,
    options: Option<&broadside_rules::Options>,
    violations: &mut Violations,
) -> u32 {
    let Some(variant) = options.map(broadside_rules::Options::variant) else {
        return 0;
    };
    let most = if variant.default_strikes() == 0 {
        0
    } else {
        MAX_STRIKES
    };
    match strikes {
        None => variant.default_strikes(),
        Some(strikes) if strikes <= most => strikes,
        Some(strikes) => {
            let range = if most == 0 {
                format!("it must be 0 in {variant}, where a broken rule loses")
            } else {
                format!("it must be 0 to {most}")
            };
            violations.add("strikes", format!("is {strikes}: {range}"));
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str) -> v1::Player {
        v1::Player {
            agent: Some(v1::player::Agent::Name(name.to_owned())),
        }
    }

    fn request() -> v1::CreateMatchRequest {
        v1::CreateMatchRequest {
            options: Some(v1::Options {
                variant: Some(v1::options::Variant::Classic(v1::ClassicOptions::default())),
            }),
            players: vec![player("ada"), player("bob")],
            ..Default::default()
        }
    }

    fn wrong(request: v1::CreateMatchRequest) -> String {
        match_from(request, &Settings::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_plain_request_gets_the_defaults() {
        let spec = match_from(request(), &Settings::default()).unwrap();
        assert_eq!(spec.strikes, 3);
        assert_eq!(spec.time_control.turn_cap_us, Some(10_000_000));
        assert_eq!(spec.agents[0].as_str(), "ada");
        assert!(spec.match_id < 1 << 53);
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        let text = wrong(v1::CreateMatchRequest {
            options: None,
            players: vec![player("ada")],
            seating: Some(0),
            time_control: Some(v1::TimeControl::default()),
            ..Default::default()
        });
        for field in ["options", "players", "seating", "time_control"] {
            assert!(text.contains(field), "{field} in {text}");
        }
    }

    #[test]
    fn a_time_control_needs_a_limit_and_an_increment_a_budget() {
        let control = |control| v1::CreateMatchRequest {
            time_control: Some(control),
            ..request()
        };
        let text = wrong(control(v1::TimeControl {
            increment_ms: Some(5),
            ..Default::default()
        }));
        assert!(text.contains("no limit"), "{text}");
        let text = wrong(control(v1::TimeControl {
            increment_ms: Some(5),
            turn_cap_ms: Some(5),
            ..Default::default()
        }));
        assert!(text.contains("increment_ms"), "{text}");
        let text = wrong(control(v1::TimeControl {
            budget_ms: Some(0),
            lag_allowance_ms: Some(60_001),
            ..Default::default()
        }));
        assert!(
            text.contains("budget_ms is 0") && text.contains("0 to 60000"),
            "{text}"
        );
    }

    #[test]
    fn naumachia_allows_no_strikes() {
        let naumachia = v1::CreateMatchRequest {
            options: Some(v1::Options {
                variant: Some(v1::options::Variant::Naumachia(v1::NaumachiaOptions {})),
            }),
            ..request()
        };
        assert_eq!(
            match_from(naumachia.clone(), &Settings::default())
                .unwrap()
                .strikes,
            0
        );
        let text = wrong(v1::CreateMatchRequest {
            strikes: Some(1),
            ..naumachia
        });
        assert!(text.contains("strikes"), "{text}");
        let text = wrong(v1::CreateMatchRequest {
            strikes: Some(101),
            ..request()
        });
        assert!(text.contains("0 to 100"), "{text}");
    }

    #[test]
    fn seats_drawn_from_a_seed_are_the_same_each_time() {
        let drawn = |seed| {
            let request = v1::CreateMatchRequest {
                seating: Some(v1::Seating::Drawn.into()),
                seed: Some(seed),
                ..request()
            };
            match_from(request, &Settings::default()).unwrap().agents[0].to_string()
        };
        let first: Vec<_> = (0..20).map(drawn).collect();
        let second: Vec<_> = (0..20).map(drawn).collect();
        assert_eq!(first, second);
        assert!(first.contains(&"ada".to_owned()) && first.contains(&"bob".to_owned()));
    }
}
