// SPDX-License-Identifier: MIT

//! The inputs of `ntv run`: JSON, as `docs/formats.md` describes it.

use super::invocations::InvocationInput;
use super::textures::{self, ImageInput};
use anyhow::{anyhow, bail, ensure, Context, Result};
use ntv_interp::{Sampler, Texture};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::rc::Rc;

/// The set and binding of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The element of an array of descriptors.
    pub element: u32,
}

/// The topology of primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Points.
    Points,
    /// Separate lines.
    Lines,
    /// Separate triangles.
    Triangles,
    /// Triangles that share edges.
    TriangleStrip,
    /// Patches of control points.
    Patches,
}

/// The inputs of shaders.
pub struct Inputs {
    /// What runs.
    pub work: Work,
    /// The bytes of the push constants.
    pub push_constants: Vec<u8>,
    /// Uniform and storage buffers, and those that are found by address.
    pub buffers: Vec<(Slot, Data)>,
    /// The addresses in buffers.
    pub pointers: Vec<Pointer>,
    /// Textures.
    pub textures: Vec<(Slot, Texture)>,
    /// Samplers.
    pub samplers: Vec<(Slot, Sampler)>,
    /// Storage images.
    pub images: Vec<ImageInput>,
}

/// An address of 64 bits in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    /// The buffer that has the address.
    pub slot: Slot,
    /// Its byte there.
    pub offset: usize,
    /// The buffer to whose first byte it points.
    pub to: Slot,
}

/// The work of the shaders.
pub enum Work {
    /// The numbers of workgroups in x, y, z.
    Dispatch([u32; 3]),
    /// A draw.
    Draw(DrawInput),
    /// The invocations of one graphics shader.
    Invocations(Vec<InvocationInput>),
}

/// A draw.
pub struct DrawInput {
    /// The topology.
    pub topology: Topology,
    /// The number of vertices of a patch.
    pub patch_vertices: u32,
    /// The number of vertices.
    pub vertices: u32,
    /// The number of instances.
    pub instances: u32,
    /// The width and height of the framebuffer.
    pub size: [u32; 2],
    /// The render targets.
    pub targets: Vec<TargetInput>,
    /// The vertex attributes.
    pub attributes: Vec<AttributeInput>,
    /// The size in bytes of each transform feedback buffer.
    pub captures: Vec<usize>,
}

/// A vertex attribute.
pub struct AttributeInput {
    /// The Location.
    pub location: u32,
    /// The values.
    pub data: Data,
}

/// A render target.
pub struct TargetInput {
    /// The format.
    pub kind: Target,
    /// The value of every texel before the draw.
    pub clear: Vec<u8>,
}

/// The format of the texels of a render target.
#[derive(Clone, Copy)]
pub struct Target {
    /// The name in JSON.
    pub name: &'static str,
    /// NIR's name of the format.
    pub format: &'static str,
    /// Bytes of a texel.
    pub texel: usize,
    /// The form in JSON.
    pub form: Form,
}

/// Bytes, and the form in which they are written.
pub struct Data {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The form in JSON.
    pub form: Form,
}

impl Data {
    /// The words of 32 bits.
    pub(super) fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.bytes.chunks(4).map(word)
    }
}

/// The little-endian number in at most four bytes.
pub(super) fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// The form in which bytes are written: as a list of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Bytes.
    U8,
    /// Unsigned integers of 32 bits.
    U32,
    /// Signed integers of 32 bits.
    I32,
    /// Floating-point numbers of 32 bits.
    F32,
}

const FORMS: &[(&str, Form)] = &[("u8", Form::U8), ("u32", Form::U32), ("i32", Form::I32), ("f32", Form::F32)];

const TARGETS: &[Target] = &[
    Target { name: "rgba8", format: "r8g8b8a8_unorm", texel: 4, form: Form::U8 },
    Target { name: "rgba32f", format: "r32g32b32a32_float", texel: 16, form: Form::F32 },
    Target { name: "rgba32ui", format: "r32g32b32a32_uint", texel: 16, form: Form::U32 },
    Target { name: "r32ui", format: "r32_uint", texel: 4, form: Form::U32 },
];

const TOPOLOGIES: &[(&str, Topology)] = &[
    ("points", Topology::Points),
    ("lines", Topology::Lines),
    ("triangles", Topology::Triangles),
    ("triangle_strip", Topology::TriangleStrip),
    ("patches", Topology::Patches),
];

