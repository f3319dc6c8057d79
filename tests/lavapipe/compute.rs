// SPDX-License-Identifier: MIT

//! Dumps of compute shaders, with results known from their GLSL.

use crate::gpu::{parse, read, ssbo, translate, words, Gpu};
use ntv::Feature;
use ntv_driver::headless::{vk, Device, DeviceOptions, Dispatch, Resources, Slot, Step};

/// The set and binding of uniform block 0, GL's loose uniforms.
const UNIFORMS: Slot = Slot { set: 0, binding: 0, element: 0 };

#[test]
fn histogram() {
    let gpu = Gpu::open();
    let samples: Vec<u32> = (0..1000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let input: Vec<u32> = std::iter::once(samples.len() as u32).chain(samples.iter().copied()).collect();
    let mut resources = Resources::from([(ssbo(0), words(&input)), (ssbo(1), words(&[5; 64]))]);
    gpu.dispatch(&gpu.file("examples/histogram.nir"), [3, 1, 1], &mut resources);
    let mut bins = vec![5; 64];
    samples.iter().for_each(|sample| bins[*sample as usize % 64] += 1);
    assert_eq!(read(&resources, ssbo(1)), bins);
    assert_eq!(read(&resources, ssbo(0)), input, "nothing writes the samples");
}

/// The validation layer must report a known error; otherwise the other tests would prove nothing.
#[test]
fn the_validation_layer_is_listened_to() {
    let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, ..DeviceOptions::default() };
    let device = Device::open(&options).expect("lavapipe with the validation layer");
    // A copy does not read uniforms.
    let wrong = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::UNIFORM_READ);
    device.run(&mut [Step::Barrier(wrong, wrong)]).unwrap();
    let messages = device.take_messages();
    assert!(messages.iter().any(|message| message.contains("VUID-VkMemoryBarrier2-srcAccessMask")), "{messages:?}");
}

#[test]
fn missing_resources_are_named() {
    let gpu = Gpu::open();
    let module = gpu.file("examples/histogram.nir");
    let mut resources = Resources::from([(ssbo(0), words(&[0, 0]))]);
    let error = gpu.try_dispatch(&module, [1, 1, 1], &mut resources).unwrap_err();
    assert_eq!(error.message, "no resource is given for set 3, binding 1, element 0");
}

#[test]
fn pipelines_are_made_without_resources() {
    let device = Device::open(&DeviceOptions { name: Some("llvmpipe".into()), ..DeviceOptions::default() });
    let device = device.expect("lavapipe");
    let module = translate(&mut parse("examples/histogram.nir"), device.target()).unwrap();
    let dispatch = Dispatch { module: &module, groups: [1, 1, 1], push_constants: &[] };
    let time = device.time_dispatch(&dispatch).unwrap();
    assert!(!time.modules.is_zero() && !time.pipeline.is_zero(), "{time:?}");
    let vertex = translate(&mut parse("examples/ubo_loop.nir"), device.target()).unwrap();
    let error = device.time_dispatch(&Dispatch { module: &vertex, ..dispatch }).unwrap_err();
    assert_eq!(error.message, "this is not a compute shader");
}

#[test]
fn shaders_are_timed_by_the_device() {
    let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, ..DeviceOptions::default() };
    let device = Device::open(&options).expect("lavapipe with the validation layer");
    assert!(device.has_clock());
    let module = translate(&mut parse("examples/histogram.nir"), device.target()).unwrap();
    let resources = Resources::from([(ssbo(0), words(&[0; 4096])), (ssbo(1), words(&[0; 64]))]);
    let time = |x, times| {
        let dispatch = Dispatch { module: &module, groups: [x, 1, 1], push_constants: &[] };
        device.time_shader(&dispatch, &resources, times).unwrap()
    };
    assert_eq!(time(1, 3).others.len(), 3);
    // The best time of each, because the machine may have other load.
    let best = |x| time(x, 5).others.into_iter().min().unwrap();
    let (few, many) = (best(1), best(4096));
    assert!(!few.is_zero() && many > 4 * few, "{few:?} {many:?}");
    assert_eq!(device.take_messages(), [""; 0]);
}

