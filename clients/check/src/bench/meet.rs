//! How the bot comes to be there.

use std::time::{Duration, Instant};

use broadside_agents::profile::VARIANTS;
use broadside_arena::gateway::profile_from;
use broadside_proto::{
    PROTOCOL_VERSION,
    v1::{self, AgentProfile, Hello},
};
use tonic::{Code, Status};

use super::{Bench, Broken, How, Profile};
use crate::{
    launch::Exited,
    rules::{self, Way},
    summary,
    transcript::Speaker,
};

/// How long a bot that was started, and is not the first one, may take to be there.
const AGAIN: Duration = Duration::from_secs(20);
/// How long a bot may take to end before it is ended, when the checker has done with it.
const LEAVING: Duration = Duration::from_secs(2);
/// The name of a dialled bot that does not say its own.
const NAMELESS: &str = "dialled-bot";
/// How many matches the arena gives at most.
const MOST_MATCHES: usize = 4_096;

/// What came of waiting for the bot.
pub(crate) enum Met {
    /// It is there.
    Here,
    /// It came, and was not let in: the failing is noted.
    NotLetIn,
    /// It did not come.
    Nobody(String),
}

impl Bench {
    /// Waits for the bot to be there for the first time, and grades its profile.
    pub(crate) async fn meet(&mut self) -> Result<Met, Broken> {
        if let Err(error) = self.start() {
            return Ok(Met::Nobody(error));
        }
        match self.way {
            Way::DialsIn => self.dials_in(self.wait).await,
            Way::Dialled => self.is_dialled(self.wait).await,
        }
    }

    /// Waits until the bot is there again, after a part of the check for which it did not stay.
    pub(crate) async fn meet_again(&mut self) -> Result<Met, Broken> {
        let dead = self.launches() && (self.running.is_none() || self.exited().is_some());
        if dead {
            self.running = None;
            if let Err(error) = self.start() {
                return Ok(Met::Nobody(error));
            }
        }
        if self.is_connected() && !dead {
            return Ok(Met::Here);
        }
        let patience = if self.launches() { AGAIN } else { self.wait };
        let met = self.met(patience).await?;
        if matches!(met, Met::Nobody(_)) && self.launches() && !dead {
            self.transcript
                .note("the bot does not come back: it is started anew");
            self.kill().await;
            if let Err(error) = self.start() {
                return Ok(Met::Nobody(error));
            }
            return self.met(AGAIN).await;
        }
        Ok(met)
    }

    async fn met(&mut self, patience: Duration) -> Result<Met, Broken> {
        match self.way {
            Way::DialsIn => self.dials_in(patience).await,
            Way::Dialled => self.answers(patience).await,
        }
    }

    /// Starts the bot, if that is the checker's business.
    pub(crate) fn start(&mut self) -> Result<(), String> {
        let Some(launch) = &mut self.launch else {
            return Ok(());
        };
        self.transcript.note("starts the bot");
        match launch(&self.address, &self.transcript) {
            Ok(running) => {
                self.running = Some(running);
                Ok(())
            }
            Err(error) => Err(format!("the bot cannot be started: {error}")),
        }
    }

    /// How the bot's program ended, if it has.
    pub(crate) fn exited(&self) -> Option<Exited> {
        self.running.as_ref()?.exited.borrow().clone()
    }

