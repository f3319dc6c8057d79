// SPDX-License-Identifier: MIT

//! Uniform blocks read through uniform buffers and through storage buffers: the shaders of `tests/corpus/blocks`.
//!
//! Each shader reads blocks of one layout and writes all results as words to storage block 0. Both classes must give the same
//! words, which are those of the interpreter for the original shader.

use crate::gpu::{parse, read, ssbo, words, Gpu};
use crate::support;
use ntv::import::reflect;
use ntv::module::{Binding, DescriptorKind};
use ntv::plan::{Class, Placement, Placements};
use ntv::{EmitOptions, Options, Shader, Translator};
use ntv_driver::headless::{Part, Resource, Resources, Slot};
use ntv_interp::{Inputs, Limits};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// The size of a block: the largest uniform buffer of lavapipe.
pub(crate) const BLOCK: usize = 1 << 16;

/// The size of the results; larger than the results of every shader.
const RESULT: usize = 1 << 14;

/// Shaders whose blocks cannot be uniform buffers of lavapipe: too large, or more than 15.
pub(crate) const NOT_UNIFORM: &[&str] = &["blocks_16", "blocks_20", "huge_1mib"];

/// The blocks that are storage buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    None,
    All,
    /// The blocks with odd numbers; the others are uniform buffers.
    Odd,
}

impl Stored {
    fn has(self, block: u32) -> bool {
        self == Stored::All || self == Stored::Odd && block % 2 == 1
    }

    fn placements(self, blocks: u32, clamp: bool) -> Placements {
        let mut placements = Placements::default();
        for block in (0..blocks).filter(|block| self.has(*block)) {
            placements.set(block, Placement { class: Class::Storage, range: 0, clamp });
        }
        placements
    }
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).expect("a name")
}

pub(crate) fn load(name: &str) -> Shader {
    parse(&format!("tests/corpus/blocks/{name}.nir"))
}

/// The size of each block of the shader `name` in bytes.
pub(crate) fn block_size(name: &str) -> usize {
    if name == "huge_1mib" {
        1 << 20
    } else {
        BLOCK
    }
}

/// Word `number` of a block: 0, or finite and not denormal as a float, and as the upper half of a double. With seed 0 all
/// blocks are the same, so that comparisons can be true.
pub(crate) fn word(seed: u32, block: u32, number: u32) -> u32 {
    let block = if seed == 0 { 0 } else { block };
    let mut hash = number.wrapping_mul(0x9e37_79b9) ^ block.wrapping_mul(0x85eb_ca6b) ^ seed;
    for factor in [0x7feb_352d, 0x846c_a68b] {
        hash = (hash ^ hash >> 15).wrapping_mul(factor);
    }
    if hash >> 29 == 0 {
        0
    } else {
        0x3f80_0000 | hash >> 7 & 0x003f_ffff
    }
}

pub(crate) fn contents(seed: u32, block: u32, size: usize) -> Vec<u8> {
    (0..size as u32 / 4).flat_map(|number| word(seed, block, number).to_le_bytes()).collect()
}

/// The interpreter's results for `shader` with these blocks.
pub(crate) fn expected(shader: &Shader, blocks: &[Vec<u8>]) -> Vec<u32> {
    let mut resources = ntv_interp::Resources {
        uniform: blocks.iter().map(|bytes| ntv_interp::Buffer::new(bytes.clone())).collect(),
        storage: vec![ntv_interp::Buffer::zeroed(RESULT)],
        ..ntv_interp::Resources::default()
    };
    let outcome = ntv_interp::run(shader, &mut resources, &Inputs::default(), Limits::default());
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let result = &resources.storage[0];
    assert!(result.undef.iter().all(|bits| *bits == 0), "undefined bits were written");
    let words = crate::gpu::from_bytes(&result.bytes);
    assert!(words.iter().filter(|word| **word != 0).count() >= 8, "next to nothing was written");
    words
}

/// A module and its descriptors of uniform blocks, of every class.
pub(crate) struct Module {
    pub(crate) words: Vec<u32>,
    pub(crate) bindings: Vec<Binding>,
}

/// `shader` as a module with its blocks in the classes of `placements`.
pub(crate) fn placed(gpu: &Gpu, shader: &Shader, placements: Placements) -> Module {
    let mut translator = Translator::new(Options::default().target(gpu.target().clone()));
    translator.set_placements(placements);
    let module = translator.translate(&mut shader.clone(), &EmitOptions::default()).expect("a module");
    let mut bindings = reflect(&module.words).expect("an interface").bindings;
    bindings.retain(|binding| binding.set <= 1);
    Module { words: module.words, bindings }
}

/// The number of the block of a descriptor, or of the first block of an array. GL's loose uniforms have their own set, in which
/// zink's binding is that of the stage; the binding of other blocks is their number.
pub(crate) fn block_of(binding: &Binding) -> u32 {
    if binding.set == 0 {
        0
    } else {
        binding.binding
    }
}

