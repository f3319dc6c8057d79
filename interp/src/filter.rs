// SPDX-License-Identifier: MIT

//! Sampling: from coordinates to texels, and from texels to a sample (Vulkan 1.3, 16.5 to 16.9).
//!
//! ```text
//! coordinates -> face of a cube -> level of detail -> texels of one or two levels with their weights -> their sum
//! ```
//!
//! With [`Floats::Vulkan`], a sample is undefined if it depends on the precision of the device: if a coordinate is at the edge
//! between two texels, a weight is not a multiple of 1/16, or the sum rounds.

use crate::image::{Filter, Image, Sampler, TexelPosition};
use crate::{Bits, Floats};
use ntv::op::fold::{from_float, to_float};
use ntv::op::names::ImageDim;

/// A sample that is wholly undefined.
pub(crate) const UNDEFINED: [Bits; 4] = [Bits { value: 0, undef: 0xffff_ffff }; 4];

/// The finest steps of coordinates and weights that every device has: `subTexelPrecisionBits` is at least 4.
const STEPS: f64 = 16.0;

/// The axes and signs of s and t, for the faces +x, -x, +y, -y, +z, -z.
const FACES: [[(usize, f64); 2]; 6] = [
    [(2, -1.0), (1, -1.0)],
    [(2, 1.0), (1, -1.0)],
    [(0, 1.0), (2, 1.0)],
    [(0, 1.0), (2, -1.0)],
    [(0, 1.0), (1, -1.0)],
    [(0, -1.0), (1, -1.0)],
];

/// A point of a texture, with the parameters for sampling it.
#[derive(Clone, Debug)]
pub(crate) struct Point<'a> {
    image: &'a Image,
    sampler: &'a Sampler,
    floats: Floats,
    /// The coordinates; for a cube those on the face.
    coord: [f64; 3],
    layer: i64,
    /// The offset in texels.
    pub offset: [i64; 3],
    /// The reference that texels are compared with.
    pub reference: Option<f64>,
}

/// A level of detail.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail {
    /// The level, unless it is undefined.
    pub level: Option<f64>,
    /// The lowest level that the operation allows.
    pub least: Option<f64>,
    /// Whether it is computed from derivatives, so that devices differ.
    pub is_rough: bool,
}

/// A texel and its weight in a sample.
#[derive(Clone, Copy, Debug)]
struct Tap {
    source: Source,
    weight: f64,
}

/// The source of the components of a texel.
#[derive(Clone, Copy, Debug)]
enum Source {
    Texel(TexelPosition),
    Border,
    /// The texel beyond both edges of a face, which no face has.
    Corner,
}

/// The face of a cube in the direction `at`, and the point on it, from 0 to 1.
fn face(at: [f64; 3]) -> (usize, [f64; 2]) {
    let [x, y, z] = at.map(f64::abs);
    let axis = match () {
        () if z >= x && z >= y => 2,
        () if y >= x => 1,
        () => 0,
    };
    let face = 2 * axis + usize::from(at[axis] < 0.0);
    (face, FACES[face].map(|(other, sign)| 0.5 * sign * at[other] / at[axis].abs() + 0.5))
}

/// The change of the point on the face when the direction `at` changes by `by`.
fn face_derivative(at: [f64; 3], by: [f64; 3]) -> [f64; 3] {
    let face = face(at).0;
    let (major, sign) = (at[face / 2].abs(), at[face / 2].signum());
    let [s, t] = FACES[face].map(|(other, direction)| {
        0.5 * direction * (major * by[other] - at[other] * sign * by[face / 2]) / (major * major)
    });
    [s, t, 0.0]
}

/// The direction to the point (`s`, `t`) of a face, which may be beyond its edge.
fn direction(number: usize, [s, t]: [f64; 2]) -> [f64; 3] {
    let mut at = [0.0; 3];
    at[number / 2] = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
    for ((axis, sign), c) in FACES[number].into_iter().zip([s, t]) {
        at[axis] = sign * (2.0 * c - 1.0);
    }
    at
}

