// SPDX-License-Identifier: MIT

//! Values that a key replaces: of inlined uniforms by constants, of texture coordinates by `gl_PointCoord`, of components of shadow
//! textures by constants.
//!
//! A loaded value is copied, and the key patches the operand of the copy:
//!
//! ```text
//! %value = OpConstant %uint 0            range: the key has `inlined_uniforms`; patch: the word of the key
//! %loaded = OpLoad %uint %pointer
//! %copy = OpCopyObject %uint %loaded     patch: %value
//! ```
//!
//! - [`Key::INLINED_UNIFORMS`]: NIR names up to four words of uniform block 0 that decide branches and loops
//!   (`nir_find_inlinable_uniforms`). A driver inlines them so that the compiler below it removes what their values rule out. Blocks
//!   in push constants keep their loads.
//! - [`Key::POINT_SPRITES`]: `gl_TexCoord[n]` is `vec4(gl_PointCoord, 0, 1)` (OpenGL 4.6 Compatibility, 14.4; `nir_lower_texcoord_replace`).
//!   At an offset of the shader's choice, the derivatives of `gl_PointCoord` move it: it is linear within the point.
//! - [`Key::SHADOW_SWIZZLES`]: an old-style comparison (`shadow2D`) has four components, by the swizzle of its texture, which GL has
//!   from GL_DEPTH_TEXTURE_MODE. That of SPIR-V is one number; the key patches operands of the vector that is made of it:
//!
//! ```text
//! %zero = OpConstant %float 0            range: the key has `shadow_swizzles`; and %one
//! %vector = OpCompositeConstruct %v4float %compared %compared %compared %compared     patches: %zero or %one
//! ```

use super::descriptor::Loaded;
use super::late::Section;
use super::memory::{Origin, Pointer};
use super::tex::Given;
use super::Emit;
use crate::ir::{Def, DerefKind, Inst, Shader, Stage, TypeData};
use crate::module::{Condition, Key, PatchKind, Swizzled};
use crate::op::names::varying;
use crate::op::{Base, Modes};
use spirv::{BuiltIn, Op, StorageClass};

/// The place at which an input of a fragment shader is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where the fragment is shaded, or at the centroid, as `gl_PointCoord` is.
    Fragment,
    /// At a sample that the shader numbers: no built-in has its position.
    Sample,
    /// At the offset with this id from the middle of the pixel.
    Offset(u32),
}

