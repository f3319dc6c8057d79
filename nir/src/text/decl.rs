// SPDX-License-Identifier: MIT

//! Variables: `decl_var`.
//!
//! ```text
//! decl_var shader_in INTERP_MODE_FLAT none highp vec2 uv (VARYING_SLOT_VAR0.zw, 0, 0)
//!          mode      interpolation    access     type name  slot and components, driver location, binding
//! ```

use super::cursor::Cursor;
use super::dialect26::type_name;
use super::layout::Learned;
use super::parser::{Parser, Part};
use super::{directive, initializer};
use crate::error::Error;
use crate::ir::{Field, Precision, Shader, ShaderInfo, Stage, Type, TypeData, Var, VarFlags, Variable};
use crate::op::names::{system_value, InterpMode, SlotKind, FORMATS};
use crate::op::{zink, Access, AluType, Base, Modes};
use std::fmt::Write;

const PRECISIONS: &[(Precision, &str)] =
    &[(Precision::High, "highp"), (Precision::Medium, "mediump"), (Precision::Low, "lowp")];

/// Modes whose variables print a location.
const LOCATED: Modes = Modes::SHADER_IN
    .union(Modes::SHADER_OUT)
    .union(Modes::UNIFORM)
    .union(Modes::SYSTEM)
    .union(Modes::UBO)
    .union(Modes::SSBO)
    .union(Modes::IMAGE);

impl<'a> Parser<'a> {
    /// Parses the rest of a line after `decl_var`.
    pub(super) fn decl_var(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let in_function = self.part == Part::Body;
        let mut flags = VarFlags::empty();
        let mut mode = if in_function { Modes::FUNCTION_TEMP } else { Modes::SHADER_TEMP };
        let interp = loop {
            let start = line.token_start();
            let word = line.token();
            if let Some((flag, _)) = VarFlags::NAMES.iter().find(|(_, name)| *name == word) {
                flags |= *flag;
            } else if let Some((m, _)) = Modes::NAMES.iter().find(|(_, name)| *name == word) {
                mode = *m;
            } else {
                break InterpMode::from_name(word)
                    .ok_or_else(|| line.error(start, "expected a variable's mode or its `INTERP_MODE_*`"))?;
            }
        };
        let access = var_access(line);
        let image_format = var_format(line);
        let precision = precision(line);
        let ty = self.declared_type(line)?;
        let start = line.token_start();
        let name = if line.peek() == b'(' { "" } else { line.token() };
        let name_span = line.span_from(start);
        // A variable whose name another has is printed with a number after it: `name#0`.
        let own = name.rsplit_once('#').map_or(name, |(own, _)| if self.vars.contains_key(own) { own } else { name });
        let mut var = Variable::new(self.shader.strings.add(own), ty, mode);
        (var.interp, var.access, var.precision, var.image_format) = (interp, access, precision, image_format);
        if line.eat(b'(') {
            self.var_location(line, &mut var)?;
        }
        if line.eat_word("compact") {
            flags |= VarFlags::COMPACT;
        }
        var.flags = flags;
        if line.skip_blanks() == b'=' {
            let text = self.initializer(line)?;
            let values = initializer::parse(&self.shader.types, ty, &self.shader.strings[text]);
            var.values = values.map(|values| self.shader.consts.push(&values));
            var.initializer = Some(text);
        }
        if line.eat_str("// ntv:") {
            self.note(line, &mut var)?;
        }
        line.expect_end()?;
        let var = self.shader.declare(var);
        if self.vars.insert(name, var).is_some() {
            return Err(line.error_at(name_span, &format!("variable `{name}` is declared twice")));
        }
        Ok(())
    }

    /// The type of a variable. A struct becomes a new type without members.
    fn declared_type(&mut self, line: &mut Cursor<'a>) -> Result<Type, Error> {
        let start = line.token_start();
        let word = type_name(line.token());
        if word.is_empty() {
            return Err(line.error(start, "expected a type"));
        }
        match self.builtin_type(word) {
            Some(ty) => Ok(ty),
            None => self.new_struct_type(word, 0).ok_or_else(|| line.error(start, "expected a type")),
        }
    }

