// SPDX-License-Identifier: MIT

//! The cache lines and the pages that a translation touches.

use rustc_hash::FxHashSet;

/// Bytes of a line: 1 << 6.
const LINE: u32 = 6;
/// Lines of a page of 4 KiB: 1 << 6.
const PAGE: u32 = 6;

/// The content of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Instructions that were executed.
    Code,
    /// Memory that is read only.
    Constants,
    /// All other memory: heap, stack, variables.
    Memory,
}

/// The lines that were touched, and the number of executed instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    pub(crate) instructions: u64,
    code: FxHashSet<u64>,
    constants: FxHashSet<u64>,
    memory: FxHashSet<u64>,
}

/// The lines of the `size` bytes at `address`.
pub(crate) fn lines(address: u64, size: u64) -> impl Iterator<Item = u64> {
    address >> LINE..=address.saturating_add(size.max(1) - 1) >> LINE
}

impl Touched {
    /// Adds the lines of an access.
    pub(crate) fn add(&mut self, kind: Kind, address: u64, size: u64) {
        let set = match kind {
            Kind::Code => &mut self.code,
            Kind::Constants => &mut self.constants,
            Kind::Memory => &mut self.memory,
        };
        set.extend(lines(address, size));
    }

    /// The numbers of lines of code, constants and memory.
    pub(crate) fn lines(&self) -> [usize; 3] {
        [&self.code, &self.constants, &self.memory].map(FxHashSet::len)
    }

    /// The numbers of pages of code, constants and memory.
    pub(crate) fn pages(&self) -> [usize; 3] {
        let pages = |set: &FxHashSet<u64>| set.iter().map(|line| line >> PAGE).collect::<FxHashSet<u64>>().len();
        [&self.code, &self.constants, &self.memory].map(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_may_straddle_lines() {
        assert_eq!(lines(0x3f, 1).collect::<Vec<_>>(), [0]);
        assert_eq!(lines(0x3f, 2).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(lines(0x40, 64).collect::<Vec<_>>(), [1]);
        assert_eq!(lines(0x41, 64).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(lines(0x20, 128).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn lines_count_once_for_each_kind() {
        let mut touched = Touched::default();
        for _ in 0..2 {
            touched.add(Kind::Code, 0x1000, 4);
            touched.add(Kind::Code, 0x103e, 4);
            touched.add(Kind::Memory, 0x1000, 8);
        }
        assert_eq!(touched.lines(), [2, 0, 1]);
        assert_eq!(touched.pages(), [1, 0, 1]);
    }

    #[test]
    fn an_access_may_straddle_pages() {
        let mut touched = Touched::default();
        touched.add(Kind::Constants, 0x1ffc, 8);
        touched.add(Kind::Constants, 0x5000, 1);
        assert_eq!(touched.lines(), [0, 3, 0]);
        assert_eq!(touched.pages(), [0, 3, 0]);
    }
}
