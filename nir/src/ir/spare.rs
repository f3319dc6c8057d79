// SPDX-License-Identifier: MIT

//! Tables of passes that are kept from one shader to the next.
//!
//! A pass with tables puts them into a type of its own. It borrows that from the shader and clears the tables that it uses, so
//! that after a few shaders no memory is allocated any more:
//!
//! ```
//! use ntv::entity::SideTable;
//! use ntv::ir::{Def, Shader};
//!
//! #[derive(Default)]
//! struct Tables {
//!     seen: SideTable<Def, bool>,
//! }
//!
//! fn run(shader: &mut Shader) {
//!     shader.with_spare(|shader, tables: &mut Tables| {
//!         tables.seen.reset(shader.num_defs());
//!         // ...
//!     });
//! }
//! # run(&mut Shader::default());
//! ```

use super::Shader;
use std::any::{Any, TypeId};
use std::panic::AssertUnwindSafe;

/// Tables by instruction are always kept for shaders of up to this number of instructions.
const ALWAYS_KEPT: usize = 4096;

/// One value of each type, unless it is taken.
#[derive(Default)]
pub(super) struct Spare {
    by_type: Vec<(TypeId, Option<Kept>)>,
}

/// Unwind safe: after a panic the value is as usable as any old one.
type Kept = AssertUnwindSafe<Box<dyn Any + Send + Sync>>;

impl Shader {
    /// The maximum capacity of a table by instruction that is kept. Emission needs the most memory, and does not need the
    /// tables of passes, so freeing them reduces the memory of a huge shader. But if the previous shader was as large, more may
    /// follow, and each uses the tables of the one before. The capacity of a table is up to twice its size, because it grows.
    #[doc(hidden)]
    #[inline]
    pub fn most_kept(&self) -> usize {
        2 * self.num_before.max(ALWAYS_KEPT)
    }

    /// Runs `work` with the kept value of its type, which may have contents from the last run.
    pub fn with_spare<T: Default + Send + Sync + 'static, R>(
        &mut self,
        work: impl FnOnce(&mut Shader, &mut T) -> R,
    ) -> R {
        let mut spare = self.take_spare();
        let result = work(self, &mut spare);
        self.give_back(spare);
        result
    }

    /// The value of this type that was given back last, with its contents, or a new one.
    pub fn take_spare<T: Default + Send + Sync + 'static>(&mut self) -> Box<T> {
        let spare = self.spare.take(TypeId::of::<T>());
        spare.and_then(|spare| spare.0.downcast().ok()).unwrap_or_default()
    }

    /// Keeps a value for the next user of this type.
    pub fn give_back<T: Default + Send + Sync + 'static>(&mut self, spare: Box<T>) {
        self.spare.put(TypeId::of::<T>(), AssertUnwindSafe(spare));
    }
}

impl Spare {
    #[inline(never)]
    fn take(&mut self, of: TypeId) -> Option<Kept> {
        self.by_type.iter_mut().find(|(other, _)| *other == of)?.1.take()
    }

    #[inline(never)]
    fn put(&mut self, of: TypeId, kept: Kept) {
        match self.by_type.iter_mut().find(|(other, _)| *other == of) {
            Some((_, place)) => *place = Some(kept),
            None => self.by_type.push((of, Some(kept))),
        }
    }
}

/// The clone of a shader has no kept values.
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
    fn values_are_kept_by_type() {
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
