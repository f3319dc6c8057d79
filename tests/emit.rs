//! What emission makes of shaders in emittable form: the shapes that matter, counted in the words, and `spirv-val` on all.

mod support;

use ntv::spirv::{emit, Emitter};
use ntv::target::Version;
use ntv::{text, EmitOptions, Feature, Shader, Target};
use rspirv::dr;
use spirv::Op;

/// A module that `spirv-val` accepts, to ask questions of.
struct Emitted {
    words: Vec<u32>,
    module: dr::Module,
}

impl Emitted {
    /// The instructions of the function.
    fn code(&self) -> impl Iterator<Item = &dr::Instruction> {
        self.module.functions.iter().flat_map(|function| function.all_inst_iter())
    }

    /// How many instructions of the function have one of these opcodes.
    fn count(&self, ops: &[Op]) -> usize {
        self.code().filter(|inst| ops.contains(&inst.class.opcode)).count()
    }

    /// Blocks that hold nothing but a branch, the first of the function aside.
    fn empty_blocks(&self) -> usize {
        let blocks = self.module.functions.iter().flat_map(|function| &function.blocks).skip(1);
        blocks.filter(|block| block.instructions.len() == 1 && block.instructions[0].class.opcode == Op::Branch).count()
    }

    /// Decorations of the module, as text.
    fn decorations(&self) -> String {
        use rspirv::binary::Disassemble as _;
        self.module.annotations.iter().map(|inst| inst.disassemble() + "\n").collect()
    }

    fn asm(&self) -> String {
        use rspirv::binary::Disassemble as _;
        self.module.disassemble()
    }

    fn has_capability(&self, capability: spirv::Capability) -> bool {
        let wanted = dr::Operand::Capability(capability);
        self.module.capabilities.iter().any(|inst| inst.operands.contains(&wanted))
    }
}

fn parse(dump: &str) -> Shader {
    let mut found = text::parse(dump);
    assert_eq!(found.len(), 1, "one shader");
    found.remove(0).shader.unwrap_or_else(|errors| panic!("{errors}\n{dump}"))
}

fn emitted_with(dump: &str, target: &Target, options: &EmitOptions<'_>) -> Emitted {
    let words = emit(&parse(dump), target, options).unwrap_or_else(|errors| panic!("{errors}\n{dump}")).words;
    let module = dr::load_words(&words).expect("a module that rspirv reads");
    let it = Emitted { words, module };
    support::spirv_val(&it.words, target.vulkan).unwrap_or_else(|problem| panic!("{problem}\n{}\n{dump}", it.asm()));
    it
}

fn emitted_for(dump: &str, target: &Target) -> Emitted {
    emitted_with(dump, target, &EmitOptions::default())
}

fn emitted(dump: &str) -> Emitted {
    emitted_for(dump, &Target::default())
}

/// The body of a fragment shader with inputs `f` (vec4), `i` (int), `u` (uint) and an output `o` (vec4).
fn fragment(body: &str) -> String {
    format!(
        "shader: MESA_SHADER_FRAGMENT
subgroup_size: 0
decl_var shader_in INTERP_MODE_SMOOTH none vec4 f (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var shader_in INTERP_MODE_FLAT none int i (VARYING_SLOT_VAR1.x, 1, 0)
decl_var shader_in INTERP_MODE_FLAT none uint u (VARYING_SLOT_VAR2.x, 2, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 0, 0)
decl_var ubo INTERP_MODE_NONE none struct block (0, 0, 0)
decl_function main () (entrypoint)

impl main {{
{body}
}}
"
    )
}

/// A compute shader with a storage block `b` of uvec4.
fn compute(body: &str) -> String {
    format!(
        "shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
subgroup_size: 0
decl_var ssbo INTERP_MODE_NONE none struct b (0, 0, 0)
decl_var shared INTERP_MODE_NONE none uint[16] s
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32    %90 = deref_var &b (ssbo struct)
    32    %91 = deref_struct &%90->base (ssbo uvec4[])
    32    %92 = deref_array &(*%91)[0] (ssbo uvec4)
    32    %93 = deref_array &(*%92)[0] (ssbo uint)
    32    %94 = deref_var &s (shared uint[16])
{body}
}}
"
    )
}

