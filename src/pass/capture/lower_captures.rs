// SPDX-License-Identifier: MIT

//! Turns captured parts of outputs into variables that are captured as a whole.
//!
//! **What.** An output whose components are all captured to consecutive words of one buffer is captured as it is: the variable
//! has the buffer and offset. Of the others, the captured words are copied to *shadows*: outputs that no other stage reads,
//! unsigned integers of 32 bits, in vectors of as many as are consecutive in the buffer. They are written when the vertex is
//! complete: at the end of a vertex or tessellation evaluation shader, and before each `emit_vertex` of their stream.
//!
//! **Why.** SPIR-V decorates variables: XfbBuffer, XfbStride and Offset of an output apply to all its components. A single
//! element of an array, a member of a struct or `gl_Position.xz` cannot be decorated. Outputs could be split until each piece
//! is captured as a whole, but then the next stage would have to read the pieces.
//!
//! Vectors share Locations, four components to each, after those of all other outputs. A shader without captures uses no
//! Locations for them, and neither does one that captures whole variables, nor one whose key has `no_capture`: shadows and
//! their stores are then removed from the module. Components of 64 bits are two words each, because the offset of a variable
//! with such components would have to be a multiple of 8 (VUID-StandaloneSpirv-Offset-04716).
//!
//! All this is for [`BackEnd::Extension`]. For [`BackEnd::Storage`] the shader stores the captured words to buffers when the
//! vertex is complete, and for [`BackEnd::Compute`] it becomes a compute shader after that. Such a draw may read a list, which
//! is how an indexed draw is captured: see `drawn_vertex`. A geometry shader stores to scratch buffers, because it cannot know
//! how many primitives other invocations make, see `geometry_stores`; a vertex shader before it passes on the number of its
//! instance.
//!
//! Before:
//!
//! ```text
//! // ntv: xfb=VAR0.xyzw:0+0/20
//! // ntv: xfb=VAR1.y:0+16/20
//! ...
//! decl_var shader_out INTERP_MODE_NONE none vec4 a (VARYING_SLOT_VAR0.xyzw, 0, 0)
//! decl_var shader_out INTERP_MODE_NONE none vec4 b (VARYING_SLOT_VAR1.xyzw, 1, 0)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var shader_out INTERP_MODE_NONE none vec4 a (VARYING_SLOT_VAR0.xyzw, 0, 0)  // ntv: xfb(buffer=0 stride=20 offset=0)
//! decl_var shader_out INTERP_MODE_NONE none vec4 b (VARYING_SLOT_VAR1.xyzw, 1, 0)
//! decl_var shader_out INTERP_MODE_NONE none uint xfb_0_16 (~0.x, 2, 0)  // ntv: xfb(buffer=0 stride=20 offset=16)
//! ...
//! 32    %5 = deref_var &b (shader_out vec4)
//! 32x4  %6 = @load_deref (%5) (access=none)
//! 32    %7 = mov %6.y
//! 32    %8 = deref_var &xfb_0_16 (shader_out uint)
//! @store_deref (%8, %7) (wrmask=x, access=none)
//! ```

use super::capture_stores::Buffers;
use super::captured::{captured, outputs, Loads, Word};
use super::{drawn_vertex, geometry_stores, vertex_to_compute};
use crate::analysis::output_words::{OutputWord, OutputWords};
use crate::capture::BackEnd;
use crate::ir::{
    rewrite, Builder, Capture, Edit, InstKind, Jump, Precision, Shader, Stage, Var, Variable, XfbInfo, NO_LOCATION,
};
use crate::op::{AluOp, AluType, Base, Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};
use crate::target::Feature::{self, geometryStreams, transformFeedback};
use std::fmt::Write as _;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_captures",
    about: "turns captured parts of outputs into outputs that are captured as a whole",
    facts: Facts::CAPTURED_SLOTS
        .union(Facts::CAPTURED_OUTPUTS)
        .union(Facts::DRAW_KINDS)
        .union(Facts::VERTEX_STAGE)
        .union(Facts::GEOMETRY_STAGE),
    met_by,
    removes: Facts::CAPTURED_SLOTS.union(Facts::DRAW_KINDS),
    is_tidy: false,
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    if context.captures != BackEnd::Extension {
        return store(shader, context);
    }
    let info = std::mem::take(&mut shader.xfb_info);
    if info.is_empty() {
        return false;
    }
    let outputs = outputs(shader, false);
    let words = captured(&outputs, shader, &info);
    let words = capture_whole(shader, &info, &outputs, words);
    for word in &words {
        shader.vars[word.source.var].precision = Precision::None;
    }
    let shadows = declare(shader, &info, words);
    if !shadows.is_empty() {
        where_done(shader, |b, stream| {
            copy(b, shadows.iter().filter(|shadow| stream.map_or(true, |stream| shadow.stream == stream)));
        });
    }
    true
}

