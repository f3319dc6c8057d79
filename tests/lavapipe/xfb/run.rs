// SPDX-License-Identifier: MIT

//! A draw of a program with each back end, and the contents of the buffers.

use super::draw::{Case, Vertices, NOTHING, NUMBERS};
use super::program::Program;
use super::wish::Wish;
use crate::gpu::{from_bytes, read, ssbo, words, Gpu};
use crate::stages::shader;
use crate::support;
use ntv::capture::{plan_captures, Attribute as PulledAttribute, AttributeFormat, BackEnd, XfbInfo, XfbLimits};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, VERTEX_BUFFER_BINDING};
use ntv::{EmitOptions, Options, Translator};
use ntv_driver::headless::{vk, Attribute, Draw, Indices, Resource, Resources};

/// Limits that no request exceeds.
const LIMITS: XfbLimits = XfbLimits {
    max_interleaved_components: 512,
    max_separate_attribs: 4,
    max_separate_components: 512,
    max_buffers: 4,
};

/// The contents of each buffer.
type Buffers = [Vec<u32>; 4];

/// The plan of `wish`.
pub(super) fn planned(program: &Program, wish: &Wish) -> Result<XfbInfo, String> {
    plan_captures(&program.outputs, &wish.request, &LIMITS).map_err(|error| format!("no plan: {error}"))
}

/// The modules of a program with captures.
pub(super) struct Modules<'a> {
    program: &'a Program,
    wish: &'a Wish,
    /// The module that captures during the draw fetches attributes itself.
    pulls: bool,
    by_back_end: Vec<(BackEnd, Vec<u32>)>,
}

impl<'a> Modules<'a> {
    /// Plans and translates, and checks the plan's buffers.
    pub(super) fn new(gpu: &Gpu, program: &'a Program, wish: &'a Wish, pulls: bool) -> Result<Modules<'a>, String> {
        let info = planned(program, wish)?;
        for (buffer, stride) in wish.strides.iter().enumerate() {
            let planned = info.buffers[buffer];
            if planned.is_used != (*stride != 0) || planned.is_used && planned.stride != *stride {
                return Err(format!("buffer {buffer} is planned as {planned:?}, its stride is {stride}"));
            }
        }
        let (header, body) = program.shader(&info);
        let shader = shader("VERTEX", &header, &body);
        let module = |captures: BackEnd| {
            let attributes = match captures {
                BackEnd::Extension => Vec::new(),
                BackEnd::Storage if !pulls => Vec::new(),
                BackEnd::Storage | BackEnd::Compute => vec![attribute(0, None), attribute(1, Some(1))],
            };
            let options = Options::default().target(gpu.target().clone()).captures(captures).attributes(attributes);
            let module = Translator::new(options).translate(&mut shader.clone(), &EmitOptions::default());
            Ok((captures, module.map_err(|errors| format!("{captures:?}: {errors}"))?.words))
        };
        let by_back_end = [BackEnd::Extension, BackEnd::Storage, BackEnd::Compute].map(module);
        let by_back_end = by_back_end.into_iter().collect::<Result<_, String>>()?;
        Ok(Modules { program, wish, pulls, by_back_end })
    }

    /// Validates the modules.
    pub(super) fn validate(&self, gpu: &Gpu) -> Result<(), String> {
        self.by_back_end.iter().try_for_each(|(back_end, module)| {
            support::spirv_val(module, gpu.target()).map_err(|problem| format!("{back_end:?}: {problem}"))
        })
    }

    /// Checks the captures of all back ends for a draw.
    pub(super) fn check(&self, gpu: &Gpu, case: &Case) -> Result<(), String> {
        let Modules { program, wish, pulls, .. } = *self;
        for (back_end, module) in &self.by_back_end {
            let (found, nothing) = match back_end {
                BackEnd::Extension => match extension(gpu, program, wish, case, module) {
                    Some(found) => (found, 0),
                    None => continue,
                },
                BackEnd::Storage => (stored(gpu, program, wish, case, (module, pulls)), NOTHING),
                BackEnd::Compute => (dispatched(gpu, wish, case, module), NOTHING),
            };
            let messages = gpu.take_messages();
            if !messages.is_empty() {
                return Err(format!("{back_end:?}: messages of the validation layer:\n{}", messages.join("\n")));
            }
            let want = case.model(program, wish, nothing);
            if found != want {
                return Err(format!("{back_end:?} captures{}", difference(&found, &want)));
            }
        }
        Ok(())
    }
}

/// The first words that differ.
fn difference(found: &Buffers, want: &Buffers) -> String {
    let mut text = String::new();
    for (buffer, (found, want)) in found.iter().zip(want).enumerate() {
        let differ = |at: &usize| found.get(*at) != want.get(*at);
        let word = |words: &[u32], at: usize| words.get(at).map_or("none".into(), |word| format!("{word:08x}"));
        for at in (0..found.len().max(want.len())).filter(differ).take(8) {
            text += &format!("\n  buffer {buffer}, word {at}: {}, not {}", word(found, at), word(want, at));
        }
    }
    text
}

fn attribute(number: u32, divisor: Option<u32>) -> PulledAttribute {
    let format = AttributeFormat::from_name("R32_UINT").expect("a format");
    PulledAttribute { location: number, format, binding: number, offset: 0, stride: 4, divisor }
}

/// The attributes: the number of the vertex, or of the instance.
fn numbers() -> Vec<u8> {
    support::bytes(&(0..NUMBERS).collect::<Vec<u32>>())
}