impl Form {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        FORMS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// `bytes` as a list.
    pub fn values(self, bytes: &[u8]) -> Value {
        if self == Form::U8 {
            return bytes.into();
        }
        let number = |word: u32| match self {
            Form::F32 => f32::from_bits(word).into(),
            Form::I32 => (word as i32).into(),
            _ => Value::from(word),
        };
        bytes.chunks(4).map(word).map(number).collect()
    }

    fn push(self, value: &Value, bytes: &mut Vec<u8>) -> Result<()> {
        let wrong = || anyhow!("{value} is not of the type {}", self.name());
        let integer = || value.as_i64().ok_or_else(wrong);
        match self {
            Form::U8 => bytes.push(u8::try_from(integer()?).map_err(|_| wrong())?),
            Form::U32 => bytes.extend(u32::try_from(integer()?).map_err(|_| wrong())?.to_le_bytes()),
            Form::I32 => bytes.extend(i32::try_from(integer()?).map_err(|_| wrong())?.to_le_bytes()),
            Form::F32 => bytes.extend((value.as_f64().ok_or_else(wrong)? as f32).to_le_bytes()),
        }
        Ok(())
    }
}

/// The bytes that are left for buffers and images of which only the size is given.
#[derive(Clone)]
struct Memory(Rc<Cell<u64>>);

/// An object whose members are taken one by one, so that a misspelt one is an error.
pub(super) struct Members {
    members: Map<String, Value>,
    memory: Memory,
}

impl Members {
    fn new(value: Value, memory: &Memory) -> Result<Members> {
        match value {
            Value::Object(members) => Ok(Members { members, memory: memory.clone() }),
            other => bail!("expected an object, found {other}"),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name)
    }

    /// An error if there is not so much memory.
    pub(super) fn allocate(&self, bytes: u64) -> Result<()> {
        let Memory(left) = &self.memory;
        let rest = left.get().checked_sub(bytes);
        left.set(rest.with_context(|| format!("{bytes} bytes are too many, {} are left", left.get()))?);
        Ok(())
    }

    pub(super) fn number(&mut self, name: &str, default: Option<u32>) -> Result<u32> {
        match self.take(name) {
            None => default.ok_or_else(|| anyhow!("`{name}` is missing")),
            Some(value) => number(&value).with_context(|| format!("`{name}`")),
        }
    }

    pub(super) fn string(&mut self, name: &str) -> Result<String> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => bail!("`{name}`: {other} is not a string"),
            None => bail!("`{name}` is missing"),
        }
    }

    fn numbers<const N: usize>(&mut self, name: &str, default: [u32; N]) -> Result<[u32; N]> {
        if !self.has(name) {
            return Ok(default);
        }
        self.list_of_numbers(name)?.try_into().map_err(|_| anyhow!("`{name}` must be a list of {N} numbers"))
    }

    pub(super) fn list_of_numbers(&mut self, name: &str) -> Result<Vec<u32>> {
        self.take(name).map_or(Ok(Vec::new()), list)?.iter().map(number).collect()
    }

    /// Applies `parse` to each object of a list, which may be missing.
    pub(super) fn all<T>(&mut self, name: &'static str, parse: impl Fn(Members) -> Result<T>) -> Result<Vec<T>> {
        let objects = self.take(name).map_or(Ok(Vec::new()), list)?;
        objects
            .into_iter()
            .map(|object| parse(Members::new(object, &self.memory)?))
            .collect::<Result<_>>()
            .context(name)
    }

    /// The set and binding of a descriptor. It may have a name, for its readers.
    pub(super) fn slot(&mut self) -> Result<Slot> {
        self.take("name");
        let (set, binding) = (self.number("set", None)?, self.number("binding", None)?);
        Ok(Slot { set, binding, element: self.number("element", Some(0))? })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// The member with the name of a form, or `size` zeros.
    pub(super) fn data(&mut self) -> Result<Data> {
        if self.has("size") {
            let size = self.number("size", None)?;
            self.allocate(size.into())?;
            return Ok(Data { bytes: vec![0; size as usize], form: Form::U32 });
        }
        self.list()?.context("a list u8, u32, i32 or f32, or a size, is missing")
    }

    /// The member with the name of a form, if there is one.
    pub(super) fn list(&mut self) -> Result<Option<Data>> {
        let found = FORMS.iter().find_map(|(name, form)| Some((self.take(name)?, *form)));
        let Some((value, form)) = found else { return Ok(None) };
        let mut bytes = Vec::new();
        list(value)?.iter().try_for_each(|value| form.push(value, &mut bytes))?;
        Ok(Some(Data { bytes, form }))
    }

    pub(super) fn finish(self) -> Result<()> {
        let left: Vec<&str> = self.members.keys().map(String::as_str).collect();
        ensure!(left.is_empty(), "unknown members: {}", left.join(", "));
        Ok(())
    }
}

