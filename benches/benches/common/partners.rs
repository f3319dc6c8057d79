// SPDX-License-Identifier: MIT

//! The other shaders of a pipeline of a module: they have the interface that the module needs, and pass its values on.

use super::subject::{operand, Subject};
use anyhow::Result;
use rspirv::binary::Assemble;
use rspirv::dr::{Builder, InsertPoint, Operand};
use spirv::{AddressingModel, BuiltIn, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op, StorageClass};
use std::collections::HashMap;

/// The most vertices of a patch, which is the length of arrays of inputs.
const PATCH: u32 = 32;

/// The words of the vertex shader before a module. If it `writes` the module's inputs, they are its attributes.
pub(crate) fn vertex(subject: &Subject<'_>, writes: bool) -> Result<Vec<u32>> {
    Partner::new(subject, ExecutionModel::Vertex).words(writes)
}

/// The words of the tessellation control shader before a module of tessellation evaluation.
#[allow(dead_code, reason = "some benches have no tessellation")]
pub(crate) fn control(subject: &Subject<'_>) -> Result<Vec<u32>> {
    Partner::new(subject, ExecutionModel::TessellationControl).words(true)
}

/// The words of the tessellation evaluation shader after a module of tessellation control.
#[allow(dead_code, reason = "some benches have no tessellation")]
pub(crate) fn evaluation(subject: &Subject<'_>) -> Result<Vec<u32>> {
    Partner::new(subject, ExecutionModel::TessellationEvaluation).words(true)
}

/// A partner in the making.
struct Partner<'a> {
    subject: &'a Subject<'a>,
    model: ExecutionModel,
    b: Builder,
    /// The copies of types and constants of the subject.
    known: HashMap<u32, u32>,
    /// The inputs and outputs.
    interface: Vec<u32>,
    /// The first location that no variable has.
    free: u32,
}

/// Where the value of a variable goes to or comes from.
#[derive(Clone, Copy)]
enum Place {
    Located { location: u32, component: Option<u32> },
    Built(BuiltIn),
}

/// A variable of the subject that the partner has, too.
struct Shared {
    place: Place,
    is_patch: bool,
    /// The type of a vertex's value.
    ty: u32,
}

/// One of the two variables between which a partner passes a value on.
#[derive(Clone, Copy)]
struct End {
    variable: u32,
    class: StorageClass,
    /// Whether it is an array with an element for each vertex.
    is_array: bool,
}

