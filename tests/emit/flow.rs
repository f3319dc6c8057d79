// SPDX-License-Identifier: MIT

//! Ifs, loops, phis and jumps.

use super::*;

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

#[test]
fn a_while_loop_has_a_header_and_a_body() {
    let it = emitted(&counting_loop("        32    %10 = iadd %6, %3\n                  // succs: b1", "b4: %10"));
    // The function's first block, the header, the body, the block after the loop.
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

/// Registers that are written in the innermost of nested ifs, and read after all.
fn registers_in_ifs(registers: usize, ifs: usize) -> String {
    let store = |value: &str, n| format!("    @store_reg ({value}, %{n}) (base=0, wrmask=x, legacy_fsat=0)\n");
    let stores = |value: &str| (10..10 + registers).map(|n| store(value, n)).collect::<String>();
    let mut body = "    block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n    32 %1 = load_const (0x00000001)
    32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)\n    1 %3 = ieq %2, %1\n"
        .to_string();
    for n in 10..10 + registers {
        body += &format!("    32 %{n} = @decl_reg (num_components=1, num_array_elems=0, bit_size=32, divergent=1)\n");
    }
    body += &stores("%2");
    (1..=ifs).for_each(|n| body += &format!("if %3 {{\nblock b{n}:  // preds:\n"));
    body += &stores("%1");
    for n in (ifs + 1..).step_by(2).take(ifs) {
        body += &format!("}} else {{\nblock b{n}:  // preds:\n}}\nblock b{}:  // preds:\n", n + 1);
    }
    for n in 10..10 + registers {
        let load = format!("@load_reg (%{n}) (base=0, legacy_fabs=0, legacy_fneg=0)");
        body += &format!("    32 %{} = {load}\n", n + registers);
        body += &format!(
            "    @store_ssbo (%{}, %1, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\n",
            n + registers
        );
    }
    format!(
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\nnum_ssbos: 2\ndecl_function main () (entrypoint)\n\nimpl main {{\n{body}    \
         block b{}:\n}}\n",
        3 * ifs + 1
    )
}

#[test]
fn registers_in_nested_ifs_do_not_multiply() {
    let words = |registers, ifs| {
        let mut shader = parse(&registers_in_ifs(registers, ifs));
        let module = ntv::Translator::default().translate(&mut shader, &EmitOptions::default());
        module.unwrap_or_else(|errors| panic!("{errors}")).words
    };
    let variables = |words: &[u32]| {
        let module = dr::load_words(words).expect("a module that rspirv reads");
        let code = module.functions.iter().flat_map(|function| function.all_inst_iter());
        code.filter(|inst| inst.class.opcode == Op::Variable).count()
    };
    let (few, many) = (words(20, 20), words(300, 300));
    assert_eq!(variables(&few), 0, "phis");
    assert_eq!(variables(&many), 300, "90,000 phis would be most of the module");
    assert!(many.len() < 20 * few.len(), "{} and {} words", few.len(), many.len());
}
