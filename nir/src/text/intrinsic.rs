// SPDX-License-Identifier: MIT

//! Intrinsics: `@name (sources) (indices)` in 25.0, `intrinsic name (sources) (indices)` in 22.3.

use super::cursor::Cursor;
use super::dialect26;
use super::index::parse_index;
use super::instr::Dest;
use super::parser::Parser;
use crate::error::Error;
use crate::ir::{Def, Inst, InstKind, Shader, Stage};
use crate::near::similar;
use crate::op::intrinsic::Components;
use crate::op::old::old_intrinsic;
use crate::op::Intrinsic;

/// The most indices of an opcode.
const MAX_INDICES: usize = 16;

/// The properties that the values of indices depend on.
pub(super) struct IndexContext {
    pub(super) op: Intrinsic,
    pub(super) stage: Stage,
    /// The number of components of the result or of the stored value.
    pub(super) num_components: u8,
}

impl IndexContext {
    /// The context of `op` with these sources and a result of `dest` components, 0 for none.
    pub(super) fn new(shader: &Shader, op: Intrinsic, dest: u8, srcs: &[Def]) -> IndexContext {
        let stored = op.info().srcs.iter().position(|components| *components == Components::Instr);
        let num_components = match (dest, stored.and_then(|at| srcs.get(at))) {
            (0, Some(src)) => shader.num_components(*src),
            (n, _) => n,
        };
        IndexContext { op, stage: shader.info.stage, num_components }
    }
}

impl<'a> Parser<'a> {
    /// Parses an intrinsic with a result, from its name on.
    pub(super) fn intrinsic_value(&mut self, line: &mut Cursor<'a>, dest: &Dest, old: bool) -> Result<Def, Error> {
        self.intrinsic(line, Some(dest), old).map(Inst::def)
    }

    /// Parses an intrinsic, from its name on; `old` for 22.3.
    pub(super) fn intrinsic(&mut self, line: &mut Cursor<'a>, dest: Option<&Dest>, old: bool) -> Result<Inst, Error> {
        let start = line.token_start();
        let name = line.word();
        let renamed = if old { old_intrinsic(name, self.shader.info.stage == Stage::TessCtrl) } else { None };
        let Some(op) = renamed.map(|old| old.op).or_else(|| Intrinsic::from_name(name)) else {
            let near = similar(name, Intrinsic::ALL.iter().map(|op| op.name()));
            return Err(line.error(start, &format!("unknown intrinsic `{name}`{near}")));
        };
        let info = op.info();
        if dest.is_some() != (info.dest != Components::None) {
            let has = if dest.is_some() { "no" } else { "a" };
            return Err(line.error(start, &format!("`{name}` has {has} result")));
        }
        let missing = renamed.map_or(0, |old| old.missing_srcs);
        let mut srcs = std::mem::take(&mut self.src_list);
        srcs.clear();
        if old || !info.srcs.is_empty() {
            self.intrinsic_srcs(line, op, info.srcs.len() - missing, &mut srcs)?;
        }
        for _ in 0..missing {
            srcs.push(self.emit(1, 32, InstKind::Undef).def());
        }
        let mut values = [0; MAX_INDICES];
        for (index, value) in renamed.iter().flat_map(|old| old.indices) {
            if let Some(slot) = info.index_slot(index) {
                values[slot] = value;
            }
        }
        let (num_components, bit_size) = dest.map_or((0, 0), |dest| (dest.num_components, dest.bit_size));
        if line.eat(b'(') {
            let context = IndexContext::new(&self.shader, op, num_components, &srcs);
            let shift = intrinsic_indices(line, &context, &mut values)?;
            if shift != 0 {
                self.shift_offset(line, op, &mut srcs, shift)?;
            }
        }
        line.expect_end()?;
        let indices = self.shader.indices.push(&values[..info.indices.len()]);
        let list = self.shader.srcs.push(&srcs);
        self.src_list = srcs;
        Ok(self.emit(num_components, bit_size, InstKind::Intrinsic { op, srcs: list, indices }))
    }

    /// Parses `(%1, %2)`.
    fn intrinsic_srcs(
        &mut self,
        line: &mut Cursor<'a>,
        op: Intrinsic,
        count: usize,
        srcs: &mut Vec<Def>,
    ) -> Result<(), Error> {
        let start = line.token_start();
        line.expect(b'(', "`(` and sources")?;
        while !line.eat(b')') {
            if !srcs.is_empty() {
                line.expect(b',', "`,` or `)`")?;
            }
            let start = line.token_start();
            let src = self.src(line)?;
            let components = self.shader.num_components(src);
            match op.info().srcs.get(srcs.len()) {
                Some(Components::Exactly(n)) if *n != components => {
                    return Err(line.error(start, &format!("expected a value with {n} components")));
                }
                _ => srcs.push(src),
            }
        }
        if srcs.len() != count {
            return Err(line.error(start, &format!("expected {count} sources of `{}`", op.name())));
        }
        Ok(())
    }
}

/// Parses `name=value, name=value)`, after `(`. Indices that are not printed keep their values. Returns `offset_shift`, which only 26
/// has.
fn intrinsic_indices(line: &mut Cursor<'_>, context: &IndexContext, values: &mut [u32]) -> Result<u32, Error> {
    let info = context.op.info();
    let (mut next, mut shift, mut is_first) = (0, 0, true);
    while !line.eat(b')') {
        if !is_first {
            line.expect(b',', "`,` or `)`")?;
        }
        is_first = false;
        let start = line.token_start();
        let name = line.word();
        let slot = match info.indices.get(next) {
            Some(index) if index.printed() == name => Some(next),
            _ => info.indices.iter().position(|index| index.printed() == name),
        };
        let Some(slot) = slot else {
            match dialect26::index(line, context.op, name)? {
                Some(bits) => shift += bits,
                None => {
                    return Err(line.error(start, &format!("expected an index of `{}`", context.op.name())));
                }
            }
            continue;
        };
        values[slot] = parse_index(line, info.indices[slot], context)?;
        next = slot + 1;
    }
    Ok(shift)
}
