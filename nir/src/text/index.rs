// SPDX-License-Identifier: MIT

//! Values of intrinsic indices, parsed and printed: `wrmask=xy`, `access=coherent|volatile`, `io location=...`.
//!
//! 22.3 prints some of them as the number in its C enumeration; the parser translates them.

use super::cursor::Cursor;
use super::decl::{component_letters, print_access, print_flags};
use super::deref::mode_named;
use super::intrinsic::IndexContext;
use crate::error::Error;
use crate::ir::Stage;
use crate::op::intrinsic::Components;
use crate::op::names::{
    pack_alu_type, unpack_alu_type, DescriptorType, ImageDim, InterpMode, IoFlags, IoSemantics, IoXfb, IoXfbOutput,
    Scope, Semantics, SlotKind, FORMATS,
};
use crate::op::{Access, AluOp, AluType, AtomicOp, Base, Index, IndexKind, Modes};
use std::fmt::Write;

const BASES: &[(Base, &str)] =
    &[(Base::Uint, "uint"), (Base::Int, "int"), (Base::Bool, "bool"), (Base::Float, "float")];

/// NIR's name of an ALU type without a base, and the type that ntv has for it: its number is 0, as in NIR.
const INVALID: &str = "invalid";
const NO_TYPE: AluType = AluType::new(Base::Bool, 0);

/// Parses the text after the name of an index.
pub(super) fn parse_index(line: &mut Cursor<'_>, index: Index, context: &IndexContext) -> Result<u32, Error> {
    match index.kind() {
        IndexKind::IoSemantics => return parse_io(line, context),
        IndexKind::IoXfb => return parse_xfb(line),
        _ => line.expect(b'=', "`=`")?,
    }
    let start = line.token_start();
    if matches!(index.kind(), IndexKind::Int) {
        return line.number_signed("a number").map(|value| value as u32);
    }
    if line.peek().is_ascii_digit() {
        if let Some(value) = parse_raw(line, index.kind()) {
            return Ok(value);
        }
    }
    let text = line.take_while(|b| !matches!(b, b',' | b')' | b' '));
    let value = match index.kind() {
        IndexKind::WriteMask => parse_mask(text, context.num_components),
        IndexKind::Access if text == "none" => Some(0),
        IndexKind::Access => fold_flags(text, |name| Access::NAMES.iter().find(|f| f.1 == name).map(|f| f.0.bits())),
        IndexKind::Modes => fold_flags(text, |name| mode_named(name).map(|mode| mode.bits())),
        IndexKind::Semantics => fold_flags(text, |name| match name {
            "NONE" => Some(0),
            _ => Semantics::NAMES.iter().find(|f| f.1 == name).map(|f| f.0.bits()),
        }),
        IndexKind::AtomicOp => AtomicOp::from_name(text).map(|op| op as u32),
        IndexKind::Scope => Scope::from_name(text).map(|scope| scope as u32),
        IndexKind::InterpMode => InterpMode::from_name(text).map(|mode| mode as u32),
        IndexKind::AluOp => AluOp::from_name(text).map(|op| op as u32),
        IndexKind::AluType => alu_type_named(text).map(pack_alu_type),
        IndexKind::ImageDim => ImageDim::from_name(text).map(|dim| dim as u32),
        IndexKind::DescriptorType => DescriptorType::from_name(text).map(|kind| kind as u32),
        IndexKind::Format => FORMATS.iter().position(|(name, _)| *name == text).map(|format| format as u32),
        IndexKind::Bool => [("false", 0), ("true", 1)].iter().find(|(name, _)| *name == text).map(|(_, value)| *value),
        IndexKind::Int | IndexKind::IoSemantics | IndexKind::IoXfb => None,
    };
    value.ok_or_else(|| line.error(start, &format!("expected a value of `{}`", index.printed())))
}

/// Parses the indices that 22.3 prints as a number: access flags and interpolation, whose order is unchanged. `0` means no modes.
fn parse_raw(line: &mut Cursor<'_>, kind: IndexKind) -> Option<u32> {
    let mut ahead = *line;
    let value = ahead.number32("").ok()?;
    let value = match kind {
        IndexKind::Access => Access::from_bits(value)?.bits(),
        IndexKind::InterpMode => *InterpMode::ALL.get(value as usize)? as u32,
        IndexKind::Modes if value == 0 => 0,
        _ => return None,
    };
    *line = ahead;
    Some(value)
}

fn fold_flags(text: &str, bits: impl Fn(&str) -> Option<u32>) -> Option<u32> {
    if text.is_empty() {
        return Some(0);
    }
    text.split('|').try_fold(0, |all, name| Some(all | bits(name)?))
}

