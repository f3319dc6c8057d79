//! ALU operations that SPIR-V does not have are rewritten into ones that it has.
//!
//! **What.** Each operation that a rule in `rules` fits is replaced by what the rule builds. Afterwards no opcode is
//! left whose form is [`Form::Lowered`](crate::op::Form), and no operation of a width that SPIR-V's instruction does
//! not take.
//!
//! **Why.** NIR has opcodes for every machine that Mesa drives: saturating subtractions, comparisons with 32-bit
//! booleans, packed dot products. SPIR-V has few of them; and some that it has, Vulkan takes at one width only (bit
//! searches at 32 bits).
//!
//! The result is the same for all operands for which NIR defines it, and `exact` goes over to each instruction.
//!
//! Before:
//!
//! ```text
//! 32     %3 = usub_sat %1, %2
//! ```
//!
//! After:
//!
//! ```text
//! 1     %3 = ult %1, %2
//! 32    %4 = load_const (0x00000000)
//! 32    %5 = isub %1, %2
//! 32    %6 = bcsel %3, %4 (0x0), %5
//! ```

mod rules;
#[cfg(test)]
mod tests;

use super::{Context, Forms, Pass};
use crate::ir::{rewrite, AluFlags, AluSrc, Builder, Def, Edit, Inst, InstData, InstKind, Shader};
use crate::op::{AluOp, AluSet, Base, Form};
use rules::RULES;
use std::ops::Index;
use std::sync::OnceLock;

/// The pass.
pub const PASS: Pass = Pass {
    name: "lower_alu",
    about: "rewrites ALU operations that SPIR-V does not have",
    removes: Forms::LOWERED_ALU,
    run,
};

fn run(shader: &mut Shader, _context: &Context) -> bool {
    let rules = Rules::get();
    if !shader.inventory().has_any_alu(&rules.ops) || !shader.order.iter().any(|inst| rules.lowers(shader, *inst)) {
        return false;
    }
    rewrite(shader, |builder, inst| {
        let InstKind::Alu { op, flags, srcs } = builder.shader.insts[inst].kind else { return Edit::Keep };
        if !rules.lowers(builder.shader, inst) {
            return Edit::Keep;
        }
        let Some(shape) = Shape::of(builder.shader, inst) else { return Edit::Keep };
        let Some(rule) = rules.find(&shape) else { return Edit::Keep };
        let mut lower = Lower { rules, builder, flags: flags & AluFlags::EXACT };
        let mut defs = [inst.def(); 16];
        for (i, operand) in op.info().srcs.iter().enumerate() {
            let src = lower.builder.shader.alu_srcs[srcs][i];
            defs[i] = lower.whole(src, operand.components(shape.components));
        }
        Edit::Replace((rule.lower)(&mut lower, &Call { shape, srcs: &defs[..srcs.len()] }))
    })
}

/// Whether `inst` is an ALU operation that cannot be emitted.
pub(super) fn is_to_lower(shader: &Shader, inst: Inst) -> bool {
    Rules::get().lowers(shader, inst)
}

/// What a rule's condition sees of an operation.
#[derive(Clone, Copy)]
struct Shape {
    op: AluOp,
    /// Components of the result.
    components: u8,
    /// Width of the result.
    bits: u8,
    /// Width of the first operand.
    src_bits: u8,
}

impl Shape {
    fn of(shader: &Shader, inst: Inst) -> Option<Shape> {
        let (op, srcs) = shader.as_alu(inst.def())?;
        let data = shader.insts[inst];
        let src_bits = srcs.first().map_or(0, |src| shader.bit_size(src.def));
        Some(Shape { op, components: data.num_components, bits: data.bit_size, src_bits })
    }

    /// All shapes that `op` may have, and more: every operation has a source.
    fn all(op: AluOp) -> impl Iterator<Item = Shape> {
        let of_widths = move |bits, src_bits| (1..=16).map(move |components| Shape { op, components, bits, src_bits });
        WIDTHS.into_iter().flat_map(move |bits| WIDTHS.into_iter().flat_map(move |src_bits| of_widths(bits, src_bits)))
    }
}

/// The widths that numbers have.
const WIDTHS: [u8; 5] = [1, 8, 16, 32, 64];

