// SPDX-License-Identifier: MIT

//! The places of a program's descriptors: sets by class, bindings in the order of stages and slots.
//!
//! Stages are translated with their own bindings, numbered by slot: constant buffer 2 of the vertex stage and of the fragment
//! stage have the same set and binding. The link gives them different bindings. Descriptors that change together are in one set,
//! so a new texture does not rewrite the descriptors of uniform buffers:
//!
//! ```text
//! vertex:   set 1 binding 2 (constant buffer 2)     ->  set 1 binding 0
//! fragment: set 1 binding 2 (constant buffer 2)     ->  set 1 binding 1
//!           set 2 binding 0, 4 of them (textures)   ->  set 2 binding 0
//! ```
//!
//! Layouts of equal content are one layout. Between programs that share it, all descriptors stay bound.

use super::STAGES;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use crate::resource::unique_id;
use ash::vk;
use ntv::module::{Assignment, DescriptorKind, Module, ShaderStage};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Descriptors that change together: one set each, numbered as in [`Target::descriptor_set`](ntv::Target::descriptor_set).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DescriptorClass {
    /// Block 0, GL's loose uniforms.
    Uniforms,
    /// Other constant buffers.
    UniformBuffers,
    /// Sampler views and samplers.
    Textures,
    /// Shader buffers.
    StorageBuffers,
    /// Shader images.
    Images,
}

/// The number of classes.
pub(crate) const CLASSES: usize = 5;

impl DescriptorClass {
    pub(crate) const ALL: [DescriptorClass; CLASSES] = [
        DescriptorClass::Uniforms,
        DescriptorClass::UniformBuffers,
        DescriptorClass::Textures,
        DescriptorClass::StorageBuffers,
        DescriptorClass::Images,
    ];
}

/// The descriptors of one binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SlotBinding {
    pub(crate) class: DescriptorClass,
    /// The stage whose slots they refer to.
    pub(crate) stage: ShaderStage,
    /// The stage whose shader uses them.
    pub(crate) runs_in: ShaderStage,
    /// The first slot that the context binds to it.
    pub(crate) slot: u32,
    pub(crate) count: u32,
    pub(crate) kind: DescriptorKind,
    /// The minimum number of bytes of a uniform range.
    pub(crate) min_range: u32,
    /// Whether the descriptor has exactly the given bytes, and none after them.
    pub(crate) is_exact: bool,
    /// The number of the binding in the set.
    pub(crate) binding: u32,
    /// The index of its first descriptor in the set.
    pub(crate) first: u32,
}

/// A set's layout, and the slots of its bindings.
pub(crate) struct SetLayout {
    /// A number that no other layout of a set has.
    pub(crate) id: u32,
    pub(crate) raw: Owned<vk::DescriptorSetLayout>,
    pub(crate) template: Option<Owned<vk::DescriptorUpdateTemplate>>,
    pub(crate) slots: Vec<SlotBinding>,
    /// Whether the offsets of uniform buffers are given when the set is bound.
    pub(crate) has_dynamic_offsets: bool,
    /// The mask of slots that are read, by stage.
    pub(crate) used: [u64; STAGES],
}

/// The layout of a pipeline.
pub(crate) struct Layout {
    /// A number that no other object of a batch has.
    pub(crate) id: u64,
    pub(crate) raw: Owned<vk::PipelineLayout>,
    pub(crate) sets: Vec<SetLayout>,
    pub(crate) push_constants: vk::PushConstantRange,
}

/// The properties that distinguish layouts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Content {
    slots: [Vec<SlotBinding>; CLASSES],
    push_constants: (vk::ShaderStageFlags, u32),
}

/// The size of a descriptor in the data of an update template.
pub(crate) const DESCRIPTOR_BYTES: usize = 24;

