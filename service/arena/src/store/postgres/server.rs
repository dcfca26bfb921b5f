//! The database server: how it is reached, and what this program asks of each connection to it.

use std::{net::IpAddr, path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio_postgres::{
    Client, Config,
    config::{Host, SslMode, TargetSessionAttrs},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::fault;
use crate::store::{Durability, StoreError};

/// How long it may take to connect to a server, where the URL does not say.
const CONNECT: Duration = Duration::from_secs(5);

/// How long an answer may take; beyond that the connection is given up.
pub(super) const ANSWER: Duration = Duration::from_secs(15);

/// Connections for everything but appends.
const POOL: usize = 8;

/// What the server is asked of each connection: no statement, wait for a lock or forgotten transaction lasts for ever, and
/// statistics that lag behind a burst of new matches do not talk it out of the index that every statement here has, nor out of its order.
const OPTIONS: &str = "-c statement_timeout=10s -c lock_timeout=5s -c idle_in_transaction_session_timeout=10s \
-c default_transaction_isolation=read\\ committed -c enable_seqscan=off -c enable_bitmapscan=off -c client_min_messages=warning";

/// The oldest version of PostgreSQL that is known to do.
const OLDEST: (i32, &str) = (130_000, "13");

/// A database on a server.
#[derive(Clone)]
pub(super) struct Server {
    config: Config,
    tls: MakeRustlsConnect,
    name: String,
}

impl Server {
    /// Reads a URL.
    pub(super) fn parse(url: &str, durability: Durability) -> anyhow::Result<Self> {
        let mut config: Config = url
            .parse()
            .map_err(|error| anyhow::anyhow!("the store's URL: {}", fault::describe(&error)))?;
        anyhow::ensure!(
            !config.get_hosts().is_empty() || !config.get_hostaddrs().is_empty(),
            "the store's URL names no host: it must be like postgres://USER@HOST/DATABASE"
        );
        let commit = match durability {
            Durability::Power => "on",
            Durability::Process => "off",
        };
        let given = config.get_options().unwrap_or_default();
        config.options(format!("{given} {OPTIONS} -c synchronous_commit={commit}"));
        if config.get_application_name().is_none() {
            config.application_name("broadside-arena");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        config
            .keepalives_idle(Duration::from_secs(10))
            .keepalives_interval(Duration::from_secs(5))
            .tcp_user_timeout(ANSWER)
            // Of several hosts, the one that takes writes.
            .target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_ssl_mode() == SslMode::Prefer {
            // A server elsewhere is not sent a password in the clear because somebody said that it has no TLS.
            config.ssl_mode(if is_here(&config) {
                SslMode::Disable
            } else {
                SslMode::Require
            });
        }
        let tls = tls(config.get_ssl_mode())?;
        let name = name(&config);
        Ok(Self { config, tls, name })
    }

    /// What it is called, without secrets.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// A connection to it.
    pub(super) async fn connect(&self) -> Result<Client, StoreError> {
        let connecting = self.config.connect(self.tls.clone());
        let (client, connection) = tokio::time::timeout(ANSWER, connecting)
            .await
            .map_err(|_| fault::late())?
            .map_err(|error| fault::store_error(&error))?;
        tokio::spawn(async move {
            // What it ends with is told to whoever waits for an answer on it.
            if let Err(error) = connection.await {
                tracing::debug!(error = %fault::describe(&error), "a connection to the store ended");
            }
        });
        Ok(client)
    }

    /// Connections for everything but appends, made when they are needed.
    pub(super) fn pool(&self) -> anyhow::Result<Pool> {
        let manager = Manager::from_config(
            self.config.clone(),
            self.tls.clone(),
            ManagerConfig {
                // A server that was started again must not cost a call for each connection that it ended.
                recycling_method: RecyclingMethod::Verified,
            },
        );
        Ok(Pool::builder(manager)
            .max_size(POOL)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(ANSWER))
            .create_timeout(Some(ANSWER))
            .recycle_timeout(Some(CONNECT))
            .build()?)
    }

    /// Whether the server can promise what this program does.
    pub(super) async fn check(
        &self,
        client: &Client,
        durability: Durability,
    ) -> anyhow::Result<()> {
        let name = &self.name;
        let row = client
            .query_one(
                "SELECT current_setting('server_version_num')::int, current_setting('server_version'),
                        current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes')",
                &[],
            )
            .await
            .map_err(|error| anyhow::anyhow!("{name}: {}", fault::describe(&error)))?;
        let version: i32 = row.try_get(0)?;
        let (version_text, encoding): (String, String) = (row.try_get(1)?, row.try_get(2)?);
        let (fsync, pages): (String, String) = (row.try_get(3)?, row.try_get(4)?);
        let (oldest, oldest_text) = OLDEST;
        anyhow::ensure!(
            version >= oldest,
            "{name}: its server is PostgreSQL {version_text}: it must be {oldest_text} or newer"
        );
        anyhow::ensure!(
            encoding == "UTF8",
            "{name}: its encoding is {encoding}: it must be UTF8 (CREATE DATABASE ... ENCODING 'UTF8')"
        );
        if fsync == "on" && pages == "on" {
            return Ok(());
        }
        let risk =
            format!("{name}: its server runs with fsync = {fsync} and full_page_writes = {pages}");
        anyhow::ensure!(
            durability == Durability::Process,
            "{risk}, so that the loss of power may take accepted moves: set both to on, or durability to process"
        );
        tracing::warn!("{risk}: the loss of power may ruin the whole database");
        Ok(())
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)
    }
}

/// Whether all of its hosts are this machine.
fn is_here(config: &Config) -> bool {
    let named = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .parse()
                    .is_ok_and(|address: IpAddr| address.is_loopback())
        }
        Host::Unix(_) => true,
    });
    named && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