#[test]
fn storage_blocks_and_the_length_of_an_array() {
    let gpu = Gpu::open();
    let (count, step) = (40usize, 0.5f32);
    let bounds = [10.0f32, 10.0, 10.0, 20.0];
    let particle = |i: usize| {
        let f = i as f32;
        ([f - 5.0, f * 0.5, 1.0 - f], f, [f - 20.0, 2.0, 1.0], 1000 + i as u32)
    };
    let mut input = bounds.map(f32::to_bits).to_vec();
    let (mut moved, mut heavy) = (input.clone(), vec![7; 64]);
    for (i, heavy) in heavy.iter_mut().enumerate().take(count) {
        let (position, mass, velocity, tag) = particle(i);
        let record = |position: [f32; 3], velocity: [f32; 3]| {
            let [a, b] = [position, velocity].map(|v| v.map(f32::to_bits));
            [a[0], a[1], a[2], mass.to_bits(), b[0], b[1], b[2], tag]
        };
        input.extend(record(position, velocity));
        let next: [f32; 3] = std::array::from_fn(|c| position[c] + step * velocity[c]);
        let outside = next.iter().zip(&bounds).any(|(x, bound)| x.abs() > *bound);
        moved.extend(if outside { record(position, velocity.map(|v| -v)) } else { record(next, velocity) });
        *heavy = if mass > bounds[3] { tag } else { u32::MAX };
    }
    let mut resources = Resources::from([
        (ssbo(0), words(&input)),
        (ssbo(1), words(&[7; 64])),
        (UNIFORMS, words(&[step.to_bits(), 0, 0, 0])),
    ]);
    gpu.dispatch(&gpu.file("tests/corpus/mesa/ssbo.nir"), [2, 1, 1], &mut resources);
    assert_eq!(read(&resources, ssbo(0)), moved);
    assert_eq!(read(&resources, ssbo(1)), heavy);
}

/// Blocks in zink's form: loads, stores, atomics and the size of one, and loads of two widths from another.
#[test]
fn words_at_places_that_are_not_known() {
    let gpu = Gpu::open();
    let inputs = [[9, 9, 3, 7, 9, 9], [6, 6, 42, 1, 6, 6], [5; 6]];
    let mut resources: Resources =
        inputs.iter().enumerate().map(|(binding, input)| (ssbo(binding as u32), words(input))).collect();
    gpu.dispatch(&gpu.file("tests/corpus/raise/words.nir"), [1, 1, 1], &mut resources);
    // Word 3 is stored, then the size of 24 bytes of the block is added to it; word 2 is exchanged for the old value of word 3.
    assert_eq!(read(&resources, ssbo(0)), [9, 9, 7, 3 + 24, 9, 9]);
    assert_eq!(read(&resources, ssbo(1)), inputs[1], "nothing writes it");
    // Word 3 of the other block selects the 64 bits that are loaded.
    assert_eq!(read(&resources, ssbo(2)), [5, 5, 5, 5, 42, 5]);
}

#[test]
fn each_invocation_reads_a_block_of_its_own() {
    let gpu = Gpu::open();
    let feature = Feature::shaderUniformBufferArrayNonUniformIndexing;
    assert!(!gpu.target().has(feature), "this is no test where the device has {}", feature.name());
    let block = |element: u32| [0, 1, 2, 3].map(|word| 10 * element + word);
    let slot = |element| Slot { set: 1, binding: 0, element };
    let mut resources: Resources = (0..3).map(|element| (slot(element), words(&block(element)))).collect();
    resources.insert(ssbo(0), words(&[7; 16]));
    gpu.dispatch(&gpu.file("tests/corpus/pass/lower_block_index_example.nir"), [1, 1, 1], &mut resources);
    // The last invocation selects a block that is out of range.
    assert_eq!(read(&resources, ssbo(0))[..12], [block(0), block(1), block(2)].concat());
}