/// `shader` as a module that has `stored` blocks in storage; the kinds of its descriptors are checked.
fn module(gpu: &Gpu, shader: &Shader, stored: Stored, clamp: bool) -> Module {
    let module = placed(gpu, shader, stored.placements(shader.info.num_ubos, clamp));
    for binding in &module.bindings {
        let block = block_of(binding);
        // An array of blocks is in storage buffers if one of the blocks is.
        let is_stored = (block..block + binding.count).any(|block| stored.has(block));
        let kind = if is_stored { DescriptorKind::StorageBuffer } else { DescriptorKind::UniformBuffer };
        assert_eq!(binding.kind, kind, "block {block}");
    }
    module
}

impl Module {
    /// The contents that `resource` has for each block, and space for results in storage block 0.
    pub(crate) fn resources(&self, resource: impl Fn(u32) -> Resource) -> Resources {
        let mut resources = Resources::from([(ssbo(0), words(&[0; RESULT / 4]))]);
        for binding in &self.bindings {
            // Element n of an array is the block with the number of the first plus n.
            for element in 0..binding.count {
                let slot = Slot { set: binding.set, binding: binding.binding, element };
                resources.insert(slot, resource(block_of(binding) + element));
            }
        }
        resources
    }
}

/// Fails if `got` is not `want`, with the first difference.
pub(crate) fn assert_same(got: &[u32], want: &[u32], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    let differs = got.iter().zip(want).position(|(got, want)| got != want);
    if let Some(at) = differs {
        panic!("{what}: word {at} is {:#x}, not {:#x}", got[at], want[at]);
    }
}

/// Runs `module` with the contents that `resource` has for each block; returns the words of storage block 0 after the run.
pub(crate) fn run(gpu: &Gpu, module: &Module, resource: impl Fn(u32) -> Resource) -> Vec<u32> {
    let mut resources = module.resources(resource);
    gpu.dispatch(&module.words, [1; 3], &mut resources);
    read(&resources, ssbo(0))
}

/// The possible sets of blocks in storage buffers for the shader called `name`; the others are in uniform buffers.
fn possible(name: &str) -> Vec<Stored> {
    let all = [Stored::None, Stored::All, Stored::Odd];
    all.into_iter().filter(|stored| *stored != Stored::None || !NOT_UNIFORM.contains(&name)).collect()
}

fn check(gpu: &Gpu, name: &str) {
    let shader = load(name);
    let blocks = shader.info.num_ubos;
    let modules: Vec<_> =
        possible(name).into_iter().map(|stored| (stored, module(gpu, &shader, stored, false))).collect();
    // Shaders that compare blocks need equal ones, too.
    let seeds = if name.starts_with("whole_") { 0..2 } else { 1..2 };
    for seed in seeds {
        let given: Vec<Vec<u8>> = (0..blocks).map(|block| contents(seed, block, block_size(name))).collect();
        // A uniform block of GL's loose uniforms is small.
        let given = |block: u32| match block {
            0 => &given[0][..64],
            _ => &given[block as usize][..],
        };
        let all: Vec<Vec<u8>> = (0..blocks).map(|block| given(block).to_vec()).collect();
        let want = expected(&shader, &all);
        for (stored, module) in &modules {
            let got = run(gpu, module, |block| Resource::Buffer(given(block).to_vec()));
            assert_same(&got, &want, &format!("{name}, seed {seed}, in storage: {stored:?}"));
        }
    }
}

/// The shaders of the folder, in Gallium's and in zink's form, except the one that reads out of bounds.
pub(crate) fn names() -> Vec<String> {
    let files = support::files(&support::root().join("tests/corpus/blocks"), &["nir"]);
    let names = files.iter().map(|file| stem(file).to_string());
    names.filter(|name| !name.starts_with("out_of_range")).collect()
}

/// Runs `check` for each of the shaders `names`, with one device per core: a device for each shader is slow, and with so many the
/// validation layer once confused objects of different devices (UNASSIGNED-Threading-Info).
pub(crate) fn check_each(names: &[String], open: fn() -> Gpu, check: fn(&Gpu, &str)) {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let results = support::in_parallel((0..workers).collect(), |worker| {
        let gpu = open();
        let own = names.iter().skip(worker).step_by(workers);
        own.filter_map(|name| problem(&gpu, name, check)).collect::<Vec<_>>()
    });
    let failures: Vec<String> = results.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{} shaders fail\n\n{}", failures.len(), failures.join("\n"));
}

/// The errors of `check` and of the validation layer for the shader `name`.
fn problem(gpu: &Gpu, name: &str, check: fn(&Gpu, &str)) -> Option<String> {
    let checked = support::caught(|| {
        check(gpu, name);
        Ok(())
    });
    let mut said = gpu.take_messages();
    said.extend(checked.err());
    (!said.is_empty()).then(|| format!("{name}: {}", said.join("\n")))
}

#[test]
fn blocks_of_every_layout_read_the_same_in_both_classes() {
    let names = names();
    assert!(names.len() >= 100, "only {} shaders", names.len());
    check_each(&names, Gpu::open, check);
}

