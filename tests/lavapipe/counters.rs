// SPDX-License-Identifier: MIT

//! The kernels of transform feedback on lavapipe, alone and before draws that use their results.

use crate::compact;
use crate::gpu::{floats, read, ssbo, translate, words, Gpu};
use crate::kernels::{self, Feedback};
use crate::stages::{fragment, shader};
use crate::support;
use ntv::capture::kernels::{emission_list as emission, EmissionParameters, Kernel};
use ntv::capture::{emission_list, BackEnd, DrawList, ProvokingVertex, Topology};
use ntv::capture::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING};
use ntv::{text, EmitOptions, Options, Target, Translator};
use ntv_driver::headless::{vk, Attachment, Attribute, Draw, Resources};

/// A runner on `gpu`. All modules are valid by `spirv-val` too.
pub(crate) fn runner(gpu: &Gpu) -> impl FnMut(Kernel, &mut Vec<Vec<u32>>) + '_ {
    let module = |kernel: Kernel| {
        let mut shader = text::parse(kernel.nir()).expect("a kernel");
        let module = translate(&mut shader, gpu.target()).expect("a module");
        support::spirv_val(&module, gpu.target()).unwrap_or_else(|problem| panic!("{kernel:?}: {problem}"));
        module
    };
    let modules = Kernel::ALL.map(module);
    move |kernel, buffers| {
        // There are no empty buffers in Vulkan.
        let whole = |buffer: &[u32]| words(if buffer.is_empty() { &[0] } else { buffer });
        let given = (0..).zip(buffers.iter()).map(|(binding, buffer)| (ssbo(binding), whole(buffer)));
        let mut resources: Resources = given.collect();
        gpu.dispatch(&modules[kernel as usize], [1, 1, 1], &mut resources);
        (0..).zip(buffers).for_each(|(binding, buffer)| *buffer = read(&resources, ssbo(binding)));
    }
}

#[test]
fn lavapipe_counts_as_the_cpu_does() {
    let gpu = Gpu::open();
    kernels::check_counters(&mut runner(&gpu));
}

#[test]
fn lavapipe_lists_as_the_cpu_does() {
    let gpu = Gpu::open();
    kernels::check_lists(&mut runner(&gpu));
}

#[test]
fn lavapipe_compacts_as_the_cpu_does() {
    let gpu = Gpu::open();
    compact::check_compact(&mut runner(&gpu));
}

