//! `ffi/mesa/ntv_names.h`: the numbers of names, for writers that are compiled with them.

use ntv_core::ir::info::FIELDS;
use ntv_core::op::intrinsic::Components;
use ntv_core::op::{AluOp, Index, Intrinsic};
use ntv_core::wire::VERSION;
use std::fmt::Write;
use std::path::Path;

/// Names of ntv's own intrinsics, which no release of Mesa has.
const OWN: &[Intrinsic] = &[Intrinsic::load_instance_index, Intrinsic::sparse_residency_code];

/// Whether the values of an index in the wire differ from those in Mesa.
fn is_translated(index: Index) -> bool {
    use Index::*;
    matches!(
        index,
        memory_modes | image_dim | format | reduction_op | src_type | dest_type | io_semantics | io_xfb | io_xfb2
    )
}

fn generate() -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "/*\n * Copyright (c) the ntv authors\n * SPDX-License-Identifier: MIT\n *")?;
    writeln!(out, " * The numbers of the opcodes of Mesa 25.0 in the wire. `BLESS=1 cargo test --package ntv-ffi` makes this file.")?;
    writeln!(out, " */\n\n#ifndef NTV_NAMES_H\n#define NTV_NAMES_H\n")?;
    writeln!(
        out,
        "#if NTV_WIRE_VERSION != {VERSION}\n#error \"ntv_names.h and ntv.h are of different versions\"\n#endif\n"
    )?;
    writeln!(out, "/* Name, number, number of inputs, whether one has more than four components, size of each of the first four. */")?;
    write!(out, "#define NTV_NAMES_OF_ALU(X)")?;
    for (number, op) in AluOp::ALL.iter().enumerate() {
        let srcs = op.info().srcs;
        let wide = srcs.iter().any(|src| src.size > 4);
        let [a, b, c, d] = [0, 1, 2, 3].map(|n| srcs.get(n).map_or(0, |src| src.size));
        write!(out, " \\\n   X({}, {number}, {}, {wide}, {a}, {b}, {c}, {d})", op.name(), srcs.len())?;
    }
    writeln!(out, "\n\n/* Name, number, number of sources, whether there is a result, number of indices, whether their values are as they are. */")?;
    write!(out, "#define NTV_NAMES_OF_INTRINSICS(X)")?;
    for (number, op) in Intrinsic::ALL.iter().enumerate().filter(|(_, op)| !OWN.contains(op)) {
        let info = op.info();
        let has_dest = info.dest != Components::None;
        let plain = !info.indices.iter().any(|index| is_translated(*index));
        let (srcs, indices) = (info.srcs.len(), info.indices.len());
        write!(out, " \\\n   X({}, {number}, {srcs}, {has_dest}, {indices}, {plain})", op.name())?;
    }
    writeln!(out, "\n\n#endif /* NTV_NAMES_H */")?;
    Ok(out)
}

#[test]
fn names_are_those_of_the_wire() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("mesa/ntv_names.h");
    let generated = generate().expect("a text");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &generated).expect("a file that can be written");
    }
    let checked_in = std::fs::read_to_string(&path).expect("the names");
    assert!(checked_in == generated, "ffi/mesa/ntv_names.h is not that of the wire: run with BLESS=1");
    assert!(FIELDS.len() < 1 << 12 && AluOp::ALL.len() < 1 << 12 && Intrinsic::ALL.len() < 1 << 12);
}
