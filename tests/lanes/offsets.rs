// SPDX-License-Identifier: MIT

//! Loads at computed offsets: results of shifts, products, masks and sums, several from one base in a shader.
//!
//! The alignment of offsets in a dump is true, but rarely the largest. The end of the block is unknown.

use super::{count, is_load, lower, pattern, store_result, How, Kind, Trying, RESULT};
use ntv::ir::{AluFlags, AluSrc, ArrayIndex, Builder, Def, Field, Shader, Swizzle, Variable};
use ntv::op::{AluOp, AluType, Base, Index, Intrinsic, Modes};
use ntv::target::DescriptorLayout;

/// Code for an offset that depends on a number.
type Code = fn(&mut Builder<'_>, Def) -> Def;

/// An offset that is computed from a number.
struct Offset {
    name: &'static str,
    code: Code,
    value: fn(u32) -> u32,
    /// The numbers to compute it from.
    of: &'static [u32],
    /// A power of two of which all values are multiples, except for `rem`.
    mul: u32,
    rem: u32,
}

/// `x op imm`.
fn with(b: &mut Builder<'_>, op: AluOp, x: Def, imm: u32) -> Def {
    let imm = b.imm32(imm);
    b.alu(op, &[x, imm])
}

fn scaled(b: &mut Builder<'_>, x: Def, stride: u32) -> Def {
    with(b, AluOp::imul, x, stride)
}

const OFFSETS: &[Offset] = &[
    Offset {
        name: "array of vec4",
        code: |b, x| b.ishl_imm(x, 4),
        value: |x| x << 4,
        of: &[0, 1, 5, 0x2000_0003],
        mul: 16,
        rem: 0,
    },
    Offset {
        name: "array of vec3",
        code: |b, x| scaled(b, x, 12),
        value: |x| x * 12,
        of: &[0, 1, 2, 7],
        mul: 4,
        rem: 0,
    },
    Offset {
        name: "matrix in a struct",
        code: |b, x| {
            let (i, j) = (b.ushr_imm(x, 2), b.iand_imm(x, 3));
            let (i, j) = (scaled(b, i, 80), b.ishl_imm(j, 4));
            let sum = b.iadd(i, j);
            b.iadd_imm(sum, 4)
        },
        value: |x| (x >> 2) * 80 + (x & 3) * 16 + 4,
        of: &[0, 3, 6, 9],
        mul: 16,
        rem: 4,
    },
    Offset {
        name: "row of a matrix",
        code: |b, x| {
            let (i, row) = (b.ishl_imm(x, 4), b.ishl_imm(x, 2));
            let (i, row) = (b.iand_imm(i, 0x30), b.iand_imm(row, 12));
            b.iadd(i, row)
        },
        value: |x| (x << 4 & 0x30) + (x << 2 & 12),
        of: &[0, 1, 2, 3, 6],
        mul: 4,
        rem: 0,
    },
    Offset {
        name: "disjoint bits",
        code: |b, x| {
            let up = b.ishl_imm(x, 4);
            with(b, AluOp::ior, up, 8)
        },
        value: |x| x << 4 | 8,
        of: &[0, 1, 4],
        mul: 16,
        rem: 8,
    },
    Offset {
        name: "common bits",
        code: |b, x| {
            let up = b.ishl_imm(x, 2);
            with(b, AluOp::ior, up, 8)
        },
        value: |x| x << 2 | 8,
        of: &[0, 1, 2, 3, 4],
        mul: 4,
        rem: 0,
    },
    Offset {
        name: "a constant too much",
        code: |b, x| {
            let ahead = b.iadd_imm(x, 3);
            let up = b.ishl_imm(ahead, 4);
            b.iadd_imm(up, 0xffff_ffd0)
        },
        value: |x| x << 4,
        of: &[0, 2, 3],
        mul: 16,
        rem: 0,
    },
    Offset {
        name: "modulo 2^32",
        code: |b, x| {
            let up = scaled(b, x, 48);
            b.iadd_imm(up, 0xffff_fd04)
        },
        value: |x| x.wrapping_mul(48).wrapping_add(0xffff_fd04),
        of: &[16, 17, 20, 0x1000_0010],
        mul: 16,
        rem: 4,
    },
    Offset {
        name: "mask of vec4s",
        code: |b, x| b.iand_imm(x, 0x0fff_fff0),
        value: |x| x & 0x0fff_fff0,
        of: &[7, 0x1f, 0xf000_0025],
        mul: 16,
        rem: 0,
    },
    Offset {
        name: "rounded sum",
        code: |b, x| {
            let sum = b.iadd_imm(x, 12);
            b.iand_imm(sum, 0xffff_fff0)
        },
        value: |x| x.wrapping_add(12) & !15,
        of: &[0, 4, 20, 0xffff_fffb],
        mul: 16,
        rem: 0,
    },
    Offset {
        name: "to and fro",
        code: |b, x| {
            let up = b.ishl_imm(x, 4);
            b.ushr_imm(up, 4)
        },
        value: |x| x & 0x0fff_ffff,
        of: &[0, 12, 0xf000_0024],
        mul: 4,
        rem: 0,
    },
    Offset {
        name: "upper bits shifted out",
        code: |b, x| {
            let up = b.ishl_imm(x, 28);
            b.ushr_imm(up, 24)
        },
        value: |x| x << 28 >> 24,
        of: &[0, 3, 0x9e37_79b5],
        mul: 16,
        rem: 0,
    },
    Offset {
        name: "lower bits shifted out",
        code: |b, x| {
            let down = b.ushr_imm(x, 3);
            b.ishl_imm(down, 2)
        },
        value: |x| x >> 3 << 2,
        of: &[0, 9, 31],
        mul: 4,
        rem: 0,
    },
    Offset {
        name: "difference",
        code: |b, x| {
            let (a, c) = (b.ishl_imm(x, 5), b.ishl_imm(x, 3));
            b.alu(AluOp::isub, &[a, c])
        },
        value: |x| x * 24,
        of: &[0, 1, 4],
        mul: 8,
        rem: 0,
    },
    Offset {
        name: "multiply and add",
        code: |b, x| {
            let (stride, constant) = (b.imm32(48), b.imm32(12));
            let product = b.alu(AluOp::umul24, &[x, stride]);
            b.iadd(product, constant)
        },
        value: |x| x * 48 + 12,
        of: &[0, 2, 3],
        mul: 16,
        rem: 12,
    },
    Offset {
        name: "one of two",
        code: |b, x| {
            let (bit, one) = (b.iand_imm(x, 1), b.imm32(1));
            let cond = b.alu(AluOp::ieq, &[bit, one]);
            let (a, c) = (b.ishl_imm(x, 4), scaled(b, x, 20));
            b.alu(AluOp::bcsel, &[cond, a, c])
        },
        value: |x| if x & 1 == 1 { x << 4 } else { x * 20 },
        of: &[0, 1, 2, 5],
        mul: 4,
        rem: 0,
    },
    Offset {
        name: "narrower number",
        code: |b, x| {
            let narrow = b.alu(AluOp::u2u8, &[x]);
            let wide = b.alu(AluOp::u2u32, &[narrow]);
            b.ishl_imm(wide, 4)
        },
        value: |x| (x & 0xff) << 4,
        of: &[0, 0x1_0102, 5],
        mul: 16,
        rem: 0,
    },
    Offset {
        name: "component of a vector",
        code: |b, x| {
            let (zero, other) = (b.imm32(0), b.imm32(16));
            let vector = b.vec(&[zero, x, other]);
            let strides = b.constant(32, &[4, 16, 8]);
            let scaled = b.alu_with(AluOp::imul, AluFlags::empty(), &[vector.into(), strides.into()], None);
            let y = AluSrc { def: scaled, swizzle: Swizzle::splat(1) };
            b.alu_with(AluOp::iadd, AluFlags::empty(), &[y, zero.into()], Some((1, 32)))
        },
        value: |x| x << 4,
        of: &[0, 1, 3],
        mul: 16,
        rem: 0,
    },
];

/// The form of the loads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// By byte offset.
    Bytes(Kind),
    /// In zink's form for uniform blocks: scalars of `uniform_0@32`.
    Zink,
}

