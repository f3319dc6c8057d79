// SPDX-License-Identifier: MIT

//! NIR's arithmetic as terms.
//!
//! Integer opcodes are defined by the other operations of terms where those have the same meaning. What is left, floats above all, is
//! a row of NIR's table applied to terms, [`Op::Alu`], whose meaning is the row's fold. A test compares each definition with the fold.

use super::{Arena, Op, Term};
use ntv::op::fold::{mask, Fold};
use ntv::op::open::is_open;
use ntv::op::AluOp::{self, *};
use ntv::op::{Base, Form, Props};
use std::sync::OnceLock;

/// The comparison with a 1-bit result of which `op` is the one with a wider boolean.
fn with_one_bit(op: AluOp) -> Option<AluOp> {
    static TABLE: OnceLock<Vec<Option<AluOp>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let one_bit = |op: &AluOp| {
            let info = op.info();
            if info.dest.ty.base != Base::Bool || info.dest.ty.bits <= 1 || info.props.contains(Props::CONVERSION) {
                return None;
            }
            let bits = info.dest.ty.bits.to_string();
            let name = info.name;
            let short = name.strip_suffix(&bits).map(str::to_owned);
            let all = name.strip_prefix(&format!("b{bits}")).map(|rest| format!("b{rest}"));
            let found = all.into_iter().chain(short).find_map(|name| AluOp::from_name(&name));
            found.filter(|found| found.info().dest.ty.bits == 1)
        };
        AluOp::ALL.iter().map(one_bit).collect()
    });
    table[op as usize]
}

/// Whether the opcode has a definition in other operations of terms, so that no [`Op::Alu`] is made of it.
pub fn is_defined_here(op: AluOp, width: u8) -> bool {
    let mut arena = Arena::new();
    let info = op.info();
    let srcs: Vec<Vec<Term>> = info
        .srcs
        .iter()
        .enumerate()
        .map(|(i, src)| {
            (0..src.components(1)).map(|c| arena.symbol(&format!("{i}.{c}"), src.bits(width), &[])).collect()
        })
        .collect();
    let term = arena.alu(op, info.dest.bits(width), 0, &srcs);
    arena.node(term).op != Op::Alu(op)
}