/// The level of detail for coordinates that change by `ddx` and `ddy` from pixel to pixel.
pub(crate) fn detail(image: &Image, at: [f64; 3], [ddx, ddy]: [[f64; 3]; 2]) -> f64 {
    let length = |by: [f64; 3]| {
        let by = if image.dim == ImageDim::cube { face_derivative(at, by) } else { by };
        let parts = by.iter().zip(image.size).map(|(c, size)| (c * f64::from(size)).powi(2));
        parts.sum::<f64>().sqrt()
    };
    length(ddx).max(length(ddy)).log2()
}

impl<'a> Point<'a> {
    /// The point at `coord`, in `layer` of an image that has layers.
    pub(crate) fn new(
        image: &'a Image,
        sampler: &'a Sampler,
        floats: Floats,
        coord: [f64; 3],
        layer: f64,
    ) -> Point<'a> {
        let layer = layer.round_ties_even().clamp(0.0, f64::from(image.elements().max(1) - 1)) as i64;
        let mut point = Point { image, sampler, floats, coord, layer, offset: [0; 3], reference: None };
        if image.dim == ImageDim::cube {
            let (face, [s, t]) = face(coord);
            (point.coord, point.layer) = ([s, t, 0.0], 6 * layer + face as i64);
        }
        point
    }

    /// The number of dimensions of a level, or of a face.
    fn dimensions(&self) -> usize {
        match self.image.dim {
            ImageDim::cube => 2,
            dim => usize::from(dim.coordinates()),
        }
    }

    fn is_vulkan(&self) -> bool {
        self.floats == Floats::Vulkan
    }

    /// The level of detail with bias and limits applied.
    fn clamped(&self, detail: Detail) -> Option<f64> {
        let [least, greatest] = self.sampler.lod.map(f64::from);
        let least = detail.least.map_or(least, |other| least.max(other));
        let level = detail.level? + f64::from(self.sampler.lod_bias);
        // `clamp` would panic if the limits are not in order.
        Some(level.max(least).min(greatest)).filter(|level| !level.is_nan())
    }

    /// The result of a query for the level of detail: the level that would be sampled, and the computed one.
    pub(crate) fn query(&self, detail: Detail) -> Option<[f64; 2]> {
        let last = self.image.levels.len().max(1) as f64 - 1.0;
        let level = self.clamped(detail)?.clamp(0.0, last);
        let sampled = if self.sampler.mip == Filter::Nearest { nearest_level(level) } else { level };
        let computed = detail.level? + f64::from(self.sampler.lod_bias);
        (!self.is_vulkan()).then_some([sampled, computed])
    }

    /// The filter, and the levels with their weights; `None` if they are undefined.
    fn levels(&self, detail: Detail) -> Option<(Filter, [(usize, f64); 2])> {
        let Sampler { mag, min, mip, .. } = *self.sampler;
        let last = self.image.levels.len().checked_sub(1)? as f64;
        if self.sampler.unnormalized || last == 0.0 && mag == min {
            return Some((mag, [(0, 1.0), (0, 0.0)]));
        }
        let level = self.clamped(detail)?;
        let filter = if level <= 0.0 { mag } else { min };
        let is_near = |at: f64, edge: f64| (at - edge).abs() < 2.0 / STEPS;
        if self.is_vulkan() && (detail.is_rough || mag != min && level != 0.0 && is_near(level, 0.0)) {
            return None;
        }
        let level = level.clamp(0.0, last);
        if mip == Filter::Nearest {
            let is_open = self.is_vulkan() && is_near(level.fract(), 0.5);
            return (!is_open).then_some((filter, [(nearest_level(level) as usize, 1.0), (0, 0.0)]));
        }
        let (first, rest) = (level.floor(), level.fract());
        Some((filter, [(first as usize, 1.0 - rest), (first as usize + 1, rest)]))
    }

    /// The sample at a level of detail.
    pub(crate) fn sample(&self, detail: Detail) -> [Bits; 4] {
        let Some((filter, levels)) = self.levels(detail) else { return UNDEFINED };
        let filter = if self.image.format.is_integer() { Filter::Nearest } else { filter };
        let mut taps = Vec::with_capacity(8);
        for (level, share) in levels.into_iter().filter(|(_, share)| *share != 0.0) {
            let Some(own) = self.footprint(level, filter) else { return UNDEFINED };
            taps.extend(own.into_iter().map(|tap| Tap { weight: tap.weight * share, ..tap }));
        }
        taps.retain(|tap| tap.weight != 0.0);
        self.combined(&taps)
    }

    /// Component `c` of the four texels around the point, or the results of their comparisons. The order is that of SPIR-V:
    /// counterclockwise from the bottom left, where t grows downwards.
    pub(crate) fn gather(&self, c: usize) -> [Bits; 4] {
        let Some(taps) = self.footprint(0, Filter::Linear) else { return UNDEFINED };
        let [first, right, below, across] = taps[..] else { return UNDEFINED };
        let c = if self.reference.is_some() { 0 } else { c };
        [below, across, right, first].map(|tap| self.seen(&tap)[c])
    }

    /// The texels that filtering combines; the first dimension varies fastest. `None` if they are undefined.
    fn footprint(&self, level: usize, filter: Filter) -> Option<Vec<Tap>> {
        let mut taps = vec![([0i64; 3], 1.0)];
        for axis in 0..self.dimensions() {
            let (first, weight) = self.along(axis, level, filter)?;
            let step = |by: i64, part: f64| {
                taps.iter().map(move |(texel, weight)| {
                    let mut texel = *texel;
                    texel[axis] = first + by;
                    (texel, weight * part)
                })
            };
            taps = match filter {
                Filter::Nearest => step(0, 1.0).collect(),
                Filter::Linear => step(0, 1.0 - weight).chain(step(1, weight)).collect(),
            };
        }
        Some(taps.into_iter().map(|(texel, weight)| Tap { source: self.source(texel, level), weight }).collect())
    }

    /// The first texel along `axis`, and the weight of the next one.
    fn along(&self, axis: usize, level: usize, filter: Filter) -> Option<(i64, f64)> {
        let size = if self.sampler.unnormalized { 1.0 } else { f64::from(self.image.level_size(level)[axis]) };
        let at = self.coord[axis] * size;
        if at.is_nan() || at.abs() > 1e9 {
            return None;
        }
        let at = if filter == Filter::Linear { at - 0.5 } else { at };
        let is_open = match filter {
            Filter::Nearest => (at - at.round()).abs() < 1.0 / STEPS,
            Filter::Linear => (at * STEPS).fract() != 0.0,
        };
        if self.is_vulkan() && (is_open || at.abs() > 1e4) {
            return None;
        }
        Some((at.floor() as i64, at - at.floor()))
    }

    fn source(&self, texel: [i64; 3], level: usize) -> Source {
        let size = self.image.level_size(level).map(i64::from);
        if self.image.dim == ImageDim::cube {
            return self.source_on_cube(texel, level, size[0]);
        }
        let mut place = TexelPosition { level, texel: [0; 3], layer: self.layer, sample: 0 };
        for axis in 0..self.dimensions() {
            match self.sampler.wrap[axis].texel(texel[axis] + self.offset[axis], size[axis]) {
                Some(wrapped) => place.texel[axis] = wrapped,
                None => return Source::Border,
            }
        }
        Source::Texel(place)
    }

    /// The source of a texel of a cube. Beyond the edge of a face it is a texel of the adjacent face.
    fn source_on_cube(&self, [x, y, _]: [i64; 3], level: usize, size: i64) -> Source {
        let mut place = TexelPosition { level, texel: [x, y, 0], layer: self.layer, sample: 0 };
        let is_outside = |c: i64| !(0..size).contains(&c);
        match (is_outside(x), is_outside(y)) {
            (false, false) => return Source::Texel(place),
            (true, true) => return Source::Corner,
            _ => {}
        }
        let middle = [x, y].map(|c| (c as f64 + 0.5) / size as f64);
        let (face, [s, t]) = face(direction((self.layer % 6) as usize, middle));
        let texel = |c: f64| ((c * size as f64).floor() as i64).clamp(0, size - 1);
        (place.layer, place.texel) = (self.layer / 6 * 6 + face as i64, [texel(s), texel(t), 0]);
        Source::Texel(place)
    }

    /// The texel of a tap, or the result of its comparison.
    fn seen(&self, tap: &Tap) -> [Bits; 4] {
        let texel = match tap.source {
            Source::Texel(place) => self.image.fetch(place, self.floats).unwrap_or(UNDEFINED),
            Source::Corner => UNDEFINED,
            Source::Border => self.image.format.expanded(self.sampler.border.map(|word| Bits::new(word.into()))),
        };
        let (Some(reference), Some(compare)) = (self.reference, self.sampler.compare) else { return texel };
        if !texel[0].is_defined() {
            return UNDEFINED;
        }
        // For a normalized format, the reference is clamped.
        let reference = if self.image.format.is_single() { reference } else { reference.clamp(0.0, 1.0) };
        let holds = compare.holds(reference, to_float(texel[0].value, 32));
        [Bits::new(from_float(f64::from(u8::from(holds)), 32)); 4]
    }

    fn combined(&self, taps: &[Tap]) -> [Bits; 4] {
        if let [only] = taps {
            return self.seen(only);
        }
        let seen: Vec<([Bits; 4], f64)> = taps.iter().map(|tap| (self.seen(tap), tap.weight)).collect();
        let is_single = self.image.format.is_single() || self.reference.is_some();
        std::array::from_fn(|c| {
            let values = || seen.iter().map(|(texel, weight)| (to_float(texel[c].value, 32), *weight));
            let is_defined = seen.iter().all(|(texel, _)| texel[c].is_defined());
            let is_exact = || is_single && values().all(|(value, weight)| is_simple(value) && is_step(weight));
            match is_defined && (!self.is_vulkan() || is_exact()) {
                true => Bits::new(from_float(values().map(|(value, weight)| value * weight).sum(), 32)),
                false => Bits::undef(32),
            }
        })
    }
}

