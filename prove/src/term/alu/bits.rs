// SPDX-License-Identifier: MIT

//! Bits, fields of bits, comparisons and conversions of integers.

use super::{float_one, Operation};
use crate::term::{Arena, Op, Term};
use ntv::op::fold::mask;
use ntv::op::AluOp::*;

impl Arena {
    /// Opcodes of bits that other operations of terms define.
    pub(super) fn numbers_of_bits(&mut self, x: &Operation<'_>) -> Option<Term> {
        let parts = [Arena::bits, Arena::fields, Arena::comparisons, Arena::conversions];
        parts.iter().find_map(|part| part(self, x))
    }

    /// Operations on single bits, and shifts.
    fn bits(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, args, .. } = *x;
        let all = mask(u64::MAX, width);
        let arg = |i: usize| args[i];
        Some(match op {
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
            _ => return None,
        })
    }

    /// Fields of bits.
    fn fields(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, args, .. } = *x;
        let arg = |i: usize| args[i];
        Some(match op {
            extract_u8 | extract_i8 | extract_u16 | extract_i16 if width > 8 => {
                let bits = if matches!(op, extract_u8 | extract_i8) { 8 } else { 16 };
                let count = self.combination(width, 0, &[(arg(1), bits)]);
                let shifted = self.lshr(arg(0), count);
                if u64::from(width) <= bits {
                    return Some(shifted);
                }
                let low = self.trunc(shifted, bits as u8);
                self.extended(low, width, matches!(op, extract_i8 | extract_i16))
            }
            insert_u8 | insert_u16 if width > 8 => {
                let bits = if op == insert_u8 { 8 } else { 16 };
                let low = self.mask(arg(0), mask(u64::MAX, bits));
                let count = self.combination(width, 0, &[(arg(1), bits.into())]);
                self.shl(low, count)
            }
            // Of narrow numbers, with zeros above.
            bit_count | find_lsb | ufind_msb if self.width(arg(0)) < 32 => {
                let wide = self.zext(arg(0), 32);
                self.scalar(op, width, &[wide])
            }
            uclz if self.width(arg(0)) == 32 => {
                let highest = self.scalar(ufind_msb, 32, &[arg(0)]);
                self.combination(width, 31, &[(highest, u64::MAX)])
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
            _ => return None,
        })
    }

    /// Comparisons of integers, and of whole vectors.
    fn comparisons(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, srcs, args, .. } = *x;
        let arg = |i: usize| args[i];
        let source_width = self.width(args[0]);
        Some(match op {
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

    /// Conversions of integers and booleans, and numbers in parts.
    fn conversions(&mut self, x: &Operation<'_>) -> Option<Term> {
        let Operation { op, width, component, srcs, args, .. } = *x;
        let arg = |i: usize| args[i];
        let source_width = self.width(args[0]);
        Some(match op {
            i2i1 | u2u1 | i2i8 | i2i16 | i2i32 | i2i64 | u2u8 | u2u16 | u2u32 | u2u64 | i2imp => {
                let signed = matches!(op, i2i1 | i2i8 | i2i16 | i2i32 | i2i64 | i2imp);
                match width <= source_width {
                    true => self.trunc(arg(0), width),
                    false => self.extended(arg(0), width, signed),
                }
            }
            b2i1 | b2i8 | b2i16 | b2i32 | b2i64 | b2b1 | b2b8 | b2b16 | b2b32 | b2f16 | b2f32 | b2f64 => {
                let is_true = self.is_not_zero(arg(0));
                let one = match op {
                    b2f16 | b2f32 | b2f64 => float_one(width),
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
            _ => return None,
        })
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
        self.extended(low, 32, signed)
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
