//! Dumps of compute shaders, with results known from their GLSL.

use crate::gpu::{parse, read, ssbo, translate, words, Gpu};
use ntv::driver::{Device, DeviceOptions, Dispatch, Resources};

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

/// Without a message for what is wrong, the silence of the other tests means nothing.
#[test]
fn the_validation_layer_is_listened_to() {
    let options = DeviceOptions { name: Some("llvmpipe".into()), validation: true, ..DeviceOptions::default() };
    let device = Device::open(&options).expect("lavapipe with the validation layer");
    let module = translate(&mut parse("examples/histogram.nir"), device.target()).unwrap();
    let mut resources = Resources::from([(ssbo(0), words(&[0, 0])), (ssbo(1), words(&[0; 64]))]);
    // Nothing is run, and maxComputeWorkGroupCount is exceeded.
    let dispatch = Dispatch { module: &module, groups: [u32::MAX, 0, 0], push_constants: &[] };
    device.dispatch(&dispatch, &mut resources).unwrap();
    let messages = device.take_messages();
    assert!(messages.iter().any(|message| message.contains("VUID-vkCmdDispatch-groupCountX")), "{messages:?}");
}

#[test]
fn what_is_not_given_is_named() {
    let gpu = Gpu::open();
    let module = gpu.file("examples/histogram.nir");
    let mut resources = Resources::from([(ssbo(0), words(&[0, 0]))]);
    let error = gpu.try_dispatch(&module, [1, 1, 1], &mut resources).unwrap_err();
    assert_eq!(error.message, "nothing is given for set 3, binding 1, element 0");
}