/// An unconditional last block, for bodies whose b0 goes straight to the end.
const END: &str = "                // succs: b1\n    block b1:";

#[test]
fn a_chain_of_derefs_is_one_access_chain() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &block (ubo struct)
    32    %1 = deref_struct &%0->base (ubo vec4[4])
    32    %2 = deref_array &(*%1)[3] (ubo vec4)
    32    %3 = deref_array &(*%2)[1] (ubo float)
    32    %4 = @load_deref (%3) (access=none)
    32    %5 = deref_var &o (shader_out vec4)
    32x4  %6 = vec4 %4, %4, %4, %4
              @store_deref (%5, %6) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::AccessChain]), 1);
    assert_eq!(it.count(&[Op::Load]), 1);
    assert_eq!(it.count(&[Op::Bitcast]), 0);
}

#[test]
fn equal_chains_and_constant_loads_are_made_once() {
    let load = |n: usize| {
        format!(
            "    32    %{a} = deref_var &block (ubo struct)
    32    %{b} = deref_struct &%{a}->base (ubo uvec4[4])
    32    %{c} = deref_array &(*%{b})[2] (ubo uvec4)
    32x4  %{d} = @load_deref (%{c}) (access=none)\n",
            a = n,
            b = n + 1,
            c = n + 2,
            d = n + 3
        )
    };
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
{}{}    32x4  %8 = fadd %3, %7
    32    %9 = deref_var &o (shader_out vec4)
              @store_deref (%9, %8) (wrmask=xyzw, access=none)
{END}",
        load(0),
        load(4)
    )));
    assert_eq!(it.count(&[Op::AccessChain]), 1);
    assert_eq!(it.count(&[Op::Load]), 1);
}

#[test]
fn a_buffer_is_seen_as_what_its_users_want() {
    // Element 0 is used as floats, element 1 as integers.
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &block (ubo struct)
    32    %1 = deref_struct &%0->base (ubo uvec4[2])
    32    %2 = deref_array &(*%1)[0] (ubo uvec4)
    32x4  %3 = @load_deref (%2) (access=none)
    32    %4 = deref_array &(*%1)[1] (ubo uvec4)
    32x4  %5 = @load_deref (%4) (access=none)
    32x4  %6 = i2f32 %5
    32x4  %7 = fmul %3, %6
    32    %8 = deref_var &o (shader_out vec4)
              @store_deref (%8, %7) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::Bitcast]), 0);
    let sets = it.decorations().matches("DescriptorSet").count();
    assert_eq!(sets, 2, "two variables for one binding:\n{}", it.decorations());
}

#[test]
fn a_value_is_bitcast_once_where_it_dominates() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32    %2 = iadd %1.x, %1.y
    32    %3 = ixor %1.z, %2
    32    %4 = i2f32 %3
    32x4  %5 = vec4 %4, %4, %4, %4
    32    %6 = deref_var &o (shader_out vec4)
              @store_deref (%6, %5) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::Bitcast]), 1, "{}", it.asm());
}

#[test]
fn an_if_without_else_branches_to_its_merge_block() {
    let it = emitted(&fragment(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000000)
    32    %3 = load_const (0x3f800000)
    1     %4 = ieq %1, %2
              // succs: b1 b2
    if %4 {
        block b1:  // preds: b0
        32    %5 = u2f32 %1
                  // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2
    32    %6 = phi b1: %5, b2: %3 (0x3f800000)
    32x4  %7 = vec4 %6, %6, %6, %6
    32    %8 = deref_var &o (shader_out vec4)
              @store_deref (%8, %7) (wrmask=xyzw, access=none)
              // succs: b4
    block b4:",
    ));
    assert_eq!(it.empty_blocks(), 0, "{}", it.asm());
    assert_eq!(it.count(&[Op::Label]), 3);
    assert_eq!(it.count(&[Op::Phi]), 1);
    assert_eq!(it.count(&[Op::Bitcast]), 0);
}

