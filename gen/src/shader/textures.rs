// SPDX-License-Identifier: MIT

//! Textures and storage images of every dimensionality.
//!
//! Coordinates are at points where a sample is exact: multiples of 1/16, next to the edges between texels. Textures are only
//! read. The first image is only read; in the second each invocation of a compute shader has its own texel; the third is only
//! changed by atomics whose order does not matter.

use super::{Generator, Kind, Purpose, Shape};
use arbitrary::Result;
use ntv::analysis::textures::{Texture, TextureKind};
use ntv::ir::{AluFlags, ArrayIndex, Def, InstKind, Stage, TexData, TexSrcs, Type, Var, Variable};
use ntv::op::fold::from_float;
use ntv::op::names::{pack_alu_type, ImageDim, FORMATS};
use ntv::op::{AluOp, AluType, AtomicOp, Base, Index, Intrinsic, Modes, TexOp, TexSrcKind};

/// Bindings of the images.
const READ_ONLY: u32 = 0;
const OWN: u32 = 1;
const ATOMIC: u32 = 2;

/// Textures of a shader.
const TEXTURES: u32 = 4;

/// The dimensionality of textures that can be sampled, and whether they have layers.
const SAMPLED: &[(ImageDim, bool)] = &[
    (ImageDim::dim_2d, false),
    (ImageDim::dim_2d, false),
    (ImageDim::dim_1d, false),
    (ImageDim::dim_3d, false),
    (ImageDim::cube, false),
    (ImageDim::dim_1d, true),
    (ImageDim::dim_2d, true),
    (ImageDim::cube, true),
    (ImageDim::buf, false),
];

/// The dimensionality of images, and whether they are arrays, with at least 16 texels next to each other in two dimensions.
const STORED: &[(ImageDim, bool)] =
    &[(ImageDim::dim_2d, false), (ImageDim::dim_3d, false), (ImageDim::dim_2d, true), (ImageDim::cube, false)];

const FORMATS_OF: &[(Base, &[&str])] = &[
    (Base::Float, &["r32g32b32a32_float", "r32_float", "r16g16b16a16_float"]),
    (Base::Int, &["r32g32b32a32_sint", "r32_sint", "r16g16b16a16_sint", "r8g8b8a8_sint"]),
    (Base::Uint, &["r32g32b32a32_uint", "r32_uint", "r16g16b16a16_uint", "r8g8b8a8_uint"]),
];