impl Emit<'_> {
    /// The value `loaded` from the pointer of the deref `source`, unless the key replaces it.
    pub(super) fn unless_replaced(&mut self, source: Def, pointer: &Pointer, loaded: u32) -> u32 {
        match pointer.class {
            StorageClass::Uniform => {
                self.unless_inlined(|shader| offset_in_first_block(shader, source), pointer, loaded)
            }
            StorageClass::Input if self.shader.stage() == Stage::Fragment => {
                self.unless_sprite(|shader| slot_and_component(shader, source), pointer, loaded, Place::Fragment)
            }
            _ => loaded,
        }
    }

    /// The value `loaded` of an input, unless the key replaces it. `slot` is its slot within the variable, `None` if that is
    /// dynamic.
    pub(super) fn input_unless_replaced(&mut self, pointer: &Pointer, slot: Option<u32>, loaded: u32) -> u32 {
        match pointer.class == StorageClass::Input && self.shader.stage() == Stage::Fragment {
            true => self.replaced_once(pointer.id, |emit| {
                emit.unless_sprite(|_| slot.map(|slot| (slot, 0)), pointer, loaded, Place::Fragment)
            }),
            false => loaded,
        }
    }

    /// The value `loaded` of a uniform, with the words that the key inlines. `offset` gives the offset in bytes, if it is constant
    /// and in block 0.
    pub(super) fn unless_inlined(
        &mut self,
        offset: impl FnOnce(&Shader) -> Option<u32>,
        pointer: &Pointer,
        loaded: u32,
    ) -> u32 {
        let info = &self.shader.info;
        let count = info.num_inlinable_uniforms as usize;
        let is_block = matches!(pointer.origin, Origin::Var(var) if self.shader.vars[var].mode == Modes::UBO);
        if count == 0 || !is_block || pointer.scalar.bits != 32 || !self.offers(Key::INLINED_UNIFORMS) {
            return loaded;
        }
        let Some(first) = offset(self.shader) else { return loaded };
        let words = info.inlinable_uniform_dw_offsets;
        let lane = |word: u32| word.checked_mul(4)?.checked_sub(first).map(|bytes| bytes / 4);
        let lanes = (0..).zip(words.into_iter().take(count)).filter_map(|(index, word)| Some((index, lane(word)?)));
        let lanes = lanes.filter(|(_, lane)| *lane < u32::from(pointer.n));
        lanes.fold(loaded, |value, (index, lane)| self.inlined_lane(pointer, value, index, lane))
    }

    /// `value`, with the inlined uniform `index` in this lane.
    fn inlined_lane(&mut self, pointer: &Pointer, value: u32, index: u32, lane: u32) -> u32 {
        let scalar = self.m.numeric(pointer.base, 32, 1);
        if pointer.n == 1 {
            return self.inlined_word(scalar, value, index);
        }
        let word = self.m.value(Op::CompositeExtract, scalar, &[value, lane]);
        let word = self.inlined_word(scalar, word, index);
        self.m.value(Op::CompositeInsert, pointer.ty, &[word, value, lane])
    }

    /// A copy of the word `loaded`, or of the inlined uniform `index`.
    fn inlined_word(&mut self, ty: u32, loaded: u32, index: u32) -> u32 {
        let when = self.m.condition(Condition::any(Key::INLINED_UNIFORMS));
        let constant = self.m.id();
        let start = self.m.mark(Section::Globals);
        let at = self.m.globals.op(Op::Constant, &[ty, constant, 0]);
        self.m.patch(Section::Globals, at + 2, PatchKind::Uniform, when, index);
        self.m.end_range(Section::Globals, start, when);
        self.copy(ty, loaded, (constant, when))
    }

    /// The value `loaded` of an input at `place`, or the point coordinate if it is a texture coordinate that the key replaces.
    ///
    /// `at` gives the slot within the variable and the component, `None` if one is dynamic.
    pub(super) fn unless_sprite(
        &mut self,
        at: impl FnOnce(&Shader) -> Option<(u32, usize)>,
        pointer: &Pointer,
        loaded: u32,
        place: Place,
    ) -> u32 {
        match self.sprite_bit(at, pointer, place) {
            Some((bit, component)) => self.or_sprite((bit, component), pointer, loaded, place),
            None => loaded,
        }
    }

    /// The bit of a key that replaces the texture coordinate at `pointer`, and its first component. `None` if there is no such
    /// bit: bits that cannot replace it are taken back.
    fn sprite_bit(
        &mut self,
        at: impl FnOnce(&Shader) -> Option<(u32, usize)>,
        pointer: &Pointer,
        place: Place,
    ) -> Option<(u64, usize)> {
        let Origin::Var(var) = pointer.origin else { return None };
        let variable = &self.shader.vars[var];
        let first = variable.location?;
        if !(varying::TEX0..varying::TEX0 + Key::SPRITES).contains(&first) || !self.offers(Key::POINT_SPRITES) {
            return None;
        }
        let Some((slot, component)) = at(self.shader) else {
            // A dynamic index: no key can replace one of them.
            self.m.withdraw(Key::POINT_SPRITES);
            return None;
        };
        let component = component + usize::from(variable.location_frac);
        let number = (first - varying::TEX0).checked_add(slot).filter(|number| *number < Key::SPRITES)?;
        let bit = Key::point_sprite(number);
        let fits = (pointer.base, pointer.scalar.bits) == (Base::Float, 32) && component + usize::from(pointer.n) <= 4;
        if !fits || place == Place::Sample {
            self.m.withdraw(bit);
            return None;
        }
        self.offers(bit).then_some((bit, component))
    }

    /// A copy of `loaded`, or of the components of the point coordinate from `component` on if the key has `bit`.
    fn or_sprite(&mut self, (bit, component): (u64, usize), pointer: &Pointer, loaded: u32, place: Place) -> u32 {
        let when = self.m.condition(Condition::any(bit));
        let [vec2, float] = [2, 1].map(|n| self.m.numeric(Base::Float, 32, n));
        let coordinate = self.builtin_variable(BuiltIn::PointCoord, StorageClass::Input, vec2);
        let [zero, one] = [0f32, 1.0].map(|value| self.m.constant(Base::Float, 32, value.to_bits().into()));
        let start = self.m.mark(Section::Code);
        let middle = self.m.value(Op::Load, vec2, &[coordinate]);
        let mut pair = middle;
        if let Place::Offset(offset) = place {
            for (axis, op) in (0..).zip([Op::DPdx, Op::DPdy]) {
                let slope = self.turned_derivative(op, vec2, 2, middle);
                let step = self.m.value(Op::CompositeExtract, float, &[offset, axis]);
                let moved = self.m.value(Op::VectorTimesScalar, vec2, &[slope, step]);
                pair = self.m.value(Op::FAdd, vec2, &[pair, moved]);
            }
        }
        let [x, y] = [0, 1].map(|c| self.m.value(Op::CompositeExtract, float, &[pair, c]));
        let sprite = match &[x, y, zero, one][component..component + usize::from(pointer.n)] {
            [single] => *single,
            all => self.m.value(Op::CompositeConstruct, pointer.ty, all),
        };
        self.m.end_range(Section::Code, start, when);
        self.copy(pointer.ty, loaded, (sprite, when))
    }

    /// The result of the comparison `given`, with the components of NIR's result if a key may swizzle them.
    pub(super) fn shadow(&mut self, inst: Inst, loaded: &Loaded, given: Given) -> Given {
        let n = self.shader.insts[inst].num_components;
        if n == 1 || n > 4 || !self.offers(Key::SHADOW_SWIZZLES) {
            return given;
        }
        let texture = self.texture_number(loaded).map(|number| number as usize);
        let Some(texture) = texture.filter(|number| *number < Key::SWIZZLED && given.ty.bits == 32) else {
            self.m.withdraw(Key::SHADOW_SWIZZLES);
            return given;
        };
        let when = self.m.condition(Condition::any(Key::SHADOW_SWIZZLES));
        let [vector, scalar] = [n, 1].map(|n| self.m.numeric(given.ty.base, 32, n));
        let [zero, one, id] = [(); 3].map(|()| self.m.id());
        let start = self.m.mark(Section::Globals);
        for (constant, value) in [(zero, 0f32), (one, 1.0)] {
            self.m.globals.op(Op::Constant, &[scalar, constant, value.to_bits()]);
        }
        self.m.end_range(Section::Globals, start, when);
        let parts = [given.id; 4];
        let at = self.m.code.op2(Op::CompositeConstruct, &[vector, id], &parts[..usize::from(n)]);
        for component in 0..u32::from(n) {
            let arg = Swizzled { texture, component, constants: zero }.pack();
            self.m.patch(Section::Code, at + 2 + component as usize, PatchKind::Swizzle, when, arg);
        }
        Given { id, n, ..given }
    }

    /// The number of a texture; `None` if it is in an array, at an index that is not constant.
    fn texture_number(&self, loaded: &Loaded) -> Option<u32> {
        let first = self.shader.vars[loaded.var].driver_location;
        let (element, _) = slot_and_component(self.shader, loaded.pointer)?;
        first.checked_add(element)
    }

    /// A copy of `loaded`, or of another value under a condition.
    fn copy(&mut self, ty: u32, loaded: u32, (other, when): (u32, u16)) -> u32 {
        let copy = self.m.id();
        let at = self.m.code.op(Op::CopyObject, &[ty, copy, loaded]);
        self.m.patch(Section::Code, at + 2, PatchKind::Word, when, other);
        copy
    }
}