impl Content {
    /// Collects the descriptors that `modules` use, and assigns the new places of each stage's descriptors.
    ///
    /// `slots_of` is the stage whose slots they refer to, if it is not their own: a compute shader may do the work of a vertex
    /// shader.
    pub(super) fn collect(
        modules: &[&Module],
        push_constants: u32,
        slots_of: Option<ShaderStage>,
    ) -> Result<(Content, Vec<Assignment>)> {
        let mut slots: [Vec<SlotBinding>; CLASSES] = Default::default();
        let mut firsts = [0; CLASSES];
        let mut assignments = Vec::new();
        let mut stages = vk::ShaderStageFlags::empty();
        for module in modules {
            stages |= stage_flags(module.stage);
            let mut assignment = Assignment::default();
            for used in &module.bindings {
                let class = class_of(used)?;
                let list = &mut slots[class];
                let same = |known: &SlotBinding| known.runs_in == module.stage && known.slot == used.binding;
                if list.iter().any(same) {
                    let place = format!("set {} binding {}", used.set, used.binding);
                    return Err(Error::new(format!("{place} of the {} stage has two kinds", module.stage.name())));
                }
                let binding = list.len() as u32;
                assignment.bindings.push(([used.set, used.binding], [used.set, binding]));
                list.push(SlotBinding {
                    class: DescriptorClass::ALL[class],
                    stage: slots_of.unwrap_or(module.stage),
                    runs_in: module.stage,
                    slot: used.binding,
                    count: used.count,
                    kind: used.kind,
                    min_range: used.min_range,
                    is_exact: false,
                    binding,
                    first: firsts[class],
                });
                firsts[class] += used.count;
            }
            assignments.push(assignment);
        }
        let push_constants = (if push_constants == 0 { vk::ShaderStageFlags::empty() } else { stages }, push_constants);
        Ok((Content { slots, push_constants }, assignments))
    }

    /// Sets whether all descriptors have exactly the given bytes, and none after them.
    pub(super) fn set_exact(&mut self, is_exact: bool) {
        self.slots.iter_mut().flatten().for_each(|slot| slot.is_exact = is_exact);
    }
}

fn class_of(binding: &ntv::Binding) -> Result<usize> {
    let class = binding.set as usize;
    let message = || Error::new(format!("contexts bind nothing to descriptor set {}", binding.set));
    (class < CLASSES).then_some(class).ok_or_else(message)
}

/// The layouts of a device, without duplicates.
#[derive(Default)]
pub(crate) struct Layouts {
    known: Mutex<KnownLayouts>,
}

#[derive(Default)]
struct KnownLayouts {
    list: Vec<(Content, Weak<Layout>)>,
    next_set: u32,
}

impl Layouts {
    /// The layout with this content.
    pub(super) fn get(&self, device: &Arc<Logical>, content: &Content) -> Result<Arc<Layout>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.list.retain(|(_, layout)| layout.strong_count() > 0);
        let found = known.list.iter().find(|(other, _)| other == content).and_then(|(_, layout)| layout.upgrade());
        if let Some(layout) = found {
            return Ok(layout);
        }
        let layout = Arc::new(known.create(device, content)?);
        known.list.push((content.clone(), Arc::downgrade(&layout)));
        Ok(layout)
    }
}

impl KnownLayouts {
    fn create(&mut self, device: &Arc<Logical>, content: &Content) -> Result<Layout> {
        let mut sets = Vec::new();
        // Sets after the last used one are left out; unused sets before it have no descriptors.
        let count = content.slots.iter().rposition(|slots| !slots.is_empty()).map_or(0, |last| last + 1);
        let mut dynamic = device.limits.max_descriptor_set_uniform_buffers_dynamic;
        for slots in &content.slots[..count] {
            self.next_set += 1;
            sets.push(SetLayout::new(device, self.next_set, slots.clone(), &mut dynamic)?);
        }
        let handles: Vec<vk::DescriptorSetLayout> = sets.iter().map(|set| *set.raw).collect();
        let (stage_flags, size) = content.push_constants;
        let range = vk::PushConstantRange { stage_flags, offset: 0, size };
        let ranges = [range];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&handles);
        if size > 0 {
            info = info.push_constant_ranges(&ranges);
        }
        // SAFETY: the layouts belong to this device, and there are at most five; every device has four sets, and if it has no
        // fifth the call returns an error.
        let raw = unsafe { device.raw.create_pipeline_layout(&info, None) }.during("vkCreatePipelineLayout")?;
        let raw = Owned::new(device, raw);
        Ok(Layout { id: unique_id(), raw, sets, push_constants: range })
    }
}

