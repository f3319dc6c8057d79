// SPDX-License-Identifier: MIT

//! The scene format: TOML, read into these types. `docs/scenes.md` is the guide to it.
//!
//! A scene names things (programs, meshes, buffers, textures, states) and lists commands, which are those of a Gallium context.
//! An unknown member is an error, and so is a name without an object; both are reported with their place.

use super::commands::Command;
use super::formula::Formula;
use super::geometry::Generator;
use super::states::{Blend, DepthStencil, Rasterizer, Sampler};
use super::texture::Content;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// A name of something in the scene, with its place.
pub(crate) type Name = Spanned<String>;

/// Things by their names.
pub(crate) type Named<T> = BTreeMap<String, T>;

/// A scene.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scene {
    /// A sentence about the picture.
    pub(crate) about: String,
    /// Width and height of the picture.
    pub(crate) size: [u32; 2],
    /// The texture that is the picture, when all commands are done.
    pub(crate) picture: Name,
    /// The number of frames that make the picture.
    #[serde(default = "one")]
    pub(crate) frames: u32,
    /// Formulas with names.
    #[serde(default)]
    pub(crate) values: Named<Formula>,
    #[serde(default)]
    pub(crate) programs: Named<Program>,
    #[serde(default)]
    pub(crate) meshes: Named<Spanned<Generator>>,
    #[serde(default)]
    pub(crate) buffers: Named<Spanned<BufferContent>>,
    #[serde(default)]
    pub(crate) textures: Named<Texture>,
    #[serde(default)]
    pub(crate) samplers: Named<Sampler>,
    #[serde(default)]
    pub(crate) framebuffers: Named<Framebuffer>,
    #[serde(default)]
    pub(crate) vertex_elements: Named<Vec<Spanned<Or<Element>>>>,
    #[serde(default)]
    pub(crate) blend: Named<Blend>,
    #[serde(default)]
    pub(crate) rasterizer: Named<Rasterizer>,
    #[serde(default)]
    pub(crate) depth_stencil: Named<DepthStencil>,
    /// Kinds of queries.
    #[serde(default)]
    pub(crate) queries: Named<QueryKind>,
    /// The commands that run once.
    #[serde(default)]
    pub(crate) setup: Vec<Spanned<Command>>,
    /// The commands that run for each frame.
    pub(crate) frame: Vec<Spanned<Command>>,
}

impl Scene {
    /// The files that a scene in `folder` names: shaders and pictures.
    pub(crate) fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let shaders =
            self.programs.values().flat_map(|program| &program.stages).map(|name| folder.join(name.get_ref()));
        let pictures = self.textures.values().filter_map(|texture| match texture.content.as_ref()?.get_ref() {
            Content::Png(name) => Some(folder.join(name)),
            _ => None,
        });
        shaders.chain(pictures).collect()
    }
}

/// The stages of a pipeline, or a compute shader.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Program {
    /// Dumps of NIR, each with one shader, next to the scene's file.
    pub(crate) stages: Vec<Name>,
    /// The captures of transform feedback.
    pub(crate) capture: Option<CaptureRequest>,
    /// Storage classes of uniform blocks by their names: `Uniform`, `Storage`, `PushConstant`.
    #[serde(default)]
    pub(crate) placements: Named<Spanned<String>>,
    /// Puts loose uniforms into push constants where they fit.
    #[serde(default)]
    pub(crate) inline_uniforms: bool,
    /// Puts names and lines into the modules, for debuggers.
    #[serde(default)]
    pub(crate) names: bool,
}

/// The captures of transform feedback, and their back end.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CaptureRequest {
    /// Names of outputs and of parts of them, as for `glTransformFeedbackVaryings`.
    pub(crate) varyings: Vec<Name>,
    #[serde(default)]
    pub(crate) mode: CaptureMode,
    /// The captured outputs of the last stage before rasterization: a dump does not have their names.
    pub(crate) outputs: Vec<Output>,
    /// The back end; by default the one that the driver prefers.
    pub(crate) back_end: Option<CaptureBackEnd>,
}

/// The layout of captured varyings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CaptureMode {
    #[default]
    Interleaved,
    Separate,
}

/// The back end of captures: see `ntv::capture::BackEnd`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CaptureBackEnd {
    Extension,
    Storage,
    Compute,
}