/// The slot within an input, and the component within the slot. `None` if one is not constant, or a member of a struct.
pub(super) fn slot_and_component(shader: &Shader, source: Def) -> Option<(u32, usize)> {
    let (mut def, mut slot, mut component) = (source, 0u32, 0);
    loop {
        let deref = shader.as_deref(def)?;
        let (parent, index) = match deref.kind {
            DerefKind::Var(_) => return Some((slot, component)),
            DerefKind::Array { parent, index } => (parent, shader.as_const_index(index)?),
            _ => return None,
        };
        match shader.types.get(shader.as_deref(parent)?.ty) {
            TypeData::Vector(..) => component = index as usize,
            _ => slot = slot.saturating_add(index.saturating_mul(shader.types.slots(deref.ty))),
        }
        def = parent;
    }
}

/// The offset in bytes of a pointer into uniform block 0; `None` if it is in another block, or not constant.
fn offset_in_first_block(shader: &Shader, mut def: Def) -> Option<u32> {
    let mut bytes = 0u32;
    loop {
        let (parent, step) = match shader.as_deref(def)?.kind {
            DerefKind::Var(var) => return (shader.vars[var].driver_location == 0).then_some(bytes),
            DerefKind::Struct { parent, field } => {
                let fields = &shader.types.as_struct(shader.as_deref(parent)?.ty)?.fields;
                (parent, fields.get(field as usize)?.offset?)
            }
            DerefKind::Array { parent, index } => {
                let index = shader.as_const_index(index)?;
                let stride = match shader.types.get(shader.as_deref(parent)?.ty) {
                    TypeData::Vector(scalar, _) => u32::from(scalar.bits) / 8,
                    TypeData::Array { stride, .. } => stride,
                    _ => return None,
                };
                // An array of blocks has no stride.
                if stride == 0 && index != 0 {
                    return None;
                }
                (parent, index.checked_mul(stride)?)
            }
            _ => return None,
        };
        (def, bytes) = (parent, bytes.checked_add(step)?);
    }
}