fn parse_mask(text: &str, num_components: u8) -> Option<u32> {
    let letters = &component_letters(num_components)[..usize::from(num_components)];
    text.chars().try_fold(0, |mask, letter| Some(mask | 1 << letters.find(letter)?))
}

/// `float32`, `uint`, ..., or `invalid`: passes of zink leave indices without a type.
pub(super) fn alu_type_named(text: &str) -> Option<AluType> {
    if text == INVALID {
        return Some(NO_TYPE);
    }
    BASES.iter().find_map(|(base, name)| {
        let bits = text.strip_prefix(name)?;
        match bits {
            "" => Some(AluType::new(*base, 0)),
            "1" | "8" | "16" | "32" | "64" => Some(AluType::new(*base, bits.parse().ok()?)),
            _ => None,
        }
    })
}

/// The numbering of an intrinsic's location.
fn slot_kind(context: &IndexContext) -> Option<SlotKind> {
    let is_input = context.op.meaning().io.is_some_and(|io| !io.is_output);
    let mode = if is_input { Modes::SHADER_IN } else { Modes::SHADER_OUT };
    super::decl::slot_kind(context.stage, mode)
}

/// Parses ` location=VARYING_SLOT_VAR0 slots=1 flags`, after `io`.
fn parse_io(line: &mut Cursor<'_>, context: &IndexContext) -> Result<u32, Error> {
    let mut io = IoSemantics::default();
    let start = line.token_start();
    if !line.eat_str("location=") {
        return Err(line.unexpected("`location=`"));
    }
    let slot = line.take_while(|b| !matches!(b, b',' | b')' | b' '));
    let location = slot_kind(context).and_then(|kind| kind.from_name(slot)).or_else(|| slot.parse().ok());
    io.location = location.filter(|slot| *slot < 128).ok_or_else(|| line.error(start, "expected a location"))?;
    if !line.eat_str("slots=") {
        return Err(line.unexpected("`slots=`"));
    }
    io.num_slots = line.number32("a number of slots")?;
    if io.num_slots > 63 {
        return Err(line.error(start, "there are at most 63 slots"));
    }
    loop {
        let start = line.token_start();
        match line.word() {
            "" => return Ok(io.pack()),
            "gs_streams" => io.gs_streams = parse_streams(line)?,
            // 26: a zero of either sign may be stored.
            "no_signed_zero" => {}
            name => match IoFlags::NAMES.iter().find(|(_, n)| *n == name) {
                Some((flag, _)) => io.flags |= *flag,
                None => return Err(line.error(start, "expected a flag of an I/O slot")),
            },
        }
    }
}

/// Parses `(x=0 y=0 z=1 w=0)`.
fn parse_streams(line: &mut Cursor<'_>) -> Result<u8, Error> {
    let mut streams = 0;
    line.expect(b'(', "`(`")?;
    for (i, name) in ["x=", "y=", "z=", "w="].into_iter().enumerate() {
        if !line.eat_str(name) {
            return Err(line.unexpected(&format!("`{name}`")));
        }
        streams |= (line.number32("a stream")? as u8 & 3) << (2 * i);
    }
    line.expect(b')', "`)`")?;
    Ok(streams)
}

/// Parses `(components=0..1 buffer=0 offset=16, component=1 buffer=0 offset=4)`, after `xfb` or `xfb2`.
fn parse_xfb(line: &mut Cursor<'_>) -> Result<u32, Error> {
    let mut xfb = IoXfb::default();
    line.expect(b'(', "`(`")?;
    while !line.eat(b')') {
        line.eat(b',');
        let start = line.token_start();
        let several = line.eat_str("components=");
        if !several && !line.eat_str("component=") {
            return Err(line.unexpected("`component=` or `components=`"));
        }
        let first = line.number32("a component")?;
        let mut last = first;
        if several {
            if !line.eat_str("..") {
                return Err(line.unexpected("`..`"));
            }
            last = line.number32("a component")?;
        }
        if !line.eat_str("buffer=") {
            return Err(line.unexpected("`buffer=`"));
        }
        let buffer = line.number32("a buffer")?;
        if !line.eat_str("offset=") {
            return Err(line.unexpected("`offset=`"));
        }
        let offset = line.number32("an offset in bytes")?;
        if last < first || last > 3 || buffer > 3 || offset % 4 != 0 || offset / 4 > 255 {
            return Err(line.error(start, "expected components, a buffer and an offset that exist"));
        }
        // xfb has the components 0 and 1, xfb2 the components 2 and 3.
        xfb.out[first as usize % 2] =
            IoXfbOutput { num_components: (last - first + 1) as u8, buffer: buffer as u8, offset: (offset / 4) as u8 };
    }
    Ok(xfb.pack())
}

