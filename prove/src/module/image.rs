// SPDX-License-Identifier: MIT

//! Textures and storage images.

use super::pointer::Object;
use super::types::{word, Image, Type};
use super::variables::Home;
use super::{Module, Reason};
use crate::flow::{Machine, Value};
use crate::term::Term;
use crate::world::{self, Space, Texel};
use rspirv::dr::Instruction;
use spirv::{Dim, ImageOperands, Op};

/// A texture, sampler or image, where its variable is.
#[derive(Clone, Copy, Debug)]
struct Resource {
    image: Option<Image>,
    place: (u32, u32, Option<Term>),
    is_bindless: bool,
}

/// A texture and the sampler that is apart.
#[derive(Clone, Copy, Debug)]
struct Pair {
    texture: Resource,
    sampler: Option<Resource>,
}

/// What an instruction with a sampler does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Sample,
    Fetch,
    Gather,
}

/// Instructions that read texels: what they do, whether they divide the coordinate, whether they compare.
const READS: &[(Op, Kind, bool, bool)] = &[
    (Op::ImageSampleImplicitLod, Kind::Sample, false, false),
    (Op::ImageSampleExplicitLod, Kind::Sample, false, false),
    (Op::ImageSampleDrefImplicitLod, Kind::Sample, false, true),
    (Op::ImageSampleDrefExplicitLod, Kind::Sample, false, true),
    (Op::ImageSampleProjImplicitLod, Kind::Sample, true, false),
    (Op::ImageSampleProjExplicitLod, Kind::Sample, true, false),
    (Op::ImageSampleProjDrefImplicitLod, Kind::Sample, true, true),
    (Op::ImageSampleProjDrefExplicitLod, Kind::Sample, true, true),
    (Op::ImageFetch, Kind::Fetch, false, false),
    (Op::ImageGather, Kind::Gather, false, false),
    (Op::ImageDrefGather, Kind::Gather, false, true),
];

/// Reads that have a residency code, too, and those without.
const SPARSE: &[(Op, Op)] = &[
    (Op::ImageSparseSampleImplicitLod, Op::ImageSampleImplicitLod),
    (Op::ImageSparseSampleExplicitLod, Op::ImageSampleExplicitLod),
    (Op::ImageSparseSampleDrefImplicitLod, Op::ImageSampleDrefImplicitLod),
    (Op::ImageSparseSampleDrefExplicitLod, Op::ImageSampleDrefExplicitLod),
    (Op::ImageSparseFetch, Op::ImageFetch),
    (Op::ImageSparseGather, Op::ImageGather),
    (Op::ImageSparseDrefGather, Op::ImageDrefGather),
    (Op::ImageSparseRead, Op::ImageRead),
];

fn is_sparse(it: &Instruction) -> bool {
    SPARSE.iter().any(|row| row.0 == it.class.opcode)
}

/// Image operands with an id, in their order: their name, as NIR's. Those without a name do not change the result.
const OPERANDS: &[(ImageOperands, &str)] = &[
    (ImageOperands::BIAS, "bias"),
    (ImageOperands::LOD, "lod"),
    (ImageOperands::GRAD, "ddx"),
    (ImageOperands::CONST_OFFSET, "offset"),
    (ImageOperands::OFFSET, "offset"),
    (ImageOperands::CONST_OFFSETS, "offsets"),
    (ImageOperands::SAMPLE, "ms_index"),
    (ImageOperands::MIN_LOD, "min_lod"),
    (ImageOperands::MAKE_TEXEL_AVAILABLE, ""),
    (ImageOperands::MAKE_TEXEL_VISIBLE, ""),
];

