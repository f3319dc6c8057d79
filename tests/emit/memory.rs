// SPDX-License-Identifier: MIT

//! Derefs, loads, stores, atomics, barriers.

use super::*;

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
fn a_buffer_has_the_element_types_of_its_uses() {
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
    // Only the exchanged float is bitcast.
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
    assert_eq!(it.decorations().matches("Coherent").count(), 1, "the buffer, not shared memory");
    for device in [false, true] {
        let mut target = Target::default();
        target.set(Feature::vulkanMemoryModel, true);
        target.set(Feature::vulkanMemoryModelDeviceScope, device);
        let it = emitted_for(&dump, &target);
        assert!(!it.decorations().contains("Coherent"));
        let asm = it.asm();
        let (visible, available) = ("MakePointerVisible|NonPrivatePointer", "MakePointerAvailable|NonPrivatePointer");
        assert_eq!([visible, available].map(|what| asm.matches(what).count()), [1, 1], "{asm}");
        assert_eq!(it.has_capability(spirv::Capability::VulkanMemoryModelDeviceScope), device);
    }
}

#[test]
fn memory_that_is_only_read_is_not_writable() {
    let load = "    32    %0 = @load_deref (%93) (access=none)\n";
    let store = "    @store_deref (%93, %2) (wrmask=x, access=none)\n";
    for (load, store, expected) in [(load, "", [1, 0]), ("", store, [0, 1]), (load, store, [0, 0])] {
        let value = if load.is_empty() { 2 } else { 0 };
        let it = emitted(&compute(&format!(
            "    32    %2 = load_const (0x00000007)
    32    %1 = deref_array &(*%94)[1] (shared uint)
{load}              @store_deref (%1, %{value}) (wrmask=x, access=none)
{store}                // succs: b1
    block b1:"
        )));
        let counts = ["NonWritable", "NonReadable"].map(|name| it.decorations().matches(name).count());
        assert_eq!(counts, expected, "{}", it.decorations());
    }
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
fn a_barrier_that_orders_nothing_is_removed() {
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
    let arrays = arrays.replace("(ssbo uint)", "(ssbo uvec4)").replace("32    %0", "32x4  %0");
    let bare = dump.replace("none struct b", "none uvec4[] b").replace("(ssbo struct)", "(ssbo uvec4[])");
    let bare = bare.replace("    32    %91 = deref_struct &%90->base (ssbo uvec4[])\n", "").replace("*%91", "*%90");
    for (wrong, message) in
        [(arrays, "an array of this type is not supported"), (bare, "a buffer that is not a struct is not supported")]
    {
        let errors = emit(&parse(&wrong), &Target::default(), &EmitOptions::default()).expect_err("no such buffer");
        assert!(errors.to_string().ends_with(&format!(": {message}")), "{errors}");
    }
}

#[test]
fn blocks_that_vulkan_has_no_layout_for_are_refused() {
    let dump = "\
shader: MESA_SHADER_COMPUTE
// ntv: struct=light { vec3 color offset=0, float[4] power offset=16 stride=16 }
// ntv: struct=blk { uint count offset=0, light[3] lights offset=16 stride=80 }
decl_var ssbo INTERP_MODE_NONE none blk lit (0, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = deref_var &lit (ssbo blk)
    32     %1 = deref_struct &%0->lights (ssbo light[3])
    32     %2 = deref_array &(*%1)[2] (ssbo light)
    32     %3 = deref_struct &%2->power (ssbo float[4])
    32     %4 = deref_array &(*%3)[1] (ssbo float)
    32     %5 = @load_deref (%4) (access=none)
    @store_deref (%4, %5) (wrmask=x, access=none)
                // succs: b1
    block b1:
}
";
    let output =
        "    32     %6 = deref_var &result (shader_temp float)\n    @store_deref (%6, %5) (wrmask=x, access=none)\n";
    let uniform = dump.replace("ssbo", "ubo").replace("    @store_deref (%4, %5) (wrmask=x, access=none)\n", output);
    let declared = "decl_var shader_temp INTERP_MODE_NONE none float result\ndecl_function";
    let uniform = uniform.replace("decl_function", declared);
    emitted(dump);
    emitted(&uniform);
    // Storage blocks may have smaller array strides.
    emitted(&dump.replace("offset=16 stride=16", "offset=12 stride=4"));
    for (dump, from, to, message) in [
        (dump, "stride=80", "stride=64", "an array in a block whose elements overlap"),
        (dump, "stride=80", "stride=88", "an array in a block whose elements are not aligned"),
        (dump, "offset=16 stride=16", "offset=8 stride=16", "a block whose members overlap"),
        (dump, "offset=16 stride=16", "offset=18 stride=16", "a block member at this offset"),
        (dump, "color offset=0", "color offset=8", "a block member at this offset"),
        (&uniform, "offset=16 stride=16", "offset=16 stride=4", "an array in a block whose elements are not aligned"),
        (&uniform, "lights offset=16", "lights offset=8", "a block member at this offset"),
    ] {
        let shader = text::parse(&dump.replace(from, to)).expect("a shader");
        let error = emit(&shader, &Target::default(), &EmitOptions::default()).expect_err("no such block");
        assert!(error.to_string().contains(message), "{to}: {error}");
    }
}

/// Vulkan has arrays of blocks, but not arrays of these arrays.
#[test]
fn arrays_of_arrays_of_blocks_are_refused() {
    let array = "\
shader: MESA_SHADER_COMPUTE
// ntv: struct=blk { uint count offset=0 }
decl_var ssbo INTERP_MODE_NONE none blk[2] lit (0, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = deref_var &lit (ssbo blk[2])
    32     %1 = deref_array &(*%0)[1] (ssbo blk)
    32     %2 = deref_struct &%1->count (ssbo uint)
    32     %3 = @load_deref (%2) (access=none)
    @store_deref (%2, %3) (wrmask=x, access=none)
                // succs: b1
    block b1:
}
";
    emitted(array);
    let outer = "    32     %4 = deref_array &(*%0)[1] (ssbo blk[2])\n    32     %1 = deref_array &(*%4)";
    let arrays = array.replace("blk[2]", "blk[3][2]").replace("    32     %1 = deref_array &(*%0)", outer);
    let shader = text::parse(&arrays).expect("a shader");
    for linkable in [false, true] {
        let options = EmitOptions::default().linkable(linkable);
        let error = emit(&shader, &Target::default(), &options).expect_err("no such variable");
        assert!(error.to_string().contains("an array of arrays of blocks"), "{error}");
    }
}
