// SPDX-License-Identifier: MIT

//! A vertex shader that gives chosen numbers to the inputs of a fragment shader.
//!
//! It is made of the types of the fragment shader's module: each input has an output of the same type, Location and Component.

use super::capture::decoration;
use super::interface::{Interface, Variable};
use rspirv::binary::Assemble as _;
use rspirv::dr::{self, Builder, Instruction, Operand};
use spirv::{BuiltIn, Decoration, ExecutionModel, FunctionControl, Op, StorageClass, Word};

/// The corners of a triangle that covers all pixels, and whose front is seen: the attribute at Location 0.
pub(super) const CORNERS: [[f32; 4]; 3] = [[-1., -1., 0., 1.], [3., -1., 0., 1.], [-1., 3., 0., 1.]];

/// The words of the vertex shader, with the number of each cell.
pub(super) fn of_fragment(interface: &Interface, number: &mut dyn FnMut(u64) -> u32) -> Result<Vec<u32>, String> {
    let inputs = interface.variables(StorageClass::Input);
    let mut feeder = Feeder { interface, number, b: Builder::new_from_module(with_types(interface)) };
    let mut stores = Vec::new();
    for input in inputs.iter().filter(|it| it.builtin.is_none()) {
        if input.member.is_some() {
            return Err("an input is in a block".to_owned());
        }
        let (output, mut cells) = (feeder.output(input), interface.scalars(input)?.into_iter().map(|it| it.cell));
        stores.push((output, feeder.constant(input.ty, &mut cells)?));
    }
    feeder.finish(&stores).map_err(|error| error.to_string())
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
    number: &'a mut dyn FnMut(u64) -> u32,
    b: Builder,
}

impl Feeder<'_> {
    /// The output for an input.
    fn output(&mut self, input: &Variable) -> Word {
        let output = self.variable(StorageClass::Output, input.ty);
        let own = self.interface.module.annotations.iter().filter(|it| it.operands[0] == Operand::IdRef(input.id));
        for inst in own {
            if let Some(Operand::Decoration(decoration @ (Decoration::Location | Decoration::Component))) =
                inst.operands.get(1)
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

    /// The constant of a type with the numbers of its cells, in their order.
    fn constant(&mut self, ty: Word, cells: &mut dyn Iterator<Item = u64>) -> Result<Word, String> {
        let parts = self.interface.constituents(ty)?;
        if parts.is_empty() {
            let mut next = || cells.next().map_or(0, |cell| (self.number)(cell));
            let bits = self.interface.value(ty).and_then(|inst| inst.operands.first().cloned());
            return Ok(match bits {
                Some(Operand::LiteralBit32(64)) => {
                    let [low, high] = [next(), next()].map(u64::from);
                    self.b.constant_bit64(ty, high << 32 | low)
                }
                _ => {
                    let number = next();
                    self.b.constant_bit32(ty, number)
                }
            });
        }
        let parts: Vec<Word> = parts.into_iter().map(|part| self.constant(part, cells)).collect::<Result<_, _>>()?;
        Ok(self.b.constant_composite(ty, parts))
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
