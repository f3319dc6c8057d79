// SPDX-License-Identifier: MIT

//! Ifs and loops, with phis for their results.

use super::{Generator, Purpose, Shape, Value, DEPTH};
use arbitrary::Result;
use ntv::ir::{Def, InstKind, Jump, PhiSrc};
use ntv::op::AluOp;

impl Generator<'_, '_, '_> {
    pub(super) fn conditional(&mut self) -> Result<()> {
        if self.depth == DEPTH {
            return self.arithmetic();
        }
        let is_open = self.purpose == Purpose::Interpreter && self.chance(12)?;
        let cond = if is_open { self.open_condition()? } else { self.value_of(Shape::CONDITION)? };
        let scope = self.scope();
        self.depth += 1;
        self.b.begin_if(cond);
        self.body()?;
        let merged = self.some_of(scope.values)?;
        self.forget(scope);
        let then = self.b.current_block();
        self.b.begin_else();
        if self.chance(2)? {
            self.body()?;
        }
        let mut others = Vec::with_capacity(merged.len());
        for value in &merged {
            others.push(self.value_of(self.shape(*value))?);
        }
        self.forget(scope);
        let otherwise = self.b.current_block();
        self.b.end_if();
        self.depth -= 1;
        for (value, other) in merged.iter().zip(others) {
            let Shape { bits, components, kind } = self.shape(*value);
            let srcs = [PhiSrc { pred: then, def: value.def }, PhiSrc { pred: otherwise, def: other }];
            let phi = self.b.phi(components, bits, &srcs);
            self.push(phi, kind);
        }
        Ok(())
    }

    fn body(&mut self) -> Result<()> {
        for _ in 0..self.u.int_in_range(1..=4)? {
            self.statement()?;
        }
        Ok(())
    }

    /// Up to three of the values that are newer than the first `known`, or any if there are none.
    fn some_of(&mut self, known: usize) -> Result<Vec<Value>> {
        let first = if self.values.len() > known { known } else { 0 };
        let mut some = Vec::new();
        if !self.values.is_empty() {
            for _ in 0..self.u.int_in_range(0..=3)? {
                let at = self.u.int_in_range(first..=self.values.len() - 1)?;
                some.push(self.values[at]);
            }
        }
        Ok(some)
    }

    /// A loop that counts to at most 3, with values that each iteration changes.
    pub(super) fn repeated(&mut self) -> Result<()> {
        if self.depth == DEPTH {
            return self.arithmetic();
        }
        let limit = self.small_index(4)?;
        let carried = self.some_of(self.values.len())?;
        let first = self.b.imm32(0);
        let before = self.b.current_block();
        let continues = self.chance(3)?;
        self.depth += 1;
        self.b.begin_loop();
        let preds = if continues { 3 } else { 2 };
        let start = |def| [PhiSrc { pred: before, def }; 3];
        let counter = self.b.phi(1, 32, &start(first)[..preds]);
        let mut phis = vec![(counter, Shape::INDEX)];
        for value in carried {
            let shape = self.shape(value);
            phis.push((self.b.phi(shape.components, shape.bits, &start(value.def)[..preds]), shape));
        }
        let scope = self.scope();
        phis.iter().for_each(|(phi, shape)| self.push(*phi, shape.kind));
        let done = self.b.alu(AluOp::uge, &[counter, limit]);
        self.b.break_if(done);
        self.body()?;
        if self.chance(3)? {
            let cond = self.value_of(Shape::CONDITION)?;
            self.b.break_if(cond);
        }
        let next = self.b.iadd_imm(counter, 1);
        if continues {
            let cond = self.value_of(Shape::CONDITION)?;
            self.b.begin_if(cond);
            self.close(&phis, next, 1)?;
            self.b.inst(0, 0, InstKind::Jump(Jump::Continue));
            self.b.begin_else();
            self.b.end_if();
        }
        self.body()?;
        self.close(&phis, next, preds - 1)?;
        self.b.end_loop();
        self.depth -= 1;
        // The first block of a loop dominates every exit.
        self.forget(scope);
        phis.iter().for_each(|(phi, shape)| self.push(*phi, shape.kind));
        Ok(())
    }

    /// Adds the sources of the phis of a loop for an iteration that ends in the open block.
    fn close(&mut self, phis: &[(Def, Shape)], counter: Def, source: usize) -> Result<()> {
        for (i, (phi, shape)) in phis.iter().enumerate() {
            let def = if i == 0 { counter } else { self.value_of(*shape)? };
            let pred = self.b.current_block();
            self.b.set_phi_src(*phi, source, PhiSrc { pred, def });
        }
        Ok(())
    }
}