#[test]
fn an_if_with_two_empty_sides_and_a_phi_keeps_one() {
    let it = emitted(&fragment(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000000)
    32    %3 = load_const (0x3f800000)
    1     %4 = ieq %1, %2
              // succs: b1 b2
    if %4 {
        block b1:  // preds: b0, succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2
    32    %6 = phi b1: %2 (0x0), b2: %3 (0x3f800000)
    32x4  %7 = vec4 %6, %6, %6, %6
    32    %8 = deref_var &o (shader_out vec4)
              @store_deref (%8, %7) (wrmask=xyzw, access=none)
              // succs: b4
    block b4:",
    ));
    assert_eq!(it.count(&[Op::Label]), 3);
    assert_eq!(it.count(&[Op::Phi]), 1);
}

/// A loop that counts %6 from 0, with `body` behind the exit and the phi's second source `next` from block `from`.
fn counting_loop(body: &str, phi: &str) -> String {
    fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000000)
    32    %3 = load_const (0x00000001)
              // succs: b1
    loop {{
        block b1:  // preds: b0 b9
        32    %6 = phi b0: %2 (0x0), {phi}
        1     %7 = uge %6, %1
                  // succs: b2 b3
        if %7 {{
            block b2:  // preds: b1
            break
            // succs: b10
        }} else {{
            block b3:  // preds: b1, succs: b4
        }}
        block b4:  // preds: b3
{body}
    }}
    block b10:  // preds: b2
    32    %80 = u2f32 %6
    32x4  %81 = vec4 %80, %80, %80, %80
    32    %82 = deref_var &o (shader_out vec4)
              @store_deref (%82, %81) (wrmask=xyzw, access=none)
              // succs: b11
    block b11:"
    ))
}

#[test]
fn a_while_loop_has_a_header_and_a_body() {
    let it = emitted(&counting_loop("        32    %10 = iadd %6, %3\n                  // succs: b1", "b4: %10"));
    // The function's first block, the header, the body, what follows.
    assert_eq!(it.count(&[Op::Label]), 4, "{}", it.asm());
    assert_eq!(it.empty_blocks(), 0);
    assert_eq!(it.count(&[Op::SelectionMerge]), 0);
    assert_eq!(it.count(&[Op::Phi]), 1);
}

#[test]
fn several_continues_meet_in_one_back_edge() {
    let it = emitted(&counting_loop(
        "        1     %10 = ieq %6, %3
                  // succs: b5 b6
        if %10 {
            block b5:  // preds: b4
            32    %11 = iadd %6, %1
            continue
            // succs: b1
        } else {
            block b6:  // preds: b4, succs: b7
        }
        block b7:  // preds: b6
        32    %12 = iadd %6, %3
                  // succs: b1",
        "b5: %11, b7: %12",
    ));
    // One in the header, one in the continue target.
    assert_eq!(it.count(&[Op::Phi]), 2, "{}", it.asm());
    assert_eq!(it.count(&[Op::LoopMerge]), 1);
}

#[test]
fn a_loop_without_a_back_edge_has_one_in_spirv() {
    let it = emitted(
        &counting_loop(
            "        32    %10 = iadd %6, %3
        break
        // succs: b10",
            "b4: %10",
        )
        .replace(", b4: %10", "")
        .replace("// preds: b2\n    32    %80", "// preds: b2 b4\n    32    %80"),
    );
    assert_eq!(it.count(&[Op::LoopMerge]), 1);
}

#[test]
fn an_endless_loop_is_followed_by_unreachable() {
    let it = emitted(&fragment(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000001)
              // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32    %3 = phi b0: %1, b4: %6
        1     %4 = ult %3, %2
                  // succs: b2 b3
        if %4 {
            block b2:  // preds: b1
                      @demote ()
                      // succs: b4
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b2 b3
        32    %6 = iadd %3, %2
                  // succs: b1
    }
    block b5:  // preds:
              // succs: b6
    block b6:",
    ));
    assert_eq!(it.count(&[Op::Unreachable]), 1);
    assert_eq!(it.count(&[Op::Return]), 0);
}

