// SPDX-License-Identifier: MIT

//! The interface in the words of a module.

use super::types::{id, literal, Ids};
use super::{Block, Constant, Io, Member, Reflection, Resource};
use crate::load::load;
use ntv::module::ShaderStage;
use rspirv::binary::ParseState;
use rspirv::dr::{Instruction, Operand};
use spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass, Word};

pub(super) fn reflect(words: &[u32]) -> Result<Reflection, ParseState> {
    let module = load(words)?;
    let ids = Ids::new(&module);
    let mut reflection = Reflection::default();
    entry_point(&ids, &mut reflection);
    for variable in module.types_global_values.iter().filter(|it| it.class.opcode == Op::Variable) {
        add_variable(&ids, variable, &mut reflection);
    }
    reflection.resources.sort_by_key(|it| (it.set, it.binding));
    for list in [&mut reflection.inputs, &mut reflection.outputs] {
        list.sort_by_key(|it| (it.builtin.is_some(), it.patch, it.location, it.component, it.index));
    }
    reflection.constants = constants(&ids);
    let capability = |it: &Instruction| match it.operands.first() {
        Some(Operand::Capability(capability)) => Some(format!("{capability:?}")),
        _ => None,
    };
    reflection.capabilities = module.capabilities.iter().filter_map(capability).collect();
    let extension = |it: &Instruction| match it.operands.first() {
        Some(Operand::LiteralString(name)) => Some(name.clone()),
        _ => None,
    };
    reflection.extensions = module.extensions.iter().filter_map(extension).collect();
    Ok(reflection)
}

/// The stage, the name, and the execution modes of the first entry point.
fn entry_point(ids: &Ids<'_>, reflection: &mut Reflection) {
    let Some(entry) = ids.module.entry_points.first() else { return };
    if let Some(Operand::ExecutionModel(model)) = entry.operands.first() {
        let stage = ShaderStage::ALL.iter().find(|stage| stage.execution_model() == *model);
        let is_kernel = *model == ExecutionModel::Kernel;
        reflection.stage = stage.map_or(if is_kernel { "kernel" } else { "unknown" }, |stage| stage.name());
    }
    if let Some(Operand::LiteralString(name)) = entry.operands.get(2) {
        reflection.entry.clone_from(name);
    }
    for mode in &ids.module.execution_modes {
        let Some(Operand::ExecutionMode(kind)) = mode.operands.get(1) else { continue };
        let number = |at: usize| literal(mode.operands.get(at)).unwrap_or(0);
        let constant = |at: usize| id(mode.operands.get(at)).and_then(|id| ids.constant(id)).unwrap_or(1);
        use ExecutionMode::*;
        match kind {
            LocalSize => reflection.workgroup_size = Some([number(2), number(3), number(4)]),
            LocalSizeId => reflection.workgroup_size = Some([constant(2), constant(3), constant(4)]),
            InputPoints | InputLines | InputLinesAdjacency | InputTrianglesAdjacency | Triangles | Quads | Isolines => {
                reflection.primitive = Some(format!("{kind:?}"));
            }
            OutputVertices if reflection.stage == ShaderStage::TessCtrl.name() => {
                reflection.patch_vertices = Some(number(2));
            }
            _ => {}
        }
    }
    // A constant with the built-in WorkgroupSize has precedence.
    for constant in &ids.module.types_global_values {
        let Some(own) = constant.result_id else { continue };
        if ids.number(own, None, Decoration::BuiltIn) == Some(BuiltIn::WorkgroupSize as u32) {
            let size: Vec<u32> = constant.operands.iter().filter_map(|it| ids.constant(id(Some(it))?)).collect();
            reflection.workgroup_size = size.try_into().ok().or(reflection.workgroup_size);
        }
    }
}

