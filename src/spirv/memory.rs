// SPDX-License-Identifier: MIT

//! Loads and stores: a chain of derefs becomes one OpAccessChain, or none for a whole variable.

use super::interface::{Root, View};
use super::late::Section;
use super::words::Backwards;
use super::{internal, unsupported, Emit, Result};
use crate::ir::{ArrayIndex, Def, DerefKind, Inst, InstData, InstKind, Var};
use crate::op::{Access, AluType, Base, Index, Modes};
use crate::target::Feature;
use spirv::{Capability, Decoration, MemoryAccess, Op, Scope, StorageClass};

/// A pointer and the type of its memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) id: u32,
    pub(super) class: StorageClass,
    pub(super) origin: Origin,
    /// The base type of the numbers.
    pub(super) base: Base,
    /// The width and count of the numbers; for a lane the count 1 and the declared width.
    pub(super) scalar: AluType,
    pub(super) n: u8,
    /// The id of the pointee's type.
    pub(super) ty: u32,
}

/// The root of a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// A variable.
    Var(Var),
    /// An address that is a multiple of `align` bytes.
    Address { align: u32 },
}

impl Emit<'_> {
    /// The variable at the root of the deref `def`.
    pub(super) fn deref_root(&self, def: Def) -> Result<Var> {
        self.shader.deref_var(def).ok_or_else(|| unsupported("a pointer that is not of a variable"))
    }

    /// A pointer to numbers, in the view with the base `wanted` if there is a choice.
    pub(super) fn pointer(&mut self, def: Def, wanted: Base, access: Access) -> Result<Pointer> {
        let deref = self.shader.as_deref(def).ok_or_else(|| unsupported("a pointer that is not of a variable"))?;
        let (var, whole) = match deref.kind {
            DerefKind::Var(var) => (var, true),
            DerefKind::Cast { parent, .. } => return self.address_pointer(def, parent, wanted),
            _ => (self.deref_root(def)?, false),
        };
        let vector = self.shader.types.as_vector(deref.ty).filter(|(_, n)| *n <= 4);
        let (scalar, n) = vector.ok_or_else(|| unsupported("a load or store of a whole array or struct"))?;
        let (view, base) = self.view(var, scalar, wanted);
        let ty = self.m.numeric(base, scalar.bits, n);
        let root = self.root(var, view)?;
        let id = match whole & !root.wrapped {
            true => root.id,
            false => self.chain_to(def, ty, &root, None, access)?,
        };
        Ok(Pointer { id, class: root.class, origin: Origin::Var(var), base, scalar, n, ty })
    }

    /// A pointer to one component of the vector at `pointer`, which belongs to the deref `def`.
    fn component(&mut self, pointer: &Pointer, def: Def, c: u8, access: Access) -> Result<u32> {
        let Origin::Var(var) = pointer.origin else { return Err(internal("a store of some components at an address")) };
        let (view, _) = self.view(var, pointer.scalar, pointer.base);
        let ty = self.m.numeric(pointer.base, pointer.scalar.bits, 1);
        let c = self.m.uint(u32::from(c));
        let root = self.root(var, view)?;
        self.chain_to(def, ty, &root, Some(c), access)
    }

    /// The id of the pointer for the deref `def` from `root`, extended by the index `more`, to a value of type `ty`.
    pub(super) fn chain_to(
        &mut self,
        def: Def,
        ty: u32,
        root: &Root,
        more: Option<u32>,
        access: Access,
    ) -> Result<u32> {
        let mut chain = Backwards::new();
        let mut fits = more.map_or(true, |more| chain.push(more));
        let non_uniform = self.collect_indices(&mut chain, def, root.var, access)?;
        // gl_SampleMask is an array; NIR's variable is not.
        if root.wrapped {
            let zero = self.m.uint(0);
            fits &= chain.push(zero);
        }
        fits &= chain.push(root.id);
        if !fits {
            return Err(unsupported("a pointer of so many steps"));
        }
        let id = match chain.operands() {
            [whole] => *whole,
            operands => {
                let pointer = self.pointer_within(root.id, root.class, ty);
                self.pure(Op::AccessChain, pointer, operands)
            }
        };
        if non_uniform {
            self.decorate_non_uniform(id);
        }
        Ok(id)
    }

    /// Pushes the indices of the derefs from `def` up to `var`, the last first. True if the descriptor may differ between
    /// invocations.
    fn collect_indices(&mut self, chain: &mut Backwards, mut def: Def, var: Var, access: Access) -> Result<bool> {
        let shader = self.shader;
        let mut non_uniform = false;
        loop {
            let deref = shader.as_deref(def).ok_or_else(|| internal("a pointer that is not a deref"))?;
            let (parent, index) = match deref.kind {
                DerefKind::Var(_) => return Ok(non_uniform),
                DerefKind::Array { parent, index } => (parent, self.array_index(index)?),
                DerefKind::Struct { parent, field } => (parent, self.m.uint(field)),
                _ => return Err(unsupported("a cast of a pointer")),
            };
            if !chain.push(index) {
                return Err(unsupported("a pointer of so many steps"));
            }
            if let DerefKind::Array { index: ArrayIndex::Def(picked), .. } = deref.kind {
                let at_var = matches!(shader.as_deref(parent).map(|deref| deref.kind), Some(DerefKind::Var(_)));
                if at_var && self.is_descriptor_array(var) && shader.as_const(picked).is_none() {
                    non_uniform = self.index_descriptors(index, var, access);
                }
            }
            def = parent;
        }
    }

    pub(super) fn array_index(&mut self, index: ArrayIndex) -> Result<u32> {
        match index {
            ArrayIndex::Imm(value) => Ok(self.m.uint(value as u32)),
            ArrayIndex::Def(def) => match self.shader.as_const_scalar(def) {
                Some(value) => Ok(self.m.uint(value as u32)),
                None if self.base(def) == Base::Int => self.value(def, Base::Int),
                None => self.value(def, Base::Uint),
            },
        }
    }

    /// Declares the capabilities for indexing descriptors. True if the descriptor may differ between invocations.
    fn index_descriptors(&mut self, index: u32, var: Var, access: Access) -> bool {
        let access = access | self.shader.vars[var].access;
        let non_uniform = access.contains(Access::NON_UNIFORM);
        let capability = match (self.shader.vars[var].mode, non_uniform) {
            (Modes::SSBO, true) => Capability::StorageBufferArrayNonUniformIndexing,
            (Modes::SSBO, false) => Capability::StorageBufferArrayDynamicIndexing,
            (Modes::UBO, true) => Capability::UniformBufferArrayNonUniformIndexing,
            (Modes::UBO, false) => Capability::UniformBufferArrayDynamicIndexing,
            _ => self.indexing_capability(var, non_uniform),
        };
        if non_uniform {
            self.m.capability(Capability::ShaderNonUniform);
            self.decorate_non_uniform(index);
        }
        self.m.capability(capability);
        non_uniform
    }

    pub(super) fn decorate_non_uniform(&mut self, id: u32) {
        if self.state.non_uniform.insert(id) {
            self.m.decorate(id, Decoration::NonUniform, &[]);
        }
    }

    /// Emits `load_deref`.
    pub(super) fn load_deref(&mut self, inst: Inst, data: &InstData, source: Def, access: Access) -> Result<u32> {
        let base = self.base(inst.def());
        let pointer = self.pointer(source, base, access)?;
        self.note_pointer(&pointer, access, true, false);
        if (pointer.scalar.bits, pointer.n) != (data.bit_size, data.num_components) {
            return Err(internal("a load of another size than its variable's"));
        }
        // Memory that no other invocation can write need not be read atomically.
        let id = match access.contains(Access::ATOMIC) && is_shared(pointer.class) {
            true => self.atomic_load(&pointer, access),
            false => self.load(&pointer, access),
        };
        let id = match self.options.offer {
            0 => id,
            _ => self.unless_replaced(source, &pointer, id),
        };
        if access.contains(Access::NON_UNIFORM) && self.state.non_uniform.contains(&pointer.id) {
            self.decorate_non_uniform(id);
        }
        if pointer.base == base {
            return Ok(id);
        }
        let ty = self.type_as(inst.def(), base);
        Ok(self.m.value(Op::Bitcast, ty, &[id]))
    }

    fn load(&mut self, pointer: &Pointer, access: Access) -> u32 {
        let constant =
            matches!(pointer.class, StorageClass::Input | StorageClass::Uniform | StorageClass::PushConstant);
        // Memory that is never written has no memory operands.
        if constant && !access.contains(Access::VOLATILE) {
            return self.load_once(pointer.id, pointer.ty);
        }
        let (operands, len) = self.memory_operands(pointer, access, MemoryAccess::MAKE_POINTER_VISIBLE);
        let operands = [pointer.id, operands[0], operands[1], operands[2]];
        self.m.value(Op::Load, pointer.ty, &operands[..1 + len])
    }

    /// Emits `store_deref`: one store of the whole value, or one for each written component.
    pub(super) fn store_deref(&mut self, target: Def, value: Def, write_mask: u32, access: Access) -> Result<()> {
        let shader = self.shader;
        if shader.as_deref(target).is_some_and(|target| target.modes == Modes::SHADER_OUT) {
            if let Some((var, scalar, n, first)) = self.output_vector(target).filter(|_| access.is_empty()) {
                return self.store_components((var, scalar, n), (value, 0, first, write_mask));
            }
            self.store_rest()?;
        }
        let known = self.known(value);
        let own = if known.id == 0 { self.literal_view(target) } else { known.base };
        let pointer = self.pointer(target, own, access)?;
        self.note_pointer(&pointer, access, false, true);
        if (pointer.scalar.bits, pointer.n) != (known.bits, shader.num_components(value)) {
            return Err(internal("a store of another size than its variable's"));
        }
        let full = (1 << pointer.n) - 1;
        let mask = write_mask & full;
        if mask == full {
            let value = self.value(value, pointer.base)?;
            self.store(&pointer, pointer.id, value, access);
            return Ok(());
        }
        for c in (0..pointer.n).filter(|c| mask >> c & 1 != 0) {
            let part = crate::ir::AluSrc { def: value, swizzle: crate::ir::Swizzle::splat(c) };
            let part = self.src(&part, 1, pointer.base)?;
            let component = self.component(&pointer, target, c, access)?;
            self.store(&pointer, component, part, access);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, pointer: &Pointer, id: u32, value: u32, access: Access) {
        let (operands, len) = self.memory_operands(pointer, access, MemoryAccess::MAKE_POINTER_AVAILABLE);
        let start = self.m.mark(Section::Code);
        match len {
            0 => self.m.code.op(Op::Store, &[id, value]),
            _ => self.m.code.op2(Op::Store, &[id, value], &operands[..len]),
        };
        if let (StorageClass::Output, Origin::Var(var)) = (pointer.class, pointer.origin) {
            if self.state.vars[var].is_copy {
                let when = self.captured();
                self.m.end_range(Section::Code, start, when);
            }
        }
    }

    /// The view for a store of a constant: one that already exists.
    fn literal_view(&self, target: Def) -> Base {
        let Some(var) = self.shader.deref_var(target) else { return Base::Uint };
        let ids = self.state.vars[var].ids;
        let only_float = ids[View::Float as usize] != 0 && ids[View::Uint as usize] == 0;
        if only_float {
            Base::Float
        } else {
            Base::Uint
        }
    }

    /// Qualifiers of a memory access.
    pub(super) fn access(&self, inst: Inst) -> Access {
        Access::from_bits_truncate(self.shader.index(inst, Index::access))
    }

    /// Records how a variable is used.
    pub(super) fn note_access(&mut self, var: Var, access: Access, read: bool, written: bool) {
        let state = self.state.vars.entry(var);
        state.read |= read;
        state.written |= written;
        state.access |= access & (Access::COHERENT | Access::VOLATILE);
    }

    pub(super) fn note_pointer(&mut self, pointer: &Pointer, access: Access, read: bool, written: bool) {
        if let Origin::Var(var) = pointer.origin {
            self.note_access(var, access, read, written);
        }
    }

    /// The qualifiers of an access and of its variable.
    pub(super) fn all_access(&self, pointer: &Pointer, access: Access) -> Access {
        match pointer.origin {
            Origin::Var(var) => access | self.shader.vars[var].access,
            Origin::Address { .. } => access,
        }
    }

    /// The memory operands and their number of words. An address has an alignment. The Vulkan memory model requires
    /// NonPrivatePointer for memory that other invocations may access, and coherent accesses make it visible or available (SPIR-V
    /// 3.26). Without that model, variables have decorations instead, and memory at an address can only be volatile.
    #[inline]
    fn memory_operands(&mut self, pointer: &Pointer, access: Access, make: MemoryAccess) -> ([u32; 3], usize) {
        match pointer.origin {
            Origin::Var(_) if !self.vmm => ([0; 3], 0),
            _ => self.given_memory_operands(pointer, access, make),
        }
    }

    fn given_memory_operands(&mut self, pointer: &Pointer, access: Access, make: MemoryAccess) -> ([u32; 3], usize) {
        let access = self.all_access(pointer, access);
        let coherent = access.intersects(Access::COHERENT | Access::VOLATILE);
        let mut operands = MemoryAccess::NONE;
        let mut words = [0; 3];
        let mut len = 1;
        if let Origin::Address { align } = pointer.origin {
            operands |= MemoryAccess::ALIGNED;
            words[len] = align;
            len += 1;
            if coherent {
                operands |= MemoryAccess::VOLATILE;
            }
        }
        if self.vmm && is_shared(pointer.class) {
            operands |= MemoryAccess::NON_PRIVATE_POINTER;
            if access.contains(Access::VOLATILE) {
                operands |= MemoryAccess::VOLATILE;
            }
            // Volatile memory is coherent, too (GLSL 4.10, Memory Qualifiers).
            if coherent {
                operands |= make;
                words[len] = self.memory_scope(pointer.class);
                len += 1;
            }
        }
        words[0] = operands.bits();
        (words, if operands.is_empty() { 0 } else { len })
    }

    /// The constant for the widest scope in which memory of `class` is shared.
    pub(super) fn memory_scope(&mut self, class: StorageClass) -> u32 {
        let scope = match class {
            StorageClass::Workgroup => Scope::Workgroup,
            // Device scope is a separate feature in the Vulkan memory model.
            _ if self.vmm && !self.target.has(Feature::vulkanMemoryModelDeviceScope) => Scope::QueueFamily,
            _ => Scope::Device,
        };
        self.m.uint(scope as u32)
    }

    /// Emits `deref_buffer_array_length`: the length of the run-time array at the end of the block at `source`.
    pub(super) fn array_length(&mut self, source: Def, access: Access) -> Result<u32> {
        let var = self.deref_root(source)?;
        let mut block = source;
        let mut field = None;
        if let Some(DerefKind::Struct { parent, field: last }) = self.shader.as_deref(source).map(|deref| deref.kind) {
            (block, field) = (parent, Some(last));
        }
        let deref = self.shader.as_deref(block).ok_or_else(|| internal("a pointer that is not a deref"))?;
        let fields = self.shader.types.as_struct(deref.ty).map_or(0, |data| data.fields.len() as u32);
        let field =
            field.or(fields.checked_sub(1)).ok_or_else(|| unsupported("the length of a value that is not a block"))?;
        let ids = self.state.vars[var].ids;
        let view =
            if ids[View::Uint as usize] == 0 && ids[View::Float as usize] != 0 { View::Float } else { View::Uint };
        let numbers = self.numbers(var, view);
        let ty = self.ir_type(deref.ty, self.layout(var, numbers))?;
        let root = self.root(var, view)?;
        let pointer = self.chain_to(block, ty, &root, None, access)?;
        let uint = self.m.numeric(Base::Uint, 32, 1);
        Ok(self.m.value(Op::ArrayLength, uint, &[pointer, field]))
    }
}

/// True if the instruction is not emitted at its own position.
pub(super) fn is_silent(data: &InstData) -> bool {
    InstKind::SILENT >> data.kind.number() & 1 != 0
}

/// Whether other invocations may access memory of `class`.
fn is_shared(class: StorageClass) -> bool {
    matches!(class, StorageClass::StorageBuffer | StorageClass::Workgroup | StorageClass::PhysicalStorageBuffer)
}