impl Form {
    fn kind(self) -> Kind {
        match self {
            Form::Bytes(kind) => kind,
            Form::Zink => Kind::Ubo,
        }
    }
}

/// Loads in one shader.
#[derive(Clone, Copy, Debug)]
struct Loads {
    form: Form,
    how: How,
    /// The bytes from the offset to each load.
    distances: &'static [u32],
    components: u8,
    bits: u8,
    /// The largest alignment in the dump.
    align_mul: u32,
    /// The range in the dump; `None` for the size of the memory.
    range: Option<u32>,
}

impl Loads {
    fn bytes(self) -> u32 {
        u32::from(self.components) * u32::from(self.bits) / 8
    }

    /// The shader, for a memory of `size` bytes.
    fn shader(self, offset: &Offset, size: u32) -> Shader {
        let mut shader = Shader::default();
        shader.append_new_block();
        let array = (self.form == Form::Zink).then(|| declare(&mut shader, size / 4));
        let b = &mut Builder::new(&mut shader);
        let x = b.intrinsic(Intrinsic::load_vertex_id, 1, 32, &[]).def();
        let base = (offset.code)(b, x);
        for (number, distance) in (0..).zip(self.distances) {
            let value = match array {
                Some(var) => {
                    let scalars: Vec<Def> =
                        (0..self.components).map(|c| word(b, var, base, distance + 4 * u32::from(c))).collect();
                    b.vec(&scalars)
                }
                None => self.load(b, offset, base, (*distance, size)),
            };
            store_result(b, value, number);
        }
        let kind = self.form.kind();
        if self.form == Form::Zink {
            ntv::raise::raise(&mut shader, &DescriptorLayout::default()).unwrap();
        }
        assert!(lower(&mut shader, kind.pass(), size, self.how, kind), "accesses left");
        shader
    }

