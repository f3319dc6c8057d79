// SPDX-License-Identifier: MIT

//! Stores the captures of a geometry shader to scratch buffers, with the number of primitives that it has made.
//!
//! The primitives that a vertex belongs to depend on the vertices before it in its strip. Two variables for each stream count
//! these: `done`, the primitives before the strip, and `length`, its vertices. A vertex is the last corner of one primitive,
//! the second to last of the next, and so on; it is written to each. Incomplete primitives are not counted, or overwritten:
//!
//! ```text
//! n = (instance * primitives + PrimitiveID) * invocations + InvocationID
//! ... for each vertex of a stream:
//! for corner in 0..corners {
//!    primitive = done + length - corner
//!    if is_captured && length >= corner && primitive < most {
//!       scratch[((n * most + primitive) * corners + corner) * stride + offset] = ...
//!    }
//! }
//! length += 1
//! ... where a strip ends:
//! done += max(length, corners - 1) - (corners - 1)
//! length = 0
//! ... at the end:
//! counts[4 * n + stream] = min(done + ..., most)
//! ```
//!
//! Two corners of every other triangle are exchanged. An invocation that is beyond the state's count, or for which there are no
//! counts, writes nothing. See [`GeometryOutput`] for the meaning of the numbers, and
//! [`Kernel::Compact`](crate::capture::kernels::Kernel::Compact) for the next step.
//!
//! Only stream 0 is rasterized. The other streams serve only captures, and SPIR-V has them only with VK_EXT_transform_feedback:
//! their vertices are not emitted, and their outputs become private variables.

use super::capture_stores::{Buffers, Captured};
use super::captured::{Loads, Word};
use super::state::{declare as declare_buffer, State};
use crate::capture::{word, GeometryOutput, COUNTS_BINDING};
use crate::ir::{
    rewrite_cf, ArrayIndex, Block, Builder, Def, DerefKind, Edit, Inst, InstKind, Jump, Rewriter, Shader, Var,
    Variable, XfbInfo,
};
use crate::op::{Access, AluOp, AluType, Base, Index, Intrinsic, Modes};
use crate::pass::memory::blocks::{base_pointer, block_pointer};
use crate::pass::Context;

/// Makes a geometry shader store `words`, if there are any, and removes all streams but the first.
pub(super) fn run(shader: &mut Shader, context: &Context, info: &XfbInfo, words: &[Word]) -> bool {
    let mut own = false;
    for variable in shader.vars.values_mut().filter(|row| row.mode == Modes::SHADER_OUT && row.stream != 0) {
        *variable = Variable::new(variable.name, variable.ty, Modes::FUNCTION_TEMP);
        own = true;
    }
    let writer = (!words.is_empty()).then(|| Writer::new(shader, context, info, words));
    let mut stores = Stores { writer };
    own |= rewrite_cf(shader, &mut stores);
    let last = shader.block_order().next_back();
    if last.is_some_and(|last| shader.block_jump(last).is_none()) {
        stores.finish(&mut Builder::new(shader));
    }
    own
}

struct Stores<'w> {
    writer: Option<Writer<'w>>,
}

impl Rewriter for Stores<'_> {
    fn enter(&mut self, b: &mut Builder<'_>, _: Block) {
        if let Some(writer) = self.writer.as_mut().filter(|writer| writer.invocation.is_none()) {
            writer.begin(b);
        }
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        match b.shader.insts[inst].kind {
            InstKind::Deref(deref) => {
                let row = b.shader.derefs[deref];
                if row.modes == Modes::SHADER_OUT && is_of_own_output(b.shader, row.kind) {
                    b.shader.change_deref(inst, |deref, _| deref.modes = Modes::FUNCTION_TEMP);
                }
                Edit::Keep
            }
            InstKind::Intrinsic { op: Intrinsic::emit_vertex, .. } => {
                let stream = b.shader.index(inst, Index::stream_id);
                if let Some(writer) = &self.writer {
                    writer.vertex(b, stream);
                }
                keep_first(stream)
            }
            InstKind::Intrinsic { op: Intrinsic::end_primitive, .. } => {
                let stream = b.shader.index(inst, Index::stream_id);
                if let Some(writer) = &self.writer {
                    writer.end_strip(b, stream);
                }
                keep_first(stream)
            }
            InstKind::Jump(Jump::Return) => {
                self.finish(b);
                Edit::Keep
            }
            _ => Edit::Keep,
        }
    }
}

impl Stores<'_> {
    /// Stores the number of primitives.
    fn finish(&self, b: &mut Builder<'_>) {
        if let Some(writer) = &self.writer {
            writer.finish(b);
        }
    }
}

fn keep_first(stream: u32) -> Edit {
    if stream == 0 {
        Edit::Keep
    } else {
        Edit::Remove
    }
}

/// Whether a deref is of a variable that was an output, or of a part of one.
fn is_of_own_output(shader: &Shader, kind: DerefKind) -> bool {
    match kind {
        DerefKind::Var(var) => shader.vars[var].mode == Modes::FUNCTION_TEMP,
        DerefKind::Array { parent, .. } | DerefKind::Struct { parent, .. } => {
            shader.as_deref(parent).is_some_and(|parent| parent.modes == Modes::FUNCTION_TEMP)
        }
        _ => false,
    }
}

