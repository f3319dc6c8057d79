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
//! There is one variable per block index where all indices are constants, else, or if the directive `storage_blocks=array` says
//! so, one array of blocks. Bytes and 16-bit
//! values that do not fill lanes go through a `uint8_t base[]` or `uint16_t base[]` at the same binding, if the target has
//! such (`storageBuffer8BitAccess`, `storageBuffer16BitAccess`). Else they are written by clearing and setting bits of their
//! lane atomically: other invocations may write the lane's other bytes. 64-bit atomics, which have no lane to point to, go
//! through a `uint64_t base[]`, and loads and stores of 64 bits with them.
//!
//! If some access is to a lane of a vec4 that is not known, the binding is seen as `uint base[]`, so that no code is made to find
//! the lane; as `uvec4 base[]`, too, where that serves accesses to several lanes at once. Variables that see the same bytes, of
//! which some are written, are Aliased (SPIR-V 2.18.2).
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

use super::blocks::{block_pointer, block_type, vector_of, BasePointers, Element, UINT, UVEC4};
use super::lanes::{self, is_narrow, Elements, Granularity, Memory, Offset, Whole};
use crate::analysis::offsets::Offsets;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, Shader, Var, Variable};
use crate::op::meaning::{MemoryAccess, MemoryKind, MemoryOperation};
use crate::op::{Access, AtomicOp, Index, Intrinsic, Modes, Needs};
use crate::pass::{BufferAccess, Context, Forms, Pass};
use crate::target::{Descriptor, Feature, Target};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_ssbo",
    about: "accesses to storage blocks by byte offset become access chains",
    needs: Needs::SSBO_OFFSETS,
    removes: Forms::SSBO_OFFSETS,
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, memory: &mut BlockVars| {
        memory.clear();
        let Some(mut blocks) = Blocks::new(shader, context, memory) else { return false };
        lower(shader, context, &mut blocks);
        memory.offsets.forget(shader);
        true
    })
}

fn lower(shader: &mut Shader, context: &Context, blocks: &mut Blocks<'_>) {
    rewrite(shader, |b, inst| {
        let Some((access, block)) = access(b.shader, inst) else {
            return Edit::Keep;
        };
        match access.operation {
            MemoryOperation::Size => Edit::Replace(size(b, blocks, inst, block)),
            MemoryOperation::Load => Edit::Replace(load(b, context, blocks, inst, block)),
            MemoryOperation::Store => {
                store(b, context, blocks, inst, block);
                Edit::Remove
            }
            MemoryOperation::Atomic | MemoryOperation::AtomicSwap => {
                Edit::Replace(atomic(b, context, blocks, inst, block))
            }
        }
    });
}

fn load(b: &mut Builder<'_>, context: &Context, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let access = b.shader.index(inst, Index::access);
    let size = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
    let offset = offset(b.shader, &blocks.made.offsets, inst);
    if blocks.has_elements(b.shader, context, block, (offset, size.1, (1 << size.0) - 1)) {
        let base = blocks.elements(b, block, size.1);
        return Elements { base, access, offset, offsets: &blocks.made.offsets }.load(b, size);
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, access, (context, offset.view(granularity)));
    lanes::load(b, &memory, address, size, lanes::NO_OTHERS)
}

fn store(b: &mut Builder<'_>, context: &Context, blocks: &mut Blocks<'_>, inst: Inst, block: Def) {
    let access = b.shader.index(inst, Index::access);
    let value = source(b.shader, inst, 0);
    let (bits, mask) = (b.shader.bit_size(value), b.shader.index(inst, Index::write_mask));
    let offset = offset(b.shader, &blocks.made.offsets, inst);
    if blocks.has_elements(b.shader, context, block, (offset, bits, mask)) {
        let base = blocks.elements(b, block, bits);
        return Elements { base, access, offset, offsets: &blocks.made.offsets }.store(b, (value, mask));
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, access, (context, offset.view(granularity)));
    lanes::store(b, &memory, address, value, mask);
}

