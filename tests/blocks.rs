// SPDX-License-Identifier: MIT

//! Uniform blocks in storage buffers: the length of the modules, and their validity.

mod support;

use ntv::plan::{Class, Placement, Placements};
use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use std::fs;

/// Translates `shader` for Vulkan 1.3, with its blocks in storage buffers or not.
fn translate(shader: &mut Shader, stored: bool) -> Vec<u32> {
    let target = Target::preset("vulkan1.3").expect("a preset");
    let mut placements = Placements::default();
    for block in (0..shader.info.num_ubos).filter(|_| stored) {
        placements.set(block, Placement { class: Class::Storage, range: 0, clamp: false });
    }
    let mut translator = Translator::new(Options::default().target(target));
    translator.set_placements(placements);
    translator.translate(shader, &EmitOptions::default()).expect("a module").words
}

/// A shader that stores `a[i]` of a block of `vec4s` vec4s.
fn reads_one_of(vec4s: u32) -> Shader {
    let text = format!(
        "shader: MESA_SHADER_COMPUTE\nname: reads_one\nworkgroup_size: 8, 1, 1\nnum_ubos: 1\nnum_ssbos: 1\nsubgroup_size: 1\n\
         decl_var ubo INTERP_MODE_NONE none vec4[{vec4s}] a (0, 0, 0)\n\
         decl_var ssbo INTERP_MODE_NONE none uint[] result (1, 0, 0)\ndecl_function main () (entrypoint)\n\nimpl main {{\n    \
         block b0:  // preds:\n    32    %0 = load_const (0x00000000)\n    32    %1 = load_const (0x00000004)\n    \
         32    %2 = @load_local_invocation_index\n    32    %3 = ishl %2, %1\n    \
         32x4  %4 = @load_ubo (%0, %3) (access=none, align_mul=16, align_offset=0, range_base=0, range={range})\n    \
         @store_ssbo (%4, %0, %3) (wrmask=xyzw, access=none, align_mul=16, align_offset=0)\n    // succs: b1\n    block b1:\n}}\n",
        range = vec4s * 16,
    );
    text::parse(&text).expect("a shader")
}

#[test]
fn a_module_is_as_long_for_a_long_array_as_for_a_short_one() {
    for stored in [false, true] {
        let short = translate(&mut reads_one_of(64), stored).len();
        for exponent in 7..=20 {
            let long = translate(&mut reads_one_of(1 << exponent), stored).len();
            assert_eq!(long, short, "{} vec4s, in storage: {stored}", 1 << exponent);
        }
    }
}

/// In storage buffers, the words are equal too: no type has the length.
#[test]
fn a_block_in_storage_has_no_length() {
    let short = translate(&mut reads_one_of(64), true);
    assert_eq!(translate(&mut reads_one_of(1 << 20), true), short);
}

#[test]
fn modules_are_valid_in_both_classes() {
    let files = support::files(&support::root().join("tests/corpus/blocks"), &["nir"]);
    assert!(files.len() >= 90, "only {} files", files.len());
    let failures = support::in_parallel(files, |file| {
        let shader = text::parse(&fs::read_to_string(&file).expect("a file")).expect("a shader");
        let target = Target::preset("vulkan1.3").expect("a preset");
        let check = |stored| support::spirv_val(&translate(&mut shader.clone(), stored), &target);
        let result = check(false).and(check(true));
        result.err().map(|problem| format!("{}: {problem}", file.display()))
    });
    let failures: Vec<String> = failures.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
