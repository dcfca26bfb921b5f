//! How long it takes from a turn's hand-over stamp until its bytes are written: time for which a bot's clock runs though the turn is
//! still with the arena.
//!
//! The bytes of a frame are given to the transport in an owner that it lets go of when it has written them, or, if they are few, has
//! copied them into what it writes next, without anything in between. Frames of a connection that breaks are let go of as well, and
//! count as if they had been written then.

use std::sync::Arc;

use bytes::Bytes;

use super::Meters;
use crate::time::Micros;

impl Meters {
    /// The same bytes, timed until they are let go of, if anything is measured. `stamped` is when their oldest turn was handed over.
    pub(crate) fn until_written(self: &Arc<Self>, bytes: Bytes, stamped: Micros) -> Bytes {
        if !self.on() {
            return bytes;
        }
        Bytes::from_owner(Unwritten {
            bytes,
            stamped,
            meters: self.clone(),
        })
    }
}

/// Bytes that the transport has, until it lets go of them.
struct Unwritten {
    bytes: Bytes,
    stamped: Micros,
    meters: Arc<Meters>,
}

impl AsRef<[u8]> for Unwritten {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        let delay_us = Micros::now().since(self.stamped);
        self.meters.stamp_to_wire.note(delay_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_timed_from_its_stamp_until_all_of_it_is_let_go_of() {
        let (meters, page) = Meters::shown().unwrap();
        let meters = Arc::new(meters);
        let stamped = Micros::now().minus(5_000_000);
        let bytes = meters.until_written(Bytes::from_static(b"turn"), stamped);
        let part = bytes.slice(1..);
        drop(bytes);
        meters.stamp_to_wire.show(super::super::seconds);
        assert!(
            page.render()
                .contains("broadside_stamp_to_wire_peak_seconds 0\n")
        );
        drop(part);
        meters.stamp_to_wire.show(super::super::seconds);
        let page = page.render();
        let shown = page
            .lines()
            .find_map(|line| line.strip_prefix("broadside_stamp_to_wire_peak_seconds "))
            .unwrap();
        assert!(shown.parse::<f64>().unwrap() >= 5.0, "{page}");
    }

    #[test]
    fn nothing_is_timed_when_meters_are_off() {
        let meters = Arc::new(Meters::off());
        let bytes = Bytes::from_static(b"turn");
        let same = meters.until_written(bytes.clone(), Micros::now());
        assert_eq!(bytes.as_ptr(), same.as_ptr());
    }
}