impl Generator<'_, '_, '_> {
    /// Samples or queries a texture.
    pub(super) fn texture(&mut self) -> Result<()> {
        let binding = self.u.int_in_range(0..=TEXTURES - 1)?;
        let (var, texture) = self.variable(Modes::UNIFORM, binding);
        let op = self.texture_op(&texture)?;
        let mut pointer = self.b.deref_var(var);
        if self.b.shader.types.as_array(self.b.shader.vars[var].ty).is_some() {
            let element = self.u.int_in_range(0..=1)?;
            pointer = self.b.deref_array(pointer, ArrayIndex::Imm(element));
        }
        let mut srcs = vec![(TexSrcKind::texture_deref, pointer)];
        if op.samples() {
            srcs.push((TexSrcKind::sampler_deref, pointer));
        }
        self.texture_sources(op, &texture, &mut srcs)?;
        let is_question = op.is_query();
        let base = if is_question { Base::Int } else { texture.texel.base };
        let n = match op {
            TexOp::txs => texture.dim.extents() + u8::from(texture.array),
            TexOp::query_levels => 1,
            TexOp::lod => 2,
            _ if texture.shadow && op != TexOp::tg4 => 1,
            _ => 4,
        };
        let component = if op == TexOp::tg4 && !texture.shadow { self.u.int_in_range(0..=3)? } else { 0 };
        let mut tex = TexData {
            op,
            dest_type: AluType::new(base, 32),
            srcs: TexSrcs::new(),
            texture_index: 0,
            sampler_index: 0,
            component,
            offsets: None,
            is_gather_implicit_lod: false,
            texture_non_uniform: false,
            sampler_non_uniform: false,
            is_sparse: false,
            dim: None,
        };
        srcs.into_iter().for_each(|(kind, def)| tex.set_src(kind, def));
        let tex = self.b.shader.texs.push(tex);
        let def = self.b.inst(n, 32, InstKind::Tex(tex)).def();
        self.push(def, if base == Base::Float { Kind::Float } else { Kind::Int });
        Ok(())
    }

    fn texture_op(&mut self, texture: &Texture) -> Result<TexOp> {
        use TexOp::{lod, query_levels, tex, tg4, txb, txd, txf, txl, txs};
        let has_fetch = texture.dim != ImageDim::cube;
        let mut ops = match texture.dim {
            ImageDim::buf => vec![txf, txf, txs],
            _ => vec![txl, txl, txl, tex, txs, query_levels],
        };
        if texture.has_levels() {
            // Devices choose levels of detail differently.
            let is_free = self.purpose == Purpose::Interpreter;
            ops.extend(is_free.then_some([txd, txb, lod]).into_iter().flatten());
            ops.extend(has_fetch.then_some([txf, txf]).into_iter().flatten());
            ops.extend(matches!(texture.dim, ImageDim::dim_2d | ImageDim::cube).then_some(tg4));
        }
        // A shadow texture is only sampled, because a depth cannot be fetched.
        ops.retain(|op| !texture.shadow || !op.fetches());
        self.choose(&ops)
    }

    /// The sources of `op`, without the texture.
    fn texture_sources(&mut self, op: TexOp, texture: &Texture, srcs: &mut Vec<(TexSrcKind, Def)>) -> Result<()> {
        let has_level = texture.has_levels();
        if op == TexOp::txs && has_level {
            let level = self.b.imm32(0);
            srcs.push((TexSrcKind::lod, level));
        }
        if op.is_query() {
            return Ok(());
        }
        let point = if op.fetches() { self.texel(texture)? } else { self.point(texture, op == TexOp::lod)? };
        srcs.push((TexSrcKind::coord, point));
        if texture.shadow && op != TexOp::lod {
            let reference = self.fraction(16, 8.0, 0.0)?;
            srcs.push((TexSrcKind::comparator, reference));
        }
        let can_move = !matches!(texture.dim, ImageDim::cube | ImageDim::buf) && op != TexOp::lod;
        if can_move && self.chance(4)? {
            let mut by = Vec::new();
            for _ in 0..texture.dim.coordinates() {
                let by_one: i8 = self.u.int_in_range(if op.fetches() { 0..=0 } else { -8..=7 })?;
                by.push(u64::from(i32::from(by_one) as u32));
            }
            let by = self.b.constant(32, &by);
            srcs.push((TexSrcKind::offset, by));
        }
        match op {
            TexOp::txf if has_level => {
                let level = if self.chance(4)? { self.small_index(2)? } else { self.b.imm32(0) };
                srcs.push((TexSrcKind::lod, level));
            }
            TexOp::txl => {
                let level = self.fraction(16, 4.0, -0.5)?;
                srcs.push((TexSrcKind::lod, level));
            }
            TexOp::txb => {
                let bias = self.fraction(8, 4.0, -1.0)?;
                srcs.push((TexSrcKind::bias, bias));
            }
            TexOp::txd => {
                for kind in [TexSrcKind::ddx, TexSrcKind::ddy] {
                    let by = self.fractions(texture.dim.coordinates())?;
                    srcs.push((kind, by));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A number from 0 to `end` in steps of 1, which depends on some value; then divided and offset.
    fn fraction(&mut self, end: u32, divisor: f64, by: f64) -> Result<Def> {
        let index = self.small_index(end)?;
        let number = self.exact(AluOp::u2f32, &[index]);
        let (scale, by) = (self.float(1.0 / divisor), self.float(by));
        let scaled = self.exact(AluOp::fmul, &[number, scale]);
        Ok(self.exact(AluOp::fadd, &[scaled, by]))
    }

    fn fractions(&mut self, n: u8) -> Result<Def> {
        let mut parts = Vec::new();
        for _ in 0..n {
            parts.push(self.fraction(8, 32.0, 0.0)?);
        }
        Ok(self.b.vec(&parts))
    }

    fn float(&mut self, value: f64) -> Def {
        self.b.imm(32, from_float(value, 32))
    }

    /// Exact arithmetic on one component.
    fn exact(&mut self, op: AluOp, srcs: &[Def]) -> Def {
        let srcs: Vec<_> = srcs.iter().map(|def| (*def).into()).collect();
        self.raw_alu(op, AluFlags::EXACT, &srcs, (1, 32))
    }

    /// The position of a texel: coordinates, and the layer.
    fn texel(&mut self, texture: &Texture) -> Result<Def> {
        let mut parts = Vec::new();
        for _ in 0..texture.dim.coordinates() {
            parts.push(self.small_index(8)?);
        }
        if texture.array {
            parts.push(self.small_index(2)?);
        }
        Ok(self.b.vec(&parts))
    }

    /// A point: coordinates, and the layer. `bare` is without a layer.
    fn point(&mut self, texture: &Texture, bare: bool) -> Result<Def> {
        let mut parts = Vec::new();
        if texture.dim == ImageDim::cube {
            let sides = self.choose(&[1.0, -1.0])?;
            parts.push(self.float(sides));
            // On the face, from -7/8 to 7/8.
            for _ in 0..2 {
                let at = self.fraction(8, 4.0, -0.875)?;
                parts.push(at);
            }
            let major = self.u.int_in_range(0..=2)?;
            parts.rotate_right(major);
        } else {
            for _ in 0..texture.dim.coordinates() {
                parts.push(self.fraction(16, 8.0, -0.4375)?);
            }
        }
        if texture.array && !bare {
            parts.push(self.fraction(4, 1.0, 0.0)?);
        }
        Ok(self.b.vec(&parts))
    }

    /// Declares textures and images. A dump has them before the variables of functions, so they come first.
    pub(super) fn declare_textures(&mut self) -> Result<()> {
        for binding in 0..TEXTURES {
            let (dim, array) = self.choose(SAMPLED)?;
            let can_compare = !matches!(dim, ImageDim::dim_3d | ImageDim::buf);
            let shadow = can_compare && self.chance(4)?;
            let base = if shadow { Base::Float } else { self.choose(&[Base::Float, Base::Uint, Base::Int])? };
            let texel = AluType::new(base, 32);
            let texture = Texture { dim, array, shadow, texel, kind: TextureKind::Combined };
            let ty = texture.ty(&mut self.b.shader.types);
            // The last is an array of two.
            let ty = if binding == TEXTURES - 1 { self.b.shader.types.array(ty, Some(2), 0) } else { ty };
            self.declare("texture", ty, Modes::UNIFORM, binding);
        }
        for binding in [READ_ONLY, OWN, ATOMIC] {
            let (dim, array) = self.choose(if binding == READ_ONLY { SAMPLED } else { STORED })?;
            let base = match binding {
                ATOMIC => Base::Uint,
                _ => self.choose(&[Base::Float, Base::Uint, Base::Int])?,
            };
            let texel = AluType::new(base, 32);
            let texture = Texture { dim, array, shadow: false, texel, kind: TextureKind::Storage };
            let formats = FORMATS_OF.iter().find(|row| row.0 == base).map_or(&[][..], |row| row.1);
            let format = if binding == ATOMIC { "r32_uint" } else { self.choose(formats)? };
            let ty = texture.ty(&mut self.b.shader.types);
            let var = self.declare("image", ty, Modes::IMAGE, binding);
            let format = FORMATS.iter().position(|row| row.0 == format).unwrap_or(0);
            self.b.shader.vars[var].image_format = format as u32;
        }
        (self.b.shader.info.num_textures, self.b.shader.info.num_images) = (TEXTURES + 1, ATOMIC + 1);
        Ok(())
    }

    fn declare(&mut self, name: &str, ty: Type, mode: Modes, binding: u32) -> Var {
        let name = self.b.shader.strings.add(&format!("{name}{binding}"));
        let variable = Variable::new(name, ty, mode);
        self.b.shader.declare(Variable { location: Some(binding), driver_location: binding, binding, ..variable })
    }

    /// The variable at `binding`, and its texture.
    fn variable(&self, mode: Modes, binding: u32) -> (Var, Texture) {
        let mut vars = self.b.shader.vars.iter();
        let found = vars.find(|(_, variable)| variable.mode == mode && variable.binding == binding);
        let var = found.expect("a variable that was declared").0;
        (var, Texture::of_var(self.b.shader, var).expect("a texture or an image"))
    }

    fn image_indices(&self, var: Var, texture: &Texture) -> Vec<(Index, u32)> {
        let format = self.b.shader.vars[var].image_format;
        let (dim, array) = (texture.dim as u32, u32::from(texture.array));
        vec![(Index::image_dim, dim), (Index::image_array, array), (Index::format, format)]
    }

    /// Four coordinates: `parts`, and zeros.
    fn image_point(&mut self, mut parts: Vec<Def>) -> Def {
        let zero = self.b.imm32(0);
        parts.resize(4, zero);
        self.b.vec(&parts)
    }

    /// Loads a texel, stores its own, or changes one by an atomic.
    pub(super) fn image(&mut self) -> Result<()> {
        let is_compute = self.b.shader.stage() == Stage::Compute;
        match self.u.int_in_range(0..=5)? {
            0 => self.image_question(),
            1 if is_compute => self.image_atomic(),
            2 | 3 if is_compute => self.own_texel(),
            _ => {
                let (var, texture) = self.variable(Modes::IMAGE, READ_ONLY);
                let mut parts = Vec::new();
                let dimensions = if texture.dim == ImageDim::cube { 2 } else { texture.dim.coordinates() };
                for _ in 0..dimensions {
                    parts.push(self.small_index(8)?);
                }
                if texture.array || texture.dim == ImageDim::cube {
                    parts.push(self.small_index(2)?);
                }
                let point = self.image_point(parts);
                self.image_load(var, &texture, point);
                Ok(())
            }
        }
    }

    fn image_load(&mut self, var: Var, texture: &Texture, point: Def) {
        let (pointer, zero) = (self.b.deref_var(var), self.b.imm32(0));
        let mut indices = self.image_indices(var, texture);
        indices.push((Index::dest_type, pack_alu_type(texture.texel)));
        let srcs = [pointer, point, zero, zero];
        let def = self.b.intrinsic_with(Intrinsic::image_deref_load, 4, 32, &srcs, &indices).def();
        self.push(def, if texture.texel.base == Base::Float { Kind::Float } else { Kind::Int });
    }

    fn image_question(&mut self) -> Result<()> {
        let binding = self.choose(&[READ_ONLY, OWN, ATOMIC])?;
        let (var, texture) = self.variable(Modes::IMAGE, binding);
        let (pointer, zero) = (self.b.deref_var(var), self.b.imm32(0));
        let indices = self.image_indices(var, &texture);
        let n = texture.dim.extents() + u8::from(texture.array);
        let def = self.b.intrinsic_with(Intrinsic::image_deref_size, n, 32, &[pointer, zero], &indices).def();
        self.push(def, Kind::Int);
        Ok(())
    }

    /// Stores to the texel that only this invocation uses, and loads it.
    fn own_texel(&mut self) -> Result<()> {
        let (var, texture) = self.variable(Modes::IMAGE, OWN);
        let Some(number) = self.own_bytes(1, true)? else { return Ok(()) };
        let (x, y) = (self.b.iand_imm(number, 7), self.b.ushr_imm(number, 3));
        let point = self.image_point(vec![x, y]);
        if self.chance(3)? {
            self.image_load(var, &texture, point);
            return Ok(());
        }
        let kind = if texture.texel.base == Base::Float { Kind::Float } else { Kind::Int };
        let mut value = self.value_of(Shape { kind, bits: 32, components: 4 })?;
        if kind == Kind::Int {
            // Bits that do not fit into a narrow format are undefined.
            let mask = self.b.constant(32, &[0x7f; 4]);
            value = self.raw_alu(AluOp::iand, AluFlags::empty(), &[value.into(), mask.into()], (4, 32));
        }
        let (pointer, zero) = (self.b.deref_var(var), self.b.imm32(0));
        let mut indices = self.image_indices(var, &texture);
        indices.push((Index::src_type, pack_alu_type(texture.texel)));
        let srcs = [pointer, point, zero, value, zero];
        self.b.intrinsic_with(Intrinsic::image_deref_store, 0, 0, &srcs, &indices);
        Ok(())
    }

    fn image_atomic(&mut self) -> Result<()> {
        let (var, texture) = self.variable(Modes::IMAGE, ATOMIC);
        let ops = [AtomicOp::iadd, AtomicOp::umin, AtomicOp::umax, AtomicOp::iand, AtomicOp::ior, AtomicOp::ixor];
        let row = self.u.int_in_range(0..=ops.len() - 1)?;
        // Each operation has its own row: otherwise the order of different operations would matter.
        let (x, y) = (self.small_index(8)?, self.b.imm32(row as u32));
        let point = self.image_point(vec![x, y]);
        let (pointer, zero) = (self.b.deref_var(var), self.b.imm32(0));
        let value = self.value_of(Shape::INDEX)?;
        let mut indices = self.image_indices(var, &texture);
        indices.push((Index::atomic_op, ops[row] as u32));
        let srcs = [pointer, point, zero, value];
        self.b.intrinsic_with(Intrinsic::image_deref_atomic, 1, 32, &srcs, &indices);
        Ok(())
    }
}