/// A draw without pictures.
fn draw<'a>(modules: &'a [&'a [u32]], case: &Case, attributes: &'a [Attribute<'a>]) -> Draw<'a> {
    let (first, vertices) = match &case.vertices {
        Vertices::Array { first, count } => (*first, *count),
        Vertices::Indexed { indices, first, .. } => (*first, indices.len() as u32 - first),
    };
    Draw {
        modules,
        vertices,
        first: [first, case.first_instance],
        instances: case.instances,
        attributes,
        size: [1, 1],
        discard: true,
        ..Draw::default()
    }
}

/// The attributes that vertex fetch reads.
fn fetched<'a>(program: &Program, bytes: &'a [u8]) -> Vec<Attribute<'a>> {
    let format = vk::Format::R32_UINT;
    let attribute = |location, per_instance| Attribute { location, format, bytes, per_instance };
    match program.reads_attributes {
        true => vec![attribute(0, false), attribute(1, true)],
        false => Vec::new(),
    }
}

/// The captures of the extension; nothing if Vulkan has no such draw, or there is no space left after earlier captures.
fn extension(gpu: &Gpu, program: &Program, wish: &Wish, case: &Case, module: &[u32]) -> Option<Buffers> {
    let topology = case.drawn_as()?;
    let last = wish.strides.iter().rposition(|stride| *stride != 0).map_or(0, |last| last + 1);
    let (mut sizes, mut margins) = (Vec::new(), Vec::new());
    for buffer in 0..last {
        let before = wish.strides[buffer] * case.corners() * case.before;
        let size = case.sizes[buffer].checked_sub(before).filter(|size| *size != 0)?;
        sizes.push(size as usize);
        let [first, after] = case.margins[buffer];
        margins.push([(4 * first + before) as usize, 4 * after as usize]);
    }
    let numbers = numbers();
    let attributes = fetched(program, &numbers);
    let mut bytes = Vec::new();
    let indices = match &case.vertices {
        Vertices::Array { .. } => None,
        Vertices::Indexed { indices, bytes: size, restart, base_vertex, .. } => {
            indices.iter().for_each(|index| bytes.extend_from_slice(&index.to_le_bytes()[..*size]));
            let ty = match size {
                1 => vk::IndexType::UINT8_EXT,
                2 => vk::IndexType::UINT16,
                _ => vk::IndexType::UINT32,
            };
            Some(Indices { ty, bytes: &bytes, restart: *restart, base_vertex: *base_vertex as i32 })
        }
    };
    let modules = [module];
    let draw = Draw {
        topology,
        provoking_last: case.provoking == ntv::capture::ProvokingVertex::Last,
        indices,
        captures: &sizes,
        capture_margins: &margins,
        ..draw(&modules, case, &attributes)
    };
    let captures = gpu.draw(&draw, &mut Resources::new()).captures;
    Some([0, 1, 2, 3].map(|buffer| match wish.strides[buffer] {
        0 => Vec::new(),
        _ => from_bytes(&captures[buffer]),
    }))
}

/// The resources of a shader that writes captures itself.
fn resources(wish: &Wish, case: &Case, pulls: bool) -> Resources {
    let mut resources = Resources::new();
    let state = case.state(wish);
    resources.insert(ssbo(STATE_BINDING), words(&state.dispatch_words(&case.skipped)));
    let list = if state.list.is_some() { [&[NOTHING; 2], &case.list()[..]].concat() } else { vec![NOTHING] };
    resources.insert(ssbo(LIST_BINDING), words(&list));
    for (buffer, binding) in (0..4).zip(BUFFER_BINDING..) {
        if wish.strides[buffer] != 0 {
            let count = case.margins[buffer].iter().sum::<u32>() + case.sizes[buffer] / 4;
            resources.insert(ssbo(binding), words(&vec![NOTHING; count as usize]));
        }
    }
    if pulls {
        for (binding, skipped) in (VERTEX_BUFFER_BINDING..).zip(case.skipped) {
            let mut bytes = [&vec![0xee; skipped as usize], &numbers()[..]].concat();
            bytes.resize(bytes.len().next_multiple_of(4), 0xee);
            resources.insert(ssbo(binding), Resource::Buffer(bytes));
        }
    }
    resources
}

/// The captures of such a shader.
fn captured(wish: &Wish, resources: &Resources) -> Buffers {
    [0, 1, 2, 3].map(|buffer: u32| match wish.strides[buffer as usize] {
        0 => Vec::new(),
        _ => read(resources, ssbo(BUFFER_BINDING + buffer)),
    })
}

fn stored(gpu: &Gpu, program: &Program, wish: &Wish, case: &Case, (module, pulls): (&[u32], bool)) -> Buffers {
    let mut resources = resources(wish, case, pulls);
    let numbers = numbers();
    let attributes = if pulls { Vec::new() } else { fetched(program, &numbers) };
    let state = case.state(wish);
    let drawn = Case { topology: state.topology, ..case.clone() };
    let modules = [module];
    // Vulkan has no line loops: the shader computes the line that closes them.
    let draw = Draw {
        topology: drawn.drawn_as().unwrap_or(vk::PrimitiveTopology::LINE_STRIP),
        vertices: state.vertices,
        first: [state.first_vertex, state.first_instance],
        ..draw(&modules, case, &attributes)
    };
    gpu.draw(&draw, &mut resources);
    captured(wish, &resources)
}

fn dispatched(gpu: &Gpu, wish: &Wish, case: &Case, module: &[u32]) -> Buffers {
    let mut resources = resources(wish, case, true);
    let state = case.state(wish);
    gpu.dispatch(module, [state.vertices.div_ceil(64), state.instances, 1], &mut resources);
    captured(wish, &resources)
}