    fn load(self, b: &mut Builder<'_>, offset: &Offset, base: Def, (distance, size): (u32, u32)) -> Def {
        let at = b.iadd_imm(base, distance.into());
        let zero = b.imm32(0);
        let (op, srcs) = match self.form {
            Form::Bytes(Kind::Ubo) => (Intrinsic::load_ubo, vec![zero, at]),
            Form::Bytes(Kind::Ssbo) => (Intrinsic::load_ssbo, vec![zero, at]),
            Form::Bytes(Kind::Scratch) => (Intrinsic::load_scratch, vec![at]),
            Form::Bytes(Kind::PushConstant) => (Intrinsic::load_push_constant, vec![at]),
            _ => (Intrinsic::load_shared, vec![at]),
        };
        let mul = self.align_mul.min(offset.mul);
        let align = [(Index::align_mul, mul), (Index::align_offset, (offset.rem + distance) % mul)];
        let indices = [&align[..], &[(Index::range, self.range.unwrap_or(size))]].concat();
        b.intrinsic_with(op, self.components, self.bits, &srcs, &indices).def()
    }

    fn check(self, offset: &Offset, x: u32) {
        let _trying = Trying(|| format!("{} of {x:#x}, {self:?}", offset.name));
        let at = (offset.value)(x);
        let end = (at + self.distances.iter().max().unwrap() + self.bytes()) as usize;
        let kind = self.form.kind();
        let memory: Vec<u8> = (0..kind.size(end, self.how)).map(pattern).collect();
        let loaded = |distance: &u32| memory[(at + distance) as usize..][..self.bytes() as usize].to_vec();
        let expected: Vec<Vec<u8>> = self.distances.iter().map(loaded).collect();
        let shader = self.shader(offset, end.next_multiple_of(4) as u32);
        let [_, results] = kind.run(&shader, x, memory, self.distances.len() * RESULT as usize);
        for (found, expected) in results.chunks(RESULT as usize).zip(expected) {
            assert_eq!(found[..expected.len()], expected);
        }
    }
}