/// What `inst` does with a storage block, and its block index; `None` if it does nothing with any.
fn access(shader: &Shader, inst: Inst) -> Option<(MemoryAccess, Def)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let access = op.info().memory.filter(|access| access.kind == MemoryKind::Ssbo)?;
    Some((access, srcs[usize::from(access.block?)]))
}

fn source(shader: &Shader, inst: Inst, i: usize) -> Def {
    shader.as_intrinsic(inst).map(|(_, srcs)| srcs[i]).expect("an intrinsic")
}

/// The byte offset of an access, if it has one.
fn offset_source(shader: &Shader, inst: Inst) -> Option<Def> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    Some(srcs[usize::from(op.info().memory?.offset?)])
}

/// The byte offset of an access. Atomics are aligned to their width.
fn offset(shader: &Shader, offsets: &Offsets, inst: Inst) -> Offset {
    let (access, _) = access(shader, inst).expect("an access");
    let align = match access.operation.is_atomic() {
        true => (u32::from(shader.insts[inst].bit_size) / 8, 0),
        false => (shader.index(inst, Index::align_mul), shader.index(inst, Index::align_offset)),
    };
    Offset::new(shader, offsets, (offset_source(shader, inst).expect("an offset"), 0, 0), align)
}

fn size(b: &mut Builder<'_>, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let (var, index) = blocks.find(b, block, UINT);
    let pointer = block_pointer(b, var, index);
    let len = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]);
    let access = b.shader.index(inst, Index::access);
    b.shader.set_index(len, Index::access, access);
    b.ishl_imm(len.def(), 2)
}

fn atomic(b: &mut Builder<'_>, context: &Context, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let bits = b.shader.insts[inst].bit_size;
    let offset = offset(b.shader, &blocks.made.offsets, inst);
    if bits == 64 || bits == 16 && has_narrow_atomic(b.shader, &context.target, inst) {
        let base = blocks.elements(b, block, bits);
        let element = offset.element(b, &blocks.made.offsets, u32::from(bits / 8));
        let pointer = b.deref_array(base, element);
        return lanes::atomic_at(b, inst, pointer, 2);
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, 0, (context, offset.view(granularity)));
    lanes::atomic(b, &context.target, &memory, address, (inst, 2))
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
    /// Blocks of an array; `None` if there is none.
    count: Option<u32>,
    made: &'m mut BlockVars,
    /// Qualifiers of all of them.
    access: Access,
}

/// What is known of the shader, and the block variables that were made so far; kept from shader to shader.
#[derive(Default)]
struct BlockVars {
    offsets: Offsets,
    bases: BasePointers,
    /// What the accesses to each binding want it to be seen as.
    wishes: FxHashMap<u32, Wishes>,
    /// By block index (0 for the array) and element.
    vars: FxHashMap<(u32, u8, u8), Var>,
}

impl BlockVars {
    fn clear(&mut self) {
        self.bases.clear();
        self.vars.clear();
        self.wishes.clear();
    }
}

/// Whether an operation is at an offset that is not constant.
fn is_dynamic(shader: &Shader, inst: Inst) -> bool {
    offset_source(shader, inst).is_some_and(|offset| shader.as_const_scalar(offset).is_none())
}

/// What an access wants its binding to be seen as.
fn wishes(shader: &Shader, offsets: &Offsets, operation: MemoryOperation, inst: Inst) -> Wishes {
    let (components, bits) = match operation {
        MemoryOperation::Store => {
            let value = source(shader, inst, 0);
            (shader.num_components(value), shader.bit_size(value))
        }
        _ => (shader.insts[inst].num_components, shader.insts[inst].bit_size),
    };
    match bits {
        64 if operation.is_atomic() => return Wishes { wide: true, ..Wishes::default() },
        // These mostly have views of their own.
        8 | 16 => return Wishes::default(),
        _ => {}
    }
    let is_known = offset(shader, offsets, inst).lanes() == Some(4);
    let bytes = u32::from(components) * u32::from(bits) / 8;
    Wishes { words: !is_known, vec4s: is_known && bytes > 4, wide: false }
}

