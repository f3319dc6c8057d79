// SPDX-License-Identifier: MIT

//! Derefs: `deref_var`, `deref_array`, `deref_struct`, `deref_ptr_as_array`, `deref_cast`, and the types that they print.
//!
//! A printed type is only a name, and all interface blocks are called `struct`. So the type of a deref follows from the type of its
//! parent, and the printed name is checked against it. If the parent is a struct and the member is new, the member gets the printed
//! type.
//!
//! ```text
//! 32    %5 = deref_array &(*%4)[0] (ubo struct)           // &blocks[0]
//! 32    %6 = deref_struct &%5->base (ubo uint[64])        // learns: the struct has a member `base`, a uint[64]
//! 32    %7 = deref_array &(*%6)[%2] (ubo uint)
//! ```

use super::cursor::{Cursor, Span};
use super::decl;
use super::dialect26::type_name;
use super::instr::Dest;
use super::parser::Parser;
use crate::entity::{Id, Str};
use crate::error::Error;
use crate::ir::types::Struct;
use crate::ir::{ArrayIndex, Def, Deref, DerefKind, Field, InstKind, Shader, Type, TypeData};
use crate::op::Modes;

/// Members of zink's buffer blocks, which have fixed indices.
pub(super) const FIXED_MEMBERS: &[&str] = &["base", "unsized"];

/// The most levels of structs in structs, and of arrays of arrays.
pub(super) const MAX_DEPTH: usize = 16;

/// The printed `(modes type)` of a deref.
struct Pointee<'a> {
    modes: Modes,
    name: &'a str,
    start: usize,
}

impl Pointee<'_> {
    /// The span of the type.
    fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.name.len() }
    }
}

impl<'a> Parser<'a> {
    /// Parses the rest of a deref after its `kind`.
    pub(super) fn deref(&mut self, line: &mut Cursor<'a>, kind: &str, dest: &Dest) -> Result<Def, Error> {
        let deref = match kind {
            "deref_var" => self.var_deref(line)?,
            "deref_array" | "deref_ptr_as_array" => self.array_deref(line, kind == "deref_ptr_as_array")?,
            "deref_struct" => self.struct_deref(line)?,
            _ => self.cast_deref(line)?,
        };
        line.expect_end()?;
        let deref = self.shader.push_deref(deref);
        Ok(self.emit(dest.num_components, dest.bit_size, InstKind::Deref(deref)).def())
    }

    /// Parses `&name (modes type)`.
    fn var_deref(&mut self, line: &mut Cursor<'a>) -> Result<Deref, Error> {
        line.expect(b'&', "`&`")?;
        // glslang's block of the built-ins has no name: `deref_var & (shader_out gl_PerVertex)`.
        let is_named = line.peek() != b' ';
        let start = line.token_start();
        let name = if is_named { line.take_while(|b| b != b' ') } else { "" };
        let Some(var) = self.vars.get(name).copied() else {
            let error = line.error(start, &format!("no variable is called `{name}`"));
            // Mesa 25.0 prints only one of the inputs or outputs that share a slot, for example of dual-source outputs.
            let is_io = line.rest().starts_with(" (shader_");
            let hint = if is_io { "; Mesa leaves out a variable that shares its location with another" } else { "" };
            return Err(Error { message: error.message + hint, ..error });
        };
        let pointee = self.pointee(line)?;
        let ty = self.shader.vars[var].ty;
        self.expect_type(line, ty, &pointee)?;
        if pointee.modes == Modes::PUSH_CONST {
            self.add_push_constants(name, ty);
        }
        Ok(Deref { kind: DerefKind::Var(var), ty, modes: pointee.modes })
    }

    /// Parses `&(*%1)[index] (modes type)`.
    fn array_deref(&mut self, line: &mut Cursor<'a>, ptr_as_array: bool) -> Result<Deref, Error> {
        line.expect(b'&', "`&`")?;
        line.expect(b'(', "`(`")?;
        line.expect(b'*', "`*`")?;
        let start = line.token_start();
        let parent = self.src(line)?;
        let parent_span = line.span_from(start);
        line.expect(b')', "`)`")?;
        line.expect(b'[', "`[`")?;
        let kind = if line.eat(b'*') {
            DerefKind::ArrayWildcard { parent }
        } else {
            let index = match line.skip_blanks() {
                b'0'..=b'9' | b'-' => ArrayIndex::Imm(line.number_signed("an index")?),
                _ => ArrayIndex::Def(self.src(line)?),
            };
            match ptr_as_array {
                true => DerefKind::PtrAsArray { parent, index },
                false => DerefKind::Array { parent, index },
            }
        };
        line.expect(b']', "`]`")?;
        let pointee = self.pointee(line)?;
        let Some(parent_ty) = self.shader.as_deref(parent).map(|deref| deref.ty) else {
            return Err(line.error_at(parent_span, "this is not a pointer to an array"));
        };
        let ty = match kind {
            DerefKind::PtrAsArray { .. } => Some(parent_ty),
            _ => self.shader.types.element(parent_ty),
        };
        let Some(ty) = ty else {
            let name = self.shader.types.name(parent_ty, &self.shader.strings);
            return Err(line.error_at(parent_span, &format!("this points to `{name}`, which has no elements")));
        };
        self.expect_type(line, ty, &pointee)?;
        Ok(Deref { kind, ty, modes: pointee.modes })
    }

