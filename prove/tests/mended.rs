// SPDX-License-Identifier: MIT

//! Faults that ntv had, planted again in words of today.
//!
//! An audit and public bug reports of other translators found these. A fault lies *in words* if the words of one module are wrong for its
//! NIR.
//!
//! | fault | in words? |
//! |-|-|
//! | a mask of a quotient or a field is removed, because the bounds of both hold for defined results only | yes: OpBitwiseAnd is missing |
//! | doubles: a varying that is read is removed, one stage alone is renumbered | yes: a store is missing, a Location is another |
//! | a plan moves blocks to push constants that the translation leaves where they are | no: the words are right, the plan is wrong |
//! | an index of push constants that differs between invocations | no: the words mean the same, and Vulkan forbids them |
//! | a link changes the size of a workgroup, or the vertices of a patch, that translation relied on | yes: the execution mode |
//! | keys that do half: sprites, discards, dithering | no: a variant means its NIR with state of a draw, which proofs do not know |
//! | an exact `ffma` without NoContraction | yes: the decoration of OpExtInst is missing |
//! | an input with more or fewer components than the output of the stage before | no: each module is right alone |
//! | clip distances that are not written are not 0 | yes: a store is missing |
//! | arrays of clip distances that are not as long as the header says | yes: the type is another |
//! | refusals, cost, messages, printing, the interpreter, tools, zink's own code | no |

// The output shows how a fault was found.
#![allow(clippy::print_stdout)]

use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::plant::{self, Fault};
use std::fs;
use std::path::Path;

/// What becomes of a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Found {
    /// There are inputs that show it, and the interpreter has the NIR's numbers for them.
    Confirmed,
    /// It is refuted, but not by inputs of the interpreter. The reason.
    Refuted(&'static str),
}

/// A shader, a fault of `plant`, and the number of the place where it is planted.
struct Row {
    shader: &'static str,
    fault: &'static str,
    place: usize,
    found: Found,
}

const OPEN: Found = Found::Refuted("the interpreter has one result for a quotient by 0 or a field beyond the word");

const MODES: Found = Found::Refuted("execution modes depend on no inputs");

const UNWRITTEN: Found =
    Found::Refuted("the interpreter leaves open what is not written, which GL ignores and Vulkan clips by");

const LENGTH: Found = Found::Refuted("the length of an array depends on no inputs");

const fn row(shader: &'static str, fault: &'static str, place: usize, found: Found) -> Row {
    Row { shader, fault, place, found }
}

const ROWS: &[Row] = &[
    row("quotient", "BitwiseAnd is only its word 3", 1, OPEN),
    row("remainder", "BitwiseAnd is only its word 3", 1, OPEN),
    row("field", "BitwiseAnd is only its word 3", 1, OPEN),
    row("run/divided_by_0.nir", "BitwiseAnd is only its word 3", 1, Found::Confirmed),
    row("doubles", "Store is missing", 0, Found::Confirmed),
    row("doubles", "Store is missing", 1, Found::Confirmed),
    row("doubles", "the next Location of an output", 0, Found::Confirmed),
    row("doubles", "the next Location of an output", 1, Found::Confirmed),
    row("doubles", "the next Location of an input", 0, Found::Confirmed),
    row("doubles", "the next Component of an output", 0, Found::Confirmed),
    row("local", "a workgroup has another size", 0, MODES),
    row("stages/tess_control_22_3.nir", "a patch has another number of vertices", 0, MODES),
    row("fma", "NoContraction is missing", 0, Found::Confirmed),
    row("zink/no_contraction.nir", "NoContraction is missing", 0, Found::Confirmed),
    row("stages/clip_gaps.nir", "Store is missing", 0, UNWRITTEN),
    row("stages/clip_gaps.nir", "Store is missing", 2, Found::Confirmed),
    row("stages/clip_gaps.nir", "an array is shorter", 0, LENGTH),
];

