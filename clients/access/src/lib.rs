//! How clients reach an arena: whom they trust, what certificate they show, and the token that says who they are.
//!
//! [`AccessArgs`] are the flags, the same for every client; [`Access`] is what they name, read. No token is ever printed,
//! nor taken from the command line, where every user of the machine could read it.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use clap::Args;
use secrecy::{ExposeSecret, SecretString};
use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
    transport::{Certificate, ClientTlsConfig, Endpoint, Identity},
};

/// The environment variable that holds a token.
pub const TOKEN: &str = "BROADSIDE_TOKEN";

/// Flags for an arena that asks for TLS or a token.
#[derive(Args, Clone, Debug, Default)]
pub struct AccessArgs {
    /// An authority to trust, besides the public ones, at an https:// address; in PEM.
    #[arg(
        long,
        global = true,
        env = "BROADSIDE_CA",
        value_name = "FILE",
        help_heading = "Access"
    )]
    pub ca: Option<PathBuf>,
    /// The certificate to show to an arena that asks for one, in PEM.
    #[arg(
        long,
        global = true,
        env = "BROADSIDE_CERT",
        value_name = "FILE",
        requires = "key",
        help_heading = "Access"
    )]
    pub cert: Option<PathBuf>,
    /// Its private key, in PEM.
    #[arg(
        long,
        global = true,
        env = "BROADSIDE_KEY",
        value_name = "FILE",
        requires = "cert",
        help_heading = "Access"
    )]
    pub key: Option<PathBuf>,
    /// The file that holds the token to show. Without it: the environment variable BROADSIDE_TOKEN, if it is set.
    #[arg(
        long,
        global = true,
        env = "BROADSIDE_TOKEN_FILE",
        value_name = "FILE",
        help_heading = "Access"
    )]
    pub token_file: Option<PathBuf>,
}

/// Why an arena cannot be reached as told.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// A file cannot be read.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What should be a token is none. It is not shown.
    #[error("{place} holds no token: it must be one line of visible ASCII characters")]
    NoToken {
        /// Where it was looked for.
        place: String,
    },
    /// An address is none.
    #[error("{0:?} is no address of an arena: write http://HOST:PORT or https://HOST:PORT")]
    Address(String),
    /// The files make no TLS.
    #[error("cannot set up TLS with what --ca, --cert and --key name: {0}")]
    Tls(String),
}

impl AccessArgs {
    /// Reads what they name.
    ///
    /// # Errors
    /// If a file cannot be read, or holds something else.
    pub fn read(&self) -> Result<Access, AccessError> {
        let mut tls = ClientTlsConfig::new().with_webpki_roots();
        if let Some(path) = &self.ca {
            tls = tls.ca_certificate(Certificate::from_pem(read(path)?));
        }
        if let (Some(cert), Some(key)) = (&self.cert, &self.key) {
            tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
        }
        let (place, token) = match &self.token_file {
            Some(path) => (
                path.display().to_string(),
                Some(
                    std::fs::read_to_string(path).map_err(|source| AccessError::File {
                        path: path.clone(),
                        source,
                    })?,
                ),
            ),
            None => (TOKEN.to_owned(), std::env::var(TOKEN).ok()),
        };
        let token = token
            .map(|token| check_token(SecretString::from(token.trim()), place))
            .transpose()?;
        Ok(Access { tls, token })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, AccessError> {
    std::fs::read(path).map_err(|source| AccessError::File {
        path: path.to_owned(),
        source,
    })
}

fn check_token(token: SecretString, place: String) -> Result<SecretString, AccessError> {
    let text = token.expose_secret();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(AccessError::NoToken { place });
    }
    Ok(token)
}

/// What to reach an arena with.
#[derive(Clone)]
pub struct Access {
    tls: ClientTlsConfig,
    token: Option<SecretString>,
}

impl Default for Access {
    fn default() -> Self {
        Self {
            tls: ClientTlsConfig::new().with_webpki_roots(),
            token: None,
        }
    }
}

// What TLS is configured with has a private key in it.
impl fmt::Debug for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Access")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// With a token, and trust in the public authorities.
    #[must_use]
    pub fn with_token(token: impl Into<SecretString>) -> Self {
        Self {
            token: Some(token.into()),
            ..Self::default()
        }
    }

    /// The arena at an address.
    ///
    /// # Errors
    /// If the address is none, or TLS cannot be set up for it.
    pub fn endpoint(&self, arena: &str) -> Result<Endpoint, AccessError> {
        let wrong = || AccessError::Address(arena.to_owned());
        let secure = arena.starts_with("https://");
        if !secure && !arena.starts_with("http://") {
            return Err(wrong());
        }
        let endpoint = Endpoint::from_shared(arena.to_owned()).map_err(|_| wrong())?;
        if !secure {
            return Ok(endpoint);
        }
        endpoint
            .tls_config(self.tls.clone())
            .map_err(|error| AccessError::Tls(deepest(&error)))
    }

    /// Puts the token, if there is one, into a call.
    pub fn authorize<T>(&self, request: &mut Request<T>) {
        let Some(token) = &self.token else { return };
        let bearer = SecretString::from(format!("Bearer {}", token.expose_secret()));
        // A token is checked where it is read; one that is given otherwise may be none, and is refused by the arena.
        if let Ok(mut value) = bearer.expose_secret().parse::<MetadataValue<Ascii>>() {
            value.set_sensitive(true);
            request.metadata_mut().insert("authorization", value);
        }
    }
}

impl Interceptor for Access {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        self.authorize(&mut request);
        Ok(request)
    }
}

fn deepest(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn with_token_file(content: &str) -> Result<Access, AccessError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        AccessArgs {
            token_file: Some(file.path().to_owned()),
            ..AccessArgs::default()
        }
        .read()
    }

    #[test]
    fn a_token_goes_into_every_call_and_into_no_text() {
        let access = with_token_file("s3cret-token\n").unwrap();
        let mut request = Request::new(());
        access.authorize(&mut request);
        assert_eq!(
            request
                .metadata()
                .get("authorization")
                .unwrap()
                .to_str()
                .unwrap(),
            "Bearer s3cret-token"
        );
        for text in [format!("{access:?}"), format!("{request:?}")] {
            assert!(!text.contains("s3cret"), "{text}");
        }
    }

    #[test]
    fn what_is_no_token_is_not_shown() {
        for content in ["", " \n", "two words", "b\u{e9}te"] {
            let why = with_token_file(content).unwrap_err().to_string();
            assert!(why.contains("holds no token"), "{why}");
            assert!(!why.contains("words"), "{why}");
        }
    }

    #[test]
    fn an_address_is_http_or_https() {
        let access = Access::default();
        assert!(access.endpoint("http://127.0.0.1:4600").is_ok());
        assert!(access.endpoint("https://arena.example:4600").is_ok());
        for wrong in ["127.0.0.1:4600", "ftp://arena", "http://", "unix:/x"] {
            assert!(access.endpoint(wrong).is_err(), "{wrong}");
        }
    }
}
