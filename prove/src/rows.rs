// SPDX-License-Identifier: MIT

//! The rows of the ALU table with each width that their operands may have.

use ntv::op::{AluOp, Base, Operand};

/// An opcode, with the width of operands whose width is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The opcode.
    pub op: AluOp,
    /// The width in bits; 32 if no operand's width is free, as in NIR.
    pub width: u8,
}

impl Row {
    /// All rows. Vectors whose size is free have one component, as the components are computed alike.
    pub fn all() -> Vec<Row> {
        AluOp::ALL.iter().flat_map(|op| widths(*op).iter().map(|width| Row { op: *op, width: *width })).collect()
    }

    /// The number of components and the width of an operand.
    pub fn shape(self, operand: &Operand) -> (u8, u8) {
        (operand.components(1), operand.bits(self.width))
    }

    /// The base and the width of each component of the sources, one after the other.
    pub fn inputs(self) -> Vec<(Base, u8)> {
        let shapes = self.op.info().srcs.iter().map(|src| (src.ty.base, self.shape(src)));
        shapes.flat_map(|(base, (count, bits))| (0..count).map(move |_| (base, bits))).collect()
    }

    /// The number of components and the width of the result.
    pub fn result(self) -> (u8, u8) {
        self.shape(&self.op.info().dest)
    }

    /// The name of the row: `iadd@16`.
    pub fn name(self) -> String {
        format!("{}@{}", self.op.name(), self.width)
    }
}

/// The widths of the operands of `op` whose width is free.
fn widths(op: AluOp) -> &'static [u8] {
    let info = op.info();
    let mut free =
        info.srcs.iter().chain([&info.dest]).filter(|operand| operand.ty.bits == 0).map(|operand| operand.ty.base);
    let bases: Vec<Base> = free.by_ref().collect();
    match () {
        _ if bases.is_empty() => &[32],
        _ if bases.contains(&Base::Float) => &[16, 32, 64],
        _ if bases.contains(&Base::Bool) => &[1, 8, 16, 32],
        _ => &[1, 8, 16, 32, 64],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_opcode_has_rows() {
        let rows = Row::all();
        assert!(AluOp::ALL.iter().all(|op| rows.iter().any(|row| row.op == *op)));
        let of = |op: AluOp| rows.iter().filter(|row| row.op == op).map(|row| row.width).collect::<Vec<u8>>();
        assert_eq!(of(AluOp::iadd), [1, 8, 16, 32, 64]);
        assert_eq!(of(AluOp::fadd), [16, 32, 64]);
        assert_eq!(of(AluOp::pack_half_2x16), [32]);
        assert_eq!(of(AluOp::bcsel), [1, 8, 16, 32, 64]);
        let dot = Row { op: AluOp::fdot3, width: 32 };
        assert_eq!((dot.inputs(), dot.result()), (vec![(Base::Float, 32); 6], (1, 32)));
    }
}
