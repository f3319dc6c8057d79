// SPDX-License-Identifier: MIT

//! The other parts of a module's pipeline: attributes and attachments, and before it a vertex shader that declares the outputs
//! that the module reads, without writing them.

use anyhow::{Context, Result};
use ntv_driver::headless::{vk, Attachment, Attribute};
use rspirv::binary::Assemble;
use rspirv::dr::{self, Builder, Operand};
use spirv::{AddressingModel, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use std::collections::HashMap;

/// The surroundings of a module in a pipeline.
pub(crate) struct Outside {
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) attributes: Vec<Attribute<'static>>,
    pub(crate) attachments: Vec<Attachment>,
    /// The words of the vertex shader.
    pub(crate) partner: Vec<u32>,
}

impl Outside {
    pub(crate) fn new(module: &dr::Module) -> Result<Outside> {
        let subject = Subject::new(module);
        Ok(Outside {
            topology: subject.topology(),
            attributes: subject.attributes()?,
            attachments: subject.attachments()?,
            partner: subject.partner()?,
        })
    }
}

/// A module, with its types and constants by id.
struct Subject<'a> {
    module: &'a dr::Module,
    globals: HashMap<u32, &'a dr::Instruction>,
}

/// A variable at a location.
struct Variable {
    id: u32,
    /// The type of the value.
    ty: u32,
    location: u32,
}

impl<'a> Subject<'a> {
    fn new(module: &'a dr::Module) -> Subject<'a> {
        let globals = module.types_global_values.iter().filter_map(|inst| Some((inst.result_id?, inst)));
        Subject { module, globals: globals.collect() }
    }

    fn global(&self, id: u32) -> Result<&'a dr::Instruction> {
        self.globals.get(&id).copied().with_context(|| format!("there is no global %{id}"))
    }

    /// The value of a decoration of a variable.
    fn decoration(&self, id: u32, wanted: Decoration) -> Option<u32> {
        self.module.annotations.iter().find_map(|inst| match &inst.operands[..] {
            [Operand::IdRef(target), Operand::Decoration(decoration), Operand::LiteralBit32(value)] => {
                (*target == id && *decoration == wanted && inst.class.opcode == Op::Decorate).then_some(*value)
            }
            _ => None,
        })
    }

    /// The variables of a class that have locations.
    fn variables(&self, class: StorageClass) -> Result<Vec<Variable>> {
        let mut variables = Vec::new();
        for inst in &self.module.types_global_values {
            let (Op::Variable, Some(id), Some(pointer)) = (inst.class.opcode, inst.result_id, inst.result_type) else {
                continue;
            };
            let pointee = operand(self.global(pointer)?, 1)?;
            let location = self.decoration(id, Decoration::Location);
            if let (Some(location), true) = (location, inst.operands.first() == Some(&Operand::StorageClass(class))) {
                variables.push(Variable { id, ty: pointee, location });
            }
        }
        Ok(variables)
    }

    fn has_mode(&self, wanted: ExecutionMode) -> bool {
        let mut modes = self.module.execution_modes.iter();
        modes.any(|inst| inst.operands.get(1) == Some(&Operand::ExecutionMode(wanted)))
    }

    fn is(&self, model: ExecutionModel) -> bool {
        let mut entries = self.module.entry_points.iter();
        entries.any(|inst| inst.operands.first() == Some(&Operand::ExecutionModel(model)))
    }

    /// The input primitives of a geometry shader; triangles for other stages.
    fn topology(&self) -> vk::PrimitiveTopology {
        let found = TOPOLOGIES.iter().find(|(mode, _)| self.has_mode(*mode));
        match found {
            Some((_, topology)) if self.is(ExecutionModel::Geometry) => *topology,
            _ => vk::PrimitiveTopology::TRIANGLE_LIST,
        }
    }