    /// Parses `&%1->member (modes type)`.
    fn struct_deref(&mut self, line: &mut Cursor<'a>) -> Result<Deref, Error> {
        line.expect(b'&', "`&`")?;
        let start = line.token_start();
        let parent = self.src(line)?;
        let parent_span = line.span_from(start);
        if !line.eat_str("->") {
            return Err(line.unexpected("`->`"));
        }
        let name = line.take_while(|b| b != b' ');
        let pointee = self.pointee(line)?;
        let parent_ty = self.shader.as_deref(parent).map(|deref| self.shader.types.get(deref.ty));
        let Some(TypeData::Struct(id)) = parent_ty else {
            return Err(line.error_at(parent_span, "this is not a pointer to a struct"));
        };
        let name = self.shader.strings.add(name);
        let fields = &self.shader.types.structs[id].fields;
        let strings = &self.shader.strings;
        let known = fields.iter().position(|field| strings[field.name] == strings[name]);
        if known.is_none() && self.is_described(id) {
            return Err(line.error_at(parent_span, "the struct that this points to is described without that member"));
        }
        let index = known.unwrap_or_else(|| self.add_member(id, name));
        let mut ty = self.shader.types.structs[id].fields[index].ty;
        if self.shader.types.get(ty) == TypeData::Void {
            ty = self.member_type(line, &pointee, id)?;
            self.shader.types.structs[id].fields[index].ty = ty;
        } else {
            self.expect_type(line, ty, &pointee)?;
        }
        Ok(Deref { kind: DerefKind::Struct { parent, field: index as u32 }, ty, modes: pointee.modes })
    }

    /// Whether a directive describes the struct.
    fn is_described(&self, id: Struct) -> bool {
        let name = self.shader.types.structs[id].name;
        self.members.contains_key(&self.shader.strings[name])
    }

    /// Adds a member of type `void`, as its type is not known yet, and the fixed members before it.
    fn add_member(&mut self, id: Struct, name: Str) -> usize {
        let void = self.shader.types.intern(TypeData::Void);
        let fixed = FIXED_MEMBERS.iter().position(|fixed| *fixed == &self.shader.strings[name]);
        let fields = self.shader.types.structs[id].fields.len();
        for before in FIXED_MEMBERS.iter().take(fixed.unwrap_or(0)).skip(fields) {
            let name = self.shader.strings.add(before);
            self.shader.types.structs[id].fields.push(Field { name, ty: void, offset: None });
        }
        let fields = &mut self.shader.types.structs[id].fields;
        fields.push(Field { name, ty: void, offset: None });
        fields.len() - 1
    }

    /// Parses `(type *)%1 (modes type)  (ptr_stride=16, align_mul=4, align_offset=0)`.
    fn cast_deref(&mut self, line: &mut Cursor<'a>) -> Result<Deref, Error> {
        line.expect(b'(', "`(`")?;
        line.until(b')');
        line.expect(b')', "`)`")?;
        let parent = self.src_without_note(line)?;
        let pointee = self.pointee(line)?;
        let ty = match self.builtin_type(pointee.name) {
            Some(ty) => ty,
            None => self.cast_struct(line, &pointee)?,
        };
        let mut numbers = [0; 3];
        // 22.3 writes this as a note.
        let is_note = line.enter_note();
        if is_note || line.eat(b'(') {
            for (i, name) in ["ptr_stride=", "align_mul=", "align_offset="].into_iter().enumerate() {
                if i > 0 {
                    line.expect(b',', "`,`")?;
                }
                if !line.eat_str(name) {
                    return Err(line.unexpected(&format!("`{name}`")));
                }
                numbers[i] = line.number32("a number")?;
            }
            let end = if is_note { "*/" } else { ")" };
            if !line.eat_str(end) {
                return Err(line.unexpected(&format!("`{end}`")));
            }
        }
        let [stride, align_mul, align_offset] = numbers;
        let kind = DerefKind::Cast { parent, stride, align_mul, align_offset };
        Ok(Deref { kind, ty, modes: pointee.modes })
    }

    /// A struct that only casts use: one type for each name, if it is described. Otherwise each cast has a type of its own, as
    /// structs of different members may have one name.
    fn cast_struct(&mut self, line: &Cursor<'a>, pointee: &Pointee<'a>) -> Result<Type, Error> {
        if let Some(ty) = self.cast_structs.get(pointee.name) {
            return Ok(*ty);
        }
        let Some(ty) = self.new_struct_type(pointee.name, 0) else {
            return Err(line.error_at(pointee.span(), "expected a type"));
        };
        let stem = pointee.name.split('[').next().unwrap_or_default();
        if self.members.contains_key(stem) {
            self.cast_structs.insert(pointee.name, ty);
        }
        Ok(ty)
    }

