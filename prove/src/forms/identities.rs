// SPDX-License-Identifier: MIT

//! Small shaders that the passes `algebraic` and `constant_fold` change: what a pass makes of each is proved to be the same.
//!
//! The operations that `algebraic` has rules for get operands of each kind that a rule may ask for: a constant, the same value twice, the
//! result of another operation. What the pass does not change has no identity, and is left out. Constants are the operands of every row
//! of the table.

use super::{Class, Form, Text};
use crate::rows::Row;
use ntv::op::AluOp::{self, *};
use ntv::op::{Base, Operand};
use ntv::pass::{self, Context, Pass};
use ntv::{text, Shader};
use rustc_hash::FxHashMap;

/// An operand of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    /// One of two values that are not known.
    Value(u8),
    /// A number in each component.
    Number(u64),
    /// The result of another row.
    Made(AluOp, u8, Vec<Source>),
}

use Source::{Made, Number, Value};

const X: Source = Value(0);
const Y: Source = Value(1);

/// Opcodes with two operands, or more, that may be numbers or the same value.
const OUTER: &[AluOp] =
    &[iadd, ior, ixor, umax, iand, umin, imul, isub, imin, imax, ishl, ishr, ushr, ieq, ine, feq, fneu];

/// Opcodes that make an operand of [`OUTER`] of a value and a number.
const INNER: &[AluOp] = &[iadd, iand, ishl, ushr];

/// An operation, and the one that it undoes or repeats.
const PAIRS: &[(AluOp, AluOp)] = &[
    (inot, inot),
    (ineg, ineg),
    (fneg, fneg),
    (fabs, fneg),
    (fabs, fabs),
    (unpack_32_4x8, pack_32_4x8),
    (unpack_32_2x16, pack_32_2x16),
    (unpack_64_2x32, pack_64_2x32),
    (unpack_64_4x16, pack_64_4x16),
    (pack_32_4x8, unpack_32_4x8),
    (pack_32_2x16, unpack_32_2x16),
    (pack_64_2x32, unpack_64_2x32),
    (pack_64_4x16, unpack_64_4x16),
];

const NARROWING: &[AluOp] = &[i2i8, i2i16, i2i32, u2u8, u2u16, u2u32];
const WIDENING: &[AluOp] = &[i2i16, i2i32, i2i64, u2u16, u2u32, u2u64];

/// Numbers of a boolean.
const OF_BOOL: &[AluOp] = &[b2i8, b2i16, b2i32, b2i64, b2f16, b2f32, b2f64];

/// Numbers that rules ask for, or that they merge.
const NUMBERS: [u64; 7] = [0, 1, 3, 4, 0x0f, 0xf0, u64::MAX];

/// The forms that `algebraic` changes.
pub fn of_algebraic() -> Vec<Form> {
    changed("algebraic", Class::Identities, operations())
}

/// The forms that `constant_fold` changes: rows of numbers.
pub fn of_constants() -> Vec<Form> {
    let numbers = |row: Row, first: usize| {
        let number = |(at, base): (usize, Base)| match base {
            Base::Bool => (first + at) as u64 % 2,
            Base::Float => [0x3c00_0000_0000_0000, 0x40ff_3c00_3e00_4200, 0xbff8_0000_c0a0_4900][(first + at) % 3],
            _ => [7, 0x8000_0000_8000_8081, 0xffff_fff0_ffff_fff3][(first + at) % 3],
        };
        let all = row.op.info().srcs.iter().map(|src| src.ty.base).enumerate().map(number);
        (row, all.map(Number).collect())
    };
    let rows = Row::all().into_iter().flat_map(|row| (0..3).map(move |first| numbers(row, first)));
    changed("constant_fold", Class::Folds, rows.collect())
}

/// The operations that may have a rule.
fn operations() -> Vec<(Row, Vec<Source>)> {
    let rows = Row::all();
    let of = |op: AluOp| rows.iter().copied().filter(move |row| row.op == op);
    let mut all = Vec::new();
    for row in OUTER.iter().flat_map(|op| of(*op)) {
        all.push((row, vec![X, X]));
        for number in NUMBERS.map(Number) {
            all.extend([(row, vec![X, number.clone()]), (row, vec![number.clone(), X])]);
            let made = INNER.iter().flat_map(|op| NUMBERS.map(|inner| Made(*op, row.width, vec![X, Number(inner)])));
            for made in made {
                // A shift of a few bits there and back.
                let masked = Made(iand, row.width, vec![made.clone(), Number(0x0f)]);
                let inner = Made(ishl, row.width, vec![masked, Number(4)]);
                all.extend([made.clone(), inner].map(|made| (row, vec![made, number.clone()])));
                all.push((row, vec![number.clone(), made]));
            }
            let numbers = OF_BOOL.iter().map(|op| Made(*op, 1, vec![X]));
            let choices = NUMBERS.map(|inner| Made(bcsel, row.width, vec![X, Number(inner), Number(3)]));
            all.extend(numbers.chain(choices).map(|made| (row, vec![made, number.clone()])));
        }
    }
    for (outer, inner) in PAIRS {
        for row in of(*outer) {
            all.extend(of(*inner).map(|made| (row, vec![Made(*inner, made.width, vec![X])])));
        }
    }
    for (outer, inner) in NARROWING.iter().flat_map(|outer| WIDENING.iter().map(move |inner| (*outer, *inner))) {
        for row in of(outer) {
            all.extend(of(inner).map(|made| (row, vec![Made(inner, made.width, vec![X])])));
        }
    }
    for row in of(bcsel) {
        let negated = Made(inot, 1, vec![X]);
        all.extend(
            [vec![X, Y, Y], vec![negated, X, Y], vec![X, Number(1), Number(0)], vec![X, Number(0), Number(1)]]
                .map(|srcs| (row, srcs)),
        );
    }
    all
}