fn add_variable(ids: &Ids<'_>, variable: &Instruction, reflection: &mut Reflection) {
    let (Some(own), Some(pointer)) = (variable.result_id, variable.result_type.and_then(|ty| ids.get(ty))) else {
        return;
    };
    let Some(Operand::StorageClass(class)) = variable.operands.first() else { return };
    let Some(ty) = id(pointer.operands.get(1)) else { return };
    match class {
        StorageClass::PushConstant => reflection.push_constants = Some(block(ids, ty)),
        StorageClass::Input => add_io(ids, own, ty, reflection, false),
        StorageClass::Output => add_io(ids, own, ty, reflection, true),
        StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::UniformConstant => {
            let Some(resource) = resource(ids, own, ty, *class) else { return };
            let same =
                |it: &&mut Resource| (it.set, it.binding, it.kind) == (resource.set, resource.binding, resource.kind);
            // ntv has a variable for each type as which a block is read.
            match reflection.resources.iter_mut().find(same) {
                Some(known) => {
                    let bytes = resource.block.map_or(0, |block| block.bytes);
                    known.block.iter_mut().for_each(|block| block.bytes = block.bytes.max(bytes));
                }
                None => reflection.resources.push(resource),
            }
        }
        _ => {}
    }
}

fn resource(ids: &Ids<'_>, own: Word, ty: Word, class: StorageClass) -> Option<Resource> {
    let set = ids.number(own, None, Decoration::DescriptorSet)?;
    let binding = ids.number(own, None, Decoration::Binding)?;
    let (element, count) = ids.array(ty).unwrap_or((ty, Some(1)));
    let is_block = class != StorageClass::UniformConstant;
    let is_storage = class == StorageClass::StorageBuffer || ids.has(element, None, Decoration::BufferBlock);
    let kind = match (is_block, is_storage) {
        (true, true) => "storage buffer",
        (true, false) => "uniform buffer",
        (false, _) => image_kind(ids, element),
    };
    // The name of a variable of GLSL without one is that of its block.
    let name = match ids.name(own, None) {
        name if name.is_empty() && is_block => ids.name(element, None),
        name => name,
    };
    let ty = if is_block { String::new() } else { ids.describe(element) };
    Some(Resource { set, binding, kind, count, name, ty, block: is_block.then(|| block(ids, element)) })
}