/// Writes captures and counts.
struct Writer<'w> {
    buffers: Buffers<'w>,
    counts: Var,
    /// The input with the number of the instance.
    instances: Option<Var>,
    output: GeometryOutput,
    streams: Vec<Stream>,
    /// Values that are available once the first block is open.
    invocation: Option<Invocation>,
}

/// A stream of vertices.
struct Stream {
    number: u32,
    /// The number of primitives before the strip.
    done: Var,
    /// The number of vertices of the strip.
    length: Var,
    /// The buffers, by index in the list of those that are written.
    buffers: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Invocation {
    /// Whether the invocation captures, and whether it counts.
    is_captured: Def,
    is_counted: Def,
    /// Its number, and that of the first primitive that it has room for.
    number: Def,
    first: Def,
    first_provokes: Def,
}

impl<'w> Writer<'w> {
    fn new(shader: &mut Shader, context: &Context, info: &XfbInfo, words: &'w [Word]) -> Writer<'w> {
        let buffers = Buffers::new(shader, context, info, words);
        let counts = declare_buffer(shader, context, "xfb_counts", COUNTS_BINDING, Access::empty());
        let uint = shader.types.vector(AluType::new(Base::Uint, 32), 1);
        let instances = context.instance_location.map(|location| {
            let vertices = shader.types.array(uint, Some(shader.info.vertices_in.max(1)), 0);
            let name = shader.strings.add("xfb_instance");
            shader.declare(Variable { driver_location: location, ..Variable::new(name, vertices, Modes::SHADER_IN) })
        });
        let mut streams = Vec::new();
        for number in 0..XfbInfo::STREAMS {
            let emits = |inst: &Inst| {
                let is_emission = matches!(shader.as_intrinsic(*inst), Some((Intrinsic::emit_vertex, _)));
                is_emission && shader.index(*inst, Index::stream_id) == number
            };
            if shader.order.iter().any(emits) {
                let [done, length] = ["done", "length"].map(|what| {
                    let name = shader.strings.add(&format!("xfb_{what}{number}"));
                    shader.declare(Variable::new(name, uint, Modes::FUNCTION_TEMP))
                });
                let is_own = |buffer: &Captured<'_>| info.buffers[buffer.number as usize].stream == number;
                let list = buffers.captured.iter().enumerate().filter(|(_, buffer)| is_own(buffer));
                streams.push(Stream { number, done, length, buffers: list.map(|(place, _)| place).collect() });
            }
        }
        let output = GeometryOutput::of(&shader.info);
        Writer { buffers, counts, instances, output, streams, invocation: None }
    }

    /// Emits the start of the shader.
    fn begin(&mut self, b: &mut Builder<'_>) {
        let state = State::new(b, self.buffers.state);
        let [active, primitives, instances, provoking] =
            [word::ACTIVE, word::PRIMITIVES, word::INSTANCES, word::PROVOKING].map(|at| state.word(b, at));
        let (zero, one) = (b.imm32(0), b.imm32(1));
        let primitive = b.intrinsic(Intrinsic::load_primitive_id, 1, 32, &[]).def();
        let instance = match self.instances {
            Some(var) => {
                let all = b.deref_var(var);
                let first = b.deref_array(all, ArrayIndex::Imm(0));
                b.load_deref(first, 0)
            }
            None => zero,
        };
        let is_known = b.alu(AluOp::ult, &[primitive, primitives]);
        let has_instance = b.alu(AluOp::ult, &[instance, instances]);
        let is_known = b.alu(AluOp::iand, &[is_known, has_instance]);
        let before = b.alu(AluOp::imul, &[instance, primitives]);
        let mut number = b.iadd(before, primitive);
        if self.output.invocations > 1 {
            let invocations = b.imm32(self.output.invocations);
            let all = b.alu(AluOp::imul, &[number, invocations]);
            let own = b.intrinsic(Intrinsic::load_invocation_id, 1, 32, &[]).def();
            number = b.iadd(all, own);
        }
        let counts = block_pointer(b, self.counts, None);
        let length = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[counts]).def();
        let room = b.ushr_imm(length, 2);
        let has_room = b.alu(AluOp::ult, &[number, room]);
        let is_known = b.alu(AluOp::iand, &[is_known, has_room]);
        // 1 means captures and counts, 2 counts only.
        let [is_captured, is_counted] = [(AluOp::ieq, one), (AluOp::ine, zero)].map(|(op, value)| {
            let is_active = b.alu(op, &[active, value]);
            b.alu(AluOp::iand, &[is_known, is_active])
        });
        let most = b.imm32(self.output.primitives());
        let first = b.alu(AluOp::imul, &[number, most]);
        let first_provokes = b.alu(AluOp::ine, &[provoking, zero]);
        for stream in &self.streams {
            [stream.done, stream.length].into_iter().for_each(|var| set(b, var, zero));
        }
        self.invocation = Some(Invocation { is_captured, is_counted, number, first, first_provokes });
    }