impl<'a> Partner<'a> {
    fn new(subject: &'a Subject<'a>, model: ExecutionModel) -> Partner<'a> {
        let mut b = Builder::new();
        b.set_version(1, 3);
        // Its declarations may need any of them.
        b.module_mut().capabilities.clone_from(&subject.module.capabilities);
        b.module_mut().extensions.clone_from(&subject.module.extensions);
        b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        Partner { subject, model, b, known: HashMap::new(), interface: Vec::new(), free: 0 }
    }

    fn words(mut self, writes: bool) -> Result<Vec<u32>> {
        let all = self.shared()?;
        let mut passed = Vec::new();
        for shared in all.iter().filter(|shared| writes || matches!(shared.place, Place::Located { .. })) {
            let ty = self.copy(shared.ty)?;
            passed.push((ty, self.near(shared, ty), self.far(shared, ty)));
        }
        let levels = (self.model == ExecutionModel::TessellationControl).then(|| self.levels());
        let void = self.b.type_void();
        let function = self.b.type_function(void, []);
        let main = self.b.begin_function(void, None, spirv::FunctionControl::NONE, function)?;
        self.b.begin_block(None)?;
        let (zero, vertex) = self.indices()?;
        for &(ty, near, far) in passed.iter().filter(|_| writes) {
            let index = if near.is_array && near.class == StorageClass::Output { vertex } else { zero };
            let (input, output) = if near.class == StorageClass::Output { (far, near) } else { (near, far) };
            self.pass(ty, (input, index), (output, index))?;
        }
        if let Some((number, outputs)) = levels {
            self.write_levels(number, outputs)?;
        }
        self.b.ret()?;
        self.b.end_function()?;
        self.modes(main);
        self.b.entry_point(self.model, main, "main", std::mem::take(&mut self.interface));
        Ok(self.b.module().assemble())
    }

    /// The variables of the subject on the side of the partner.
    fn shared(&mut self) -> Result<Vec<Shared>> {
        let class = match self.model {
            ExecutionModel::TessellationEvaluation => StorageClass::Output,
            _ => StorageClass::Input,
        };
        let mut all = Vec::new();
        for (id, pointee) in self.subject.variables(class)? {
            let Some(place) = self.place(id) else { continue };
            let is_patch = self.subject.is_decorated(id, Decoration::Patch);
            let is_array = !is_patch && !self.subject.is(ExecutionModel::Fragment);
            let ty = if is_array { operand(self.subject.global(pointee)?, 0)? } else { pointee };
            if let Place::Located { location, .. } = place {
                self.free = self.free.max(location + self.slots(ty)?);
            }
            all.push(Shared { place, is_patch, ty });
        }
        Ok(all)
    }

    /// Where the variable has its value, if a partner can write or read it.
    fn place(&self, id: u32) -> Option<Place> {
        const PASSED: [BuiltIn; 4] =
            [BuiltIn::Position, BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];
        if let Some(location) = self.subject.decoration(id, Decoration::Location) {
            return Some(Place::Located { location, component: self.subject.decoration(id, Decoration::Component) });
        }
        PASSED.into_iter().find(|built_in| self.subject.built_in(id) == Some(*built_in)).map(Place::Built)
    }

    /// The variable that the subject shares.
    fn near(&mut self, shared: &Shared, ty: u32) -> End {
        let class = match self.model {
            ExecutionModel::TessellationEvaluation => StorageClass::Input,
            _ => StorageClass::Output,
        };
        let is_array = self.model != ExecutionModel::Vertex && !shared.is_patch;
        let end = self.declare(ty, class, is_array, shared.place);
        if shared.is_patch {
            self.b.decorate(end.variable, Decoration::Patch, []);
        }
        end
    }

    /// The variable on the other side of the partner.
    fn far(&mut self, shared: &Shared, ty: u32) -> End {
        let class = match self.model {
            ExecutionModel::TessellationEvaluation => StorageClass::Output,
            _ => StorageClass::Input,
        };
        let is_array = self.model == ExecutionModel::TessellationControl;
        let place = match shared.place {
            // A vertex shader's inputs are attributes.
            Place::Built(_) if self.model == ExecutionModel::Vertex => self.new_location(shared.ty),
            _ if shared.is_patch => self.new_location(shared.ty),
            place => place,
        };
        self.declare(ty, class, is_array, place)
    }

    fn new_location(&mut self, ty: u32) -> Place {
        let location = self.free;
        self.free += self.slots(ty).unwrap_or(1);
        Place::Located { location, component: None }
    }

    fn declare(&mut self, ty: u32, class: StorageClass, is_array: bool, place: Place) -> End {
        let whole = if is_array { self.array(ty, PATCH) } else { ty };
        let pointer = self.b.type_pointer(None, class, whole);
        let variable = self.b.variable(pointer, None, class, None);
        match place {
            Place::Located { location, component } => {
                self.b.decorate(variable, Decoration::Location, [Operand::LiteralBit32(location)]);
                if let Some(component) = component {
                    self.b.decorate(variable, Decoration::Component, [Operand::LiteralBit32(component)]);
                }
            }
            Place::Built(built_in) => {
                self.b.decorate(variable, Decoration::BuiltIn, [Operand::BuiltIn(built_in)]);
            }
        }
        self.interface.push(variable);
        End { variable, class, is_array }
    }

    fn array(&mut self, ty: u32, count: u32) -> u32 {
        let uint = self.b.type_int(32, 0);
        let count = self.b.constant_bit32(uint, count);
        self.b.type_array(ty, count)
    }

    /// The number of the primitive, and the levels of tessellation with their counts.
    fn levels(&mut self) -> (End, [(End, u32); 2]) {
        let (float, int) = (self.b.type_float(32, None), self.b.type_int(32, 1));
        let number = self.declare(int, StorageClass::Input, false, Place::Built(BuiltIn::PrimitiveId));
        let outputs = [(BuiltIn::TessLevelOuter, 4), (BuiltIn::TessLevelInner, 2)].map(|(built_in, count)| {
            let levels = self.array(float, count);
            let end = self.declare(levels, StorageClass::Output, false, Place::Built(built_in));
            self.b.decorate(end.variable, Decoration::Patch, []);
            (end, count)
        });
        (number, outputs)
    }

    /// Makes all levels the number of the primitive, which no compiler knows.
    fn write_levels(&mut self, number: End, outputs: [(End, u32); 2]) -> Result<()> {
        let (float, int, uint) = (self.b.type_float(32, None), self.b.type_int(32, 1), self.b.type_int(32, 0));
        let number = self.b.load(int, None, number.variable, None, [])?;
        let level = self.b.convert_s_to_f(float, None, number)?;
        let pointer = self.b.type_pointer(None, StorageClass::Output, float);
        for (levels, count) in outputs {
            for at in 0..count {
                let at = self.b.constant_bit32(uint, at);
                let to = self.b.access_chain(pointer, None, levels.variable, [at])?;
                self.b.store(to, level, None, [])?;
            }
        }
        Ok(())
    }

    /// Zero, and the number of the vertex that an invocation writes.
    fn indices(&mut self) -> Result<(u32, u32)> {
        let uint = self.b.type_int(32, 0);
        let zero = self.b.constant_bit32(uint, 0);
        if self.model != ExecutionModel::TessellationControl {
            return Ok((zero, zero));
        }
        let end = self.declare(uint, StorageClass::Input, false, Place::Built(BuiltIn::InvocationId));
        Ok((zero, self.b.load(uint, None, end.variable, None, [])?))
    }

    /// Stores a value of an input in an output.
    fn pass(&mut self, ty: u32, input: (End, u32), output: (End, u32)) -> Result<()> {
        let [from, to] = [input, output].map(|(end, index)| {
            let pointer = self.b.type_pointer(None, end.class, ty);
            match end.is_array {
                true => self.b.access_chain(pointer, None, end.variable, [index]),
                false => Ok(end.variable),
            }
        });
        let value = self.b.load(ty, None, from?, None, [])?;
        Ok(self.b.store(to?, value, None, [])?)
    }

    fn modes(&mut self, main: u32) {
        let (modes, arguments): (&[ExecutionMode], &[u32]) = match self.model {
            ExecutionModel::TessellationControl => (&[ExecutionMode::OutputVertices], &[3]),
            ExecutionModel::TessellationEvaluation => {
                (&[ExecutionMode::Triangles, ExecutionMode::SpacingEqual, ExecutionMode::VertexOrderCcw], &[])
            }
            _ => (&[], &[]),
        };
        modes.iter().for_each(|mode| self.b.execution_mode(main, *mode, arguments));
    }

    /// The number of locations of a value of a type of the subject.
    fn slots(&self, ty: u32) -> Result<u32> {
        let inst = self.subject.global(ty)?;
        Ok(match inst.class.opcode {
            Op::TypeArray => self.slots(operand(inst, 0)?)? * operand(self.subject.global(operand(inst, 1)?)?, 0)?,
            Op::TypeMatrix => self.slots(operand(inst, 0)?)? * operand(inst, 1)?,
            Op::TypeStruct => {
                let members = (0..inst.operands.len()).map(|at| self.slots(operand(inst, at)?));
                members.sum::<Result<u32>>()?
            }
            Op::TypeVector if operand(inst, 1)? > 2 && operand(self.subject.global(operand(inst, 0)?)?, 0)? == 64 => 2,
            _ => 1,
        })
    }

    /// The id of a copy of a type or constant of the subject.
    fn copy(&mut self, id: u32) -> Result<u32> {
        if let Some(copy) = self.known.get(&id) {
            return Ok(*copy);
        }
        let mut inst = self.subject.global(id)?.clone();
        if let Some(ty) = &mut inst.result_type {
            *ty = self.copy(*ty)?;
        }
        for operand in &mut inst.operands {
            if let Operand::IdRef(id) = operand {
                *id = self.copy(*id)?;
            }
        }
        let copy = self.b.id();
        inst.result_id = Some(copy);
        self.b.insert_types_global_values(InsertPoint::End, inst);
        self.known.insert(id, copy);
        Ok(copy)
    }
}