    /// Parses `(modes type)`.
    fn pointee(&mut self, line: &mut Cursor<'a>) -> Result<Pointee<'a>, Error> {
        line.expect(b'(', "`(modes type)`")?;
        let mut modes = Modes::empty();
        loop {
            let start = line.token_start();
            modes |= mode_named(line.word()).ok_or_else(|| line.error(start, "expected the mode of a variable"))?;
            if !line.eat(b'|') {
                break;
            }
        }
        // 26 prints the precision of the variable.
        decl::precision(line);
        let start = line.token_start();
        let name = type_name(line.take_while(|b| b != b')' && b != b' '));
        line.expect(b')', "`)`")?;
        Ok(Pointee { modes, name, start })
    }

    /// Checks that the printed name of a deref is that of its type `ty`.
    fn expect_type(&mut self, line: &Cursor<'a>, ty: Type, pointee: &Pointee<'a>) -> Result<(), Error> {
        let agrees = match self.builtin_type(pointee.name) {
            Some(printed) => printed == ty || self.shader.types.name(ty, &self.shader.strings) == pointee.name,
            None => is_struct_named(&self.shader, ty, pointee.name),
        };
        if agrees {
            return Ok(());
        }
        let name = self.shader.types.name(ty, &self.shader.strings);
        Err(line.error_at(pointee.span(), &format!("expected the type `{name}`")))
    }

    /// The type of a new member of `parent`. A struct becomes a new type.
    fn member_type(&mut self, line: &Cursor<'a>, pointee: &Pointee<'a>, parent: Struct) -> Result<Type, Error> {
        if let Some(ty) = self.builtin_type(pointee.name) {
            return Ok(ty);
        }
        let depth = self.struct_depths.get(parent.index()).map_or(0, |depth| depth + 1);
        if depth >= MAX_DEPTH {
            return Err(line.error_at(pointee.span(), "structs are nested too deeply"));
        }
        let ty = self.new_struct_type(pointee.name, depth);
        ty.ok_or_else(|| line.error_at(pointee.span(), "expected a type"))
    }

    /// The type without structs that is called `name`.
    pub(super) fn builtin_type(&mut self, name: &'a str) -> Option<Type> {
        if let Some(known) = self.types.get(name) {
            return *known;
        }
        let ty = if is_too_deep(name) { None } else { self.shader.types.from_name(name) };
        self.types.insert(name, ty);
        ty
    }

    /// A new struct with `depth` levels of structs around it, in the arrays of `name`: `Light[2][3]`. `None` if `name` is not of
    /// this form.
    pub(super) fn new_struct_type(&mut self, name: &str, depth: usize) -> Option<Type> {
        let (stem, lengths) = name.split_at(name.find('[').unwrap_or(name.len()));
        if stem.is_empty() || is_too_deep(name) {
            return None;
        }
        let fields = self.members.get(stem).map_or(&[][..], |members| &members.fields);
        let name = self.shader.strings.add(stem);
        let mut ty = self.shader.types.new_struct(name, fields);
        self.struct_depths.push(depth);
        if !lengths.is_empty() {
            for length in lengths.strip_prefix('[')?.strip_suffix(']')?.rsplit("][") {
                let length = if length.is_empty() { None } else { Some(length.parse().ok()?) };
                ty = self.shader.types.array(ty, length, 0);
            }
        }
        Some(ty)
    }
}

/// True if `name` has more array lengths than necessary: functions on types are recursive.
fn is_too_deep(name: &str) -> bool {
    name.bytes().filter(|byte| *byte == b'[').count() > MAX_DEPTH
}

/// The mode that a dump calls `name`.
pub(super) fn mode_named(name: &str) -> Option<Modes> {
    Modes::NAMES.iter().find(|(_, n)| *n == name).map(|(mode, _)| *mode)
}

/// True if `ty` is a struct, or arrays of one, that prints as `name`.
fn is_struct_named(shader: &Shader, mut ty: Type, name: &str) -> bool {
    let (stem, mut lengths) = name.split_at(name.find('[').unwrap_or(name.len()));
    loop {
        match shader.types.get(ty) {
            TypeData::Struct(id) => {
                return lengths.is_empty() && shader.strings[shader.types.structs[id].name] == *stem;
            }
            TypeData::Array { elem, len, .. } => {
                // The outermost length is first.
                let Some((length, rest)) = lengths.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
                    return false;
                };
                if len.map_or(!length.is_empty(), |len| length.parse() != Ok(len)) {
                    return false;
                }
                (ty, lengths) = (elem, rest);
            }
            _ => return false,
        }
    }
}
