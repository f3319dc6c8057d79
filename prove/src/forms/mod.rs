// SPDX-License-Identifier: MIT

//! Small shaders that have one form each: an opcode at a width, an access to memory of an alignment. What is proved of them is proved
//! of the rule that translates the form.

mod identities;

pub use identities::{of_algebraic, of_constants, run};

use crate::rows::Row;
use ntv::op::Base;
use ntv::pass::Pass;
use ntv::target::Version;
use ntv::{Feature, Target};
use std::fmt::Write as _;

/// The kinds of forms that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Opcodes without floats.
    Integers,
    /// Opcodes with floats, none of which has 64 bits.
    Floats,
    /// Opcodes with floats of 64 bits.
    Doubles,
    /// Accesses to memory.
    Accesses,
    /// Operations that the pass `algebraic` simplifies.
    Identities,
    /// Operations on numbers, which the pass `constant_fold` computes.
    Folds,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 6] =
        [Class::Integers, Class::Floats, Class::Doubles, Class::Accesses, Class::Identities, Class::Folds];

    /// Its name.
    pub fn name(self) -> &'static str {
        ["integers and booleans", "floats", "doubles", "accesses to memory", "identities", "folds"][self as usize]
    }

    fn of_row(row: Row) -> Class {
        let info = row.op.info();
        let operands = info.srcs.iter().chain([&info.dest]);
        let mut floats = operands.filter(|operand| operand.ty.base == Base::Float).map(|it| it.bits(row.width));
        match (floats.clone().next(), floats.any(|bits| bits == 64)) {
            (None, _) => Class::Integers,
            (_, false) => Class::Floats,
            (_, true) => Class::Doubles,
        }
    }
}

/// A shader that has one form.
#[derive(Clone, Debug)]
pub struct Form {
    /// Its kind.
    pub class: Class,
    /// Its name: `iadd@16`, `load_ubo 16x3 align 4+2 dynamic`.
    pub name: String,
    /// The shader, as a dump.
    pub text: String,
    /// The pass whose result is proved; `None` for the words of the translation.
    pub pass: Option<&'static Pass>,
}

impl Form {
    /// Its name without the number of components, or without the alignment.
    pub fn kind(&self) -> &str {
        let end = self
            .name
            .find(" align")
            .or_else(|| Some(self.name.find('@')? + self.name.split('@').nth(1)?.find('x')? + 1));
        &self.name[..end.unwrap_or(self.name.len())]
    }
}

/// The header of all forms: a compute shader with a storage block of operands and one of results.
const HEADER: &str = "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\nnum_ubos: 2\nnum_ssbos: 2\n\
decl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n    \
32 %1 = load_const (0x00000001)\n";

const END: &str = "    // succs: b1\n    block b1:\n}\n";

/// A shader in the making.
struct Text {
    text: String,
    next: u32,
    operands: u32,
    results: u32,
}

impl Text {
    fn new() -> Text {
        Text { text: HEADER.to_owned(), next: 2, operands: 0, results: 0 }
    }

    /// Adds an instruction with a result; returns its number.
    fn def(&mut self, width: u8, count: u8, rest: &str) -> u32 {
        let number = self.next;
        self.next += 1;
        let shape = if count > 1 { format!("{width}x{count}") } else { width.to_string() };
        let _ = writeln!(self.text, "    {shape} %{number} = {rest}");
        number
    }

    fn constant(&mut self, value: u32) -> u32 {
        self.def(32, 1, &format!("load_const ({value:#010x})"))
    }

    /// Loads an operand from the block of operands.
    fn operand(&mut self, width: u8, count: u8, is_bool: bool) -> u32 {
        let at = self.constant(16 * self.operands);
        self.operands += u32::from(count.div_ceil(2)).max(1);
        let access = "(access=none, align_mul=16, align_offset=0)";
        let in_memory = if width == 1 || is_bool { 32 } else { width };
        let loaded = self.def(in_memory, count, &format!("@load_ssbo (%0, %{at}) {access}"));
        match (width, is_bool) {
            (1, _) => self.operand_of_bool(loaded, count),
            // A boolean of more bits is 0 or all ones.
            (_, true) => {
                let narrow = self.operand_of_bool(loaded, count);
                self.def(width, count, &format!("b2b{width} %{narrow}"))
            }
            _ => loaded,
        }
    }