impl Module {
    /// Instructions on textures and images; `None` if it is another one.
    pub(super) fn image_operation(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Option<Vec<Term>>> {
        let op = SPARSE.iter().find(|row| row.0 == it.class.opcode).map_or(it.class.opcode, |row| row.1);
        if let Some((_, kind, projects, compares)) = READS.iter().find(|row| row.0 == op) {
            return self.texel(machine, it, *kind, *projects, *compares).map(Some);
        }
        match op {
            Op::ImageRead => self.image_read(machine, it).map(Some),
            Op::ImageWrite => self.image_write(machine, it).map(|()| Some(Vec::new())),
            Op::ImageQuerySize => self.query(machine, it, "query size", None).map(Some),
            Op::ImageQuerySizeLod => self.query(machine, it, "query size", Some("lod")).map(Some),
            Op::ImageQueryLevels => self.query(machine, it, "query levels", None).map(Some),
            Op::ImageQuerySamples => self.query(machine, it, "query samples", None).map(Some),
            Op::ImageQueryLod => self.query(machine, it, "query lod", Some("coord")).map(Some),
            Op::ImageSparseTexelsResident => {
                let code = self.one(machine, self.operand(it, 0)?)?;
                Ok(Some(vec![world::is_resident(machine.arena, code)]))
            }
            _ => Ok(None),
        }
    }

    fn texel(
        &self,
        machine: &mut Machine<'_>,
        it: &Instruction,
        kind: Kind,
        projects: bool,
        compares: bool,
    ) -> Reason<Vec<Term>> {
        let (pair, image) = self.pair(machine, self.operand(it, 0)?)?;
        let coordinate = self.operand_value(machine, it, 1)?;
        let count = image.coordinates();
        let used = coordinate.get(..count).ok_or("a coordinate with fewer components")?;
        let mut operands = vec![("coord", used.to_vec())];
        if projects {
            operands.push(("projector", vec![*coordinate.get(count).ok_or("no projector")?]));
        }
        let mut next = 2;
        if compares {
            operands.push(("comparator", vec![self.one(machine, self.operand(it, 2)?)?]));
            next = 3;
        }
        let operation = match (kind, compares) {
            (Kind::Sample, _) => "sample".to_owned(),
            (Kind::Fetch, _) => "fetch".to_owned(),
            (Kind::Gather, true) => "gather 0".to_owned(),
            (Kind::Gather, false) => {
                next = 3;
                format!("gather {}", self.number_of(machine, it, 2)?)
            }
        };
        operands.extend(self.image_operands(machine, it, next, image)?);
        self.components(machine, it, (operation, pair, image), operands)
    }

    /// The components of the result of an instruction that reads.
    fn components(
        &self,
        machine: &mut Machine<'_>,
        it: &Instruction,
        (operation, pair, image): (String, Pair, Image),
        operands: Vec<(&'static str, Vec<Term>)>,
    ) -> Reason<Vec<Term>> {
        let sampler = pair.sampler.map(|sampler| sampler.place);
        let is_image = image.storage;
        let shape = if pair.texture.is_bindless && !is_image { world::BINDLESS.into() } else { image.shape() };
        let texel = Texel { operation, shape, texture: pair.texture.place, sampler, operands };
        let widths = self.types.widths(it.result_type.unwrap_or(0))?;
        // The code is the first member of the struct that is the result.
        let code = is_sparse(it).then(|| texel.clone().residency(machine.arena, image.dimensions()));
        let of_texel = widths.get(usize::from(code.is_some())..).unwrap_or_default();
        let texels = texel.components(machine.arena, of_texel, image.dimensions());
        Ok(code.into_iter().chain(texels).collect())
    }

    /// The optional operands of an image instruction, from operand `at` on.
    fn image_operands(
        &self,
        machine: &Machine<'_>,
        it: &Instruction,
        at: usize,
        image: Image,
    ) -> Reason<Vec<(&'static str, Vec<Term>)>> {
        let mut operands = Vec::new();
        let mask = ImageOperands::from_bits_truncate(it.operands.get(at).map_or(0, word));
        if mask.contains(ImageOperands::OFFSETS) {
            return Err("offsets that are no constants".into());
        }
        let mut next = at + 1;
        for (bit, name) in OPERANDS {
            if !mask.contains(*bit) {
                continue;
            }
            if name.is_empty() {
                next += 1;
                continue;
            }
            let value = self.operand_value(machine, it, next)?;
            next += 1;
            operands.push((*name, dimensions(name, &value, image)));
            if *bit == ImageOperands::GRAD {
                let value = self.operand_value(machine, it, next)?;
                next += 1;
                operands.push(("ddy", dimensions("ddy", &value, image)));
            }
        }
        Ok(operands)
    }

    fn query(
        &self,
        machine: &mut Machine<'_>,
        it: &Instruction,
        operation: &str,
        operand: Option<&'static str>,
    ) -> Reason<Vec<Term>> {
        let (pair, image) = self.pair(machine, self.operand(it, 0)?)?;
        let mut operands = Vec::new();
        if let Some(name) = operand {
            let value = self.operand_value(machine, it, 1)?;
            operands.push((name, dimensions(name, &value, image)));
        }
        self.components(machine, it, (operation.to_owned(), pair, image), operands)
    }

    /// OpImageRead: of a subpass, or of a storage image, whose texels may be written.
    fn image_read(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        let id = self.operand(it, 0)?;
        let (pair, image) = self.pair(machine, id)?;
        let used = self.texel_coordinate(machine, self.operand(it, 1)?, image)?;
        let operands = self.image_operands(machine, it, 2, image)?;
        if image.dim == Dim::DimSubpassData {
            let operands = [("coord", used)].into_iter().chain(operands).collect();
            return self.components(machine, it, ("fetch".into(), pair, image), operands);
        }
        let spot = self.spot(machine, self.image_pointer(id)?)?;
        let element: Vec<Term> = spot.bindless_element().into_iter().collect();
        let (place, shape) = ([element, used, sample(operands)].concat(), image.shape());
        let widths = self.types.widths(it.result_type.unwrap_or(0))?;
        let texel = |(c, width): (usize, &u8)| {
            self.of_spaces(machine, &spot, |machine, space| {
                world::load_texel(machine, (space, &shape), &place, *width, c)
            })
        };
        let mut terms: Vec<Term> =
            widths.iter().skip(is_sparse(it).into()).enumerate().map(texel).collect::<Reason<_>>()?;
        if is_sparse(it) {
            let code = |machine: &mut Machine<'_>, space| world::residency_of_texel(machine, (space, &shape), &place);
            terms.insert(0, self.of_spaces(machine, &spot, code)?);
        }
        Ok(terms)
    }

    fn image_write(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let id = self.operand(it, 0)?;
        let (_, image) = self.pair(machine, id)?;
        let used = self.texel_coordinate(machine, self.operand(it, 1)?, image)?;
        let texel = self.operand_value(machine, it, 2)?;
        let operands = self.image_operands(machine, it, 3, image)?;
        let spot = self.spot(machine, self.image_pointer(id)?)?;
        let element: Vec<Term> = spot.bindless_element().into_iter().collect();
        let (place, shape) = ([element, used, sample(operands)].concat(), image.shape());
        let choices = self.spaces(machine, &spot)?;
        world::change_chosen(machine, &choices, |machine, space| {
            world::store_texel(machine, (space, &shape), &place, &texel);
        });
        Ok(())
    }

    /// The coordinate of a texel of a storage image.
    fn texel_coordinate(&self, machine: &Machine<'_>, id: u32, image: Image) -> Reason<Vec<Term>> {
        let coordinate = self.value(machine, id)?;
        let used = coordinate.get(..image.texel_coordinates()).ok_or("a coordinate with fewer components")?;
        Ok(used.to_vec())
    }

    /// An atomic operation on a texel; `None` if the pointer is none of a texel.
    pub(super) fn image_atomic(
        &self,
        machine: &mut Machine<'_>,
        pointer: u32,
        operation: &str,
        args: &[Term],
        width: u8,
    ) -> Reason<Option<Term>> {
        let Ok(Object::Texel(pointer, coordinate, sample)) = self.object(pointer) else { return Ok(None) };
        let spot = self.accessed(machine, pointer)?;
        let Type::Image(image) = *self.types.get(spot.ty) else { return Err("a texel of no image".into()) };
        let mut place: Vec<Term> = spot.bindless_element().into_iter().collect();
        place.extend(self.texel_coordinate(machine, coordinate, image)?);
        if image.multisampled {
            place.push(self.one(machine, sample)?);
        }
        let shape = image.shape();
        let texel = |machine: &mut Machine<'_>, space: Space| {
            world::texel_atomic(machine, (space, &*shape), operation, &place, args, width)
        };
        self.of_spaces(machine, &spot, texel).map(Some)
    }

    /// The pointer from which an image was loaded.
    fn image_pointer(&self, id: u32) -> Reason<u32> {
        match self.object(id)? {
            Object::Loaded(pointer) => Ok(pointer),
            _ => Err("an image that was not loaded".into()),
        }
    }

    /// The pointer from which a texture was loaded, alone or with a sampler.
    fn texture_pointer(&self, id: u32) -> Reason<u32> {
        match self.object(id)? {
            Object::Loaded(pointer) => Ok(pointer),
            Object::Combined(texture, _) => self.texture_pointer(texture),
            Object::ImageOf(whole) => self.texture_pointer(whole),
            _ => Err("a texture that was not loaded".into()),
        }
    }

    /// The texture and the sampler that an id stands for, and what the texture is.
    fn pair(&self, machine: &mut Machine<'_>, id: u32) -> Reason<(Pair, Image)> {
        let sampler = match self.object(id)? {
            Object::Combined(_, sampler) => Some(self.resource(machine, self.texture_pointer(sampler)?)?),
            _ => None,
        };
        let pair = Pair { texture: self.resource(machine, self.texture_pointer(id)?)?, sampler };
        let image = pair.texture.image.ok_or("a sampler as a texture")?;
        Ok((pair, image))
    }

    fn resource(&self, machine: &mut Machine<'_>, pointer: u32) -> Reason<Resource> {
        let spot = self.accessed(machine, pointer)?;
        let Home::Opaque(set, binding) = spot.home else { return Err("a texture in another place".into()) };
        let image = match self.types.get(spot.ty) {
            Type::Image(image) => Some(*image),
            Type::SampledImage(image) => match self.types.get(*image) {
                Type::Image(image) => Some(*image),
                _ => None,
            },
            _ => None,
        };
        let is_bindless = spot.bindless_element().is_some();
        Ok(Resource { image, place: (set, binding, spot.element.map(|(element, _)| element)), is_bindless })
    }
}

/// The components of an operand that count: offsets, gradients and the coordinate of a query have none for the layer.
fn dimensions(name: &str, value: &Value, image: Image) -> Vec<Term> {
    match name {
        "offset" | "ddx" | "ddy" | "coord" => value.iter().take(image.dimensions()).copied().collect(),
        _ => value.to_vec(),
    }
}

/// The sample among the operands of an image instruction.
fn sample(operands: Vec<(&'static str, Vec<Term>)>) -> Vec<Term> {
    operands.into_iter().find(|(name, _)| *name == "ms_index").map(|(_, terms)| terms).unwrap_or_default()
}