/// The forms of these operations that a pass changes, each once.
fn changed(name: &'static str, class: Class, operations: Vec<(Row, Vec<Source>)>) -> Vec<Form> {
    let Some(pass) = pass::named(name) else { return Vec::new() };
    let mut forms: FxHashMap<String, Form> = FxHashMap::default();
    for (row, srcs) in operations {
        let Some(text) = Maker::text(row, &srcs) else { continue };
        let shown: Vec<String> = srcs.iter().map(shown).collect();
        let name = format!("{} ({})", row.name(), shown.join(", "));
        if text::parse(&text).is_ok_and(|mut shader| run(pass, &mut shader)) {
            forms.insert(name.clone(), Form { class, name, text, pass: Some(pass) });
        }
    }
    let mut forms: Vec<Form> = forms.into_values().collect();
    forms.sort_by(|a, b| a.name.cmp(&b.name));
    forms
}

/// Runs a pass; true if it changed the shader.
pub fn run(pass: &Pass, shader: &mut Shader) -> bool {
    (pass.run)(shader, &Context::default())
}

fn shown(source: &Source) -> String {
    match source {
        Value(number) => ["x", "y"][usize::from(*number)].to_owned(),
        Number(number) => format!("{number:#x}"),
        Made(op, width, srcs) => {
            format!("{}@{width} ({})", op.name(), srcs.iter().map(shown).collect::<Vec<String>>().join(", "))
        }
    }
}

/// A shader in the making, and the operands that it has.
struct Maker {
    text: Text,
    values: FxHashMap<(Source, u8, u8), u32>,
}

impl Maker {
    /// The shader that stores the result of a row; `None` if an operand has another width.
    fn text(row: Row, srcs: &[Source]) -> Option<String> {
        let mut maker = Maker { text: Text::new(), values: FxHashMap::default() };
        let (count, width) = row.result();
        let made = maker.made(row, srcs)?;
        maker.text.result(made, width, count);
        Some(maker.text.end())
    }

    fn made(&mut self, row: Row, srcs: &[Source]) -> Option<u32> {
        let info = row.op.info();
        let operands: Option<Vec<String>> = info
            .srcs
            .iter()
            .zip(srcs)
            .map(|(operand, src)| Some(format!("%{}", self.operand(row, operand, src)?)))
            .collect();
        let (count, width) = row.result();
        Some(self.text.def(width, count, &format!("{} {}", row.op.name(), operands?.join(", "))))
    }

    fn operand(&mut self, row: Row, operand: &Operand, source: &Source) -> Option<u32> {
        let (count, width) = row.shape(operand);
        match source {
            Made(op, of, srcs) => {
                let inner = Row { op: *op, width: *of };
                (inner.result() == (count, width)).then(|| self.made(inner, srcs))?
            }
            _ => {
                let key = (source.clone(), count, width);
                if let Some(known) = self.values.get(&key) {
                    return Some(*known);
                }
                let is_bool = operand.ty.base == Base::Bool && width > 1;
                let value = match source {
                    Number(number) => self.number(*number, (count, width), is_bool),
                    _ => self.text.operand(width, count, is_bool),
                };
                self.values.insert(key, value);
                Some(value)
            }
        }
    }

    /// A constant with the low bits of a number in each component.
    fn number(&mut self, number: u64, (count, width): (u8, u8), is_bool: bool) -> u32 {
        let low = number & (u64::MAX >> (64 - width));
        let number = match (width, is_bool) {
            (1, _) => (low != 0).to_string(),
            (_, true) => format!(
                "{:#0digits$x}",
                if low & 1 == 0 { 0 } else { u64::MAX >> (64 - width) },
                digits = usize::from(width) / 4 + 2
            ),
            _ => format!("{low:#0digits$x}", digits = usize::from(width) / 4 + 2),
        };
        self.text.def(width, count, &format!("load_const ({})", vec![number; count.into()].join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_opcode_with_a_rule_has_forms() {
        let forms = of_algebraic();
        let has = |op: AluOp| forms.iter().any(|form| form.name.starts_with(&format!("{}@", op.name())));
        let pairs = PAIRS.iter().map(|pair| pair.0);
        let missing: Vec<AluOp> = OUTER
            .iter()
            .copied()
            .chain(pairs)
            .chain(NARROWING.iter().copied())
            .chain([bcsel])
            .filter(|op| !has(*op))
            .collect();
        assert_eq!(missing, []);
    }

    /// An opcode of another rule belongs to a list here.
    #[test]
    fn no_other_opcode_has_a_rule() {
        // A move is a copy.
        let known = |row: &Row| OUTER.contains(&row.op) || [bcsel, mov].contains(&row.op);
        let tried = Row::all().into_iter().filter(|row| !known(row)).flat_map(|row| {
            let count = row.op.info().srcs.len();
            let kinds = NUMBERS.map(Number).into_iter().chain([X]);
            kinds.flat_map(move |kind| {
                (0..count).map(move |at| {
                    let mut srcs = vec![X; count];
                    srcs[at] = kind.clone();
                    (row, srcs)
                })
            })
        });
        let names: Vec<String> =
            changed("algebraic", Class::Identities, tried.collect()).into_iter().map(|form| form.name).collect();
        assert_eq!(names, [] as [String; 0]);
    }

    #[test]
    fn most_rows_have_folds() {
        let forms = of_constants();
        let rows = Row::all();
        let folded = rows.iter().filter(|row| forms.iter().any(|form| form.name.starts_with(&row.name()))).count();
        assert!(folded * 100 > rows.len() * 95, "{folded} of {}", rows.len());
    }
}