/// `VAR0` is the number of the vertex, and that of the instance, which is an attribute.
const VERTEX: &str = "\
    32 %1 = @load_vertex_id
    32x4 %2 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    32x4 %3 = vec4 %1, %2.x, %0, %0
    32x4 %4 = vec4 %0, %0, %0, %0
    32 %5 = load_const (0x3f800000)
    @store_output (%5, %0) (base=2, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
    @store_output (%3, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%4, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
";

const CAPTURES: &str = "// ntv: xfb=VAR0.xy:0+0/8\n";

fn modules(target: &Target) -> Vec<Vec<u32>> {
    let options = Options::default().target(target.clone()).captures(BackEnd::Storage);
    let mut translator = Translator::new(options);
    let stages = [shader("VERTEX", CAPTURES, VERTEX), fragment()];
    stages.map(|mut shader| translator.translate(&mut shader, &EmitOptions::default()).expect("a module").words).into()
}

/// Draws `command`, which is in a buffer on the device, with the state that the device wrote, into `captured`. If the state has a
/// list, it is `list`.
fn draw(gpu: &Gpu, (command, state): ([u32; 4], &[u32]), list: &[u32], captured: &mut Vec<u32>) {
    let [vertices, instances, first_vertex, first_instance] = command;
    // The topology of the draw does not matter for captures: the picture has points.
    let format = vk::Format::R32_UINT;
    let numbers = support::bytes(&(0..first_instance + instances.max(1)).collect::<Vec<u32>>());
    let modules = modules(gpu.target());
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let draw = Draw {
        modules: &modules,
        topology: vk::PrimitiveTopology::POINT_LIST,
        vertices,
        instances,
        first: [first_vertex, first_instance],
        attributes: &[Attribute { location: 0, format, bytes: &numbers, per_instance: true }],
        size: [8, 8],
        attachments: &[Attachment { format: vk::Format::R32G32B32A32_SFLOAT, clear: floats(&[0.; 4]) }],
        ..Draw::default()
    };
    let list = words(if list.is_empty() { &[0] } else { list });
    let mut resources = Resources::from([(ssbo(STATE_BINDING), words(state)), (ssbo(LIST_BINDING), list)]);
    resources.insert(ssbo(BUFFER_BINDING), words(captured));
    gpu.draw(&draw, &mut resources);
    *captured = read(&resources, ssbo(BUFFER_BINDING));
}

/// The captures of a draw of `list`, `instances` times from `first` on.
fn all(list: &[u32], instances: u32, first: u32) -> Vec<u32> {
    (first..first + instances).flat_map(|instance| list.iter().flat_map(move |vertex| [*vertex, instance])).collect()
}

/// Draws without and with indices one after the other, one of them paused, into a buffer that is too small for the last one.
#[test]
fn draws_append_their_captures() {
    let gpu = Gpu::open();
    let run = &mut runner(&gpu);
    for topology in Topology::ALL {
        for provoking in [ProvokingVertex::Last, ProvokingVertex::First] {
            let corners = topology.vertices_per_primitive();
            let most = topology.primitives(6) * 2 + topology.primitives(5) + 4;
            let mut feedback = Feedback::new(topology, provoking, most);
            feedback.state.first_words = [3, 0, 0, 0];
            let mut captured = vec![7; (3 + 2 * corners * most + 2) as usize];
            let mut model = vec![7; 3];
            let numbers: Vec<u32> = (0..20).collect();
            for (command, is_active) in [([6, 2, 4, 1], true), ([9, 1, 0, 0], false), ([5, 1, 0, 2], true)] {
                feedback.state.is_active = is_active;
                let state = feedback.begin_draw(command, run);
                draw(&gpu, (command, &state), &[], &mut captured);
                let [vertices, instances, first_vertex, first_instance] = command;
                let drawn = &numbers[first_vertex as usize..][..vertices as usize];
                if is_active {
                    model.extend(all(&emission_list(topology, provoking, drawn, None), instances, first_instance));
                }
            }
            // The last one has indices: the device makes the list, the command and the state.
            let indices = [8, 3, 9, 99, 5, 4, 6, 2, 99, 99, 1, 0, 3];
            let parameters =
                EmissionParameters { topology, provoking, index_bytes: 4, restart: Some(99), primitives_most: 13 };
            let mut buffers = vec![vec![13, 2, 0, 100, 1], parameters.words().to_vec(), indices.to_vec()];
            buffers.extend([vec![0; 39], vec![0; 5]]);
            run(Kernel::EmissionList, &mut buffers);
            let command = &buffers[emission::COMMAND as usize];
            let command = [command[0], command[1], command[2], command[3]];
            feedback.state.topology = topology.list();
            feedback.state.list = Some(DrawList { first_word: 0, base_vertex: 100 });
            let state = feedback.begin_draw(command, run);
            draw(&gpu, (command, &state), &buffers[emission::LIST as usize], &mut captured);
            let list = emission_list(topology, provoking, &indices, Some(99));
            let list: Vec<u32> = list.into_iter().map(|index| index + 100).collect();
            model.extend(all(&list, 2, 1));
            let end = captured.len() - 2;
            assert!(model.len() > end, "{topology:?}: the buffer is never full");
            model.resize(end, 7);
            model.extend([7, 7]);
            assert_eq!(captured, model, "{topology:?}, {provoking:?}");
        }
    }
}