    /// Parses `slot.comps, driver_location, binding)`, or only `slot)`.
    fn var_location(&mut self, line: &mut Cursor<'a>, var: &mut Variable) -> Result<(), Error> {
        let kind = slot_kind(self.shader.info.stage, var.mode);
        let start = line.token_start();
        let slot = line.take_while(|b| !matches!(b, b'.' | b',' | b')' | b' '));
        var.location = match slot {
            "~0" | "UNKNOWN" => None,
            _ => {
                let named = kind.map_or_else(|| system_value::from_name(slot), |kind| kind.from_name(slot));
                Some(named.or_else(|| slot.parse().ok()).ok_or_else(|| line.error(start, "expected a location"))?)
            }
        };
        if line.eat(b'.') {
            let letter = line.word().bytes().next().unwrap_or(b'x');
            var.location_frac = component_of(letter).ok_or_else(|| line.error(start, "expected components"))?;
        }
        if line.eat(b',') {
            var.driver_location = line.number32("a driver location")?;
            line.expect(b',', "`,`")?;
            var.binding = line.number32("a binding")?;
        }
        line.expect(b')', "`)`")
    }

    /// The text from `=` on, with its braces checked.
    fn initializer(&mut self, line: &mut Cursor<'a>) -> Result<crate::entity::Str, Error> {
        let start = line.token_start();
        let rest = line.rest();
        let text = rest.split("// ntv:").next().unwrap_or_default().trim_end();
        line.eat_str(text);
        let mut depth = 0i64;
        for byte in text.bytes() {
            depth += i64::from(byte == b'{') - i64::from(byte == b'}');
            if depth < 0 {
                break;
            }
        }
        if depth != 0 {
            return Err(line.error(start, "the braces of this initializer do not match"));
        }
        Ok(self.shader.strings.add(text))
    }

    /// Adds the members of zink's push constants, if `name` with type `ty` is their variable and the members do not exist yet. This
    /// is called when a deref uses the variable; otherwise the members are not needed.
    pub(super) fn add_push_constants(&mut self, name: &str, ty: Type) {
        if name != zink::PUSH_CONSTANTS {
            return;
        }
        let TypeData::Struct(id) = self.shader.types.get(ty) else { return };
        if !self.shader.types.structs[id].fields.is_empty() {
            return;
        }
        let uint = self.shader.types.vector(AluType::new(Base::Uint, 32), 1);
        let mut offset = 0;
        for (name, words) in zink::MEMBERS {
            let ty = self.shader.types.array(uint, Some(words), 4);
            let name = self.shader.strings.add(name);
            self.shader.types.structs[id].fields.push(Field { name, ty, offset: Some(offset) });
            offset += 4 * words;
        }
    }
}

/// Parses a precision, if there is one.
pub(super) fn precision(line: &mut Cursor<'_>) -> Precision {
    // Every deref is asked, and few have one.
    if !matches!(line.skip_blanks(), b'h' | b'm' | b'l') {
        return Precision::None;
    }
    PRECISIONS.iter().find(|(_, name)| line.eat_word(name)).map_or(Precision::None, |(precision, _)| *precision)
}

/// Parses access words; 25.0 prints `none` if there are none, 22.3 prints nothing.
fn var_access(line: &mut Cursor<'_>) -> Access {
    let mut access = Access::empty();
    loop {
        let mut ahead = *line;
        let word = ahead.token();
        match Access::NAMES.iter().find(|(_, name)| *name == word) {
            Some((flag, _)) => access |= *flag,
            None if word == "none" && access.is_empty() => {
                *line = ahead;
                return access;
            }
            None => return access,
        }
        *line = ahead;
    }
}

/// Parses the format of an image. [`var_access`] may have parsed a `none` that was the format; then there is no format.
fn var_format(line: &mut Cursor<'_>) -> u32 {
    let mut ahead = *line;
    let word = ahead.token();
    match FORMATS.iter().position(|(name, _)| *name == word) {
        Some(format) => {
            *line = ahead;
            format as u32
        }
        None => 0,
    }
}

/// The numbering of the locations of `mode`'s variables.
pub(super) fn slot_kind(stage: Stage, mode: Modes) -> Option<SlotKind> {
    match (stage, mode) {
        (Stage::Compute | Stage::Kernel, _) => None,
        (Stage::Mesh, Modes::SHADER_OUT) => Some(SlotKind::MeshOutput),
        (Stage::Vertex, Modes::SHADER_IN) => Some(SlotKind::VertAttrib),
        (Stage::Fragment, Modes::SHADER_OUT) => Some(SlotKind::FragResult),
        (_, Modes::SHADER_IN | Modes::SHADER_OUT) => Some(SlotKind::Varying),
        _ => None,
    }
}

