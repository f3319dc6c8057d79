// SPDX-License-Identifier: MIT

//! Stores the captures of a vertex shader to storage buffers, also if it runs as a compute shader.
//!
//! The topology determines how many primitives a vertex belongs to: three of a strip of triangles, all of a fan if it is the
//! middle. A loop at the end of the shader iterates over them, and writes the vertex to its position in each:
//!
//! ```text
//! vertex = VertexIndex - first_vertex, of a draw over a list the place in the list
//! for j in 0..(is_active ? primitives of this vertex : 0) {
//!    primitive, corner = which it is there, and which of its vertices this is
//!    number = before + (InstanceIndex - first_instance) * primitives + primitive
//!    if primitive < primitives && number < most {
//!       buffer[first_word + (number * corners + corner) * stride + offset] = ...
//!    }
//! }
//! ```
//!
//! The numbers come from the state of the draw, [`CaptureState`](crate::capture::CaptureState), so one module serves all
//! topologies, and also draws that capture nothing. A primitive that does not fit into one of its buffers is written to none of
//! them (OpenGL 4.6, 13.3.3).

use super::captured::{Loads, Word};
use super::drawn_vertex;
use super::state::{declare, State};
use crate::capture::{word, BackEnd, Topology, BUFFER_BINDING, STATE_BINDING};
use crate::ir::{ArrayIndex, Builder, Def, PhiSrc, Shader, Var, XfbInfo};
use crate::op::{Access, AluOp, Intrinsic};
use crate::pass::memory::blocks::base_pointer;
use crate::pass::Context;

/// The buffers of a shader that writes its captures itself.
pub(super) struct Buffers<'w> {
    /// The state of the draw.
    pub(super) state: Var,
    /// Whether the shader becomes a compute shader.
    is_compute: bool,
    /// The buffers that are written.
    pub(super) captured: Vec<Captured<'w>>,
}

/// A buffer that is written.
pub(super) struct Captured<'w> {
    var: Var,
    pub(super) number: u32,
    stride: u32,
    /// The words that are written to it.
    pub(super) words: Vec<&'w Word>,
}

impl<'w> Buffers<'w> {
    /// Declares the buffers that `words` go to.
    pub(super) fn new(shader: &mut Shader, context: &Context, info: &XfbInfo, words: &'w [Word]) -> Buffers<'w> {
        let state = declare(shader, context, "xfb_state", STATE_BINDING, Access::READONLY);
        let mut captured = Vec::new();
        for (number, row) in (0..).zip(info.buffers) {
            let words: Vec<&Word> = words.iter().filter(|word| word.buffer == number).collect();
            if !words.is_empty() {
                let (name, binding) = (format!("xfb_buffer{number}"), BUFFER_BINDING + number);
                let var = declare(shader, context, &name, binding, Access::empty());
                captured.push(Captured { var, number, stride: row.stride, words });
            }
        }
        Buffers { state, is_compute: context.captures == BackEnd::Compute, captured }
    }
}

/// Information about the vertex and its draw.
struct Vertex {
    /// Its number in the instance, and that of the instance.
    number: Def,
    instance: Def,
    topology: Def,
    first_provokes: Def,
    vertices: Def,
    primitives: Def,
    /// The number of vertices of a primitive.
    corners: Def,
}

impl Buffers<'_> {
    /// Writes the vertex.
    pub(super) fn write(&self, b: &mut Builder<'_>) {
        let mut loads = Loads::default();
        let values: Vec<Vec<Def>> = self
            .captured
            .iter()
            .map(|buffer| buffer.words.iter().map(|word| loads.word(b, &word.source)).collect())
            .collect();
        let state = State::new(b, self.state);
        let vertex = Vertex::new(b, state, self.is_compute);
        let [active, before, most] = [word::ACTIVE, word::BEFORE, word::MOST].map(|at| state.word(b, at));
        let first: Vec<Def> =
            self.captured.iter().map(|buffer| state.word(b, word::FIRST_WORDS + buffer.number)).collect();
        let earlier = b.alu(AluOp::imul, &[vertex.instance, vertex.primitives]);
        let before = b.iadd(before, earlier);
        let zero = b.imm32(0);
        let is_active = b.alu(AluOp::ine, &[active, zero]);
        let count = vertex.primitives_with(b);
        let count = b.alu(AluOp::bcsel, &[is_active, count, zero]);
        for_each(b, count, |b, j| {
            let (primitive, corner) = vertex.primitive(b, j);
            let number = b.iadd(before, primitive);
            let is_there = b.alu(AluOp::ult, &[primitive, vertex.primitives]);
            let fits = b.alu(AluOp::ult, &[number, most]);
            let is_written = b.alu(AluOp::iand, &[is_there, fits]);
            b.begin_if(is_written);
            let place = b.alu(AluOp::imul, &[number, vertex.corners]);
            let place = b.iadd(place, corner);
            for ((buffer, first), values) in self.captured.iter().zip(&first).zip(&values) {
                buffer.write(b, (place, *first), values);
            }
            b.begin_else();
            b.end_if();
        });
    }
}

