// SPDX-License-Identifier: MIT

//! Members, offsets and strides of types, which a dump does not have: they are in `// ntv:` comments.
//!
//! A directive describes all structs with a name. The comment of a variable describes the type of that variable alone; the printer
//! adds it where the parser would not learn the same type from the derefs.
//!
//! ```text
//! // ntv: struct=light { vec3 color offset=0, float[4] power offset=16 stride=16 }
//! decl_var ssbo INTERP_MODE_NONE none block[2] ssbos (~0, 0, 0)  // ntv: set=3 { uvec4[] base offset=0 stride=16 }
//! decl_var shared INTERP_MODE_NONE none uint[4][2] cells  // ntv: stride=8/4
//! ```
//!
//! A stride has one number for each level of arrays, from the outermost. A struct in a struct has its members after its name.

use super::cursor::{Cursor, Span};
use super::deref::{FIXED_MEMBERS, MAX_DEPTH};
use super::directive::key_number;
use super::parser::Parser;
use crate::error::Error;
use crate::ir::types::Struct;
use crate::ir::{Def, DerefKind, Directive, Field, InstKind, Shader, Type, TypeData, Var, Variable};
use crate::op::zink;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most members of a described struct, with those of inner structs: functions on types visit each.
const MAX_MEMBERS: usize = 4096;

/// The members of a described struct.
#[derive(Default)]
pub(super) struct Members {
    pub(super) fields: Vec<Field>,
    /// The number of levels of structs in it.
    depth: usize,
    /// The number of members, with those of inner structs.
    count: usize,
}

impl Members {
    /// Counts a member of a struct with these members, or of a type without structs. False if there are too many, or too deep.
    fn count(&mut self, inner: Option<&Members>) -> bool {
        let (depth, count) = inner.map_or((0, 1), |inner| (inner.depth + 1, inner.count + 1));
        self.depth = self.depth.max(depth);
        self.count += count;
        depth < MAX_DEPTH && self.count <= MAX_MEMBERS
    }
}

impl<'a> Parser<'a> {
    /// Parses members up to `}`, after `{`. `level` is the number of braces around them.
    pub(super) fn members(&mut self, line: &mut Cursor<'a>, level: usize) -> Result<Members, Error> {
        let mut members = Members::default();
        while members.fields.is_empty() || line.eat(b',') {
            self.member(line, &mut members, level)?;
        }
        line.expect(b'}', "`,` or `}`")?;
        Ok(members)
    }

    /// Parses `type member offset=0 stride=4`, or `type { members } member offset=0`; a member may have no offset.
    fn member(&mut self, line: &mut Cursor<'a>, members: &mut Members, level: usize) -> Result<(), Error> {
        let start = line.token_start();
        let word = line.token();
        let type_span = line.span_from(start);
        let own = match line.eat(b'{') {
            // A struct in a struct may have no member.
            true if line.eat(b'}') => Some(Members::default()),
            true if level < MAX_DEPTH => Some(self.members(line, level + 1)?),
            true => return Err(line.error_at(type_span, TOO_MANY)),
            false => None,
        };
        let stem = word.split('[').next().unwrap_or_default();
        let inner = own.as_ref().or_else(|| self.members.get(stem));
        if !members.count(inner) {
            return Err(line.error_at(type_span, TOO_MANY));
        }
        let ty = if inner.is_some() { self.new_struct_type(word, 0) } else { self.builtin_type(word) };
        let expected = "expected a type, or a struct that was described";
        let mut ty = ty.ok_or_else(|| line.error_at(type_span, expected))?;
        if let Some(own) = own {
            self.set_members(ty, own);
        }
        let name = self.shader.strings.add(line.word());
        let offset = if is_next(line, "offset") { Some(key_number(line, "offset")?) } else { None };
        if is_next(line, "stride") {
            ty = self.with_strides(ty, line, type_span)?;
        }
        members.fields.push(Field { name, ty, offset });
        Ok(())
    }