/// What accesses to a binding want it to be seen as.
#[derive(Clone, Copy, Default)]
struct Wishes {
    /// Some are to a lane that is not known: words, so that no code is made to find it.
    words: bool,
    /// Some are to several lanes of one vec4.
    vec4s: bool,
    /// Some are atomics of 64 bits, which have a view of their own.
    wide: bool,
}

impl Wishes {
    fn with(self, other: Wishes) -> Wishes {
        Wishes { words: self.words | other.words, vec4s: self.vec4s | other.vec4s, wide: self.wide | other.wide }
    }
}

impl<'m> Blocks<'m> {
    /// `None` if the shader has no access to a storage block.
    fn new(shader: &Shader, context: &Context, made: &'m mut BlockVars) -> Option<Blocks<'m>> {
        let mut last = None;
        let mut dynamic = shader.info.has_block_array(false);
        let mut written = false;
        let mut asks = false;
        for inst in &shader.order {
            let Some((access, block)) = access(shader, *inst) else { continue };
            let index = shader.as_const_scalar(block).map(|index| index as u32);
            dynamic |= index.is_none();
            written |= access.operation.writes();
            last = last.max(Some(index.unwrap_or(0)));
            // Others do not want another view than the usual one.
            asks |= is_dynamic(shader, *inst) || access.operation.is_atomic() && shader.insts[*inst].bit_size == 64;
        }
        let count = last?.saturating_add(1).max(shader.info.num_ssbos);
        let mut blocks = Blocks {
            set: context.target.descriptor_set(Descriptor::StorageBuffer),
            count: dynamic.then_some(count),
            made,
            access: if written { Access::empty() } else { Access::READONLY },
        };
        if asks && context.buffer_access == BufferAccess::Auto {
            blocks.ask(shader);
        }
        Some(blocks)
    }

    /// Asks all accesses what they want their binding to be seen as.
    fn ask(&mut self, shader: &Shader) {
        for inst in &shader.order {
            let Some((access, block)) = access(shader, *inst) else { continue };
            if is_dynamic(shader, *inst) {
                self.made.offsets.look_at(shader);
            }
            if access.operation != MemoryOperation::Size {
                let wishes = wishes(shader, &self.made.offsets, access.operation, *inst);
                let all = self.made.wishes.entry(self.binding(shader, block)).or_default();
                *all = all.with(wishes);
            }
        }
    }

    fn binding(&self, shader: &Shader, block: Def) -> u32 {
        let constant = shader.as_const_scalar(block).map_or(0, |index| index as u32);
        if self.count.is_some() {
            0
        } else {
            constant
        }
    }

    /// Whether an access is to elements of its width one by one.
    fn has_elements(
        &self,
        shader: &Shader,
        context: &Context,
        block: Def,
        (offset, bits, mask): (Offset, u8, u32),
    ) -> bool {
        match bits {
            64 => offset.is_multiple_of(8) && self.wishes(shader, block).wide,
            _ => lanes::has_elements(&context.target, bits) && is_narrow(offset, bits, mask, None),
        }
    }

    /// How an access at an offset sees its block: one view serves all accesses unless both are worth it.
    fn granularity(&self, shader: &Shader, offset: Offset, block: Def) -> Granularity {
        match self.wishes(shader, block) {
            Wishes { words: false, .. } => Granularity::Vec4s,
            Wishes { vec4s: true, .. } if offset.lanes() == Some(4) => Granularity::Vec4s,
            _ => Granularity::Words,
        }
    }

    fn wishes(&self, shader: &Shader, block: Def) -> Wishes {
        self.made.wishes.get(&self.binding(shader, block)).copied().unwrap_or_default()
    }

    fn memory(&mut self, b: &mut Builder<'_>, block: Def, access: u32, (context, lanes): (&Context, u32)) -> Memory {
        let (var, index) = self.find(b, block, vector_of(lanes));
        let whole = match context.buffer_access {
            BufferAccess::Lane => Whole::Never,
            BufferAccess::Auto => Whole::Covered,
        };
        Memory {
            base: self.made.bases.get(b, var, index),
            access,
            whole,
            lanes,
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
        let binding = self.binding(b.shader, block);
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