fn name(config: &Config) -> String {
    let hosts: Vec<_> = if config.get_hosts().is_empty() {
        config
            .get_hostaddrs()
            .iter()
            .map(IpAddr::to_string)
            .collect()
    } else {
        let hosts = config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => Path::display(path).to_string(),
        });
        hosts.collect()
    };
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    format!("postgres://{}/{database}", hosts.join(","))
}

/// TLS with the certificates that this machine trusts; `SSL_CERT_FILE` names others.
fn tls(mode: SslMode) -> anyhow::Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    if mode != SslMode::Disable {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(%error, "a trusted certificate cannot be read");
        }
        roots.add_parsable_certificates(found.certs);
        anyhow::ensure!(
            !roots.is_empty(),
            "the store's server is to be reached by TLS, and this machine trusts no certificates: install them \
(package ca-certificates), or name a file of them in SSL_CERT_FILE"
        );
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("TLS")?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> anyhow::Result<Server> {
        Server::parse(url, Durability::Power)
    }

    #[test]
    fn a_server_elsewhere_is_reached_by_tls_unless_the_url_forbids_it() {
        for (url, mode) in [
            ("postgres://ada@localhost/arena", SslMode::Disable),
            ("postgres://ada@127.0.0.1/arena", SslMode::Disable),
            ("postgres://ada@%2Frun%2Fpostgresql/arena", SslMode::Disable),
            ("postgres://ada@db/arena?sslmode=disable", SslMode::Disable),
        ] {
            assert_eq!(parsed(url).unwrap().config.get_ssl_mode(), mode, "{url}");
        }
        // Whether there are certificates depends on the machine.
        match parsed("postgres://ada@db/arena") {
            Ok(server) => assert_eq!(server.config.get_ssl_mode(), SslMode::Require),
            Err(error) => assert!(error.to_string().contains("SSL_CERT_FILE"), "{error}"),
        }
    }

    #[test]
    fn options_of_the_url_are_kept_but_for_those_that_the_promise_needs() {
        let url = "postgres://ada@localhost/arena?options=-c%20search_path%3Dmine%20-c%20synchronous_commit%3Doff";
        let server = parsed(url).unwrap();
        let options = server.config.get_options().unwrap();
        assert!(options.contains("search_path=mine"), "{options}");
        assert!(options.ends_with("synchronous_commit=on"), "{options}");
    }

    #[test]
    fn what_a_store_is_called_holds_no_password() {
        let server = parsed("postgres://ada:secret@localhost,127.0.0.1/arena").unwrap();
        assert_eq!(server.name(), "postgres://localhost,127.0.0.1/arena");
        assert!(!format!("{server:?}").contains("secret"));
        let error = parsed("postgres:///arena").unwrap_err();
        assert!(error.to_string().contains("names no host"), "{error}");
    }
}
