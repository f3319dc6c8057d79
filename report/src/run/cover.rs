// SPDX-License-Identifier: MIT

//! A draw of a fragment shader without other stages: it covers the targets.
//!
//! Its inputs are functions of the place: `(x, y, 0, 1)`, with x from 0 at the left to 1 at the right, and y from 0 at the top to 1 at the
//! bottom. Inputs that are flat, or are integers, are 0. The interpreter runs the quads of the picture; a device draws with a vertex
//! shader of these outputs.

use super::inputs::DrawInput;
use anyhow::{ensure, Result};
use ntv::ir::{Stage, TypeData, NO_LOCATION};
use ntv::op::names::{varying, InterpMode};
use ntv::op::{AluType, Base, Intrinsic, Modes};
use ntv::{text, EmitOptions, Options, Shader, Translator};
use ntv_interp::draw::Drawn;
use ntv_interp::{Invocation, Limits, Resources, Slot};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The number of vertices that a device draws.
pub const VERTICES: u32 = 3;

/// An input of a fragment shader.
struct Input {
    slot: u32,
    location: u32,
    base: Base,
    /// Whether it depends on the place.
    is_smooth: bool,
}

/// Whether a draw of `shaders` needs this.
pub fn is_needed(shaders: &[Shader]) -> bool {
    matches!(shaders, [shader] if shader.stage() == Stage::Fragment)
}

/// The inputs of a shader after its translation: one for each of their slots.
fn inputs(lowered: &Shader) -> BTreeMap<u32, Input> {
    let mut all = BTreeMap::new();
    for variable in lowered.vars.values().filter(|it| it.mode == Modes::SHADER_IN && it.driver_location != NO_LOCATION)
    {
        let element = lowered.types.get(lowered.types.without_arrays(variable.ty));
        let base = match element {
            TypeData::Scalar(AluType { base, .. }) | TypeData::Vector(AluType { base, .. }, _) => base,
            _ => Base::Float,
        };
        let is_smooth = variable.interp != InterpMode::flat && base == Base::Float;
        let first = variable.location.unwrap_or(varying::VAR0);
        for number in 0..lowered.types.slots(variable.ty).min(varying::END) {
            let (slot, location) = (first.saturating_add(number), variable.driver_location.saturating_add(number));
            all.insert(location, Input { slot, location, base, is_smooth });
        }
    }
    all
}

/// Draws with the interpreter.
pub(super) fn draw(shader: &Shader, draw: &DrawInput, resources: &mut Resources, limits: Limits) -> Result<Drawn> {
    let mut lowered = shader.clone();
    Translator::new(Options::default()).translate(&mut lowered, &EmitOptions::default())?;
    let inputs = inputs(&lowered);
    let [width, height] = draw.size;
    let mut drawn = Drawn::default();
    let mut left = limits.instructions;
    for top in (0..height).step_by(2) {
        let pixels: Vec<[u32; 2]> =
            (0..width).step_by(2).flat_map(|x| [[x, top], [x + 1, top], [x, top + 1], [x + 1, top + 1]]).collect();
        let invocations = pixels.iter().map(|pixel| invocation(&inputs, *pixel, draw.size)).collect();
        let given = ntv_interp::Inputs { invocations, ..ntv_interp::Inputs::default() };
        let outcome = ntv_interp::run(shader, resources, &given, Limits { instructions: left, ..limits });
        left = left.saturating_sub(outcome.instructions);
        let has_faults = !outcome.faults.is_empty();
        drawn.faults.extend(outcome.faults.into_iter().map(|fault| (0, fault)));
        // The quads at the edge of a picture with an odd size have pixels beside it.
        let written = pixels.into_iter().zip(outcome.outputs).zip(outcome.discarded);
        let inside = written.filter(|(([x, y], _), discarded)| *x < width && *y < height && !discarded);
        drawn.fragments.extend(inside.map(|(fragment, _)| fragment));
        // One row shows the faults of all.
        if has_faults {
            break;
        }
    }
    Ok(drawn)
}

