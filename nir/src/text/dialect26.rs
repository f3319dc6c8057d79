// SPDX-License-Identifier: MIT

//! Constructs that only Mesa 26 prints.
//!
//! The parser rewrites them into constructs of 25.0, which the printer writes:
//!
//! | 26 | becomes |
//! |-|-|
//! | `min_subgroup_size: 1`, `spec[0] = 0x0000002a`, `Unhandled stage 6`, ... | nothing: no rule needs them |
//! | `float_controls_execution_mode: 0x000001d1` | the bits of 25.0 |
//! | `struct#1`, `uint64_t[8]#2` | the type without its number: types of equal names differ in their layout |
//! | `deref_var &v (shader_out highp vec4)` | the deref without the precision, which the variable has |
//! | `ffma_weak` | `ffma` |
//! | `fadd %1, %2 // exact, preserve:nan` | the [flags](crate::ir::AluFlags) of the instruction |
//! | `offset_shift=2` | a shift of the offset |
//! | `access=volatile` of scratch | nothing: no other invocation accesses it |
//! | `VARYING_SLOT_CLIP_DIST1` for element 1 of an array in a mesh shader | component 1 of `VARYING_SLOT_CLIP_DIST0` |
//! | `tex ..., 2D-MSAA` | the [dimension](crate::ir::TexData::dim) of the texture |
//!
//! A field of the header that this table does not have becomes a note, because most fields are summaries of the instructions.

use super::cursor::Cursor;
use super::parser::Parser;
use crate::error::Error;
use crate::ir::{AluFlags, AluSrc, Def, InstKind};
use crate::op::meaning::MemoryKind;
use crate::op::names::ImageDim;
use crate::op::{AluOp, Index, Intrinsic};

/// Fields of the header that no rule needs. Each dump of 26 has the first one.
const FIELDS: &[&str] = &[
    "min_subgroup_size",
    "max_subgroup_size",
    "api_subgroup_size",
    "api_subgroup_size_draw_uniform",
    "prev_stage",
    "known_interpolation_qualifiers",
    "perspective_varyings",
    "linear_varyings",
    "needs_coarse_quad_helper_invocations",
    "needs_full_quad_helper_invocations",
    "outputs_read_indirectly",
    "outputs_written_indirectly",
    "patch_outputs_read_indirectly",
    "patch_outputs_written_indirectly",
];

/// The number of bits of 25.0 before those that 26 has in `float_controls_execution_mode`: whether shaders preserve signed zeros,
/// infinities and NaNs, which instructions say in 26.
const INSTRUCTION_CONTROLS: u32 = 9;

/// The words of a comment after an ALU instruction.
const MATH: &[(&str, AluFlags)] = &[
    ("exact", AluFlags::EXACT),
    ("no-contract", AluFlags::NO_CONTRACT),
    ("no-reassoc", AluFlags::NO_REASSOC),
    ("no-transform", AluFlags::NO_TRANSFORM),
];

/// The words after `preserve:`.
const PRESERVED: &[(&str, AluFlags)] =
    &[("sz", AluFlags::PRESERVE_SIGNED_ZERO), ("inf", AluFlags::PRESERVE_INF), ("nan", AluFlags::PRESERVE_NAN)];

impl<'a> Parser<'a> {
    /// Skips a field of the header that only 26 has. False if `key` is not one.
    pub(super) fn field26(&mut self, key: &str) -> bool {
        let known = FIELDS.contains(&key);
        self.is_26 |= key == FIELDS[0];
        known
    }

    /// Gives the float controls the bits of 25.0.
    pub(super) fn renumber_float_controls(&mut self) {
        let controls = &mut self.shader.info.float_controls_execution_mode;
        *controls = controls.wrapping_shl(INSTRUCTION_CONTROLS) | self.preserved;
    }

    /// Parses the math control of an ALU instruction, which 26 prints as a comment: `// exact, preserve:sz,nan`.
    pub(super) fn math_control(&mut self, line: &mut Cursor<'a>) -> Result<AluFlags, Error> {
        let mut flags = AluFlags::empty();
        // Most lines end here.
        if line.skip_blanks() != b'/' || !(self.is_26 || is_math(line)) || !line.eat_str("//") {
            return Ok(flags);
        }
        let mut names = MATH;
        while line.skip_blanks() != 0 {
            line.eat(b',');
            let start = line.token_start();
            let word = line.take_while(|b| b.is_ascii_lowercase() || b == b'-');
            if word == "preserve" && line.eat(b':') {
                names = PRESERVED;
                continue;
            }
            let known = names.iter().find(|(name, _)| *name == word);
            flags |=
                known.ok_or_else(|| line.error(start, "expected a math control such as `exact` or `preserve:nan`"))?.1;
        }
        Ok(flags)
    }

