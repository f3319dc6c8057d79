// SPDX-License-Identifier: MIT

//! Timestamps of the queue.

use std::time::Duration;

/// The properties of the queue's timestamps.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// The number of valid bits of a timestamp; 0 if there are no timestamps.
    pub(super) valid_bits: u32,
    /// The number of nanoseconds per increment.
    pub(super) period: f32,
}

impl Clock {
    /// Whether there are timestamps.
    pub(crate) fn is_there(self) -> bool {
        self.valid_bits != 0
    }

    /// The time from one timestamp to a later one. The valid bits may have wrapped in between.
    pub(crate) fn between(self, start: u64, end: u64) -> Duration {
        let mask = u64::MAX >> (64 - self.valid_bits.clamp(1, 64));
        let ticks = end.wrapping_sub(start) & mask;
        Duration::from_nanos((ticks as f64 * f64::from(self.period)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_wrap() {
        let clock = Clock { valid_bits: 36, period: 2.0 };
        assert_eq!(clock.between(100, 150), Duration::from_nanos(100));
        assert_eq!(clock.between((1 << 36) - 10, 5), Duration::from_nanos(30));
        let clock = Clock { valid_bits: 64, period: 1.0 };
        assert_eq!(clock.between(u64::MAX, 4), Duration::from_nanos(5));
        assert!(!Clock { valid_bits: 0, period: 1.0 }.is_there());
    }
}
