//! How the arena reaches bots that it dials: never anything that its operator does not want reached.
//!
//! An address is checked as text (`address.rs`); what its name resolves to is checked at each connection, and that very
//! address is connected to (`connector.rs`) if it is one to dial (`network.rs`). What answers must be gRPC (`answer.rs`).

mod address;
mod answer;
mod connector;
mod network;

use std::{fmt, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Error, Identity};

pub(crate) use self::address::LONGEST as MAX_ADDRESS;
use self::connector::Connector;
pub use self::{address::check, answer::Answers, network::Allowed};
use crate::{listener::pem, server::MAX_HEADERS, settings::Settings};

/// Connects to bots.
#[derive(Clone)]
pub struct Dialer {
    allow: Arc<[Allowed]>,
    tls: ClientTlsConfig,
    timeout: Duration,
    keepalive_interval: Duration,
    keepalive_timeout: Duration,
}

// What TLS is configured with has a private key in it.
impl fmt::Debug for Dialer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Dialer")
            .field("allow", &self.allow)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Dialer {
    /// Reads the files that the settings name.
    ///
    /// # Errors
    /// If one is not right: names it, and the reason.
    pub fn from(settings: &Settings) -> anyhow::Result<Self> {
        let mut tls = ClientTlsConfig::new().with_webpki_roots();
        if let Some(path) = &settings.dial_ca {
            pem::certificates(path).context("cannot trust dial_ca")?;
            tls = tls.ca_certificate(Certificate::from_pem(std::fs::read(path)?));
        }
        match (&settings.dial_cert, &settings.dial_key) {
            (None, None) => {}
            (Some(cert), Some(key)) => {
                pem::pair(cert, key).context("cannot use dial_cert and dial_key")?;
                tls = tls.identity(Identity::from_pem(
                    std::fs::read(cert)?,
                    std::fs::read(key)?,
                ));
            }
            _ => bail!(
                "the settings are not right: dial_cert and dial_key belong together: set both, or neither"
            ),
        }
        Ok(Self {
            allow: settings.dial_allow.as_slice().into(),
            tls,
            timeout: settings.dial_timeout,
            keepalive_interval: settings.http2_keepalive_interval,
            keepalive_timeout: settings.http2_keepalive_timeout,
        })
    }

    /// Where a bot is.
    ///
    /// # Errors
    /// What is wrong with its address, as the end of a sentence.
    pub fn endpoint(&self, address: &str) -> Result<Endpoint, String> {
        let uri = check(address, &self.allow)?;
        let secure = uri.scheme_str() == Some("https");
        let endpoint = Endpoint::from(uri)
            .connect_timeout(self.timeout)
            .http2_keep_alive_interval(self.keepalive_interval)
            .keep_alive_timeout(self.keepalive_timeout)
            .http2_max_header_list_size(MAX_HEADERS);
        if secure {
            endpoint
                .tls_config(self.tls.clone())
                .map_err(|error| format!("cannot be reached with TLS: {error}"))
        } else {
            Ok(endpoint)
        }
    }

    /// Connects.
    ///
    /// # Errors
    /// If the bot cannot be reached, or is not to be.
    pub async fn connect(&self, endpoint: &Endpoint) -> Result<Answers<Channel>, Error> {
        let connector = Connector::new(self.allow.clone());
        endpoint
            .connect_with_connector(connector)
            .await
            .map(Answers::new)
    }

    /// A connection that is made with its first call.
    pub fn connect_lazy(&self, endpoint: &Endpoint) -> Answers<Channel> {
        let connector = Connector::new(self.allow.clone());
        Answers::new(endpoint.connect_with_connector_lazy(connector))
    }
}