/// An output: a variable, or a block.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Output {
    /// The name of the variable, or of the block.
    pub(crate) name: String,
    /// Its location in GLSL, `layout(location = ...)`.
    pub(crate) location: u32,
    /// The type of a variable, such as `vec4` or `float[3]`.
    #[serde(rename = "type")]
    pub(crate) ty: Option<Spanned<String>>,
    /// The members of a block.
    #[serde(default)]
    pub(crate) block: Vec<Member>,
}

/// A member of a block.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) ty: Spanned<String>,
}

/// The contents of a buffer: one of these.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum BufferContent {
    /// This number of zero bytes.
    Size(u64),
    /// Floats. A formula with a vector or a matrix as its value gives all its numbers.
    F32(Vec<Formula>),
    U32(Vec<Formula>),
    I32(Vec<Formula>),
    Rows(Rows),
}

/// Rows of floats, for instances and particles.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rows {
    /// The number of rows; formulas have it as `count`, and the number of the row as `i`.
    pub(crate) count: u32,
    /// The seed of `random`.
    #[serde(default)]
    pub(crate) seed: u64,
    /// The row.
    pub(crate) f32: Vec<Formula>,
}

/// A texture.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texture {
    /// The width and height, and the depth if there is one; by default those of the content or of the picture.
    #[serde(default)]
    pub(crate) size: Vec<u32>,
    /// Vulkan's name in small letters, such as `r8g8b8a8_unorm`.
    #[serde(default = "rgba8")]
    pub(crate) format: Name,
    #[serde(default)]
    pub(crate) dimension: Dimension,
    /// The number of levels, or all possible levels.
    #[serde(default)]
    pub(crate) levels: Levels,
    #[serde(default = "one")]
    pub(crate) layers: u32,
    #[serde(default = "one")]
    pub(crate) samples: u32,
    /// Its content; levels below the first are made from it.
    pub(crate) content: Option<Spanned<Content>>,
}

fn rgba8() -> Name {
    Spanned::new(0..0, "r8g8b8a8_unorm".to_string())
}

fn one() -> u32 {
    1
}

/// The dimensions of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub(crate) enum Dimension {
    #[default]
    #[serde(rename = "2d")]
    Two,
    #[serde(rename = "3d")]
    Three,
    #[serde(rename = "cube")]
    Cube,
    #[serde(rename = "2d_array")]
    TwoArray,
}

/// The number of levels of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Levels {
    #[default]
    One,
    Number(u32),
    All,
}

impl<'de> Deserialize<'de> for Levels {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Levels;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of levels or \"all\"")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Levels, E> {
                let number = u32::try_from(number).ok().filter(|number| (1..=32).contains(number));
                number.map(Levels::Number).ok_or_else(|| E::custom("a texture has 1 to 32 levels"))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Levels, E> {
                match text {
                    "all" => Ok(Levels::All),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The attachments of draws.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Framebuffer {
    #[serde(default)]
    pub(crate) colors: Vec<Spanned<Or<Part>>>,
    pub(crate) depth: Option<Spanned<Or<Part>>>,
    /// The orientation of the picture on the screen: `swap_xy`, `flip_x`, `flip_y`.
    #[serde(default)]
    pub(crate) orientation: Vec<Orientation>,
}

/// A transformation of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Orientation {
    SwapXy,
    FlipX,
    FlipY,
}

/// A level and a layer of a texture.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    pub(crate) texture: Name,
    #[serde(default)]
    pub(crate) level: u32,
    #[serde(default)]
    pub(crate) layer: u32,
}

/// A vertex element that is not a part of a mesh.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Element {
    /// The index of its vertex buffer.
    #[serde(default)]
    pub(crate) buffer: u32,
    pub(crate) format: Name,
    #[serde(default)]
    pub(crate) offset: u32,
    /// The bytes from one vertex or instance to the next.
    pub(crate) stride: u32,
    /// The number of instances for each value; 0 for one value per vertex.
    #[serde(default)]
    pub(crate) divisor: u32,
}

/// The kind of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum QueryKind {
    SamplesPassed,
    PrimitivesGenerated,
    PrimitivesWritten,
    TimeElapsed,
}

/// A name alone, or a table with more members.
#[derive(Clone, Debug)]
pub(crate) enum Or<T> {
    Name(String),
    Table(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Or<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Or<T>, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
            type Value = Or<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or a table")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Or<T>, E> {
                Ok(Or::Name(name.to_string()))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Or<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Or::Table)
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}
