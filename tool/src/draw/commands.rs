// SPDX-License-Identifier: MIT

//! The commands of a scene: commands of a Gallium context, and probes.
//!
//! Each command is a table with one member, `{ draw = { mesh = "knot" } }`.

use super::formula::Formula;
use super::scene::{Name, Named, Or, Part};
use serde::de::{self, Deserializer, SeqAccess, Unexpected, Visitor};
use serde::Deserialize;
use std::fmt;
use toml::Spanned;

/// A command.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Command {
    /// Sets state, which remains until it is set again.
    Set(Box<Set>),
    Draw(Draw),
    /// Runs the program's compute shader with these numbers of workgroups.
    Dispatch([Formula; 3]),
    Clear(Clear),
    Blit(Blit),
    CopyBuffer(CopyBuffer),
    /// Makes the levels of a texture from the first level.
    Mipmaps(Name),
    /// Writes to a part of a buffer.
    Write(Write),
    BeginQuery(Name),
    EndQuery(Name),
    /// Starts transform feedback to these buffers, from their beginning.
    BeginCapture(Vec<Name>),
    EndCapture(Ended),
    /// Makes all writes visible to all later commands.
    Barrier(Ended),
    Repeat(Repeat),
    Probe(Box<Probe>),
}

/// An empty table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ended {}

/// State to set. State without a value keeps its old value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Set {
    /// The framebuffer. The viewport is set to its size, too.
    pub(crate) framebuffer: Option<Name>,
    pub(crate) program: Option<Name>,
    pub(crate) vertex_elements: Option<Name>,
    /// Meshes and buffers, in the order of their numbers.
    pub(crate) vertex_buffers: Option<Vec<Name>>,
    pub(crate) blend: Option<Name>,
    pub(crate) rasterizer: Option<Name>,
    pub(crate) depth_stencil: Option<Name>,
    /// Left, top, width and height in pixels.
    pub(crate) viewport: Option<[Formula; 4]>,
    /// Left, top, width and height in pixels.
    pub(crate) scissor: Option<[u32; 4]>,
    pub(crate) blend_color: Option<[f32; 4]>,
    pub(crate) stencil_reference: Option<u8>,
    pub(crate) sample_mask: Option<u32>,
    /// The fragment shader runs for at least this number of samples of a pixel.
    pub(crate) min_samples: Option<u32>,
    pub(crate) patch_vertices: Option<u32>,
    /// Uniforms of the program by their names; the program keeps them.
    #[serde(default)]
    pub(crate) uniforms: Named<Spanned<Numbers>>,
    /// A texture and a sampler for each `sampler2D` and so on of the program; the program keeps them.
    #[serde(default)]
    pub(crate) textures: Named<Spanned<[String; 2]>>,
    /// A buffer, or floats, for each uniform block of the program; the program keeps them.
    #[serde(default)]
    pub(crate) blocks: Named<Spanned<BlockSource>>,
    /// A buffer for each storage block of the program; the program keeps them.
    #[serde(default)]
    pub(crate) storage: Named<Name>,
    /// A level of a texture for each image of the program; the program keeps them.
    #[serde(default)]
    pub(crate) images: Named<Spanned<Or<Part>>>,
}

/// A formula, or a list of them.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub(crate) Vec<Formula>);

/// The contents of a uniform block.
#[derive(Clone, Debug)]
pub(crate) enum BlockSource {
    /// A buffer by its name.
    Buffer(String),
    /// Floats.
    Numbers(Vec<Formula>),
}

/// Reads a list of formulas, or converts a value that is not a list.
struct ListOr<T> {
    expected: &'static str,
    list: fn(Vec<Formula>) -> T,
    number: Option<fn(f64) -> T>,
    text: fn(&str) -> Result<T, String>,
}

impl<'de, T> Visitor<'de> for ListOr<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_f64(number as f64)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        let wrong = || E::invalid_type(Unexpected::Float(number), &self.expected);
        self.number.map(|of| of(number)).ok_or_else(wrong)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut all = Vec::new();
        while let Some(formula) = list.next_element()? {
            all.push(formula);
        }
        Ok((self.list)(all))
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Numbers, D::Error> {
        deserializer.deserialize_any(ListOr {
            expected: "a number, a formula or a list of them",
            list: Numbers,
            number: Some(|number| Numbers(vec![Formula::from(number)])),
            text: |text| Ok(Numbers(vec![Formula::parse(text)?])),
        })
    }
}

