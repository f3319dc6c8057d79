//! The values of a wire, by the writer's numbers.

use super::record::error;
use crate::entity::{Id, Numbering};
use crate::error::Error;
use crate::ir::Def;

/// The values that were defined so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    defs: Numbering<Def>,
    /// The first number that meant nothing where it was used, and where that was.
    undefined: Option<(u32, usize)>,
}

impl Values {
    /// Forgets all values. The next ones are in a wire of `num_words` words.
    pub(super) fn clear(&mut self, num_words: usize) {
        self.defs.clear();
        // About as many as there are: then no number is beyond the table.
        self.defs.reserve(num_words / 4);
        self.undefined = None;
    }

    /// Gives `number` a meaning; false if it had one.
    #[inline(always)]
    pub(super) fn define(&mut self, number: u32, def: Def) -> bool {
        self.defs.define(number, def)
    }

    /// What `number`, which stands at `at`, means. If nothing, it is some value, which may not exist, and the wire is refused at
    /// its end: looking once is enough.
    #[inline(always)]
    pub(super) fn get(&mut self, number: u32, at: usize) -> Def {
        self.defs.get(number).unwrap_or_else(|| self.undefined(number, at))
    }

    #[cold]
    fn undefined(&mut self, number: u32, at: usize) -> Def {
        self.undefined.get_or_insert((number, at));
        Def::from_index(0)
    }

    /// What `number` means now.
    pub(super) fn find(&self, number: u32) -> Option<Def> {
        self.defs.get(number)
    }

    /// Refuses a number that meant nothing where it was used.
    pub(super) fn sound(&self) -> Result<(), Error> {
        match self.undefined {
            None => Ok(()),
            Some((number, at)) => Err(error(at, format_args!("value {number} is not defined before this use"))),
        }
    }
}