/// Compute shaders that read `%4` and `%5` from a block and write `%6` at the offset `%7` of another; `%2` is 4.
const OF_NUMBERS: &[(&str, &str)] = &[
    ("quotient", "32 %10 = iand %4, %8\n32 %11 = udiv %10, %5\n32 %12 = iand %11, %8\n32 %6 = mov %5\n32 %7 = ishl %12, %3"),
    ("remainder", "32 %10 = iand %4, %8\n32 %11 = umod %10, %5\n32 %12 = iand %11, %8\n32 %6 = mov %5\n32 %7 = ishl %12, %3"),
    (
        "field",
        "32 %10 = iand %5, %3\n32 %11 = ubitfield_extract %4, %5, %10\n32 %12 = iand %11, %8\n32 %6 = mov %5\n32 %7 = ishl %12, %3",
    ),
    ("local", "32 %6 = @load_local_invocation_index\n32 %7 = ishl %6, %3"),
    ("fma", "32 %6 = ffma! %4, %5, %4\n32 %7 = mov %0"),
];

/// A vertex shader with doubles: four, of which two are in the next Location, and one that shares this Location.
const DOUBLES: &str = "shader: MESA_SHADER_VERTEX
name: doubles
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    64x3   %2 = f2f64 %1.xyz
    64     %3 = f2f64 %1.w
    @store_output (%2, %0) (base=0, range=1, wrmask=xyz, component=0, src_type=float64, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%3, %0) (base=1, range=1, wrmask=x, component=2, src_type=float64, io location=VARYING_SLOT_VAR1 slots=1)
    // succs: b1
    block b1:
}
";

fn of_numbers(lines: &str) -> String {
    format!(
        "shader: MESA_SHADER_COMPUTE
name: mended
workgroup_size: 4, 1, 1
num_ssbos: 2
subgroup_size: 0
decl_function main () (entrypoint)

impl main {{
    block b0:   // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = load_const (0x00000001)
    32 %2 = load_const (0x00000004)
    32 %3 = load_const (0x00000002)
    32 %8 = load_const (0x000000ff)
    32 %4 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32 %5 = @load_ssbo (%0, %2) (access=none, align_mul=4, align_offset=0)
    {lines}
    @store_ssbo (%6, %1, %7) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}}
"
    )
}

/// The first shader of a file of the corpus, or of one of the above.
fn shader(name: &str) -> Shader {
    let own = OF_NUMBERS.iter().find(|it| it.0 == name).map(|it| of_numbers(it.1));
    let text = own.or((name == "doubles").then(|| DOUBLES.to_owned())).unwrap_or_else(|| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(name);
        fs::read_to_string(file).expect("a file of the corpus")
    });
    let first = text::find(&text).next().expect("a shader");
    first.shader.unwrap_or_else(|errors| panic!("{name}: {errors}"))
}

fn is_found(found: Found, verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proved | Verdict::Undecided(_) => false,
        Verdict::Different(witness) if witness.confirmed => found == Found::Confirmed,
        Verdict::Different(_) => matches!(found, Found::Refuted(_)),
    }
}

/// A fault that is found better than the table says has a row of its own there, and is no longer in docs/prove.md.
#[test]
fn faults_that_were_mended_are_found() {
    let faults: Vec<Fault> = plant::faults().into_iter().chain(plant::rare()).collect();
    let target = Target::default();
    let mut wrong = Vec::new();
    for row in ROWS {
        let Row { shader: name, fault, place, found } = row;
        let shader = shader(name);
        let mut translator = Translator::new(Options::default().target(target.clone()));
        let module = translator.translate(&mut shader.clone(), &EmitOptions::default());
        let words = module.unwrap_or_else(|errors| panic!("{name}: {errors}")).words;
        let prove = |words: &[u32]| Prover { trials: 40, ..Prover::default() }.prove(&shader, &target, words);
        let right = prove(&words);
        assert!(matches!(right, Verdict::Proved), "{name} without a fault: {right:?}");
        let known = faults.iter().find(|it| it.name == *fault).unwrap_or_else(|| panic!("no fault {fault}"));
        let changes = known.places(&words);
        let change = changes.get(*place).unwrap_or_else(|| panic!("{name}: no place {place} of {fault}"));
        let verdict = prove(&change.apply(&words));
        let shown = match &verdict {
            Verdict::Proved => "proved".to_owned(),
            Verdict::Undecided(it) => format!("not decided: {}: {:.160}", it.place, it.reason),
            Verdict::Different(it) => {
                format!("different, confirmed: {}: {}: {}, not {}", it.confirmed, it.what, it.found, it.expected)
            }
        };
        println!("{name}: {fault} at place {place}: {found:?}: {shown}");
        wrong.extend((!is_found(*found, &verdict)).then(|| format!("{name}: {fault} at place {place}: {shown}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
