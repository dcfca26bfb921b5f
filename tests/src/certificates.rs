//! Certificates for tests, in files of a folder that goes with them.

use std::{
    net::SocketAddr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use tempfile::TempDir;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

/// An authority that issues certificates for loopback.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
    /// Its own certificate.
    pub ca: PathBuf,
}

/// A certificate with its private key.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The certificate's file.
    pub cert: PathBuf,
    /// Its private key's.
    pub key: PathBuf,
}

impl Pair {
    /// For a client that shows it.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn identity(&self) -> anyhow::Result<Identity> {
        Ok(Identity::from_pem(
            std::fs::read(&self.cert)?,
            std::fs::read(&self.key)?,
        ))
    }
}

impl Authority {
    /// A new one.
    ///
    /// # Errors
    /// If there is no folder for it.
    pub fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        params
            .distinguished_name
            .push(DnType::CommonName, "authority of tests");
        let key = KeyPair::generate()?;
        let ca = folder.path().join("ca.pem");
        std::fs::write(&ca, params.self_signed(&key)?.pem())?;
        Ok(Self {
            issuer: Issuer::new(params, key),
            folder,
            ca,
        })
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Issues a certificate that is in force.
    ///
    /// # Errors
    /// If its files cannot be written.
    pub fn issue(&self, name: &str) -> anyhow::Result<Pair> {
        self.issue_until(name, 4096)
    }

    /// Issues a certificate that is in force until a year begins.
    ///
    /// # Errors
    /// As [`issue`](Self::issue).
    pub fn issue_until(&self, name: &str, year: i32) -> anyhow::Result<Pair> {
        let mut params =
            CertificateParams::new(["localhost", "127.0.0.1", "::1"].map(str::to_owned))?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.not_before = date_time_ymd(1999, 1, 1);
        params.not_after = date_time_ymd(year, 1, 1);
        let key = KeyPair::generate()?;
        let pair = Pair {
            cert: self.folder.path().join(format!("{name}.pem")),
            key: self.folder.path().join(format!("{name}.key")),
        };
        std::fs::write(&pair.cert, params.signed_by(&key, &self.issuer)?.pem())?;
        std::fs::write(&pair.key, key.serialize_pem())?;
        std::fs::set_permissions(&pair.key, std::fs::Permissions::from_mode(0o600))?;
        Ok(pair)
    }

    /// What clients trust.
    ///
    /// # Errors
    /// If its certificate cannot be read.
    pub fn trust(&self) -> anyhow::Result<ClientTlsConfig> {
        let ca = Certificate::from_pem(std::fs::read(&self.ca)?);
        Ok(ClientTlsConfig::new().ca_certificate(ca))
    }
}

/// A connection with TLS, made now.
///
/// # Errors
/// If there is none: with every cause in its text.
pub async fn tls_channel(address: SocketAddr, tls: ClientTlsConfig) -> anyhow::Result<Channel> {
    Endpoint::from_shared(format!("https://{address}"))?
        .tls_config(tls)?
        .connect_timeout(Duration::from_secs(30))
        .connect()
        .await
        .context("no connection")
}