impl SetLayout {
    /// A layout of `slots`. `dynamic` is the number of uniform buffers that may still have dynamic offsets.
    fn new(device: &Arc<Logical>, id: u32, slots: Vec<SlotBinding>, dynamic: &mut u32) -> Result<SetLayout> {
        let uniforms = slots.iter().filter(|slot| slot.kind == DescriptorKind::UniformBuffer);
        let uniforms: u32 = uniforms.map(|slot| slot.count).sum();
        let has_dynamic_offsets = uniforms > 0 && uniforms <= *dynamic;
        *dynamic -= if has_dynamic_offsets { uniforms } else { 0 };
        let ty = |kind| descriptor_type(kind, has_dynamic_offsets);
        let bindings: Vec<vk::DescriptorSetLayoutBinding<'_>> = slots
            .iter()
            .map(|slot| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(slot.binding)
                    .descriptor_type(ty(slot.kind))
                    .descriptor_count(slot.count)
                    .stage_flags(stage_flags(slot.runs_in))
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the bindings are distinct.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&info, None) };
        let raw = Owned::new(device, raw.during("vkCreateDescriptorSetLayout")?);
        let entries: Vec<vk::DescriptorUpdateTemplateEntry> = slots
            .iter()
            .map(|slot| vk::DescriptorUpdateTemplateEntry {
                dst_binding: slot.binding,
                dst_array_element: 0,
                descriptor_count: slot.count,
                descriptor_type: ty(slot.kind),
                offset: slot.first as usize * DESCRIPTOR_BYTES,
                stride: DESCRIPTOR_BYTES,
            })
            .collect();
        let template = match entries.is_empty() {
            true => None,
            false => {
                let info = vk::DescriptorUpdateTemplateCreateInfo::default()
                    .descriptor_update_entries(&entries)
                    .template_type(vk::DescriptorUpdateTemplateType::DESCRIPTOR_SET)
                    .descriptor_set_layout(*raw);
                // SAFETY: the entries are the bindings of the layout.
                let made = unsafe { device.raw.create_descriptor_update_template(&info, None) };
                Some(Owned::new(device, made.during("vkCreateDescriptorUpdateTemplate")?))
            }
        };
        let mut used = [0u64; STAGES];
        // Input attachments are not in a slot.
        for slot in slots.iter().filter(|slot| slot.kind != DescriptorKind::InputAttachment) {
            let bits = 1u64.checked_shl(slot.count).unwrap_or(0).wrapping_sub(1);
            used[slot.stage as usize] |= bits.checked_shl(slot.slot).unwrap_or(0);
        }
        Ok(SetLayout { id, raw, template, slots, has_dynamic_offsets, used })
    }

    /// The descriptor type of this kind.
    pub(crate) fn descriptor_type(&self, kind: DescriptorKind) -> vk::DescriptorType {
        descriptor_type(kind, self.has_dynamic_offsets)
    }
}

/// Vulkan's type of a kind of descriptor.
pub(crate) fn descriptor_type(kind: DescriptorKind, has_dynamic_offsets: bool) -> vk::DescriptorType {
    match kind {
        DescriptorKind::UniformBuffer if has_dynamic_offsets => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
        DescriptorKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        DescriptorKind::StorageBuffer => vk::DescriptorType::STORAGE_BUFFER,
        DescriptorKind::CombinedImageSampler => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
        DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        DescriptorKind::InputAttachment => vk::DescriptorType::INPUT_ATTACHMENT,
    }
}

/// Vulkan's bit of a stage.
pub(crate) fn stage_flags(stage: ShaderStage) -> vk::ShaderStageFlags {
    match stage {
        ShaderStage::Vertex => vk::ShaderStageFlags::VERTEX,
        ShaderStage::TessCtrl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        ShaderStage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        ShaderStage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        ShaderStage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        ShaderStage::Compute => vk::ShaderStageFlags::COMPUTE,
        ShaderStage::Task => vk::ShaderStageFlags::TASK_EXT,
        ShaderStage::Mesh => vk::ShaderStageFlags::MESH_EXT,
    }
}
