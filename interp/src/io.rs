// SPDX-License-Identifier: MIT

//! Inputs and outputs: by slot or through variables, with interpolation.
//!
//! A slot has four words of 32 bits. A position in the interface is a slot and a number of words after its first word, so the
//! second half of a `dvec4`, an element of a compact array and a component are found by the same addition.

use crate::capture::first_slot;
use crate::fault::FaultKind;
use crate::machine::Machine;
use crate::pointer::IoPointer;
use crate::slot::Slot;
use crate::words::{joined, narrowed, widened};
use crate::Bits;
use ntv::ir::{Def, Inst, Stage, VarFlags};
use ntv::op::meaning::{IoAccess, Sampling as SamplingColumn};
use ntv::op::names::{frag_result, unpack_alu_type, varying, InterpMode, IoFlags, IoSemantics};
use ntv::op::{slots, AluType, Base, Index, Intrinsic, Modes};
use ntv::target::attachment_number;

/// The point of the pixel at which an input is interpolated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sampling {
    /// No interpolation: the value of the first vertex, which is that of the first invocation of the quad.
    Flat,
    /// The centre.
    Pixel,
    /// This offset from the centre.
    At([f32; 2]),
    /// An undefined point.
    Undefined,
}

/// Positions of samples, from the top left corner of the pixel: Vulkan's standard positions for four samples.
const SAMPLE_POSITIONS: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// The offset of the centroid from the centre. It is not zero, so that tests tell the two apart.
const CENTROID: [f32; 2] = [0.25, -0.125];

/// A position in the interface.
#[derive(Clone, Copy)]
struct InterfacePosition {
    slot: Slot,
    /// The number of words after its first.
    word: u32,
}

impl InterfacePosition {
    fn plus(self, words: u32) -> InterfacePosition {
        InterfacePosition { word: self.word.saturating_add(words), ..self }
    }

    /// The slot that has the word, and the index of the word in the slot.
    fn word(self) -> (Slot, usize) {
        let slot = Slot { slot: self.slot.slot.saturating_add(self.word / 4), ..self.slot };
        (slot, self.word as usize % 4)
    }
}

