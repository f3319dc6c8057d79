//! What a SPIR-V module wants from outside, read from its words: stage, descriptors, push constants.
//!
//! One walk notes types, constants, decorations and variables; nothing of a function body is looked at.

use super::{Error, Result};
use ash::vk;
use spirv::{Decoration, Dim, ExecutionModel, Op, StorageClass};
use std::collections::HashMap;
use std::ffi::CString;

/// What a module wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The stage of its entry point, the first if there are several.
    pub stage: vk::ShaderStageFlags,
    /// The entry point's name.
    pub entry: CString,
    /// Its descriptors, each place once.
    pub bindings: Vec<Binding>,
    /// It reads push constants.
    pub push_constants: bool,
}

/// A binding of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// What it is.
    pub kind: vk::DescriptorType,
    /// Descriptors in it.
    pub count: u32,
    /// InputAttachmentIndex.
    pub attachment: Option<u32>,
}

/// Reads the interface of `words`.
pub fn reflect(words: &[u32]) -> Result<Interface> {
    let mut notes = Notes::default();
    if words.len() < 5 || words[0] != spirv::MAGIC_NUMBER {
        return Err(Error::new("this is not a SPIR-V module"));
    }
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        let len = (first >> 16) as usize;
        if len == 0 || len > rest.len() {
            return Err(Error::new("the module ends within an instruction"));
        }
        notes.take(*first as u16, &rest[1..len]);
        rest = &rest[len..];
    }
    notes.interface()
}

/// What was read so far.
#[derive(Default)]
struct Notes {
    entry: Option<(u32, CString)>,
    /// Opcode and operands behind the result, by id.
    types: HashMap<u32, (u16, Vec<u32>)>,
    constants: HashMap<u32, u32>,
    sets: HashMap<u32, u32>,
    bindings: HashMap<u32, u32>,
    attachments: HashMap<u32, u32>,
    buffer_blocks: Vec<u32>,
    /// Id, type, storage class.
    variables: Vec<(u32, u32, u32)>,
}

const ENTRY_POINT: u16 = Op::EntryPoint as u16;
const DECORATE: u16 = Op::Decorate as u16;
const CONSTANT: u16 = Op::Constant as u16;
const VARIABLE: u16 = Op::Variable as u16;
const TYPE_IMAGE: u16 = Op::TypeImage as u16;
const TYPE_SAMPLER: u16 = Op::TypeSampler as u16;
const TYPE_SAMPLED_IMAGE: u16 = Op::TypeSampledImage as u16;
const TYPE_ARRAY: u16 = Op::TypeArray as u16;
const TYPE_STRUCT: u16 = Op::TypeStruct as u16;
const TYPE_POINTER: u16 = Op::TypePointer as u16;

const DESCRIPTOR_SET: u32 = Decoration::DescriptorSet as u32;
const BINDING: u32 = Decoration::Binding as u32;
const ATTACHMENT: u32 = Decoration::InputAttachmentIndex as u32;
const BUFFER_BLOCK: u32 = Decoration::BufferBlock as u32;

impl Notes {
    fn take(&mut self, op: u16, operands: &[u32]) {
        match (op, operands) {
            (ENTRY_POINT, [model, _, name @ ..]) if self.entry.is_none() => {
                let bytes = name.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
                self.entry = CString::new(bytes.collect::<Vec<u8>>()).ok().map(|name| (*model, name));
            }
            (DECORATE, [id, DESCRIPTOR_SET, set]) => drop(self.sets.insert(*id, *set)),
            (DECORATE, [id, BINDING, binding]) => drop(self.bindings.insert(*id, *binding)),
            (DECORATE, [id, ATTACHMENT, index]) => drop(self.attachments.insert(*id, *index)),
            (DECORATE, [id, BUFFER_BLOCK]) => self.buffer_blocks.push(*id),
            (CONSTANT, [_, id, value, ..]) => drop(self.constants.insert(*id, *value)),
            (VARIABLE, [ty, id, class, ..]) => self.variables.push((*id, *ty, *class)),
            (TYPE_IMAGE..=TYPE_POINTER, [id, rest @ ..]) => drop(self.types.insert(*id, (op, rest.to_vec()))),
            _ => {}
        }
    }