/// The component for `letter`: `xyzw` in small vectors, `a` to `p` in others.
pub(super) fn component_of(letter: u8) -> Option<u8> {
    match letter {
        b'x'..=b'z' => Some(letter - b'x'),
        b'w' => Some(3),
        b'a'..=b'p' => Some(letter - b'a'),
        _ => None,
    }
}

/// The letters of components, in vectors of `num_components`.
pub(super) fn component_letters(num_components: u8) -> &'static str {
    if num_components > 4 {
        "abcdefghijklmnop"
    } else {
        "xyzw"
    }
}

/// Prints a declaration, without its indentation. `name` is unique in the dump.
pub(super) fn print(
    shader: &Shader,
    id: Var,
    (name, learned): (&str, &Learned<'_>),
    out: &mut String,
) -> std::fmt::Result {
    let var = &shader.vars[id];
    out.push_str("decl_var ");
    for (_, word) in VarFlags::NAMES.iter().filter(|(flag, _)| var.flags.contains(*flag)) {
        write!(out, "{word} ")?;
    }
    if !var.mode.intersects(Modes::SHADER_TEMP.union(Modes::FUNCTION_TEMP)) {
        print_flags(Modes::NAMES.iter().filter(|(mode, _)| var.mode.contains(*mode)).map(|(_, name)| *name), "|", out);
    }
    write!(out, " {} ", var.interp.name())?;
    print_access(var.access, " ", out);
    out.push(' ');
    if matches!(shader.types.get(shader.types.without_arrays(var.ty)), TypeData::Image { .. }) {
        write!(out, "{} ", FORMATS.get(var.image_format as usize).map_or("none", |(name, _)| name))?;
    }
    if let Some((_, word)) = PRECISIONS.iter().find(|(precision, _)| *precision == var.precision) {
        write!(out, "{word} ")?;
    }
    write!(out, "{} {name}", shader.types.name(var.ty, &shader.strings))?;
    if var.mode.intersects(LOCATED) {
        print_location(shader, var, out)?;
    }
    if let Some(initializer) = var.initializer {
        write!(out, " {}", &shader.strings[initializer])?;
    } else if let Some(values) = var.values {
        write!(out, " {}", initializer::print(&shader.types, var.ty, &shader.consts[values]))?;
    }
    directive::print_note(id, var, learned, out)?;
    out.push('\n');
    Ok(())
}

fn print_location(shader: &Shader, var: &Variable, out: &mut String) -> std::fmt::Result {
    let ShaderInfo { stage, .. } = shader.info;
    out.push_str(" (");
    match (var.location, slot_kind(stage, var.mode)) {
        (None, _) => out.push_str("~0"),
        (Some(location), Some(kind)) => out.push_str(&kind.name(location)),
        (Some(location), None) => match system_value::name(location).filter(|_| var.mode == Modes::SYSTEM) {
            Some(name) => out.push_str(&name),
            None => write!(out, "{location}")?,
        },
    }
    if var.mode.intersects(Modes::SHADER_IN.union(Modes::SHADER_OUT)) {
        let components = match shader.types.get(shader.types.without_arrays(var.ty)) {
            TypeData::Scalar(_) => 1,
            TypeData::Vector(_, n) => n,
            TypeData::Matrix { columns, rows, .. } => columns * rows,
            _ => 0,
        };
        if (1..16).contains(&components) {
            let letters = component_letters(components).chars();
            out.push('.');
            out.extend(letters.skip(usize::from(var.location_frac)).take(usize::from(components)));
        }
    }
    if var.mode == Modes::SYSTEM {
        out.push(')');
        return Ok(());
    }
    let compact = if var.flags.contains(VarFlags::COMPACT) { " compact" } else { "" };
    write!(out, ", {}, {}){compact}", var.driver_location, var.binding)
}

/// Prints access flags, `none` if there are none.
pub(super) fn print_access(access: Access, separator: &str, out: &mut String) {
    if access.is_empty() {
        out.push_str("none");
    }
    print_flags(Access::NAMES.iter().filter(|(flag, _)| access.contains(*flag)).map(|(_, name)| *name), separator, out);
}

/// Prints names with a separator between them.
pub(super) fn print_flags(names: impl Iterator<Item = &'static str>, separator: &str, out: &mut String) {
    for (i, name) in names.enumerate() {
        if i != 0 {
            out.push_str(separator);
        }
        out.push_str(name);
    }
}