/// Whether a number has so few digits that filtering cannot round.
fn is_simple(value: f64) -> bool {
    value.abs() <= 64.0 && (value * 4.0).fract() == 0.0
}

/// Whether a weight is a product of weights along three dimensions that every device can have.
fn is_step(weight: f64) -> bool {
    (weight * STEPS * STEPS * STEPS).fract() == 0.0
}

fn nearest_level(level: f64) -> f64 {
    (level + 0.5).ceil() - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Wrap;
    use crate::memory::Buffer;
    use crate::Format;

    /// A texture of floats that count up.
    fn counting(dim: ImageDim, size: [u32; 3], levels: usize) -> Image {
        let format = Format::from_name("r32_float").expect("a format");
        let mut image = Image { levels: Vec::new(), ..Image::new(dim, format, size) };
        let mut next = 0u16;
        for level in 0..levels {
            let numbers = (0..image.level_bytes(level) / 4).map(|_| {
                next += 1;
                f32::from(next - 1).to_le_bytes()
            });
            let bytes = numbers.flatten().collect();
            image.levels.push(Buffer::new(bytes));
        }
        image
    }

    fn sample(image: &Image, sampler: &Sampler, coord: [f64; 3], level: f64) -> Option<f32> {
        let point = Point::new(image, sampler, Floats::Nir, coord, 0.0);
        let bits = point.sample(Detail { level: Some(level), ..Detail::default() })[0];
        bits.is_defined().then(|| f32::from_bits(bits.value as u32))
    }

    #[test]
    fn edges_wrap() {
        let image = counting(ImageDim::dim_1d, [4, 1, 1], 1);
        let row = |wrap| {
            let sampler = Sampler { wrap: [wrap; 3], border: [9f32.to_bits(); 4], ..Sampler::default() };
            let at = |texel: i32| sample(&image, &sampler, [(f64::from(texel) + 0.5) / 4.0, 0.0, 0.0], 0.0);
            (-5..=6).map(|texel| at(texel).expect("defined")).collect::<Vec<f32>>()
        };
        assert_eq!(row(Wrap::Repeat), [3., 0., 1., 2., 3., 0., 1., 2., 3., 0., 1., 2.]);
        assert_eq!(row(Wrap::MirroredRepeat), [3., 3., 2., 1., 0., 0., 1., 2., 3., 3., 2., 1.]);
        assert_eq!(row(Wrap::ClampToEdge), [0., 0., 0., 0., 0., 0., 1., 2., 3., 3., 3., 3.]);
        assert_eq!(row(Wrap::ClampToBorder), [9., 9., 9., 9., 9., 0., 1., 2., 3., 9., 9., 9.]);
        assert_eq!(row(Wrap::MirrorClampToEdge), [3., 3., 2., 1., 0., 0., 1., 2., 3., 3., 3., 3.]);
    }

    #[test]
    fn levels_are_nearest_or_interpolated() {
        let image = counting(ImageDim::dim_1d, [4, 1, 1], 3);
        let with = |mip, level| sample(&image, &Sampler { mip, ..Sampler::default() }, [0.0; 3], level);
        let near = [-1.0, 0.5, 0.6, 1.5, 9.0].map(|level| with(Filter::Nearest, level));
        assert_eq!(near, [0.0, 0.0, 4.0, 4.0, 6.0].map(Some));
        assert_eq!([0.5, 1.25].map(|level| with(Filter::Linear, level)), [2.0, 4.5].map(Some));
        let biased = Sampler { lod_bias: 1.0, lod: [1.5, 1.75], ..Sampler::default() };
        assert_eq!(sample(&image, &biased, [0.0; 3], -5.0), Some(4.0));
        assert_eq!(sample(&image, &biased, [0.0; 3], 5.0), Some(6.0));
    }

    #[test]
    fn cubes_are_seamless_and_have_no_corners() {
        let image = counting(ImageDim::cube, [2, 2, 1], 1);
        let linear = Sampler { mag: Filter::Linear, ..Sampler::default() };
        // The point is half way between +z, whose last column is 17 and 19, and +x, whose first is 0 and 2.
        assert_eq!(sample(&image, &linear, [1.0, 0.0, 1.0], 0.0), Some((17.0 + 19.0 + 0.0 + 2.0) / 4.0));
        assert_eq!(sample(&image, &linear, [1.0, 1.0, 1.0], 0.0), None);
        let faces = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
        let first = faces.map(|at| sample(&image, &linear, at, 0.0));
        assert_eq!(first, [1.5, 5.5, 9.5, 13.5, 17.5, 21.5].map(Some));
    }

    #[test]
    fn rounded_samples_are_undefined_in_vulkan() {
        let image = counting(ImageDim::dim_1d, [4, 1, 1], 1);
        let sampled = |filter, x: f64| {
            let sampler = Sampler { mag: filter, min: filter, ..Sampler::default() };
            let point = Point::new(&image, &sampler, Floats::Vulkan, [x, 0.0, 0.0], 0.0);
            point.sample(Detail { level: Some(0.0), ..Detail::default() })[0].is_defined()
        };
        assert_eq!([0.25, 0.26, 0.375].map(|x| sampled(Filter::Nearest, x)), [false, false, true]);
        assert_eq!([0.25, 0.26, 0.375].map(|x| sampled(Filter::Linear, x)), [true, false, true]);
    }

    #[test]
    fn derivatives_choose_the_level() {
        let plane = counting(ImageDim::dim_2d, [8, 8, 1], 1);
        assert_eq!(detail(&plane, [0.0; 3], [[0.25, 0.0, 0.0], [0.0, 0.5, 0.0]]), 2.0);
        let cube = counting(ImageDim::cube, [8, 8, 1], 1);
        // At a distance of 1, a face has a width of 2.
        assert_eq!(detail(&cube, [0.0, 0.0, 2.0], [[1.0, 0.0, 0.0], [0.0, 0.0, 9.0]]), 1.0);
    }
}
