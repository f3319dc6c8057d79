// SPDX-License-Identifier: MIT

//! Captures do not change other outputs: the position is captured as it was written, and no output loses its location.

use crate::gpu::{floats, from_bytes, read, ssbo, words, Gpu};
use crate::scene::{Case, Scene, BACK_ENDS};
use crate::stages::shader;
use ntv::capture::{BackEnd, CaptureState, Topology, BUFFER_BINDING, STATE_BINDING};
use ntv::link::link;
use ntv::{EmitOptions, Key, Module, Options, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resources};
use std::fmt::Write as _;

const FORMAT: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

#[test]
fn the_position_is_captured_as_it_was_written() {
    let gpu = Gpu::open();
    for (back_end, scene) in BACK_ENDS.map(|back_end| (back_end, Scene::new(&gpu, back_end))) {
        for topology in Topology::ALL {
            let case = Case::new(topology);
            for orientation in 0..8 {
                for depth in [0, Key::GL_DEPTH] {
                    let bits = orientation << Key::SWAP_XY.trailing_zeros() | depth;
                    let seen = scene.draw(&gpu, &case, &Key { size: [8, 8], ..Key::new(bits) });
                    assert!(seen.captured == case.model(), "{back_end:?}, {topology:?}, `{}`", Key::new(bits));
                }
            }
        }
    }
}

/// The number of Locations of lavapipe for the outputs of a vertex shader: 128 components, four of them for the position.
const MOST: u32 = 31;

/// The positions of the triangle, of which its outputs are multiples.
const PLACES: [[f32; 4]; 3] = [[-1., -1., 0.25, 1.], [3., -1., 0.5, 1.], [-1., 3., 0.75, 1.]];
const VALUE: [f32; 4] = [1., 2., 3., 4.];

/// A vertex shader whose output `k` is `k + 1` times an attribute.
fn vertex(outputs: u32, captures: &str) -> ntv::Shader {
    let store = |value: &str, mask: &str, slot: &str| {
        format!("    @store_output ({value}, %0) (base=0, range=1, wrmask={mask}, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n")
    };
    let mut body = String::new();
    for (id, slot) in [(1, 0), (2, 1)] {
        let _ = writeln!(body, "    32x4 %{id} = @load_input (%0) (base={slot}, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC{slot} slots=1)");
    }
    body += &store("%1", "xyzw", "POS");
    for output in 0..outputs {
        let (factor, id) = (((output + 1) as f32).to_bits(), 3 + 2 * output);
        let _ =
            writeln!(body, "    32 %{id} = load_const ({factor:#010x})\n    32x4 %{} = fmul %2, %{id}.xxxx", id + 1);
        body += &store(&format!("%{}", id + 1), "xyzw", &format!("VAR{output}"));
    }
    shader("VERTEX", captures, &body)
}

/// A fragment shader that adds all of them up.
fn fragment(inputs: u32) -> ntv::Shader {
    let mut body =
        "    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    32x4 %2 = vec4 %0, %0, %0, %0\n"
            .to_string();
    let mut sum = 2;
    for input in 0..inputs {
        let id = sum + 1;
        let _ = writeln!(body, "    32x4 %{id} = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR{input} slots=1)\n    32x4 %{} = fadd %{id}, %{sum}", id + 1);
        sum += 2;
    }
    let _ = writeln!(body, "    @store_output (%{sum}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)");
    shader("FRAGMENT", "", &body)
}

/// A program with this number of outputs, and its captures.
struct Full {
    outputs: u32,
    captures: &'static str,
    /// The expected captures of the vertex at a position.
    want: fn([f32; 4]) -> Vec<f32>,
}

impl Full {
    fn modules(&self, gpu: &Gpu, captures: BackEnd) -> Vec<Module> {
        let options = EmitOptions::default().offer(u64::MAX).linkable(true);
        let mut translator = Translator::new(Options::default().target(gpu.target().clone()).captures(captures));
        let stages = [vertex(self.outputs, self.captures), fragment(self.outputs)];
        stages.map(|mut shader| translator.translate(&mut shader, &options).expect("a module")).into()
    }

    /// Draws it unlinked and linked, with the back end, with the words for `key`: checks the picture and the captures.
    fn check(&self, gpu: &Gpu, back_end: BackEnd, key: &Key) {
        let modules = self.modules(gpu, back_end);
        let linked = link(&modules.iter().collect::<Vec<_>>(), Vec::new()).expect("a link").modules;
        for modules in [modules, linked] {
            let mut all = [Vec::new(), Vec::new()];
            for (module, words) in modules.iter().zip(&mut all) {
                module.instantiate(key, words).expect("a key that it takes");
            }
            self.draw(gpu, back_end, &all, key);
        }
    }

