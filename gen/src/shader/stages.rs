// SPDX-License-Identifier: MIT

//! The inputs and outputs of a stage.

use super::memory::{OWN_BYTES, RESULTS, STORAGE_BLOCKS, UNIFORM_BLOCKS};
use super::offsets::Number;
use super::packing::PLAIN;
use super::{Generator, Kind, Purpose, Shape, Value, POINTS, ROW};
use arbitrary::Result;
use ntv::ir::{AluFlags, AluSrc, Builder, Def, Stage, Swizzle, Variable};
use ntv::op::names::{frag_result, pack_alu_type, varying, vert_attrib, InterpMode, IoSemantics};
use ntv::op::{AluOp, AluType, Base, Index, Intrinsic, Modes};

/// Slots of inputs and of outputs, four words each.
const SLOTS: u32 = 4;

impl Generator<'_, '_, '_> {
    /// Writes the header, and makes the first values.
    pub(super) fn begin(&mut self) -> Result<()> {
        let sizes: &[[u32; 3]] = &[[1, 1, 1], [4, 1, 1], [2, 2, 2], [3, 2, 1]];
        let size = self.choose(sizes)?;
        let info = &mut self.b.shader.info;
        info.name = Some("generated".to_string());
        info.num_ubos = UNIFORM_BLOCKS;
        if info.stage.is_compute() {
            info.workgroup_size = size;
        }
        info.num_ssbos = STORAGE_BLOCKS;
        let zero = self.b.imm32(0);
        self.push(zero, Kind::Int);
        if self.purpose == Purpose::Offsets {
            return self.begin_offsets(zero);
        }
        self.declare_textures()?;
        if self.purpose == Purpose::Driver {
            let block = self.b.imm32(1);
            let word = [(Index::align_mul, 4), (Index::align_offset, 0)];
            let word = self.b.intrinsic_with(Intrinsic::load_ssbo, 1, 32, &[block, zero], &word).def();
            let unlikely = self.b.imm32(0x9e37_79b9);
            self.never = Some(self.b.alu(AluOp::ieq, &[word, unlikely]));
        }
        self.stage_value()?;
        // Floats are made from small integers, so that they are neither NaN nor huge.
        self.uniform_load()?;
        for (op, bits) in [(AluOp::i2f32, 32), (AluOp::i2f16, 16), (AluOp::i2f64, 64)] {
            let value = self.value_of(Shape { kind: Kind::Int, bits: 8, components: 2 })?;
            let def = self.raw_alu(op, AluFlags::empty(), &[value.into()], (2, bits));
            self.push(def, Kind::Float);
        }
        Ok(())
    }

    /// Chooses how blocks are accessed and how long uniform blocks are, which is rarely a multiple of 16.
    fn begin_offsets(&mut self, zero: Def) -> Result<()> {
        for end in 0..2 {
            self.uniform_ends[end] = self.u.int_in_range(20..=100)? * 4;
        }
        if self.chance(2)? {
            self.blocks = Some(self.declare_blocks());
        }
        let name = self.b.shader.strings.add("seen");
        let ty = self.b.shader.types.vector(AluType::new(Base::Uint, 32), 1);
        let seen = self.b.shader.declare(Variable::new(name, ty, Modes::FUNCTION_TEMP));
        let pointer = self.b.deref_var(seen);
        self.b.store_deref(pointer, zero, 1, 0);
        self.seen = Some(seen);
        self.stage_value()?;
        self.member()
    }

    /// A value that differs between invocations.
    pub(super) fn stage_value(&mut self) -> Result<()> {
        match self.b.shader.stage() {
            Stage::Compute => {
                let op = self.choose(&[Intrinsic::load_local_invocation_id, Intrinsic::load_workgroup_id])?;
                let def = self.b.intrinsic(op, 3, 32, &[]).def();
                self.push(def, Kind::Int);
                Ok(())
            }
            _ if self.purpose == Purpose::Driver => self.input(),
            Stage::Fragment if self.chance(3)? => self.interpolated(),
            Stage::Fragment if self.depth == 0 && self.chance(3)? => self.derivative(),
            _ => self.input(),
        }
    }

    fn slot_indices(&mut self, ty: AluType, index: Index) -> Result<(u8, Vec<(Index, u32)>)> {
        let slot = self.u.int_in_range(0..=SLOTS - 1)?;
        let component = self.u.int_in_range(0..=3u8)?;
        let components = self.u.int_in_range(1..=4 - component)?;
        let first = if self.b.shader.stage() == Stage::Vertex { vert_attrib::GENERIC0 } else { varying::VAR0 };
        // Floats and integers have separate slots, because a slot has one kind of interpolation.
        let slot = slot + if ty.base == Base::Float { SLOTS } else { 0 };
        let io = IoSemantics { location: first + slot, num_slots: 1, ..IoSemantics::default() };
        let indices = vec![
            (Index::base, slot),
            (Index::range, 1),
            (Index::component, component.into()),
            (index, pack_alu_type(ty)),
            (Index::io_semantics, io.pack()),
        ];
        Ok((components, indices))
    }

    fn input(&mut self) -> Result<()> {
        if self.b.shader.stage() == Stage::Fragment && self.interface.packings != [PLAIN; 2] {
            return self.packed_input();
        }
        let (components, indices) = self.slot_indices(AluType::new(Base::Uint, 32), Index::dest_type)?;
        let zero = self.b.imm32(0);
        let def = self.b.intrinsic_with(Intrinsic::load_input, components, 32, &[zero], &indices).def();
        self.push(def, Kind::Int);
        Ok(())
    }

    fn interpolated(&mut self) -> Result<()> {
        use Intrinsic::{load_barycentric_centroid, load_barycentric_pixel, load_barycentric_sample};
        let op = self.choose(&[load_barycentric_pixel, load_barycentric_centroid, load_barycentric_sample])?;
        let smooth = [(Index::interp_mode, InterpMode::smooth as u32)];
        let barycentric = self.b.intrinsic_with(op, 2, 32, &[], &smooth).def();
        let (components, indices) = self.slot_indices(AluType::new(Base::Float, 32), Index::dest_type)?;
        let zero = self.b.imm32(0);
        let srcs = [barycentric, zero];
        let def = self.b.intrinsic_with(Intrinsic::load_interpolated_input, components, 32, &srcs, &indices).def();
        self.push(def, Kind::Float);
        Ok(())
    }

    fn derivative(&mut self) -> Result<()> {
        let op = self.choose(&[Intrinsic::ddx, Intrinsic::ddy, Intrinsic::ddx_fine, Intrinsic::ddy_fine])?;
        let components = self.u.int_in_range(1..=4)?;
        let value = self.value_of(Shape { kind: Kind::Float, bits: 32, components })?;
        let def = self.b.intrinsic(op, components, 32, &[value]).def();
        self.push(def, Kind::Float);
        Ok(())
    }

    /// Stores the remaining values, newest first.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.b.shader.stage() == Stage::Fragment && self.chance(4)? {
            let cond = self.value_of(Shape::CONDITION)?;
            self.b.intrinsic(Intrinsic::demote_if, 0, 0, &[cond]);
        }
        self.observed();
        let values: Vec<Value> = self.values.iter().rev().copied().collect();
        let mut words = Vec::new();
        for value in values.iter().take(24) {
            self.words(value.def, &mut words);
        }
        words.truncate(4 * SLOTS as usize);
        if !self.b.shader.stage().is_compute() && self.purpose == Purpose::Driver {
            // The inputs of the next stage must be written.
            let zero = self.b.imm32(0);
            words.resize(4 * SLOTS as usize, zero);
            match self.b.shader.stage() {
                Stage::Vertex => {
                    self.store_packed(&words);
                    self.store_position();
                    self.store_distances()?;
                }
                _ => self.store_outputs(&words),
            }
        } else if let Some(start) = self.own_bytes(OWN_BYTES, true)? {
            self.store_results(start, &words)?;
        } else {
            self.store_outputs(&words);
        }
        // The last block of a shader is empty in dumps, and so it is here.
        Ok(())
    }

    /// Stores `words` in the bytes of this invocation, from `start` on.
    fn store_results(&mut self, start: Def, words: &[Def]) -> Result<()> {
        for (at, word) in words.iter().enumerate() {
            let offset = self.b.iadd_imm(start, u64::from(RESULTS) + 4 * at as u64);
            if let Some(blocks) = self.blocks {
                let offset = Number { mul: 4, ..Number::up_to(u32::MAX, offset) };
                self.store_elements(&blocks, offset, *word, 1)?;
                continue;
            }
            let block = self.b.imm32(0);
            let indices = [(Index::write_mask, 1), (Index::align_mul, 4), (Index::align_offset, 0)];
            self.b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[*word, block, offset], &indices);
        }
        Ok(())
    }

    /// The bits of `def` as words of 32.
    pub(super) fn words(&mut self, def: Def, words: &mut Vec<Def>) {
        for c in 0..self.b.shader.num_components(def) {
            let component = AluSrc { def, swizzle: Swizzle::splat(c) };
            let one = |op| (op, AluFlags::empty(), (1, 32));
            let (op, flags, size) = match self.b.shader.bit_size(def) {
                1 => one(AluOp::b2i32),
                64 => (AluOp::unpack_64_2x32, AluFlags::empty(), (2, 32)),
                32 => one(AluOp::mov),
                _ => one(AluOp::u2u32),
            };
            let word = self.raw_alu(op, flags, &[component], size);
            words.extend((0..size.0).map(|c| self.b.channel(word, c)));
        }
    }

    /// Places a vertex at the centre of a pixel, as a point of size 1.
    fn store_position(&mut self) {
        let number = self.b.intrinsic(Intrinsic::load_vertex_id, 1, 32, &[]).def();
        let row = self.b.ushr_imm(number, ROW.trailing_zeros());
        let column = self.b.iand_imm(number, u64::from(ROW - 1));
        // The centre of pixel i of n is at (2 * i + 1) / n - 1.
        let at = |b: &mut Builder<'_>, pixel, count: u32| {
            let [step, first] = [2.0, 1.0 - count as f32].map(|part| b.imm32((part / count as f32).to_bits()));
            let float = b.alu(AluOp::u2f32, &[pixel]);
            let scaled = b.alu(AluOp::fmul, &[float, step]);
            b.alu(AluOp::fadd, &[scaled, first])
        };
        let (x, y) = (at(&mut self.b, column, ROW), at(&mut self.b, row, POINTS / ROW));
        let (zero, one) = (self.b.imm32(0), self.b.imm32(1f32.to_bits()));
        self.store_output((varying::POS, SLOTS), Base::Float, &[x, y, zero, one]);
        self.store_output((varying::PSIZ, SLOTS + 1), Base::Float, &[one]);
    }

    /// Stores some elements of an array of clip distances for half of the shaders: others have no value. One point of eight is
    /// clipped by some elements, none by the others.
    fn store_distances(&mut self) -> Result<()> {
        if self.chance(2)? {
            return Ok(());
        }
        let length = self.u.int_in_range(1..=8u32)?;
        self.b.shader.info.clip_distance_array_size = length;
        let number = self.b.intrinsic(Intrinsic::load_vertex_id, 1, 32, &[]).def();
        for element in 0..length {
            if self.chance(3)? {
                continue;
            }
            let (point, least) = (self.u.int_in_range(0..=u64::from(POINTS - 1))?, self.u.int_in_range(-1..=0i32)?);
            let point = self.b.imm32(point as u32);
            let other = self.b.alu(AluOp::ixor, &[number, point]);
            let least = self.b.imm32(least as u32);
            let distance = self.b.alu(AluOp::iadd, &[other, least]);
            let distance = self.b.alu(AluOp::i2f32, &[distance]);
            let slot = (varying::CLIP_DIST0 + element / 4, SLOTS + 2 + element / 4);
            self.store_component(slot, element % 4, Base::Float, &[distance]);
        }
        Ok(())
    }

    fn store_outputs(&mut self, words: &[Def]) {
        let is_vertex = self.b.shader.stage() == Stage::Vertex;
        let first = if is_vertex { varying::VAR0 } else { frag_result::DATA0 };
        for (slot, words) in (0..).zip(words.chunks(4)) {
            if slot == 0 && self.interface.has_floats && !is_vertex {
                let colour: Vec<Def> = words.iter().map(|word| self.small_float(*word)).collect();
                self.store_output((first, 0), Base::Float, &colour);
            } else {
                self.store_output((first + slot, slot), Base::Uint, words);
            }
        }
    }

    /// A float from -1 to 3, which most rules of rounding leave alone.
    fn small_float(&mut self, word: Def) -> Def {
        let number = self.b.iand_imm(word, 511);
        let [step, first] = [1.0f32 / 128.0, -1.0].map(|number| self.b.imm32(number.to_bits()));
        let float = self.b.alu(AluOp::u2f32, &[number]);
        let scaled = self.b.alu(AluOp::fmul, &[float, step]);
        self.b.alu(AluOp::fadd, &[scaled, first])
    }

    fn store_output(&mut self, slot: (u32, u32), kind: Base, words: &[Def]) {
        self.store_component(slot, 0, kind, words);
    }

    /// Stores `words` from a component of a slot on.
    fn store_component(&mut self, (location, base): (u32, u32), component: u32, kind: Base, words: &[Def]) {
        let (value, zero) = (self.b.vec(words), self.b.imm32(0));
        let io = IoSemantics { location, num_slots: 1, ..IoSemantics::default() };
        let indices = [
            (Index::base, base),
            (Index::range, 1),
            (Index::write_mask, (1 << words.len()) - 1),
            (Index::component, component),
            (Index::src_type, pack_alu_type(AluType::new(kind, 32))),
            (Index::io_semantics, io.pack()),
        ];
        self.b.intrinsic_with(Intrinsic::store_output, 0, 0, &[value, zero], &indices);
    }
}
