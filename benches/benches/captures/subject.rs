// SPDX-License-Identifier: MIT

//! The measured draws: a vertex shader writes multiples of an attribute, and a fragment shader reads the first of them.

use anyhow::{bail, Result};
use ntv::capture::{self, AttributeFormat, BackEnd, CaptureState, ProvokingVertex, Topology};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::target::Feature;
use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Device, Dispatch, Draw, Drawn, Resource, Resources, Slot, Step};
use std::fmt::Write as _;
use std::time::Duration;

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// Pixels of the picture in each direction.
const SIZE: u32 = 64;

/// The way of capturing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Extension,
    Storage,
    /// A dispatch, and the draw without captures.
    Compute,
    /// No captures: the time of the draw alone.
    Nothing,
}

pub(crate) const WAYS: [Way; 4] = [Way::Extension, Way::Storage, Way::Compute, Way::Nothing];

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Extension => "extension",
            Way::Storage => "storage",
            Way::Compute => "compute",
            Way::Nothing => "nothing",
        }
    }

    /// Whether a device supports it.
    pub(crate) fn is_known(self, target: &Target) -> bool {
        match self {
            Way::Extension => target.has(Feature::transformFeedback),
            Way::Storage => target.has(Feature::vertexPipelineStoresAndAtomics),
            Way::Compute | Way::Nothing => true,
        }
    }
}

/// The primitives of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitives {
    Points,
    Strip,
}

pub(crate) const TOPOLOGIES: [Primitives; 2] = [Primitives::Points, Primitives::Strip];

impl Primitives {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Primitives::Points => "points",
            Primitives::Strip => "triangle strip",
        }
    }

    fn topology(self) -> (Topology, vk::PrimitiveTopology) {
        match self {
            Primitives::Points => (Topology::Points, vk::PrimitiveTopology::POINT_LIST),
            Primitives::Strip => (Topology::TriangleStrip, vk::PrimitiveTopology::TRIANGLE_STRIP),
        }
    }
}

/// The words of all shaders.
pub(crate) struct Modules {
    fragment: Vec<u32>,
    /// Vertex shaders, or a compute shader, by the index of the way in [`WAYS`]; empty if the device does not support the way.
    by_way: [Vec<u32>; 4],
}

impl Modules {
    /// Makes shaders with this number of captured words: a multiple of 4.
    pub(crate) fn new(target: &Target, words: u32, ways: &[Way]) -> Result<Modules> {
        let fragment = translate(target, BackEnd::Extension, fragment()?)?;
        let mut by_way = [(); 4].map(|()| Vec::new());
        for (way, module) in WAYS.iter().zip(&mut by_way).filter(|(way, _)| ways.contains(way)) {
            let back_end = match way {
                Way::Extension | Way::Nothing => BackEnd::Extension,
                Way::Storage => BackEnd::Storage,
                Way::Compute => BackEnd::Compute,
            };
            *module = translate(target, back_end, vertex(words, *way != Way::Nothing)?)?;
        }
        Ok(Modules { fragment, by_way })
    }

    fn of(&self, way: Way) -> &[u32] {
        &self.by_way[way as usize]
    }
}

fn translate(target: &Target, captures: BackEnd, mut shader: Shader) -> Result<Vec<u32>> {
    let Some(format) = AttributeFormat::from_name("R32G32B32A32_SFLOAT") else { bail!("no such format") };
    let attribute = capture::Attribute { location: 0, format, binding: 0, offset: 0, stride: 16, divisor: None };
    let attributes = if captures == BackEnd::Compute { vec![attribute] } else { Vec::new() };
    let options = Options::default().target(target.clone()).captures(captures).attributes(attributes);
    Ok(Translator::new(options).translate(&mut shader, &EmitOptions::default())?.words)
}

/// A shader of straight-line code in which `%0` is 0.
fn shader(stage: &str, header: &str, body: &str) -> Result<Shader> {
    let text = format!(
        "shader: MESA_SHADER_{stage}\nname: captures\n{header}decl_function main () (entrypoint)\n\nimpl main {{\n    \
         block b0:\n    32 %0 = load_const (0x00000000)\n{body}    block b1:\n}}\n"
    );
    Ok(text::parse(&text)?)
}

fn vertex(words: u32, is_captured: bool) -> Result<Shader> {
    let (mut header, mut body) = (String::new(), String::new());
    let store = |value: &str, mask: &str, slot: &str| {
        format!("    @store_output ({value}, %0) (base=0, range=1, wrmask={mask}, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n")
    };
    body += "    32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)\n";
    body += &format!("    32 %2 = load_const (0x3f800000)\n{}{}", store("%2", "x", "PSIZ"), store("%1", "xyzw", "POS"));
    for output in 0..words / 4 {
        let (id, factor) = (3 + 2 * output, ((output + 1) as f32).to_bits());
        writeln!(body, "    32 %{id} = load_const ({factor:#010x})\n    32x4 %{} = fmul %1, %{id}.xxxx", id + 1)?;
        body += &store(&format!("%{}", id + 1), "xyzw", &format!("VAR{output}"));
        if is_captured {
            writeln!(header, "// ntv: xfb=VAR{output}.xyzw:0+{}/{}", 16 * output, 4 * words)?;
        }
    }
    shader("VERTEX", &header, &body)
}