impl Captured<'_> {
    /// Writes `values` as vertex `place` of the buffer, whose data begins at word `first`.
    pub(super) fn write(&self, b: &mut Builder<'_>, (place, first): (Def, Def), values: &[Def]) {
        let stride = b.imm32(self.stride / 4);
        let at = b.alu(AluOp::imul, &[place, stride]);
        let at = b.iadd(at, first);
        let base = base_pointer(b, self.var, None);
        for (word, value) in self.words.iter().zip(values) {
            let index = b.iadd_imm(at, u64::from(word.offset / 4));
            let pointer = b.deref_array(base, ArrayIndex::Def(index));
            b.store_deref(pointer, *value, 1, 0);
        }
    }
}

/// A loop of `count` iterations, numbered from 0.
fn for_each(b: &mut Builder<'_>, count: Def, body: impl FnOnce(&mut Builder<'_>, Def)) {
    let start = PhiSrc { pred: b.current_block(), def: b.imm32(0) };
    b.begin_loop();
    let round = b.phi(1, 32, &[start, start]);
    let done = b.alu(AluOp::uge, &[round, count]);
    b.break_if(done);
    body(b, round);
    let next = b.iadd_imm(round, 1);
    b.set_phi_src(round, 1, PhiSrc { pred: b.current_block(), def: next });
    b.end_loop();
}

impl Vertex {
    fn new(b: &mut Builder<'_>, state: State, is_compute: bool) -> Vertex {
        let [number, instance] = if is_compute {
            let id = b.intrinsic(Intrinsic::load_global_invocation_id, 3, 32, &[]).def();
            [0, 1].map(|c| b.channel(id, c))
        } else {
            drawn_vertex::vertex(b, state)
        };
        let topology = state.word(b, word::TOPOLOGY);
        let (one, two, three) = (b.imm32(1), b.imm32(2), b.imm32(3));
        let [lines, triangles] = [Topology::Lines, Topology::Triangles].map(|first| {
            let first = b.imm32(first as u32);
            b.alu(AluOp::uge, &[topology, first])
        });
        let corners = b.alu(AluOp::bcsel, &[lines, two, one]);
        let corners = b.alu(AluOp::bcsel, &[triangles, three, corners]);
        let zero = b.imm32(0);
        let first_provokes = state.word(b, word::PROVOKING);
        let first_provokes = b.alu(AluOp::ine, &[first_provokes, zero]);
        let (vertices, primitives) = (state.word(b, word::VERTICES), state.word(b, word::PRIMITIVES));
        Vertex { number, instance, topology, first_provokes, vertices, primitives, corners }
    }

    fn is(&self, b: &mut Builder<'_>, topology: Topology) -> Def {
        let topology = b.imm32(topology as u32);
        b.alu(AluOp::ieq, &[self.topology, topology])
    }

    fn is_any(&self, b: &mut Builder<'_>, topologies: &[Topology]) -> Def {
        let mut any = b.imm(1, 0);
        for topology in topologies {
            let is = self.is(b, *topology);
            any = b.alu(AluOp::ior, &[any, is]);
        }
        any
    }

    /// Whether it is the middle of a fan.
    fn is_middle(&self, b: &mut Builder<'_>) -> Def {
        let zero = b.imm32(0);
        let is_first = b.alu(AluOp::ieq, &[self.number, zero]);
        let is_fan = self.is(b, Topology::TriangleFan);
        b.alu(AluOp::iand, &[is_fan, is_first])
    }