    /// Records that an instruction of `bits` bits has these flags: Vulkan's float controls are those of a shader.
    pub(super) fn record_preserved(&mut self, flags: AluFlags, bits: u8) {
        let Some(width) = [16, 32, 64].iter().position(|width| *width == bits) else { return };
        for (number, (_, flag)) in PRESERVED.iter().enumerate() {
            if flags.contains(*flag) {
                self.preserved |= 1 << (3 * number + width);
            }
        }
    }

    /// Shifts the offset of an access, in place of the index `offset_shift` of 26.
    pub(super) fn shift_offset(
        &mut self,
        line: &Cursor<'a>,
        op: Intrinsic,
        srcs: &mut [Def],
        shift: u32,
    ) -> Result<(), Error> {
        let offset = op.info().memory.and_then(|memory| memory.offset).map(usize::from);
        let Some(src) = offset.and_then(|at| srcs.get_mut(at)) else {
            return Err(line.error(0, &format!("`{}` has no offset to shift", op.name())));
        };
        let bits = self.shader.bit_size(*src);
        let shift = self.shader.consts.push(&[shift.into()]);
        let shift = self.emit(1, 32, InstKind::Const(shift)).def();
        let operands = self.shader.push_alu_srcs(&[AluSrc::from(*src), AluSrc::from(shift)]);
        *src = self.emit(1, bits, InstKind::Alu { op: AluOp::ishl, flags: AluFlags::empty(), srcs: operands }).def();
        Ok(())
    }
}

/// Whether a comment has math controls, as the printer writes them in the dialect of 25.0, too.
fn is_math(line: &Cursor<'_>) -> bool {
    let mut ahead = *line;
    ahead.eat_str("//") && (ahead.eat_str("no-") || ahead.eat_str("preserve:"))
}

/// The opcode of 25.0 for one that only 26 has.
pub(super) fn alu_op(name: &str) -> Option<AluOp> {
    (name == "ffma_weak").then_some(AluOp::ffma)
}

/// Parses an index that only 26 has, after its name. Returns the bits by which it shifts the offset; `None` for another index.
pub(super) fn index(line: &mut Cursor<'_>, op: Intrinsic, name: &str) -> Result<Option<u32>, Error> {
    // No other invocation accesses scratch memory.
    let is_scratch = || op.info().memory.is_some_and(|memory| memory.kind == MemoryKind::Scratch);
    match name {
        "offset_shift" if line.eat(b'=') => {
            let start = line.token_start();
            let bits = line.number32("a number of bits")?;
            if bits > 31 {
                return Err(line.error(start, "expected at most 31 bits"));
            }
            Ok(Some(bits))
        }
        "fp" if line.eat_str("-fast-math") => Ok(Some(0)),
        "access" if is_scratch() => {
            line.take_while(|b| !matches!(b, b',' | b')'));
            Ok(Some(0))
        }
        _ => Ok(None),
    }
}

/// Whether 25.0 does not print an index with this value: accesses to shared memory and payloads have qualifiers in 26 only.
pub(super) fn is_only_in_26(op: Intrinsic, index: Index, value: u32) -> bool {
    let shared = [MemoryKind::Shared, MemoryKind::TaskPayload];
    let is_shared = op.info().memory.is_some_and(|memory| shared.contains(&memory.kind));
    index == Index::access && is_shared && value == 0
}

/// The name of a type without the number that tells it from others of the same name. That of a struct without a name begins with `#`.
pub(super) fn type_name(printed: &str) -> &str {
    let end = printed.char_indices().skip(1).find(|(_, letter)| *letter == '#');
    &printed[..end.map_or(printed.len(), |(at, _)| at)]
}

/// Parses the dimension at the end of a texture instruction, if it is next.
pub(super) fn dimension(line: &mut Cursor<'_>) -> Option<ImageDim> {
    let mut ahead = *line;
    let dim = ImageDim::from_name(ahead.take_while(|b| b.is_ascii_alphanumeric() || b == b'-'))?;
    *line = ahead;
    Some(dim)
}