/// An operation to lower, its operands as wide as it reads them.
struct Call<'a> {
    shape: Shape,
    srcs: &'a [Def],
}

impl Index<usize> for Call<'_> {
    type Output = Def;
    fn index(&self, i: usize) -> &Def {
        &self.srcs[i]
    }
}

type LowerFn = fn(&mut Lower<'_, '_>, &Call<'_>) -> Def;

/// How some opcodes are lowered.
struct Rule {
    ops: &'static [AluOp],
    /// Whether an operation has to be.
    when: fn(&Shape) -> bool,
    lower: LowerFn,
}

/// The rules by opcode.
struct Rules {
    /// The opcodes that have rules.
    ops: AluSet,
    /// Those of each opcode.
    by_op: Vec<Vec<&'static Rule>>,
    /// Where a rule may fit: by opcode and [`place`] of the width of the result, the sum of such widths of the first operand,
    /// which are powers of two. Most rules are for widths that few operations have.
    widths: Vec<[u8; 8]>,
    /// By opcode with wide booleans, the one with booleans of 1 bit that it is a variant of.
    narrow_bools: Vec<Option<AluOp>>,
}

/// The place of a width in [`Rules::widths`].
fn place(bits: u8) -> usize {
    bits.trailing_zeros() as usize % 8
}

impl Rules {
    fn get() -> &'static Rules {
        static RULES: OnceLock<Rules> = OnceLock::new();
        RULES.get_or_init(Rules::new)
    }

    fn new() -> Rules {
        let mut by_op = vec![Vec::new(); AluOp::ALL.len()];
        for rule in RULES {
            rule.ops.iter().for_each(|op| by_op[*op as usize].push(rule));
        }
        let narrow_bools: Vec<_> = AluOp::ALL.iter().map(|op| narrow_bool_op(*op)).collect();
        for op in AluOp::ALL.iter().filter(|op| narrow_bools[**op as usize].is_some()) {
            by_op[*op as usize].push(&rules::WIDE_BOOL);
        }
        let widths = vec![[0; 8]; AluOp::ALL.len()];
        let mut rules = Rules { ops: AluSet::default(), by_op, widths, narrow_bools };
        for shape in AluOp::ALL.iter().flat_map(|op| Shape::all(*op)) {
            if rules.find(&shape).is_some() {
                rules.ops.insert(shape.op);
                rules.widths[shape.op as usize][place(shape.bits)] |= shape.src_bits;
            }
        }
        rules
    }

    /// The rule for an operation that cannot be emitted as it is.
    fn find(&self, shape: &Shape) -> Option<&'static Rule> {
        self.by_op[shape.op as usize].iter().find(|rule| (rule.when)(shape)).copied()
    }

    /// Whether `inst` is an ALU operation that one of them is for.
    #[inline(always)]
    fn lowers(&self, shader: &Shader, inst: Inst) -> bool {
        let InstData { bit_size, kind: InstKind::Alu { op, srcs, .. }, .. } = shader.insts[inst] else { return false };
        let of_operand = self.widths[op as usize][place(bit_size)];
        of_operand != 0
            && shader.alu_srcs[srcs].first().is_some_and(|src| shader.bit_size(src.def) & of_operand != 0)
            && Shape::of(shader, inst).is_some_and(|shape| self.find(&shape).is_some())
    }
}

/// The opcode with a 1-bit result that `op` is a variant of. NIR puts the width behind the first word of the variant's name:
/// `feq32`, `b32all_fequal4`.
fn narrow_bool_op(op: AluOp) -> Option<AluOp> {
    let info = op.info();
    if info.form != Form::Lowered || info.dest.ty.base != Base::Bool || info.dest.ty.bits == 1 {
        return None;
    }
    AluOp::from_name(&info.name.replacen(&info.dest.ty.bits.to_string(), "", 1))
}

/// Makes operations that can be emitted.
struct Lower<'a, 'b> {
    rules: &'static Rules,
    builder: &'a mut Builder<'b>,
    flags: AluFlags,
}

impl Lower<'_, '_> {
    /// A source as a value of `components` components.
    fn whole(&mut self, src: AluSrc, components: u8) -> Def {
        let mut channels = [0; 16];
        for (c, channel) in channels.iter_mut().enumerate() {
            *channel = src.swizzle.get(c);
        }
        self.builder.swizzle(src.def, &channels[..usize::from(components)])
    }