    /// An attribute for each location that a vertex shader reads.
    fn attributes(&self) -> Result<Vec<Attribute<'static>>> {
        let inputs = if self.is(ExecutionModel::Vertex) { self.variables(StorageClass::Input)? } else { Vec::new() };
        let mut attributes: Vec<Attribute<'static>> = Vec::new();
        for variable in inputs {
            let (format, slots) = self.format(variable.ty)?;
            for location in variable.location..variable.location + slots {
                // Several variables may share a location, by component.
                if attributes.iter().all(|old| old.location != location) {
                    attributes.push(Attribute { location, format, bytes: &[], per_instance: false });
                }
            }
        }
        Ok(attributes)
    }

    /// Targets up to the last that a fragment shader writes.
    fn attachments(&self) -> Result<Vec<Attachment>> {
        let outputs =
            if self.is(ExecutionModel::Fragment) { self.variables(StorageClass::Output)? } else { Vec::new() };
        let mut attachments = Vec::new();
        for variable in outputs {
            let (format, slots) = self.format(variable.ty)?;
            let end = (variable.location + slots) as usize;
            let unwritten = Attachment { format: vk::Format::R32G32B32A32_SFLOAT, clear: Vec::new() };
            attachments.resize(end.max(attachments.len()), unwritten);
            attachments[variable.location as usize..end].iter_mut().for_each(|attachment| attachment.format = format);
        }
        Ok(attachments)
    }

    /// The format of a value of the type, and the number of its locations.
    fn format(&self, ty: u32) -> Result<(vk::Format, u32)> {
        let inst = self.global(ty)?;
        match inst.class.opcode {
            Op::TypeArray => {
                let (format, slots) = self.format(operand(inst, 0)?)?;
                Ok((format, slots * operand(self.global(operand(inst, 1)?)?, 0)?))
            }
            Op::TypeMatrix => Ok((self.format(operand(inst, 0)?)?.0, operand(inst, 1)?)),
            Op::TypeVector => self.format(operand(inst, 0)?),
            Op::TypeFloat if operand(inst, 0)? == 32 => Ok((vk::Format::R32G32B32A32_SFLOAT, 1)),
            Op::TypeInt if operand(inst, 0)? == 32 && operand(inst, 1)? == 0 => Ok((vk::Format::R32G32B32A32_UINT, 1)),
            Op::TypeInt if operand(inst, 0)? == 32 => Ok((vk::Format::R32G32B32A32_SINT, 1)),
            opcode => anyhow::bail!("an attribute or attachment of type {opcode:?} instead of a 32-bit number"),
        }
    }

    /// The words of the vertex shader that declares the inputs of this module.
    fn partner(&self) -> Result<Vec<u32>> {
        let mut b = Builder::new();
        b.set_version(1, 3);
        // Its declarations may need any of them.
        b.module_mut().capabilities.clone_from(&self.module.capabilities);
        b.module_mut().extensions.clone_from(&self.module.extensions);
        b.memory_model(AddressingModel::Logical, spirv::MemoryModel::GLSL450);
        let (mut known, mut interface) = (HashMap::new(), Vec::new());
        for variable in self.variables(StorageClass::Input)? {
            // A geometry shader has an array with the vertices of the primitive.
            let ty = match self.is(ExecutionModel::Geometry) {
                true => operand(self.global(variable.ty)?, 0)?,
                false => variable.ty,
            };
            let ty = self.copy(ty, &mut b, &mut known)?;
            let pointer = b.type_pointer(None, StorageClass::Output, ty);
            let output = b.variable(pointer, None, StorageClass::Output, None);
            for decoration in [Decoration::Location, Decoration::Component] {
                if let Some(value) = self.decoration(variable.id, decoration) {
                    b.decorate(output, decoration, [Operand::LiteralBit32(value)]);
                }
            }
            interface.push(output);
        }
        let void = b.type_void();
        let function = b.type_function(void, []);
        let main = b.begin_function(void, None, spirv::FunctionControl::NONE, function)?;
        b.begin_block(None)?;
        b.ret()?;
        b.end_function()?;
        b.entry_point(ExecutionModel::Vertex, main, "main", interface);
        Ok(b.module().assemble())
    }

    /// The id in `b` of a type or constant of the module.
    fn copy(&self, id: u32, b: &mut Builder, known: &mut HashMap<u32, u32>) -> Result<u32> {
        if let Some(copy) = known.get(&id) {
            return Ok(*copy);
        }
        let mut inst = self.global(id)?.clone();
        if let Some(ty) = &mut inst.result_type {
            *ty = self.copy(*ty, b, known)?;
        }
        for operand in &mut inst.operands {
            if let Operand::IdRef(id) = operand {
                *id = self.copy(*id, b, known)?;
            }
        }
        let copy = b.id();
        inst.result_id = Some(copy);
        b.insert_types_global_values(dr::InsertPoint::End, inst);
        known.insert(id, copy);
        Ok(copy)
    }
}

/// An operand that is an id or a number.
fn operand(inst: &dr::Instruction, at: usize) -> Result<u32> {
    match inst.operands.get(at) {
        Some(Operand::IdRef(value) | Operand::LiteralBit32(value)) => Ok(*value),
        _ => anyhow::bail!("{:?} has no operand {at}", inst.class.opcode),
    }
}

const TOPOLOGIES: &[(ExecutionMode, vk::PrimitiveTopology)] = &[
    (ExecutionMode::InputPoints, vk::PrimitiveTopology::POINT_LIST),
    (ExecutionMode::InputLines, vk::PrimitiveTopology::LINE_LIST),
    (ExecutionMode::InputLinesAdjacency, vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY),
    (ExecutionMode::InputTrianglesAdjacency, vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY),
];
