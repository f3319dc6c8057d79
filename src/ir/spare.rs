//! Memory that outlives the walk which needs it: tables of passes, kept from one shader to the next.
//!
//! A pass that gathers facts puts its tables into a type of its own. It borrows that from the shader and clears what it uses, so
//! that after a few shaders nothing is allocated any more:
//!
//! ```
//! use ntv::entity::SideTable;
//! use ntv::ir::{Def, Shader};
//!
//! #[derive(Default)]
//! struct Memory {
//!     seen: SideTable<Def, bool>,
//! }
//!
//! fn run(shader: &mut Shader) {
//!     shader.with_spare(|shader, memory: &mut Memory| {
//!         memory.seen.reset(shader.num_defs());
//!         // ...
//!     });
//! }
//! # run(&mut Shader::default());
//! ```

use super::Shader;
use std::any::{Any, TypeId};
use std::panic::AssertUnwindSafe;

/// Tables by instruction of shaders of so many are always kept.
const ALWAYS_KEPT: usize = 4096;

/// One of each type, unless it is taken.
#[derive(Default)]
pub(super) struct Spare {
    by_type: Vec<(TypeId, Option<Memory>)>,
}

/// A panic leaves nothing bad behind: what is in it is old anyway.
type Memory = AssertUnwindSafe<Box<dyn Any + Send + Sync>>;

impl Shader {
    /// How much room a table by instruction may have to be kept. Emission takes the most memory, and does not need those of
    /// passes, so that a huge shader takes less if they go. But if there was one as large just before, more may follow, and each
    /// finds the tables of the last. A table has up to twice the room that it needs, as it grows.
    pub(crate) fn most_kept(&self) -> usize {
        2 * self.num_before.max(ALWAYS_KEPT)
    }

    /// Runs `work` with the memory of its type, in which the last run may have left something.
    pub fn with_spare<T: Default + Send + Sync + 'static, R>(
        &mut self,
        work: impl FnOnce(&mut Shader, &mut T) -> R,
    ) -> R {
        let mut spare = self.take_spare();
        let result = work(self, &mut spare);
        self.give_back(spare);
        result
    }

    /// The memory of this type that was given back last, with what was left in it, or new memory.
    pub fn take_spare<T: Default + Send + Sync + 'static>(&mut self) -> Box<T> {
        let spare = self.spare.take(TypeId::of::<T>());
        spare.and_then(|spare| spare.0.downcast().ok()).unwrap_or_default()
    }

    /// Keeps memory for the next one that asks for this type.
    pub fn give_back<T: Default + Send + Sync + 'static>(&mut self, spare: Box<T>) {
        self.spare.put(TypeId::of::<T>(), AssertUnwindSafe(spare));
    }
}

impl Spare {
    #[inline(never)]
    fn take(&mut self, of: TypeId) -> Option<Memory> {
        self.by_type.iter_mut().find(|(other, _)| *other == of)?.1.take()
    }

    #[inline(never)]
    fn put(&mut self, of: TypeId, memory: Memory) {
        match self.by_type.iter_mut().find(|(other, _)| *other == of) {
            Some((_, place)) => *place = Some(memory),
            None => self.by_type.push((of, Some(memory))),
        }
    }
}

/// The copy of a shader has memory of its own.
impl Clone for Spare {
    fn clone(&self) -> Spare {
        Spare::default()
    }
}

impl std::fmt::Debug for Spare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Spare")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_by_its_type() {
        let mut shader = Shader::default();
        let mut numbers: Box<Vec<u32>> = shader.take_spare();
        numbers.push(7);
        shader.give_back(numbers);
        shader.clear();
        assert!(shader.take_spare::<Vec<u8>>().is_empty());
        assert!(shader.clone().take_spare::<Vec<u32>>().is_empty(), "the copy has none");
        assert_eq!(*shader.take_spare::<Vec<u32>>(), [7]);
        assert!(shader.take_spare::<Vec<u32>>().is_empty(), "it is taken");
    }
}
