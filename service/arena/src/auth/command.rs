//! `broadside-arena token`: makes, lists and revokes tokens in the arena's store, whether an arena runs on it or not.

use std::{io::Write, time::Duration};

use anyhow::{Context, ensure};
use clap::Subcommand;
use secrecy::ExposeSecret;

use super::{mint, token::is_id};
use crate::{
    gateway::{MAX_NAME, is_name},
    store::{Holder, KeptToken, Store},
    time::{duration_us, unix_ms},
};

/// What to do with tokens.
#[derive(Clone, Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token and print it: it is shown this once, and only its hash is kept.
    Create {
        /// For the agent of this name: it may connect as that agent, and create and read that agent's matches.
        #[arg(
            long,
            value_name = "NAME",
            conflicts_with = "operator",
            required_unless_present = "operator"
        )]
        agent: Option<String>,
        /// For an operator, who may create, read and cancel every match.
        #[arg(long)]
        operator: bool,
        /// For how long it is valid, such as 30d. [default: until it is revoked]
        #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
        expires: Option<Duration>,
    },
    /// List all tokens that were made, without their secrets.
    List,
    /// Revoke a token: within seconds whatever it opened ends.
    Revoke {
        /// The token's id, as `list` shows it: the part between the underscores.
        id: String,
    },
}

impl TokenCommand {
    /// Does it, and prints what there is to say.
    ///
    /// # Errors
    /// If the store fails, a name is none, or there is no such token.
    pub async fn run(&self, store: &dyn Store, out: &mut impl Write) -> anyhow::Result<()> {
        match self {
            Self::Create { agent, expires, .. } => {
                let holder = match agent {
                    None => Holder::Operator,
                    Some(name) => {
                        ensure!(
                            is_name(name),
                            "--agent is {name:?}: it must be 1-{MAX_NAME} characters of A-Z a-z 0-9 . _ - and start with a letter or a digit"
                        );
                        Holder::Agent(name.clone())
                    }
                };
                let now_ms = unix_ms();
                let expire_ms =
                    expires.map(|after| now_ms.saturating_add(duration_us(after) / 1_000));
                let minted = mint(holder, now_ms, expire_ms)
                    .context("the system has no randomness to give")?;
                store.add_token(minted.kept).await?;
                writeln!(out, "{}", minted.text.expose_secret())?;
            }
            Self::List => {
                for token in store.tokens().await? {
                    writeln!(out, "{}", row(&token, unix_ms()))?;
                }
            }
            Self::Revoke { id } => {
                ensure!(
                    is_id(id),
                    "{id:?} is no token's id: it must be the 16 digits between the underscores, as `token list` shows them"
                );
                ensure!(
                    store.revoke_token(id, unix_ms()).await?,
                    "there is no token {id}, or it was revoked before"
                );
                writeln!(out, "revoked {id}")?;
            }
        }
        Ok(())
    }
}

fn row(token: &KeptToken, now_ms: u64) -> String {
    let holder = match &token.holder {
        Holder::Operator => "operator".to_owned(),
        Holder::Agent(name) => format!("agent {name}"),
    };
    let time = |ms: u64| {
        let time = std::time::UNIX_EPOCH + Duration::from_millis(ms);
        humantime::format_rfc3339_seconds(time).to_string()
    };
    let state = match (token.revoke_time_ms, token.expire_time_ms) {
        (Some(at), _) => format!("revoked {}", time(at)),
        (None, Some(at)) if at <= now_ms => format!("expired {}", time(at)),
        (None, Some(at)) => format!("valid until {}", time(at)),
        (None, None) => "valid".to_owned(),
    };
    format!(
        "{}  {holder}  made {}  {state}",
        token.id,
        time(token.create_time_ms)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    async fn run(store: &MemoryStore, command: TokenCommand) -> anyhow::Result<String> {
        let mut out = Vec::new();
        command.run(store, &mut out).await?;
        Ok(String::from_utf8(out)?)
    }

    #[tokio::test]
    async fn a_token_is_made_listed_without_its_secret_and_revoked_once() {
        let store = MemoryStore::new(1);
        let create = TokenCommand::Create {
            agent: Some("ada".to_owned()),
            operator: false,
            expires: Some(Duration::from_secs(3_600)),
        };
        let token = run(&store, create).await.unwrap();
        let mut parts = token.trim().split('_');
        assert_eq!(parts.next(), Some("bsa"));
        let (id, secret) = (parts.next().unwrap(), parts.next().unwrap());
        let list = run(&store, TokenCommand::List).await.unwrap();
        assert!(list.contains(id) && list.contains("agent ada") && list.contains("valid until"));
        assert!(!list.contains(secret));
        let revoke = || TokenCommand::Revoke { id: id.to_owned() };
        run(&store, revoke()).await.unwrap();
        let again = run(&store, revoke()).await.unwrap_err().to_string();
        assert!(again.contains("revoked before"), "{again}");
        let list = run(&store, TokenCommand::List).await.unwrap();
        assert!(list.contains("revoked 2"), "{list}");
    }

    #[tokio::test]
    async fn what_is_no_name_and_no_id_is_said_to_be_none() {
        let store = MemoryStore::new(1);
        let create = TokenCommand::Create {
            agent: Some("-rf".to_owned()),
            operator: false,
            expires: None,
        };
        let error = run(&store, create).await.unwrap_err().to_string();
        assert!(error.contains("--agent"), "{error}");
        let id = "bso_1_2".to_owned();
        let error = run(&store, TokenCommand::Revoke { id }).await.unwrap_err();
        assert!(error.to_string().contains("no token's id"), "{error}");
    }
}
