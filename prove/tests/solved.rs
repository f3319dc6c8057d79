// SPDX-License-Identifier: MIT

//! Differences that only a solver finds: no random inputs have the number that an operation has to give.
//!
//! Each shader writes a word that is another one in the module under a condition. The solver finds inputs for which it holds, and the
//! interpreter confirms them.

use ntv::{text, EmitOptions, Options, Shader, Target, Translator};
use ntv_prove::compare::{Prover, Verdict};
use ntv_prove::smt::Budget;
use ntv_prove::witness::Witness;

/// A shader whose result is another one under a condition.
struct Case {
    head: &'static str,
    /// Instructions that make the condition, the last one of them.
    condition: String,
    /// What becomes of the result `%R`.
    store: &'static str,
}

const COMPUTE: &str = "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\n";
const STORE: &str = "@store_ssbo (%R, %zero, %eight) (wrmask=x, access=none, align_mul=4, align_offset=0)";
const EMIT: &str = "@store_output (%R, %zero) (base=0, range=1, wrmask=x, component=0, src_type=float32, \
                    io location=VARYING_SLOT_VAR0 slots=1)";
const COLOR: &str = "@store_output (%R, %zero) (base=0, range=1, wrmask=x, component=0, src_type=float32, \
                     io location=FRAG_RESULT_DATA0 slots=1)";

/// Loads the first word of a storage block as `%a`, and makes the condition of it.
fn of_first_word(condition: &str) -> String {
    format!("32 %a = @load_ssbo (%zero, %zero) (access=none, align_mul=4, align_offset=0)\n{condition}")
}

impl Case {
    /// The shader; `changes` says whether the result is another one if the condition holds.
    fn shader(&self, changes: bool) -> Shader {
        let Case { head, condition, store } = self;
        let result = if changes { "%changed" } else { "%five" };
        let text = format!(
            "{head}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n\
             32 %zero = load_const (0x00000000)\n32 %five = load_const (0x00000005)\n32 %eight = load_const (0x00000008)\n\
             {condition}\n32 %other = iadd %five, %eight\n32 %changed = bcsel %condition, %other, %five\n{}\n\
             // succs: b1\n    block b1:\n}}\n",
            store.replace("%R", result)
        );
        text::parse(&numbered(&text)).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
    }

    /// The inputs for which the shader differs from itself with another result.
    fn refuted(&self) -> Box<Witness> {
        match self.verdict() {
            Verdict::Different(witness) if witness.confirmed && witness.seed.is_none() => witness,
            other => panic!("{}: {other:?}", self.condition),
        }
    }

    /// What a prover with a solver says, which one without does not know.
    fn verdict(&self) -> Verdict {
        let target = Target::default();
        let mut translator = Translator::new(Options::default().target(target.clone()));
        let words = translator.translate(&mut self.shader(true), &EmitOptions::default()).expect("a module").words;
        let mut prover = Prover::new(None, 100).expect("a prover");
        let without = prover.prove(&self.shader(false), &target, &words);
        assert!(matches!(without, Verdict::Undecided(_)), "random inputs find it, too: {without:?}");
        let mut prover = Prover::new(Some(Budget::Steps(60_000_000)), 4).expect("a solver");
        prover.prove(&self.shader(false), &target, &words)
    }
}

/// The text with a number for each name.
fn numbered(text: &str) -> String {
    let mut names: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '%').filter(|it| it.starts_with('%')).collect();
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(*name);
            true
        }
    });
    let number = |word: &str| names.iter().position(|name| *name == word).map(|at| format!("%{at}"));
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        made += &rest[..at];
        let end = rest[at + 1..].find(|c: char| !c.is_alphanumeric()).map_or(rest.len(), |end| at + 1 + end);
        made += &number(&rest[at..end]).unwrap_or_default();
        rest = &rest[end..];
    }
    made + rest
}

#[test]
fn a_word_of_a_storage_block() {
    Case {
        head: COMPUTE,
        condition: of_first_word(
            "32 %factor = load_const (0x9e3779b1)\n32 %b = imul %a, %factor\n\
             32 %wanted = load_const (0x12345678)\n1 %condition = ieq %b, %wanted",
        ),
        store: STORE,
    }
    .refuted();
}

