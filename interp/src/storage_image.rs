// SPDX-License-Identifier: MIT

//! Storage images: loads, stores, atomics and queries.
//!
//! Level 0 of an image is a region of memory, so its texels are read and written as bytes of [`MemoryRegion::Image`]. Outside of
//! the image, a load gives undefined bits, and a store writes nothing.

use crate::descriptor::Descriptor;
use crate::fault::FaultKind;
use crate::format::Texel;
use crate::image::{Image, TexelPosition};
use crate::machine::Machine;
use crate::memory::{Address, MemoryRegion};
use crate::race::Use;
use crate::resolve::Problem;
use crate::texture::{flat, size, RESIDENT};
use crate::words::narrowed;
use crate::{alu, Bits};
use ntv::analysis::textures::{instr_texel, Name, Texture as Declared};
use ntv::ir::{Def, Inst};
use ntv::op::meaning::{ImageAccess, ImageName, ImageOperation};
use ntv::op::names::{unpack_alu_type, ImageDim};
use ntv::op::{AluOp, AluType, Base, Index, Intrinsic};

impl Machine<'_> {
    /// Runs `op` if it is an operation on a storage image; returns whether it is.
    pub(crate) fn image(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) -> bool {
        let image = op.meaning().image.filter(|image| image.operation != ImageOperation::SamplesIdentical);
        let Some(ImageAccess { operation, name }) = image else { return false };
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let done = self.image_descriptor(inst, srcs[0], name == ImageName::Unit, lane);
            let done = done.and_then(|descriptor| self.image_operation(inst, operation, srcs, descriptor, lane));
            if let Err((kind, message)) = done {
                self.fault(kind, inst, lane, message);
                if operation != ImageOperation::Store {
                    self.set(inst, lane, &[]);
                }
            }
        }
        true
    }

    fn image_descriptor(&self, inst: Inst, name: Def, is_unit: bool, lane: usize) -> Result<Descriptor, Problem> {
        let said = ImageDim::ALL.get(self.shader.index(inst, Index::image_dim) as usize).copied();
        let said = (said, self.shader.index(inst, Index::image_array) != 0);
        let fits = |var| Declared::of_var(self.shader, var).is_some_and(|image| (Some(image.dim), image.array) == said);
        let is_pointer = self.shader.as_deref(name).is_some();
        let descriptor = if is_pointer {
            self.descriptor(Name::Pointer(name), true, lane)?
        } else if is_unit {
            let unit = self.scalar(name, lane);
            if !unit.is_defined() {
                let name = self.shader.shown(name);
                return Err((FaultKind::UndefinedAddress, format!("the unit {name} is undefined")));
            }
            let unit = unit.value as u32;
            // The variable of an array is found by the first unit of the array.
            let first = self.shader.as_const_scalar(name).map_or(self.shader.index(inst, Index::range_base), |_| unit);
            self.unit(first, unit.wrapping_sub(first), fits, true)?
        } else {
            self.descriptor(Name::Handle(name), true, lane)?
        };
        let missing = || (FaultKind::MissingInput, format!("the image of {}", self.descriptor_name(descriptor, true)));
        let image = self.resources.images.get(&descriptor).ok_or_else(missing)?;
        let said = Declared::of_pointer(self.shader, name).map_or(said, |image| (Some(image.dim), image.array));
        match (said.0.map(flat), said.1) == (Some(flat(image.dim)), image.array) {
            true => Ok(descriptor),
            false => Err((FaultKind::MissingInput, format!("an image of this dimensionality at {descriptor}"))),
        }
    }

    fn image_operation(
        &mut self,
        inst: Inst,
        operation: ImageOperation,
        srcs: &[Def],
        descriptor: Descriptor,
        lane: usize,
    ) -> Result<(), Problem> {
        let Some(image) = self.resources.images.get(&descriptor) else { return Ok(()) };
        let wanted = usize::from(self.shader.insts[inst].num_components);
        let numbers = match operation {
            ImageOperation::Size => size(image, self.int(srcs[1], 0, lane), wanted),
            ImageOperation::Samples => vec![Bits::new(image.samples.into())],
            ImageOperation::Levels => vec![Bits::new(image.levels.len() as u64)],
            _ => return self.texel_operation(inst, operation, srcs, descriptor, lane),
        };
        let ty = AluType::new(Base::Uint, self.shader.insts[inst].bit_size);
        let numbers: Vec<Bits> = numbers.into_iter().map(|bits| narrowed(bits, ty)).collect();
        self.set(inst, lane, &numbers);
        Ok(())
    }

    /// Runs a load, store or atomic of a texel.
    fn texel_operation(
        &mut self,
        inst: Inst,
        operation: ImageOperation,
        srcs: &[Def],
        descriptor: Descriptor,
        lane: usize,
    ) -> Result<(), Problem> {
        let Some(image) = self.resources.images.get(&descriptor) else { return Ok(()) };
        let (format, width) = (image.format, usize::from(self.shader.insts[inst].bit_size));
        let undefined = || (FaultKind::UndefinedAddress, "the coordinates of a texel are undefined".to_string());
        let place = self.image_place(image, srcs, lane).ok_or_else(undefined)?;
        let Some(byte) = image.byte(place) else {
            let message = format!("texel {:?}, layer {}, sample {}: {image}", place.texel, place.layer, place.sample);
            return Err((FaultKind::OutsideOfImage, message));
        };
        let address = Address::anywhere(MemoryRegion::Image(descriptor), byte);
        match operation {
            ImageOperation::Store => self.store_texel(inst, lane, address, srcs[3]),
            operation if operation.is_atomic() && format.components() == 1 && format.bytes() * 8 == width => {
                self.atomic(inst, lane, address, &srcs[3..]);
            }
            operation if operation.is_atomic() => {
                return Err((FaultKind::MissingInput, "an image whose texels are as wide as the atomic".into()));
            }
            _ => self.load_texel(inst, lane, address),
        }
        Ok(())
    }

    fn image_place(&self, image: &Image, srcs: &[Def], lane: usize) -> Option<TexelPosition> {
        let coordinate = |c: usize| self.int(srcs[1], c, lane);
        let is_cube = image.dim == ImageDim::cube;
        let dimensions = if is_cube { 2 } else { usize::from(image.dim.coordinates()) };
        let mut place = TexelPosition { level: 0, texel: [0; 3], layer: 0, sample: 0 };
        for c in 0..dimensions {
            place.texel[c] = coordinate(c)?;
        }
        // The faces of cubes are layers.
        if image.array || is_cube {
            place.layer = coordinate(dimensions)?;
        }
        if image.dim.is_multisample() {
            place.sample = self.int(srcs[2], 0, lane)?;
        }
        Some(place)
    }

    fn load_texel(&mut self, inst: Inst, lane: usize, address: Address) {
        let MemoryRegion::Image(descriptor) = address.memory else { return };
        let Some(format) = self.resources.images.get(&descriptor).map(|image| image.format) else { return };
        let mut texel = Texel::default();
        for byte in (0..format.bytes() as i64).rev() {
            let bits = self.read(address.plus(byte), 8, lane).unwrap_or(Bits::undef(8));
            texel.value = texel.value << 8 | u128::from(bits.value);
            texel.undef = texel.undef << 8 | u128::from(bits.undef);
        }
        self.record_use(inst, lane, address, |_| Use::Read, format.bytes() as i64);
        let data = self.shader.insts[inst];
        let ty = AluType::new(unpack_alu_type(self.shader.index(inst, Index::dest_type)).base, data.bit_size);
        let numbers = format.decode(texel, self.inputs.floats);
        let mut result: Vec<Bits> = numbers.into_iter().map(|bits| narrowed(bits, ty)).collect();
        result.push(RESIDENT);
        self.set(inst, lane, &result);
    }

    fn store_texel(&mut self, inst: Inst, lane: usize, address: Address, value: Def) {
        let MemoryRegion::Image(descriptor) = address.memory else { return };
        let Some(format) = self.resources.images.get(&descriptor).map(|image| image.format) else { return };
        let ty = AluType::new(instr_texel(self.shader, inst).base, self.shader.bit_size(value));
        let numbers: Vec<Bits> = self.value(value, lane).iter().map(|bits| widened(*bits, ty)).collect();
        if numbers.iter().take(format.components()).any(|bits| !bits.is_defined()) {
            let message = format!("a component of {} is undefined", self.shader.shown(value));
            self.fault(FaultKind::UndefinedOutput, inst, lane, message);
        }
        let texel = format.encode(&numbers, self.inputs.floats);
        for byte in 0..format.bytes() as i64 {
            let part = |word: u128| u64::from((word >> (8 * byte)) as u8);
            let (bits, at) = (Bits { value: part(texel.value), undef: part(texel.undef) }, address.plus(byte));
            let changes = self.read(at, 8, lane) != Some(bits);
            if self.write(at, 8, bits, lane).is_some() && !self.lanes[lane].is_helper {
                self.record_use(inst, lane, at, |_| if changes { Use::Write } else { Use::Read }, 1);
            }
        }
    }
}

/// A component of a stored value, with the width of the components of texels.
fn widened(component: Bits, ty: AluType) -> Bits {
    match (ty.base, ty.bits) {
        (Base::Float, 16) => alu::scalar(AluOp::f2f32, [component; 2], 16),
        (Base::Int, 16) => alu::scalar(AluOp::i2i32, [component; 2], 16),
        _ => component,
    }
}