/// Atomics, loads and stores, for which each invocation uses one of the blocks in turn.
#[test]
fn each_invocation_writes_a_block_of_its_own() {
    let gpu = Gpu::open();
    let block = |element: u32| {
        let own = 10 * element;
        [100 * (element + 1), 0, 5 + element, 0, own + 1, own + 2, own + 3, own + 4]
    };
    let slot = |element| Slot { element, ..ssbo(0) };
    let mut resources: Resources = (0..3).map(|element| (slot(element), words(&block(element)))).collect();
    gpu.dispatch(&gpu.file("tests/corpus/pass/lower_block_index_storage.nir"), [1, 1, 1], &mut resources);
    for element in 0..3 {
        let mut want = block(element);
        // Each invocation adds its number; the size and word 2 are added to the word that it changed.
        want[0] += 1 + 2;
        for invocation in 0..3 {
            want[4 + invocation] += 32 + block(element)[2];
        }
        assert_eq!(read(&resources, slot(element)), want, "block {element}");
    }
}

#[test]
fn shared_memory_barriers_and_atomics() {
    let gpu = Gpu::open();
    // Whole numbers, so that sums do not depend on their order.
    let data: Vec<[f32; 4]> = (0..256).map(|i| [i as f32, (i % 7) as f32, -(i as f32), (i % 3) as f32]).collect();
    let bits: Vec<u32> = data.concat().into_iter().map(f32::to_bits).collect();
    let mut resources = Resources::from([(ssbo(0), words(&bits))]);
    // The groups would write to words that others read: only one group runs.
    gpu.dispatch(&gpu.file("tests/corpus/mesa/shared_memory.nir"), [1, 1, 1], &mut resources);
    let sum = |c: usize| data[..128].iter().map(|value| value[c]).sum::<f32>();
    let count = sum(3);
    let got: Vec<f32> = read(&resources, ssbo(0))[..4].iter().map(|word| f32::from_bits(*word)).collect();
    let want = [sum(0) / count, sum(1) / count, sum(2) / count, data[0][3] / count];
    assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs()), "{got:?} is not {want:?}");
    assert_eq!(read(&resources, ssbo(0))[4..], bits[4..]);
}

#[test]
fn integers_of_64_bits() {
    let gpu = Gpu::open();
    let bias = -0x1_2345_6789_i64;
    let signed: Vec<i64> = (0..16i64).map(|i| i.wrapping_mul(0x7654_3210_0fed_cba9) ^ i << 40).collect();
    let unsigned: Vec<u64> = (0..16u64).map(|i| (i + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let pair = [i64::MAX, 0x0123_4567_89ab_cdef];
    let all = signed.iter().copied().chain(unsigned.iter().map(|value| *value as i64)).chain(pair);
    let all: Vec<u32> = all.flat_map(|value| halves(value as u64)).collect();
    let [low, high] = halves(bias as u64);
    let mut resources = Resources::from([(ssbo(0), words(&all)), (UNIFORMS, words(&[low, high, 0, 0]))]);
    gpu.dispatch(&gpu.file("tests/corpus/mesa/int64.nir"), [1, 1, 1], &mut resources);
    let got: Vec<u64> =
        read(&resources, ssbo(0)).chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
    let a: Vec<i64> = signed.iter().map(|value| value.wrapping_add(bias)).collect();
    for i in 0..16 {
        // No value is larger than the first of the pair. The order of writes to the second is not defined.
        let seconds = a.iter().chain(&pair[1..]);
        let mut wanted = seconds.map(|second| a[i].wrapping_sub(*second) as u64);
        assert!(wanted.any(|wanted| wanted == got[i]), "signed value {i}: {:#x}", got[i]);
        let b = unsigned[i].wrapping_mul(a[i] as u64);
        assert_eq!(got[16 + i], (b << i) ^ (b >> 7) ^ (i as u64 | b << 32), "unsigned value {i}");
    }
    assert_eq!(got[32], pair[0] as u64);
    // Mesa removes a conversion to float and back.
    assert!(a.contains(&(got[33] as i64)), "{:#x}", got[33]);
}

/// The words of a number, lower first.
fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}
