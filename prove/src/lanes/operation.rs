// SPDX-License-Identifier: MIT

//! An operation as a shader of its own, which the interpreter runs in several invocations.

use super::Number;
use ntv::op::names::{frag_result, varying};
use ntv::text;
use ntv_interp::{run, Inputs, Invocation, Limits, Resources, Slot};
use std::fmt::Write;

const LIMITS: Limits = Limits { instructions: 100_000, components: 1 << 20 };

/// An operation on numbers.
#[derive(Debug)]
pub(super) struct Operation {
    /// The declarations of its textures.
    pub(super) declarations: String,
    /// The instructions before its result.
    pub(super) lines: String,
    /// The definition that its result is, and the width of this.
    pub(super) result: Option<(usize, u8)>,
    /// The first instruction after a branch that all invocations for which this operand is true take.
    pub(super) condition: Option<usize>,
    /// The textures and images.
    pub(super) resources: Resources,
    arguments: String,
    next: usize,
    widths: Vec<u8>,
}

impl Operation {
    /// An operation with operands of these widths: their definitions.
    pub(super) fn new(widths: &[u8]) -> (Operation, Vec<usize>) {
        let mut operation = Operation {
            declarations: String::new(),
            lines: String::new(),
            result: None,
            condition: None,
            resources: Resources::default(),
            arguments: String::new(),
            // The definition 0 is the number 0, and 1 is the middle of a pixel.
            next: 2,
            widths: widths.to_vec(),
        };
        let (mut word, mut args) = (0, Vec::new());
        for width in widths {
            let words: Vec<usize> = (0..width.div_ceil(32)).map(|i| operation.input(word + u32::from(i))).collect();
            word += words.len() as u32;
            args.push(match (width, &words[..]) {
                (32, [word]) => *word,
                (1, [word]) => operation.add(1, 1, &format!("ine %{word}, %0")),
                (64, [low, high]) => operation.add(64, 1, &format!("pack_64_2x32_split %{low}, %{high}")),
                (_, words) => operation.add(*width, 1, &format!("u2u{width} %{}", words[0])),
            });
        }
        operation.arguments = std::mem::take(&mut operation.lines);
        (operation, args)
    }

    fn input(&mut self, word: u32) -> usize {
        let (slot, c) = (word / 4, word % 4);
        self.add(32, 1, &format!(
            "@load_interpolated_input (%1, %0) (base={slot}, component={c}, dest_type=float32, io location=VARYING_SLOT_VAR{slot} slots=1)"
        ))
    }

    /// Adds an instruction with a result.
    pub(super) fn add(&mut self, width: u8, components: usize, instruction: &str) -> usize {
        let number = self.next;
        self.next += 1;
        let size = if components > 1 { format!("{width}x{components}") } else { width.to_string() };
        let _ = writeln!(self.lines, "{size} %{number} = {instruction}");
        number
    }

    /// Adds an instruction without a result.
    pub(super) fn add_effect(&mut self, instruction: &str) {
        let _ = writeln!(self.lines, "{instruction}");
    }

    /// A vector of scalars; of one, the scalar.
    pub(super) fn vector(&mut self, width: u8, parts: &[usize]) -> usize {
        match parts {
            [one] => *one,
            _ => {
                let list: Vec<String> = parts.iter().map(|part| format!("%{part}")).collect();
                self.add(width, parts.len(), &format!("vec{} {}", parts.len(), list.join(", ")))
            }
        }
    }

    fn store(&mut self, word: usize, component: usize) {
        self.add_effect(&format!(
            "@store_output (%{word}, %0) (base={component}, range=1, wrmask=x, component=0, src_type=uint32, io location=FRAG_RESULT_DATA{component} slots=1)"
        ));
    }

    fn text(&mut self) -> String {
        let words = match self.result {
            None => Vec::new(),
            Some((result, 32)) => vec![result],
            Some((result, 1)) => vec![self.add(32, 1, &format!("b2i32 %{result}"))],
            Some((result, 64)) => {
                ["x", "y"].map(|part| self.add(32, 1, &format!("unpack_64_2x32_split_{part} %{result}"))).to_vec()
            }
            Some((result, _)) => vec![self.add(32, 1, &format!("u2u32 %{result}"))],
        };
        words.iter().enumerate().for_each(|(c, word)| self.store(*word, c));
        let Operation { declarations, arguments, lines, condition, .. } = self;
        let start = format!(
            "shader: MESA_SHADER_FRAGMENT\nname: operation\n{declarations}decl_function main () (entrypoint)\n\nimpl main {{\n\
             block b0:   // preds:\n32 %0 = load_const (0x00000000)\n\
             32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n{arguments}"
        );
        match condition {
            None => format!("{start}{lines}// succs: b1\nblock b1:\n}}\n"),
            Some(condition) => format!(
                "{start}// succs: b1 b2\nif %{condition} {{\nblock b1:   // preds: b0\n{lines}// succs: b3\n}} else {{\n\
                 block b2:   // preds: b0\n// succs: b3\n}}\nblock b3:   // preds: b1 b2\n// succs: b4\nblock b4:\n}}\n"
            ),
        }
    }

    /// Runs the operation in invocations whose operands have these numbers: its results. `None` if it cannot run.
    pub(super) fn run(&mut self, args: &[Vec<Number>], subgroup_size: u32) -> Option<Vec<Number>> {
        let shader = text::parse(&self.text()).ok()?;
        let invocation = |args: &Vec<Number>| {
            let mut words = Vec::new();
            for (arg, width) in args.iter().zip(&self.widths) {
                let number = arg.known().unwrap_or(0);
                words.extend([number as u32, (number >> 32) as u32].iter().take(width.div_ceil(32).into()));
            }
            let slots = words.chunks(4).zip(varying::VAR0..).map(|(words, slot)| {
                let mut all = [0; 4];
                all[..words.len()].copy_from_slice(words);
                (Slot::new(slot), all)
            });
            Invocation { slots: slots.collect(), ..Invocation::default() }
        };
        let inputs = Inputs { invocations: args.iter().map(invocation).collect(), subgroup_size, ..Inputs::default() };
        let outcome = run(&shader, &mut self.resources, &inputs, LIMITS);
        if outcome.faults.iter().any(|fault| fault.is_undefined_behaviour()) {
            return None;
        }
        // An operand that is not known may be one of other invocations, too.
        let is_known = args.iter().flatten().all(|arg| matches!(arg, Number::Known(_)));
        let result = outcome.outputs.iter().map(|outputs| {
            let word = |c: u32| {
                let words = outputs.get(&Slot::new(frag_result::DATA0 + c))?;
                words[0].is_defined().then_some(words[0].value)
            };
            let number = match self.result {
                Some((_, 64)) => word(0).zip(word(1)).map(|(low, high)| high << 32 | low),
                _ => word(0),
            };
            number.filter(|_| is_known).map_or(Number::Unknown, Number::Known)
        });
        Some(result.collect())
    }
}
