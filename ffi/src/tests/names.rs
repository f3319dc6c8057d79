// SPDX-License-Identifier: MIT

//! `ffi/mesa/ntvr_names.h`: the numbers of names, for writers that are compiled with them.

use ntv_core::ir::info::FIELDS;
use ntv_core::op::intrinsic::{Components, IndexKind};
use ntv_core::op::names::{system_value, SlotKind};
use ntv_core::op::{AluOp, Index, Intrinsic};
use ntv_core::wire::{number, Table, VERSION};
use std::fmt::{Result, Write};
use std::path::Path;

/// Names of ntv's own intrinsics, which no release of Mesa has.
const OWN: &[Intrinsic] = &[Intrinsic::load_instance_index, Intrinsic::sparse_residency_code];

/// Names of intrinsics that Mesa 26.1 does not have.
const OLD_INTRINSICS: &[Intrinsic] =
    &[Intrinsic::load_color0, Intrinsic::load_color1, Intrinsic::load_sample_id_no_per_sample];

/// Whether Mesa 26.1 does not have the ALU opcode.
fn is_old(op: AluOp) -> bool {
    op.name() == "umul_low" || op.name().starts_with("fall_equal") || op.name().starts_with("fany_nequal")
}

/// System values that Mesa 26.1 does not have. They are of one driver.
const OLD_SYSTEM_VALUES: &[&str] = &["SYSTEM_VALUE_COLOR0", "SYSTEM_VALUE_COLOR1"];

/// Whether `ntvr_nir.c` maps the values of an index one by one. It maps the flags of `access` in place.
fn is_mapped(index: Index) -> bool {
    !matches!(index.kind(), IndexKind::Int | IndexKind::WriteMask | IndexKind::Bool) && index != Index::access
}

fn write_macro(out: &mut String, title: &str, name: &str, mut rows: impl Iterator<Item = String>) -> Result {
    write!(out, "\n\n/* {title} */\n#define {name}(X)")?;
    rows.try_for_each(|row| write!(out, " \\\n   X({row})"))
}

fn alu_row((number, op): (usize, &AluOp)) -> String {
    let srcs = op.info().srcs;
    let wide = srcs.iter().any(|src| src.size > 4);
    let [a, b, c, d] = [0, 1, 2, 3].map(|n| srcs.get(n).map_or(0, |src| src.size));
    format!("{}, {number}, {}, {wide}, {a}, {b}, {c}, {d}", op.name(), srcs.len())
}

fn intrinsic_row(op: &Intrinsic) -> String {
    let info = op.info();
    let number = number(Table::Intrinsic, op.name()).expect("a number");
    let has_dest = info.dest != Components::None;
    let mapped = info.indices.iter().any(|index| is_mapped(*index));
    let indices: Vec<String> = info.indices.iter().map(|index| index_flag(*index)).collect();
    let flags = if indices.is_empty() { "0".to_string() } else { indices.join(", ") };
    format!("{}, {number}, {}, {has_dest}, {mapped}, {}, {flags}", op.name(), info.srcs.len(), indices.len())
}

/// The name of an index in C.
fn index_flag(index: Index) -> String {
    match index {
        Index::io_xfb2 => "NTVR_MESA_IO_XFB2".to_string(),
        _ => format!("NIR_INTRINSIC_{}", index.name().to_uppercase()),
    }
}

fn slots() -> impl Iterator<Item = String> {
    let kinds = [(SlotKind::VertAttrib, 32), (SlotKind::Varying, 96), (SlotKind::FragResult, 12)];
    kinds.into_iter().flat_map(|(kind, count)| (0..count).map(move |slot| format!("{}, {slot}", kind.name(slot))))
}

fn system_values() -> impl Iterator<Item = String> {
    let names = (0..).map_while(|number| Some((number, system_value::name(number)?)));
    names
        .filter(|(_, name)| !OLD_SYSTEM_VALUES.contains(&name.as_str()))
        .map(|(number, name)| format!("{}, {number}", &name["SYSTEM_VALUE_".len()..]))
}

fn generate() -> std::result::Result<String, std::fmt::Error> {
    let mut out = String::new();
    write!(out, "/*\n * Copyright (c) the ntv authors\n * SPDX-License-Identifier: MIT\n *\n")?;
    write!(
        out,
        " * The numbers of Mesa's names in the wire. `BLESS=1 cargo test --package ntv-ffi` makes this file.\n */\n\n"
    )?;
    write!(out, "#ifndef NTVR_NAMES_H\n#define NTVR_NAMES_H\n\n#if NTVR_WIRE_VERSION != {VERSION}\n")?;
    write!(out, "#error \"ntvr_names.h and ntvr.h are of different versions\"\n#endif")?;

    let alu = |old: bool| AluOp::ALL.iter().enumerate().filter(move |row| is_old(*row.1) == old).map(alu_row);
    let title =
        "Name, number, number of inputs, whether one has more than four components, size of each of the first four.";
    write_macro(&mut out, title, "NTVR_NAMES_OF_ALU", alu(false))?;
    write_macro(&mut out, "The same for names that Mesa 26.1 does not have.", "NTVR_NAMES_OF_OLD_ALU", alu(true))?;

    let known = Intrinsic::ALL.iter().filter(|op| !OWN.contains(op));
    let intrinsics = |old: bool| known.clone().filter(move |op| OLD_INTRINSICS.contains(op) == old).map(intrinsic_row);
    let title = "Name, number, number of sources, whether there is a result, whether values of indices other than access are\n \
                 * mapped, number of indices, indices in ntv's order.";
    write_macro(&mut out, title, "NTVR_NAMES_OF_INTRINSICS", intrinsics(false))?;
    let title = "The same for names that Mesa 26.1 does not have.";
    write_macro(&mut out, title, "NTVR_NAMES_OF_OLD_INTRINSICS", intrinsics(true))?;

    write_macro(&mut out, "Slots of inputs and outputs.", "NTVR_NAMES_OF_SLOTS", slots())?;
    write_macro(&mut out, "System values.", "NTVR_NAMES_OF_SYSTEM_VALUES", system_values())?;
    write!(out, "\n\n#endif /* NTVR_NAMES_H */\n")?;
    Ok(out)
}

#[test]
fn names_are_those_of_the_wire() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mesa/ntvr_names.h");
    let generated = generate().expect("a text");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &generated).expect("a file that can be written");
    }
    let checked_in = std::fs::read_to_string(&path).expect("the names");
    assert!(checked_in == generated, "ffi/mesa/ntvr_names.h is not that of the wire: run with BLESS=1");
    assert!(FIELDS.len() < 1 << 12 && AluOp::ALL.len() < 1 << 12 && Intrinsic::ALL.len() < 1 << 12);
    assert!(Intrinsic::ALL.iter().all(|op| op.info().indices.len() <= 8), "ntvr_nir.c has space for eight indices");
}
