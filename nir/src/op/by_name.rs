// SPDX-License-Identifier: MIT

//! Rows of a table by name, through a hash table that is made at compile time: a driver looks up all names that its Mesa has
//! before it translates its first shader.

/// Indices of names in a list. The index of a name is in the slot that its hash selects or, if that is taken, in one of the next
/// slots.
pub(super) struct ByName<const N: usize>([u16; N]);

const EMPTY: u16 = u16::MAX;

impl<const N: usize> ByName<N> {
    /// The table for these names; N is a power of two, and half of it stays empty.
    pub(super) const fn new(names: &[&str]) -> ByName<N> {
        assert!(N.is_power_of_two() && N >= 2 * names.len() && names.len() < EMPTY as usize);
        let mut slots = [EMPTY; N];
        let mut number = 0;
        while number < names.len() {
            let mut at = hash(names[number]) % N;
            while slots[at] != EMPTY {
                at = (at + 1) % N;
            }
            slots[at] = number as u16;
            number += 1;
        }
        ByName(slots)
    }

    /// The index of `name` in the list that the table was made of.
    pub(super) fn find(&self, names: &[&str], name: &str) -> Option<usize> {
        let first = hash(name) % N;
        let indices = self.0[first..].iter().chain(&self.0[..first]).map(|index| usize::from(*index));
        indices.take_while(|index| *index < names.len()).find(|index| names[*index] == name)
    }
}

/// FNV-1a.
const fn hash(name: &str) -> usize {
    let (bytes, mut hash, mut at) = (name.as_bytes(), 0x811c_9dc5u32, 0);
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    // The low bits alone depend on few of the last bytes.
    (hash ^ hash >> 16) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_no_others() {
        const NAMES: &[&str] = &["fadd", "fmul", "", "fadd2", "a name of some length"];
        static TABLE: ByName<16> = ByName::new(NAMES);
        for (number, name) in NAMES.iter().enumerate() {
            assert_eq!(TABLE.find(NAMES, name), Some(number));
        }
        for name in ["fad", "fadd ", "FADD", "a name", "x"] {
            assert_eq!(TABLE.find(NAMES, name), None);
        }
    }
}
