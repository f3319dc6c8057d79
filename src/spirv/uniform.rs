// SPDX-License-Identifier: MIT

//! Reads of vec4s of uniform blocks: the lane, or all of the vec4 if several of its lanes are used.
//!
//! The variables are those that `lower_ubo` declared. A vec4 is loaded once where the load dominates, and the value of a read is a
//! part of it.

use super::interface::View;
use super::memory::{Origin, Pointer};
use super::value::Component;
use super::{internal, Emit, Result};
use crate::analysis::uniform_reads::{UniformPiece, UniformRead, UniformReads};
use crate::analysis::value_types::ValueTypes;
use crate::ir::{ArrayIndex, Def, Inst, InstData, Shader, TypeData, Var, Variable};
use crate::op::{Access, AluType, Base, Facts, Modes};
use crate::target::Target;
use spirv::Op;

/// A uniform block as an array of `uvec4` or of `u64vec2`.
#[derive(Clone, Copy, Debug)]
struct UniformBlock {
    number: u32,
    /// The width of the numbers.
    bits: u8,
    var: Var,
    /// The number of vec4s.
    len: u32,
}

/// The uniform blocks of a shader, and its reads of them.
#[derive(Debug, Default)]
pub(super) struct Uniforms {
    reads: UniformReads,
    blocks: Vec<UniformBlock>,
}

impl Uniforms {
    /// Finds the blocks, and collects the reads.
    pub(super) fn find(&mut self, shader: &Shader, target: &Target, types: &ValueTypes) {
        self.blocks.clear();
        self.reads.collect(shader, target, types);
        if !shader.facts().intersects(Facts::UBO_OFFSETS) {
            return;
        }
        // The dump may have declared variables for the same blocks before.
        for (var, variable) in shader.vars.iter() {
            let Some((bits, len)) = vec4s(shader, variable) else { continue };
            let block = UniformBlock { number: variable.driver_location, bits, var, len };
            let is_it = |known: &&mut UniformBlock| (known.number, known.bits) == (block.number, block.bits);
            match self.blocks.iter_mut().find(is_it) {
                Some(known) => *known = block,
                None => self.blocks.push(block),
            }
        }
    }

    /// The block that `read` is from; `None` if the block does not have the vec4.
    fn block(&self, read: UniformRead, piece: UniformPiece) -> Option<Var> {
        let is_it = |block: &&UniformBlock| (block.number, block.bits) == (read.block, read.bits);
        let block = self.blocks.iter().find(is_it)?;
        (read.index.is_some() || piece.vec4 < block.len).then_some(block.var)
    }
}