impl Machine<'_> {
    /// Runs a load or store of a slot.
    pub(crate) fn explicit_io(&mut self, inst: Inst, op: Intrinsic, access: IoAccess, srcs: &[Def]) {
        let is_store = !self.shader.insts[inst].has_def();
        let vertex = access.vertex.map(|vertex| srcs[usize::from(vertex)]);
        let offset = srcs[usize::from(access.offset)];
        let value = if is_store { srcs[0] } else { inst.def() };
        // A value that is wider than a slot takes two slots, and an index into an array of such values is even.
        let step = if u32::from(self.shader.bit_size(value)) * u32::from(self.shader.num_components(value)) > 128 {
            2
        } else {
            1
        };
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let is_uncertain = self.check_certain(inst, [vertex, Some(offset)], lane);
            let Some(place) = self.explicit_place((inst, op, access), vertex, (offset, step), lane) else {
                self.set(inst, lane, &[]);
                continue;
            };
            let index = if is_store { Index::src_type } else { Index::dest_type };
            let base = unpack_alu_type(self.shader.index(inst, index)).base;
            if is_store {
                let mask = self.shader.index(inst, Index::write_mask);
                self.store_output(inst, lane, place, (srcs[0], mask), base);
            } else if access.is_output {
                let is_fetch = self.shader.stage() == Stage::Fragment && attachment_number(place.slot.slot).is_some();
                self.load_output(inst, lane, place, base, is_fetch);
            } else if self.shader.stage() == Stage::Fragment && place.slot.slot == varying::FACE {
                self.face(inst, lane, base);
            } else {
                let sampling = self.explicit_sampling(inst, op, srcs, lane);
                self.load_input(inst, lane, place, sampling, base);
            }
            if is_uncertain && is_store {
                self.forget_outputs(lane);
            } else if is_uncertain {
                self.forget_result(inst, lane);
            }
        }
    }

    /// Marks the outputs of an invocation after a store to an undefined one.
    pub(crate) fn forget_outputs(&mut self, lane: usize) {
        let owner = self.output_owner(lane);
        let words = self.lanes[owner].outputs.values_mut().flatten();
        words.for_each(|word| *word = Bits::some(word.value, 32));
    }

    /// The position that an intrinsic accesses; `None` if there is none.
    fn explicit_place(
        &mut self,
        (inst, op, access): (Inst, Intrinsic, IoAccess),
        vertex: Option<Def>,
        (offset, step): (Def, u64),
        lane: usize,
    ) -> Option<InterfacePosition> {
        let io = IoSemantics::unpack(self.shader.index(inst, Index::io_semantics));
        let kind = self.shader.stage().slot_kind(access.is_output);
        let words = slots::step(kind, io, self.shader.as_const_scalar(offset));
        let vertex = vertex.map_or(Bits::new(0), |vertex| self.scalar(vertex, lane));
        let offset = self.scalar(offset, lane);
        if !offset.value.is_multiple_of(step) {
            self.fault(
                FaultKind::Misaligned,
                inst,
                lane,
                format!("slot {} is the second half of a value of two slots", offset.value),
            );
        }
        if offset.value >= u64::from(io.num_slots.max(1)) {
            let what = if words == 1 { "element" } else { "slot" };
            let message = format!("{what} {} of {}", offset.value, io.num_slots);
            self.fault(FaultKind::OutOfBounds, inst, lane, message);
            return None;
        }
        if vertex.value >= self.vertex_end(op, io.location) {
            self.fault(FaultKind::OutOfBounds, inst, lane, format!("vertex {}", vertex.value as i32));
            return None;
        }
        let word = self.shader.index(inst, Index::component) + words * offset.value as u32;
        let slot = Slot {
            slot: io.location + word / 4,
            vertex: vertex.value as u32,
            index: u32::from(io.flags.intersects(IoFlags::DUALSRC | IoFlags::HIGH_DVEC2)),
        };
        Some(InterfacePosition { slot, word: word % 4 })
    }

    fn explicit_sampling(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def], lane: usize) -> Sampling {
        match op {
            Intrinsic::load_input if self.shader.stage() == Stage::Fragment => Sampling::Flat,
            Intrinsic::load_per_primitive_input => Sampling::Flat,
            Intrinsic::load_interpolated_input => match self.shader.as_intrinsic(srcs[0].inst()) {
                Some((op, place)) if op.is_barycentric() => self.sampling(inst, op.meaning().sampling, place, lane),
                _ => {
                    self.fault(
                        FaultKind::Unsupported,
                        inst,
                        lane,
                        "barycentrics that are not the result of an intrinsic for them",
                    );
                    Sampling::Undefined
                }
            },
            _ => Sampling::Pixel,
        }
    }

    /// The point at which an intrinsic interpolates. Its last source is the sample or the offset.
    fn sampling(&mut self, inst: Inst, sampling: Option<SamplingColumn>, srcs: &[Def], lane: usize) -> Sampling {
        match (sampling, srcs.last()) {
            (Some(SamplingColumn::Centroid), _) => Sampling::At(CENTROID),
            (Some(SamplingColumn::Sample), _) => self.at_own_sample(inst, lane),
            (Some(SamplingColumn::AtSample), Some(sample)) => self.at_sample(self.scalar(*sample, lane)),
            (Some(SamplingColumn::AtOffset), Some(offset)) => self.at_offset(*offset, lane),
            _ => Sampling::Pixel,
        }
    }

    /// Loads the face as an input: a 32-bit boolean, or 1.0 or -1.0.
    fn face(&mut self, inst: Inst, lane: usize, base: Base) {
        let front = self.system_value(inst, Intrinsic::load_front_face, lane);
        let is_front = front.first().is_some_and(|front| front.value != 0);
        let word = match (base, is_front) {
            (Base::Float, true) => 1f32.to_bits(),
            (Base::Float, false) => (-1f32).to_bits(),
            (_, true) => u32::MAX,
            (_, false) => 0,
        };
        self.set(inst, lane, &[Bits::new(word.into())]);
    }

    /// `load_color0` and `load_color1`: inputs whose interpolation is in the header of the shader.
    pub(crate) fn color(&mut self, inst: Inst, number: u32) {
        let info = &self.shader.info;
        let (mode, at_sample, at_centroid) = match number {
            0 => (&info.color0_interp, info.color0_sample, info.color0_centroid),
            _ => (&info.color1_interp, info.color1_sample, info.color1_centroid),
        };
        let is_flat = InterpMode::from_name(mode) == Some(InterpMode::flat);
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let sampling = match (is_flat, at_sample, at_centroid) {
                (true, ..) => Sampling::Flat,
                (_, true, _) => self.at_own_sample(inst, lane),
                (.., true) => Sampling::At(CENTROID),
                _ => Sampling::Pixel,
            };
            let place = InterfacePosition { slot: Slot::new(varying::COL0 + number), word: 0 };
            self.load_input(inst, lane, place, sampling, Base::Float);
        }
    }

    fn at_own_sample(&mut self, inst: Inst, lane: usize) -> Sampling {
        let sample = self.system_value(inst, Intrinsic::load_sample_id, lane);
        self.at_sample(sample.first().copied().unwrap_or(Bits::undef(32)))
    }

    fn at_sample(&self, sample: Bits) -> Sampling {
        match SAMPLE_POSITIONS.get(sample.value as usize) {
            Some([x, y]) if sample.is_defined() => Sampling::At([x - 0.5, y - 0.5]),
            _ => Sampling::Undefined,
        }
    }

    fn at_offset(&self, offset: Def, lane: usize) -> Sampling {
        match *self.value(offset, lane) {
            [x, y, ..] if x.is_defined() && y.is_defined() => {
                Sampling::At([x, y].map(|component| f32::from_bits(component.value as u32)))
            }
            _ => Sampling::Undefined,
        }
    }

    /// Loads through a deref of an input or output.
    pub(crate) fn load_io(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def], io: IoPointer, lane: usize) {
        let variable = &self.shader.vars[io.var];
        let (is_input, interp, flags) = (variable.mode == Modes::SHADER_IN, variable.interp, variable.flags);
        let (place, base) = (self.io_place(io), self.pointee_base(srcs[0]));
        if !is_input {
            return self.load_output(inst, lane, place, base, flags.contains(VarFlags::FB_FETCH_OUTPUT));
        }
        let is_flat = match interp {
            InterpMode::flat => true,
            InterpMode::none => base != Base::Float,
            _ => false,
        };
        let sampling = match op {
            _ if self.shader.stage() != Stage::Fragment => Sampling::Pixel,
            _ if op.meaning().sampling.is_some() => self.sampling(inst, op.meaning().sampling, srcs, lane),
            _ if is_flat => Sampling::Flat,
            _ if flags.contains(VarFlags::SAMPLE) => self.at_own_sample(inst, lane),
            _ if flags.contains(VarFlags::CENTROID) => Sampling::At(CENTROID),
            _ => Sampling::Pixel,
        };
        self.load_input(inst, lane, place, sampling, base);
    }

    /// Stores through a deref of an output.
    pub(crate) fn store_io(&mut self, inst: Inst, pointer: Def, value: Def, io: IoPointer, lane: usize) {
        let mask = self.shader.index(inst, Index::write_mask);
        let (place, base) = (self.io_place(io), self.pointee_base(pointer));
        self.store_output(inst, lane, place, (value, mask), base);
    }

    fn io_place(&self, io: IoPointer) -> InterfacePosition {
        let variable = &self.shader.vars[io.var];
        let is_second = variable.flags.contains(VarFlags::HIGH_DVEC2);
        let index = if is_second { 1 } else { variable.index };
        let slot = Slot { slot: first_slot(variable), vertex: io.vertex, index };
        InterfacePosition { slot, word: io.word }
    }

    fn pointee_base(&self, pointer: Def) -> Base {
        let pointee = self.shader.as_deref(pointer).and_then(|deref| self.shader.types.as_vector(deref.ty));
        pointee.map_or(Base::Uint, |(scalar, _)| scalar.base)
    }

    fn load_input(&mut self, inst: Inst, lane: usize, place: InterfacePosition, sampling: Sampling, base: Base) {
        let data = self.shader.insts[inst];
        let mut values = Vec::with_capacity(4);
        let words = u32::from(data.bit_size).div_ceil(32);
        for c in 0..u32::from(data.num_components) {
            let at = place.plus(c * words);
            values.push(match words {
                2 => joined(self.input(lane, at, sampling), self.input(lane, at.plus(1), sampling)),
                _ => narrowed(self.input(lane, at, sampling), AluType::new(base, data.bit_size)),
            });
        }
        self.set(inst, lane, &values);
    }

    /// An interpolated word of the inputs.
    fn input(&self, lane: usize, place: InterfacePosition, sampling: Sampling) -> Bits {
        let quad = lane & !3;
        let word = |lane: usize| {
            let (slot, c) = place.word();
            let Some(invocation) = self.inputs.invocations.get(lane) else { return Bits::undef(32) };
            let undef = invocation.undef.get(&slot).map_or(0, |words| words[c].into());
            let words = invocation.slots.get(&slot);
            words.map_or(Bits::undef(32), |words| Bits { value: u64::from(words[c]) & !undef, undef })
        };
        match sampling {
            Sampling::Flat => word(quad),
            Sampling::Pixel => word(lane),
            Sampling::Undefined => Bits::undef(32),
            Sampling::At([x, y]) => {
                let corners = [quad, quad + 1, quad + 2, lane].map(word);
                if corners.iter().any(|corner| !corner.is_defined()) {
                    return Bits::undef(32);
                }
                let [top_left, top_right, bottom_left, own] = corners.map(|word| f32::from_bits(word.value as u32));
                let value = own + x * (top_right - top_left) + y * (bottom_left - top_left);
                Bits::new(value.to_bits().into())
            }
        }
    }

    fn load_output(&mut self, inst: Inst, lane: usize, place: InterfacePosition, base: Base, is_fetch: bool) {
        let data = self.shader.insts[inst];
        let owner = self.output_owner(lane);
        let word = |place: InterfacePosition| {
            let (slot, c) = place.word();
            match is_fetch {
                true => self.framebuffer(lane, attachment_number(slot.slot))[c],
                false => self.lanes[owner].outputs.get(&slot).map_or(Bits::undef(32), |words| words[c]),
            }
        };
        let words = u32::from(data.bit_size).div_ceil(32);
        let values: Vec<Bits> = (0..u32::from(data.num_components))
            .map(|c| match words {
                2 => joined(word(place.plus(2 * c)), word(place.plus(2 * c + 1))),
                _ => narrowed(word(place.plus(c)), AluType::new(base, data.bit_size)),
            })
            .collect();
        self.set(inst, lane, &values);
    }

    /// The texel of an attachment at the fragment.
    fn framebuffer(&self, lane: usize, attachment: Option<u32>) -> [Bits; 4] {
        let invocation = self.inputs.invocations.get(lane);
        let texel = invocation.zip(attachment).and_then(|(given, number)| given.framebuffer.get(number as usize));
        texel.copied().unwrap_or([Bits::undef(32); 4])
    }

    /// Loads from the input attachment whose variable `pointer` refers to.
    pub(crate) fn load_attachment(&mut self, inst: Inst, pointer: Def) {
        let attachment = self.shader.deref_var(pointer).map(|var| self.shader.vars[var].index);
        let data = self.shader.insts[inst];
        let base = unpack_alu_type(self.shader.index(inst, Index::dest_type)).base;
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let texel = self.framebuffer(lane, attachment);
            self.set(inst, lane, &texel.map(|word| narrowed(word, AluType::new(base, data.bit_size))));
        }
    }

    fn store_output(
        &mut self,
        inst: Inst,
        lane: usize,
        place: InterfacePosition,
        (value, mask): (Def, u32),
        base: Base,
    ) {
        let bits = self.shader.bit_size(value);
        let words = u32::from(bits).div_ceil(32);
        let components = self.value(value, lane).to_vec();
        for (c, component) in components.into_iter().enumerate().filter(|(c, _)| mask >> c & 1 != 0) {
            if !component.is_defined() {
                let message = format!("component {c} of {} is undefined", self.shader.shown(value));
                self.fault(FaultKind::UndefinedOutput, inst, lane, message);
            }
            let at = place.plus(c as u32 * words);
            if words == 2 {
                let halves = [0, 32].map(|shift| Bits {
                    value: component.value >> shift & 0xffff_ffff,
                    undef: component.undef >> shift & 0xffff_ffff,
                });
                self.write_output(lane, at, halves[0]);
                self.write_output(lane, at.plus(1), halves[1]);
            } else {
                self.write_output(lane, at, widened(component, AluType::new(base, bits)));
            }
        }
    }

    /// Writes a word. GL's broadcast colour is written to each draw buffer. A flag is 0 or 1.
    fn write_output(&mut self, lane: usize, place: InterfacePosition, word: Bits) {
        let owner = self.output_owner(lane);
        let (slot, c) = place.word();
        let is_flag = self.shader.stage() == Stage::Mesh && slot.slot == varying::CULL_PRIMITIVE;
        let word = if is_flag { narrowed(word, AluType::new(Base::Bool, 1)) } else { word };
        let is_broadcast = self.shader.stage() == Stage::Fragment && slot.slot == frag_result::COLOR;
        let slots = match is_broadcast {
            true => frag_result::DATA0..frag_result::DATA0 + self.draw_buffers(),
            false => slot.slot..slot.slot.saturating_add(1),
        };
        for number in slots {
            let words = self.lanes[owner].outputs.entry(Slot { slot: number, ..slot }).or_insert([Bits::undef(32); 4]);
            words[c] = word;
        }
    }

    /// The number of draw buffers that a broadcast colour is written to: one with dual-source blending (GL 4.6, 17.3.6.3).
    fn draw_buffers(&self) -> u32 {
        let shader = self.shader;
        let is_dual = |inst: &Inst| {
            let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
            io.flags.contains(IoFlags::DUALSRC)
        };
        let has_second = shader.vars.values().any(|v| v.mode == Modes::SHADER_OUT && v.index != 0);
        match has_second || shader.order.iter().any(is_dual) {
            true => 1,
            false => self.inputs.draw_buffers,
        }
    }

    /// The invocation that has the outputs of `lane`: the first one of a patch or a mesh shader, because its invocations share outputs.
    fn output_owner(&self, lane: usize) -> usize {
        match self.shader.stage() {
            Stage::TessCtrl | Stage::Mesh => 0,
            _ => lane,
        }
    }

    /// `emit_vertex` and `end_primitive`, with or without counters.
    pub(crate) fn emit(&mut self, inst: Inst, op: Intrinsic) {
        let stream = self.shader.index(inst, Index::stream_id);
        let is_vertex = matches!(op, Intrinsic::emit_vertex | Intrinsic::emit_vertex_with_counter);
        for i in 0..self.active.len() {
            let number = self.active[i];
            let lane = &mut self.lanes[number];
            let made = lane.vertices.iter().filter(|vertex| vertex.1.is_some()).count();
            if is_vertex && made >= self.shader.info.vertices_out as usize {
                let message = format!("vertex {made} of {}", self.shader.info.vertices_out);
                self.fault(FaultKind::OutOfBounds, inst, number, message);
                continue;
            }
            // After `emit_vertex`, all outputs are undefined.
            let vertex = is_vertex.then(|| std::mem::take(&mut lane.outputs));
            lane.vertices.push((stream, vertex));
        }
    }
}
