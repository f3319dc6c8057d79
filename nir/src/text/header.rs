// SPDX-License-Identifier: MIT

//! The header of a dump: one line for each field, by the table of [`info`](crate::ir::info).

use super::cursor::Cursor;
use super::directive;
use super::parser::{Parser, Part};
use crate::error::Error;
use crate::ir::info::{Directive, FieldMut, Stage, FIELDS};
use crate::ir::{Shader, ShaderInfo};
use crate::near::similar;
use std::fmt::Write;

/// Printed names that differ from the field's name: those of 25.0 first, then those of 22.3.
const PRINTED_NAMES: &[(&str, &str)] = &[
    ("ray queries", "ray_queries"),
    ("source_sha1", "source_blake3"),
    ("workgroup-size", "workgroup_size"),
    ("shared-size", "shared_size"),
    ("shared", "shared_size"),
    ("ubos", "num_ubos"),
    ("vertices in", "vertices_in"),
    ("vertices out", "vertices_out"),
    ("input primitive", "input_primitive"),
    ("output primitive", "output_primitive"),
];

/// The starts of lines in the header that are not fields: the value of a specialization constant, which the instructions have, and
/// what Mesa prints for a task shader, which has no fields of its own.
const IGNORED: &[&str] = &["spec[", "Unhandled stage "];

impl<'a> Parser<'a> {
    /// Parses a line outside of a function's body.
    pub(super) fn header_line(&mut self, mut line: Cursor<'a>) {
        let result = if line.eat_str("// ntv:") {
            self.directive(&mut line)
        } else if line.eat_str("decl_var ") {
            self.decl_var(&mut line)
        } else if line.eat_str("decl_function ") {
            self.decl_function(&mut line)
        } else if line.eat_str("impl ") {
            self.begin_impl(&mut line)
        } else {
            self.field(&mut line)
        };
        if let Err(error) = result {
            self.report(error);
        }
    }

    fn field(&mut self, line: &mut Cursor<'a>) -> Result<(), Error> {
        let start = line.token_start();
        let key = line.until(b':');
        let key_span = line.span_from(start);
        if self.part != Part::Header || !line.eat(b':') {
            if self.part == Part::Header && IGNORED.iter().any(|start| key.starts_with(start)) {
                return Ok(());
            }
            let what = "expected `key: value`, `decl_var`, `decl_function` or `impl`";
            return Err(line.error_at(key_span, what));
        }
        if key == "source_sha1" && !self.shader.info.says_locations() {
            self.shader.info.directives.insert(0, Directive::LocationsOfSlots);
        }
        let key = PRINTED_NAMES.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| *new);
        let start = line.token_start();
        let value = line.rest().trim_end();
        line.take_while(|_| true);
        let info = &mut self.shader.info;
        let parsed = match set_leading_field(info, key, value) {
            Some(ok) => ok,
            None => {
                let rows = FIELDS.iter().enumerate().skip(self.next_field).chain(FIELDS.iter().enumerate());
                let Some((at, row)) = rows.take(2 * FIELDS.len()).find(|(_, row)| row.name == key) else {
                    if !self.field26(key) {
                        let near = similar(key, FIELDS.iter().map(|row| row.name));
                        let message = format!("the header field `{key}` is not known and has no effect{near}");
                        self.remark(line.error_at(key_span, &message));
                    }
                    return Ok(());
                };
                self.next_field = at + 1;
                parse_value((row.field)(info), value)
            }
        };
        parsed.ok_or_else(|| line.error(start, &format!("expected a value of `{key}`")))
    }
}

/// Sets a field with its own syntax. `None` if `key` is not such a field, `Some(None)` if the value is wrong.
fn set_leading_field(info: &mut ShaderInfo, key: &str, value: &str) -> Option<Option<()>> {
    let unbraced = |text: &str| Some(text.strip_prefix('{')?.strip_suffix('}')?.to_string());
    match key {
        "shader" => return Some(Stage::from_name(value).map(|stage| info.stage = stage)),
        "next_stage" => return Some(next_stage(value).map(|stage| info.next_stage = stage)),
        // 23 prints the number of the stage, too.
        "stage" => return Some(value.parse::<u32>().ok().map(|_| ())),
        "source_blake3" => return Some(unbraced(value).map(|hash| info.source_hash = hash)),
        "name" => info.name = Some(value.into()),
        "label" => info.label = Some(value.into()),
        "workgroup_size" => {
            let (size, variable) = value.strip_suffix(" (variable)").map_or((value, false), |size| (size, true));
            info.workgroup_size_variable = variable;
            return Some(parse_list(size, &mut info.workgroup_size));
        }
        _ => return None,
    }
    Some(Some(()))
}

/// The stages by their numbers in 23.
const STAGES_OF_23: [Stage; 8] = [
    Stage::Vertex,
    Stage::TessCtrl,
    Stage::TessEval,
    Stage::Geometry,
    Stage::Fragment,
    Stage::Compute,
    Stage::Task,
    Stage::Mesh,
];

/// The stage after this one. 23 prints its number; that of vertex shaders, 0, also means that it is not known. Fragment shaders of
/// programs with mesh shaders have an odd one in 26: no rule needs it.
fn next_stage(value: &str) -> Option<Option<Stage>> {
    match value.parse::<usize>() {
        Ok(number) => STAGES_OF_23.get(number).map(|stage| Some(*stage).filter(|_| number != 0)),
        Err(_) => Stage::from_name(value).map(Some),
    }
}