    /// Ends the bot's program, if the checker started it.
    pub(crate) async fn kill(&mut self) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        // It may have programs of its own to end.
        running.leave.cancel();
        let left = running.exited.wait_for(Option::is_some);
        let left = tokio::time::timeout(LEAVING, left).await.is_ok();
        if !left {
            running.kill.cancel();
            let ended = running.exited.wait_for(Option::is_some);
            // What cannot be killed cannot be helped.
            let _ = tokio::time::timeout(LEAVING, ended).await;
        }
        self.shear();
    }

    async fn dials_in(&mut self, patience: Duration) -> Result<Met, Broken> {
        self.refused = None;
        let before = self.dials.len();
        if let Some(met) = self.until(patience, Self::has_dialled).await? {
            return Ok(met);
        }
        let what = match self.dials_since(before).is_empty() {
            true => "no bot came",
            false => "a bot dialled, and said no hello",
        };
        let within = patience.as_millis();
        Ok(Met::Nobody(format!("{what} within {within} ms")))
    }

    /// What came of a bot that dials in, if it is known by now.
    fn has_dialled(&mut self) -> Option<Met> {
        if self.current.is_some() {
            self.grades.pass(rules::PROFILE);
            return Some(Met::Here);
        }
        if let Some((status, line)) = self.refused.take() {
            let mut lines: Vec<usize> = self.hello.iter().map(|hello| hello.line).collect();
            lines.push(line);
            let message = format!("the arena does not let it in: {}", status.message());
            self.grades.fail(rules::PROFILE, message, lines);
            return Some(Met::NotLetIn);
        }
        let exited = self.exited()?;
        Some(Met::Nobody(format!(
            "its program ended before it was there ({})",
            exited.text
        )))
    }

    async fn is_dialled(&mut self, patience: Duration) -> Result<Met, Broken> {
        let profile = match self.profile(patience).await? {
            Ok(profile) => profile,
            Err(why) => return Ok(Met::Nobody(why)),
        };
        let Some(profile) = profile else {
            return Ok(Met::NotLetIn);
        };
        let hello = Hello {
            protocol_version: PROTOCOL_VERSION,
            profile: Some(AgentProfile {
                wants_legal_moves: true,
                wants_accepted: true,
                ..profile.clone()
            }),
            resume_token: String::new(),
            heartbeat_interval_ms: None,
        };
        self.bot = Some(Profile {
            name: profile.name.clone(),
            variants: VARIANTS
                .iter()
                .map(|(variant, _)| *variant)
                .filter(|variant| profile.variants.contains(&i32::from(*variant)))
                .collect(),
            max_matches: profile.max_matches as usize,
            wants_legal_moves: profile.wants_legal_moves,
            wants_accepted: false,
            heartbeat: None,
        });
        self.open_for_dialled(hello);
        let welcomed = self
            .until(crate::arena::OWN, |bench| bench.current.map(|_| ()))
            .await?;
        match welcomed {
            Some(()) => {
                self.grades.pass(rules::PROFILE);
                Ok(Met::Here)
            }
            None => Err(Broken::checker("the arena does not let the checker in")),
        }
    }

    /// The profile of a dialled bot; none if it is not acceptable, which is noted. An error says why nobody answers.
    async fn profile(
        &mut self,
        patience: Duration,
    ) -> Result<Result<Option<AgentProfile>, String>, Broken> {
        let answer = match self.call_until_answered(patience).await? {
            Ok(answer) => answer,
            Err(why) => return Ok(Err(why)),
        };
        let every = AgentProfile {
            name: NAMELESS.to_owned(),
            variants: VARIANTS.iter().map(|(it, _)| i32::from(*it)).collect(),
            max_matches: 4_096,
            wants_legal_moves: true,
            wants_accepted: false,
        };
        let (answer, line) = answer;
        let refused = match answer {
            Err(status) if status.code() == Code::Unimplemented => return Ok(Ok(Some(every))),
            Err(status) => format!("GetProfile failed: {}", summary::status(&status)),
            Ok(None) => "GetProfile answered without a profile".to_owned(),
            Ok(Some(profile)) => match profile_from(profile.clone(), MOST_MATCHES, false) {
                Err(violations) => format!("its profile is not acceptable: {violations}"),
                Ok((name, _)) => {
                    let name = if name.is_empty() {
                        NAMELESS.to_owned()
                    } else {
                        name
                    };
                    return Ok(Ok(Some(AgentProfile { name, ..profile })));
                }
            },
        };
        self.grades.fail(rules::PROFILE, refused, vec![line]);
        Ok(Ok(None))
    }

    /// Waits until a dialled bot answers anything at all.
    async fn answers(&mut self, patience: Duration) -> Result<Met, Broken> {
        Ok(match self.call_until_answered(patience).await? {
            Ok(_) => {
                self.loss = None;
                Met::Here
            }
            Err(why) => Met::Nobody(why),
        })
    }

    /// Calls GetProfile until there is an answer, or an error of the bot's own. Both come with their line.
    pub(crate) async fn call_until_answered(
        &mut self,
        patience: Duration,
    ) -> Result<Result<(Result<Option<v1::AgentProfile>, Status>, usize), String>, Broken> {
        let end = Instant::now() + patience;
        let interrupt = self.interrupt.clone();
        loop {
            let Some(caller) = &self.caller else {
                return Err(Broken::new(
                    How::Checker,
                    "this bot is not dialled",
                    Vec::new(),
                ));
            };
            let answer = tokio::select! {
                () = interrupt.cancelled() => return Err(Broken::interrupted()),
                answer = caller.profile() => answer,
            };
            let unreached = match &answer {
                Err(status) if std::error::Error::source(status).is_some() => Some(status.clone()),
                Err(status) if status.code() == Code::DeadlineExceeded => Some(status.clone()),
                _ => None,
            };
            let Some(status) = unreached else {
                let text = match &answer {
                    Ok(response) => format!(
                        "its profile: {}",
                        response
                            .profile
                            .as_ref()
                            .map_or_else(|| "none".to_owned(), summary::json)
                    ),
                    Err(status) => format!("GetProfile: {}", summary::status(status)),
                };
                let line = self.transcript.add(Speaker::Bot, text);
                return Ok(Ok((answer.map(|response| response.profile), line)));
            };
            if let Some(exited) = self.exited() {
                return Ok(Err(format!(
                    "its program ended before it was there ({})",
                    exited.text
                )));
            }
            if Instant::now() >= end {
                return Ok(Err(format!(
                    "{} cannot be reached: {}",
                    self.address,
                    summary::status(&status)
                )));
            }
            self.watch(Duration::from_millis(100)).await?;
        }
    }
}