    fn operand_of_bool(&mut self, loaded: u32, count: u8) -> u32 {
        let zero = match count {
            1 => 0,
            _ => self.def(32, count, &format!("load_const ({})", vec!["0x00000000"; count.into()].join(", "))),
        };
        self.def(1, count, &format!("ine %{loaded}, %{zero}"))
    }

    /// Stores a result to the block of results.
    fn result(&mut self, def: u32, width: u8, count: u8) {
        let at = self.constant(32 * self.results);
        self.results += 1;
        let value = if width == 1 { self.def(32, count, &format!("b2i32 %{def}")) } else { def };
        let mask = &"xyzw"[..usize::from(count.min(4))];
        let indices = format!("(wrmask={mask}, access=none, align_mul=16, align_offset=0)");
        let _ = writeln!(self.text, "    @store_ssbo (%{value}, %1, %{at}) {indices}");
    }

    fn end(mut self) -> String {
        self.text += END;
        self.text
    }
}

/// The form of an opcode with `count` components, if it has them; `None` for vectors that SPIR-V for Vulkan does not have.
pub fn of_row(row: Row, count: u8) -> Option<Form> {
    let info = row.op.info();
    let shape = |operand: &ntv::op::Operand| (operand.components(count), operand.bits(row.width));
    let all = info.srcs.iter().chain([&info.dest]);
    if all.clone().any(|operand| shape(operand).0 > 4) || (count > 1 && all.clone().all(|operand| operand.size != 0)) {
        return None;
    }
    let mut text = Text::new();
    let operands: Vec<String> = info
        .srcs
        .iter()
        .map(|src| {
            let (count, bits) = shape(src);
            format!("%{}", text.operand(bits, count, src.ty.base == Base::Bool && bits > 1))
        })
        .collect();
    let (n, bits) = shape(&info.dest);
    let made = text.def(bits, n, &format!("{} {}", row.op.name(), operands.join(", ")));
    text.result(made, bits, n);
    let name = if count > 1 { format!("{}x{count}", row.name()) } else { row.name() };
    Some(Form { class: Class::of_row(row), name, text: text.end(), pass: None })
}

/// A target without features, for which most forms are lowered.
pub fn poor_target() -> Target {
    let mut target = Target::new(Version(1, 0));
    Feature::ALL.iter().for_each(|feature| target.set(*feature, false));
    target
}

/// The kinds of memory with forms by byte offset.
const MEMORIES: [&str; 4] = ["ubo", "ssbo", "shared", "push_constant"];

/// Alignments: the multiple, and the rest.
const ALIGNMENTS: [(u32, u32); 15] = [
    (1, 0),
    (2, 0),
    (4, 0),
    (4, 2),
    (8, 0),
    (8, 4),
    (8, 6),
    (16, 0),
    (16, 2),
    (16, 4),
    (16, 8),
    (16, 12),
    (16, 14),
    (64, 0),
    (64, 36),
];

/// All loads and stores by byte offset: each memory, width, number of components, alignment, and offset that is constant or not.
pub fn of_memory() -> Vec<Form> {
    let mut forms = Vec::new();
    for memory in MEMORIES {
        for (width, count) in [8, 16, 32, 64].iter().flat_map(|width| (1..=4).map(|count| (*width, count))) {
            for (multiple, rest) in ALIGNMENTS {
                let bytes = u32::from(width) / 8;
                // NIR aligns an access at least to its components.
                if multiple < bytes || rest % bytes != 0 {
                    continue;
                }
                // Push constants have 128 bytes, which is less than some of the constant offsets.
                let is_small = memory == "push_constant" && multiple > 16;
                for is_dynamic in [false, true].into_iter().filter(|is_dynamic| *is_dynamic || !is_small) {
                    forms.push(load(memory, (width, count), (multiple, rest), is_dynamic));
                    if matches!(memory, "ssbo" | "shared") {
                        forms.push(store(memory, (width, count), (multiple, rest), is_dynamic));
                    }
                }
            }
        }
    }
    forms
}

/// The offset of an access: a constant, or a number with the alignment that is promised.
fn offset(text: &mut Text, (multiple, rest): (u32, u32), is_dynamic: bool) -> u32 {
    if !is_dynamic {
        return text.constant(multiple.max(16) * 2 + rest);
    }
    text.operand(32, 1, false)
}

fn name(kind: &str, (width, count): (u8, u8), (multiple, rest): (u32, u32), is_dynamic: bool) -> String {
    let offset = if is_dynamic { "dynamic" } else { "constant" };
    format!("{kind} {width}x{count} align {multiple}+{rest} {offset}")
}

