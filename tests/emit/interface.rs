// SPDX-License-Identifier: MIT

//! Inputs, outputs, built-ins, names, the emitter as a whole.

use super::*;
use ntv::op::Modes;

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
    let names = EmitOptions::default().names(true);
    assert!(emitted_with(&dump, &Target::default(), &names).asm().contains("OpName"));
    // More text than fits into one instruction, with a character across the boundary.
    let long = "é".repeat(200_000);
    let lines = EmitOptions::default().lines(Some(("shader.nir", &long)));
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
fn instructions_left_to_emission_are_errors_with_a_line() {
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
    assert_eq!(errors.to_string(), format!("line {line}: fsat is left to emission"));
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

/// Several variables of one buffer: the minimum range is the largest of all, if all have one.
#[test]
fn bindings_have_the_minimum_length_of_a_range() {
    let load = |block: &str, first: usize| {
        let [base, element, value] = [first + 1, first + 2, first + 3];
        format!(
            "    32    %{first} = deref_var &{block} (ubo struct)
    32    %{base} = deref_struct &%{first}->base (ubo uvec4[4])
    32    %{element} = deref_array &(*%{base})[2] (ubo uvec4)
    32x4  %{value} = @load_deref (%{element}) (access=none)\n"
        )
    };
    let body = format!(
        "    block b0:  // preds:\n{}{}    32x4  %8 = fadd %3, %7
    32    %9 = deref_var &o (shader_out vec4)
              @store_deref (%9, %8) (wrmask=xyzw, access=none)
{END}",
        load("block", 0),
        load("same", 4)
    );
    let same = "decl_var ubo INTERP_MODE_NONE none struct same (0, 0, 0)\ndecl_function";
    let mut shader = parse(&fragment(&body).replacen("decl_function", same, 1));
    for (ranges, expected) in [([48, 36], 48), ([36, 48], 48), ([0, 48], 0), ([48, 0], 0), ([0, 0], 0)] {
        let blocks = shader.vars.values_mut().filter(|variable| variable.mode == Modes::UBO);
        blocks.zip(ranges).for_each(|(block, range)| block.min_range = range);
        let module = emit(&shader, &Target::default(), &EmitOptions::default()).expect("a module");
        let buffers: Vec<u32> = module.bindings.iter().map(|binding| binding.min_range).collect();
        assert_eq!(buffers, [expected], "{ranges:?}");
    }
}