    /// Gives the struct in the arrays of `ty` these members; false if there is none.
    pub(super) fn set_members(&mut self, ty: Type, members: Members) -> bool {
        let TypeData::Struct(id) = self.shader.types.get(self.shader.types.without_arrays(ty)) else { return false };
        self.shader.types.structs[id].fields = members.fields;
        true
    }

    /// Parses `stride=16/4`, with a number for each level of the arrays of `ty`.
    pub(super) fn with_strides(&mut self, ty: Type, line: &mut Cursor<'a>, span: Span) -> Result<Type, Error> {
        let mut strides = vec![key_number(line, "stride")?];
        while line.eat(b'/') {
            strides.push(line.number32("a number")?);
        }
        let types = &mut self.shader.types;
        let (mut elem, mut lengths) = (ty, Vec::new());
        for _ in &strides {
            let TypeData::Array { elem: inner, len, .. } = types.get(elem) else {
                return Err(line.error_at(span, "only arrays have a stride"));
            };
            lengths.push(len);
            elem = inner;
        }
        let levels = lengths.into_iter().zip(strides).rev();
        Ok(levels.fold(elem, |elem, (len, stride)| types.array(elem, len, stride)))
    }
}

const TOO_MANY: &str = "this struct has too many members, or is nested too deeply";

/// Whether the next word is `key`.
pub(super) fn is_next(line: &Cursor<'_>, key: &str) -> bool {
    line.clone().word() == key
}

/// `text` with one blank between its words, braces and commas.
fn spaced(text: &str) -> String {
    let apart = text.replace('{', " { ").replace('}', " } ").replace(',', " , ");
    apart.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The types that the parser learns from derefs, names and directives.
pub(super) struct Learned<'a> {
    shader: &'a Shader,
    /// The members of structs that derefs name.
    members: FxHashMap<Struct, Vec<&'a str>>,
    /// The directives for structs.
    described: FxHashMap<&'a str, String>,
    /// Variables whose types have to be described.
    pub(super) untold: FxHashSet<Var>,
}