impl Arena {
    /// Component `component` of the result of `op`, `width` bits wide, of the components of the sources. Sources that are read per
    /// component have only the one that is read, or all.
    pub fn alu(&mut self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>]) -> Term {
        if let Some(number) = self.fold(op, width, component, srcs) {
            return self.constant(width, number);
        }
        if let Some(narrow) = with_one_bit(op) {
            let condition = self.alu(narrow, 1, component, srcs);
            return self.sext(condition, width);
        }
        let args: Vec<Term> = op
            .info()
            .srcs
            .iter()
            .zip(srcs)
            .map(|(operand, src)| src[if operand.size == 0 && src.len() > 1 { component } else { 0 }])
            .collect();
        if let Some(term) = self.integers(op, width, component, srcs, &args) {
            return term;
        }
        if let Some(term) = self.floats(op, width, srcs, &args) {
            return term;
        }
        self.row(op, width, component, srcs)
    }

    /// A scalar operation.
    pub fn scalar(&mut self, op: AluOp, width: u8, args: &[Term]) -> Term {
        let srcs: Vec<Vec<Term>> = args.iter().map(|arg| vec![*arg]).collect();
        self.alu(op, width, 0, &srcs)
    }

    /// The row applied to the sources, as it is.
    fn row(&mut self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>]) -> Term {
        let info = op.info();
        let mut parts: Vec<Vec<Term>> = info
            .srcs
            .iter()
            .zip(srcs)
            .map(|(operand, src)| match operand.size {
                0 if src.len() > 1 => vec![src[component]],
                0 => src.clone(),
                size => src[..usize::from(size)].to_vec(),
            })
            .collect();
        // A vector operation that is commutative has its operands in the order of their first components.
        if info.props.contains(Props::COMMUTATIVE) && parts.len() >= 2 && parts[1] < parts[0] {
            parts.swap(0, 1);
        }
        let component = if info.dest.size > 1 { component as u64 } else { 0 };
        if let [part] = &parts[..] {
            if let ([only], 1) = (&part[..], info.srcs[0].size.max(1)) {
                let only = *only;
                let made =
                    self.of_constants(only, &mut |arena, leaf| arena.alu(op, width, component as usize, &[vec![leaf]]));
                if let Some(made) = made {
                    return made;
                }
            }
        }
        if let [a, b] = &parts[..] {
            if let ([a], [b]) = (&a[..], &b[..]) {
                for (choice, other, is_first) in [(*a, *b, true), (*b, *a, false)] {
                    if self.as_const(other).is_none() {
                        continue;
                    }
                    let made = self.of_constants(choice, &mut |arena, leaf| match is_first {
                        true => arena.scalar(op, width, &[leaf, other]),
                        false => arena.scalar(op, width, &[other, leaf]),
                    });
                    if let Some(made) = made {
                        return made;
                    }
                }
            }
        }
        let args: Vec<Term> = parts.into_iter().flatten().collect();
        self.make(Op::Alu(op), width, &[component], &args)
    }

    /// The result if all sources are constants and it is not open.
    fn fold(&self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>]) -> Option<u64> {
        let values: Option<Vec<Vec<u64>>> =
            srcs.iter().map(|src| src.iter().map(|term| self.as_const(*term)).collect()).collect();
        let values = values?;
        let widths: Vec<u8> = srcs.iter().map(|src| self.width(src[0])).collect();
        fold_row(op, width, component, &values, &widths)
    }

    /// Opcodes of integers and of bits.
    #[allow(clippy::too_many_lines)] // one row for each opcode
    fn integers(&mut self, op: AluOp, width: u8, component: usize, srcs: &[Vec<Term>], args: &[Term]) -> Option<Term> {
        let all = mask(u64::MAX, width);
        let arg = |i: usize| args[i];
        let source_width = self.width(arg(0));
        Some(match op {
            mov | amul if op == mov => arg(0),
            vec2 | vec3 | vec4 | vec5 | vec8 | vec16 => srcs[component][0],
            bcsel => self.ite(arg(0), arg(1), arg(2)),
            b8csel | b16csel | b32csel => {
                let zero = self.is_zero(arg(0));
                self.ite(zero, arg(2), arg(1))
            }
            icsel_eqz => {
                let zero = self.is_zero(arg(0));
                self.ite(zero, arg(1), arg(2))
            }
            i32csel_gt | i32csel_ge => {
                let zero = self.constant(32, 0);
                let (low, high) = if op == i32csel_gt { (zero, arg(0)) } else { (arg(0), zero) };
                let less = self.slt(low, high);
                let (yes, no) = if op == i32csel_gt { (arg(1), arg(2)) } else { (arg(2), arg(1)) };
                self.ite(less, yes, no)
            }
            ineg => self.combination(width, 0, &[(arg(0), u64::MAX)]),
            iadd | isub | imul | amul | imul24_relaxed | umul24_relaxed if width == 1 => {
                let op = if op == iadd || op == isub { Op::Xor } else { Op::And };
                self.bitwise(op, arg(0), arg(1))
            }
            iadd => self.add(arg(0), arg(1)),
            isub => self.sub(arg(0), arg(1)),
            imul | amul | umul24_relaxed | imul24_relaxed => self.mul(arg(0), arg(1)),
            iadd3 => self.combination(width, 0, &[(arg(0), 1), (arg(1), 1), (arg(2), 1)]),
            imad | umad24_relaxed => {
                let product = self.mul(arg(0), arg(1));
                self.add(product, arg(2))
            }
            umul_low => {
                let [a, b] = [0, 1].map(|i| self.mask(arg(i), 0xffff));
                self.mul(a, b)
            }
            umul_32x16 => {
                let low = self.mask(arg(1), 0xffff);
                self.mul(arg(0), low)
            }
            imul_32x16 => {
                let low = self.trunc(arg(1), 16);
                let low = self.sext(low, 32);
                self.mul(arg(0), low)
            }
            umul24 | umad24 => {
                let [a, b] = [0, 1].map(|i| self.mask(arg(i), 0xff_ffff));
                let product = self.mul(a, b);
                match args.get(2) {
                    Some(sum) => self.add(product, *sum),
                    None => product,
                }
            }
            imul24 => {
                let [a, b] = [0, 1].map(|i| self.sign_of_bits(arg(i), 24));
                self.mul(a, b)
            }
            umul_2x32_64 | imul_2x32_64 => {
                let wide = |arena: &mut Arena, term| match op {
                    umul_2x32_64 => arena.zext(term, 64),
                    _ => arena.sext(term, 64),
                };
                let a = wide(self, arg(0));
                let b = wide(self, arg(1));
                self.mul(a, b)
            }
            umul_high | imul_high if width <= 32 && width > 1 => {
                let wide = |arena: &mut Arena, term| match op {
                    umul_high => arena.zext(term, 2 * width),
                    _ => arena.sext(term, 2 * width),
                };
                let a = wide(self, arg(0));
                let b = wide(self, arg(1));
                let product = self.mul(a, b);
                self.part(product, width, width)
            }
            iabs => {
                let negative = self.is_negative(arg(0));
                let negated = self.combination(width, 0, &[(arg(0), u64::MAX)]);
                self.ite(negative, negated, arg(0))
            }
            isign if width > 1 => {
                let negative = self.is_negative(arg(0));
                let zero = self.is_zero(arg(0));
                let [minus, none, one] = [u64::MAX, 0, 1].map(|value| self.constant(width, value));
                let rest = self.ite(zero, none, one);
                self.ite(negative, minus, rest)
            }
            imin | imax | umin | umax => {
                // The operands in the order of their terms, so that one form is left.
                let (a, b) = (arg(0).min(arg(1)), arg(0).max(arg(1)));
                let less = if matches!(op, imin | imax) { self.slt(a, b) } else { self.ult(a, b) };
                match op {
                    imin | umin => self.ite(less, a, b),
                    _ => self.ite(less, b, a),
                }
            }
            udiv_aligned_4 if width > 2 => {
                let two = self.constant(width, 2);
                self.lshr(arg(0), two)
            }
            uadd_sat => {
                let sum = self.add(arg(0), arg(1));
                let carry = self.ult(sum, arg(0));
                let most = self.constant(width, all);
                self.ite(carry, most, sum)
            }
            usub_sat => {
                let difference = self.sub(arg(0), arg(1));
                let borrow = self.ult(arg(0), arg(1));
                let zero = self.constant(width, 0);
                self.ite(borrow, zero, difference)
            }
            uabs_usub | uabs_isub => {
                let less = if op == uabs_usub { self.ult(arg(0), arg(1)) } else { self.slt(arg(0), arg(1)) };
                let [up, down] = [(1, 0), (0, 1)].map(|(a, b)| self.sub(arg(a), arg(b)));
                self.ite(less, up, down)
            }
            iadd_sat | isub_sat if width > 1 => self.saturated(op, width, arg(0), arg(1)),
            ihadd | irhadd | uhadd | urhadd if width > 1 && width < 64 => {
                let signed = matches!(op, ihadd | irhadd);
                let rounded = matches!(op, irhadd | urhadd);
                let [a, b] = [0, 1].map(|i| match signed {
                    true => self.sext(arg(i), width + 1),
                    false => self.zext(arg(i), width + 1),
                });
                let sum = self.combination(width + 1, rounded.into(), &[(a, 1), (b, 1)]);
                // The low `width` bits of the sum without its lowest bit: the width of `sum` is not a power of two.
                self.top_bits(sum, width)
            }
            uadd_carry => {
                let sum = match width {
                    1 => self.differ(arg(0), arg(1)),
                    _ => self.add(arg(0), arg(1)),
                };
                let carry = self.ult(sum, arg(0));
                self.zext(carry, width)
            }
            usub_borrow => {
                let borrow = self.ult(arg(0), arg(1));
                self.zext(borrow, width)
            }
            inot if width == 1 => self.not(arg(0)),
            inot => self.combination(width, all, &[(arg(0), u64::MAX)]),
            iand => self.bitwise(Op::And, arg(0), arg(1)),
            ior => self.bitwise(Op::Or, arg(0), arg(1)),
            ixor => self.bitwise(Op::Xor, arg(0), arg(1)),
            bitfield_select => {
                let ones = self.constant(width, all);
                let not = self.bitwise(Op::Xor, arg(0), ones);
                let taken = self.bitwise(Op::And, arg(0), arg(1));
                let rest = self.bitwise(Op::And, not, arg(2));
                self.bitwise(Op::Or, taken, rest)
            }
            ishl | ishr | ushr if width == 1 => arg(0),
            ishl => self.shl(arg(0), arg(1)),
            ishr => self.ashr(arg(0), arg(1)),
            ushr => self.lshr(arg(0), arg(1)),
            urol | uror if width > 1 => {
                let count = self.mask(arg(1), u64::from(width) - 1);
                let back = self.combination(32, u64::from(width), &[(count, u64::MAX)]);
                let (left, right) = if op == urol { (count, back) } else { (back, count) };
                let high = self.shl(arg(0), left);
                let low = self.lshr(arg(0), right);
                self.bitwise(Op::Or, high, low)
            }
            shfr => {
                let both = self.concat(arg(1), arg(0));
                let count = self.mask(arg(2), 31);
                let shifted = self.lshr(both, count);
                self.trunc(shifted, 32)
            }
            ine | ieq => {
                let same = self.equal(arg(0), arg(1));
                if op == ieq {
                    same
                } else {
                    self.not(same)
                }
            }
            ilt => self.slt(arg(0), arg(1)),
            ult => self.ult(arg(0), arg(1)),
            ige => {
                let less = self.slt(arg(0), arg(1));
                self.not(less)
            }
            uge => {
                let less = self.ult(arg(0), arg(1));
                self.not(less)
            }
            bitnz | bitz => {
                let bit = match source_width {
                    1 => arg(0),
                    _ => {
                        let shifted = self.lshr(arg(0), arg(1));
                        self.trunc(shifted, 1)
                    }
                };
                if op == bitnz {
                    bit
                } else {
                    self.not(bit)
                }
            }
            extract_u8 | extract_i8 | extract_u16 | extract_i16 if width > 8 => {
                let bits = if matches!(op, extract_u8 | extract_i8) { 8 } else { 16 };
                let count = self.combination(width, 0, &[(arg(1), bits)]);
                let shifted = self.lshr(arg(0), count);
                if u64::from(width) <= bits {
                    return Some(shifted);
                }
                let low = self.trunc(shifted, bits as u8);
                match op {
                    extract_u8 | extract_u16 => self.zext(low, width),
                    _ => self.sext(low, width),
                }
            }
            insert_u8 | insert_u16 if width > 8 => {
                let bits = if op == insert_u8 { 8 } else { 16 };
                let low = self.mask(arg(0), mask(u64::MAX, bits));
                let count = self.combination(width, 0, &[(arg(1), bits.into())]);
                self.shl(low, count)
            }
            i2i1 | u2u1 | i2i8 | i2i16 | i2i32 | i2i64 | u2u8 | u2u16 | u2u32 | u2u64 | i2imp => {
                match (width <= source_width, matches!(op, i2i1 | i2i8 | i2i16 | i2i32 | i2i64 | i2imp)) {
                    (true, _) => self.trunc(arg(0), width),
                    (false, true) => self.sext(arg(0), width),
                    (false, false) => self.zext(arg(0), width),
                }
            }
            b2i1 | b2i8 | b2i16 | b2i32 | b2i64 | b2b1 | b2b8 | b2b16 | b2b32 | b2f16 | b2f32 | b2f64 => {
                let zero = self.is_zero(arg(0));
                let is_true = self.not(zero);
                let one = match op {
                    b2f16 => 0x3c00,
                    b2f32 => 0x3f80_0000,
                    b2f64 => 0x3ff0 << 48,
                    b2i1 | b2i8 | b2i16 | b2i32 | b2i64 => 1,
                    _ => u64::MAX,
                };
                let [one, none] = [one, 0].map(|value| self.constant(width, value));
                self.ite(is_true, one, none)
            }
            pack_32_4x8 | pack_32_2x16 | pack_64_2x32 | pack_64_4x16 => self.joined(&srcs[0]),
            pack_32_4x8_split | pack_32_2x16_split | pack_64_2x32_split => self.joined(args),
            unpack_32_4x8 | unpack_32_2x16 | unpack_64_2x32 | unpack_64_4x16 => {
                self.part(srcs[0][0], component as u8 * width, width)
            }
            unpack_32_2x16_split_x | unpack_64_2x32_split_x => self.trunc(arg(0), width),
            unpack_32_2x16_split_y | unpack_64_2x32_split_y => self.part(arg(0), width, width),
            pack_uvec2_to_uint => {
                let low = self.mask(srcs[0][0], 0xffff);
                self.combination(32, 0, &[(low, 1), (srcs[0][1], 1 << 16)])
            }
            bfm => {
                let bits = self.mask(arg(0), 31);
                let one = self.constant(32, 1);
                let high = self.shl(one, bits);
                let ones = self.plus(high, u64::MAX);
                self.shl(ones, arg(1))
            }
            bitfield_insert => self.bitfield_insert(arg(0), arg(1), arg(2), arg(3))?,
            ubitfield_extract | ibitfield_extract => {
                let signed = op == ibitfield_extract;
                self.bitfield_extract(arg(0), arg(1), arg(2), signed)?
            }
            ubfe | ibfe => {
                let [offset, bits] = [1, 2].map(|i| self.mask(arg(i), 31));
                let (at, count) = (self.as_const(offset)?, self.as_const(bits)?);
                self.field(arg(0), at, count.min(32 - at), op == ibfe)
            }
            ball_iequal2 | ball_iequal3 | ball_iequal4 | ball_iequal5 | ball_iequal8 | ball_iequal16
            | bany_inequal2 | bany_inequal3 | bany_inequal4 | bany_inequal5 | bany_inequal8 | bany_inequal16
            | ball_fequal2 | ball_fequal3 | ball_fequal4 | ball_fequal5 | ball_fequal8 | ball_fequal16
            | bany_fnequal2 | bany_fnequal3 | bany_fnequal4 | bany_fnequal5 | bany_fnequal8 | bany_fnequal16 => {
                let name = op.name();
                let compare = if name.contains('f') { feq } else { ieq };
                let mut same = self.boolean(true);
                for (a, b) in srcs[0].iter().zip(&srcs[1]) {
                    let equal = self.scalar(compare, 1, &[*a, *b]);
                    same = self.both(same, equal);
                }
                if name.starts_with("bany") {
                    self.not(same)
                } else {
                    same
                }
            }
            _ => return None,
        })
    }

    /// Opcodes of floats: signs, comparisons, and what is composed of others.
    fn floats(&mut self, op: AluOp, width: u8, srcs: &[Vec<Term>], args: &[Term]) -> Option<Term> {
        let sign = 1u64 << (self.width(args[0]) - 1);
        Some(match op {
            fneg => self.negated(args[0]),
            fabs => {
                let inner = self.without_sign(args[0]);
                self.mask(inner, sign - 1)
            }
            fsub => {
                let negated = self.negated(args[1]);
                self.scalar(fadd, width, &[args[0], negated])
            }
            // The sign of a product is apart: -a · b is -(a · b).
            fmul => {
                let ([a, b], is_negative) = self.apart([args[0], args[1]]);
                if is_negative {
                    let product = self.scalar(fmul, width, &[a, b]);
                    return Some(self.negated(product));
                }
                let one = float_one(width);
                if self.as_const(b) == Some(one) {
                    return Some(a);
                }
                if self.as_const(a) == Some(one) {
                    return Some(b);
                }
                return None;
            }
            fdiv => {
                let ([a, b], is_negative) = self.apart([args[0], args[1]]);
                if is_negative {
                    let quotient = self.scalar(fdiv, width, &[a, b]);
                    return Some(self.negated(quotient));
                }
                return None;
            }
            frcp => {
                let one = self.constant(width, float_one(width));
                self.scalar(fdiv, width, &[one, args[0]])
            }
            // NaN has the sign 0.
            fsign => {
                let number = self.scalar(feq, 1, &[args[0], args[0]]);
                let sign = self.row(fsign, width, 0, srcs);
                let zero = self.constant(width, 0);
                self.ite(number, sign, zero)
            }
            ffract => {
                let floor = self.scalar(ffloor, width, &[args[0]]);
                self.scalar(fsub, width, &[args[0], floor])
            }
            fneu => self.not_scalar(feq, args),
            fltu => self.not_scalar(fge, args),
            fgeu => self.not_scalar(flt, args),
            fequ => self.not_scalar(fneo, args),
            funord | ford => {
                let [a, b] = [args[0], args[1]].map(|arg| self.scalar(feq, 1, &[arg, arg]));
                let ordered = self.both(a, b);
                if op == ford {
                    ordered
                } else {
                    self.not(ordered)
                }
            }
            slt | sge | seq | sne => {
                let compare = [(slt, flt), (sge, fge), (seq, feq), (sne, fneu)].iter().find(|pair| pair.0 == op)?.1;
                let condition = self.scalar(compare, 1, args);
                let [one, zero] = [float_one(width), 0].map(|value| self.constant(width, value));
                self.ite(condition, one, zero)
            }
            fcsel | fcsel_gt | fcsel_ge => {
                let zero = self.constant(width, 0);
                let condition = match op {
                    fcsel => self.scalar(fneu, 1, &[args[0], zero]),
                    fcsel_gt => self.scalar(flt, 1, &[zero, args[0]]),
                    _ => self.scalar(fge, 1, &[args[0], zero]),
                };
                self.ite(condition, args[1], args[2])
            }
            fsat | fsat_signed | fclamp_pos => {
                let one = float_one(width);
                let low = if op == fsat_signed { one | sign } else { 0 };
                let [low, high] = [low, one].map(|value| self.constant(width, value));
                let above = self.scalar(fmax, width, &[args[0], low]);
                if op == fclamp_pos {
                    return Some(above);
                }
                self.scalar(fmin, width, &[above, high])
            }
            f2f16 | f2f32 | f2f64 if self.width(args[0]) == width => args[0],
            f2f16_rtne | f2fmp => self.scalar(f2f16, width, &[args[0]]),
            f2imp => self.scalar(f2i16, width, &[args[0]]),
            f2ump => self.scalar(f2u16, width, &[args[0]]),
            i2fmp => self.scalar(i2f16, width, &[args[0]]),
            u2fmp => self.scalar(u2f16, width, &[args[0]]),
            pack_half_2x16_split => {
                let vector = vec![args[0], args[1]];
                self.alu(pack_half_2x16, width, 0, &[vector])
            }
            unpack_half_2x16_split_x | unpack_half_2x16_split_y => {
                let component = usize::from(op == unpack_half_2x16_split_y);
                self.alu(unpack_half_2x16, width, component, &[vec![args[0]]])
            }
            fdot2_replicated | fdot3_replicated | fdot4_replicated => {
                let dot = [(fdot2_replicated, fdot2), (fdot3_replicated, fdot3), (fdot4_replicated, fdot4)];
                let dot = dot.iter().find(|pair| pair.0 == op)?.1;
                self.alu(dot, width, 0, srcs)
            }
            _ => return None,
        })
    }

    fn not_scalar(&mut self, op: AluOp, args: &[Term]) -> Term {
        let condition = self.scalar(op, 1, args);
        self.not(condition)
    }

    /// `term` with the other sign: the sign bit is one of the sum, where carries do not matter.
    pub fn negated(&mut self, term: Term) -> Term {
        let width = self.width(term);
        self.combination(width, 1 << (width - 1), &[(term, 1)])
    }

    /// The term of which `term` is the negation, if it is written as one.
    fn as_negated(&mut self, term: Term) -> Option<Term> {
        let width = self.width(term);
        let sign = 1u64 << (width - 1);
        let node = self.node(term);
        match (node.op, &*node.immediates, &*node.args) {
            (Op::Sum, [constant, 1], [inner]) if *constant == sign => Some(*inner),
            _ => None,
        }
    }

    /// A term with the same absolute value as a float, without a negation.
    fn without_sign(&mut self, term: Term) -> Term {
        self.as_negated(term).unwrap_or(term)
    }

    /// Factors without negations, and whether their number was odd. Of constants, the sign is taken, too.
    fn apart(&mut self, factors: [Term; 2]) -> ([Term; 2], bool) {
        let mut is_negative = false;
        let factors = factors.map(|factor| {
            if let Some(inner) = self.as_negated(factor) {
                is_negative = !is_negative;
                return inner;
            }
            let width = self.width(factor);
            match self.as_const(factor) {
                Some(value) if value >> (width - 1) & 1 != 0 => {
                    is_negative = !is_negative;
                    self.constant(width, value ^ 1 << (width - 1))
                }
                _ => factor,
            }
        });
        (factors, is_negative)
    }

    fn is_negative(&mut self, term: Term) -> Term {
        let zero = self.constant(self.width(term), 0);
        self.slt(term, zero)
    }

    /// The low `bits` bits of `term` as a signed number of its width.
    fn sign_of_bits(&mut self, term: Term, bits: u8) -> Term {
        let width = self.width(term);
        let low = self.trunc(term, bits);
        self.sext(low, width)
    }

    /// A sum or difference that stays at the end of the range that it leaves.
    fn saturated(&mut self, op: AluOp, width: u8, a: Term, b: Term) -> Term {
        let sign = 1u64 << (width - 1);
        let sum = if op == iadd_sat { self.add(a, b) } else { self.sub(a, b) };
        let [a_negative, b_negative, sum_negative] = [a, b, sum].map(|term| self.is_negative(term));
        let alike = self.equal(a_negative, b_negative);
        let may = if op == iadd_sat { alike } else { self.not(alike) };
        let turned = self.differ(a_negative, sum_negative);
        let overflows = self.both(may, turned);
        let [least, most] = [sign, sign - 1].map(|value| self.constant(width, value));
        let end = self.ite(a_negative, least, most);
        self.ite(overflows, end, sum)
    }

    /// The upper `width` bits of a term that is one bit wider.
    fn top_bits(&mut self, term: Term, width: u8) -> Term {
        let wide = if width < 32 { 32 } else { 64 };
        let term = self.zext(term, wide);
        self.part(term, 1, width)
    }

    /// The terms as one integer, the first lowest.
    pub fn joined(&mut self, parts: &[Term]) -> Term {
        let mut whole = parts[0];
        for part in &parts[1..] {
            whole = self.concat(whole, *part);
        }
        whole
    }

    /// `count` bits of a 32-bit term from `at` on, in range.
    fn field(&mut self, base: Term, at: u64, count: u64, signed: bool) -> Term {
        if count == 0 {
            return self.constant(32, 0);
        }
        let amount = self.constant(32, at);
        let shifted = self.lshr(base, amount);
        let low = self.trunc(shifted, count as u8);
        match signed {
            true => self.sext(low, 32),
            false => self.zext(low, 32),
        }
    }

    /// A field with a constant place; `None` otherwise, or if it is not within the base.
    fn bitfield_extract(&mut self, base: Term, offset: Term, bits: Term, signed: bool) -> Option<Term> {
        let (at, count) = (self.as_const(offset)?, self.as_const(bits)?);
        (at + count <= 32).then(|| self.field(base, at, count, signed))
    }

    fn bitfield_insert(&mut self, base: Term, insert: Term, offset: Term, bits: Term) -> Option<Term> {
        let (at, count) = (self.as_const(offset)?, self.as_const(bits)?);
        if at + count > 32 {
            return None;
        }
        let field = mask(u64::MAX, count as u8) << at;
        let rest = self.mask(base, !field);
        let amount = self.constant(32, at);
        let moved = match at {
            32 => self.constant(32, 0),
            _ => self.shl(insert, amount),
        };
        let moved = self.mask(moved, field);
        Some(self.add(rest, moved))
    }
}

