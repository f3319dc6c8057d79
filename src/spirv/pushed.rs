// SPDX-License-Identifier: MIT

//! Numbers in the push constants that words of options read: see [`PushConstants`](crate::analysis::push_constants::PushConstants).
//!
//! A module may use one variable of push constants (VUID-StandaloneSpirv-OpEntryPoint-06674). If the shader itself reads push
//! constants, that is its variable. Otherwise the option has a variable of its own, with a struct of one member:
//!
//! ```text
//! OpMemberDecorate %struct 0 Offset 16
//! %p = OpVariable %pointer PushConstant      range: the key has the option
//! ...
//! %q = OpAccessChain %uint %p %zero
//! %r = OpLoad %uint %q
//! %s = OpBitcast %float %r
//! ```

use super::interface::View;
use super::late::Section;
use super::Emit;
use crate::analysis::push_constants::{is_lowered, lowered_length, PushedMember, LOWERED};
use crate::ir::{DerefKind, Var};
use crate::op::{AluType, Base, Modes};
use spirv::{Decoration, Op, StorageClass};

/// A 32-bit number in the push constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pushed {
    /// Its byte offset.
    offset: u32,
    /// The variable of the shader, if that has one.
    var: Option<Var>,
    /// The indices of the number in that variable, or in the variable of the option.
    indices: [u32; 3],
    /// The number of indices.
    len: u8,
    /// The declared base of the number.
    base: Base,
}

/// A pointer to a number in push constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct PushedPlace {
    /// The id of the variable.
    variable: u32,
    pushed: Pushed,
    /// The base of the number in the module.
    base: Base,
}

impl Emit<'_> {
    /// The number that options of this stage read, if the driver has told its place. `None`, too, if the shader has a struct of push
    /// constants without it.
    pub(super) fn find_pushed(&self) -> Option<Pushed> {
        let offset = self.options.pushed_offset(self.shader.stage())?;
        let mut used = None;
        for inst in &self.shader.order {
            let Some(DerefKind::Var(var)) = self.shader.as_deref(inst.def()).map(|deref| deref.kind) else { continue };
            if self.shader.vars[var].mode == Modes::PUSH_CONST && used.replace(var).is_some_and(|other| other != var) {
                return None;
            }
        }
        let alone = Pushed { offset, var: None, indices: [0; 3], len: 1, base: Base::Uint };
        match used {
            None => Some(alone),
            Some(var) if is_lowered(self.shader, var) => self.lowered_word(var, alone),
            Some(var) => {
                let PushedMember { member, is_array, base } = PushedMember::find(self.shader, var, offset)?;
                Some(Pushed { var: used, indices: [member, 0, 0], len: 1 + u8::from(is_array), base, ..alone })
            }
        }
    }

    /// The word at the offset of `pushed`, in a variable that passes made.
    fn lowered_word(&self, var: Var, pushed: Pushed) -> Option<Pushed> {
        let offset = pushed.offset;
        let (len, is_vectors) = lowered_length(self.shader, var)?;
        let pushed = Pushed { var: Some(var), ..pushed };
        match is_vectors {
            true => {
                (offset / 16 < len).then_some(Pushed { indices: [0, offset / 16, offset % 16 / 4], len: 3, ..pushed })
            }
            false => (offset / 4 < len).then_some(Pushed { indices: [0, offset / 4, 0], len: 2, ..pushed }),
        }
    }

    /// The variable of a number, which exists under the condition `when` unless the shader has it.
    pub(super) fn pushed_place(&mut self, pushed: Pushed, when: u16) -> PushedPlace {
        if let Some(var) = pushed.var {
            let known = self.state.vars[var].ids[View::Whole as usize];
            let base = self.numbers(var, View::Whole).apply(AluType::new(pushed.base, 32));
            if known != 0 {
                return PushedPlace { variable: known, pushed, base };
            }
        }
        let pushed = Pushed { var: None, indices: [0; 3], len: 1, base: Base::Uint, ..pushed };
        PushedPlace { variable: self.pushed_variable(pushed.offset, when), pushed, base: Base::Uint }
    }

    /// A variable with one word at this offset, which exists under the condition `when`.
    fn pushed_variable(&mut self, offset: u32, when: u16) -> u32 {
        let class = StorageClass::PushConstant;
        let uint = self.m.numeric(Base::Uint, 32, 1);
        let block = self.m.id();
        self.m.globals.op(Op::TypeStruct, &[block, uint]);
        self.m.decorate_member(block, 0, Decoration::Offset, offset);
        self.m.decorate(block, Decoration::Block, &[]);
        let pointer = self.m.pointer(class, block);
        let id = self.m.id();
        let start = self.m.mark(Section::Globals);
        self.m.globals.op(Op::Variable, &[pointer, id, class as u32]);
        self.m.end_range(Section::Globals, start, when);
        if self.options.names {
            let start = self.m.mark(Section::Names);
            self.name(id, LOWERED);
            self.m.end_range(Section::Names, start, when);
        }
        // From 1.4 on, the interface lists every variable (OpEntryPoint).
        if self.m.version >= (1, 4) {
            self.m.interface.push((id, when));
        }
        id
    }

    /// Loads a number as a float.
    pub(super) fn load_pushed(&mut self, place: PushedPlace) -> u32 {
        let PushedPlace { variable, pushed: Pushed { indices, len, .. }, base } = place;
        let (number, float) = (self.m.numeric(base, 32, 1), self.m.numeric(Base::Float, 32, 1));
        let pointer = self.m.pointer(StorageClass::PushConstant, number);
        let mut operands = [variable, 0, 0, 0];
        for (operand, index) in operands.iter_mut().skip(1).zip(indices).take(usize::from(len)) {
            *operand = self.m.uint(index);
        }
        let place = self.m.value(Op::AccessChain, pointer, &operands[..1 + usize::from(len)]);
        let value = self.m.value(Op::Load, number, &[place]);
        match base {
            Base::Float => value,
            _ => self.m.value(Op::Bitcast, float, &[value]),
        }
    }
}
