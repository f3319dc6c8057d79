// SPDX-License-Identifier: MIT

//! The storage buffers of captures, and the state of the draw in one of them.

use crate::capture::BUFFER_BINDING;
use crate::ir::{ArrayIndex, Builder, Def, Shader, Var, Variable};
use crate::op::{Access, Modes};
use crate::pass::memory::blocks::{base_pointer, block_type, UINT};
use crate::pass::Context;
use crate::target::Descriptor;

/// Declares a storage buffer of words, with its `binding` relative to [`BUFFER_BINDING`].
pub(super) fn declare(shader: &mut Shader, context: &Context, name: &str, binding: u32, access: Access) -> Var {
    let ty = block_type(shader, UINT, None);
    let name = shader.strings.add(name);
    let usual = (context.target.descriptor_set(Descriptor::StorageBuffer), BUFFER_BINDING);
    let (set, first) = context.capture_slot.unwrap_or(usual);
    let binding = first.saturating_add(binding - BUFFER_BINDING);
    let driver_location = binding;
    let row = Variable {
        binding,
        driver_location,
        access,
        descriptor_set: Some(set),
        ..Variable::new(name, ty, Modes::SSBO)
    };
    shader.vars.push(row)
}

/// A pointer to the state of the draw.
#[derive(Clone, Copy)]
pub(super) struct State(Def);

impl State {
    pub(super) fn new(b: &mut Builder<'_>, state: Var) -> State {
        State(base_pointer(b, state, None))
    }

    /// The word at index `at` of the state.
    pub(super) fn word(self, b: &mut Builder<'_>, at: u32) -> Def {
        let pointer = b.deref_array(self.0, ArrayIndex::Imm(i64::from(at)));
        b.load_deref(pointer, 0)
    }
}
