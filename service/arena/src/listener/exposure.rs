//! No arena is open to the world by accident.

use anyhow::bail;

use crate::settings::Settings;

/// Checks that an arena which others than this machine can reach has TLS and asks for tokens, or is told to do without.
///
/// # Errors
/// Says in one line what is missing, and what to set.
pub(crate) fn refuse_exposure(settings: &Settings) -> anyhow::Result<()> {
    if settings.listen.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    let mut missing = Vec::new();
    let mut needed = Vec::new();
    if settings.tls_cert.is_none() && !settings.allow_public_without_tls {
        missing.push("TLS");
        needed.push("tls_cert and tls_key (or allow_public_without_tls, to do without)");
    }
    if !settings.require_tokens && !settings.allow_public_without_tokens {
        missing.push("tokens");
        needed.push("require_tokens (or allow_public_without_tokens, to do without)");
    }
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "the settings are not right: {} is not loopback, and the arena has no {}: set {}",
        settings.listen,
        missing.join(" and no "),
        needed.join(", and ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(listen: &str, change: impl FnOnce(&mut Settings)) -> String {
        let mut settings = Settings {
            listen: listen.parse().unwrap(),
            ..Settings::default()
        };
        change(&mut settings);
        refuse_exposure(&settings)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn loopback_needs_nothing() {
        for address in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(refusal(address, |_| {}), "", "{address}");
        }
    }

    #[test]
    fn what_is_missing_is_named_and_no_more() {
        let both = refusal("0.0.0.0:4600", |_| {});
        assert!(both.contains("no TLS and no tokens"), "{both}");
        let tokens = refusal("[::]:4600", |settings| {
            settings.allow_public_without_tls = true;
        });
        assert!(tokens.contains("require_tokens"), "{tokens}");
        assert!(!tokens.contains("tls_cert"), "{tokens}");
        let tls = refusal("192.0.2.1:4600", |settings| settings.require_tokens = true);
        assert!(
            tls.contains("tls_cert") && !tls.contains("require_tokens"),
            "{tls}"
        );
        let neither = refusal("192.0.2.1:4600", |settings| {
            settings.require_tokens = true;
            settings.tls_cert = Some("cert.pem".into());
        });
        assert_eq!(neither, "");
    }
}