fn load(memory: &str, (width, count): (u8, u8), align: (u32, u32), is_dynamic: bool) -> Form {
    let mut text = Text::new();
    let at = offset(&mut text, align, is_dynamic);
    let alignment = format!("align_mul={}, align_offset={}", align.0, align.1);
    let rest = match memory {
        "ubo" => format!("@load_ubo (%1, %{at}) (access=none, {alignment}, range_base=0, range=256)"),
        "ssbo" => format!("@load_ssbo (%0, %{at}) (access=none, {alignment})"),
        "shared" => format!("@load_shared (%{at}) (base=0, access=none, {alignment})"),
        _ => format!("@load_push_constant (%{at}) (base=0, range=128, {alignment})"),
    };
    let value = text.def(width, count, &rest);
    text.result(value, width, count);
    let text = with_shared_memory(text.end());
    let name = name(&format!("load_{memory}"), (width, count), align, is_dynamic);
    Form { class: Class::Accesses, name, text, pass: None }
}

fn store(memory: &str, (width, count): (u8, u8), align: (u32, u32), is_dynamic: bool) -> Form {
    let mut text = Text::new();
    let value = text.operand(width, count, false);
    let at = offset(&mut text, align, is_dynamic);
    let mask = &"xyzw"[..usize::from(count)];
    let alignment = format!("align_mul={}, align_offset={}", align.0, align.1);
    let _ = match memory {
        "ssbo" => {
            writeln!(text.text, "    @store_ssbo (%{value}, %1, %{at}) (wrmask={mask}, access=none, {alignment})")
        }
        _ => {
            writeln!(text.text, "    @store_shared (%{value}, %{at}) (base=0, access=none, wrmask={mask}, {alignment})")
        }
    };
    if memory == "shared" {
        // What is in shared memory is seen where it is loaded.
        let at = text.operand(32, 1, false);
        let loaded =
            text.def(32, 1, &format!("@load_shared (%{at}) (base=0, access=none, align_mul=4, align_offset=0)"));
        text.result(loaded, 32, 1);
    }
    let text = with_shared_memory(text.end());
    let name = name(&format!("store_{memory}"), (width, count), align, is_dynamic);
    Form { class: Class::Accesses, name, text, pass: None }
}

fn with_shared_memory(text: String) -> String {
    match text.contains("_shared") {
        true => text.replace("num_ubos: 2\n", "shared_size: 1024\nnum_ubos: 2\n"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Prover, Verdict};
    use ntv::op::AluOp;
    use ntv::{text, EmitOptions, Options, Translator};

    #[test]
    fn forms_are_shaders() {
        let rows = Row::all();
        let forms: Vec<Form> = rows.iter().filter_map(|row| of_row(*row, 1)).chain(of_memory()).collect();
        assert!(forms.len() > 1000, "{}", forms.len());
        for form in forms {
            let shader = text::parse(&form.text);
            assert!(shader.is_ok(), "{}: {:?}\n{}", form.name, shader.err(), form.text);
        }
    }

    /// What trials say about the double that an opcode gives, on a target without doubles, if the module has another one.
    fn verdict_of_double(op: AluOp, other: AluOp) -> Verdict {
        let target = poor_target();
        let [shader, mut found] = [op, other].map(|op| {
            let form = of_row(Row { op, width: 64 }, 1).expect("a form");
            text::parse(&form.text).expect("a shader")
        });
        let mut translator = Translator::new(Options::default().target(target.clone()));
        let words = translator.translate(&mut found, &EmitOptions::default()).expect("a module").words;
        Prover::default().prove(&shader, &target, &words)
    }

    /// The inputs that are tried have NaNs of many bits.
    #[test]
    fn bits_of_nans_are_open_where_doubles_are_integers() {
        for op in [AluOp::ftrunc, AluOp::fceil, AluOp::ffloor, AluOp::fround_even, AluOp::ldexp] {
            let Verdict::Undecided(why) = verdict_of_double(op, op) else { panic!("{op:?}") };
            assert!(why.reason.contains("a NaN keeps its bits"), "{op:?}: {}", why.reason);
        }
        let other = verdict_of_double(AluOp::fmin, AluOp::fmax);
        assert!(matches!(other, Verdict::Different(witness) if witness.confirmed), "numbers differ");
    }
}