impl<'de> Deserialize<'de> for BlockSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BlockSource, D::Error> {
        deserializer.deserialize_any(ListOr {
            expected: "the name of a buffer, or a list of numbers",
            list: BlockSource::Numbers,
            number: None,
            text: |name| Ok(BlockSource::Buffer(name.to_string())),
        })
    }
}

/// The topology of primitives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    Points,
    Lines,
    LineStrip,
    #[default]
    Triangles,
    TriangleStrip,
    TriangleFan,
    Patches,
}

/// A draw of one of: the indices of a mesh, `vertices`, the parameters in a buffer, captured vertices, or `workgroups`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draw {
    #[serde(default)]
    pub(crate) mode: Mode,
    pub(crate) mesh: Option<Name>,
    pub(crate) vertices: Option<u32>,
    pub(crate) indirect: Option<Indirect>,
    /// The number of vertices that were captured in this buffer.
    pub(crate) captured: Option<Name>,
    /// The numbers of workgroups of the task shader, or of the mesh shader if there is no task shader.
    pub(crate) workgroups: Option<[Formula; 3]>,
    #[serde(default = "one")]
    pub(crate) instances: u32,
    #[serde(default)]
    pub(crate) first: u32,
    #[serde(default)]
    pub(crate) first_instance: u32,
}

fn one() -> u32 {
    1
}

/// The place of the parameters of draws.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Indirect {
    pub(crate) buffer: Name,
    #[serde(default)]
    pub(crate) offset: u32,
    #[serde(default = "one")]
    pub(crate) draws: u32,
    #[serde(default)]
    pub(crate) stride: u32,
}

/// Clears the framebuffer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Clear {
    /// The colour for all colour targets.
    pub(crate) color: Option<[f32; 4]>,
    pub(crate) depth: Option<f32>,
    pub(crate) stencil: Option<u8>,
}

/// Copies a level of a texture to one of another size, or with fewer samples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Blit {
    pub(crate) from: Or<Part>,
    pub(crate) to: Or<Part>,
    #[serde(default)]
    pub(crate) nearest: bool,
}

/// Copies bytes from one buffer to another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopyBuffer {
    pub(crate) from: Name,
    #[serde(default)]
    pub(crate) from_offset: u32,
    pub(crate) to: Name,
    #[serde(default)]
    pub(crate) to_offset: u32,
    pub(crate) size: u32,
}

/// The contents to write to a buffer, one of `f32` and `u32`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    pub(crate) buffer: Name,
    #[serde(default)]
    pub(crate) offset: u32,
    pub(crate) f32: Option<Vec<Formula>>,
    pub(crate) u32: Option<Vec<Formula>>,
}

/// Repeated commands; formulas have the number of earlier repetitions as `step`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    pub(crate) times: u32,
    pub(crate) commands: Vec<Spanned<Command>>,
}

/// The expected contents of one of a texture, a buffer and a query.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Probe {
    pub(crate) texture: Option<Or<Part>>,
    /// The first pixel, and the size of the rectangle: 1 by 1 by default.
    #[serde(default)]
    pub(crate) at: [u32; 2],
    #[serde(default = "single")]
    pub(crate) size: [u32; 2],
    /// The value of all these pixels.
    pub(crate) rgba: Option<[f32; 4]>,
    /// The first pixel of a rectangle with equal pixels.
    pub(crate) same_as: Option<[u32; 2]>,
    /// The first pixel of a rectangle in which not all pixels are equal.
    pub(crate) other_than: Option<[u32; 2]>,

    pub(crate) buffer: Option<Name>,
    #[serde(default)]
    pub(crate) offset: u32,
    pub(crate) f32: Option<Vec<Formula>>,
    pub(crate) u32: Option<Vec<Formula>>,
    /// A buffer with equal floats.
    pub(crate) same_as_buffer: Option<Name>,

    pub(crate) query: Option<Name>,
    pub(crate) is: Option<u64>,
    pub(crate) at_least: Option<u64>,

    /// The largest allowed difference of numbers.
    #[serde(default = "two_steps")]
    pub(crate) tolerance: f32,
}

fn single() -> [u32; 2] {
    [1, 1]
}

/// Two steps of a byte.
fn two_steps() -> f32 {
    2.1 / 255.0
}