#[test]
fn a_continue_construct_is_the_continue_target() {
    let it = emitted(&fragment(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000001)
    32    %3 = load_const (0x00000000)
              // succs: b1
    loop {
        block b1:  // preds: b0 b7
        32    %4 = phi b0: %3 (0x0), b7: %9
        1     %5 = uge %4, %1
                  // succs: b2 b3
        if %5 {
            block b2:  // preds: b1
            break
            // succs: b8
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        1     %6 = ieq %4, %2
                  // succs: b5 b6
        if %6 {
            block b5:  // preds: b4
            continue
            // succs: b7
        } else {
            block b6:  // preds: b4, succs: b9
        }
        block b9:  // preds: b6
        32    %7 = ishl %4, %2 (0x1)
                  // succs: b7
    } continue {
        block b7:  // preds: b5 b9
        32    %8 = phi b5: %4, b9: %7
        32    %9 = iadd %8, %2
                  // succs: b1
    }
    block b8:  // preds: b2
    32    %10 = u2f32 %4
    32x4  %11 = vec4 %10, %10, %10, %10
    32    %12 = deref_var &o (shader_out vec4)
              @store_deref (%12, %11) (wrmask=xyzw, access=none)
              // succs: b10
    block b10:",
    ));
    assert_eq!(it.count(&[Op::Phi]), 2, "{}", it.asm());
    assert_eq!(it.empty_blocks(), 0);
}

#[test]
fn discards_end_the_invocation_the_way_the_version_has() {
    let dump = fragment(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000001)
    1     %3 = ieq %1, %2
              // succs: b1 b2
    if %3 {
        block b1:  // preds: b0
                  @terminate ()
        halt
        // succs: b4
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b2
              @demote ()
              // succs: b4
    block b4:",
    );
    assert_eq!(emitted(&dump).count(&[Op::TerminateInvocation]), 1);
    let old = emitted_for(&dump, &Target::new(Version(1, 1)));
    assert_eq!(old.count(&[Op::Kill]), 1);
    assert!(old.asm().contains("SPV_EXT_demote_to_helper_invocation"));
}

#[test]
fn partial_stores_write_their_components_only() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32    %2 = deref_var &o (shader_out vec4)
              @store_deref (%2, %1) (wrmask=xz, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::Store]), 2);
    assert_eq!(it.count(&[Op::AccessChain]), 2);
    assert_eq!(it.count(&[Op::CompositeExtract]), 2);
}

#[test]
fn only_variable_shift_counts_are_masked() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000025)
    32    %3 = load_const (0x00000007)
    32    %4 = ishl %1, %2 (0x25)
    32    %5 = iand %1, %3 (0x7)
    32    %6 = ushr %4, %5
    32    %7 = ishr %6, %1
    32    %8 = u2f32 %7
    32x4  %9 = vec4 %8, %8, %8, %8
    32   %10 = deref_var &o (shader_out vec4)
              @store_deref (%10, %9) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::BitwiseAnd]), 2, "the iand itself and one mask:\n{}", it.asm());
}

#[test]
fn vectors_of_components_are_shuffles() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32x4  %2 = fneg %1
    32x4  %3 = vec4 %1.y, %2.x, %1.z, %2.w
    32x4  %4 = vec4 %3.x, %3.y, %3.z, %3.w
    32    %5 = deref_var &o (shader_out vec4)
              @store_deref (%5, %4) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::CompositeExtract, Op::CompositeConstruct]), 0);
    assert_eq!(it.count(&[Op::VectorShuffle]), 1);
}

#[test]
fn integer_inputs_of_fragment_shaders_are_flat() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &i (shader_in int)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = @load_sample_id
    32    %3 = @load_sample_mask_in
    1     %4 = @load_front_face
    32    %6 = iadd %1, %2
    32    %7 = iadd %6, %3
    32    %8 = b2f32 %4
    32    %9 = i2f32 %7
    32x4 %10 = vec4 %8, %9, %8, %9
    32   %11 = deref_var &o (shader_out vec4)
              @store_deref (%11, %10) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.decorations().matches("Flat").count(), 3, "{}", it.decorations());
    assert_eq!(it.count(&[Op::Bitcast]), 0);
    assert!(it.has_capability(spirv::Capability::SampleRateShading));
}