/// The invocation for a pixel.
fn invocation(inputs: &BTreeMap<u32, Input>, pixel: [u32; 2], size: [u32; 2]) -> Invocation {
    let middle = pixel.map(|c| c as f32 + 0.5);
    let place = [middle[0] / size[0] as f32, middle[1] / size[1] as f32, 0.0, 1.0].map(f32::to_bits);
    let value = |input: &Input| (Slot::new(input.slot), if input.is_smooth { place } else { [0; 4] });
    let one = |op, value: u32| (op, vec![u64::from(value)]);
    let coordinates = [middle[0], middle[1], 0.0, 1.0].map(f32::to_bits);
    Invocation {
        // gl_FragCoord is a system value, or a variable.
        slots: inputs.values().map(value).chain([(Slot::new(varying::POS), coordinates)]).collect(),
        system: BTreeMap::from([
            one(Intrinsic::load_front_face, 1),
            one(Intrinsic::load_primitive_id, 0),
            one(Intrinsic::load_sample_id, 0),
            one(Intrinsic::load_sample_mask_in, 1),
            (Intrinsic::load_frag_coord, coordinates.map(u64::from).to_vec()),
        ]),
        ..Invocation::default()
    }
}

/// The vertex shader with which a device draws a fragment shader that was translated: a triangle that covers the targets.
///
/// # Errors
/// The fragment shader has an input of 64 bits or of more slots than there are.
pub fn vertex_shader(lowered: &Shader) -> Result<Shader> {
    let inputs = inputs(lowered);
    ensure!(
        inputs.keys().all(|location| *location < varying::PATCH0 - varying::VAR0),
        "too many inputs for a draw without a vertex shader"
    );
    let mut text = String::from("shader: MESA_SHADER_VERTEX\n// ntv: locations=declared\n");
    text += "decl_var shader_out INTERP_MODE_NONE none vec4 position (VARYING_SLOT_POS.xyzw, 0, 0)\n";
    for Input { location, base, is_smooth, .. } in inputs.values() {
        let interp = if *is_smooth { "NONE" } else { "FLAT" };
        let ty = vector(*base);
        let _ = writeln!(
            text,
            "decl_var shader_out INTERP_MODE_{interp} none {ty} out{location} (VARYING_SLOT_VAR{location}.xyzw, {location}, 0)"
        );
    }
    text += VERTEX;
    for (number, Input { location, base, is_smooth, .. }) in (0..).zip(inputs.values()) {
        let (deref, value) = (FIRST_FREE + number, if *is_smooth { "%11" } else { "%17" });
        let _ = writeln!(text, "    32   %{deref} = deref_var &out{location} (shader_out {})", vector(*base));
        let _ = writeln!(text, "         @store_deref (%{deref}, {value}) (wrmask=xyzw, access=none)");
    }
    text += "    // succs: b1\n    block b1:\n}\n";
    Ok(text::parse(&text)?)
}

/// The type of an output for an input of numbers of a base.
fn vector(base: Base) -> &'static str {
    match base {
        Base::Int => "ivec4",
        Base::Uint => "uvec4",
        _ => "vec4",
    }
}

/// The number of the first value after those of [`VERTEX`].
const FIRST_FREE: u32 = 19;

/// `%11` is the place, which reaches 2 beyond the picture; `%16` is its position; `%17` is 0.
const VERTEX: &str = "decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = @load_vertex_id
    32     %1 = load_const (0x00000001)
    32     %2 = iand %0, %1
    32     %3 = ushr %0, %1
    32     %4 = u2f32 %2
    32     %5 = u2f32 %3
    32     %6 = load_const (0x40000000 = 2.000000)
    32     %7 = fmul %4, %6
    32     %8 = fmul %5, %6
    32     %9 = load_const (0x00000000)
    32    %10 = load_const (0x3f800000 = 1.000000)
    32x4  %11 = vec4 %7, %8, %9, %10
    32    %12 = load_const (0xbf800000 = -1.000000)
    32    %13 = ffma %7, %6, %12
    32    %14 = ffma %8, %6, %12
    32x4  %16 = vec4 %13, %14, %9, %10
    32x4  %17 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)
    32    %18 = deref_var &position (shader_out vec4)
          @store_deref (%18, %16) (wrmask=xyzw, access=none)
";
