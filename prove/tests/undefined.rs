// SPDX-License-Identifier: MIT

//! What SPIR-V leaves undefined must not decide what NIR defines: a fault for each kind of it is refuted, and the shader without the
//! fault is proved.
//!
//! A fault is a module of another shader, which lacks the guard, or a change to the words.

use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::plant;

/// The start of a compute shader: `%3` and `%4` are the first two words of a storage block, `%5` is 7.
const COMPUTE: &str = "shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {
    decl_var INTERP_MODE_NONE none uint[4] list
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000004)
    32 %2 = load_const (0x00000008)
    32 %3 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32 %4 = @load_ssbo (%0, %1) (access=none, align_mul=4, align_offset=0)
    32 %5 = load_const (0x00000007)
";

/// Its end, which stores `%9`.
const STORE: &str = "    @store_ssbo (%9, %0, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)\n";

/// The start of a fragment shader: `%4` is an input, `%5` whether it is less than 0.
const FRAGMENT: &str = "shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000008)
    32x2 %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32 %3 = @load_interpolated_input (%2, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32 %4 = fadd %3, %3
    1 %5 = flt %4, %0
";

/// Its end, which writes `%9`.
const COLOUR: &str = "    @store_output (%9, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n";

const END: &str = "    // succs: b1\n    block b1:\n}\n";

fn shader(start: &str, body: &str, end: &str) -> Shader {
    let text = format!("{start}{body}\n{end}{END}");
    text::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

fn words(shader: &Shader) -> Vec<u32> {
    let module = Translator::new(Options::default()).translate(&mut shader.clone(), &EmitOptions::default());
    module.expect("a module").words
}

/// Proves a shader, and refutes other words for it. Returns what differs.
fn refuted(shader: &Shader, other: &[u32]) -> String {
    let (mut prover, target) = (Prover::default(), Target::default());
    let verdict = prover.prove(shader, &target, &words(shader));
    assert!(matches!(verdict, Verdict::Proved), "{verdict:?}");
    match prover.prove(shader, &target, other) {
        Verdict::Different(witness) if witness.confirmed => witness.what,
        other => panic!("{other:?}"),
    }
}

/// Refutes the module of another compute shader.
fn without_guard(guarded: &str, bare: &str) -> String {
    let [guarded, bare] = [guarded, bare].map(|body| shader(COMPUTE, body, STORE));
    refuted(&guarded, &words(&bare))
}

/// Refutes the words of a shader with a fault of `plant`, at one of its places.
fn with_fault(shader: &Shader, name: &str) -> String {
    let fault = plant::faults().into_iter().find(|fault| fault.name == name).expect("a fault");
    let words = words(shader);
    let place = fault.places(&words).into_iter().next().expect("a place");
    refuted(shader, &place.apply(&words))
}

#[test]
fn quotients_by_0() {
    let body = "32 %8 = udiv %3, %4\n1 %7 = ieq %4, %0\n32 %9 = bcsel %7, %5, %8";
    without_guard(body, "32 %9 = udiv %3, %4");
    without_guard(&body.replace("udiv", "umod"), "32 %9 = umod %3, %4");
    without_guard(&body.replace("udiv", "idiv"), "32 %9 = idiv %3, %4");
    without_guard(&body.replace("udiv", "irem"), "32 %9 = irem %3, %4");
}

#[test]
fn shifts_by_the_width() {
    for op in ["ishl", "ishr", "ushr"] {
        with_fault(&shader(COMPUTE, &format!("32 %9 = {op} %3, %4"), STORE), "BitwiseAnd is only its word 3");
    }
}

#[test]
fn conversions_of_floats_that_do_not_fit() {
    let body = "32 %6 = load_const (0x4e000000)\n32 %10 = fabs %3\n1 %7 = flt %10, %6\n32 %8 = f2i32 %3\n32 %9 = bcsel %7, %8, %5";
    without_guard(body, "32 %9 = f2i32 %3");
    without_guard(&body.replace("f2i32", "f2u32"), "32 %9 = f2u32 %3");
}

/// Fills a list of four, and reads `%8` from it at a place.
fn from_list(place: &str) -> String {
    let mut body = "    32 %20 = deref_var &list (function_temp uint[4])\n".to_owned();
    for i in 0..4 {
        let (constant, element) = (21 + 2 * i, 22 + 2 * i);
        body += &format!(
            "    32 %{constant} = load_const ({i:#010x})\n    32 %{element} = deref_array &(*%20)[{i}] (function_temp uint)\n    \
             @store_deref (%{element}, %3) (wrmask=x, access=none)\n"
        )
        .replace(&format!("[{i}]"), &format!("[%{constant}]"));
    }
    body + &format!(
        "    32 %30 = {place}\n    32 %31 = deref_array &(*%20)[%30] (function_temp uint)\n    32 %9 = @load_deref (%31) (access=none)"
    )
}

#[test]
fn indices_outside_of_arrays() {
    let masked =
        from_list("iand %4, %33").replace("    32 %30 =", "    32 %33 = load_const (0x00000003)\n    32 %30 =");
    assert_eq!(without_guard(&masked, &from_list("mov %4")), "whether an index is outside of its array");
}

#[test]
fn variables_without_a_value() {
    with_fault(&shader(COMPUTE, &from_list("mov %0"), STORE), "Store is missing");
}

/// A helper invocation writes nothing, and one that was demoted is one.
#[test]
fn helper_invocations() {
    let store = "@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)";
    let [before, after] = [format!("{store}\n@demote_if (%5)\n"), format!("@demote_if (%5)\n{store}\n")]
        .map(|body| shader(FRAGMENT, &format!("{body}32 %9 = mov %4"), COLOUR));
    refuted(&after, &words(&before));
    refuted(&before, &words(&after));
    // The built-in is that of the start; the instruction knows of a demotion.
    let [now, start] = ["is", "load"].map(|name| {
        let body = format!("@demote_if (%5)\n1 %6 = @{name}_helper_invocation\n32 %7 = b2f32 %6\n32 %9 = @ddx (%7)");
        shader(FRAGMENT, &body, COLOUR)
    });
    let verdict = Prover::default().prove(&now, &Target::default(), &words(&start));
    assert!(matches!(verdict, Verdict::Different(_)), "{verdict:?}");
}
