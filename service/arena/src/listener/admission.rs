//! How many connections there may be.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections where the system sets no limit.
const UNLIMITED: usize = 1 << 20;

/// Raises this process's limit on open files to the most that it may have.
pub fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "cannot raise the limit on open files");
    }
}

/// Most connections unless a setting says so: the rest of the descriptors is for the store, and for bots that are
/// dialled.
fn most_by_descriptors() -> usize {
    getrlimit(Resource::Nofile)
        .current
        .and_then(|files| usize::try_from(files / 5 * 4).ok())
        .map_or(UNLIMITED, |files| files.clamp(1, UNLIMITED))
}

/// Most connections with this setting.
pub(crate) fn most_connections(setting: Option<usize>) -> usize {
    setting
        .unwrap_or_else(most_by_descriptors)
        .min(Semaphore::MAX_PERMITS)
}

/// Counts connections, in all and from each address.
#[derive(Debug)]
pub(super) struct Admission {
    most: usize,
    most_per_address: usize,
    places: Arc<Semaphore>,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// Why a connection is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Full {
    #[error("there are {0} connections, and no more may be (setting max_connections)")]
    Arena(usize),
    #[error(
        "there are {0} connections from its address, and no more may be (setting max_connections_per_address)"
    )]
    Address(usize),
}

impl Full {
    /// A word for the kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Arena(_) => "arena full",
            Self::Address(_) => "address full",
        }
    }
}

impl Admission {
    pub(super) fn new(most: Option<usize>, most_per_address: usize) -> Self {
        let most = most_connections(most);
        Self {
            most,
            most_per_address,
            places: Arc::new(Semaphore::new(most)),
            by_address: Arc::default(),
        }
    }

    /// A place for a connection from this address.
    pub(super) fn admit(&self, address: IpAddr) -> Result<Place, Full> {
        let permit = self
            .places
            .clone()
            .try_acquire_owned()
            .map_err(|_| Full::Arena(self.most))?;
        let address = counted_as(address);
        let mut by_address = self.by_address.lock();
        let count = by_address.entry(address).or_default();
        if *count >= self.most_per_address {
            return Err(Full::Address(self.most_per_address));
        }
        *count += 1;
        Ok(Place {
            address,
            by_address: self.by_address.clone(),
            _permit: permit,
        })
    }
}

/// Whoever has one IPv6 address has a whole /64.
fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => Ipv6Addr::from_bits(six.to_bits() & !u128::from(u64::MAX)).into(),
        four => four,
    }
}

/// A connection's place, given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    address: IpAddr,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock();
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_its_places_and_gets_them_back() {
        let admission = Admission::new(Some(10), 2);
        let first = admission.admit(ip("192.0.2.1")).unwrap();
        let _second = admission.admit(ip("::ffff:192.0.2.1")).unwrap();
        assert_eq!(
            admission.admit(ip("192.0.2.1")).unwrap_err(),
            Full::Address(2)
        );
        let _other = admission.admit(ip("192.0.2.2")).unwrap();
        drop(first);
        assert!(admission.admit(ip("192.0.2.1")).is_ok());
    }

    #[test]
    fn the_addresses_of_one_64_are_one() {
        let admission = Admission::new(Some(10), 1);
        let _place = admission.admit(ip("2001:db8::1")).unwrap();
        assert!(admission.admit(ip("2001:db8::ffff:2")).is_err());
        assert!(admission.admit(ip("2001:db8:0:1::1")).is_ok());
    }

    #[test]
    fn all_addresses_together_have_a_limit_and_nothing_is_kept_of_them() {
        let admission = Admission::new(Some(1), 5);
        let place = admission.admit(ip("192.0.2.1")).unwrap();
        assert_eq!(
            admission.admit(ip("192.0.2.2")).unwrap_err(),
            Full::Arena(1)
        );
        drop(place);
        assert!(admission.by_address.lock().is_empty());
        assert!(admission.admit(ip("192.0.2.2")).is_ok());
    }
}
