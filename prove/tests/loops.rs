// SPDX-License-Identifier: MIT

//! Loops that carry values that start alike: the prover has to know which of the module's value is which.

use ntv::{text, EmitOptions, Options, Target, Translator};
use ntv_prove::compare::{Prover, Verdict};

/// A loop that ends by one of two counters, and stores a third value, which starts as they do. Its steps are operands of the text.
fn counters(steps: [u32; 3]) -> ntv::Shader {
    let [a, b, c] = steps;
    let text = format!(
        "shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000004)
    32     %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32     %3 = @load_ssbo (%0, %1) (access=none, align_mul=4, align_offset=0)
    32     %4 = load_const (0x{a:08x})
    32     %5 = load_const (0x{b:08x})
    32     %6 = load_const (0x{c:08x})
    // succs: b1
    loop {{
        block b1:   // preds: b0 b6
        32     %7 = phi b0: %0, b6: %12
        32     %8 = phi b0: %0, b6: %13
        32     %9 = phi b0: %0, b6: %14
        1     %10 = ige %7, %2
        1     %11 = ige %8, %3
        1     %15 = ior %10, %11
        // succs: b2 b3
        if %15 {{
            block b2:   // preds: b1
            break
            // succs: b7
        }} else {{
            block b3:   // preds: b1, succs: b6
        }}
        block b6:   // preds: b3
        32    %12 = iadd %7, %4
        32    %13 = iadd %8, %5
        32    %14 = iadd %9, %6
        // succs: b1
    }}
    block b7:   // preds: b2
    @store_ssbo (%9, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b8
    block b8:
}}
"
    );
    text::parse(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// What a prover without a solver says about two such loops.
fn verdict(expected: [u32; 3], found: [u32; 3]) -> Verdict {
    let target = Target::default();
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let module = translator.translate(&mut counters(found), &EmitOptions::default()).expect("a module");
    Prover::default().prove(&counters(expected), &target, &module.words)
}

#[test]
fn counters_that_start_alike_are_told_apart() {
    for steps in [[1, 1, 1], [1, 1, 2], [1, 2, 1], [2, 1, 1], [1, 2, 3]] {
        let verdict = verdict(steps, steps);
        assert!(matches!(verdict, Verdict::Proved), "{steps:?}: {verdict:?}");
    }
}

#[test]
fn another_step_is_not_proved() {
    for found in [[1, 1, 2], [1, 2, 1], [2, 1, 1]] {
        let verdict = verdict([1, 1, 1], found);
        assert!(matches!(&verdict, Verdict::Different(it) if it.confirmed), "{found:?}: {verdict:?}");
    }
}