fn fragment() -> Result<Shader> {
    let body = "    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
         32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
         @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n";
    shader("FRAGMENT", "", body)
}

/// A draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) topology: Primitives,
    pub(crate) vertices: u32,
    /// The captured words of a vertex.
    pub(crate) words: u32,
}

impl Subject {
    fn primitives(self) -> u32 {
        self.topology.topology().0.primitives(self.vertices)
    }

    pub(crate) fn captured_bytes(self) -> usize {
        let corners = self.topology.topology().0.vertices_per_primitive();
        self.primitives() as usize * corners as usize * 4 * self.words as usize
    }

    /// Points on a line through the picture, with small steps across: primitives cover few pixels.
    fn attributes(self) -> Vec<u8> {
        let place = |vertex: u32| {
            let along = (vertex as f32 + 0.5) / self.vertices as f32;
            [2. * along - 1., if vertex.is_multiple_of(2) { 0.01 } else { -0.01 }, 0.5, 1.]
        };
        (0..self.vertices).flat_map(place).flat_map(f32::to_le_bytes).collect()
    }

    /// The resources of shaders that write captures themselves.
    fn resources(self, way: Way, attributes: &[u8]) -> Resources {
        if matches!(way, Way::Extension | Way::Nothing) {
            return Resources::new();
        }
        let state = CaptureState {
            is_active: true,
            topology: self.topology.topology().0,
            provoking: ProvokingVertex::First,
            vertices: self.vertices,
            instances: 1,
            primitives_most: self.primitives(),
            ..CaptureState::INACTIVE
        };
        let state = state.dispatch_words(&[0]).iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut resources = Resources::from([
            (slot(STATE_BINDING), Resource::Buffer(state)),
            (slot(BUFFER_BINDING), Resource::Buffer(vec![0; self.captured_bytes()])),
        ]);
        if way == Way::Compute {
            resources.insert(slot(LIST_BINDING), Resource::Buffer(vec![0; 4]));
            resources.insert(slot(VERTEX_BUFFER_BINDING), Resource::Buffer(attributes.to_vec()));
        }
        resources
    }

    /// The captures. The device chooses the order of the corners of a strip's triangles: they are sorted here.
    pub(crate) fn capture(self, device: &Device, modules: &Modules, way: Way) -> Result<Vec<u8>> {
        let attributes = self.attributes();
        let (mut resources, mut drawn) = (self.resources(way, &attributes), Drawn::default());
        self.steps(modules, way, &attributes, (&mut resources, &mut drawn), |steps| device.run(steps))?;
        match (drawn.captures.pop(), resources.remove(&slot(BUFFER_BINDING))) {
            (Some(bytes), _) | (None, Some(Resource::Buffer(bytes))) => Ok(self.sorted(&bytes)),
            _ => bail!("{way:?} has no buffer"),
        }
    }

    /// Sorts the vertices of each primitive.
    fn sorted(self, bytes: &[u8]) -> Vec<u8> {
        let stride = 4 * self.words as usize;
        let corners = self.topology.topology().0.vertices_per_primitive() as usize;
        let primitive = |bytes: &[u8]| {
            let mut rows: Vec<&[u8]> = bytes.chunks(stride).collect();
            rows.sort_unstable();
            rows.concat()
        };
        bytes.chunks(stride * corners).flat_map(primitive).collect()
    }

    /// The time of the draw: the first time, and `times` more.
    pub(crate) fn time(self, device: &Device, modules: &Modules, way: Way, times: u32) -> Result<Vec<Duration>> {
        let attributes = self.attributes();
        let (mut resources, mut drawn) = (self.resources(way, &attributes), Drawn::default());
        let all = (&mut resources, &mut drawn);
        Ok(self.steps(modules, way, &attributes, all, |steps| device.time_steps(steps, 1 + times))?)
    }

    fn steps<T>(
        self,
        modules: &Modules,
        way: Way,
        attributes: &[u8],
        (resources, drawn): (&mut Resources, &mut Drawn),
        act: impl FnOnce(&mut [Step<'_>]) -> T,
    ) -> T {
        let draws_with = if way == Way::Compute { Way::Nothing } else { way };
        let (captures, input) = (
            [self.captured_bytes()],
            [Attribute { location: 0, format: FORMAT, bytes: attributes, per_instance: false }],
        );
        let stages = [modules.of(draws_with), &modules.fragment];
        let attachments = [Attachment { format: FORMAT, clear: vec![0; 16] }];
        let draw = Draw {
            modules: &stages,
            topology: self.topology.topology().1,
            vertices: self.vertices,
            attributes: &input,
            size: [SIZE; 2],
            attachments: &attachments,
            captures: if way == Way::Extension { &captures } else { &[] },
            ..Draw::default()
        };
        if way != Way::Compute {
            return act(&mut [Step::Draw(draw, resources, drawn)]);
        }
        let groups = [self.vertices.div_ceil(64), 1, 1];
        let dispatch = Dispatch { module: modules.of(way), groups, push_constants: &[] };
        act(&mut [Step::Dispatch(dispatch, resources), Step::Draw(draw, &mut Resources::new(), drawn)])
    }
}

/// The set and binding of a storage block.
fn slot(binding: u32) -> Slot {
    Slot { set: 3, binding, element: 0 }
}