/// Prints an index of an intrinsic.
pub(super) fn print_index(index: Index, value: u32, context: &IndexContext, out: &mut String) -> std::fmt::Result {
    let name = index.printed();
    match index.kind() {
        IndexKind::IoSemantics => return print_io(IoSemantics::unpack(value), context, out),
        IndexKind::IoXfb => return print_xfb(index, IoXfb::unpack(value), out),
        _ => write!(out, "{name}=")?,
    }
    let named = |table: Option<&'static str>| table.unwrap_or("?");
    match index.kind() {
        IndexKind::Int => write!(out, "{}", value as i32)?,
        IndexKind::WriteMask => {
            let letters = component_letters(context.num_components).chars().enumerate();
            out.extend(letters.filter(|(i, _)| value >> i & 1 != 0).map(|(_, letter)| letter));
        }
        IndexKind::Access => print_access(Access::from_bits_truncate(value), "|", out),
        IndexKind::Modes if value == 0 => out.push('0'),
        IndexKind::Modes => {
            let modes = Modes::NAMES.iter().filter(|(mode, _)| value & mode.bits() != 0);
            print_flags(modes.map(|(_, name)| *name), "|", out);
        }
        IndexKind::Semantics => print_semantics(Semantics::from_bits_truncate(value), out),
        IndexKind::AtomicOp => out.push_str(named(AtomicOp::ALL.get(value as usize).map(|op| op.name()))),
        IndexKind::Scope => out.push_str(named(Scope::ALL.get(value as usize).map(|scope| scope.name()))),
        IndexKind::InterpMode => out.push_str(named(InterpMode::ALL.get(value as usize).map(|mode| mode.name()))),
        IndexKind::AluOp => out.push_str(named(AluOp::ALL.get(value as usize).map(|op| op.name()))),
        IndexKind::AluType => print_alu_type(unpack_alu_type(value), out)?,
        IndexKind::ImageDim => out.push_str(named(ImageDim::ALL.get(value as usize).map(|dim| dim.name()))),
        IndexKind::DescriptorType => {
            out.push_str(named(DescriptorType::ALL.get(value as usize).map(|kind| kind.name())));
        }
        IndexKind::Format => out.push_str(named(FORMATS.get(value as usize).map(|(name, _)| *name))),
        IndexKind::Bool => write!(out, "{}", value != 0)?,
        IndexKind::IoSemantics | IndexKind::IoXfb => {}
    }
    Ok(())
}

/// Prints `float32`, `uint`, ...
pub(super) fn print_alu_type(ty: AluType, out: &mut String) -> std::fmt::Result {
    if ty == NO_TYPE {
        out.push_str(INVALID);
        return Ok(());
    }
    out.push_str(BASES.iter().find(|(base, _)| *base == ty.base).map_or("", |(_, name)| name));
    match ty.bits {
        0 => Ok(()),
        bits => write!(out, "{bits}"),
    }
}

fn print_semantics(semantics: Semantics, out: &mut String) {
    let order = Semantics::ACQUIRE | Semantics::RELEASE;
    let none = (!semantics.intersects(order)).then_some("NONE");
    let flags = Semantics::NAMES.iter().filter(|(flag, _)| semantics.contains(*flag)).map(|(_, name)| *name);
    print_flags(none.into_iter().chain(flags), "|", out);
}

fn print_io(io: IoSemantics, context: &IndexContext, out: &mut String) -> std::fmt::Result {
    out.push_str("io location=");
    match slot_kind(context) {
        Some(kind) => out.push_str(&kind.name(io.location)),
        None => write!(out, "{}", io.location)?,
    }
    write!(out, " slots={}", io.num_slots)?;
    for (_, name) in IoFlags::NAMES.iter().filter(|(flag, _)| io.flags.contains(*flag)) {
        write!(out, " {name}")?;
    }
    let is_store = context.op.info().dest == Components::None;
    // Inputs have none in NIR, but a driver's words may say so.
    if is_store && context.stage == Stage::Geometry || io.gs_streams != 0 {
        let stream = |i: u32| io.gs_streams >> (2 * i) & 3;
        write!(out, " gs_streams(x={} y={} z={} w={})", stream(0), stream(1), stream(2), stream(3))?;
    }
    Ok(())
}

fn print_xfb(index: Index, xfb: IoXfb, out: &mut String) -> std::fmt::Result {
    write!(out, "{}(", index.printed())?;
    let mut separator = "";
    for (i, run) in xfb.out.iter().enumerate().filter(|(_, run)| run.num_components != 0) {
        let first = if index == Index::io_xfb { i } else { i + 2 };
        out.push_str(separator);
        match run.num_components {
            1 => write!(out, "component={first}")?,
            n => write!(out, "components={first}..{}", first + usize::from(n) - 1)?,
        }
        write!(out, " buffer={} offset={}", run.buffer, u32::from(run.offset) * 4)?;
        separator = ", ";
    }
    out.push(')');
    Ok(())
}
