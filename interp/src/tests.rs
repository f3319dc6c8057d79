// SPDX-License-Identifier: MIT

use super::*;
use ntv::op::names::ImageDim;
use ntv::op::Intrinsic;
use std::collections::BTreeMap;

/// A compute shader of `lanes` invocations with the body `body`, which starts with block b0.
fn compute(lanes: u32, body: &str) -> Shader {
    parse(&format!(
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: {lanes}, 1, 1\nshared_size: 64\nnum_ssbos: 1\n\
         decl_function main () (entrypoint)\n\nimpl main {{\n{body}\n}}\n"
    ))
}

fn parse(text: &str) -> Shader {
    let shader = ntv::text::parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    ntv::check::validate(&shader).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    shader
}

/// Runs a shader. Returns the words of storage block 0, which has 64 bytes, and the faults.
fn run_words(shader: &Shader) -> (Vec<u32>, Vec<FaultKind>) {
    let mut resources = Resources { storage: vec![Buffer::zeroed(64)], ..Resources::default() };
    let outcome = run(shader, &mut resources, &Inputs::default(), Limits::default());
    let words =
        resources.storage[0].bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    (words.collect(), outcome.faults.iter().map(|fault| fault.kind).collect())
}

/// The value that each of `lanes` invocations stores: `value`, which `body` computes. `%i` is the number of the invocation.
fn stored(lanes: u32, body: &str, value: &str) -> (Vec<u32>, Vec<FaultKind>) {
    let shader = compute(
        lanes,
        &format!(
            "    block b0:  // preds:\n    32     %0 = load_const (0x00000000)\n    32     %1 = load_const (0x00000001)\n    \
             32     %2 = load_const (0x00000002)\n    32     %3 = @load_local_invocation_index\n    \
             32     %4 = ishl %3, %2\n{body}\n    \
             @store_ssbo ({value}, %0, %4) (wrmask=x, access=none, align_mul=4, align_offset=0)\n    // succs: bz\n    block bz:"
        )
        .replace("bz", "b99"),
    );
    let (words, faults) = run_words(&shader);
    (words[..lanes as usize].to_vec(), faults)
}

