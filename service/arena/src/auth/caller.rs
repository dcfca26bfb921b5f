//! Who makes a call, and what that allows.

use tokio::sync::watch;
use tonic::{Request, Status};

use super::tokens::Valid;
use crate::{
    play::{AgentId, MatchSpec},
    store::{Holder, Reader, TokenId},
};

/// Who makes a call.
#[derive(Clone, Debug)]
pub struct Caller {
    /// `None` for a caller without a token.
    token: Option<(TokenId, Holder)>,
    /// Whether calls without a token may do what is nobody's secret.
    open: bool,
    valid: watch::Receiver<Valid>,
}

impl Caller {
    pub(super) fn new(
        token: Option<(TokenId, Holder)>,
        open: bool,
        valid: watch::Receiver<Valid>,
    ) -> Self {
        Self { token, open, valid }
    }

    /// Who makes this call.
    ///
    /// # Errors
    /// `INTERNAL` if nobody has looked: the layer is missing.
    pub fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        request
            .extensions()
            .get::<Self>()
            .cloned()
            .ok_or_else(|| Status::internal("nobody has looked at who makes this call"))
    }

    /// As whom it reads.
    pub fn reader(&self) -> Reader {
        match &self.token {
            Some((_, Holder::Operator)) => Reader::Operator,
            Some((_, Holder::Agent(name))) => Reader::Agent(name.clone()),
            None => Reader::Public,
        }
    }

    /// Names the caller in logs: the id of its token.
    pub fn name(&self) -> &str {
        self.token.as_ref().map_or("nobody", |(id, _)| id)
    }

    /// Whether it may create this match; `seeded` if it chooses the seed.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` if not.
    pub fn may_create(&self, spec: &MatchSpec, seeded: bool) -> Result<(), Status> {
        match &self.token {
            Some((_, Holder::Operator)) => Ok(()),
            // The fleets that are dealt follow from it.
            Some((_, Holder::Agent(name))) if seeded => Err(Status::permission_denied(format!(
                "seed is set, and the token is that of agent {name}: only an operator chooses the seed, from which its opponent's dealt fleet could be worked out"
            ))),
            Some((_, Holder::Agent(name)))
                if spec.agents.contains(&AgentId::Named(name.as_str().into())) =>
            {
                Ok(())
            }
            Some((_, Holder::Agent(name))) => Err(Status::permission_denied(format!(
                "the token is that of agent {name}, which may only create matches that it plays itself"
            ))),
            None if spec.private => Err(Status::permission_denied(
                "a private match needs a token: without one nobody could read it",
            )),
            None => Ok(()),
        }
    }

    /// Whether it may end a match from outside.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` if not.
    pub fn may_cancel(&self) -> Result<(), Status> {
        match &self.token {
            Some((_, Holder::Agent(name))) => Err(Status::permission_denied(format!(
                "the token is that of agent {name}: only an operator cancels matches, an agent resigns"
            ))),
            Some((_, Holder::Operator)) | None => Ok(()),
        }
    }

    /// Whether it may be an agent. Where no token is needed, the names that tokens were made for still need theirs.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` or `UNAUTHENTICATED` if not.
    pub fn may_be(&self, agent: &str) -> Result<(), Status> {
        match &self.token {
            Some((_, Holder::Agent(name))) if name == agent => Ok(()),
            Some((_, Holder::Agent(name))) => Err(Status::permission_denied(format!(
                "hello.profile.name is {agent}, and the token is that of agent {name}"
            ))),
            Some((_, Holder::Operator)) => Err(Status::permission_denied(format!(
                "the token is an operator's: to be agent {agent} takes a token of that agent"
            ))),
            None if !self.open || self.valid.borrow().protects(agent) => {
                Err(Status::unauthenticated(format!(
                    "to be agent {agent} takes its token: send it as metadata, authorization: Bearer TOKEN"
                )))
            }
            None => Ok(()),
        }
    }

    /// Resolves when its token is valid no more; never for a caller without one.
    pub async fn revoked(&self) {
        let Some((id, _)) = &self.token else {
            return std::future::pending().await;
        };
        let mut valid = self.valid.clone();
        // An arena that is gone revokes nothing.
        if valid.wait_for(|valid| !valid.contains(id)).await.is_err() {
            std::future::pending().await
        }
    }
}