/// The shaders that the test above excludes exceed the device's limits.
#[test]
fn blocks_that_cannot_be_uniform_buffers_exceed_a_limit() {
    let gpu = Gpu::open();
    for name in NOT_UNIFORM {
        let too_large = block_size(name) > gpu.limits().max_uniform_buffer_range as usize;
        let count: u32 = module(&gpu, &load(name), Stored::None, false).bindings.iter().map(|it| it.count).sum();
        let too_many = count > gpu.limits().max_per_stage_descriptor_uniform_buffers;
        assert!(too_large || too_many, "{name} could be run with uniform buffers");
    }
}

/// Several blocks from one buffer, at the offsets at which OpenGL can bind them.
#[test]
fn parts_of_one_buffer_read_as_buffers_do() {
    let gpu = Gpu::open();
    for name in ["two_blocks", "struct_instance_array", "array2_float", "layout_scalar_vec3", "array_dvec3"] {
        let shader = load(name);
        let len = 1 << 13;
        let given: Vec<Vec<u8>> = (0..shader.info.num_ubos).map(|block| contents(1, block, len)).collect();
        let want = expected(&shader, &given);
        for offset in [16, 48, 256] {
            let at = |block: u32| offset + block as usize * (len + offset);
            let mut bytes = vec![0xa5; at(shader.info.num_ubos)];
            (0..).zip(&given).for_each(|(block, part)| bytes[at(block)..][..len].copy_from_slice(part));
            let bytes: Rc<[u8]> = bytes.into();
            for stored in [Stored::None, Stored::All, Stored::Odd] {
                let module = module(&gpu, &shader, stored, false);
                let part = |block| Resource::Part(Part { bytes: Rc::clone(&bytes), offset: at(block), len });
                let what = format!("{name}, offset {offset}, in storage: {stored:?}");
                assert_same(&run(&gpu, &module, part), &want, &what);
            }
        }
    }
}

#[test]
fn parts_that_no_device_can_bind_are_refused() {
    let gpu = Gpu::open();
    let shader = load("size_50");
    let bytes: Rc<[u8]> = vec![0; 4096].into();
    let cases = [
        (8, 1024, "the offset 8 is not a multiple of 16"),
        (4096, 16, "a range of 16 bytes at 4096 is not valid in a buffer of 4096 bytes"),
        (usize::MAX, 16, "a range of 16 bytes at 18446744073709551615 is not valid in a buffer of 4096 bytes"),
        (0, 0, "a range of 0 bytes at 0 is not valid in a buffer of 4096 bytes"),
    ];
    for stored in [Stored::None, Stored::All] {
        let module = module(&gpu, &shader, stored, false);
        for (offset, len, wanted) in cases {
            let part = |_| Resource::Part(Part { bytes: Rc::clone(&bytes), offset, len });
            let mut resources = module.resources(part);
            let error = gpu.try_dispatch(&module.words, [1; 3], &mut resources).unwrap_err().message;
            assert!(error.contains(wanted), "{error}");
        }
    }
}

/// Runs `module`, of `out_of_range`, with a block of 64 vec4s and this `base`; `element` is the index of the vec4 that is read,
/// if any.
fn check_out_of_range(gpu: &Gpu, module: &Module, base: u32, element: impl Fn(u32) -> Option<u32>) {
    let block = contents(1, 1, 1024);
    let given = BTreeMap::from([(0, words(&[base, 0, 0, 0])), (1, Resource::Buffer(block))]);
    let got = run(gpu, module, |block| given[&block].clone());
    for lane in 0..8u32 {
        let loaded = |offset: u32, c: u32| element(offset / 16).map_or(0, |element| word(1, 1, element * 4 + c));
        let whole = lane.wrapping_add(base).wrapping_mul(16);
        let want = [0, 1, 2, 3].map(|c| loaded(whole, c));
        let at = lane as usize * 64;
        assert_eq!(got[at..at + 4], want, "base {base}, lane {lane}");
        assert_eq!(got[at + 4], loaded(lane * 1024, 1), "lane {lane}");
    }
}

/// Offsets in range, at its end, beyond it, and far beyond it, of which the highest ones wrap around to the start.
const BASES: [u32; 6] = [0, 60, 64, 1000, 0x00ff_ffff, 0x0fff_fffc];

#[test]
fn beyond_the_range_a_robust_device_reads_zeros() {
    let gpu = Gpu::open_robust();
    for name in ["out_of_range", "out_of_range.zink"] {
        for stored in [Stored::None, Stored::Odd, Stored::All] {
            let module = module(&gpu, &load(name), stored, false);
            for base in BASES {
                check_out_of_range(&gpu, &module, base, |element| (element < 64).then_some(element));
            }
        }
    }
}

/// The clamped offsets of a plan for a device that is not robust.
#[test]
fn beyond_the_range_a_clamped_block_reads_its_last_element() {
    let gpu = Gpu::open();
    let module = module(&gpu, &load("out_of_range"), Stored::Odd, true);
    for base in BASES {
        check_out_of_range(&gpu, &module, base, |element| Some(element.min(63)));
    }
}