    fn interface(&self) -> Result<Interface> {
        let (model, entry) = self.entry.clone().ok_or_else(|| Error::new("the module has no entry point"))?;
        let row = STAGES.iter().find(|row| row.0 as u32 == model);
        let stage = row.ok_or_else(|| Error::new(format!("the execution model {model}")))?.1;
        let mut bindings: Vec<Binding> = Vec::new();
        let mut push_constants = false;
        for (id, ty, class) in &self.variables {
            push_constants |= *class == StorageClass::PushConstant as u32;
            let (Some(set), Some(binding)) = (self.sets.get(id), self.bindings.get(id)) else { continue };
            let (kind, count) = self.descriptor(*ty, *class)?;
            let attachment = self.attachments.get(id).copied();
            let new = Binding { set: *set, binding: *binding, kind, count, attachment };
            // Several variables can see the same buffer.
            match bindings.iter_mut().find(|old| (old.set, old.binding) == (new.set, new.binding)) {
                Some(old) if old.kind == new.kind => old.count = old.count.max(new.count),
                Some(_) => return Err(Error::new(format!("set {set} binding {binding} is of two kinds"))),
                None => bindings.push(new),
            }
        }
        Ok(Interface { stage, entry, bindings, push_constants })
    }

    /// Kind and count of the descriptors that a variable of pointer type `ty` is.
    fn descriptor(&self, ty: u32, class: u32) -> Result<(vk::DescriptorType, u32)> {
        let mut ty = match self.types.get(&ty) {
            Some((TYPE_POINTER, operands)) if operands.len() == 2 => operands[1],
            _ => return Err(Error::new("a variable that is no pointer")),
        };
        let mut count = 1;
        while let Some((TYPE_ARRAY, operands)) = self.types.get(&ty) {
            let [elem, len] = operands[..] else { return Err(Error::new("an array without length")) };
            count *= self.constants.get(&len).copied().unwrap_or(1);
            ty = elem;
        }
        let kind = match self.types.get(&ty) {
            Some((TYPE_STRUCT, _)) if class == StorageClass::StorageBuffer as u32 => vk::DescriptorType::STORAGE_BUFFER,
            Some((TYPE_STRUCT, _)) if self.buffer_blocks.contains(&ty) => vk::DescriptorType::STORAGE_BUFFER,
            Some((TYPE_STRUCT, _)) => vk::DescriptorType::UNIFORM_BUFFER,
            Some((TYPE_SAMPLER, _)) => vk::DescriptorType::SAMPLER,
            Some((TYPE_SAMPLED_IMAGE, image)) => match self.types.get(&image[0]).map(|(_, image)| &image[..]) {
                Some([_, dim, ..]) if *dim == Dim::DimBuffer as u32 => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
                _ => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            },
            Some((TYPE_IMAGE, image)) => image_kind(image)?,
            _ => return Err(Error::new("a descriptor of an unknown kind")),
        };
        Ok((kind, count))
    }
}

/// The descriptor of an OpTypeImage: sampled type, Dim, Depth, Arrayed, MS, Sampled, Format.
fn image_kind(image: &[u32]) -> Result<vk::DescriptorType> {
    let [_, dim, _, _, _, sampled, ..] = image else { return Err(Error::new("an image type without operands")) };
    let buffer = *dim == Dim::DimBuffer as u32;
    Ok(match (*sampled, buffer) {
        _ if *dim == Dim::DimSubpassData as u32 => vk::DescriptorType::INPUT_ATTACHMENT,
        (2, true) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        (2, false) => vk::DescriptorType::STORAGE_IMAGE,
        (_, true) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        (_, false) => vk::DescriptorType::SAMPLED_IMAGE,
    })
}

const STAGES: &[(ExecutionModel, vk::ShaderStageFlags)] = &[
    (ExecutionModel::Vertex, vk::ShaderStageFlags::VERTEX),
    (ExecutionModel::TessellationControl, vk::ShaderStageFlags::TESSELLATION_CONTROL),
    (ExecutionModel::TessellationEvaluation, vk::ShaderStageFlags::TESSELLATION_EVALUATION),
    (ExecutionModel::Geometry, vk::ShaderStageFlags::GEOMETRY),
    (ExecutionModel::Fragment, vk::ShaderStageFlags::FRAGMENT),
    (ExecutionModel::GLCompute, vk::ShaderStageFlags::COMPUTE),
];
