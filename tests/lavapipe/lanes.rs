// SPDX-License-Identifier: MIT

//! Loads and stores of byte ranges on a device: a sample of tests/lanes, with buffers that end directly after the last accessed
//! byte.
//!
//! Each shader loads a value of every width at an offset and stores its components as pairs of words; and stores a value into the
//! middle of bytes that must not change.

use crate::alu;
use crate::gpu::{read, ssbo, words, Gpu};
use ntv::ir::{Builder, Def};
use ntv::op::{Index, Intrinsic};
use ntv::{text, BufferAccess, EmitOptions, Feature, Options, Shader, Translator};
use ntv_driver::headless::{Resource, Resources, Slot};

/// A load or a store.
#[derive(Clone, Copy, Debug)]
struct Case {
    ubo: bool,
    align_mul: u32,
    offset: u32,
    components: u8,
    bits: u8,
    dynamic: bool,
    access: BufferAccess,
}

impl Case {
    fn len(self) -> usize {
        usize::from(self.components) * usize::from(self.bits) / 8
    }

    fn end(self) -> usize {
        self.offset as usize + self.len()
    }

    /// Block 0 is the tested memory, block 1 has the offset in its first word and receives the loaded value.
    fn skeleton(self) -> Shader {
        let block = match self.ubo {
            true => format!("decl_var ubo INTERP_MODE_NONE none vec4[{}] data (0, 0, 0)", self.end().div_ceil(16)),
            false => "decl_var ssbo INTERP_MODE_NONE none uint[] data (0, 0, 0)".to_string(),
        };
        let text = format!(
            "shader: MESA_SHADER_COMPUTE\nname: LANES\nworkgroup_size: 1, 1, 1\nnum_ubos: {}\nnum_ssbos: 2\n\
             subgroup_size: 1\n{block}\ndecl_var ssbo INTERP_MODE_NONE none uint[] other (1, 1, 1)\n\
             decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    // succs: b1\n    block b1:\n}}\n",
            u32::from(self.ubo)
        );
        text::parse(&text).expect("the skeleton")
    }

    fn offset(self, b: &mut Builder<'_>) -> Def {
        if !self.dynamic {
            return b.imm32(self.offset);
        }
        let (block, at) = (b.imm32(1), b.imm32(0));
        b.intrinsic_with(Intrinsic::load_ssbo, 1, 32, &[block, at], &alu::ALIGNED).def()
    }

    fn indices(self) -> Vec<(Index, u32)> {
        vec![
            (Index::align_mul, self.align_mul),
            (Index::align_offset, self.offset % self.align_mul),
            (Index::range, self.end() as u32),
            (Index::write_mask, (1 << self.components) - 1),
        ]
    }

    fn load(self) -> Shader {
        let mut shader = self.skeleton();
        let b = &mut Builder::new(&mut shader);
        let (offset, block) = (self.offset(b), b.imm32(0));
        let op = if self.ubo { Intrinsic::load_ubo } else { Intrinsic::load_ssbo };
        let value = b.intrinsic_with(op, self.components, self.bits, &[block, offset], &self.indices()).def();
        let to = b.imm32(8);
        alu::store(b, to, value);
        shader
    }

    /// A store of the bytes of [`pattern`] from 100 on, loaded from block 1.
    fn store(self) -> Shader {
        let mut shader = self.skeleton();
        let b = &mut Builder::new(&mut shader);
        let (offset, block, from) = (self.offset(b), b.imm32(0), b.imm32(8));
        let value = alu::load(b, 1, from, (self.bits, self.components));
        b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[value, block, offset], &self.indices());
        shader
    }
}

/// A byte that depends on its address.
fn pattern(address: usize) -> u8 {
    (address * 37 + 11) as u8
}

/// The components of a value of `bits` bits in `bytes`, as pairs of words.
fn pairs(bytes: &[u8], bits: u8) -> Vec<u32> {
    let value = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    bytes.chunks(usize::from(bits) / 8).map(value).flat_map(|value| [value as u32, (value >> 32) as u32]).collect()
}

fn run(gpu: &Gpu, case: Case, mut shader: Shader, small: bool, resources: &mut Resources) {
    let mut target = gpu.target().clone();
    if !small {
        target.set(Feature::storageBuffer8BitAccess, false);
        target.set(Feature::storageBuffer16BitAccess, false);
    }
    let mut translator = Translator::new(Options::default().target(target).buffer_access(case.access));
    let module = translator.translate(&mut shader, &EmitOptions::default());
    let module = module.unwrap_or_else(|error| panic!("{case:?}: {error}"));
    gpu.dispatch(&module.words, [1, 1, 1], resources);
}

fn check(gpu: &Gpu, case: Case, small: bool) {
    let place = if case.ubo { Slot { set: 1, binding: 0, element: 0 } } else { ssbo(0) };
    let size = case.end().next_multiple_of(if case.ubo { 16 } else { 4 });
    let memory: Vec<u8> = (0..size).map(pattern).collect();
    let mut other = vec![case.offset, 0];
    other.resize(2 + 2 * usize::from(case.components), 0xdead_beef);
    let given = || Resources::from([(place, Resource::Buffer(memory.clone())), (ssbo(1), words(&other))]);

    let mut resources = given();
    run(gpu, case, case.load(), small, &mut resources);
    let want = pairs(&memory[case.offset as usize..case.end()], case.bits);
    assert_eq!(read(&resources, ssbo(1))[2..], want, "load {case:?}, small numbers: {small}");

    if case.ubo {
        return;
    }
    let bytes: Vec<u8> = (100..100 + case.len()).map(pattern).collect();
    other.splice(2.., pairs(&bytes, case.bits));
    let mut resources = Resources::from([(place, Resource::Buffer(memory.clone())), (ssbo(1), words(&other))]);
    run(gpu, case, case.store(), small, &mut resources);
    let mut want = memory.clone();
    want[case.offset as usize..case.end()].copy_from_slice(&bytes);
    let Resource::Buffer(got) = &resources[&place] else { panic!("not a buffer") };
    assert_eq!(got, &want, "store {case:?}, small numbers: {small}");
}

#[test]
fn a_sample_of_loads_and_stores_is_exact_to_the_byte() {
    let gpu = Gpu::open();
    let mut random = alu::Random(4);
    let mut pick = |len: usize| random.next() as usize % len;
    for number in 0..80 {
        let bits = [8, 16, 32, 64][number % 4];
        let case = Case {
            ubo: pick(2) == 0,
            align_mul: [1, 2, 4, 8, 16][pick(5)],
            offset: pick(32) as u32,
            components: [1, 2, 3, 4, 8, 16][pick(6)],
            bits,
            dynamic: pick(2) == 0,
            access: [BufferAccess::Auto, BufferAccess::Lane][pick(2)],
        };
        check(&gpu, case, pick(2) == 0);
    }
}
