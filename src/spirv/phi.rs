// SPDX-License-Identifier: MIT

//! Phis: one OpPhi for each, with the values and labels of the edges of the control flow graph.
//!
//! ```text
//! 32   %7 = phi b1: %3, b2: %5          %7 = OpPhi %float %3 %l1 %6 %l2
//! ```
//!
//! Phis of a block are emitted in reverse order: Mesa's reader of SPIR-V puts each before those that it has, so that NIR has them
//! in their old order again. Registers of ACO depend on it: see `docs/spirv-shapes.md`.
//!
//! Before a branch is emitted, each phi of its target gets its *edge*: the value at that point, bitcast before the branch if
//! necessary, and the label of the block that ends there. So all operands are known when the phi is emitted, except in a loop
//! header: there the second operand is written with the back edge. SPIR-V has one back edge, NIR may have several. If they bring
//! several values, a phi in the continue target joins them.

use super::{internal, Emit, Result};
use crate::entity::SideTable;
use crate::ir::{Block, Inst, InstData, PhiSrc};
use rustc_hash::FxHashMap;
use spirv::Op;

/// Phis with more sources have a table of them: then the time for all edges of a phi is linear.
const FEW_SOURCES: usize = 32;

/// The state of the shader's phis.
#[derive(Debug, Default)]
pub(super) struct Phis {
    /// The operands that are known so far.
    edges: Vec<Edge>,
    /// The index in `edges` of the first operand of a phi, plus one.
    first_edge: SideTable<Inst, u32>,
    /// The number of the source for a predecessor, of phis with many sources.
    numbers: FxHashMap<(Inst, Block), usize>,
    /// Phis of the headers of open loops.
    back: Vec<BackPhi>,
}

impl Phis {
    pub(super) fn clear(&mut self) {
        self.edges.clear();
        self.first_edge.clear();
        self.numbers.clear();
        self.back.clear();
    }
}

/// An operand of a phi; label 0 if the edge is unreachable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edge {
    value: u32,
    pub(super) label: u32,
}

/// A phi of a loop header.
#[derive(Clone, Copy, Debug)]
struct BackPhi {
    phi: Inst,
    /// The position in the code of the value and label of the back edge.
    at: usize,
}