/// The product of floats is one number of 2^32: it needs the theory of floats.
#[test]
fn a_float() {
    Case {
        head: COMPUTE,
        condition: of_first_word(
            "32 %third = load_const (0x3eaaaaab)\n32 %b = fmul %a, %third\n\
             32 %wanted = load_const (0x4640e6b7)\n1 %condition = feq %b, %wanted",
        ),
        store: STORE,
    }
    .refuted();
}

#[test]
fn an_attribute() {
    Case {
        head: "shader: MESA_SHADER_VERTEX\n",
        condition: "32x2 %a = @load_input (%zero) (base=0, range=1, component=1, dest_type=float32, \
                    io location=VERT_ATTRIB_GENERIC0 slots=1)\n32 %b = imul %a.x, %a.y\n\
                    32 %wanted = load_const (0x75bcd15f)\n1 %condition = ieq %b, %wanted"
            .into(),
        store: EMIT,
    }
    .refuted();
}

#[test]
fn an_input_of_a_fragment() {
    Case {
        head: "shader: MESA_SHADER_FRAGMENT\n",
        condition: "32 %a = @load_input (%zero) (base=0, range=1, component=0, dest_type=int32, \
                    io location=VARYING_SLOT_VAR3 slots=1)\n32 %factor = load_const (0x01000193)\n\
                    32 %b = imul %a, %factor\n32 %wanted = load_const (0x0badcafe)\n1 %condition = ieq %b, %wanted"
            .into(),
        store: COLOR,
    }
    .refuted();
}

/// The index of the word that is read is an input, too.
#[test]
fn a_word_at_a_place_that_is_read() {
    Case {
        head: COMPUTE,
        condition: of_first_word(
            "32 %mask = load_const (0x00000ffc)\n32 %at = iand %a, %mask\n\
             32 %b = @load_ubo (%five, %at) (access=none, align_mul=4, align_offset=0, range_base=0, range=4096)\n\
             32 %c = iadd %a, %b\n32 %wanted = load_const (0x00c0ffee)\n1 %d = ieq %c, %wanted\n\
             32 %limit = load_const (0x00000800)\n1 %e = ult %limit, %at\n1 %condition = iand %d, %e",
        ),
        store: STORE,
    }
    .refuted();
}

/// The solver knows which invocation the interpreter runs.
#[test]
fn a_word_of_the_last_invocation() {
    Case {
        head: "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 8, 1, 1\n",
        condition: of_first_word(
            "32 %factor = load_const (0x9e3779b1)\n32 %b = imul %a, %factor\n\
             32 %index = @load_local_invocation_index\n32 %c = iadd %b, %index\n\
             32 %wanted = load_const (0x12345678)\n1 %d = ieq %c, %wanted\n\
             32 %seven = load_const (0x00000007)\n1 %last = ieq %index, %seven\n1 %condition = iand %d, %last",
        ),
        store:
            "32 %four = load_const (0x00000004)\n32 %offset = imul %index, %four\n32 %place = iadd %offset, %eight\n\
                @store_ssbo (%R, %zero, %place) (wrmask=x, access=none, align_mul=4, align_offset=0)",
    }
    .refuted();
}

/// The solver chooses what a texture gives, and no input chooses that.
#[test]
fn a_texel_is_not_chosen() {
    let case = Case {
        head: "shader: MESA_SHADER_FRAGMENT\nnum_textures: 1\n\
               decl_var uniform INTERP_MODE_NONE none sampler2D picture (0, 0, 0)\n",
        condition: "32x2 %at = vec2 %zero, %zero\n\
                    32x4 %texel = (float32)txl %at (coord), %zero (lod), 0 (texture), 0 (sampler)\n\
                    32 %factor = load_const (0x9e3779b1)\n32 %b = imul %texel.x, %factor\n\
                    32 %wanted = load_const (0x12345678)\n1 %condition = ieq %b, %wanted"
            .into(),
        store: COLOR,
    };
    let Verdict::Undecided(reason) = case.verdict() else { panic!("a texel is chosen") };
    let end = "; the interpreter does not confirm what the solver finds, which has a value of `sample of 2D ";
    assert!(reason.reason.contains(end), "{}", reason.reason);
}