#[test]
fn depth_and_sample_mask_outputs() {
    let it = emitted(
        "shader: MESA_SHADER_FRAGMENT
subgroup_size: 0
depth_layout: 2
decl_var shader_out INTERP_MODE_NONE none float d (FRAG_RESULT_DEPTH.x, 0, 0)
decl_var shader_out INTERP_MODE_NONE none int m (FRAG_RESULT_SAMPLE_MASK.x, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x3f000000)
    32    %1 = load_const (0x00000003)
    32    %2 = deref_var &d (shader_out float)
              @store_deref (%2, %0) (wrmask=x, access=none)
    32    %3 = deref_var &m (shader_out int)
              @store_deref (%3, %1) (wrmask=x, access=none)
              // succs: b1
    block b1:
}
",
    );
    let asm = it.asm();
    assert!(asm.contains("DepthReplacing") && asm.contains("DepthGreater"), "{asm}");
    assert_eq!(it.count(&[Op::AccessChain]), 1, "the mask is an array");
}

#[test]
fn atomics_use_the_view_that_they_need() {
    let dump = compute(
        "    32    %0 = load_const (0x3f800000)
    32    %1 = @deref_atomic (%93, %0 (0x3f800000)) (access=none, atomic_op=fadd)
    32    %2 = @deref_atomic (%93, %1) (access=none, atomic_op=umax)
    32    %3 = deref_array &(*%94)[1] (shared uint)
    32    %4 = @deref_atomic_swap (%3, %0 (0x3f800000), %2) (access=none, atomic_op=cmpxchg)
                // succs: b1
    block b1:",
    );
    let it = emitted(&dump);
    assert!(it.has_capability(spirv::Capability::AtomicFloat32AddEXT));
    assert_eq!(it.decorations().matches("Aliased").count(), 2, "{}", it.decorations());
    // Only the exchanged float is cast.
    assert_eq!(it.count(&[Op::Bitcast]), 1);
    assert!(it.asm().contains("SPV_EXT_shader_atomic_float_add"));
}

#[test]
fn shared_memory_is_of_floats_if_that_saves_bitcasts() {
    let it = emitted(&compute(
        "    32    %0 = deref_array &(*%94)[1] (shared uint)
    32    %1 = load_const (0x3f800000)
              @store_deref (%0, %1 (0x3f800000)) (wrmask=x, access=none)
    32    %2 = @load_deref (%0) (access=none)
    32    %3 = fadd %2, %2
              @store_deref (%0, %3) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    ));
    assert_eq!(it.count(&[Op::Bitcast]), 0, "{}", it.asm());
}

#[test]
fn coherent_memory_with_and_without_the_vulkan_memory_model() {
    let dump = compute(
        "    32    %0 = @load_deref (%93) (access=coherent)
    32    %1 = iadd %0, %0
              @store_deref (%93, %1) (wrmask=x, access=coherent)
              @barrier (execution_scope=WORKGROUP, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=ssbo|shared)
    32    %2 = deref_array &(*%94)[1] (shared uint)
              @store_deref (%2, %1) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    );
    let it = emitted(&dump);
    assert!(it.decorations().contains("Coherent"));
    for device in [false, true] {
        let mut target = Target::default();
        target.set(Feature::vulkanMemoryModel, true);
        target.set(Feature::vulkanMemoryModelDeviceScope, device);
        let it = emitted_for(&dump, &target);
        assert!(!it.decorations().contains("Coherent"));
        let asm = it.asm();
        assert!(asm.contains("MakePointerVisible|NonPrivatePointer") || asm.contains("MAKE_POINTER_VISIBLE"), "{asm}");
    }
}

#[test]
fn what_is_only_read_is_not_writable() {
    let it = emitted(&compute(
        "    32    %0 = @load_deref (%93) (access=none)
    32    %1 = deref_array &(*%94)[1] (shared uint)
              @store_deref (%1, %0) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    ));
    assert!(it.decorations().contains("NonWritable"));
}

#[test]
fn subgroup_operations_of_both_generations() {
    let dump = compute(
        "    32    %0 = @load_subgroup_invocation
    32    %1 = load_const (0x00000001)
    1     %2 = ieq %0, %1
    32    %3 = @ballot (%2)
    1     %4 = @vote_any (%2)
    32    %5 = @read_first_invocation (%3)
    32    %6 = @read_invocation (%5, %1)
    32    %7 = b2i32 %4
    32    %8 = iadd %6, %7
              @store_deref (%93, %8) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    );
    for version in [Version(1, 0), Version(1, 1), Version(1, 3)] {
        let it = emitted_for(&dump, &Target::new(version));
        assert_eq!(it.asm().contains("SPV_KHR_shader_ballot"), version == Version(1, 0));
    }
}

