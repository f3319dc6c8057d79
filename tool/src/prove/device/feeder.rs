// SPDX-License-Identifier: MIT

//! A shader that gives chosen numbers to the inputs of another stage.
//!
//! It is made of the types of that stage's module: each input has an output of the same type, Location and Component. A vertex shader is
//! before a fragment or geometry shader, a tessellation control shader before a tessellation evaluation shader.

use super::capture::decoration;
use super::interface::{Interface, Variable};
use rspirv::binary::Assemble as _;
use rspirv::dr::{self, Builder, Instruction, Operand};
use spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Op,
    StorageClass, Word,
};

/// The corners of a triangle that covers all pixels, and whose front is seen: the attribute at Location 0.
pub(super) const CORNERS: [[f32; 4]; 3] = [[-1., -1., 0., 1.], [3., -1., 0., 1.], [-1., 3., 0., 1.]];

/// Gives the number of a cell of an input, for one of its vertices if each has one.
pub(super) type Number<'a> = dyn FnMut(&Variable, Option<u64>, u64) -> u32 + 'a;

/// The words of a vertex shader for a fragment shader.
pub(super) fn of_fragment(interface: &Interface, number: &mut Number<'_>) -> Result<Vec<u32>, String> {
    let mut feeder = Feeder::new(interface, number);
    let mut stores = Vec::new();
    for input in inputs(interface, |it| it.builtin.is_none())? {
        stores.push((feeder.output(&input, input.ty), feeder.constant((&input, None), input.ty)?));
    }
    feeder.finish(&stores).map_err(|error| error.to_string())
}

/// The words of a shader for a geometry or tessellation evaluation shader with so many vertices: a vertex shader, or a tessellation
/// control shader whose levels are 1.
pub(super) fn of_vertices(
    interface: &Interface,
    (count, is_control): (u32, bool),
    number: &mut Number<'_>,
) -> Result<Vec<u32>, String> {
    let mut feeder = Feeder::new(interface, number);
    let (mut arrays, mut stores) = (Vec::new(), Vec::new());
    for input in inputs(interface, |it| it.builtin.is_none() || OF_VERTICES.contains(&it.builtin))? {
        if input.is_patch {
            stores.push((feeder.output(&input, input.ty), feeder.constant((&input, None), input.ty)?));
            continue;
        }
        let parts = interface.constituents(input.ty)?;
        let (Some(of_vertex), true) = (parts.first().copied(), parts.len() == count as usize) else {
            return Err(format!("an input does not have {count} vertices"));
        };
        let values = (0..u64::from(count)).map(|vertex| feeder.constant((&input, Some(vertex)), of_vertex));
        let values: Vec<Word> = values.collect::<Result<_, _>>()?;
        let value = feeder.b.constant_composite(input.ty, values);
        let output = feeder.output(&input, if is_control { input.ty } else { of_vertex });
        arrays.push(Array { of_vertex, ty: input.ty, value, output });
    }
    let words = if is_control { feeder.control(count, &arrays, &stores) } else { feeder.vertices(&arrays) };
    words.map_err(|error| error.to_string())
}

/// The words of a vertex shader without inputs and outputs.
pub(super) fn nothing() -> Result<Vec<u32>, String> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    b.capability(Capability::Shader);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let void = b.type_void();
    let main_type = b.type_function(void, []);
    let mut make = || {
        let main = b.begin_function(void, None, FunctionControl::NONE, main_type)?;
        b.begin_block(None)?;
        b.ret()?;
        b.end_function()?;
        b.entry_point(ExecutionModel::Vertex, main, "main", []);
        Ok(())
    };
    make().map_err(|error: dr::Error| error.to_string())?;
    Ok(b.module().assemble())
}

/// Built-in inputs of a vertex that the stage before writes.
const OF_VERTICES: [Option<BuiltIn>; 4] =
    [Some(BuiltIn::Position), Some(BuiltIn::PointSize), Some(BuiltIn::ClipDistance), Some(BuiltIn::CullDistance)];

/// An input that each vertex has, with the numbers of all.
struct Array {
    of_vertex: Word,
    ty: Word,
    value: Word,
    output: Word,
}

