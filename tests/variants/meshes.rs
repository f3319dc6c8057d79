// SPDX-License-Identifier: MIT

//! Links of task, mesh and fragment shaders: outputs of vertices and of primitives are arrays.

use super::programs::{fragment, linked, locations};
use super::stages::shader;
use ntv::link::link;
use ntv::module::ShaderStage;
use ntv::Module;

const HEADER: &str = "workgroup_size: 4, 1, 1\ntask_payload_size: 16\n";

fn task() -> ntv::Shader {
    let body = "    32x3 %1 = load_const (0x00000001, 0x00000001, 0x00000001)\n    @store_task_payload (%0, %0) (base=0, wrmask=x, align_mul=4, align_offset=0)\n    @launch_mesh_workgroups (%1) (base=0, range=16)\n";
    shader("TASK", HEADER, body)
}

/// A mesh shader that stores a vec4 in slots of vertices, and its first components in slots of primitives.
fn mesh(of_vertices: &[&str], of_primitives: &[&str]) -> ntv::Shader {
    let header = format!("{HEADER}max_vertices_out: 8\nmax_primitives_out: 2\nprimitive_type: TRIANGLES\n");
    let mut body = "    32 %1 = @load_local_invocation_index\n    32x4 %2 = @load_task_payload (%0) (base=0, align_mul=16, align_offset=0)\n    32 %3 = mov %2.x\n".to_string();
    for slot in of_vertices {
        body += &format!("    @store_per_vertex_output (%2, %1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n");
    }
    for slot in of_primitives {
        body += &format!("    @store_per_primitive_output (%3, %1, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n");
    }
    shader("MESH", &header, &body)
}

/// A fragment shader that adds all components of a slot of the primitive.
fn of_primitive(slot: &str) -> ntv::Shader {
    let body = format!("    32x4 %1 = @load_per_primitive_input (%0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n");
    shader("FRAGMENT", "", &body)
}

fn decorations(module: &Module, decoration: spirv::Decoration) -> usize {
    let is_it = |inst: &&[u32]| inst[0] & 0xffff == spirv::Op::Decorate as u32 && inst[2] == decoration as u32;
    module.words.windows(3).filter(is_it).count()
}

#[test]
fn unread_outputs_of_meshes_are_removed() {
    let stages = [task(), mesh(&["POS", "VAR0", "VAR3"], &["VAR4", "VAR5"]), fragment(&["VAR3"])];
    let linked = linked(stages);
    assert_eq!((linked.removed_outputs, linked.removed_inputs), (3, 0));
    assert_eq!(locations(&linked.modules[1], true), [0]);
    assert_eq!(locations(&linked.modules[2], false), [0]);
}

#[test]
fn missing_components_of_primitives_are_declared() {
    let linked = linked([mesh(&["POS"], &["VAR1"]), of_primitive("VAR1")]);
    // The input has four components, of which the mesh shader writes one.
    assert_eq!(decorations(&linked.modules[0], spirv::Decoration::PerPrimitiveNV), 4);
    assert_eq!(locations(&linked.modules[0], true), [0; 4]);
}

#[test]
fn meshes_are_in_the_order_of_their_pipeline() {
    let modules = [task(), mesh(&["POS"], &[]), fragment(&[])].map(super::programs::emit);
    assert_eq!(
        modules.each_ref().map(|module| module.stage),
        [ShaderStage::Task, ShaderStage::Mesh, ShaderStage::Fragment]
    );
    for order in [&[0, 1, 2][..], &[1, 2], &[0, 1], &[0], &[1]] {
        let stages: Vec<&Module> = order.iter().map(|number| &modules[*number]).collect();
        link(&stages, Vec::new()).expect("a pipeline");
    }
    for order in [[0, 2], [1, 0], [2, 1]] {
        let error = link(&order.map(|number| &modules[number]), Vec::new()).expect_err("no pipeline");
        assert!(error.to_string().contains("no pipeline has a"), "{error}");
    }
}