/// 1.0 as a float of `width` bits.
fn float_one(width: u8) -> u64 {
    match width {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        _ => 0x3ff0 << 48,
    }
}

/// The result of a row with constant sources; `None` if it is open. Sources that are read per component may have only the one that is
/// read.
pub(super) fn fold_row(op: AluOp, width: u8, component: usize, values: &[Vec<u64>], widths: &[u8]) -> Option<u64> {
    let info = op.info();
    // Rows of whole vectors, and moves, read other components.
    let per_component: Vec<bool> = info.srcs.iter().map(|operand| operand.size == 0).collect();
    let read = |i: usize| if per_component[i] && values[i].len() == 1 { 0 } else { component };
    let operand = |i: usize| (values[i][if per_component[i] { read(i) } else { 0 }], widths[i]);
    if is_open(op, &operand) {
        return None;
    }
    let expanded: Vec<Vec<u64>> = values
        .iter()
        .enumerate()
        .map(|(i, value)| match per_component[i] && value.len() == 1 {
            true => vec![value[0]; component + 1],
            false => value.clone(),
        })
        .collect();
    let srcs: Vec<&[u64]> = expanded.iter().map(Vec::as_slice).collect();
    let fold = Fold { component, dest_bits: width, src_bits: widths, srcs: &srcs, per_component: &per_component };
    debug_assert!(info.form != Form::Construct || component < srcs.len());
    Some(mask((info.fold)(&fold), width))
}