    fn draw(&self, gpu: &Gpu, back_end: BackEnd, modules: &[Vec<u32>; 2], key: &Key) {
        let want: Vec<f32> = PLACES.into_iter().flat_map(self.want).collect();
        let is_active = key.bits & Key::NO_CAPTURE == 0 && !want.is_empty();
        let state = CaptureState {
            is_active,
            topology: Topology::Triangles,
            provoking: ntv::capture::ProvokingVertex::Last,
            vertices: 3,
            instances: 1,
            primitives_most: 1,
            ..CaptureState::INACTIVE
        };
        let room = 4 * want.len().max(1);
        let mut resources = Resources::from([
            (ssbo(STATE_BINDING), words(&state.words())),
            (ssbo(BUFFER_BINDING), words(&vec![0; room / 4])),
        ]);
        let attribute = |location, bytes| Attribute { location, format: FORMAT, bytes, per_instance: false };
        let captures = [room];
        let by_device = back_end == BackEnd::Extension && is_active;
        let drawn = gpu.draw(
            &Draw {
                modules: &[&modules[0], &modules[1]],
                attributes: &[attribute(0, &floats(&PLACES.concat())), attribute(1, &floats(&VALUE.repeat(3)))],
                size: [4, 4],
                attachments: &[Attachment { format: FORMAT, clear: floats(&[0.; 4]) }],
                captures: if by_device { &captures } else { &[] },
                ..Draw::default()
            },
            &mut resources,
        );
        let as_floats = |words: Vec<u32>| words.into_iter().map(f32::from_bits).collect::<Vec<f32>>();
        let captured = match drawn.captures.first() {
            Some(bytes) => as_floats(from_bytes(bytes)),
            None => as_floats(read(&resources, ssbo(BUFFER_BINDING))),
        };
        let name = format!("{back_end:?}, {} outputs, {}, `{key}`", self.outputs, self.captures);
        match is_active {
            true => assert_eq!(captured, want, "{name}"),
            false => assert!(captured.iter().all(|float| *float == 0.), "{name}: {captured:?}"),
        }
        let pixels = as_floats(from_bytes(&drawn.attachments[0]));
        let sum = (self.outputs * (self.outputs + 1) / 2) as f32;
        let want = VALUE.map(|lane| lane * sum);
        let is_close = |(lane, want): (&f32, &f32)| (lane - want).abs() <= want * 1e-5;
        assert!(pixels.chunks(4).all(|pixel| pixel.iter().zip(&want).all(is_close)), "{name}: {pixels:?}");
    }
}

#[test]
fn captures_of_whole_variables_take_no_location() {
    let gpu = Gpu::open();
    let nothing = Full { outputs: MOST, captures: "", want: |_| vec![] };
    let whole = Full {
        outputs: MOST,
        captures: "// ntv: xfb=VAR7.xyzw:0+16/32\n// ntv: xfb=VAR30.xyzw:0+0/32\n",
        want: |_| vec![31., 62., 93., 124., 8., 16., 24., 32.],
    };
    let position = Full { outputs: MOST, captures: "// ntv: xfb=POS.xyzw:0+0/16\n", want: |place| place.to_vec() };
    let turned = Key { size: [4, 4], ..Key::new(Key::FLIP_Y | Key::GL_DEPTH) };
    let off = Key { bits: turned.bits | Key::NO_CAPTURE, ..turned };
    for back_end in [BackEnd::Extension, BackEnd::Storage] {
        for key in [Key::default(), turned, off, Key::new(Key::NO_CAPTURE)] {
            nothing.check(&gpu, back_end, &key);
            whole.check(&gpu, back_end, &key);
            // A position that is changed after the capture needs another location, or the back end for storage buffers.
            if back_end == BackEnd::Storage || key != turned {
                position.check(&gpu, back_end, &key);
            }
        }
    }
}

#[test]
fn parts_share_a_location_and_leave_it_where_nothing_is_captured() {
    let gpu = Gpu::open();
    const PARTS: &str = "// ntv: xfb=VAR3.y:0+0/16\n// ntv: xfb=VAR0.xy:0+4/16\n// ntv: xfb=POS.z:0+12/16\n";
    let keys = [0, Key::FLIP_Y, Key::NO_CAPTURE, Key::NO_CAPTURE | Key::FLIP_Y];
    for key in keys.map(|bits| Key { size: [4, 4], ..Key::new(bits) }) {
        let parts = |outputs| Full { outputs, captures: PARTS, want: |place| vec![8., 1., 2., place[2]] };
        parts(MOST - 1).check(&gpu, BackEnd::Extension, &key);
        parts(MOST).check(&gpu, BackEnd::Storage, &key);
        if key.bits & Key::NO_CAPTURE != 0 {
            parts(MOST).check(&gpu, BackEnd::Extension, &key);
        }
    }
}