impl<'a> Emit<'a> {
    /// The phis of `block`, which are its first instructions.
    pub(super) fn phis(&self, block: Block) -> &'a [Inst] {
        let shader = self.shader;
        let insts = shader.block_insts(block);
        let count = insts.iter().take_while(|inst| shader.phi(**inst).is_some()).count();
        &insts[..count]
    }

    /// The index of the first operand of `phi`.
    fn first_edge(&mut self, phi: Inst, srcs: &[PhiSrc]) -> usize {
        let Phis { first_edge, edges, numbers, .. } = &mut self.state.phis;
        let first = first_edge.entry(phi);
        if *first == 0 {
            *first = edges.len() as u32 + 1;
            edges.resize(edges.len() + srcs.len(), Edge::default());
            if srcs.len() > FEW_SOURCES {
                numbers.extend(srcs.iter().enumerate().map(|(number, src)| ((phi, src.pred), number)));
            }
        }
        *first as usize - 1
    }

    /// The source of `phi` for the edge from `pred`, and the index of its operand.
    fn source_from(&mut self, phi: Inst, pred: Block) -> Result<(&'a PhiSrc, usize)> {
        let srcs = self.shader.phi(phi).unwrap_or_default();
        let first = self.first_edge(phi, srcs);
        let number = match srcs.len() {
            0..=FEW_SOURCES => srcs.iter().position(|src| src.pred == pred),
            _ => self.state.phis.numbers.get(&(phi, pred)).copied(),
        };
        let number = number.ok_or_else(|| internal(format!("{} has no source for {pred}", phi.def())))?;
        Ok((&srcs[number], first + number))
    }

    /// The operand of `phi` for the edge from `pred`.
    pub(super) fn edge_from(&mut self, phi: Inst, pred: Block) -> Result<&mut Edge> {
        let (_, index) = self.source_from(phi, pred)?;
        Ok(&mut self.state.phis.edges[index])
    }

    /// Sets the operands of the phis of `to` for the branch from `from` that the open block is about to end with.
    pub(super) fn edge(&mut self, from: Block, to: Block) -> Result<()> {
        let label = self.state.flow.label;
        for phi in self.phis(to) {
            let base = self.base(phi.def());
            let (src, index) = self.source_from(*phi, from)?;
            let value = self.value(src.def, base)?;
            self.state.phis.edges[index] = Edge { value, label };
        }
        Ok(())
    }

    /// Emits a phi that is not in a loop header: all its operands are known.
    pub(super) fn phi(&mut self, phi: Inst, data: &InstData) -> Result<()> {
        let base = self.base(phi.def());
        let ty = self.m.numeric(base, data.bit_size, data.num_components);
        let srcs = self.shader.phi(phi).unwrap_or_default();
        let first = self.first_edge(phi, srcs);
        let start = self.state.ids.len();
        for edge in &self.state.phis.edges[first..first + srcs.len()] {
            if edge.label != 0 {
                self.state.ids.extend_from_slice(&[edge.value, edge.label]);
            }
        }
        if self.state.ids.len() == start {
            return Err(internal(format!("{} has no source", phi.def())));
        }
        let id = self.m.value(Op::Phi, ty, &self.state.ids[start..]);
        self.state.ids.truncate(start);
        self.define(phi, data, id);
        Ok(())
    }

    /// Emits the phis of a loop header, with space for the operands of the back edge. Returns the index of the first among those of
    /// all open headers.
    pub(super) fn header_phis(&mut self, before: Block, first: Block) -> Result<usize> {
        let start = self.state.phis.back.len();
        for phi in self.phis(first).iter().rev() {
            let data = &self.shader.insts[*phi];
            let base = self.base(phi.def());
            let ty = self.m.numeric(base, data.bit_size, data.num_components);
            let entry = *self.edge_from(*phi, before)?;
            let id = self.m.id();
            let at = self.m.code.op(Op::Phi, &[ty, id, entry.value, entry.label, 0, 0]) + 4;
            self.define(*phi, data, id);
            self.state.phis.back.push(BackPhi { phi: *phi, at });
        }
        Ok(start)
    }

    /// Completes the phis of the innermost loop's header, which start at `start`, with the operands from the open block.
    pub(super) fn finish_header_phis(&mut self, before: Block, start: usize) {
        let label = self.state.flow.label;
        for index in start..self.state.phis.back.len() {
            let BackPhi { phi, at } = self.state.phis.back[index];
            let value = self.back_value(phi, before);
            self.m.code.patch(at, value);
            self.m.code.patch(at + 1, label);
        }
        self.state.phis.back.truncate(start);
    }

    /// The value of `phi` in the next iteration: the only value, a phi of several, or an undefined value if there is none.
    fn back_value(&mut self, phi: Inst, before: Block) -> u32 {
        let shader = self.shader;
        let data = shader.insts[phi];
        let base = self.base(phi.def());
        let srcs = shader.phi(phi).unwrap_or_default();
        let first = self.first_edge(phi, srcs);
        let start = self.state.ids.len();
        for (index, _) in srcs.iter().enumerate().filter(|(_, src)| src.pred != before) {
            let edge = self.state.phis.edges[first + index];
            if edge.label != 0 {
                self.state.ids.extend_from_slice(&[edge.value, edge.label]);
            }
        }
        let value = match self.state.ids[start..] {
            [] => self.m.undef(base, data.bit_size, data.num_components),
            [value, _] => value,
            _ => {
                let ty = self.type_as(phi.def(), base);
                self.m.value(Op::Phi, ty, &self.state.ids[start..])
            }
        };
        self.state.ids.truncate(start);
        value
    }
}