    /// The number of primitives that may contain this vertex.
    fn primitives_with(&self, b: &mut Builder<'_>) -> Def {
        let mut count = b.imm32(1);
        let two = [Topology::LineLoop, Topology::LineStrip, Topology::TriangleFan];
        for (topologies, most) in [(&two[..], 2), (&[Topology::TriangleStrip], 3)] {
            let is = self.is_any(b, topologies);
            let most = b.imm32(most);
            count = b.alu(AluOp::bcsel, &[is, most, count]);
        }
        let is_middle = self.is_middle(b);
        b.alu(AluOp::bcsel, &[is_middle, self.primitives, count])
    }

    /// The `j`th primitive that may contain this vertex, and the corner of it that this vertex is. A primitive that does not
    /// exist has a number above all others.
    fn primitive(&self, b: &mut Builder<'_>, j: Def) -> (Def, Def) {
        // Strips: the last primitive first.
        let (mut primitive, mut corner) = (b.alu(AluOp::isub, &[self.number, j]), j);
        let wraps = b.alu(AluOp::ult, &[self.number, j]);
        let is_loop = self.is(b, Topology::LineLoop);
        let wraps = b.alu(AluOp::iand, &[is_loop, wraps]);
        let round = b.iadd(primitive, self.vertices);
        primitive = b.alu(AluOp::bcsel, &[wraps, round, primitive]);
        // Fans: like strips without the middle, which all triangles share.
        let is_fan = self.is(b, Topology::TriangleFan);
        let is_middle = self.is_middle(b);
        let (zero, before, after) = (b.imm32(0), b.iadd_imm(primitive, u64::from(u32::MAX)), b.iadd_imm(j, 1));
        let own = [b.alu(AluOp::bcsel, &[is_middle, j, before]), b.alu(AluOp::bcsel, &[is_middle, zero, after])];
        primitive = b.alu(AluOp::bcsel, &[is_fan, own[0], primitive]);
        corner = b.alu(AluOp::bcsel, &[is_fan, own[1], corner]);
        // Lists.
        let is_list = self.is_any(b, &[Topology::Points, Topology::Lines, Topology::Triangles]);
        let own = [AluOp::udiv, AluOp::umod].map(|op| b.alu(op, &[self.number, self.corners]));
        primitive = b.alu(AluOp::bcsel, &[is_list, own[0], primitive]);
        corner = b.alu(AluOp::bcsel, &[is_list, own[1], corner]);
        (primitive, self.turned(b, primitive, corner))
    }

    /// The position of a corner in the order in which the corners of the primitive are captured: two of every other triangle of
    /// a strip are exchanged, and the middle of a fan is last if the first vertex provokes.
    fn turned(&self, b: &mut Builder<'_>, primitive: Def, corner: Def) -> Def {
        let (zero, one, two, three) = (b.imm32(0), b.imm32(1), b.imm32(2), b.imm32(3));
        let is_first = b.alu(AluOp::ieq, &[corner, zero]);
        let is_last = b.alu(AluOp::ieq, &[corner, two]);
        let [first_two, last_two] = [one, three].map(|swap| b.alu(AluOp::ixor, &[corner, swap]));
        let keeps_last = b.alu(AluOp::bcsel, &[is_last, corner, first_two]);
        let keeps_first = b.alu(AluOp::bcsel, &[is_first, corner, last_two]);
        let swapped = b.alu(AluOp::bcsel, &[self.first_provokes, keeps_first, keeps_last]);
        let odd = b.iand_imm(primitive, 1);
        let odd = b.alu(AluOp::ine, &[odd, zero]);
        let is_strip = self.is(b, Topology::TriangleStrip);
        let is_swapped = b.alu(AluOp::iand, &[is_strip, odd]);
        let turned = b.alu(AluOp::bcsel, &[is_swapped, swapped, corner]);
        let before = b.iadd_imm(corner, u64::from(u32::MAX));
        let rotated = b.alu(AluOp::bcsel, &[is_first, two, before]);
        let is_fan = self.is(b, Topology::TriangleFan);
        let is_rotated = b.alu(AluOp::iand, &[is_fan, self.first_provokes]);
        b.alu(AluOp::bcsel, &[is_rotated, rotated, turned])
    }
}
