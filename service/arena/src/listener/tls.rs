//! TLS as the arena serves it: 1.2 and 1.3, HTTP/2 alone, clients' certificates if it is told whose.

use std::{path::PathBuf, sync::Arc};

use anyhow::bail;
use tokio_rustls::rustls::{
    self, RootCertStore, ServerConfig, crypto::ring, server::WebPkiClientVerifier,
};

use super::pem::{self, PemError};
use crate::settings::Settings;

/// The files of TLS.
#[derive(Clone, Debug)]
pub(super) struct TlsFiles {
    pub(super) cert: PathBuf,
    pub(super) key: PathBuf,
    pub(super) client_ca: Option<PathBuf>,
}

impl TlsFiles {
    /// Those that the settings name; none if there is to be no TLS.
    ///
    /// # Errors
    /// If only some of those that belong together are named.
    pub(super) fn from(settings: &Settings) -> anyhow::Result<Option<Self>> {
        match (
            &settings.tls_cert,
            &settings.tls_key,
            &settings.tls_client_ca,
        ) {
            (Some(cert), Some(key), client_ca) => Ok(Some(Self {
                cert: cert.clone(),
                key: key.clone(),
                client_ca: client_ca.clone(),
            })),
            (None, None, None) => Ok(None),
            (Some(_), None, _) => bail!(
                "the settings are not right: tls_cert is set without tls_key, the file of its private key"
            ),
            (None, Some(_), _) => bail!(
                "the settings are not right: tls_key is set without tls_cert, the file of its certificate"
            ),
            (None, None, Some(_)) => bail!(
                "the settings are not right: tls_client_ca is set without tls_cert and tls_key, which it needs"
            ),
        }
    }

    /// Reads them.
    ///
    /// # Errors
    /// Names the file that is not right, and the reason.
    pub(super) fn load(&self) -> Result<Arc<ServerConfig>, PemError> {
        let (certificates, key) = pem::pair(&self.cert, &self.key)?;
        let provider = Arc::new(ring::default_provider());
        let unusable = |path: &PathBuf| {
            let path = path.clone();
            move |source| PemError::Unusable { path, source }
        };
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(unusable(&self.cert))?;
        let builder = match &self.client_ca {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for certificate in pem::certificates(path)? {
                    roots.add(certificate).map_err(unusable(path))?;
                }
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                        .build()
                        .map_err(|error| {
                            unusable(path)(rustls::Error::General(error.to_string()))
                        })?;
                builder.with_client_cert_verifier(verifier)
            }
        };
        let mut config = builder
            .with_single_cert(certificates, key)
            .map_err(unusable(&self.cert))?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Arc::new(config))
    }
}
