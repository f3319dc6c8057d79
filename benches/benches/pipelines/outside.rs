// SPDX-License-Identifier: MIT

//! The other parts of a module's pipeline: attributes and attachments, and before it a vertex shader that declares the outputs
//! that the module reads, without writing them.

use crate::partners;
use crate::subject::{operand, Subject};
use anyhow::Result;
use ntv_driver::headless::{vk, Attachment, Attribute};
use rspirv::dr::{self, Operand};
use spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};

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
            partner: partners::vertex(&subject, false)?,
        })
    }
}

/// A variable at a location.
struct Variable {
    /// The type of the value.
    ty: u32,
    location: u32,
}

impl Subject<'_> {
    /// The variables of a class that have locations.
    fn located(&self, class: StorageClass) -> Result<Vec<Variable>> {
        let all = self.variables(class)?.into_iter();
        let location = |id| self.decoration(id, Decoration::Location);
        Ok(all.filter_map(|(id, ty)| Some(Variable { ty, location: location(id)? })).collect())
    }

    fn has_mode(&self, wanted: ExecutionMode) -> bool {
        let mut modes = self.module.execution_modes.iter();
        modes.any(|inst| inst.operands.get(1) == Some(&Operand::ExecutionMode(wanted)))
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
        let inputs = if self.is(ExecutionModel::Vertex) { self.located(StorageClass::Input)? } else { Vec::new() };
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
        let outputs = if self.is(ExecutionModel::Fragment) { self.located(StorageClass::Output)? } else { Vec::new() };
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
}

const TOPOLOGIES: &[(ExecutionMode, vk::PrimitiveTopology)] = &[
    (ExecutionMode::InputPoints, vk::PrimitiveTopology::POINT_LIST),
    (ExecutionMode::InputLines, vk::PrimitiveTopology::LINE_LIST),
    (ExecutionMode::InputLinesAdjacency, vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY),
    (ExecutionMode::InputTrianglesAdjacency, vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY),
];
