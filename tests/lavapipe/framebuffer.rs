// SPDX-License-Identifier: MIT

//! Reads of the framebuffer: the shader reads its contents. Colours are read in `tests/corpus/run/framebuffer.nir`.

use crate::gpu::{floats, from_bytes, Gpu};
use crate::stages;
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resources};

/// The depth is read as a separate attachment, and replaced.
#[test]
fn depth_is_read_and_replaced() {
    let gpu = Gpu::open();
    let body = "
    32 %1 = @load_output (%0) (base=0, range=1, component=0, dest_type=float32, io location=FRAG_RESULT_DEPTH slots=1 fbfetch)
    32x4 %2 = @load_output (%0) (base=0, range=1, component=0, dest_type=float32, io location=FRAG_RESULT_DATA0 slots=1 fbfetch)
    32 %3 = load_const (0x3f000000)
    32 %4 = fmul %1, %3
    32x4 %5 = fmul %2, %1.xxxx
    @store_output (%4, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DEPTH slots=1)
    @store_output (%5, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
";
    let vertex = gpu.module(&mut stages::vertex(&[]));
    let fragment = gpu.module(&mut stages::shader("FRAGMENT", "uses_fbfetch_output: true\n", body));
    let corners = floats(&[-1.0, -1.0, 0.25, 1.0, 3.0, -1.0, 0.25, 1.0, -1.0, 3.0, 0.25, 1.0]);
    let format = vk::Format::R32G32B32A32_SFLOAT;
    let attributes = [Attribute { location: 0, format, bytes: &corners, per_instance: false }];
    let attachments = [
        Attachment { format, clear: floats(&[1.0, 2.0, -4.0, 8.0]) },
        Attachment { format: vk::Format::D32_SFLOAT, clear: floats(&[0.75]) },
    ];
    let modules: [&[u32]; 2] = [&vertex, &fragment];
    let draw =
        Draw { modules: &modules, attributes: &attributes, attachments: &attachments, size: [4, 2], ..Draw::default() };
    let drawn = gpu.draw(&draw, &mut Resources::new());
    let values = |bytes: &[u8]| from_bytes(bytes).into_iter().map(f32::from_bits).collect::<Vec<f32>>();
    assert_eq!(values(&drawn.attachments[0]), [0.75, 1.5, -3.0, 6.0].repeat(8));
    assert_eq!(values(&drawn.attachments[1]), [0.375; 8]);
}
