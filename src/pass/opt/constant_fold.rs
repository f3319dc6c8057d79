// SPDX-License-Identifier: MIT

//! Computes values that do not depend on the input of the shader.
//!
//! **What.** ALU operations on constants become constants, selections with a constant condition become the selected value, and
//! a constant array index of a deref becomes part of the deref, so that equal derefs compare equal.
//!
//! **Why.** NIR is folded, but lowerings multiply strides by indices that are often constants. Branches, rules and the equality
//! of derefs depend on the results.
//!
//! The operands stay without uses; [`dce`](super::dce) removes them.
//!
//! Before:
//!
//! ```text
//! 32     %1 = load_const (0x00000003)
//! 32     %2 = load_const (0x00000004)
//! 32     %3 = ishl %1 (0x3), %2 (0x4)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = load_const (0x00000030 = 48)
//! ```

use crate::ir::builder::fold_alu;
use crate::ir::{AluFlags, AluSrc, ArrayIndex, DerefKind, Inst, InstData, InstKind, Shader};
use crate::op::AluOp;

/// Makes an ALU operation a constant if its operands are constants, and a selection a move if its condition is constant. False
/// if neither holds.
pub(super) fn fold(shader: &mut Shader, inst: Inst) -> bool {
    let InstData { num_components, bit_size, kind } = shader.insts[inst];
    let InstKind::Alu { op, srcs, .. } = kind else { return false };
    let components = usize::from(num_components);
    let srcs = &shader.alu_srcs[srcs];
    let kind = if let Some(values) = fold_alu(shader, op, srcs, num_components, bit_size) {
        InstKind::Const(shader.consts.push(&values[..components]))
    } else if let Some(chosen) = constant_choice(shader, op, srcs, components) {
        let srcs = shader.push_alu_srcs(&[chosen]);
        shader.set_kind(inst, InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs });
        // The selected value may be a constant itself.
        fold(shader, inst);
        return true;
    } else {
        return false;
    };
    shader.set_kind(inst, kind);
    true
}

/// The source that a selection takes for all components.
fn constant_choice(shader: &Shader, op: AluOp, srcs: &[AluSrc], components: usize) -> Option<AluSrc> {
    if op != AluOp::bcsel {
        return None;
    }
    let conds = shader.as_const(srcs[0].def)?;
    let first = conds[usize::from(srcs[0].swizzle.get(0))];
    let uniform = srcs[0].swizzle.components(components).all(|c| conds[usize::from(c)] == first);
    uniform.then(|| srcs[if first != 0 { 1 } else { 2 }])
}

/// Makes the index of an array deref an immediate if it is a constant.
pub(super) fn fold_index(shader: &mut Shader, inst: Inst) -> bool {
    let InstKind::Deref(deref) = shader.insts[inst].kind else { return false };
    let kind = shader.derefs[deref].kind;
    let (DerefKind::Array { index, .. } | DerefKind::PtrAsArray { index, .. }) = kind else { return false };
    let ArrayIndex::Def(def) = index else { return false };
    let Some(value) = shader.as_const_scalar(def) else { return false };
    let number = ArrayIndex::Imm(crate::op::fold::sign_extend(value, shader.bit_size(def)));
    shader.change_deref(inst, |deref, _| {
        if let DerefKind::Array { index, .. } | DerefKind::PtrAsArray { index, .. } = &mut deref.kind {
            *index = number;
        }
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Builder, Def, Swizzle};
    use crate::pass::opt::clean_up::{run_rules, Rules};

    fn last(shader: &Shader) -> Def {
        shader.order.last().unwrap().def()
    }

    /// Appends an operation without the folding of the builder.
    fn alu(b: &mut Builder<'_>, op: AluOp, bits: u8, srcs: &[AluSrc]) -> Def {
        let srcs = b.shader.push_alu_srcs(srcs);
        b.inst(1, bits, InstKind::Alu { op, flags: AluFlags::EXACT, srcs }).def()
    }

    #[test]
    fn chains_fold_in_one_run() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let x = b.constant(32, &[3, 4]);
        let y = AluSrc { def: x, swizzle: Swizzle::splat(1) };
        let product = alu(&mut b, AluOp::imul, 32, &[x.into(), y]);
        alu(&mut b, AluOp::ineg, 32, &[product.into()]);
        assert!(run_rules(&mut shader, Rules::CONSTANTS));
        assert_eq!(shader.as_const(last(&shader)), Some(&[-12i32 as u32 as u64][..]));
    }

    #[test]
    fn constant_conditions_select() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let mut b = Builder::new(&mut shader);
        let (x, y) = (b.undef(4, 32), b.undef(1, 32));
        let no = b.imm(1, 0);
        let yes = b.imm(1, 1);
        let z = AluSrc { def: x, swizzle: Swizzle::splat(2) };
        alu(&mut b, AluOp::bcsel, 32, &[yes.into(), z, y.into()]);
        alu(&mut b, AluOp::bcsel, 32, &[no.into(), z, y.into()]);
        assert!(run_rules(&mut shader, Rules::CONSTANTS));
        let moves: Vec<_> = shader.order.iter().filter_map(|inst| shader.as_alu(inst.def())).collect();
        assert_eq!(moves, [(AluOp::mov, &[z][..]), (AluOp::mov, &[AluSrc::from(y)][..])]);
    }

    #[test]
    fn constant_indices_become_numbers() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let array = shader.types.from_name("uint[8]").unwrap();
        let name = shader.strings.add("x");
        let var = shader.vars.push(crate::ir::Variable::new(name, array, crate::op::Modes::SHADER_TEMP));
        let mut b = Builder::new(&mut shader);
        let pointer = b.deref_var(var);
        let index = b.undef(1, 32);
        b.deref_array(pointer, ArrayIndex::Def(index));
        let values = b.shader.consts.push(&[5]);
        b.shader.set_kind(index.inst(), InstKind::Const(values));
        assert!(run_rules(&mut shader, Rules::CONSTANTS));
        let deref = shader.as_deref(last(&shader)).unwrap();
        assert_eq!(deref.kind, DerefKind::Array { parent: pointer, index: ArrayIndex::Imm(5) });
        assert!(!run_rules(&mut shader, Rules::CONSTANTS));
    }
}