#[test]
fn reductions_and_quads() {
    emitted(&compute(
        "    32    %0 = @load_subgroup_invocation
    32    %1 = @reduce (%0) (reduction_op=iadd, cluster_size=0)
    32    %2 = @inclusive_scan (%1) (reduction_op=umax)
    32    %3 = u2f32 %2
    32    %4 = @exclusive_scan (%3) (reduction_op=fadd)
    32    %5 = @quad_swap_horizontal (%4)
    32    %6 = @shuffle_xor (%5, %0)
    32    %7 = @reduce (%6) (reduction_op=fmin, cluster_size=4)
    1     %8 = @elect
    1     %9 = @vote_feq (%7)
    1    %10 = iand %8, %9
    32   %11 = b2f32 %10
    32   %12 = fadd %11, %7
              @store_deref (%93, %12) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    ));
}

#[test]
fn block_indices_that_differ_between_invocations() {
    let dump = "shader: MESA_SHADER_FRAGMENT
subgroup_size: 0
decl_var shader_in INTERP_MODE_FLAT none uint u (VARYING_SLOT_VAR2.x, 2, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 0, 0)
decl_var ubo INTERP_MODE_NONE none struct[4] blocks (0, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = deref_var &blocks (ubo struct[4])
    32    %3 = deref_array &(*%2)[%1] (ubo struct)
    32    %4 = deref_struct &%3->base (ubo vec4[4])
    32    %5 = deref_array &(*%4)[3] (ubo vec4)
    32x4  %6 = @load_deref (%5) (access=non-uniform)
    32    %7 = deref_var &o (shader_out vec4)
              @store_deref (%7, %6) (wrmask=xyzw, access=none)
              // succs: b1
    block b1:
}
";
    for version in [Version(1, 1), Version(1, 2), Version(1, 3)] {
        let it = emitted_for(dump, &Target::new(version));
        assert!(it.has_capability(spirv::Capability::UniformBufferArrayNonUniformIndexing));
        assert_eq!(it.decorations().matches("NonUniform").count(), 3, "index, chain and load:\n{}", it.decorations());
    }
    let it = emitted(&dump.replace("non-uniform", "none"));
    assert!(it.has_capability(spirv::Capability::UniformBufferArrayDynamicIndexing));
}

#[test]
fn a_workgroup_size_that_the_pipeline_gives() {
    let dump = compute(
        "    32x3  %0 = @load_workgroup_size
    32    %1 = mov %0.y
              @store_deref (%93, %1) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    )
    .replace("workgroup_size: 8, 1, 1", "workgroup_size: 0, 0, 0");
    for version in [Version(1, 0), Version(1, 3)] {
        let it = emitted_for(&dump, &Target::new(version));
        assert_eq!(it.decorations().matches("SpecId").count(), 3);
    }
}

#[test]
fn names_and_lines_on_request() {
    let dump = fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32    %2 = deref_var &o (shader_out vec4)
              @store_deref (%2, %1) (wrmask=xyzw, access=none)
{END}"
    ));
    assert!(!emitted(&dump).asm().contains("OpName"));
    let names = EmitOptions { names: true, lines: None };
    assert!(emitted_with(&dump, &Target::default(), &names).asm().contains("OpName"));
    // More text than one instruction holds, with a character across the seam.
    let long = "é".repeat(200_000);
    let lines = EmitOptions { names: false, lines: Some(("shader.nir", &long)) };
    let it = emitted_with(&dump, &Target::default(), &lines);
    assert_eq!(it.count(&[Op::Line]), 2);
    let text: String = it
        .module
        .debug_string_source
        .iter()
        .flat_map(|inst| &inst.operands)
        .filter_map(|operand| match operand {
            dr::Operand::LiteralString(text) if text != "shader.nir" => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(text, long);
}

#[test]
fn an_emitter_forgets_the_last_shader() {
    let first = parse(&counting_loop("        32    %10 = iadd %6, %3\n                  // succs: b1", "b4: %10"));
    let second = parse(&compute(
        "    32    %0 = @load_deref (%93) (access=coherent)
              @store_deref (%93, %0) (wrmask=x, access=coherent)
                // succs: b1
    block b1:",
    ));
    let (target, options) = (Target::default(), EmitOptions::default());
    let mut emitter = Emitter::default();
    for shader in [&first, &second, &first, &second] {
        let again = emitter.emit(shader, &target, &options).expect("it emits");
        assert_eq!(again, emit(shader, &target, &options).expect("it emits"));
    }
}

#[test]
fn what_cannot_be_emitted_is_an_error_with_a_line() {
    let dump = fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32x4  %2 = fsat %1
    32    %3 = deref_var &o (shader_out vec4)
              @store_deref (%3, %2) (wrmask=xyzw, access=none)
{END}"
    ));
    let errors = emit(&parse(&dump), &Target::default(), &EmitOptions::default()).expect_err("fsat is lowered before");
    let line = dump.lines().position(|line| line.contains("fsat")).expect("a line") as u32 + 1;
    assert_eq!(errors.0[0].place.line, line);
}

