//! Slots that resources are bound to, one by one, with what the command buffer has of each.

use crate::state::Tracked;

/// `N` slots.
pub(crate) struct Slots<T: PartialEq + Clone, const N: usize> {
    slots: [Tracked<Option<T>>; N],
    /// Slots that differ from what was synced, a bit each.
    differs: u64,
}

impl<T: PartialEq + Clone, const N: usize> Default for Slots<T, N> {
    fn default() -> Self {
        Slots { slots: std::array::from_fn(|_| Tracked::new(None)), differs: 0 }
    }
}

impl<T: PartialEq + Clone, const N: usize> Slots<T, N> {
    /// Binds `value` to `slot`; `None` if that changes nothing, else whether any of `used` differs from what was synced now.
    pub(crate) fn set(&mut self, slot: usize, value: Option<T>, used: u64) -> Option<bool> {
        let tracked = self.slots.get_mut(slot)?;
        if *tracked.get() == value {
            return None;
        }
        let differs = tracked.set(value);
        self.differs = self.differs & !(1 << slot) | u64::from(differs) << slot;
        Some(self.differs & used != 0)
    }

    /// Whether any of `used` differs from what was synced.
    pub(crate) fn differs(&self, used: u64) -> bool {
        self.differs & used != 0
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&T> {
        self.slots.get(slot)?.get().as_ref()
    }

    /// The command buffer has those of `used` now.
    pub(crate) fn synced(&mut self, used: u64) {
        let mut left = self.differs & used;
        while left != 0 {
            self.slots[left.trailing_zeros() as usize].synced();
            left &= left - 1;
        }
        self.differs &= !used;
    }
}
