// SPDX-License-Identifier: MIT

//! Slots that resources are bound to, with the state of each in the command buffer.

use crate::state::Tracked;

/// `N` slots.
pub(crate) struct Slots<T: PartialEq + Clone, const N: usize> {
    slots: [Tracked<Option<T>>; N],
    /// The mask of slots that differ from the command buffer.
    differs: u64,
}

impl<T: PartialEq + Clone, const N: usize> Default for Slots<T, N> {
    fn default() -> Self {
        Slots { slots: std::array::from_fn(|_| Tracked::new(None)), differs: 0 }
    }
}

impl<T: PartialEq + Clone, const N: usize> Slots<T, N> {
    /// Binds `value` to `slot`; `None` if this changes nothing, otherwise whether any slot of `used` now differs from the command
    /// buffer.
    pub(crate) fn set(&mut self, slot: usize, value: Option<T>, used: u64) -> Option<bool> {
        let tracked = self.slots.get_mut(slot)?;
        if *tracked.get() == value {
            return None;
        }
        let differs = tracked.set(value);
        self.differs = self.differs & !(1 << slot) | u64::from(differs) << slot;
        Some(self.differs & used != 0)
    }

    /// Whether any slot of `used` differs from the command buffer.
    pub(crate) fn differs(&self, used: u64) -> bool {
        self.differs & used != 0
    }

    pub(crate) fn get(&self, slot: usize) -> Option<&T> {
        self.slots.get(slot)?.get().as_ref()
    }

    /// Records that the command buffer has the slots of `used` now.
    pub(crate) fn synced(&mut self, used: u64) {
        let mut left = self.differs & used;
        while left != 0 {
            self.slots[left.trailing_zeros() as usize].synced();
            left &= left - 1;
        }
        self.differs &= !used;
    }
}
