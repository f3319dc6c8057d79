// SPDX-License-Identifier: MIT

//! A generated shader of any size, for the growth of cost with size.

use ntv::ir::{Builder, Def, PhiSrc, Shader, Stage};
use ntv::op::names::IoSemantics;
use ntv::op::{AluOp, AluType, Base, Index, Intrinsic};

/// A fragment shader of about `size` instructions: loads from a uniform block, arithmetic, and an if for every fifty
/// instructions. Each part reads results of the parts before it.
pub fn generated(size: usize) -> Shader {
    let mut shader = Shader::default();
    shader.info.stage = Stage::Fragment;
    shader.info.num_ubos = 1;
    shader.entry.push_str("main");
    shader.append_new_block();
    let mut made = Made { b: Builder::new(&mut shader), values: Vec::new(), next: 1 };
    let first = made.load(0);
    made.values.push(first);
    while made.b.shader.order.len() + 8 < size {
        made.part();
    }
    made.store();
    shader
}

struct Made<'a> {
    b: Builder<'a>,
    /// Values that later instructions may read.
    values: Vec<Def>,
    /// The state of a small generator, so that neighbouring instructions differ.
    next: u32,
}

impl Made<'_> {
    fn random(&mut self, below: usize) -> usize {
        self.next = self.next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.next >> 8) as usize % below
    }

    /// One of the latest values: real shaders rarely read old ones.
    fn value(&mut self) -> Def {
        let near = self.values.len().min(32);
        let back = self.random(near);
        self.values[self.values.len() - 1 - back]
    }

    fn load(&mut self, vec4: u32) -> Def {
        let (block, offset) = (self.b.imm32(0), self.b.imm32(16 * vec4));
        let indices = [(Index::align_mul, 16), (Index::range, 4096)];
        self.b.intrinsic_with(Intrinsic::load_ubo, 1, 32, &[block, offset], &indices).def()
    }

    /// About fifty instructions.
    fn part(&mut self) {
        let vec4 = self.random(256) as u32;
        let loaded = self.load(vec4);
        self.values.push(loaded);
        for _ in 0..40 {
            let op = [AluOp::fadd, AluOp::fmul, AluOp::ffma, AluOp::fmax][self.random(4)];
            let operands = [self.value(), self.value(), self.value()];
            let value = self.b.alu(op, &operands[..op.info().srcs.len()]);
            self.values.push(value);
        }
        let (x, y) = (self.value(), self.value());
        let cond = self.b.alu(AluOp::flt, &[x, y]);
        self.b.begin_if(cond);
        let sum = self.b.alu(AluOp::fadd, &[x, y]);
        let then_block = self.b.current_block();
        self.b.begin_else();
        let product = self.b.alu(AluOp::fmul, &[x, y]);
        let else_block = self.b.current_block();
        self.b.end_if();
        let sources = [PhiSrc { pred: then_block, def: sum }, PhiSrc { pred: else_block, def: product }];
        let joined = self.b.phi(1, 32, &sources);
        self.values.push(joined);
    }

    fn store(&mut self) {
        let (value, zero) = (self.value(), self.b.imm32(0));
        let slot = IoSemantics { location: ntv::op::names::frag_result::DATA0, num_slots: 1, ..IoSemantics::default() };
        let indices = [
            (Index::write_mask, 1),
            (Index::src_type, ntv::op::names::pack_alu_type(AluType::new(Base::Float, 32))),
            (Index::io_semantics, slot.pack()),
        ];
        self.b.intrinsic_with(Intrinsic::store_output, 0, 0, &[value, zero], &indices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_shaders_translate() {
        for size in [100, 1000] {
            let mut shader = generated(size);
            let instructions = shader.order.len();
            assert!(instructions.abs_diff(size) < 60, "{instructions} instructions for {size}");
            let module = ntv::Translator::default().translate(&mut shader, &ntv::EmitOptions::default());
            assert!(module.unwrap().words.len() > size);
        }
    }
}