#[test]
fn phis_are_read_before_any_is_written() {
    // Swaps two numbers in a loop, as many times as the number of the invocation.
    let body = "    32     %5 = load_const (0x00000011)
    32     %6 = load_const (0x00000022)
                // succs: b1
    loop {
        block b1:   // preds: b0 b4
        32     %7 = phi b0: %5, b4: %8
        32     %8 = phi b0: %6, b4: %7
        32     %9 = phi b0: %0, b4: %11
        1     %10 = uge %9, %3
                    // succs: b2 b3
        if %10 {
            block b2:   // preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:   // preds: b3
        32    %11 = iadd %9, %1
                    // succs: b1
    }
    block b5:   // preds: b2";
    assert_eq!(stored(4, body, "%7"), (vec![0x11, 0x22, 0x11, 0x22], vec![]));
}

#[test]
fn invocations_reconverge_after_a_loop_and_a_continue() {
    // Odd invocations continue early in each iteration; the vote after the continue still has all four.
    let body = "    1      %5 = ine %3, %2
                // succs: b1
    loop {
        block b1:   // preds: b0 b2 b7
        32     %6 = phi b0: %0, b2: %7, b7: %7
        32     %7 = iadd %6, %1
        32     %8 = iand %3, %1
        1      %9 = ieq %8, %1
        1     %10 = ult %6, %2
        1     %11 = iand %9, %10
                    // succs: b2 b3
        if %11 {
            block b2:   // preds: b1
            continue
            // succs: b1
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:   // preds: b3
        1     %12 = uge %6, %3
                    // succs: b5 b6
        if %12 {
            block b5:   // preds: b4
            break
            // succs: b8
        } else {
            block b6:  // preds: b4, succs: b7
        }
        block b7:  // preds: b6, succs: b1
    }
    block b8:   // preds: b5
    32x4  %13 = @ballot (%5)
    32    %14 = mov %13.x";
    assert_eq!(stored(4, body, "%14"), (vec![0b1011; 4], vec![]));
}

#[test]
fn undefined_bits_are_tracked() {
    let undefined = "    32     %5 = undefined\n    32     %6 = load_const (0x0000ff00)\n";
    let ok = |body: &str, value| stored(1, &format!("{undefined}{body}"), value);
    assert_eq!(ok("    32     %7 = iand %5, %0", "%7"), (vec![0], vec![]));
    assert_eq!(ok("    32     %7 = imul %5, %0", "%7"), (vec![0], vec![FaultKind::UndefinedOutput]));
    assert_eq!(ok("    32     %7 = ior %5, %6\n    32     %8 = iand %7, %6", "%8"), (vec![0xff00], vec![]));
    assert_eq!(ok("    32x2   %7 = vec2 %5, %1\n    32     %8 = mov %7.y", "%8"), (vec![1], vec![]));
    let selected = "    1      %7 = ult %0, %1\n    32     %8 = bcsel %7, %1, %5";
    assert_eq!(ok(selected, "%8"), (vec![1], vec![]));
    let same = "    1      %7 = undefined\n    32     %8 = bcsel %7, %6, %6";
    assert_eq!(ok(same, "%8"), (vec![0xff00], vec![]));
    assert_eq!(ok("    32     %7 = udiv %1, %0", "%7").1, [FaultKind::UndefinedOutput]);
}

#[test]
fn vulkan_leaves_open_whether_ldexp_flushes() {
    let stored = |value: f32, exponent: i32| {
        let (value, exponent) = (value.to_bits(), exponent as u32);
        let shader = compute(
            1,
            &format!(
                "    block b0:  // preds:\n    32     %0 = load_const (0x00000000)\n    \
                 32     %1 = load_const (0x{value:08x})\n    32     %2 = load_const (0x{exponent:08x})\n    \
                 32     %3 = ldexp! %1, %2\n    \
                 @store_ssbo (%3, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\n    \
                 // succs: b1\n    block b1:"
            ),
        );
        let inputs = Inputs { floats: Floats::Vulkan, ..Inputs::default() };
        let mut resources = Resources { storage: vec![Buffer::zeroed(4)], ..Resources::default() };
        run(&shader, &mut resources, &inputs, Limits::default())
            .faults
            .iter()
            .map(|fault| fault.kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(stored(1.0, -140), [FaultKind::UndefinedOutput]);
    assert_eq!(stored(1.0, -20), []);
    assert_eq!(stored(0.0, -140), []);
}

/// 5 / 0 is undefined, so the run continues with some number: the greatest.
const OPEN: &str = "    32     %5 = load_const (0x00000005)
    32     %6 = udiv %5, %0
    32     %7 = load_const (0x0000003c)
    32     %8 = iand %6, %7\n";

#[test]
fn a_load_at_an_undefined_offset_is_undefined() {
    use FaultKind::{UncertainAddress, UndefinedOutput};
    let load = |rest: &str, value: &str| {
        let load = "    32     %9 = @load_ssbo (%0, %8) (access=none, align_mul=4, align_offset=0)\n";
        stored(1, &format!("{OPEN}{load}{rest}"), value)
    };
    assert_eq!(load("", "%9"), (vec![0], vec![UncertainAddress, UndefinedOutput]));
    assert_eq!(load("    32    %10 = iand %9, %0", "%10"), (vec![0], vec![UncertainAddress]));
    let outside = "    32     %9 = @load_ssbo (%0, %6) (access=none, align_mul=1, align_offset=0)";
    assert_eq!(stored(1, &format!("{OPEN}{outside}"), "%0").1, [UncertainAddress, FaultKind::OutOfBounds]);
}

#[test]
fn a_store_at_an_undefined_offset_may_have_changed_all_of_the_memory() {
    let store = "    @store_shared (%1, %0) (base=0, wrmask=x, align_mul=4, align_offset=0)
    @store_shared (%2, %8) (base=0, wrmask=x, align_mul=4, align_offset=0)
    32     %9 = @load_shared (%0) (base=0, align_mul=4, align_offset=0)\n";
    let (words, faults) = stored(1, &format!("{OPEN}{store}"), "%9");
    assert_eq!((words, faults), (vec![1], vec![FaultKind::UncertainAddress, FaultKind::UndefinedOutput]));
}

#[test]
fn an_undefined_element_of_an_array_is_some_element() {
    let array = "    32     %9 = deref_var &a (function_temp uint[4])
    32    %10 = deref_array &(*%9)[0] (function_temp uint)  // &a[0]
    @store_deref (%10, %2) (wrmask=x, access=none)
    32    %11 = load_const (0x00000003)
    32    %12 = iand %6, %11
    32    %13 = deref_array &(*%9)[%12] (function_temp uint)  // &a[%12]\n";
    let run = |rest: &str, value: &str| {
        let shader = compute(1, &format!("    decl_var  INTERP_MODE_NONE uint[4] a\n    block b0:  // preds:\n    32     %0 = load_const (0x00000000)\n    32     %1 = load_const (0x00000001)\n    32     %2 = load_const (0x00000002)\n{OPEN}{array}{rest}\n    @store_ssbo ({value}, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\n    // succs: b1\n    block b1:"));
        run_words(&shader)
    };
    let (words, faults) = run(
        "    @store_deref (%13, %1) (wrmask=x, access=none)\n    32    %15 = @load_deref (%10) (access=none)",
        "%15",
    );
    assert_eq!((words[0], faults), (2, vec![FaultKind::UncertainAddress, FaultKind::UndefinedOutput]));
    let (words, faults) = run("    32    %15 = @load_deref (%13) (access=none)\n    32    %16 = iand %15, %0", "%16");
    assert_eq!((words[0], faults), (0, vec![FaultKind::UncertainAddress]));
}

#[test]
fn memory_keeps_undefined_bits() {
    let body = "    32     %5 = undefined
    8      %6 = u2u8 %1
    @store_scratch (%5, %0) (align_mul=4, align_offset=0, wrmask=x)
    @store_scratch (%6, %1) (align_mul=1, align_offset=0, wrmask=x)
    8x4    %7 = @load_scratch (%0) (align_mul=4, align_offset=0)
    32     %8 = u2u32 %7.y";
    let mut shader = compute(1, &format!("    block b0:  // preds:\n    32     %0 = load_const (0x00000000)\n    32     %1 = load_const (0x00000001)\n{body}\n    @store_ssbo (%8, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\n    // succs: b1\n    block b1:"));
    shader.info.scratch = 16;
    let (words, faults) = run_words(&shader);
    assert_eq!((words[0], faults), (1, vec![]));
}

#[test]
fn undefined_behaviour_is_reported() {
    let load = |offset: &str| {
        let body = format!("    32     %5 = load_const ({offset})\n    32     %6 = @load_ssbo (%0, %5) (access=none, align_mul=4, align_offset=0)\n    32     %7 = iand %6, %0");
        stored(1, &body, "%7").1
    };
    assert_eq!(load("0x0000003c"), []);
    assert_eq!(load("0x00000040"), [FaultKind::OutOfBounds]);
    assert_eq!(load("0xfffffffc"), [FaultKind::OutOfBounds]);
    assert_eq!(load("0x00000002"), [FaultKind::Misaligned]);
    let no_block =
        "    32     %6 = @load_ubo (%1, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)";
    assert_eq!(stored(1, no_block, "%0").1, [FaultKind::OutOfBounds]);
    let index =
        "    32     %5 = undefined\n    32     %6 = @load_ssbo (%0, %5) (access=none, align_mul=4, align_offset=0)";
    assert_eq!(stored(1, index, "%0").1, [FaultKind::UncertainAddress]);
    let missing = quad("    32     %5 = @load_primitive_id", "%2").1.faults;
    assert_eq!(
        missing.iter().map(|fault| (fault.kind, fault.line)).collect::<Vec<_>>(),
        [(FaultKind::MissingInput, 9)]
    );
}

#[test]
fn a_barrier_needs_all_invocations() {
    let barrier =
        "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)";
    let rotate = format!(
        "    @store_shared (%3, %4) (base=0, wrmask=x, align_mul=4, align_offset=0)
    {barrier}
    32     %5 = load_const (0x0000000c)
    32     %6 = iadd %4, %5
    32     %7 = iand %6, %5
    32     %8 = @load_shared (%7) (base=0, align_mul=4, align_offset=0)"
    );
    assert_eq!(stored(4, &rotate, "%8"), (vec![3, 0, 1, 2], vec![]));
    let divergent = format!(
        "    1      %5 = ieq %3, %0
                // succs: b1 b2
    if %5 {{
        block b1:   // preds: b0
        {barrier}
        // succs: b3
    }} else {{
        block b2:  // preds: b0, succs: b3
    }}
    block b3:   // preds: b1 b2"
    );
    assert_eq!(stored(4, &divergent, "%0").1, [FaultKind::DivergentBarrier]);
}

#[test]
fn atomics_take_turns() {
    let body = "    32     %5 = load_const (0x00000020)
    32     %6 = @ssbo_atomic (%0, %5, %2) (access=none, atomic_op=iadd)";
    assert_eq!(stored(4, body, "%6"), (vec![0, 2, 4, 6], vec![]));
    let body = "    32     %5 = load_const (0x00000020)
    32     %6 = @ssbo_atomic_swap (%0, %5, %3, %2) (access=none, atomic_op=cmpxchg)";
    assert_eq!(stored(4, body, "%6"), (vec![0, 2, 2, 2], vec![]));
}

#[test]
fn an_endless_loop_uses_up_the_budget() {
    let body = "                // succs: b1
    loop {
        block b1:  // preds: b0 b1, succs: b1
    }
    block b2:  // preds:";
    assert_eq!(stored(2, body, "%0").1, [FaultKind::Budget]);
}

#[test]
fn subgroups_are_runs_of_invocations() {
    for (op, expected) in [
        ("32     %5 = @reduce (%3) (reduction_op=iadd, cluster_size=0)", vec![6, 6, 6, 6, 22, 22, 22, 22]),
        ("32     %5 = @exclusive_scan (%3) (reduction_op=iadd)", vec![0, 0, 1, 3, 0, 4, 9, 15]),
        ("32     %5 = @inclusive_scan (%3) (reduction_op=umax)", vec![0, 1, 2, 3, 4, 5, 6, 7]),
        ("32     %5 = @shuffle_xor (%3, %1)", vec![1, 0, 3, 2, 5, 4, 7, 6]),
        ("32     %5 = @read_first_invocation (%3)", vec![0, 0, 0, 0, 4, 4, 4, 4]),
        ("32     %5 = @quad_swap_diagonal (%3)", vec![3, 2, 1, 0, 7, 6, 5, 4]),
        ("32     %5 = @load_subgroup_id", vec![0, 0, 0, 0, 1, 1, 1, 1]),
    ] {
        assert_eq!(stored(8, &format!("    {op}"), "%5"), (expected, vec![]), "{op}");
    }
}

#[test]
fn local_arrays_are_in_private_memory() {
    let text = "shader: MESA_SHADER_COMPUTE
workgroup_size: 3, 1, 1
num_ssbos: 1
decl_function main () (entrypoint)

impl main {
    decl_var INTERP_MODE_NONE none vec4[3] a
    decl_var INTERP_MODE_NONE none uint[2] b
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000002)
    32     %2 = @load_local_invocation_index
    32x4   %3 = vec4 %2, %1, %2, %2
    32     %4 = deref_var &a (function_temp vec4[3])
    32     %5 = deref_array &(*%4)[%2] (function_temp vec4)
    @store_deref (%5, %3) (wrmask=xyzw, access=none)
    32     %6 = deref_array &(*%5)[1] (function_temp float)
    32     %7 = @load_deref (%6) (access=none)
    32     %8 = deref_var &b (function_temp uint[2])
    32     %9 = deref_array &(*%8)[%2] (function_temp uint)
    @store_deref (%9, %1) (wrmask=x, access=none)
    32    %10 = ishl %2, %1
    @store_ssbo (%7, %0, %10) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
";
    let (words, faults) = run_words(&parse(text));
    assert_eq!(words[..3], [2, 2, 2]);
    // The third invocation writes beyond the end of `b`.
    assert_eq!(faults, [FaultKind::OutOfBounds]);
}

/// Runs a fragment shader of one quad whose input is a plane. Returns the values that it writes to the first colour.
fn quad(body: &str, value: &str) -> (Vec<f32>, Outcome) {
    let shader = parse(&format!(
        "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    \
         32     %0 = load_const (0x00000000)\n    32x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
         32     %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n\
         {body}\n    @store_output ({value}, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, \
         io location=FRAG_RESULT_DATA0 slots=1)\n    // succs: b99\n    block b99:\n}}\n"
    ));
    let invocation = |number: u8| {
        let height = 10.0 + 1.0 * f32::from(number % 2) + 8.0 * f32::from(number / 2);
        let slots = BTreeMap::from([(Slot::new(32), [height.to_bits(), 0, 0, 0])]);
        let system = BTreeMap::from([(Intrinsic::load_sample_id, vec![1])]);
        Invocation { slots, system, ..Invocation::default() }
    };
    let inputs = Inputs { invocations: (0..4).map(invocation).collect(), ..Inputs::default() };
    let outcome = run(&shader, &mut Resources::default(), &inputs, Limits::default());
    let colour =
        |outputs: &Outputs| outputs.get(&Slot::new(4)).map_or(f32::NAN, |words| f32::from_bits(words[0].value as u32));
    (outcome.outputs.iter().map(colour).collect(), outcome)
}

#[test]
fn quads_have_derivatives_and_interpolate() {
    assert_eq!(quad("    32     %3 = @ddx (%2)", "%3").0, [1.0; 4]);
    assert_eq!(quad("    32     %3 = @ddy_fine (%2)", "%3").0, [8.0; 4]);
    let at = |barycentric: &str, value: &str| {
        let load = "(base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)";
        quad(&format!("    {barycentric}\n    32     %9 = @load_interpolated_input (%8, %0) {load}"), value).0
    };
    let offset = "32x2   %7 = load_const (0x3f000000, 0x00000000)\n    32x2   %8 = @load_barycentric_at_offset (%7) (interp_mode=INTERP_MODE_SMOOTH)";
    assert_eq!(at(offset, "%9"), [10.5, 11.5, 18.5, 19.5]);
    let sample = "32x2   %8 = @load_barycentric_sample (interp_mode=INTERP_MODE_SMOOTH)";
    assert_eq!(at(sample, "%9")[0], 10.0 + 0.375 - 8.0 * 0.125);
}

#[test]
fn discarded_invocations_have_no_effect() {
    let body = "    32     %3 = load_const (0x41300000)\n    1      %4 = feq %2, %3\n    @demote_if (%4)\n    32     %5 = @ddx (%2)";
    let (colours, outcome) = quad(body, "%5");
    assert_eq!(outcome.discarded, [false, true, false, false]);
    // A demoted invocation still takes part in the derivatives of its neighbours; a terminated one does not.
    assert_eq!(colours[0], 1.0);
    let (_, outcome) = quad(&body.replace("demote", "terminate"), "%5");
    assert_eq!(outcome.discarded, [false, true, false, false]);
    assert_eq!(outcome.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::UndefinedOutput]);
}

#[test]
fn workgroups_run_one_after_the_other() {
    let body = "    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32x3   %3 = @load_workgroup_id
    32     %4 = ishl %3.y, %1
    32     %5 = iadd %4, %3.x
    32     %6 = ishl %5, %2
    32     %7 = @ssbo_atomic (%0, %6, %1) (access=none, atomic_op=iadd)
    // succs: b1
    block b1:";
    let shader = compute(3, body);
    let mut resources = Resources { storage: vec![Buffer::zeroed(16)], ..Resources::default() };
    let inputs = Inputs { workgroups: [2, 2, 1], ..Inputs::default() };
    let outcome = run(&shader, &mut resources, &inputs, Limits::default());
    assert_eq!(outcome.faults, []);
    assert_eq!(resources.storage[0].bytes, [3, 0, 0, 0].repeat(4));
}

#[test]
fn global_memory_is_found_by_address() {
    let body = "    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    64     %1 = load_const (0x0000000500000004)
    64     %2 = load_const (0x0000000500000000)
    32     %3 = @load_global (%1) (access=none, align_mul=4, align_offset=0)
    32     %4 = load_const (0x00000001)
    64     %9 = load_const (0x0000000000000001)
    64     %5 = deref_cast (uint *)%2 (global uint)  (ptr_stride=4, align_mul=4, align_offset=0)
    64     %6 = deref_ptr_as_array &(*%5)[%9] (global uint)
    32     %7 = @deref_atomic (%6, %4) (access=none, atomic_op=iadd)
    32     %8 = iadd %3, %7
    @store_global (%8, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)
    @store_ssbo (%3, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:";
    let global = vec![(0x5_0000_0000, Buffer::new(vec![9, 0, 0, 0, 7, 0, 0, 0]))];
    let mut resources = Resources { storage: vec![Buffer::zeroed(4)], global, ..Resources::default() };
    let outcome = run(&compute(1, body), &mut resources, &Inputs::default(), Limits::default());
    assert_eq!(outcome.faults, []);
    assert_eq!(resources.global[0].1.bytes, [14, 0, 0, 0, 8, 0, 0, 0]);
    let outside = compute(1, &body.replace("0x0000000500000004", "0x0000000500000008"));
    let outcome = run(&outside, &mut resources, &Inputs::default(), Limits::default());
    assert_eq!(outcome.faults[0].kind, FaultKind::OutOfBounds);
}

#[test]
fn loads_of_texels_outside_are_undefined_and_stores_are_dropped() {
    let image = Image::new(ImageDim::dim_1d, Format::from_name("r32_uint").expect("a format"), [2, 1, 1]);
    let texture = Texture { image: image.clone(), sampler: Sampler::default() };
    let body = "    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_local_invocation_index
    32x4   %2 = vec4 %1, %0, %0, %0
    32     %3 = load_const (0x00000007)
    @image_store (%0, %2, %0, %3, %0) (image_dim=1D, image_array=false, format=r32_uint, access=none, range_base=0, src_type=uint32)
    32     %4 = (uint32)txf %1 (coord), %0 (lod), 0 (texture), 0 (sampler)
    32     %5 = load_const (0x00000002)
    32     %6 = ishl %1, %5
    @store_ssbo (%4, %0, %6) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:";
    let binding = Descriptor::Binding(0);
    let mut resources = Resources {
        storage: vec![Buffer::zeroed(12)],
        textures: BTreeMap::from([(binding, texture)]),
        images: BTreeMap::from([(binding, image)]),
        ..Resources::default()
    };
    let outcome = run(&compute(3, body), &mut resources, &Inputs::default(), Limits::default());
    let faults: Vec<FaultKind> = outcome.faults.iter().map(|fault| fault.kind).collect();
    assert_eq!(faults, [FaultKind::OutsideOfImage, FaultKind::OutsideOfImage, FaultKind::UndefinedOutput]);
    assert!(outcome.faults.iter().all(|fault| !fault.is_undefined_behaviour()));
    assert_eq!(resources.images[&binding].levels[0].bytes, [7, 0, 0, 0, 7, 0, 0, 0]);
    assert_eq!(resources.storage[0].undef, [[0; 8].as_slice(), &[0xff; 4]].concat());
}

#[test]
fn a_run_records_the_ends_of_accesses_to_blocks() {
    let shader = parse(
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 2, 1, 1\nnum_ubos: 2\n\
         decl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n    \
         32     %0 = load_const (0x00000001)\n    32     %1 = load_const (0x00000003)\n    \
         32     %2 = @load_local_invocation_index\n    32     %3 = ishl %2, %1\n    \
         32x2   %4 = @load_ubo (%0, %3) (access=none, align_mul=8, align_offset=0, range_base=0, range=16)\n    \
         // succs: b1\n    block b1:\n}\n",
    );
    let run_on = |bytes| {
        let mut resources = Resources { uniform: vec![Buffer::zeroed(bytes); 2], ..Resources::default() };
        run(&shader, &mut resources, &Inputs::default(), Limits::default())
    };
    let outcome = run_on(64);
    assert_eq!((outcome.uniform_ends, outcome.faults.len()), (BTreeMap::from([(1, 16)]), 0));
    // A vector is in bounds only if all of its components are.
    let outcome = run_on(12);
    assert_eq!(outcome.uniform_ends, BTreeMap::from([(1, 8)]));
    assert_eq!(outcome.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::OutOfBounds]);
}

#[test]
fn a_barrier_orders_accesses_of_its_scopes() {
    // Each of eight invocations reads what another one of its subgroup of four, or of the other subgroup, wrote.
    let faults = |scopes: &str, distance: u32| {
        let body = format!(
            "    @store_shared (%3, %4) (base=0, wrmask=x, align_mul=4, align_offset=0)
    @barrier ({scopes}, mem_semantics=ACQ|REL, mem_modes=shared)
    32     %5 = load_const (0x{:08x})
    32     %6 = ixor %4, %5
    32     %7 = @load_shared (%6) (base=0, align_mul=4, align_offset=0)",
            distance * 4
        );
        stored(8, &body, "%7").1
    };
    for (scopes, near, far) in [
        ("execution_scope=WORKGROUP, memory_scope=DEVICE", false, false),
        ("execution_scope=WORKGROUP, memory_scope=WORKGROUP", false, false),
        ("execution_scope=SUBGROUP, memory_scope=WORKGROUP", false, true),
        ("execution_scope=WORKGROUP, memory_scope=SUBGROUP", false, true),
        ("execution_scope=SUBGROUP, memory_scope=SUBGROUP", false, true),
        ("execution_scope=NONE, memory_scope=WORKGROUP", true, true),
        ("execution_scope=WORKGROUP, memory_scope=NONE", true, true),
    ] {
        for (distance, races) in [(1, near), (4, far)] {
            let expected = if races { vec![FaultKind::Race] } else { vec![] };
            assert_eq!(faults(scopes, distance), expected, "{scopes}, {distance}");
        }
    }
}

#[test]
fn workgroups_are_ordered_by_barriers_around_an_atomic() {
    // The last workgroup reads what the others wrote.
    let faults = |before: &str, after: &str| {
        let barrier = |scope: &str| {
            format!("@barrier (execution_scope=NONE, memory_scope={scope}, mem_semantics=ACQ|REL, mem_modes=ssbo)")
        };
        let body = format!(
            "    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32x3   %3 = @load_workgroup_id
    32     %4 = ishl %3.x, %2
    32     %5 = load_const (0x00000020)
    32     %6 = iadd %3.x, %1
    @store_ssbo (%6, %0, %4) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
    {}
    32     %7 = @ssbo_atomic (%0, %5, %1) (access=coherent, atomic_op=iadd)
    {}
    1      %8 = ieq %7, %2
                // succs: b1 b2
    if %8 {{
        block b1:   // preds: b0
        32x2   %9 = @load_ssbo (%0, %0) (access=coherent, align_mul=4, align_offset=0)
        32    %10 = iadd %9.x, %9.y
        @store_ssbo (%10, %0, %4) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
        // succs: b3
    }} else {{
        block b2:  // preds: b0, succs: b3
    }}
    block b3:   // preds: b1 b2
    // succs: b4
    block b4:",
            barrier(before),
            barrier(after)
        );
        let mut resources = Resources { storage: vec![Buffer::zeroed(64)], ..Resources::default() };
        let inputs = Inputs { workgroups: [3, 1, 1], ..Inputs::default() };
        let outcome = run(&compute(1, &body), &mut resources, &inputs, Limits::default());
        assert_eq!(resources.storage[0].bytes[8], 3);
        outcome.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>()
    };
    assert_eq!(faults("DEVICE", "DEVICE"), []);
    assert_eq!(faults("QUEUE_FAMILY", "QUEUE_FAMILY"), []);
    assert_eq!(faults("WORKGROUP", "DEVICE"), [FaultKind::Race]);
    assert_eq!(faults("DEVICE", "WORKGROUP"), [FaultKind::Race]);
}

#[test]
fn critical_sections_of_a_pixel_take_turns() {
    // Two fragments of each pixel of a quad count in a word of the pixel, and write what they found.
    let run_with = |begin: &str, end: &str| {
        let shader = parse(&format!(
            "shader: MESA_SHADER_FRAGMENT\nnum_ssbos: 1\npixel_interlock_ordered: true\ndecl_function main () (entrypoint)\n
impl main {{
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = load_const (0x00000002)
    32x4  %10 = @load_frag_coord
    32x4   %3 = f2u32 %10
    32     %4 = ishl %3.y, %1
    32     %5 = iadd %4, %3.x
    32     %6 = ishl %5, %2
    {begin}
    32     %7 = @load_ssbo (%0, %6) (access=coherent, align_mul=4, align_offset=0)
    32     %8 = iadd %7, %1
    @store_ssbo (%8, %0, %6) (wrmask=x, access=coherent, align_mul=4, align_offset=0)
    {end}
    32     %9 = u2f32 %7
    @store_output (%9, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
    // succs: b1
    block b1:
}}
"
        ));
        let invocation = |number: u8| {
            let place = [number % 2, number / 2 % 2].map(|c| u64::from((f32::from(c) + 0.5).to_bits()));
            let system = BTreeMap::from([(Intrinsic::load_frag_coord, place.to_vec())]);
            Invocation { system, ..Invocation::default() }
        };
        let inputs = Inputs { invocations: (0..8).map(invocation).collect(), ..Inputs::default() };
        let mut resources = Resources { storage: vec![Buffer::zeroed(64)], ..Resources::default() };
        let outcome = run(&shader, &mut resources, &inputs, Limits::default());
        let found: Vec<u64> = outcome.outputs.iter().map(|outputs| outputs[&Slot::new(4)][0].value).collect();
        (found, outcome.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>())
    };
    let (begin, end) = ("@begin_invocation_interlock", "@end_invocation_interlock");
    let one = u64::from(1f32.to_bits());
    assert_eq!(run_with(begin, end), (vec![0, 0, 0, 0, one, one, one, one], vec![]));
    assert_eq!(run_with("", "").1, [FaultKind::Race]);
    assert_eq!(run_with(begin, "").1, [FaultKind::Invalid]);
    assert_eq!(run_with("", end).1, [FaultKind::Race, FaultKind::Invalid]);
    assert_eq!(run_with(&format!("{begin}\n    {end}"), "").1, [FaultKind::Race; 2]);
    assert_eq!(run_with(&format!("{begin}\n    {begin}"), end).1, [FaultKind::Invalid]);
}