fn parse_value(field: FieldMut<'_>, value: &str) -> Option<()> {
    match field {
        FieldMut::Dec(field) => *field = value.parse().ok()?,
        FieldMut::Hex(field, _) => *field = u32::from_str_radix(value.strip_prefix("0x")?, 16).ok()?,
        FieldMut::Flag(field) => *field = parse_flag(value)?,
        FieldMut::Ranges(field) => *field = parse_ranges(value)?,
        FieldMut::Words(field, _) => *field = parse_words(value)?,
        FieldMut::Name(field) => *field = value.into(),
        FieldMut::List(list) => parse_list(value.strip_prefix('{')?.strip_suffix('}')?, list)?,
    }
    Some(())
}

/// 22.3 writes some flags as 0 or 1.
fn parse_flag(value: &str) -> Option<bool> {
    match value {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

fn parse_ranges(value: &str) -> Option<u128> {
    if value.starts_with("0x") {
        return parse_words(value);
    }
    let mut bits = 0u128;
    for range in value.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last > 127 {
            return None;
        }
        bits |= (u128::MAX >> (127 - (last - first))) << first;
    }
    Some(bits)
}

fn parse_words(value: &str) -> Option<u128> {
    let words = value.strip_prefix("0x")?.split('\'');
    words.clone().count().le(&4).then_some(())?;
    words.map(|word| u32::from_str_radix(word, 16).ok()).try_fold(0, |bits, word| Some(bits << 32 | u128::from(word?)))
}

fn parse_list(value: &str, list: &mut [u32]) -> Option<()> {
    let mut parts = value.split(',');
    for number in list {
        *number = parts.next()?.trim().parse().ok()?;
    }
    parts.next().is_none().then_some(())
}

/// Prints the header of `shader`.
pub(super) fn print(shader: &Shader, out: &mut String) -> std::fmt::Result {
    let info = &shader.info;
    writeln!(out, "shader: {}", info.stage.name())?;
    directive::print(shader, out)?;
    if !info.source_hash.is_empty() {
        writeln!(out, "source_blake3: {{{}}}", info.source_hash)?;
    }
    for (key, value) in [("name", &info.name), ("label", &info.label)] {
        if let Some(value) = value {
            writeln!(out, "{key}: {value}")?;
        }
    }
    // The table returns mutable fields, so a copy is printed.
    let mut copy = info.clone();
    for row in FIELDS {
        let always = (row.always)(info.stage);
        let name = if row.name == "ray_queries" { "ray queries" } else { row.name };
        print_field(name, (row.field)(&mut copy), always, out)?;
        if row.name == "internal" {
            print_stages(info, out)?;
        }
    }
    Ok(())
}

/// The two fields that are printed after `internal`.
fn print_stages(info: &ShaderInfo, out: &mut String) -> std::fmt::Result {
    if info.stage.has_grid() {
        let [x, y, z] = info.workgroup_size;
        let variable = if info.workgroup_size_variable { " (variable)" } else { "" };
        writeln!(out, "workgroup_size: {x}, {y}, {z}{variable}")?;
    }
    if let Some(stage) = info.next_stage {
        writeln!(out, "next_stage: {}", stage.name())?;
    }
    Ok(())
}

fn print_field(name: &str, field: FieldMut<'_>, always: bool, out: &mut String) -> std::fmt::Result {
    match field {
        FieldMut::Dec(value) if always || *value != 0 => writeln!(out, "{name}: {value}"),
        FieldMut::Hex(value, digits) if always || *value != 0 => writeln!(out, "{name}: 0x{value:0digits$x}"),
        FieldMut::Flag(true) => writeln!(out, "{name}: true"),
        FieldMut::Ranges(bits) if always || *bits != 0 => {
            write!(out, "{name}: ")?;
            print_ranges(*bits, out)?;
            out.push('\n');
            Ok(())
        }
        FieldMut::Words(bits, words) if always || *bits != 0 => {
            write!(out, "{name}: 0x")?;
            for word in (0..words).rev() {
                write!(out, "{:08x}{}", (*bits >> (32 * word)) as u32, if word == 0 { "\n" } else { "'" })?;
            }
            Ok(())
        }
        FieldMut::Name(value) if always || !value.is_empty() => writeln!(out, "{name}: {value}"),
        FieldMut::List(list) if always || list.iter().any(|value| *value != 0) => {
            let list: Vec<String> = list.iter().map(u32::to_string).collect();
            writeln!(out, "{name}: {{{}}}", list.join(", "))
        }
        _ => Ok(()),
    }
}

fn print_ranges(mut bits: u128, out: &mut String) -> std::fmt::Result {
    let mut separator = "";
    while bits != 0 {
        let first = bits.trailing_zeros();
        let count = (!(bits >> first)).trailing_zeros();
        match count {
            1 => write!(out, "{separator}{first}")?,
            _ => write!(out, "{separator}{first}-{}", first + count - 1)?,
        }
        separator = ",";
        bits &= !((u128::MAX >> (128 - count)) << first);
    }
    Ok(())
}