#[test]
fn outputs_that_overlap_are_refused() {
    let dump = "shader: MESA_SHADER_VERTEX
subgroup_size: 0
decl_var shader_out INTERP_MODE_SMOOTH none vec3 a (VARYING_SLOT_VAR0.xyz, 4, 0)
decl_var shader_out INTERP_MODE_SMOOTH none float b (VARYING_SLOT_VAR0.w, 4, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32x3  %1 = load_const (0x00000000, 0x00000000, 0x00000000)
    32    %2 = deref_var &a (shader_out vec3)
              @store_deref (%2, %1) (wrmask=xyz, access=none)
    32    %3 = deref_var &b (shader_out float)
              @store_deref (%3, %0) (wrmask=x, access=none)
              // succs: b1
    block b1:
}
";
    emitted(dump);
    for (from, to) in [("VAR0.w", "VAR0.z"), ("VAR0.xyz", "VAR0.yzw")] {
        let shader = parse(&dump.replace(from, to));
        let errors = emit(&shader, &Target::default(), &EmitOptions::default()).expect_err("they overlap");
        assert!(errors.to_string().contains("location 4"), "{errors}");
    }
}

#[test]
fn a_barrier_that_orders_nothing_is_nothing() {
    let dump = compute(
        "              @barrier (execution_scope=NONE, memory_scope=DEVICE, mem_semantics=ACQ|REL, mem_modes=shader_out)
              @barrier (execution_scope=WORKGROUP, memory_scope=NONE, mem_semantics=NONE, mem_modes=)
              @barrier (execution_scope=NONE, memory_scope=WORKGROUP, mem_semantics=REL, mem_modes=shared)
                // succs: b1
    block b1:",
    );
    let it = emitted(&dump);
    assert_eq!(it.count(&[Op::MemoryBarrier, Op::ControlBarrier]), 2, "{}", it.asm());
    let mut target = Target::default();
    target.set(Feature::vulkanMemoryModel, true);
    assert_eq!(emitted_for(&dump, &target).count(&[Op::MemoryBarrier, Op::ControlBarrier]), 3);
}

#[test]
fn buffers_that_spirv_cannot_have_are_refused() {
    let dump = compute(
        "    32    %0 = @load_deref (%93) (access=none)
              @store_deref (%93, %0) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    );
    emitted(&dump);
    let arrays = dump.replace("ssbo uvec4[])", "ssbo uvec4[][])").replace("(ssbo uvec4)", "(ssbo uvec4[])");
    for wrong in [arrays, dump.replace("ssbo INTERP_MODE_NONE none struct", "ssbo INTERP_MODE_NONE none uint[]")] {
        for found in text::parse(&wrong) {
            let Ok(shader) = found.shader else { continue };
            emit(&shader, &Target::default(), &EmitOptions::default()).expect_err("no such buffer");
        }
    }
}

#[test]
fn vectors_of_more_than_four_components_are_refused() {
    let shader = parse(&compute(
        "    32x8  %0 = load_const (0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)
    32x8  %1 = iadd %0, %0
                // succs: b1
    block b1:",
    ));
    emit(&shader, &Target::default(), &EmitOptions::default()).expect_err("no such vector");
}