impl Emit<'_> {
    /// Emits `load_ubo`.
    #[inline(never)]
    pub(super) fn load_ubo(&mut self, inst: Inst, data: &InstData) -> Result<()> {
        let Some(read) = UniformRead::new(self.shader, self.target, inst) else {
            return Err(internal("a uniform block by an offset in bytes that is not constant"));
        };
        // The views of a block have these two.
        let own = if self.base(inst.def()) == Base::Float { Base::Float } else { Base::Uint };
        if let Some(piece) = read.single_piece() {
            let (components, base) = self.load_piece(inst.def(), read, piece, own)?;
            let Component { id, n, component } = components[0];
            match n > 1 || piece.count == 1 {
                true => self.define_part(inst, data, (id, base, n), component),
                false => self.define_scattered(inst, data, base, components),
            }
            return Ok(());
        }
        let mut components = [Component::default(); 4];
        let mut len = 0;
        for piece in read.pieces() {
            let (loaded, _) = self.load_piece(inst.def(), read, piece, own)?;
            let places = components[len..].iter_mut().take(piece.count.into());
            places.zip(loaded).for_each(|(place, loaded)| *place = loaded);
            len += usize::from(piece.count);
        }
        self.define_scattered(inst, data, own, components);
        Ok(())
    }

    /// Loads a vec4 for `def`, or lanes of it: the components, and their base.
    fn load_piece(
        &mut self,
        def: Def,
        read: UniformRead,
        piece: UniformPiece,
        own: Base,
    ) -> Result<([Component; 4], Base)> {
        let mut components = [Component::default(); 4];
        let Some(var) = self.state.uniforms.block(read, piece) else {
            // Beyond the end there are zeros.
            let id = self.m.constant(own, read.bits, 0);
            return Ok(([Component { id, n: 1, component: 0 }; 4], own));
        };
        let least = (!self.target.uniform_ranges_in_vec4s).then_some(self.shader.vars[var].min_range);
        if self.state.uniforms.reads.is_whole((def, read, piece), least, self.current_block()?) {
            // Reads of a vec4 share a load. Those of several vec4s have a type of their own.
            let base = if read.single_piece().is_some() { self.state.uniforms.reads.base(read, piece) } else { own };
            let id = self.uniform(var, base, (read, piece.vec4), None)?;
            let lane = |at| Component { id, n: read.lanes(), component: piece.lane + at as u8 };
            return Ok((std::array::from_fn(lane), base));
        }
        for (lane, component) in (piece.lane..piece.lane + piece.count).zip(&mut components) {
            let id = self.uniform(var, own, (read, piece.vec4), Some(lane))?;
            *component = Component { id, n: 1, component: 0 };
        }
        Ok((components, own))
    }

    /// Loads a vec4, or a lane of it.
    fn uniform(&mut self, var: Var, base: Base, (read, vec4): (UniformRead, u32), lane: Option<u8>) -> Result<u32> {
        let view = if base == Base::Float { View::Float } else { View::Uint };
        let root = self.root(var, view)?;
        let n = if lane.is_some() { 1 } else { read.lanes() };
        let scalar = AluType::new(base, read.bits);
        let ty = self.m.numeric(base, read.bits, n);
        let (member, vec4_id) = (self.m.uint(0), self.number_of_vec4(read.index, vec4)?);
        let steps = [root.id, member, vec4_id, lane.map_or(0, |lane| self.m.uint(lane.into()))];
        let pointer = self.m.pointer(root.class, ty);
        let id = self.pure(Op::AccessChain, pointer, &steps[..3 + usize::from(lane.is_some())]);
        let pointer = Pointer { id, class: root.class, origin: Origin::Var(var), base, scalar, n, ty };
        self.note_pointer(&pointer, Access::empty(), true, false);
        let loaded = self.load_once(id, ty);
        if self.options.offer == 0 {
            return Ok(loaded);
        }
        let byte = 16 * vec4 + u32::from(read.bits) / 8 * u32::from(lane.unwrap_or(0));
        let byte = (read.block == 0 && read.index.is_none()).then_some(byte);
        Ok(self.replaced_once(id, |emit| emit.unless_inlined(|_| byte, &pointer, loaded)))
    }

    /// `index + vec4`.
    fn number_of_vec4(&mut self, index: Option<Def>, vec4: u32) -> Result<u32> {
        let Some(index) = index else { return Ok(self.m.uint(vec4)) };
        let index = self.array_index(ArrayIndex::Def(index))?;
        if vec4 == 0 {
            return Ok(index);
        }
        let (ty, vec4) = (self.m.numeric(Base::Uint, 32, 1), self.m.uint(vec4));
        Ok(self.pure(Op::IAdd, ty, &[index, vec4]))
    }
}

/// The width of the numbers of a uniform block that is an array of `uvec4` or of `u64vec2`, and the number of vec4s.
fn vec4s(shader: &Shader, variable: &Variable) -> Option<(u8, u32)> {
    if variable.mode != Modes::UBO {
        return None;
    }
    let [field] = &shader.types.as_struct(variable.ty)?.fields[..] else { return None };
    let TypeData::Array { elem, len, .. } = shader.types.get(field.ty) else { return None };
    match shader.types.as_vector(elem)? {
        (AluType { base: Base::Uint, bits: bits @ (32 | 64) }, n) if bits * n == 128 => Some((bits, len?)),
        _ => None,
    }
}
