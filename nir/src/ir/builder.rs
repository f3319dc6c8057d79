// SPDX-License-Identifier: MIT

//! Makes instructions at the end of the open block, and folds constants.
//!
//! Lowering passes write the full computation (`b.iadd_imm(offset, 4)`) and a constant offset needs no instruction: an ALU
//! operation on constants becomes a constant through the fold column of the table, and the `_imm` helpers drop identities.

use super::{
    AluFlags, AluSrc, ArrayIndex, BranchHint, Cf, Def, Deref, DerefKind, Inst, InstData, InstKind, Jump, LineNumber,
    PhiSrc, Shader, Swizzle, Type, Var,
};
use crate::op::fold::{mask, Fold};
use crate::op::open::{is_open, may_be_open};
use crate::op::{AluOp, Index, Intrinsic};

/// Appends instructions to a shader. In a pass it comes from [`rewrite`](super::rewrite()).
pub struct Builder<'a> {
    /// The shader under construction.
    pub shader: &'a mut Shader,
    /// The line of the dump for new instructions.
    pub line: LineNumber,
    /// Whether a new block was opened in the middle of an old one.
    pub(super) split: bool,
    /// The instruction that a walk visits: what replaces an exact operation is exact.
    pub(super) visited: Option<Inst>,
}

/// These functions are not inlined: passes that make many instructions are rare, so small code is better than fast code.
impl<'a> Builder<'a> {
    /// A builder that appends to the open block of `shader`.
    pub fn new(shader: &'a mut Shader) -> Builder<'a> {
        Builder { shader, line: LineNumber(0), split: false, visited: None }
    }

    /// Appends an instruction.
    #[inline(never)]
    pub fn inst(&mut self, num_components: u8, bit_size: u8, kind: InstKind) -> Inst {
        let inst = self.shader.append(InstData { num_components, bit_size, kind });
        if self.line != LineNumber(0) {
            self.shader.lines.set(inst, self.line);
        }
        inst
    }

    /// A constant with these components, each truncated to `bits`.
    #[inline(never)]
    pub fn constant(&mut self, bits: u8, values: &[u64]) -> Def {
        let values = self.shader.consts.extend(values.iter().map(|value| mask(*value, bits)));
        self.inst(values.len() as u8, bits, InstKind::Const(values)).def()
    }

    /// A scalar constant.
    #[inline(never)]
    pub fn imm(&mut self, bits: u8, value: u64) -> Def {
        self.constant(bits, &[value])
    }

    /// A 32-bit scalar constant.
    #[inline(never)]
    pub fn imm32(&mut self, value: u32) -> Def {
        self.imm(32, u64::from(value))
    }

    /// An undefined value.
    #[inline(never)]
    pub fn undef(&mut self, num_components: u8, bits: u8) -> Def {
        self.inst(num_components, bits, InstKind::Undef).def()
    }

    /// An ALU operation on whole values; a constant if all operands are constants.
    #[inline(never)]
    pub fn alu(&mut self, op: AluOp, srcs: &[Def]) -> Def {
        let mut list = [AluSrc::from(srcs[0]); 16];
        for (to, from) in list.iter_mut().zip(srcs) {
            to.def = *from;
        }
        self.alu_with(op, AluFlags::empty(), &list[..srcs.len()], None)
    }

    /// An ALU operation with swizzles and flags. The opcode's row and the operands determine the components and bits of the
    /// result; `size` is (components, bits) where they do not, or where swizzles widen the operands. In a walk, an operation
    /// in place of an exact one is exact.
    #[inline(never)]
    pub fn alu_with(&mut self, op: AluOp, flags: AluFlags, srcs: &[AluSrc], size: Option<(u8, u8)>) -> Def {
        let (num_components, bits) = size.unwrap_or_else(|| self.alu_size(op, srcs.iter().map(|src| src.def)));
        if let Some(values) = fold_alu(self.shader, op, srcs, num_components, bits) {
            return self.constant(bits, &values[..usize::from(num_components)]);
        }
        let srcs = self.shader.push_alu_srcs(srcs);
        let flags = flags | self.inherited_flags();
        self.inst(num_components, bits, InstKind::Alu { op, flags, srcs }).def()
    }

    fn inherited_flags(&self) -> AluFlags {
        match self.visited.map(|inst| self.shader.insts[inst].kind) {
            Some(InstKind::Alu { flags, .. }) => flags & AluFlags::MATH,
            _ => AluFlags::empty(),
        }
    }

    /// A fast path for a `mov` of a value that is not a constant: lowered loads make many.
    #[inline(never)]
    fn mov(&mut self, src: AluSrc, num_components: u8) -> Def {
        let InstData { bit_size, kind, .. } = *self.shader.def(src.def);
        let (op, flags) = (AluOp::mov, AluFlags::empty());
        if matches!(kind, InstKind::Const(_)) {
            return self.alu_with(op, flags, &[src], Some((num_components, bit_size)));
        }
        let srcs = self.shader.push_alu_srcs(&[src]);
        self.inst(num_components, bit_size, InstKind::Alu { op, flags, srcs }).def()
    }

    /// The components and bits of the result of `op` on `srcs` without widening swizzles.
    pub fn alu_size(&self, op: AluOp, srcs: impl Iterator<Item = Def>) -> (u8, u8) {
        let info = op.info();
        let mut components = info.dest.size;
        let mut bits = info.dest.ty.bits;
        for (operand, src) in info.srcs.iter().zip(srcs) {
            let def = self.shader.def(src);
            if components == 0 && operand.size == 0 {
                components = def.num_components;
            }
            if bits == 0 && operand.ty.bits == 0 {
                bits = def.bit_size;
            }
        }
        (components.max(1), bits)
    }

    /// Component `c` of `def`.
    #[inline(never)]
    pub fn channel(&mut self, def: Def, c: u8) -> Def {
        if self.shader.num_components(def) == 1 {
            return def;
        }
        // A component of a vector that was just made is the scalar operand.
        if let Some((op, srcs)) = self.shader.as_alu(def) {
            if op.info().form == crate::op::Form::Construct {
                let src = srcs[usize::from(c)];
                return self.channel(src.def, src.swizzle.get(0));
            }
        }
        self.mov(AluSrc { def, swizzle: Swizzle::splat(c) }, 1)
    }

    /// A vector of scalars: vec2 ... vec16, or the scalar itself.
    #[inline(never)]
    pub fn vec(&mut self, scalars: &[Def]) -> Def {
        match vec_op(scalars.len()) {
            None => scalars[0],
            Some(op) => self.alu(op, scalars),
        }
    }

    /// A vector of `count` components, at least one, made by calls of `component`.
    pub fn vec_of(&mut self, count: u8, mut component: impl FnMut(&mut Builder<'a>, u8) -> Def) -> Def {
        let first = component(self, 0);
        let mut scalars = [first; 16];
        for c in 1..count {
            scalars[usize::from(c)] = component(self, c);
        }
        self.vec(&scalars[..usize::from(count)])
    }

    /// `def` with the given components.
    #[inline(never)]
    pub fn swizzle(&mut self, def: Def, components: &[u8]) -> Def {
        let swizzle = Swizzle::new(components);
        if components.len() == usize::from(self.shader.num_components(def)) && swizzle.is_identity(components.len()) {
            return def;
        }
        self.mov(AluSrc { def, swizzle }, components.len() as u8)
    }

    /// `a + b`.
    #[inline(never)]
    pub fn iadd(&mut self, a: Def, b: Def) -> Def {
        self.alu(AluOp::iadd, &[a, b])
    }

    /// `a + value`, which is `a` for 0.
    #[inline(never)]
    pub fn iadd_imm(&mut self, a: Def, value: u64) -> Def {
        if value == 0 {
            return a;
        }
        let b = self.imm(self.shader.bit_size(a), value);
        self.iadd(a, b)
    }

    /// `a & value`.
    #[inline(never)]
    pub fn iand_imm(&mut self, a: Def, value: u64) -> Def {
        let b = self.imm(self.shader.bit_size(a), value);
        self.alu(AluOp::iand, &[a, b])
    }

    /// `a << count`, which is `a` for 0.
    pub fn ishl_imm(&mut self, a: Def, count: u32) -> Def {
        self.shift_imm(AluOp::ishl, a, count)
    }

    /// `a >> count` with zeros from above, which is `a` for 0.
    pub fn ushr_imm(&mut self, a: Def, count: u32) -> Def {
        self.shift_imm(AluOp::ushr, a, count)
    }

    #[inline(never)]
    fn shift_imm(&mut self, op: AluOp, a: Def, count: u32) -> Def {
        if count == 0 {
            return a;
        }
        let count = self.imm32(count);
        self.alu(op, &[a, count])
    }

    /// An intrinsic without indices set; see [`Builder::intrinsic_with`].
    #[inline]
    pub fn intrinsic(&mut self, op: Intrinsic, num_components: u8, bits: u8, srcs: &[Def]) -> Inst {
        self.intrinsic_with(op, num_components, bits, srcs, &[])
    }

    /// An intrinsic; indices that are not given are 0.
    #[inline(never)]
    pub fn intrinsic_with(
        &mut self,
        op: Intrinsic,
        num_components: u8,
        bits: u8,
        srcs: &[Def],
        indices: &[(Index, u32)],
    ) -> Inst {
        let value_of = |index: &Index| indices.iter().find(|(i, _)| i == index).map_or(0, |(_, value)| *value);
        let indices = self.shader.indices.extend(op.info().indices.iter().map(value_of));
        let srcs = self.shader.srcs.push(srcs);
        self.inst(num_components, bits, InstKind::Intrinsic { op, srcs, indices })
    }

    /// A deref of `var`.
    #[inline(never)]
    pub fn deref_var(&mut self, var: Var) -> Def {
        let variable = &self.shader.vars[var];
        let (ty, modes) = (variable.ty, variable.mode);
        self.deref(Deref { kind: DerefKind::Var(var), ty, modes })
    }

    /// A deref of element `index` of the array, matrix or vector at `parent`.
    #[inline(never)]
    pub fn deref_array(&mut self, parent: Def, index: ArrayIndex) -> Def {
        let index = match index {
            ArrayIndex::Def(def) => {
                self.shader.as_const_scalar(def).map_or(index, |c| ArrayIndex::Imm(c as u32 as i64))
            }
            imm => imm,
        };
        let (ty, modes) = self.pointee(parent);
        let elem = self.shader.types.element(ty).unwrap_or(ty);
        self.deref(Deref { kind: DerefKind::Array { parent, index }, ty: elem, modes })
    }

    /// A deref of member `field` of the struct at `parent`.
    #[inline(never)]
    pub fn deref_struct(&mut self, parent: Def, field: u32) -> Def {
        let (ty, modes) = self.pointee(parent);
        let elem = self.shader.types.as_struct(ty).and_then(|s| s.fields.get(field as usize)).map_or(ty, |f| f.ty);
        self.deref(Deref { kind: DerefKind::Struct { parent, field }, ty: elem, modes })
    }

    fn pointee(&self, pointer: Def) -> (Type, crate::op::Modes) {
        let deref = self.shader.as_deref(pointer).expect("a pointer is a deref");
        (deref.ty, deref.modes)
    }

    /// A deref, as wide as its parent: those of kernels have 64 bits.
    #[inline(never)]
    pub fn deref(&mut self, deref: Deref) -> Def {
        let bits = deref.kind.parent().map_or(32, |parent| self.shader.bit_size(parent));
        let deref = self.shader.push_deref(deref);
        self.inst(1, bits, InstKind::Deref(deref)).def()
    }

    /// The value at `pointer`.
    #[inline(never)]
    pub fn load_deref(&mut self, pointer: Def, access: u32) -> Def {
        let (ty, _) = self.pointee(pointer);
        let (scalar, components) = self.shader.types.as_vector(ty).expect("loads are of vectors");
        let op = Intrinsic::load_deref;
        debug_assert_eq!(op.info().indices, [Index::access]);
        let (srcs, indices) = (self.shader.srcs.push(&[pointer]), self.shader.indices.push(&[access]));
        self.inst(components, scalar.bits, InstKind::Intrinsic { op, srcs, indices }).def()
    }

    /// Stores the components of `value` that are in `write_mask`.
    #[inline(never)]
    pub fn store_deref(&mut self, pointer: Def, value: Def, write_mask: u32, access: u32) {
        let indices = [(Index::access, access), (Index::write_mask, write_mask)];
        self.intrinsic_with(Intrinsic::store_deref, 0, 0, &[pointer, value], &indices);
    }

    /// A phi at the start of the open block.
    #[inline(never)]
    pub fn phi(&mut self, num_components: u8, bits: u8, srcs: &[PhiSrc]) -> Def {
        let srcs = self.shader.phi_srcs.push(srcs);
        self.inst(num_components, bits, InstKind::Phi(srcs)).def()
    }

    /// Ends the open block with an if on `cond` and opens the first block of its then-body.
    #[inline(never)]
    pub fn begin_if(&mut self, cond: Def) {
        self.split = true;
        self.shader.append_cf(Cf::If { cond, hint: BranchHint::None });
        self.shader.append_new_block();
    }

    /// Ends the then-body and opens the first block of the else-body.
    #[inline(never)]
    pub fn begin_else(&mut self) {
        self.shader.append_cf(Cf::Else);
        self.shader.append_new_block();
    }

    /// Ends the else-body and opens the block after the if.
    #[inline(never)]
    pub fn end_if(&mut self) {
        self.shader.append_cf(Cf::EndIf);
        self.shader.append_new_block();
    }

    /// Ends the open block with a loop and opens the first block of its body, where phis may follow.
    pub fn begin_loop(&mut self) {
        self.split = true;
        self.shader.append_cf(Cf::Loop);
        self.shader.append_new_block();
    }

    /// Leaves the innermost loop if `cond` is true.
    #[inline(never)]
    pub fn break_if(&mut self, cond: Def) {
        self.begin_if(cond);
        self.inst(0, 0, InstKind::Jump(Jump::Break));
        self.begin_else();
        self.end_if();
    }

    /// Ends the body of the loop and opens the block after it.
    pub fn end_loop(&mut self) {
        self.shader.append_cf(Cf::EndLoop);
        self.shader.append_new_block();
    }

    /// Sets source `i` of `phi`: the second source of a phi of a loop is known at the end of the body.
    pub fn set_phi_src(&mut self, phi: Def, i: usize, src: PhiSrc) {
        if let InstKind::Phi(srcs) = self.shader.def(phi).kind {
            self.shader.phi_srcs[srcs][i] = src;
        }
    }

    /// The open block.
    pub fn current_block(&self) -> super::Block {
        match self.shader.cf.last() {
            Some(Cf::Block(block)) => *block,
            _ => unreachable!("a builder always has an open block"),
        }
    }
}

/// The opcode that makes a vector of `n` scalars; `None` for one.
pub fn vec_op(n: usize) -> Option<AluOp> {
    match n {
        2 => Some(AluOp::vec2),
        3 => Some(AluOp::vec3),
        4 => Some(AluOp::vec4),
        5 => Some(AluOp::vec5),
        8 => Some(AluOp::vec8),
        16 => Some(AluOp::vec16),
        _ => None,
    }
}

/// The components of the result of `op` on `srcs` if all of them are constants, and NIR and SPIR-V define the result.
pub fn fold_alu(shader: &Shader, op: AluOp, srcs: &[AluSrc], num_components: u8, bits: u8) -> Option<[u64; 16]> {
    if srcs.iter().any(|src| !matches!(shader.def(src.def).kind, InstKind::Const(_))) {
        return None;
    }
    let value = |i: usize, c| {
        let AluSrc { def, swizzle } = srcs[i];
        let component = shader.as_const(def).and_then(|values| values.get(usize::from(swizzle.get(c))));
        (component.copied().unwrap_or(0), shader.bit_size(def))
    };
    if may_be_open(op) && (0..usize::from(num_components)).any(|c| is_open(op, &|i| value(i, c))) {
        return None;
    }
    evaluate_constants(shader, op, srcs, num_components, bits)
}

/// The components of the result of `op` on `srcs` if all of them are constants.
#[doc(hidden)]
pub fn evaluate_constants(
    shader: &Shader,
    op: AluOp,
    srcs: &[AluSrc],
    num_components: u8,
    bits: u8,
) -> Option<[u64; 16]> {
    let mut operands: [(&[u64], Swizzle, u8); 16] = [(&[], Swizzle::IDENTITY, 0); 16];
    for (operand, src) in operands.iter_mut().zip(srcs) {
        *operand = (shader.as_const(src.def)?, src.swizzle, shader.bit_size(src.def));
    }
    evaluate_alu(op, &operands[..srcs.len()], num_components, bits)
}

/// The components of the result of `op` on operands given as components, swizzle and width; `None` if a swizzle reads beyond
/// its operand.
pub fn evaluate_alu(op: AluOp, operands: &[(&[u64], Swizzle, u8)], num_components: u8, bits: u8) -> Option<[u64; 16]> {
    let info = op.info();
    let count = operands.len();
    let mut values = [[0u64; 16]; 16];
    let mut src_bits = [0u8; 16];
    let mut per_component = [false; 16];
    let mut lens = [0usize; 16];
    for (i, ((components, swizzle, width), operand)) in operands.iter().zip(info.srcs).enumerate() {
        per_component[i] = operand.size == 0;
        lens[i] = usize::from(operand.components(num_components));
        src_bits[i] = *width;
        for (c, value) in values[i][..lens[i]].iter_mut().enumerate() {
            *value = *components.get(usize::from(swizzle.get(c)))?;
        }
    }
    let slices: [&[u64]; 16] = std::array::from_fn(|i| &values[i][..lens[i]]);
    let mut result = [0; 16];
    for (component, out) in result[..usize::from(num_components)].iter_mut().enumerate() {
        let (src_bits, srcs, per_component) = (&src_bits[..count], &slices[..count], &per_component[..count]);
        let fold = Fold { component, dest_bits: bits, src_bits, srcs, per_component };
        *out = mask((info.fold)(&fold), bits);
    }
    Some(result)
}