/// The features for captures that a shader needs of a device with [`BackEnd::Extension`] only.
pub(crate) fn replaced_features(captures: BackEnd) -> &'static [Feature] {
    match captures {
        BackEnd::Extension => &[],
        BackEnd::Compute => &[transformFeedback],
        BackEnd::Storage => &[transformFeedback, geometryStreams],
    }
}

/// The stages whose shaders have nothing to do without captures of their own.
fn met_by(context: &Context) -> Facts {
    let stores = context.captures == BackEnd::Storage;
    let mut met = Facts::empty();
    // A vertex shader passes on the number of its instance, and a geometry shader loses all streams but the first.
    met.set(Facts::VERTEX_STAGE, !stores || context.instance_location.is_none());
    met.set(Facts::GEOMETRY_STAGE, !stores);
    met
}

/// Makes the shader write its captures itself, as a compute shader if it cannot while it draws.
fn store(shader: &mut Shader, context: &Context) -> bool {
    let mut info = std::mem::take(&mut shader.xfb_info);
    for variable in shader.vars.values() {
        let Some(Capture { buffer, stride, .. }) = variable.capture else { continue };
        if let Some(row) = info.buffers.get_mut(buffer as usize) {
            row.stride = stride;
            row.stream = variable.stream;
        }
    }
    let words = captured(&outputs(shader, true), shader, &info);
    let was_captured = shader.vars.values().any(|variable| variable.capture.is_some());
    shader.vars.values_mut().for_each(|variable| variable.capture = None);
    if shader.stage() == Stage::Geometry && context.captures == BackEnd::Storage {
        return geometry_stores::run(shader, context, &info, &words) | was_captured;
    }
    let is_drawn = shader.stage() == Stage::Vertex && context.captures == BackEnd::Storage;
    let outputs_instance = is_drawn && output_instance(shader, context);
    let is_bare = words.is_empty() && forget_lists(shader);
    if !words.is_empty() {
        let buffers = Buffers::new(shader, context, &info, &words);
        if context.captures == BackEnd::Storage {
            // Before the stores, which depend on VertexIndex.
            drawn_vertex::run(shader, context, buffers.state);
        }
        where_done(shader, |b, _| buffers.write(b));
        if context.captures == BackEnd::Compute {
            vertex_to_compute::run(shader, context, buffers.state);
        }
    }
    was_captured || outputs_instance || is_bare || !words.is_empty()
}

/// Replaces the flag for list draws by false in a shader that captures nothing: the draw runs as without transform feedback.
fn forget_lists(shader: &mut Shader) -> bool {
    rewrite(shader, |b, inst| match b.shader.as_intrinsic(inst) {
        Some((Intrinsic::load_is_indexed_draw, _)) => Edit::Replace(b.imm32(0)),
        _ => Edit::Keep,
    })
}

/// Makes a vertex shader output its instance in the draw, because a geometry shader has no such input.
fn output_instance(shader: &mut Shader, context: &Context) -> bool {
    let Some(location) = context.instance_location else { return false };
    let ty = shader.types.vector(AluType::new(Base::Uint, 32), 1);
    let name = shader.strings.add("xfb_instance");
    let var = shader.declare(Variable { driver_location: location, ..Variable::new(name, ty, Modes::SHADER_OUT) });
    where_done(shader, |b, _| {
        let mut instance = b.intrinsic(Intrinsic::load_instance_index, 1, 32, &[]).def();
        // Where the base instance is not available, all draws have 0.
        if context.target.has(Feature::shaderDrawParameters) {
            let first = b.intrinsic(Intrinsic::load_base_instance, 1, 32, &[]).def();
            instance = b.alu(AluOp::isub, &[instance, first]);
        }
        let pointer = b.deref_var(var);
        b.store_deref(pointer, instance, 1, 0);
    });
    true
}

/// Captures the variables that are written to a buffer as a whole. Returns the words of the others.
fn capture_whole(shader: &mut Shader, info: &XfbInfo, outputs: &OutputWords, words: Vec<Word>) -> Vec<Word> {
    let mut left = words;
    let vars: Vec<Var> = shader.vars.ids().collect();
    for var in vars {
        let Some(first) = left.iter().find(|word| word.source.var == var) else { continue };
        let (buffer, offset) = (first.buffer, first.offset);
        let stride = info.buffers.get(buffer as usize).map_or(0, |row| row.stride);
        let wide = shader.types.scalar_of(shader.vars[var].ty).map_or(true, |scalar| scalar.bits != 32);
        let count = left.iter().filter(|word| word.source.var == var).count();
        let is_captured_there = |(source, offset): (&OutputWord, u32)| {
            left.iter().any(|word| (word.buffer, word.offset, &word.source) == (buffer, offset, source))
        };
        let offsets = (0u32..).map(|word| offset.saturating_add(4 * word));
        if !wide && outputs.of(var).count() == count && outputs.of(var).zip(offsets).all(is_captured_there) {
            shader.set_capture(var, Capture { buffer, stride, offset });
            left.retain(|word| word.source.var != var);
        }
    }
    left
}