fn number(value: &Value) -> Result<u32> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.with_context(|| format!("{value} is not a 32-bit number"))
}

fn list(value: Value) -> Result<Vec<Value>> {
    match value {
        Value::Array(values) => Ok(values),
        other => bail!("expected a list, found {other}"),
    }
}

/// The value that `value` names.
pub(super) fn named<T: Copy>(value: &Value, names: impl Iterator<Item = (&'static str, T)>) -> Result<T> {
    let all: Vec<(&str, T)> = names.collect();
    let found = all.iter().find(|row| value.as_str() == Some(row.0)).map(|row| row.1);
    let known = || all.iter().map(|row| row.0).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| anyhow!("{value} is not one of {}", known()))
}

impl Inputs {
    /// Parses the inputs of a run. It is an error if they need more memory than `most` bytes.
    pub fn parse(text: &str, most: u64) -> Result<Inputs> {
        let memory = Memory(Rc::new(Cell::new(most)));
        let mut members = Members::new(serde_json::from_str(text)?, &memory)?;
        let work = match members.take("draw") {
            Some(draw) => Work::Draw(DrawInput::parse(Members::new(draw, &memory)?).context("draw")?),
            None if members.has("invocations") => {
                Work::Invocations(members.all("invocations", InvocationInput::parse)?)
            }
            None => Work::Dispatch(members.numbers("groups", [1; 3])?),
        };
        let push_constants = match members.take("push_constants") {
            Some(data) => Members::new(data, &memory)?.data().context("push_constants")?.bytes,
            None => Vec::new(),
        };
        let buffers = members.all("buffers", buffer)?;
        let pointers = members.all("pointers", pointer)?;
        pointers.iter().try_for_each(|pointer| pointer.check(&buffers)).context("pointers")?;
        let textures = members.all("textures", textures::texture)?;
        let samplers = members.all("samplers", textures::sampler)?;
        let images = members.all("images", textures::image)?;
        members.finish()?;
        Ok(Inputs { work, push_constants, buffers, pointers, textures, samplers, images })
    }
}

fn buffer(mut members: Members) -> Result<(Slot, Data)> {
    let (slot, data) = (members.slot()?, members.data()?);
    members.finish()?;
    Ok((slot, data))
}

fn pointer(mut members: Members) -> Result<Pointer> {
    let (slot, offset) = (members.slot()?, members.number("offset", Some(0))? as usize);
    let mut to = Members::new(members.take("to").context("`to` is missing")?, &members.memory)?;
    let pointer = Pointer { slot, offset, to: to.slot().context("to")? };
    to.finish()?;
    members.finish()?;
    Ok(pointer)
}

impl Pointer {
    /// The number of its bytes.
    pub const BYTES: usize = 8;

    fn check(&self, buffers: &[(Slot, Data)]) -> Result<()> {
        let find = |slot: Slot| {
            let Slot { set, binding, element } = slot;
            let found = buffers.iter().find(|(known, _)| *known == slot);
            found.with_context(|| format!("there is no buffer at set {set}, binding {binding}, element {element}"))
        };
        let size = find(self.slot)?.1.bytes.len();
        find(self.to)?;
        let is_inside = self.offset.checked_add(Pointer::BYTES).is_some_and(|end| end <= size);
        ensure!(is_inside, "8 bytes at {} are not in a buffer of {size} bytes", self.offset);
        Ok(())
    }
}

