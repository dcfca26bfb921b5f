//! Certificates and keys in files.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use tokio_rustls::rustls::{
    self,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
    sign::CertifiedKey,
};
use x509_parser::prelude::{FromDer, X509Certificate};

/// What is wrong with a file of TLS.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PemError {
    #[error("{path}: it cannot be read: {source}", path = path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error(
        "{path}: every user can read this private key (mode {mode:03o}): take that away with chmod o-rwx",
        path = path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    #[error("{path}: it holds no {what} in PEM", path = path.display())]
    Missing { path: PathBuf, what: &'static str },
    #[error("{path}: it is no PEM: {source}", path = path.display())]
    Malformed { path: PathBuf, source: pem::Error },
    #[error("{path}: certificate {number} in it is no X.509: {why}", path = path.display())]
    NotX509 {
        path: PathBuf,
        number: usize,
        why: String,
    },
    #[error("{path}: certificate {number} in it has expired, on {when}", path = path.display())]
    Expired {
        path: PathBuf,
        number: usize,
        when: String,
    },
    #[error("{path}: certificate {number} in it is not valid before {when}", path = path.display())]
    NotYet {
        path: PathBuf,
        number: usize,
        when: String,
    },
    #[error(
        "{key}: this private key is not that of the certificate in {cert}",
        key = key.display(),
        cert = cert.display()
    )]
    Mismatch { cert: PathBuf, key: PathBuf },
    #[error("{path}: it cannot be used: {source}", path = path.display())]
    Unusable {
        path: PathBuf,
        source: rustls::Error,
    },
}

/// The certificates of a file, all of them in force.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let bytes = read(path)?;
    let certificates = CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| PemError::Malformed {
            path: path.to_owned(),
            source,
        })?;
    if certificates.is_empty() {
        return Err(PemError::Missing {
            path: path.to_owned(),
            what: "certificate",
        });
    }
    for (index, certificate) in certificates.iter().enumerate() {
        check_dates(path, index + 1, certificate)?;
    }
    Ok(certificates)
}

/// The private key of a file that not everybody can read.
fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, PemError> {
    let unreadable = |source| PemError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mode = fs::metadata(path).map_err(unreadable)?.mode() & 0o777;
    if mode & 0o007 != 0 {
        return Err(PemError::Exposed {
            path: path.to_owned(),
            mode,
        });
    }
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|source| match source {
        pem::Error::NoItemsFound => PemError::Missing {
            path: path.to_owned(),
            what: "private key",
        },
        source => PemError::Malformed {
            path: path.to_owned(),
            source,
        },
    })
}

/// A certificate with its chain, and the private key that belongs to it.
pub(crate) fn pair(
    cert: &Path,
    key: &Path,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), PemError> {
    let chain = certificates(cert)?;
    let private = private_key(key)?;
    CertifiedKey::from_der(
        chain.clone(),
        private.clone_key(),
        &ring::default_provider(),
    )
    .map_err(|source| match source {
        rustls::Error::InconsistentKeys(_) => PemError::Mismatch {
            cert: cert.to_owned(),
            key: key.to_owned(),
        },
        source => PemError::Unusable {
            path: cert.to_owned(),
            source,
        },
    })?;
    Ok((chain, private))
}

fn read(path: &Path) -> Result<Vec<u8>, PemError> {
    fs::read(path).map_err(|source| PemError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn check_dates(
    path: &Path,
    number: usize,
    certificate: &CertificateDer<'_>,
) -> Result<(), PemError> {
    let (_, parsed) = X509Certificate::from_der(certificate).map_err(|why| PemError::NotX509 {
        path: path.to_owned(),
        number,
        why: why.to_string(),
    })?;
    let validity = parsed.validity();
    let now = x509_parser::time::ASN1Time::now();
    if now > validity.not_after {
        return Err(PemError::Expired {
            path: path.to_owned(),
            number,
            when: validity.not_after.to_string(),
        });
    }
    if now < validity.not_before {
        return Err(PemError::NotYet {
            path: path.to_owned(),
            number,
            when: validity.not_before.to_string(),
        });
    }
    Ok(())
}