/// zink's block of `len` words.
fn declare(shader: &mut Shader, len: u32) -> ntv::ir::Var {
    let word = shader.types.vector(AluType::new(Base::Uint, 32), 1);
    let array = shader.types.array(word, Some(len), 4);
    let (member, name) = (shader.strings.add("base"), shader.strings.add("uniform_0@32"));
    let block = shader.strings.add("struct");
    let block = shader.types.new_struct(block, &[Field { name: member, ty: array, offset: Some(0) }]);
    let blocks = shader.types.array(block, Some(1), 0);
    shader.vars.push(Variable::new(name, blocks, Modes::UBO))
}

/// The word that is `distance` bytes after `base`.
fn word(b: &mut Builder<'_>, var: ntv::ir::Var, base: Def, distance: u32) -> Def {
    let byte = b.iadd_imm(base, distance.into());
    let index = b.ushr_imm(byte, 2);
    let blocks = b.deref_var(var);
    let block = b.deref_array(blocks, ArrayIndex::Imm(0));
    let array = b.deref_struct(block, 0);
    let pointer = b.deref_array(array, ArrayIndex::Def(index));
    b.load_deref(pointer, 0)
}

/// Members of structs and columns of matrices.
const DISTANCES: &[&[u32]] = &[&[0], &[4, 0], &[0, 8], &[12, 16], &[0, 4, 8, 12], &[0, 16, 32, 48], &[48, 0, 20]];

/// Alignments and ranges in dumps: a range of 0 or of the largest number means an unknown range.
const SAID: [(u32, Option<u32>); 4] = [(4, Some(0)), (1, Some(u32::MAX)), (16, Some(u32::MAX)), (4, None)];

fn check_all(form: Form) {
    let kind = form.kind();
    let hows = How::ALL.into_iter().filter(|how| !how.narrow && kind.depends_on(*how));
    for offset in OFFSETS {
        for x in offset.of {
            for how in hows.clone() {
                for distances in DISTANCES {
                    for (components, bits) in [(1, 32), (2, 32), (3, 32), (4, 32), (1, 64), (2, 64), (2, 16), (1, 8)] {
                        if form == Form::Zink && bits != 32 {
                            continue;
                        }
                        for (align_mul, range) in SAID {
                            let loads = Loads { form, how, distances, components, bits, align_mul, range };
                            loads.check(offset, *x);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn uniform_blocks() {
    check_all(Form::Bytes(Kind::Ubo));
}

#[test]
fn zinks_uniform_blocks() {
    check_all(Form::Zink);
}

#[test]
fn storage_blocks() {
    check_all(Form::Bytes(Kind::Ssbo));
}

#[test]
fn shared_memory() {
    check_all(Form::Bytes(Kind::Shared));
}

#[test]
fn scratch() {
    check_all(Form::Bytes(Kind::Scratch));
}

#[test]
fn push_constants() {
    check_all(Form::Bytes(Kind::PushConstant));
}

/// The code of an offset computes its formula, and the alignment in the dump is true.
#[test]
fn offsets_match_their_formulas() {
    for offset in OFFSETS {
        for x in offset.of {
            let at = (offset.value)(*x);
            assert!(at < 1000 && at % offset.mul == offset.rem, "{} of {x:#x} is {at}", offset.name);
        }
    }
}

/// Loads of components of a vec4 become one load, if the dump has their alignment.
#[test]
fn lanes_of_one_vec4_at_an_aligned_offset_cost_one_load() {
    let array = OFFSETS.iter().find(|offset| offset.name == "array of vec4").unwrap();
    let form = Form::Bytes(Kind::Ubo);
    let whole =
        Loads { form, how: How::ALL[0], distances: &[0], components: 4, bits: 32, align_mul: 16, range: Some(0) };
    assert_eq!(count(&whole.shader(array, 96), is_load), 1);
}
