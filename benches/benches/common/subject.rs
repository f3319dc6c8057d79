// SPDX-License-Identifier: MIT

//! The interface of a module, and a vertex shader for the pipeline of a module of another stage.

use anyhow::{Context, Result};
use rspirv::binary::Assemble;
use rspirv::dr::{self, Builder, Operand};
use spirv::{AddressingModel, Decoration, ExecutionModel, Op, StorageClass};
use std::collections::HashMap;

/// A module, with its types and constants by id.
pub(crate) struct Subject<'a> {
    pub(crate) module: &'a dr::Module,
    globals: HashMap<u32, &'a dr::Instruction>,
}

/// A variable at a location.
pub(crate) struct Variable {
    id: u32,
    /// The type of the value.
    pub(crate) ty: u32,
    #[allow(dead_code, reason = "some benches need no attributes")]
    pub(crate) location: u32,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(module: &'a dr::Module) -> Subject<'a> {
        let globals = module.types_global_values.iter().filter_map(|inst| Some((inst.result_id?, inst)));
        Subject { module, globals: globals.collect() }
    }

    pub(crate) fn global(&self, id: u32) -> Result<&'a dr::Instruction> {
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
    pub(crate) fn variables(&self, class: StorageClass) -> Result<Vec<Variable>> {
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

    pub(crate) fn is(&self, model: ExecutionModel) -> bool {
        let mut entries = self.module.entry_points.iter();
        entries.any(|inst| inst.operands.first() == Some(&Operand::ExecutionModel(model)))
    }

    /// The words of the vertex shader that declares the inputs of this module. If it `writes` them, they are its attributes.
    pub(crate) fn partner(&self, writes: bool) -> Result<Vec<u32>> {
        let mut b = Builder::new();
        b.set_version(1, 3);
        // Its declarations may need any of them.
        b.module_mut().capabilities.clone_from(&self.module.capabilities);
        b.module_mut().extensions.clone_from(&self.module.extensions);
        b.memory_model(AddressingModel::Logical, spirv::MemoryModel::GLSL450);
        let (mut known, mut copied) = (HashMap::new(), Vec::new());
        for variable in self.variables(StorageClass::Input)? {
            // A geometry shader has an array with the vertices of the primitive.
            let ty = match self.is(ExecutionModel::Geometry) {
                true => operand(self.global(variable.ty)?, 0)?,
                false => variable.ty,
            };
            let ty = self.copy(ty, &mut b, &mut known)?;
            let ends = [StorageClass::Output, StorageClass::Input].map(|class| {
                let pointer = b.type_pointer(None, class, ty);
                let end = b.variable(pointer, None, class, None);
                for decoration in [Decoration::Location, Decoration::Component] {
                    if let Some(value) = self.decoration(variable.id, decoration) {
                        b.decorate(end, decoration, [Operand::LiteralBit32(value)]);
                    }
                }
                end
            });
            copied.push((ty, ends));
        }
        let void = b.type_void();
        let function = b.type_function(void, []);
        let main = b.begin_function(void, None, spirv::FunctionControl::NONE, function)?;
        b.begin_block(None)?;
        for (ty, [output, input]) in copied.iter().filter(|_| writes) {
            let value = b.load(*ty, None, *input, None, [])?;
            b.store(*output, value, None, [])?;
        }
        b.ret()?;
        b.end_function()?;
        let interface: Vec<u32> = copied.iter().flat_map(|(_, ends)| *ends).collect();
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
pub(crate) fn operand(inst: &dr::Instruction, at: usize) -> Result<u32> {
    match inst.operands.get(at) {
        Some(Operand::IdRef(value) | Operand::LiteralBit32(value)) => Ok(*value),
        _ => anyhow::bail!("{:?} has no operand {at}", inst.class.opcode),
    }
}
