// SPDX-License-Identifier: MIT

//! Terms as text, for people.

use super::{Arena, Op, Term};

impl Arena {
    /// `term` as an expression, at most `depth` operations deep.
    pub fn shown(&self, term: Term, depth: u32) -> String {
        let node = self.node(term);
        if let Some(value) = self.as_const(term) {
            return match node.width {
                1 => (value != 0).to_string(),
                _ if value < 1024 => value.to_string(),
                _ => format!("{value:#x}"),
            };
        }
        if depth == 0 {
            return format!("t{}", term.0);
        }
        let args: Vec<String> = node.args.iter().map(|arg| self.shown(*arg, depth - 1)).collect();
        match node.op {
            Op::Symbol(name) if args.is_empty() => self.name(name).to_owned(),
            Op::Symbol(name) => format!("{}({})", self.name(name), args.join(", ")),
            Op::Ite => format!("({} ? {} : {})", args[0], args[1], args[2]),
            Op::Sum => {
                let terms = args.iter().zip(&node.immediates[1..]).map(|(arg, coefficient)| match *coefficient {
                    1 => arg.clone(),
                    c => format!("{}*{arg}", ntv::op::fold::sign_extend(c, node.width)),
                });
                let constant = (node.immediates[0] != 0).then(|| format!("{:#x}", node.immediates[0]));
                format!("({})", terms.chain(constant).collect::<Vec<String>>().join(" + "))
            }
            Op::Mask => format!("({} & {:#x})", args[0], node.immediates[0]),
            Op::Alu(op) if node.immediates[0] != 0 => {
                format!("{}.{}({})", op.name(), node.immediates[0], args.join(", "))
            }
            Op::Alu(op) => format!("{}({})", op.name(), args.join(", ")),
            Op::Zext | Op::Sext | Op::Trunc => {
                format!("{}{}({})", format!("{:?}", node.op).to_lowercase(), node.width, args[0])
            }
            op => format!("{}({})", format!("{op:?}").to_lowercase(), args.join(", ")),
        }
    }
}