/// An output that exists only to be captured.
struct Shadow {
    var: Var,
    stream: u32,
    words: Vec<OutputWord>,
}

/// Declares the outputs that `words` are copied to.
fn declare(shader: &mut Shader, info: &XfbInfo, words: Vec<Word>) -> Vec<Shadow> {
    let mut runs: Vec<Vec<Word>> = Vec::new();
    for word in words {
        let follows = |run: &&mut Vec<Word>| {
            let first = &run[0];
            run.len() < 4 && (first.buffer, first.offset + 4 * run.len() as u32) == (word.buffer, word.offset)
        };
        match runs.last_mut().filter(follows) {
            Some(run) => run.push(word),
            None => runs.push(vec![word]),
        }
    }
    // Long runs first: short ones fill the rest of their Locations.
    runs.sort_by_key(|run| 4 - run.len());
    let mut locations = Locations { free: first_free(shader), taken: Vec::new() };
    runs.into_iter().map(|run| shadow(shader, info, &mut locations, run)).collect()
}

fn shadow(shader: &mut Shader, info: &XfbInfo, locations: &mut Locations, run: Vec<Word>) -> Shadow {
    let (buffer, offset) = (run[0].buffer, run[0].offset);
    let row = info.buffers.get(buffer as usize).copied().unwrap_or_default();
    let count = run.len() as u8;
    let (location, component) = locations.take(row.stream, count);
    let ty = shader.types.vector(AluType::new(Base::Uint, 32), count);
    let mut name = String::new();
    let _ = write!(name, "xfb_{buffer}_{offset}");
    let name = shader.strings.add(&name);
    let var = shader.declare(Variable {
        location_frac: component,
        driver_location: location,
        capture: Some(Capture { buffer, stride: row.stride, offset }),
        stream: row.stream,
        ..Variable::new(name, ty, Modes::SHADER_OUT)
    });
    Shadow { var, stream: row.stream, words: run.into_iter().map(|word| word.source).collect() }
}

/// The Locations of shadows.
struct Locations {
    /// The first unused Location.
    free: u32,
    /// The stream of each Location from the first on, and the number of its components that are used.
    taken: Vec<(u32, u32, u8)>,
}

impl Locations {
    /// Allocates `count` components: the Location, and the first component in it.
    fn take(&mut self, stream: u32, count: u8) -> (u32, u8) {
        if let Some((_, location, taken)) = self.taken.iter_mut().find(|row| row.0 == stream && row.2 + count <= 4) {
            let component = *taken;
            *taken += count;
            return (*location, component);
        }
        let location = self.free;
        self.free = self.free.saturating_add(1);
        self.taken.push((stream, location, count));
        (location, 0)
    }
}

/// The first Location after those of all outputs.
fn first_free(shader: &Shader) -> u32 {
    let outputs = shader.vars.values().filter(|v| v.mode == Modes::SHADER_OUT && v.driver_location != NO_LOCATION);
    outputs.map(|v| v.driver_location.saturating_add(shader.types.slots(v.ty))).max().unwrap_or(0)
}

/// Calls `write` where a vertex is complete: with its stream where a geometry shader emits it, without one at the end of
/// another shader.
fn where_done(shader: &mut Shader, mut write: impl FnMut(&mut Builder<'_>, Option<u32>)) {
    let by_vertex = shader.stage() == Stage::Geometry;
    rewrite(shader, |b, inst| {
        match b.shader.as_intrinsic(inst) {
            Some((Intrinsic::emit_vertex, _)) => {
                let stream = b.shader.index(inst, Index::stream_id);
                write(b, Some(stream));
            }
            None if !by_vertex && matches!(b.shader.insts[inst].kind, InstKind::Jump(Jump::Return)) => write(b, None),
            _ => {}
        }
        Edit::Keep
    });
    let last = shader.block_order().next_back();
    if !by_vertex && last.is_some_and(|last| shader.block_jump(last).is_none()) {
        write(&mut Builder::new(shader), None);
    }
}

/// Copies the captured words to the shadows.
fn copy<'s>(b: &mut Builder<'_>, shadows: impl Iterator<Item = &'s Shadow>) {
    let mut loads = Loads::default();
    for shadow in shadows {
        let words: Vec<_> = shadow.words.iter().map(|source| loads.word(b, source)).collect();
        let value = if let [word] = words[..] { word } else { b.vec(&words) };
        let pointer = b.deref_var(shadow.var);
        b.store_deref(pointer, value, (1 << words.len()) - 1, 0);
    }
}