    fn stream(&self, number: u32) -> Option<(&Stream, Invocation)> {
        Some((self.streams.iter().find(|stream| stream.number == number)?, self.invocation?))
    }

    /// Writes the next vertex of a stream.
    fn vertex(&self, b: &mut Builder<'_>, stream: u32) {
        let Some((stream, invocation)) = self.stream(stream) else { return };
        let length = get(b, stream.length);
        if !stream.buffers.is_empty() {
            b.begin_if(invocation.is_captured);
            self.corners(b, stream, invocation, length);
            b.begin_else();
            b.end_if();
        }
        let length = b.iadd_imm(length, 1);
        set(b, stream.length, length);
    }

    /// Writes the vertex to each primitive that it may be a corner of.
    fn corners(&self, b: &mut Builder<'_>, stream: &Stream, invocation: Invocation, length: Def) {
        let mut loads = Loads::default();
        let buffers: Vec<(&Captured<'_>, Vec<Def>)> = stream
            .buffers
            .iter()
            .map(|place| &self.buffers.captured[*place])
            .map(|buffer| (buffer, buffer.words.iter().map(|word| loads.word(b, &word.source)).collect()))
            .collect();
        let done = get(b, stream.done);
        let (zero, most) = (b.imm32(0), b.imm32(self.output.primitives()));
        for corner in 0..self.output.corners() {
            let place = b.imm32(corner);
            let in_strip = b.alu(AluOp::isub, &[length, place]);
            let primitive = b.iadd(done, in_strip);
            let is_there = b.alu(AluOp::uge, &[length, place]);
            let fits = b.alu(AluOp::ult, &[primitive, most]);
            let is_written = b.alu(AluOp::iand, &[is_there, fits]);
            b.begin_if(is_written);
            let corners = b.imm32(self.output.corners());
            let primitive = b.iadd(invocation.first, primitive);
            let vertex = b.alu(AluOp::imul, &[primitive, corners]);
            let place = self.turned(b, corner, in_strip, invocation.first_provokes);
            let vertex = b.iadd(vertex, place);
            buffers.iter().for_each(|(buffer, values)| buffer.write(b, (vertex, zero), values));
            b.begin_else();
            b.end_if();
        }
    }

    /// The position of a corner in the order in which the corners of the primitive are captured: see
    /// [`Topology::vertices`](crate::capture::Topology::vertices).
    fn turned(&self, b: &mut Builder<'_>, corner: u32, in_strip: Def, first_provokes: Def) -> Def {
        let place = b.imm32(corner);
        if self.output.corners() < 3 {
            return place;
        }
        let [last, first] = [[1, 0, 2], [0, 2, 1]].map(|places| b.imm32(places[corner as usize]));
        let swapped = b.alu(AluOp::bcsel, &[first_provokes, first, last]);
        let odd = b.iand_imm(in_strip, 1);
        let zero = b.imm32(0);
        let is_odd = b.alu(AluOp::ine, &[odd, zero]);
        b.alu(AluOp::bcsel, &[is_odd, swapped, place])
    }

    /// The number of primitives of a stream up to here.
    fn made(&self, b: &mut Builder<'_>, stream: &Stream) -> Def {
        let (done, length) = (get(b, stream.done), get(b, stream.length));
        let incomplete = b.imm32(self.output.corners() - 1);
        let length = b.alu(AluOp::umax, &[length, incomplete]);
        let own = b.alu(AluOp::isub, &[length, incomplete]);
        b.iadd(done, own)
    }

    /// Ends the strip of a stream.
    fn end_strip(&self, b: &mut Builder<'_>, stream: u32) {
        let Some((stream, _)) = self.stream(stream) else { return };
        let made = self.made(b, stream);
        let zero = b.imm32(0);
        set(b, stream.done, made);
        set(b, stream.length, zero);
    }

    /// Ends all strips, and stores the number of primitives.
    fn finish(&self, b: &mut Builder<'_>) {
        let Some(invocation) = self.invocation else { return };
        b.begin_if(invocation.is_counted);
        let most = b.imm32(self.output.primitives());
        let at = b.ishl_imm(invocation.number, 2);
        let base = base_pointer(b, self.counts, None);
        for number in 0..XfbInfo::STREAMS {
            let count = match self.stream(number) {
                Some((stream, _)) => {
                    let made = self.made(b, stream);
                    b.alu(AluOp::umin, &[made, most])
                }
                None => b.imm32(0),
            };
            let index = b.iadd_imm(at, number.into());
            let pointer = b.deref_array(base, ArrayIndex::Def(index));
            b.store_deref(pointer, count, 1, 0);
        }
        b.begin_else();
        b.end_if();
    }
}

fn get(b: &mut Builder<'_>, var: Var) -> Def {
    let pointer = b.deref_var(var);
    b.load_deref(pointer, 0)
}

fn set(b: &mut Builder<'_>, var: Var, value: Def) {
    let pointer = b.deref_var(var);
    b.store_deref(pointer, value, 1, 0);
}