    /// An operation on whole values, lowered itself if it has to be.
    fn alu(&mut self, op: AluOp, srcs: &[Def]) -> Def {
        let (components, bits) = self.builder.alu_size(op, srcs.iter().copied());
        let shape = Shape { op, components, bits, src_bits: self.bits(srcs[0]) };
        if let Some(rule) = self.rules.find(&shape) {
            return (rule.lower)(self, &Call { shape, srcs });
        }
        let mut list = [AluSrc::from(srcs[0]); 16];
        for (to, from) in list.iter_mut().zip(srcs) {
            *to = AluSrc::from(*from);
        }
        self.builder.alu_with(op, self.flags, &list[..srcs.len()], None)
    }

    fn unary(&mut self, op: AluOp, x: Def) -> Def {
        self.alu(op, &[x])
    }

    fn binary(&mut self, op: AluOp, x: Def, y: Def) -> Def {
        self.alu(op, &[x, y])
    }

    /// `op` on `x` and an integer, which gets the width that `op` asks for.
    fn with_int(&mut self, op: AluOp, x: Def, value: i64) -> Def {
        let bits = match op.info().srcs[1].ty.bits {
            0 => self.bits(x),
            bits => bits,
        };
        let y = self.ints(x, bits, value);
        self.binary(op, x, y)
    }

    /// `op` on `x` and a float.
    fn with_float(&mut self, op: AluOp, x: Def, value: f64) -> Def {
        let y = self.float(x, value);
        self.binary(op, x, y)
    }

    /// `cond ? x : y`.
    fn select(&mut self, cond: Def, x: Def, y: Def) -> Def {
        self.alu(AluOp::bcsel, &[cond, x, y])
    }

    /// A constant of the shape of `like`, every component `value`.
    fn int(&mut self, like: Def, value: i64) -> Def {
        let bits = self.bits(like);
        self.ints(like, bits, value)
    }

    /// A constant with as many components as `like`.
    fn ints(&mut self, like: Def, bits: u8, value: i64) -> Def {
        let components = usize::from(self.builder.shader.num_components(like));
        self.builder.constant(bits, &[value as u64; 16][..components])
    }

    /// A float constant of the shape of `like`.
    fn float(&mut self, like: Def, value: f64) -> Def {
        let bits = crate::op::fold::from_float(value, self.bits(like));
        self.int(like, bits as i64)
    }

    fn bits(&self, def: Def) -> u8 {
        self.builder.shader.bit_size(def)
    }

    fn channel(&mut self, def: Def, c: u8) -> Def {
        self.builder.channel(def, c)
    }

    /// The low and high halves of 64-bit integers.
    fn halves(&mut self, x: Def) -> (Def, Def) {
        let high = self.with_int(AluOp::ushr, x, 32);
        (self.unary(AluOp::u2u32, x), self.unary(AluOp::u2u32, high))
    }

    /// The components of `def`, combined by `op` in the order in which the folds add up: halves pairwise, then the rest.
    fn reduce(&mut self, op: AluOp, def: Def) -> Def {
        let mut parts = [def; 16];
        let mut len = usize::from(self.builder.shader.num_components(def));
        for (c, part) in parts[..len].iter_mut().enumerate() {
            *part = self.channel(def, c as u8);
        }
        while len > 1 {
            for i in 0..len / 2 {
                parts[i] = self.binary(op, parts[2 * i], parts[2 * i + 1]);
            }
            if len % 2 == 1 {
                parts[len / 2] = parts[len - 1];
            }
            len = len.div_ceil(2);
        }
        parts[0]
    }

    /// `scalar` of each component of the operands, as a vector.
    fn per_component(&mut self, call: &Call<'_>, scalar: impl Fn(&mut Self, &[Def]) -> Def) -> Def {
        let mut results = [call[0]; 16];
        let results = &mut results[..usize::from(call.shape.components)];
        for (c, result) in results.iter_mut().enumerate() {
            let mut channels = [call[0]; 16];
            for (channel, src) in channels.iter_mut().zip(call.srcs) {
                *channel = self.channel(*src, c as u8);
            }
            *result = scalar(self, &channels[..call.srcs.len()]);
        }
        self.builder.vec(results)
    }
}
