use std::net::IpAddr;

use http::Uri;

use super::network::{self, Allowed};

/// Longest address, in bytes.
pub(crate) const LONGEST: usize = 200;

/// The address of a dialled bot, checked as far as it can be before its name is resolved.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub fn check(address: &str, allow: &[Allowed]) -> Result<Uri, String> {
    let shown = || address.chars().take(LONGEST).collect::<String>();
    let wrong = || {
        format!(
            "is {:?}: it must be http://HOST:PORT or https://HOST:PORT, and nothing more",
            shown()
        )
    };
    let uri: Uri = address.parse().map_err(|_| wrong())?;
    let has_authority_of_host_and_port = uri.authority().is_some_and(|authority| {
        !authority.as_str().contains('@')
            && !authority.host().is_empty()
            && authority.port_u16().is_some_and(|port| port != 0)
    });
    let plain = address.len() <= LONGEST
        && matches!(uri.scheme_str(), Some("http" | "https"))
        && has_authority_of_host_and_port
        && matches!(uri.path(), "" | "/")
        && uri.query().is_none()
        && !address.contains('#');
    if !plain {
        return Err(wrong());
    }
    if let Some(ip) = literal(&uri) {
        network::check(ip, allow).map_err(|why| format!("is {:?}: {why}", shown()))?;
    }
    Ok(uri)
}

/// The host, if it is an IP address.
fn literal(uri: &Uri) -> Option<IpAddr> {
    host(uri)?.parse().ok()
}

/// The host; of an IPv6 address without its brackets.
pub(super) fn host(uri: &Uri) -> Option<&str> {
    let host = uri.host()?;
    Some(
        host.strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_a_port() {
        for good in [
            "http://127.0.0.1:9000",
            "http://bots.example:80/",
            "https://bots.example:443",
            "http://[::1]:7",
        ] {
            assert!(check(good, &[Allowed::Any]).is_ok(), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1:9000",
            "http://host",
            "http://:80",
            "http://host:0",
            "ftp://host:1",
            "unix:/x",
            "unix:///x:1",
            "http://h:1/path",
            "http://h:99999",
            "http://h:1?q",
            "http://h:1#f",
            "http://me@h:1",
            "http://me:secret@h:1",
        ] {
            let why = check(bad, &[Allowed::Any]).unwrap_err();
            assert!(why.contains("http://HOST:PORT"), "{bad}: {why}");
        }
    }

    #[test]
    fn a_literal_address_that_is_not_to_be_dialled_is_refused_with_the_setting_that_would_allow_it()
    {
        for bad in [
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://[::ffff:10.0.0.1]:1",
            "https://169.254.169.254:80",
        ] {
            let why = check(bad, &[]).unwrap_err();
            assert!(why.contains("dial_allow"), "{bad}: {why}");
        }
        assert!(check("http://93.184.215.14:1", &[]).is_ok());
    }
}
