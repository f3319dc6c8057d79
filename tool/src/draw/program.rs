// SPDX-License-Identifier: MIT

//! Programs of a scene: their shaders, and the GLSL names of their uniforms, textures and blocks.
//!
//! NIR keeps those names with the slot numbers of the driver:
//!
//! | in NIR | in a scene |
//! |-|-|
//! | `decl_var uniform none mat4 model (1, 16, 0)` | `uniforms = { model = .. }`: 16 words from word 16 of constant buffer 0 on |
//! | `decl_var uniform none sampler2D albedo (2, 0, 0)` | `textures = { albedo = .. }`: sampler view and sampler 0 |
//! | `decl_var ubo none Lights lights (0, 1, 1)` | `blocks = { lights = .. }`: constant buffer 1 |
//! | `decl_var ssbo none Field field (0, 0, 0)` | `storage = { field = .. }`: shader buffer 0 |
//! | `decl_var image none image2D before (0, 0, 0)` | `images = { before = .. }`: shader image 0 |

use super::load::SceneError;
use super::scene::{self, CaptureBackEnd, CaptureMode, CaptureRequest};
use crate::names::unknown;
use ntv::capture::{self, BackEnd, BufferMode, Output, Request, XfbLimits};
use ntv::ir::{TypeData, Variable};
use ntv::module::ShaderStage;
use ntv::op::names::varying;
use ntv::op::{Base, Modes};
use ntv::Shader;
use std::fs;
use std::path::Path;
use toml::Spanned;

/// The kind of a name of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A uniform: the number of its 32-bit words, and their type.
    Uniform(u32, Base),
    Texture,
    Block,
    Storage,
    Image,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Uniform(..) => "uniform",
            Kind::Texture => "texture",
            Kind::Block => "uniform block",
            Kind::Storage => "storage block",
            Kind::Image => "image",
        }
    }
}

/// A name of a stage.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) stage: ShaderStage,
    pub(crate) kind: Kind,
    /// The slot, or the first word of a uniform.
    pub(crate) at: u32,
}

/// A program.
#[derive(Debug)]
pub(crate) struct Program {
    /// The stages, in the order of the pipeline.
    pub(crate) shaders: Vec<(ShaderStage, Shader)>,
    /// The names of its resources.
    pub(crate) symbols: Vec<Symbol>,
    /// The back end of captures, if the scene sets it.
    pub(crate) back_end: Option<BackEnd>,
    /// The storage classes of uniform blocks, by their numbers.
    pub(crate) classes: Vec<(u32, ntv::plan::Class)>,
}

