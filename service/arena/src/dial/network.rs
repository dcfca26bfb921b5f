use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use serde::{Deserialize, Serialize};

/// What the operator lets the arena dial, besides the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Allowed {
    /// This machine.
    Loopback,
    /// The private networks: RFC 1918, carriers' NAT, unique local addresses.
    Private,
    /// Everything.
    Any,
    /// A network.
    Network(IpNet),
}

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "loopback" => Ok(Self::Loopback),
            "private" => Ok(Self::Private),
            "any" => Ok(Self::Any),
            network => network.parse().map(Self::Network).map_err(|_| {
                format!("dial_allow: {text:?} is neither loopback, private or any, nor a network such as 10.1.0.0/16")
            }),
        }
    }
}

impl TryFrom<String> for Allowed {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Allowed> for String {
    fn from(allowed: Allowed) -> Self {
        allowed.to_string()
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback => formatter.write_str("loopback"),
            Self::Private => formatter.write_str("private"),
            Self::Any => formatter.write_str("any"),
            Self::Network(network) => network.fmt(formatter),
        }
    }
}

/// What an address is for, if not for the public internet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Loopback,
    Private,
    /// Where clouds tell their machines secrets.
    Metadata,
    LinkLocal,
    Multicast,
    Reserved,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::Metadata => "the metadata service of a cloud",
            Self::LinkLocal => "link-local",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
        }
    }
}

const fn four(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn six(a: u16, b: u16, c: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}

/// The special networks of IPv4 (IANA's registry, and clouds' habits); the first that holds an address tells.
const FOUR: [(Ipv4Net, Purpose); 18] = [
    (four(169, 254, 169, 254, 32), Purpose::Metadata),
    (four(100, 100, 100, 200, 32), Purpose::Metadata),
    (four(192, 0, 0, 192, 32), Purpose::Metadata),
    (four(127, 0, 0, 0, 8), Purpose::Loopback),
    (four(10, 0, 0, 0, 8), Purpose::Private),
    (four(172, 16, 0, 0, 12), Purpose::Private),
    (four(192, 168, 0, 0, 16), Purpose::Private),
    (four(100, 64, 0, 0, 10), Purpose::Private),
    (four(169, 254, 0, 0, 16), Purpose::LinkLocal),
    (four(224, 0, 0, 0, 4), Purpose::Multicast),
    (four(0, 0, 0, 0, 8), Purpose::Reserved),
    (four(192, 0, 0, 0, 24), Purpose::Reserved),
    (four(192, 0, 2, 0, 24), Purpose::Reserved),
    (four(192, 88, 99, 0, 24), Purpose::Reserved),
    (four(198, 18, 0, 0, 15), Purpose::Reserved),
    (four(198, 51, 100, 0, 24), Purpose::Reserved),
    (four(203, 0, 113, 0, 24), Purpose::Reserved),
    (four(240, 0, 0, 0, 4), Purpose::Reserved),
];

/// The special networks of IPv6.
const SIX: [(Ipv6Net, Purpose); 9] = [
    (
        Ipv6Net::new_assert(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128),
        Purpose::Metadata,
    ),
    (
        Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128),
        Purpose::Loopback,
    ),
    (six(0xfc00, 0, 0, 7), Purpose::Private),
    (six(0xfe80, 0, 0, 10), Purpose::LinkLocal),
    (six(0xff00, 0, 0, 8), Purpose::Multicast),
    // Protocols of the IETF's own, with Teredo and ORCHID.
    (six(0x2001, 0, 0, 23), Purpose::Reserved),
    (six(0x2001, 0xdb8, 0, 32), Purpose::Reserved),
    (six(0x3fff, 0, 0, 20), Purpose::Reserved),
    // Those that no NAT translates but one nearby.
    (six(0x64, 0xff9b, 1, 48), Purpose::Reserved),
];

