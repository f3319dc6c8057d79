// SPDX-License-Identifier: MIT

//! Texture operations: from the sources of an instruction to a point of a texture, and from its texels to the result.

use crate::fault::FaultKind;
use crate::filter::{detail, Detail, Point, UNDEFINED};
use crate::image::{Image, Sampler, TexelPosition, Texture};
use crate::machine::Machine;
use crate::resolve::{integer, Problem};
use crate::words::narrowed;
use crate::{alu, Bits};
use ntv::analysis::textures::{is_separate_sampler, Name, Texture as Declared};
use ntv::ir::{Def, Inst, TexData};
use ntv::op::fold::to_float;
use ntv::op::names::ImageDim;
use ntv::op::TexSrcKind::*;
use ntv::op::{AluOp, AluType, TexOp, TexSrcKind};

/// The residency code of texels in memory. The interpreter has all texels in memory.
pub(crate) const RESIDENT: Bits = Bits { value: 1, undef: 0 };

impl Machine<'_> {
    /// Runs a texture operation.
    pub(crate) fn tex(&mut self, inst: Inst, tex: &TexData) {
        let results: Vec<_> = self.active.iter().map(|lane| self.tex_result(inst, tex, *lane)).collect();
        for (i, result) in results.into_iter().enumerate() {
            let lane = self.active[i];
            match result {
                Ok(components) => self.set(inst, lane, &components),
                Err((kind, message)) => {
                    self.fault(kind, inst, lane, message);
                    self.set(inst, lane, &[]);
                }
            }
        }
    }

    /// The components of the result.
    fn tex_result(&self, inst: Inst, tex: &TexData, lane: usize) -> Result<Vec<Bits>, Problem> {
        let texture = self.texture_of(tex, lane)?;
        let data = self.shader.insts[inst];
        let is_compared = tex.src(comparator).is_some();
        let has_code = tex.is_sparse && (data.num_components == 5 || data.num_components == 2 && is_compared);
        let wanted = usize::from(data.num_components) - usize::from(has_code);
        let mut result = match tex.op {
            TexOp::txs => {
                let level = tex.src(lod).map_or(Some(0), |def| self.int(def, 0, lane));
                size(&texture.image, level, wanted)
            }
            TexOp::query_levels => vec![Bits::new(texture.image.levels.len() as u64)],
            TexOp::texture_samples => vec![Bits::new(texture.image.samples.into())],
            TexOp::samples_identical => return Err((FaultKind::Unsupported, tex.op.name().to_string())),
            TexOp::txf | TexOp::txf_ms => self.fetched(tex, &texture.image, lane)?.to_vec(),
            _ => self.sampled(tex, texture, self.sampler_of(tex, texture, lane)?, lane)?.to_vec(),
        };
        if is_compared && tex.op != TexOp::tg4 {
            result = vec![result[0]; wanted];
        }
        result.resize(wanted, Bits::undef(32));
        result.extend(has_code.then_some(RESIDENT));
        let ty = AluType::new(tex.dest_type.base, data.bit_size);
        Ok(result.into_iter().map(|bits| narrowed(bits, ty)).collect())
    }

    /// The texture that `tex` reads.
    fn texture_of(&self, tex: &TexData, lane: usize) -> Result<&Texture, Problem> {
        let name = Name::of_texture(self.shader, tex);
        let descriptor = self.descriptor(name, false, lane)?;
        let missing =
            || (FaultKind::MissingInput, format!("the texture of {}", self.descriptor_name(descriptor, false)));
        let texture = self.resources.textures.get(&descriptor).ok_or_else(missing)?;
        let image = &texture.image;
        let is_said = |said: Declared| (flat(said.dim), said.array) == (flat(image.dim), image.array);
        let has_coordinates = |n: u8| n >= image.dim.coordinates() + u8::from(image.array && tex.op != TexOp::lod);
        let coordinates = tex.src(coord).map(|def| self.shader.num_components(def));
        match name.declared(self.shader, false).is_none_or(is_said) && coordinates.is_none_or(has_coordinates) {
            true => Ok(texture),
            false => Err((FaultKind::MissingInput, format!("a texture of this dimensionality at {descriptor}"))),
        }
    }

    /// The sampler that `tex` uses: a separate one, or that of its texture.
    fn sampler_of<'t>(&'t self, tex: &TexData, texture: &'t Texture, lane: usize) -> Result<&'t Sampler, Problem> {
        let name = Name::of_sampler(self.shader, tex);
        match name {
            Name::Pointer(pointer) if is_separate_sampler(self.shader, pointer) => {}
            _ => return Ok(&texture.sampler),
        }
        let descriptor = self.descriptor(name, false, lane)?;
        let missing =
            || (FaultKind::MissingInput, format!("the sampler of {}", self.descriptor_name(descriptor, false)));
        self.resources.samplers.get(&descriptor).ok_or_else(missing)
    }

    /// Component `c` of a source of integers; `None` if it is undefined or missing.
    pub(crate) fn int(&self, def: Def, c: usize, lane: usize) -> Option<i64> {
        integer(*self.value(def, lane).get(c)?, self.shader.bit_size(def))
    }

    /// Component `c` of a source of floats; `None` if it is undefined or missing.
    fn float(&self, def: Def, c: usize, lane: usize) -> Option<f64> {
        let bits = self.value(def, lane).get(c).filter(|bits| bits.is_defined())?;
        Some(to_float(bits.value, self.shader.bit_size(def)))
    }

    /// The first `n` components of a source, one for each dimension. The rest are zeros.
    fn vector(&self, def: Def, n: u8, lane: usize) -> Option<[f64; 3]> {
        let mut vector = [0.0; 3];
        for (c, to) in vector.iter_mut().enumerate().take(usize::from(n)) {
            *to = self.float(def, c, lane)?;
        }
        Some(vector)
    }

    /// The texel of a fetch; undefined if the coordinates are undefined.
    fn fetched(&self, tex: &TexData, image: &Image, lane: usize) -> Result<[Bits; 4], Problem> {
        let Some(place) = self.fetched_place(tex, image, lane) else { return Ok(UNDEFINED) };
        let outside = || {
            let TexelPosition { level, texel, layer, sample } = place;
            let message = format!("texel {texel:?} of level {level}, layer {layer}, sample {sample}: {image}");
            (FaultKind::OutsideOfImage, message)
        };
        image.fetch(place, self.inputs.floats).ok_or_else(outside)
    }

    fn fetched_place(&self, tex: &TexData, image: &Image, lane: usize) -> Option<TexelPosition> {
        let point = tex.src(coord)?;
        let n = usize::from(image.dim.coordinates());
        let source = |kind, has: bool| tex.src(kind).filter(|_| has).map_or(Some(0), |def| self.int(def, 0, lane));
        let level = source(lod, !image.dim.is_multisample() && image.dim != ImageDim::buf)?;
        let level = usize::try_from(level).unwrap_or(usize::MAX);
        let mut place = TexelPosition { level, texel: [0; 3], layer: 0, sample: source(ms_index, true)? };
        for c in 0..n {
            let by = tex.src(offset).map_or(Some(0), |def| self.int(def, c, lane))?;
            place.texel[c] = (self.int(point, c, lane)? as i32).wrapping_add(by as i32).into();
        }
        if image.array {
            place.layer = self.int(point, n, lane)?;
        }
        Some(place)
    }

    /// The result of sampling, gathering, or a query for the level of detail.
    fn sampled(&self, tex: &TexData, texture: &Texture, sampler: &Sampler, lane: usize) -> Result<[Bits; 4], Problem> {
        let image = &texture.image;
        let is_implicit = self.shader.info.has_implicit_lod();
        if tex.op == TexOp::lod && !is_implicit {
            return Ok([Bits::new(0); 4]);
        }
        let Some(mut point) = self.point(tex, image, sampler, lane) else { return Ok(UNDEFINED) };
        if tex.op == TexOp::tg4 {
            let c = usize::from(tex.component);
            let Some(offsets) = tex.offsets else { return Ok(point.gather(c)) };
            return Ok(offsets.map(|[x, y]| {
                point.offset = [x.into(), y.into(), 0];
                point.gather(c)[3]
            }));
        }
        let level = match tex.op {
            TexOp::txl => tex.src(lod).and_then(|def| self.float(def, 0, lane)),
            TexOp::txd => self.explicit_detail(tex, image, lane),
            _ if is_implicit => self.implicit_detail(tex, image, lane),
            _ => Some(0.0),
        };
        let by = tex.src(bias).map_or(Some(0.0), |def| self.float(def, 0, lane));
        let least = match tex.src(min_lod) {
            Some(def) => match self.float(def, 0, lane) {
                Some(least) => Some(least),
                None => return Ok(UNDEFINED),
            },
            None => None,
        };
        let is_rough = tex.op == TexOp::txd || is_implicit && tex.op != TexOp::txl;
        let detail = Detail { level: level.zip(by).map(|(level, by)| level + by), least, is_rough };
        if tex.op != TexOp::lod {
            return Ok(point.sample(detail));
        }
        Ok(point.query(detail).map_or(UNDEFINED, |[level, computed]| {
            [level, computed, 0.0, 0.0].map(|number| Bits::new(ntv::op::fold::from_float(number, 32)))
        }))
    }

    /// The point that is sampled; `None` if it is undefined.
    fn point<'t>(&self, tex: &TexData, image: &'t Image, sampler: &'t Sampler, lane: usize) -> Option<Point<'t>> {
        let n = image.dim.coordinates();
        let layer = match image.array && tex.op != TexOp::lod {
            true => self.float(tex.src(coord)?, n.into(), lane)?,
            false => 0.0,
        };
        let at = self.projected(tex, coord, n, lane)?;
        let mut point = Point::new(image, sampler, self.inputs.floats, at, layer);
        if tex.src(comparator).is_some() {
            point.reference = Some(self.projected(tex, comparator, 1, lane)?[0]);
        }
        if let Some(by) = tex.src(offset) {
            for c in 0..usize::from(n) {
                point.offset[c] = self.int(by, c, lane)?;
            }
        }
        Some(point)
    }

    /// The components of a source, divided by the projector if there is one.
    fn projected(&self, tex: &TexData, kind: TexSrcKind, n: u8, lane: usize) -> Option<[f64; 3]> {
        let vector = self.vector(tex.src(kind)?, n, lane)?;
        let Some(divisor) = tex.src(projector) else { return Some(vector) };
        let divisor = Bits::new(ntv::op::fold::from_float(self.float(divisor, 0, lane)?, 32));
        let divided = vector.map(|number| {
            let number = Bits::new(ntv::op::fold::from_float(number, 32));
            to_float(alu::scalar(AluOp::fdiv, [number, divisor], 32).value, 32)
        });
        Some(divided)
    }

    fn explicit_detail(&self, tex: &TexData, image: &Image, lane: usize) -> Option<f64> {
        let n = image.dim.coordinates();
        let at = self.projected(tex, coord, n, lane)?;
        let by = |kind| self.vector(tex.src(kind)?, n, lane);
        Some(detail(image, at, [by(ddx)?, by(ddy)?]))
    }

    /// The level of detail from the coordinates of the other invocations of the quad; `None` if one of them is not active.
    fn implicit_detail(&self, tex: &TexData, image: &Image, lane: usize) -> Option<f64> {
        let n = image.dim.coordinates();
        let at = |lane: usize| {
            let runs = self.active.contains(&lane);
            runs.then(|| self.projected(tex, coord, n, lane)).flatten()
        };
        let along = |step: usize| {
            let (low, high) = (at(lane & !step)?, at(lane | step)?);
            Some(std::array::from_fn(|c| high[c] - low[c]))
        };
        Some(detail(image, at(lane)?, [along(1)?, along(2)?]))
    }
}

/// The result of a size query: the size of a level and the number of layers; undefined if the level is undefined or missing.
pub(crate) fn size(image: &Image, level: Option<i64>, wanted: usize) -> Vec<Bits> {
    let level = level.and_then(|level| usize::try_from(level).ok()).filter(|level| *level < image.levels.len());
    let Some(level) = level else { return vec![Bits::undef(32); wanted] };
    let extents = usize::from(image.dim.extents());
    let mut size: Vec<u32> = image.level_size(level)[..extents].to_vec();
    size.extend(image.array.then(|| image.elements()));
    // Dimensions that the image lacks are 1.
    size.resize(wanted.max(size.len()), 1);
    size.truncate(wanted);
    size.into_iter().map(|size| Bits::new(size.into())).collect()
}

/// The dimensionality, with 2D for rectangle and external textures.
pub(crate) fn flat(dim: ImageDim) -> ImageDim {
    match dim {
        ImageDim::rect | ImageDim::external => ImageDim::dim_2d,
        dim => dim,
    }
}