impl DrawInput {
    fn parse(mut members: Members) -> Result<DrawInput> {
        let topology = members.take("topology").unwrap_or_else(|| "triangles".into());
        let targets = members.take("targets").map_or(Ok(vec!["rgba8".into()]), list)?;
        let draw = DrawInput {
            topology: named(&topology, TOPOLOGIES.iter().copied())?,
            patch_vertices: members.number("patch_vertices", Some(3))?,
            vertices: members.number("vertices", Some(3))?,
            instances: members.number("instances", Some(1))?,
            size: members.numbers("size", [64; 2])?,
            targets: targets
                .into_iter()
                .map(|value| target(value, &members.memory))
                .collect::<Result<_>>()
                .context("targets")?,
            captures: members.list_of_numbers("captures")?.into_iter().map(|size| size as usize).collect(),
            attributes: members.all("attributes", attribute)?,
        };
        draw.allocate(&members)?;
        members.finish()?;
        Ok(draw)
    }

    /// The memory of the targets and of the buffers of transform feedback.
    fn allocate(&self, members: &Members) -> Result<()> {
        let texels = u64::from(self.size[0]) * u64::from(self.size[1]);
        let targets = self.targets.iter().map(|target| texels.saturating_mul(target.kind.texel as u64));
        targets.chain(self.captures.iter().map(|size| *size as u64)).try_for_each(|bytes| members.allocate(bytes))
    }
}

/// Parses the name of a target, or an object with its `format` and the value of every texel before the draw.
fn target(value: Value, memory: &Memory) -> Result<TargetInput> {
    let kind = |name: &Value| named(name, TARGETS.iter().map(|target| (target.name, *target)));
    if !value.is_object() {
        let kind = kind(&value)?;
        return Ok(TargetInput { kind, clear: vec![0; kind.texel] });
    }
    let mut members = Members::new(value, memory)?;
    let kind = kind(&members.take("format").context("`format` is missing")?)?;
    let clear = members.data()?;
    ensure!(clear.bytes.len() == kind.texel, "a texel of {} has {} bytes", kind.name, kind.texel);
    members.finish()?;
    Ok(TargetInput { kind, clear: clear.bytes })
}

fn attribute(mut members: Members) -> Result<AttributeInput> {
    members.take("name");
    let (location, data) = (members.number("location", None)?, members.data()?);
    members.finish()?;
    Ok(AttributeInput { location, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_member_and_too_much_memory_are_errors() {
        let error = |text: &str| format!("{:#}", Inputs::parse(text, 1 << 20).err().expect("an error"));
        assert_eq!(error(r#"{"group": [1, 1, 1]}"#), "unknown members: group");
        assert_eq!(error(r#"{"buffers": [{"set": 0, "u32": [1]}]}"#), "buffers: `binding` is missing");
        assert_eq!(
            error(r#"{"buffers": [{"set": 0, "binding": 0, "u8": [256]}]}"#),
            "buffers: 256 is not of the type u8"
        );
        let large =
            r#"{"buffers": [{"set": 0, "binding": 0, "size": 1048000}, {"set": 0, "binding": 1, "size": 577}]}"#;
        assert_eq!(error(large), "buffers: 577 bytes are too many, 576 are left");
        let large = r#"{"images": [{"set": 0, "binding": 0, "size": [16384, 16384, 16384], "format": "r8_uint"}]}"#;
        assert_eq!(error(large), "images: 4398046511104 bytes are too many, 1048576 are left");
        let large = r#"{"draw": {"size": [4294967295, 4294967295]}}"#;
        assert_eq!(error(large), "draw: 18446744073709551615 bytes are too many, 1048576 are left");
        assert!(error(r#"{"draw": {"captures": [1048577], "size": [1, 1]}}"#).ends_with("1048572 are left"));
        assert!(error(r#"{"draw": {"topology": "squares"}}"#).starts_with(r#"draw: "squares" is not one of points"#));
    }

    #[test]
    fn numbers_become_bytes_and_numbers_again() {
        let text =
            r#"{"buffers": [{"set": 3, "binding": 1, "f32": [1.5, -2]}, {"set": 3, "binding": 2, "i32": [-1]}]}"#;
        let inputs = Inputs::parse(text, 0).unwrap();
        assert_eq!(inputs.buffers[0].1.bytes, [0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]);
        let values: Vec<String> =
            inputs.buffers.iter().map(|(_, data)| data.form.values(&data.bytes).to_string()).collect();
        assert_eq!(values, ["[1.5,-2.0]", "[-1]"]);
    }
}