/// The kind of descriptors of images and samplers, as Vulkan's names of their types say it.
fn image_kind(ids: &Ids<'_>, ty: Word) -> &'static str {
    let found = ids.get(ty);
    let image = |found: &Instruction| {
        let is_buffer = matches!(found.operands.get(1), Some(Operand::Dim(spirv::Dim::DimBuffer)));
        let is_subpass = matches!(found.operands.get(1), Some(Operand::Dim(spirv::Dim::DimSubpassData)));
        match (is_subpass, is_buffer, literal(found.operands.get(5)) == Some(2)) {
            (true, _, _) => "input attachment",
            (_, true, true) => "storage texel buffer",
            (_, true, false) => "uniform texel buffer",
            (_, false, true) => "storage image",
            (_, false, false) => "sampled image",
        }
    };
    match found.map(|found| (found.class.opcode, found)) {
        Some((Op::TypeSampler, _)) => "sampler",
        Some((Op::TypeSampledImage, found)) => {
            let inner = id(found.operands.first()).and_then(|inner| ids.get(inner)).map(image);
            if inner == Some("uniform texel buffer") {
                "uniform texel buffer"
            } else {
                "combined image sampler"
            }
        }
        Some((Op::TypeImage, found)) => image(found),
        Some((Op::TypeAccelerationStructureKHR, _)) => "acceleration structure",
        _ => "unknown",
    }
}

fn block(ids: &Ids<'_>, ty: Word) -> Block {
    let (bytes, is_open) = ids.size(ty);
    let members = (0..).zip(ids.members(ty).unwrap_or_default()).map(|(number, member)| Member {
        name: ids.name(ty, Some(number)),
        ty: ids.describe(member),
        offset: ids.number(ty, Some(number), Decoration::Offset),
        bytes: ids.size(member).0,
    });
    Block { bytes, is_open, members: members.collect() }
}

fn add_io(ids: &Ids<'_>, own: Word, ty: Word, reflection: &mut Reflection, is_output: bool) {
    let is_patch = ids.has(own, None, Decoration::Patch);
    let stage = reflection.stage;
    let has_vertices = match is_output {
        true => ["tess_ctrl", "mesh"].contains(&stage),
        false => ["tess_ctrl", "tess_eval", "geometry"].contains(&stage),
    };
    let element = match ids.array(ty) {
        Some((element, _)) if has_vertices && !is_patch => element,
        _ => ty,
    };
    let list = if is_output { &mut reflection.outputs } else { &mut reflection.inputs };
    let is_block = ids.has(element, None, Decoration::Block);
    if !is_block {
        let capture = captured(ids, own, None);
        list.push(io(ids, [(own, None); 2], element, is_patch, capture));
        return;
    }
    let start = ids.number(own, None, Decoration::Location);
    let mut next = start.unwrap_or(0);
    for (number, member) in (0..).zip(ids.members(element).unwrap_or_default()) {
        let at = (element, Some(number));
        let mut found = io(ids, [at, (own, None)], member, is_patch, captured(ids, element, Some(number)));
        if ids.number(element, Some(number), Decoration::Location).is_none() {
            found.location = next;
        }
        next = found.location.saturating_add(ids.locations(member));
        list.push(found);
    }
}

/// An input or output with the decorations of the first of two places that has each.
fn io(ids: &Ids<'_>, places: [(Word, Option<u32>); 2], ty: Word, is_patch: bool, capture: Option<[u32; 3]>) -> Io {
    let number = |decoration| places.iter().find_map(|(id, member)| ids.number(*id, *member, decoration));
    let builtin = number(Decoration::BuiltIn).map(crate::varyings::builtin);
    Io {
        name: ids.name(places[0].0, places[0].1),
        ty: ids.describe(ty),
        location: if builtin.is_some() { 0 } else { number(Decoration::Location).unwrap_or(0) },
        builtin,
        component: number(Decoration::Component).unwrap_or(0),
        index: number(Decoration::Index).unwrap_or(0),
        patch: is_patch || ids.has(places[0].0, places[0].1, Decoration::Patch),
        capture,
    }
}

fn captured(ids: &Ids<'_>, id: Word, member: Option<u32>) -> Option<[u32; 3]> {
    let number = |decoration| ids.number(id, member, decoration);
    let offset = number(Decoration::Offset)?;
    Some([number(Decoration::XfbBuffer).unwrap_or(0), number(Decoration::XfbStride).unwrap_or(0), offset])
}

fn constants(ids: &Ids<'_>) -> Vec<Constant> {
    let constant = |it: &Instruction| {
        let own = it.result_id?;
        let id = ids.number(own, None, Decoration::SpecId)?;
        let ty = ids.describe(it.result_type?);
        let default = match (it.class.opcode, it.operands.first()) {
            (Op::SpecConstantTrue, _) => "true".into(),
            (Op::SpecConstantFalse, _) => "false".into(),
            (_, Some(Operand::LiteralBit32(bits))) => match ty.as_str() {
                "float" => format!("{:?}", f32::from_bits(*bits)),
                "int" => (*bits as i32).to_string(),
                _ => bits.to_string(),
            },
            (_, Some(Operand::LiteralBit64(bits))) if ty == "double" => format!("{:?}", f64::from_bits(*bits)),
            (_, Some(Operand::LiteralBit64(bits))) => bits.to_string(),
            _ => return None,
        };
        Some(Constant { id, name: ids.name(own, None), ty, default })
    };
    let mut all: Vec<Constant> = ids.module.types_global_values.iter().filter_map(constant).collect();
    all.sort_by_key(|constant| constant.id);
    all
}