/// The inputs that another stage writes.
fn inputs(interface: &Interface, is_it: impl Fn(&Variable) -> bool) -> Result<Vec<Variable>, String> {
    let mut inputs = interface.variables(StorageClass::Input);
    inputs.retain(is_it);
    match inputs.iter().any(|it| it.member.is_some()) {
        true => Err("an input is in a block".to_owned()),
        false => Ok(inputs),
    }
}

/// A module with the capabilities, types and constants of another.
fn with_types(interface: &Interface) -> dr::Module {
    let mut module = interface.module.clone();
    module.functions.clear();
    module.entry_points.clear();
    module.execution_modes.clear();
    module.debug_names.clear();
    let is_kept = |inst: &Instruction| !matches!(inst.class.opcode, Op::Variable | Op::Undef);
    module.types_global_values.retain(is_kept);
    let kept: Vec<Word> = module.types_global_values.iter().filter_map(|inst| inst.result_id).collect();
    module.annotations.retain(|it| decoration(it).is_some_and(|(target, _)| kept.contains(&target)));
    module
}

struct Feeder<'a> {
    interface: &'a Interface,
    number: &'a mut Number<'a>,
    b: Builder,
}

/// Decorations of an input that its output has, too.
const KEPT: [Decoration; 4] = [Decoration::Location, Decoration::Component, Decoration::BuiltIn, Decoration::Patch];

