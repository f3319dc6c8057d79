// SPDX-License-Identifier: MIT

//! Breakpoints of a process.

use anyhow::Result;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The instruction `int3`.
const TRAP: u8 = 0xcc;

/// The breakpoints of a process, and the event at each.
#[derive(Clone, Debug)]
pub(crate) struct Breakpoints<T>(HashMap<u64, Breakpoint<T>>);

#[derive(Clone, Debug)]
struct Breakpoint<T> {
    /// The program's byte at the address.
    original: u8,
    what: T,
}

impl<T> Default for Breakpoints<T> {
    fn default() -> Breakpoints<T> {
        Breakpoints(HashMap::new())
    }
}

impl<T: Copy> Breakpoints<T> {
    /// Makes a process stop before the instruction at `address` of its memory.
    pub(crate) fn add(&mut self, memory: &File, address: u64, what: T) -> Result<()> {
        let mut original = [0];
        memory.read_exact_at(&mut original, address)?;
        self.0.insert(address, Breakpoint { original: original[0], what });
        self.plant(memory, address)
    }

    /// The event at `address`.
    pub(crate) fn at(&self, address: u64) -> Option<T> {
        self.0.get(&address).map(|breakpoint| breakpoint.what)
    }

    /// Removes the breakpoint at `address` from the memory, for [`Breakpoints::plant`] to insert it again.
    pub(crate) fn lift(&self, memory: &File, address: u64) -> Result<()> {
        match self.0.get(&address) {
            Some(breakpoint) => Ok(memory.write_all_at(&[breakpoint.original], address)?),
            None => Ok(()),
        }
    }

    /// Inserts the breakpoint at `address` again, if it has not been forgotten.
    pub(crate) fn plant(&self, memory: &File, address: u64) -> Result<()> {
        match self.0.contains_key(&address) {
            true => Ok(memory.write_all_at(&[TRAP], address)?),
            false => Ok(()),
        }
    }

    /// Forgets the breakpoints for which `gone` is true, whose memory is unmapped.
    pub(crate) fn forget(&mut self, gone: impl Fn(T) -> bool) {
        self.0.retain(|_, breakpoint| !gone(breakpoint.what));
    }

    /// Replaces breakpoints in the `bytes` at `address` by the program's bytes.
    pub(crate) fn hide(&self, bytes: &mut [u8], address: u64) {
        for (byte, address) in bytes.iter_mut().zip(address..) {
            if let Some(breakpoint) = self.0.get(&address) {
                *byte = breakpoint.original;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakpoint_is_added_and_removed() {
        let path = std::env::temp_dir().join(format!("ntv-trace-breakpoints-{}", std::process::id()));
        std::fs::write(&path, [1, 2, 3, 4]).unwrap();
        let memory = File::options().read(true).write(true).open(&path).unwrap();
        let mut breakpoints = Breakpoints::default();
        breakpoints.add(&memory, 2, 'x').unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), [1, 2, TRAP, 4]);
        assert_eq!((breakpoints.at(2), breakpoints.at(1)), (Some('x'), None));
        let mut bytes = [2, TRAP, 4];
        breakpoints.hide(&mut bytes, 1);
        assert_eq!(bytes, [2, 3, 4]);
        breakpoints.lift(&memory, 2).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), [1, 2, 3, 4]);
        breakpoints.forget(|what| what == 'x');
        breakpoints.plant(&memory, 2).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), [1, 2, 3, 4]);
        std::fs::remove_file(&path).unwrap();
    }
}
