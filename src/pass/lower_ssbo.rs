//! Accesses to storage blocks by byte offset become accesses through access chains.
//!
//! **What.** `load_ssbo`, `store_ssbo`, `ssbo_atomic` and `ssbo_atomic_swap` go through a block variable `struct {
//! uvec4 base[]; }` with three indices, see `lanes`; `get_ssbo_size` becomes the length of a `uint base[]` at the same
//! binding, times 4.
//!
//! **Why.** Logical SPIR-V has no byte addresses. A buffer's size is asked in units of 4 bytes, the smallest that GL
//! can bind, since OpArrayLength rounds down.
//!
//! A whole vec4 is loaded or stored only where the access covers its last lane, as a buffer's size need not be a
//! multiple of 16.
//!
//! There is one variable per block index where all indices are constants, else one array of blocks. Bytes and 16-bit
//! values that do not fill lanes go through a `uint8_t base[]` or `uint16_t base[]` at the same binding, if the target has
//! such (`storageBuffer8BitAccess`, `storageBuffer16BitAccess`). Else they are written by clearing and setting bits of their
//! lane atomically: other invocations may write the lane's other bytes. 64-bit atomics, which have no lane to point to, go
//! through a `uint64_t base[]`.
//!
//! Before:
//!
//! ```text
//! @store_ssbo (%2, %0 (0x0), %1 (0x18)) (wrmask=x, access=none, align_mul=1073741824, align_offset=24)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = deref_var &ssbo0 (ssbo block)
//! 32    %4 = deref_struct &%3->base (ssbo uvec4[])  // &ssbo0.base
//! 32    %5 = deref_array &(*%4)[1] (ssbo uvec4)  // &ssbo0.base[1]
//! 32    %6 = deref_array &(*%5)[2] (ssbo uint)  // &ssbo0.base[1][2]
//! @store_deref (%6, %2) (wrmask=x, access=none)
//! ```

use super::blocks::{block_pointer, block_type, BasePointers, Element, UINT, UVEC4};
use super::lanes::{self, is_narrow, Address, Memory, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, Shader, Var, Variable};
use crate::op::{Access, AtomicOp, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Feature, Target};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_ssbo",
    about: "accesses to storage blocks by byte offset become access chains",
    removes: Forms::SSBO_OFFSETS,
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    if !OPERATIONS.iter().any(|row| shader.inventory().has(row.0)) {
        return false;
    }
    shader.with_spare(|shader, memory: &mut BlockVars| {
        memory.clear();
        Blocks::new(shader, &context.target, memory).is_some_and(|mut blocks| lower(shader, context, &mut blocks))
    })
}

fn lower(shader: &mut Shader, context: &Context, blocks: &mut Blocks<'_>) -> bool {
    let whole = match context.buffer_access {
        BufferAccess::Lane => Whole::Never,
        BufferAccess::Auto => Whole::Covered,
    };
    let has_elements = |bits| lanes::has_elements(&context.target, bits);
    rewrite(shader, |b, inst| {
        let Some((op, block)) = operation(b.shader, inst) else {
            return Edit::Keep;
        };
        let access = b.shader.index(inst, Index::access);
        match op {
            Intrinsic::get_ssbo_size => Edit::Replace(size(b, blocks, block)),
            Intrinsic::load_ssbo => {
                let size = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
                let address = address(b, inst, 1);
                if has_elements(size.1) && is_narrow(address, size.1, (1 << size.0) - 1, None) {
                    let base = blocks.elements(b, block, size.1);
                    return Edit::Replace(lanes::load_narrow(b, base, access, address, size));
                }
                let memory = blocks.memory(b, block, access, whole);
                Edit::Replace(lanes::load(b, &memory, address, size, lanes::NO_OTHERS))
            }
            Intrinsic::store_ssbo => {
                let value = source(b.shader, inst, 0);
                let mask = b.shader.index(inst, Index::write_mask);
                let address = address(b, inst, 2);
                let bits = b.shader.bit_size(value);
                if has_elements(bits) && is_narrow(address, bits, mask, None) {
                    let base = blocks.elements(b, block, bits);
                    lanes::store_narrow(b, base, access, address, (value, mask));
                    return Edit::Remove;
                }
                let memory = blocks.memory(b, block, access, whole);
                lanes::store(b, &memory, address, value, mask);
                Edit::Remove
            }
            _ => Edit::Replace(atomic(b, &context.target, blocks, inst, block)),
        }
    })
}

/// Operations on storage blocks, and the source that says which block.
const OPERATIONS: &[(Intrinsic, usize)] = &[
    (Intrinsic::load_ssbo, 0),
    (Intrinsic::store_ssbo, 1),
    (Intrinsic::ssbo_atomic, 0),
    (Intrinsic::ssbo_atomic_swap, 0),
    (Intrinsic::get_ssbo_size, 0),
];

/// The opcode of an access to a storage block, and its block index.
fn operation(shader: &Shader, inst: Inst) -> Option<(Intrinsic, Def)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let (_, block) = OPERATIONS.iter().find(|row| row.0 == op)?;
    Some((op, srcs[*block]))
}

fn source(shader: &Shader, inst: Inst, i: usize) -> Def {
    shader.as_intrinsic(inst).map(|(_, srcs)| srcs[i]).expect("an intrinsic")
}

fn address(b: &mut Builder<'_>, inst: Inst, offset: usize) -> Address {
    let offset = source(b.shader, inst, offset);
    let (mul, rem) = (b.shader.index(inst, Index::align_mul), b.shader.index(inst, Index::align_offset));
    Address::new(b, offset, mul, rem)
}