impl<'a> Learned<'a> {
    /// Finds the variables of `shader` whose types the parser would not learn.
    pub(super) fn of(shader: &'a Shader) -> Learned<'a> {
        let described = shader.info.directives.iter().filter_map(|directive| match directive {
            Directive::Struct(text) => Some((text.split([' ', '{']).next().unwrap_or_default(), spaced(text))),
            _ => None,
        });
        let described = described.collect();
        let mut learned = Learned { shader, members: FxHashMap::default(), described, untold: FxHashSet::default() };
        let mut has_pushed = false;
        for inst in &shader.order {
            let InstKind::Deref(deref) = shader.insts[*inst].kind else { continue };
            match shader.derefs[deref].kind {
                DerefKind::Struct { parent, field } => learned.name_member(parent, field),
                DerefKind::Var(var) => has_pushed |= shader.strings[shader.vars[var].name] == *zink::PUSH_CONSTANTS,
                _ => {}
            }
        }
        let mut seen = FxHashSet::default();
        for (id, var) in shader.vars.iter() {
            let is_pushed = has_pushed && learned.is_pushed(var);
            if !is_pushed && !learned.is_told(var.ty, &mut seen) {
                learned.untold.insert(id);
            }
        }
        learned
    }

    /// Notes that a deref names a member, as the parser does.
    fn name_member(&mut self, parent: Def, field: u32) {
        let shader = self.shader;
        let Some(TypeData::Struct(id)) = shader.as_deref(parent).map(|deref| shader.types.get(deref.ty)) else {
            return;
        };
        let Some(field) = shader.types.structs[id].fields.get(field as usize) else { return };
        let (name, members) = (&shader.strings[field.name], self.members.entry(id).or_default());
        if !members.contains(&name) {
            let fixed = FIXED_MEMBERS.iter().position(|fixed| *fixed == name).unwrap_or(0);
            members.extend(FIXED_MEMBERS.iter().take(fixed).skip(members.len()));
            members.push(name);
        }
    }

    /// Whether this is zink's variable of push constants, with the members that the parser gives it.
    fn is_pushed(&self, var: &Variable) -> bool {
        let Shader { strings, types, .. } = self.shader;
        let fields = types.as_struct(var.ty).map_or(&[][..], |data| &data.fields);
        let mut at = 0;
        let mut members = fields.iter().zip(zink::MEMBERS).map(|(field, (name, words))| {
            let is_same = strings[field.name] == *name && field.offset == Some(at);
            at += 4 * words;
            is_same && matches!(types.get(field.ty), TypeData::Array { len, stride: 4, .. } if len == Some(words))
        });
        strings[var.name] == *zink::PUSH_CONSTANTS && fields.len() == zink::MEMBERS.len() && members.all(|same| same)
    }

    /// Whether the parser learns `ty`. A struct that is `seen` twice becomes two, each with the members that are named there.
    fn is_told(&self, mut ty: Type, seen: &mut FxHashSet<Struct>) -> bool {
        let Shader { strings, types, .. } = self.shader;
        while let TypeData::Array { elem, stride, .. } = types.get(ty) {
            if stride != 0 {
                return false;
            }
            ty = elem;
        }
        let TypeData::Struct(id) = types.get(ty) else { return true };
        let data = &types.structs[id];
        if self.described.contains_key(&strings[data.name]) {
            return self.is_described(id);
        }
        if !seen.insert(id) {
            return false;
        }
        let named = self.members.get(&id).map_or(&[][..], |members| members);
        named.len() == data.fields.len()
            && data.fields.iter().zip(named).all(|(field, name)| {
                let is_named = strings[field.name] == **name && field.offset.is_none();
                is_named && self.is_told(field.ty, seen)
            })
    }

    /// Whether a directive has exactly the members of this struct.
    fn is_described(&self, id: Struct) -> bool {
        let name = &self.shader.strings[self.shader.types.structs[id].name];
        self.described.get(name).is_some_and(|text| {
            let mut own = name.to_string();
            self.print_members(id, true, &mut own);
            spaced(&own) == *text
        })
    }

    /// Prints the strides and the members of the type of a variable.
    pub(super) fn print_note(&self, var: &Variable, out: &mut String) {
        let types = &self.shader.types;
        self.print_strides(var.ty, out);
        if let TypeData::Struct(id) = types.get(types.without_arrays(var.ty)) {
            self.print_members(id, false, out);
        }
    }

    /// Prints ` stride=16/4`, if the arrays of `ty` have strides.
    fn print_strides(&self, mut ty: Type, out: &mut String) {
        let mut strides = Vec::new();
        while let TypeData::Array { elem, stride, .. } = self.shader.types.get(ty) {
            strides.push(stride.to_string());
            ty = elem;
        }
        if strides.iter().any(|stride| stride != "0") {
            *out += &format!(" stride={}", strides.join("/"));
        }
    }

    /// Prints ` { type member offset=0, ... }`. With `by_name`, structs that directives describe are only named.
    fn print_members(&self, id: Struct, by_name: bool, out: &mut String) {
        let Shader { strings, types, .. } = self.shader;
        out.push_str(" {");
        for (number, field) in types.structs[id].fields.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            *out += &format!("{comma} {}", types.name(field.ty, strings));
            if let TypeData::Struct(inner) = types.get(types.without_arrays(field.ty)) {
                if !(by_name && self.is_described(inner)) {
                    self.print_members(inner, by_name, out);
                }
            }
            *out += &format!(" {}", &strings[field.name]);
            field.offset.iter().for_each(|offset| *out += &format!(" offset={offset}"));
            self.print_strides(field.ty, out);
        }
        out.push_str(" }");
    }
}