/// Only of these has IPv6 given any away.
const GLOBAL_SIX: Ipv6Net = six(0x2000, 0, 0, 3);
const NAT64: Ipv6Net = Ipv6Net::new_assert(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
const SIX_TO_FOUR: Ipv6Net = six(0x2002, 0, 0, 16);

/// The address that packets end up at: IPv4 where IPv6 only wraps it (mapped, NAT64, 6to4).
fn unwrapped(address: IpAddr) -> IpAddr {
    let IpAddr::V6(six) = address.to_canonical() else {
        return address.to_canonical();
    };
    let bits = six.to_bits();
    let low = |shift: u32| Ipv4Addr::from_bits((bits >> shift) as u32);
    if NAT64.contains(&six) {
        low(0).into()
    } else if SIX_TO_FOUR.contains(&six) {
        low(80).into()
    } else {
        six.into()
    }
}

fn purpose(address: IpAddr) -> Option<Purpose> {
    match address {
        IpAddr::V4(four) => FOUR
            .iter()
            .find(|(network, _)| network.contains(&four))
            .map(|(_, purpose)| *purpose),
        IpAddr::V6(six) => SIX
            .iter()
            .find(|(network, _)| network.contains(&six))
            .map(|(_, purpose)| *purpose)
            .or((!GLOBAL_SIX.contains(&six)).then_some(Purpose::Reserved)),
    }
}

/// Whether an address may be dialled.
///
/// # Errors
/// What it is, and what setting would allow it.
pub(super) fn check(address: IpAddr, allow: &[Allowed]) -> Result<(), String> {
    let target = unwrapped(address);
    let Some(purpose) = purpose(target) else {
        return Ok(());
    };
    let allowed = allow.iter().any(|allowed| match allowed {
        Allowed::Any => true,
        Allowed::Loopback => purpose == Purpose::Loopback,
        Allowed::Private => purpose == Purpose::Private,
        Allowed::Network(network) => network.contains(&address) || network.contains(&target),
    });
    if allowed {
        return Ok(());
    }
    let by = match purpose {
        Purpose::Loopback => "loopback".to_owned(),
        Purpose::Private => "private".to_owned(),
        _ => IpNet::from(target).to_string(),
    };
    Err(format!(
        "{target} is {}, which this arena does not dial (setting dial_allow: {by} would allow it)",
        purpose.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn nothing_but_the_public_internet_is_dialled_unless_allowed() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            let why = check(ip(address), &[]).unwrap_err();
            assert!(why.contains("dial_allow"), "{address}: {why}");
            assert!(check(ip(address), &[Allowed::Any]).is_ok(), "{address}");
        }
        for address in [
            "1.1.1.1",
            "93.184.215.14",
            "172.32.0.1",
            "100.128.0.1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::1",
            "2606:4700::1111",
        ] {
            assert_eq!(check(ip(address), &[]), Ok(()), "{address}");
        }
    }

    #[test]
    fn a_word_allows_what_it_names_and_no_more() {
        let loopback = [Allowed::Loopback];
        assert!(check(ip("127.0.0.1"), &loopback).is_ok());
        assert!(check(ip("::ffff:127.0.0.1"), &loopback).is_ok());
        assert!(check(ip("10.0.0.1"), &loopback).is_err());
        let private = [Allowed::Private];
        assert!(check(ip("10.0.0.1"), &private).is_ok());
        assert!(check(ip("fd12::1"), &private).is_ok());
        for kept in [
            "127.0.0.1",
            "169.254.169.254",
            "fd00:ec2::254",
            "100.100.100.200",
        ] {
            assert!(check(ip(kept), &private).is_err(), "{kept}");
        }
    }

    #[test]
    fn a_network_allows_its_addresses_in_every_form() {
        let network: [Allowed; 1] = ["10.1.0.0/16".parse().unwrap()];
        assert!(check(ip("10.1.2.3"), &network).is_ok());
        assert!(check(ip("::ffff:10.1.2.3"), &network).is_ok());
        assert!(check(ip("10.2.0.1"), &network).is_err());
    }

    #[test]
    fn what_is_no_network_is_named() {
        let why = "lan".parse::<Allowed>().unwrap_err();
        assert!(
            why.contains("\"lan\"") && why.contains("dial_allow"),
            "{why}"
        );
    }
}