fn size(b: &mut Builder<'_>, blocks: &mut Blocks<'_>, block: Def) -> Def {
    let (var, index) = blocks.find(b, block, UINT);
    let pointer = block_pointer(b, var, index);
    let len = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]).def();
    b.ishl_imm(len, 2)
}

fn atomic(b: &mut Builder<'_>, target: &Target, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let bits = b.shader.insts[inst].bit_size;
    let offset = source(b.shader, inst, 1);
    if bits == 64 || bits == 16 && has_narrow_atomic(b.shader, target, inst) {
        let base = blocks.elements(b, block, bits);
        let element = b.ushr_imm(offset, u32::from(bits / 8).trailing_zeros());
        let pointer = b.deref_array(base, ArrayIndex::Def(element));
        return lanes::atomic_at(b, inst, pointer, 2);
    }
    let memory = blocks.memory(b, block, 0, Whole::Never);
    let address = Address::new(b, offset, u32::from(bits / 8), 0);
    lanes::atomic(b, target, &memory, address, (inst, 2))
}

/// Whether the target has the atomic `inst` on a view of 16-bit floats.
fn has_narrow_atomic(shader: &Shader, target: &Target, inst: Inst) -> bool {
    let op = AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize);
    let viewed = target.has(Feature::shaderFloat16) && target.has(Feature::storageBuffer16BitAccess);
    viewed && op.is_some_and(|op| target.has_float_atomic(*op, 16, false))
}

/// The block variables of a shader.
struct Blocks<'m> {
    set: u32,
    /// Blocks of an array; `None` if every index is a constant.
    count: Option<u32>,
    made: &'m mut BlockVars,
    /// Qualifiers of all of them.
    access: Access,
}

/// The block variables that were made so far; kept from shader to shader.
#[derive(Default)]
struct BlockVars {
    bases: BasePointers,
    /// By block index (0 for the array) and element.
    vars: FxHashMap<(u32, u8, u8), Var>,
}

impl BlockVars {
    fn clear(&mut self) {
        self.bases.clear();
        self.vars.clear();
    }
}

impl<'m> Blocks<'m> {
    /// `None` if the shader has no access to a storage block.
    fn new(shader: &Shader, target: &Target, made: &'m mut BlockVars) -> Option<Blocks<'m>> {
        let mut last = None;
        let mut dynamic = false;
        let mut written = false;
        for inst in &shader.order {
            let Some((op, block)) = operation(shader, *inst) else { continue };
            let index = shader.as_const_scalar(block).map(|index| index as u32);
            dynamic |= index.is_none();
            written |= !matches!(op, Intrinsic::load_ssbo | Intrinsic::get_ssbo_size);
            last = last.max(Some(index.unwrap_or(0)));
        }
        let count = last?.saturating_add(1).max(shader.info.num_ssbos);
        Some(Blocks {
            set: target.descriptor_set(Descriptor::StorageBuffer),
            count: dynamic.then_some(count),
            made,
            access: if written { Access::empty() } else { Access::READONLY },
        })
    }

    fn memory(&mut self, b: &mut Builder<'_>, block: Def, access: u32, whole: Whole) -> Memory {
        let (var, index) = self.find(b, block, UVEC4);
        Memory {
            base: self.made.bases.get(b, var, index),
            access,
            whole,
            len: None,
            shared: true,
            in_pairs: false,
            at_address: false,
        }
    }

    /// A pointer to the elements of `bits` bits of `block`.
    fn elements(&mut self, b: &mut Builder<'_>, block: Def, bits: u8) -> Def {
        let (var, index) = self.find(b, block, Element { bits, components: 1 });
        self.made.bases.get(b, var, index)
    }

    /// The variable that holds `block` as an array of `element`, and which of its blocks.
    fn find(&mut self, b: &mut Builder<'_>, block: Def, element: Element) -> (Var, Option<ArrayIndex>) {
        let constant = b.shader.as_const_scalar(block).map(|index| index as u32);
        let binding = if self.count.is_some() { 0 } else { constant.unwrap_or(0) };
        let key = (binding, element.bits, element.components);
        let (set, count, access) = (self.set, self.count, self.access);
        let var =
            *self.made.vars.entry(key).or_insert_with(|| declare(b.shader, element, (set, binding), count, access));
        let index = match (self.count, constant) {
            (None, _) => None,
            (Some(_), Some(index)) => Some(ArrayIndex::Imm(i64::from(index))),
            (Some(_), None) => Some(ArrayIndex::Def(b.channel(block, 0))),
        };
        (var, index)
    }
}

fn declare(
    shader: &mut Shader,
    element: Element,
    (set, binding): (u32, u32),
    count: Option<u32>,
    access: Access,
) -> Var {
    let block = block_type(shader, element, None);
    let ty = count.map_or(block, |count| shader.types.array(block, Some(count), 0));
    let bits = element.bits;
    let name = match (count, element == UVEC4) {
        (None, true) => shader.strings.format(format_args!("ssbo{binding}")),
        (None, false) => shader.strings.format(format_args!("ssbo{binding}@{bits}")),
        (Some(_), true) => shader.strings.add("ssbos"),
        (Some(_), false) => shader.strings.format(format_args!("ssbos@{bits}")),
    };
    shader.vars.push(Variable {
        driver_location: binding,
        binding,
        descriptor_set: Some(set),
        access,
        ..Variable::new(name, ty, Modes::SSBO)
    })
}