impl Program {
    /// Reads the dumps of a program of the scene in `folder`.
    pub(crate) fn read(program: &scene::Program, folder: &Path) -> Result<Program, Vec<SceneError>> {
        let (mut shaders, mut errors) = (Vec::new(), Vec::new());
        for name in &program.stages {
            match read_stage(&folder.join(name.get_ref())) {
                Ok(shader) => shaders.push(shader),
                Err(message) => errors.push(SceneError::at(name, message)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        // Task and mesh shaders have the highest numbers.
        shaders.sort_by_key(|(stage, _)| (*stage == ShaderStage::Fragment, *stage as usize));
        if let (Some(name), true) = (program.stages.first(), shaders.windows(2).any(|pair| pair[0].0 == pair[1].0)) {
            return Err(vec![SceneError::at(name, "a stage is there twice")]);
        }
        let symbols = shaders.iter().flat_map(|(stage, shader)| symbols(*stage, shader)).collect();
        let mut own = Program { shaders, symbols, back_end: None, classes: Vec::new() };
        if let Some(request) = &program.capture {
            own.capture(request).map_err(|error| vec![error])?;
        }
        for (block, class) in &program.placements {
            let parsed = class.get_ref().parse().map_err(|message: String| vec![SceneError::at(class, message)])?;
            let found = own.find(Kind::Block, block).map_err(|message| vec![SceneError::at(class, message)])?;
            let numbers: Vec<u32> = found.map(|symbol| symbol.at).collect();
            own.classes.extend(numbers.into_iter().map(|number| (number, parsed)));
        }
        own.classes.dedup();
        Ok(own)
    }

    /// Adds captures to the last stage before rasterization.
    fn capture(&mut self, request: &CaptureRequest) -> Result<(), SceneError> {
        let whole = |problem: String| match request.varyings.first() {
            Some(name) => SceneError::at(name, problem),
            None => SceneError::whole(problem),
        };
        let outputs: Vec<Output> = request.outputs.iter().map(output).collect::<Result<_, _>>()?;
        let mode = match request.mode {
            CaptureMode::Interleaved => BufferMode::Interleaved,
            CaptureMode::Separate => BufferMode::Separate,
        };
        let asked = Request::varyings(request.varyings.iter().map(|name| name.get_ref().as_str()), mode);
        let plan = capture::plan_captures(&outputs, &asked, &XfbLimits::default())
            .map_err(|error| whole(error.to_string()))?;
        let last = self.shaders.iter_mut().rfind(|(stage, _)| *stage < ShaderStage::Fragment);
        let (_, shader) = last.ok_or_else(|| whole("no stage is before rasterization".to_string()))?;
        shader.xfb_info = plan;
        self.back_end = request.back_end.map(|back_end| match back_end {
            CaptureBackEnd::Extension => BackEnd::Extension,
            CaptureBackEnd::Storage => BackEnd::Storage,
            CaptureBackEnd::Compute => BackEnd::Compute,
        });
        Ok(())
    }

    /// Whether it is a compute shader.
    pub(crate) fn is_compute(&self) -> bool {
        self.shaders.iter().any(|(stage, _)| *stage == ShaderStage::Compute)
    }

    /// Whether a mesh shader makes its primitives.
    pub(crate) fn has_meshes(&self) -> bool {
        self.shaders.iter().any(|(stage, _)| *stage == ShaderStage::Mesh)
    }

    /// The symbols with this name in each stage that has it; the number of words of a uniform does not matter.
    pub(crate) fn find<'a>(&'a self, kind: Kind, name: &'a str) -> Result<impl Iterator<Item = &'a Symbol>, String> {
        let same = move |symbol: &Symbol| std::mem::discriminant(&symbol.kind) == std::mem::discriminant(&kind);
        if !self.symbols.iter().any(|symbol| same(symbol) && symbol.name == name) {
            let names = self.symbols.iter().filter(|symbol| same(symbol)).map(|symbol| symbol.name.as_str());
            return Err(unknown(kind.name(), name, names));
        }
        Ok(self.symbols.iter().filter(move |symbol| same(symbol) && symbol.name == name))
    }

    /// The number of words of the loose uniforms of a stage.
    pub(crate) fn uniform_words(&self, stage: ShaderStage) -> u32 {
        let own = self.symbols.iter().filter(|symbol| symbol.stage == stage);
        let ends = own.filter_map(|symbol| match symbol.kind {
            Kind::Uniform(words, _) => Some(symbol.at + words),
            _ => None,
        });
        // Shaders load whole vec4s.
        ends.max().unwrap_or(0).next_multiple_of(4)
    }
}

/// The shader in a dump.
fn read_stage(path: &Path) -> Result<(ShaderStage, Shader), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let shader = ntv::text::parse(&text).map_err(|errors| format!("{}: {errors}", path.display()))?;
    let name = shader.stage().name().trim_start_matches("MESA_SHADER_").to_lowercase();
    let stage = ShaderStage::ALL.into_iter().find(|stage| stage.name().eq_ignore_ascii_case(&name));
    Ok((stage.ok_or_else(|| format!("{}: scenes have no {name} shaders", path.display()))?, shader))
}

/// The named resources of a stage.
fn symbols(stage: ShaderStage, shader: &Shader) -> Vec<Symbol> {
    let symbol = |variable: &Variable| {
        let kind = if variable.mode == Modes::UNIFORM {
            match shader.types.get(shader.types.without_arrays(variable.ty)) {
                TypeData::Texture { .. } | TypeData::Sampler { .. } => Kind::Texture,
                _ => Kind::Uniform(shader.types.num_scalars(variable.ty)?, shader.types.scalar_of(variable.ty)?.base),
            }
        } else if variable.mode == Modes::UBO {
            Kind::Block
        } else if variable.mode == Modes::SSBO {
            Kind::Storage
        } else if variable.mode == Modes::IMAGE {
            Kind::Image
        } else {
            return None;
        };
        // Block 0 has the loose uniforms, if there are some; -1 is the number of unused variables.
        let is_loose = kind == Kind::Block && variable.driver_location == 0 && shader.info.first_ubo_is_default_ubo;
        if is_loose || variable.driver_location == u32::MAX {
            return None;
        }
        let name = shader.strings[variable.name].to_string();
        Some(Symbol { name, stage, kind, at: variable.driver_location })
    };
    shader.vars.iter().filter_map(|(_, variable)| symbol(variable)).collect()
}

/// The frontend's description of an output.
fn output(output: &scene::Output) -> Result<Output, SceneError> {
    let ty = match &output.ty {
        Some(name) => ty(name)?,
        None => {
            let members: Vec<capture::Member> = output
                .block
                .iter()
                .map(|member| Ok(capture::Member::new(member.name.clone(), ty(&member.ty)?)))
                .collect::<Result<_, SceneError>>()?;
            capture::OutputType::Block(members)
        }
    };
    // The plan checks that such a slot exists.
    Ok(Output::new(output.name.clone(), ty, varying::VAR0.saturating_add(output.location)))
}

/// A type by its name in GLSL: `float`, `vec3`, `mat4`, `ivec2[5]`.
fn ty(name: &Spanned<String>) -> Result<capture::OutputType, SceneError> {
    let wrong = || SceneError::at(name, format!("`{}` is not a type that can be captured", name.get_ref()));
    let (stem, lengths) = name.get_ref().split_once('[').unwrap_or((name.get_ref(), ""));
    let (base, rest) = match stem {
        "float" => (capture::ScalarType::Float, "vec1"),
        "int" => (capture::ScalarType::Int, "vec1"),
        "uint" => (capture::ScalarType::Uint, "vec1"),
        "double" => (capture::ScalarType::Double, "vec1"),
        _ => match stem.as_bytes().first() {
            Some(b'i') => (capture::ScalarType::Int, &stem[1..]),
            Some(b'u') => (capture::ScalarType::Uint, &stem[1..]),
            Some(b'd') => (capture::ScalarType::Double, &stem[1..]),
            _ => (capture::ScalarType::Float, stem),
        },
    };
    let number = |text: &str| text.parse::<u8>().ok().filter(|number| (1..=4).contains(number));
    let whole = match (rest.strip_prefix("vec"), rest.strip_prefix("mat")) {
        (Some(rows), _) => number(rows).map(|rows| capture::OutputType::vector(base, rows)),
        (_, Some(size)) => {
            let (columns, rows) = size.split_once('x').unwrap_or((size, size));
            number(columns).zip(number(rows)).map(|(columns, rows)| capture::OutputType::matrix(base, columns, rows))
        }
        _ => None,
    };
    let mut ty = whole.ok_or_else(wrong)?;
    // The last length of `[2][3]` is the innermost.
    let lengths = lengths.strip_suffix(']').unwrap_or(lengths);
    for length in lengths.rsplit("][").filter(|length| !length.is_empty()) {
        ty = ty.array(length.parse().map_err(|_| wrong())?);
    }
    Ok(ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ntv::capture::OutputType;

    #[test]
    fn types_have_their_names_in_glsl() {
        let named = |name: &str| ty(&Spanned::new(0..0, name.to_string()));
        assert_eq!(named("float"), Ok(OutputType::scalar(capture::ScalarType::Float)));
        assert_eq!(named("ivec3"), Ok(OutputType::vector(capture::ScalarType::Int, 3)));
        assert_eq!(named("mat2x3"), Ok(OutputType::matrix(capture::ScalarType::Float, 2, 3)));
        assert_eq!(named("dmat4"), Ok(OutputType::matrix(capture::ScalarType::Double, 4, 4)));
        assert_eq!(named("vec4[2][3]"), Ok(OutputType::vector(capture::ScalarType::Float, 4).array(3).array(2)));
        for wrong in ["", "vec", "vec5", "sampler2D", "float[x]", "mat9x9"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
    }
}