impl<'a> Feeder<'a> {
    fn new(interface: &'a Interface, number: &'a mut Number<'a>) -> Feeder<'a> {
        Feeder { interface, number, b: Builder::new_from_module(with_types(interface)) }
    }

    /// The output of a type for an input.
    fn output(&mut self, input: &Variable, ty: Word) -> Word {
        let output = self.variable(StorageClass::Output, ty);
        let own = self.interface.module.annotations.iter().filter(|it| it.operands[0] == Operand::IdRef(input.id));
        for inst in own {
            if let Some(Operand::Decoration(decoration)) = inst
                .operands
                .get(1)
                .filter(|it| matches!(it, Operand::Decoration(decoration) if KEPT.contains(decoration)))
            {
                self.b.decorate(output, *decoration, inst.operands[2..].iter().cloned());
            }
        }
        output
    }

    fn variable(&mut self, class: StorageClass, ty: Word) -> Word {
        let pointer = self.b.type_pointer(None, class, ty);
        self.b.variable(pointer, None, class, None)
    }

    /// The constant with the numbers of an input, or of a vertex of it, that has a type.
    fn constant(&mut self, of: (&Variable, Option<u64>), ty: Word) -> Result<Word, String> {
        let scalars = self.interface.scalars_of(of.0, ty)?;
        let numbers: Vec<u32> = scalars.iter().map(|scalar| (self.number)(of.0, of.1, scalar.cell)).collect();
        self.composite(ty, &mut numbers.into_iter())
    }

    /// The constant of a type with these numbers.
    fn composite(&mut self, ty: Word, numbers: &mut dyn Iterator<Item = u32>) -> Result<Word, String> {
        let parts = self.interface.constituents(ty)?;
        if parts.is_empty() {
            let mut next = || numbers.next().unwrap_or(0);
            let bits = self.interface.value(ty).and_then(|inst| inst.operands.first().cloned());
            return Ok(match bits {
                Some(Operand::LiteralBit32(64)) => {
                    let [low, high] = [next(), next()].map(u64::from);
                    self.b.constant_bit64(ty, high << 32 | low)
                }
                _ => self.b.constant_bit32(ty, next()),
            });
        }
        let parts: Vec<Word> = parts.into_iter().map(|part| self.composite(part, numbers)).collect::<Result<_, _>>()?;
        Ok(self.b.constant_composite(ty, parts))
    }

    /// A vertex shader that stores its part of each array.
    fn vertices(mut self, arrays: &[Array]) -> Result<Vec<u32>, dr::Error> {
        self.arrays(arrays, &[], (ExecutionModel::Vertex, BuiltIn::VertexIndex), &mut Vec::new())?;
        Ok(self.b.module().assemble())
    }

    /// A tessellation control shader that stores its part of each array, and what the patch has.
    fn control(mut self, count: u32, arrays: &[Array], stores: &[(Word, Word)]) -> Result<Vec<u32>, dr::Error> {
        let (float, uint) = (self.b.type_float(32, None), self.b.type_int(32, 0));
        let one = self.b.constant_bit32(float, 1f32.to_bits());
        let (mut stores, mut own) = (stores.to_vec(), Vec::new());
        for (builtin, count) in [(BuiltIn::TessLevelOuter, 4), (BuiltIn::TessLevelInner, 2)] {
            let length = self.b.constant_bit32(uint, count);
            let ty = self.b.type_array(float, length);
            let value = self.b.constant_composite(ty, vec![one; count as usize]);
            let level = self.variable(StorageClass::Output, ty);
            self.b.decorate(level, Decoration::BuiltIn, [Operand::BuiltIn(builtin)]);
            self.b.decorate(level, Decoration::Patch, []);
            stores.push((level, value));
            own.push(level);
        }
        let model = (ExecutionModel::TessellationControl, BuiltIn::InvocationId);
        let main = self.arrays(arrays, &stores, model, &mut own)?;
        self.b.execution_mode(main, ExecutionMode::OutputVertices, [count]);
        Ok(self.b.module().assemble())
    }

    /// The main function that stores an element of each array, and all of `stores`.
    fn arrays(
        &mut self,
        arrays: &[Array],
        stores: &[(Word, Word)],
        (model, number): (ExecutionModel, BuiltIn),
        all: &mut Vec<Word>,
    ) -> Result<Word, dr::Error> {
        let (void, uint) = (self.b.type_void(), self.b.type_int(32, 0));
        let main_type = self.b.type_function(void, []);
        let index = self.variable(StorageClass::Input, uint);
        self.b.decorate(index, Decoration::BuiltIn, [Operand::BuiltIn(number)]);
        let mut lists = Vec::new();
        for array in arrays {
            let pointer = self.b.type_pointer(None, StorageClass::Private, array.ty);
            lists.push(self.b.variable(pointer, None, StorageClass::Private, Some(array.value)));
        }
        let classes = [StorageClass::Private, StorageClass::Output];
        let main = self.b.begin_function(void, None, FunctionControl::NONE, main_type)?;
        self.b.begin_block(None)?;
        let at = self.b.load(uint, None, index, None, [])?;
        for (array, list) in arrays.iter().zip(&lists) {
            let [of_list, of_output] = classes.map(|class| self.b.type_pointer(None, class, array.of_vertex));
            let from = self.b.access_chain(of_list, None, *list, [at])?;
            let value = self.b.load(array.of_vertex, None, from, None, [])?;
            let to = match model {
                ExecutionModel::Vertex => array.output,
                _ => self.b.access_chain(of_output, None, array.output, [at])?,
            };
            self.b.store(to, value, None, [])?;
        }
        for (output, value) in stores {
            self.b.store(*output, *value, None, [])?;
        }
        self.b.ret()?;
        self.b.end_function()?;
        // Before version 1.4, only inputs and outputs are in the list.
        let is_listed = self.b.module_ref().header.as_ref().is_some_and(|header| header.version >= 0x0001_0400);
        all.extend(arrays.iter().map(|array| array.output).chain(stores.iter().map(|store| store.0)).chain([index]));
        all.extend(lists.into_iter().filter(|_| is_listed));
        all.sort_unstable();
        all.dedup();
        self.b.entry_point(model, main, "main", all.clone());
        Ok(main)
    }

    /// The words of the module, whose main function stores constants to outputs.
    fn finish(mut self, stores: &[(Word, Word)]) -> Result<Vec<u32>, dr::Error> {
        let (void, float) = (self.b.type_void(), self.b.type_float(32, None));
        let (vec4, main_type) = (self.b.type_vector(float, 4), self.b.type_function(void, []));
        let [corner, position] = [StorageClass::Input, StorageClass::Output].map(|class| self.variable(class, vec4));
        let b = &mut self.b;
        b.decorate(corner, Decoration::Location, [Operand::LiteralBit32(0)]);
        b.decorate(position, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::Position)]);
        let main = b.begin_function(void, None, FunctionControl::NONE, main_type)?;
        b.begin_block(None)?;
        let place = b.load(vec4, None, corner, None, [])?;
        for (output, value) in stores.iter().copied().chain([(position, place)]) {
            b.store(output, value, None, [])?;
        }
        b.ret()?;
        b.end_function()?;
        let interface: Vec<Word> = stores.iter().map(|store| store.0).chain([corner, position]).collect();
        b.entry_point(ExecutionModel::Vertex, main, "main", interface);
        Ok(self.b.module().assemble())
    }
}