/// Prints the flags that 25.0 has no sign for, as 26 prints them.
pub(super) fn print_math(flags: AluFlags, out: &mut String) {
    let mut words: Vec<&str> = Vec::new();
    if !flags.contains(AluFlags::EXACT) {
        words.extend(MATH.iter().skip(1).filter(|(_, flag)| flags.contains(*flag)).map(|(name, _)| *name));
    }
    let preserved: Vec<&str> =
        PRESERVED.iter().filter(|(_, flag)| flags.contains(*flag)).map(|(name, _)| *name).collect();
    let preserved = preserved.join(",");
    if !words.is_empty() || !preserved.is_empty() {
        out.push_str("  // ");
        out.push_str(&words.join(", "));
        if !preserved.is_empty() {
            out.push_str(if words.is_empty() { "preserve:" } else { ", preserve:" });
            out.push_str(&preserved);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::ir::{AluFlags, InstKind, Shader};
    use crate::op::names::ImageDim;
    use crate::op::{AluOp, Index, Intrinsic};
    use crate::text::{find, parse, print};

    /// A compute shader as 26 prints it.
    fn dump(fields: &str, body: &str) -> String {
        format!(
            "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 1, 1, 1\n{fields}max_subgroup_size: 128\nmin_subgroup_size: 1\n\
             decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    32 %0 = load_const (0x00000001)\n{body}    \
             // succs: b1\n    block b1:\n}}\n"
        )
    }

    fn read(text: &str) -> Shader {
        let shader = parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let printed = print(&shader);
        let again = parse(&printed).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
        assert!(again == shader, "changed:\n{printed}");
        shader
    }

    fn flags(shader: &Shader) -> Vec<AluFlags> {
        let flags = shader.order.iter().filter_map(|inst| match shader.insts[*inst].kind {
            InstKind::Alu { flags, .. } => Some(flags),
            _ => None,
        });
        flags.collect()
    }

    #[test]
    fn math_controls_are_flags() {
        let body = "    32 %1 = fadd %0, %0 // exact, preserve:sz,inf,nan\n    32 %2 = fmul %0, %0  // no-contract, preserve:nan\n    \
                    32 %3 = fneg %0  // no-reassoc, no-transform\n    32 %4 = fsub %0, %0\n";
        use AluFlags as F;
        let all = F::PRESERVE_SIGNED_ZERO | F::PRESERVE_INF | F::PRESERVE_NAN;
        let expected = [F::EXACT | all, F::NO_CONTRACT | F::PRESERVE_NAN, F::NO_REASSOC | F::NO_TRANSFORM, F::empty()];
        assert_eq!(flags(&read(&dump("", body))), expected);
        let unknown = dump("", "    32 %1 = fadd %0, %0 // exact, preserve:sz,odd\n");
        let errors = parse(&unknown).expect_err("an unknown control").0;
        assert!(errors[0].message.contains("`odd`"), "{}", errors[0]);
        // 25.0 has no such comments.
        let old = dump("", "    32 %1 = fadd %0, %0 // the sum\n")
            .replace("min_subgroup_size", "subgroup_size")
            .replace("max_", "");
        assert_eq!(flags(&read(&old)), [F::empty()]);
    }

    #[test]
    fn float_controls_have_other_bits() {
        let controls = |fields: &str, body: &str| read(&dump(fields, body)).info.float_controls_execution_mode;
        // Denormals of 16 bits are kept, those of 32 bits flushed; 64 bits are rounded to nearest.
        let fields = "float_controls_execution_mode: 0x00000111\n";
        assert_eq!(controls(fields, ""), 1 << 9 | 1 << 13 | 1 << 17);
        // What instructions preserve is a mode of the shader in Vulkan.
        assert_eq!(controls("", "    32 %1 = fadd %0, %0  // preserve:sz,nan\n"), 1 << 1 | 1 << 7);
    }

    #[test]
    fn shifts_of_offsets_are_applied() {
        let load = "    32 %1 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0, offset_shift=2)\n";
        let shader = read(&dump("", load));
        let inst = *shader.order.last().expect("a load");
        let (op, srcs) = shader.as_intrinsic(inst).expect("a load");
        assert_eq!(op, Intrinsic::load_ssbo);
        let (shift, operands) = shader.as_alu(srcs[1]).expect("a shift");
        assert_eq!((shift, shader.as_const_scalar(operands[1].def)), (AluOp::ishl, Some(2)));
        assert_eq!(read(&dump("", &load.replace("shift=2", "shift=0"))).order.len(), 2);
    }

    #[test]
    fn qualifiers_of_shared_memory_are_kept() {
        let load = "    32 %1 = @load_shared (%0) (base=0, access=volatile, align_mul=4, align_offset=0)\n";
        let shader = read(&dump("shared_size: 16\n", load));
        assert_ne!(shader.index(shader.order[1], Index::access), 0);
        let plain = read(&dump("shared_size: 16\n", &load.replace("volatile", "none")));
        assert!(!print(&plain).contains("access="), "25.0 prints no qualifiers of shared memory");
    }

    #[test]
    fn other_constructs_are_read() {
        let body = "    32 %1 = ffma_weak %0, %0, %0\n    32x4 %2 = (float32)txf_ms %0 (coord), %0 (ms_index), 3 (texture), 2D-MSAA\n    \
                    32 %3 = @ddx_fine (%1) (fp-fast-math)\n";
        let shader = read(&dump("spec[5] = 0x00000000\nperspective_varyings: 0,32\n", body));
        assert!(shader.texs.values().all(|tex| tex.dim == Some(ImageDim::ms)));
        assert_eq!(shader.as_alu(shader.order[1].def()).map(|(op, _)| op), Some(AluOp::ffma));
    }

    #[test]
    fn unknown_fields_are_notes() {
        let found = find(&dump("of_the_future: 7\n", "")).next().expect("a shader");
        assert!(found.shader.is_ok());
        let notes: Vec<_> =
            found.notes.iter().map(|note| (note.kind, note.place.line, note.message.as_str())).collect();
        assert_eq!(notes, [(ErrorKind::Syntax, 3, "the header field `of_the_future` is not known and has no effect")]);
    }
}
