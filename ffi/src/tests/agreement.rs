// SPDX-License-Identifier: MIT

//! The constants of the headers are the core's numbers.

use super::constants;
use ntv_core::ir::info::{FieldMut, DIRECTIVES, FIELDS};
use ntv_core::ir::{AluFlags, BranchHint, Jump, Precision, Shader, ShaderInfo, Stage, VarFlags};
use ntv_core::module::{Patch, PatchKind, ALWAYS};
use ntv_core::op::names::{
    DescriptorType, ImageDim, InterpMode, IoFlags, IoSemantics, IoXfb, IoXfbOutput, Scope, Semantics,
};
use ntv_core::op::{Access, AtomicOp, Base, Modes, TexOp, TexSrcKind};
use ntv_core::target::Descriptor;
use ntv_core::{wire, Binding, DescriptorKind};
use std::ffi::CStr;
use std::fmt::Debug;

/// `TessCtrl`, `dim_2d` and `write_mask` as the headers write them.
fn header_name(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.strip_prefix("dim_").unwrap_or(name).char_indices() {
        if i > 0 && c.is_uppercase() && name.contains(char::is_lowercase) {
            out.push('_');
        }
        out.extend(c.to_uppercase());
    }
    out
}

/// Compares all constants that start with `prefix` with `expected`.
fn compare(prefix: &str, expected: impl IntoIterator<Item = (String, u64)>) {
    let constants = constants();
    let mut count = 0;
    for (name, number) in expected {
        let name = format!("{prefix}{}", header_name(&name));
        assert_eq!(constants.get(&name), Some(&number), "{name}");
        count += 1;
    }
    let there = constants.keys().filter(|name| name.starts_with(prefix)).count();
    assert_eq!(there, count, "constants {prefix}*");
}

fn numbered<T: Debug>(items: &[T]) -> impl Iterator<Item = (String, u64)> + '_ {
    items.iter().enumerate().map(|(number, item)| (format!("{item:?}"), number as u64))
}

macro_rules! flags {
    ($ty:ty) => {
        <$ty>::all().iter_names().map(|(name, flag)| (name.to_string(), u64::from(flag.bits())))
    };
}

#[test]
fn enumerations_agree() {
    let stages: Vec<Stage> = Stage::NAMES.iter().map(|row| row.0).collect();
    compare("NTVR_STAGE_", numbered(&stages));
    compare("NTVR_CLASS_", numbered(&Descriptor::ALL));
    compare("NTVR_DIRECTIVE_", DIRECTIVES.iter().enumerate().map(|(number, row)| (row.0.to_string(), number as u64)));
    let values = |row: usize| {
        DIRECTIVES[row].1.iter().enumerate().map(|(number, (value, _))| (value.to_string(), number as u64))
    };
    compare("NTVR_OFFSET_UNITS_", values(0));
    compare("NTVR_LOCATIONS_", values(1));
    assert_eq!(values(2).map(|row| row.0).collect::<Vec<_>>(), ["false", "true"]);
    compare("NTVR_FRAMEBUFFER_", values(4));
    compare("NTVR_BLOCKS_", values(5));
    assert_eq!(values(6).map(|row| row.0).collect::<Vec<_>>(), ["array"]);
    compare("NTVR_ATOMIC_OP_", numbered(AtomicOp::ALL));
    compare("NTVR_SCOPE_", numbered(Scope::ALL));
    compare("NTVR_INTERP_MODE_", numbered(InterpMode::ALL));
    compare("NTVR_DIM_", numbered(ImageDim::ALL));
    compare("NTVR_DESC_TYPE_", numbered(DescriptorType::ALL));
    compare("NTVR_BASE_", numbered(&[Base::Bool, Base::Int, Base::Uint, Base::Float]));
    compare("NTVR_TEX_OP_", numbered(TexOp::ALL));
    compare("NTVR_TEX_SRC_", numbered(TexSrcKind::ALL));
    let jumps = [Jump::Break, Jump::Continue, Jump::Return, Jump::Halt].map(|jump| format!("{jump:?}"));
    let plain = ["undef".to_string(), "phi".to_string()].into_iter().chain(jumps);
    compare("NTVR_PLAIN_", plain.zip(0..));
    compare("NTVR_PRECISION_", numbered(&[Precision::None, Precision::High, Precision::Medium, Precision::Low]));
    let hints = [BranchHint::None, BranchHint::Flatten, BranchHint::DontFlatten, BranchHint::DivergentAlwaysTaken];
    compare("NTVR_HINT_", numbered(&hints));
}

#[test]
fn facts_have_their_numbers() {
    // The header does not have all fields.
    for (name, number) in constants() {
        let Some(field) = name.strip_prefix("NTVR_INFO_") else { continue };
        assert_eq!(header_name(FIELDS[number as usize].name), field, "{name}");
    }
    // A wire with a single fact, which must be found in this field and in no other.
    for (place, row) in FIELDS.iter().enumerate() {
        let mut info = ShaderInfo::default();
        match (row.field)(&mut info) {
            FieldMut::Dec(value) | FieldMut::Hex(value, _) => *value = 7,
            FieldMut::Flag(value) => *value = true,
            FieldMut::Ranges(bits) | FieldMut::Words(bits, _) => *bits = 1 << 70 | 3,
            FieldMut::Name(name) => *name = "POINTS".into(),
            FieldMut::List(list) => list.iter_mut().for_each(|value| *value = 5),
        }
        let mut shader = Shader::default();
        shader.info = info.clone();
        let read = wire::decode(&wire::encode(&shader)).expect("a shader");
        assert_eq!(read.info, info, "{}", FIELDS[place].name);
    }
}

#[test]
fn kinds_of_patches_agree() {
    let kinds = (0..).map_while(PatchKind::from_number).filter_map(|kind| {
        let patch = crate::reflection::patch(Patch { at: 7, kind, when: ALWAYS, arg: 8 })?;
        assert_eq!((patch.word, patch.of), (7, if kind == PatchKind::OutputVertices { 0 } else { 8 }));
        Some((format!("{kind:?}"), u64::from(patch.kind)))
    });
    compare("NTVR_PATCH_", kinds);
}

#[test]
fn bindings_say_what_the_module_says() {
    for kind in DescriptorKind::ALL {
        let binding =
            crate::reflection::binding(&Binding { set: 1, binding: 2, kind, count: 3, used: 1, min_range: 48 });
        assert_eq!((binding.set, binding.binding, binding.count, binding.min_range), (1, 2, 3, 48));
    }
    let kinds = DescriptorKind::ALL.map(|kind| {
        let binding = Binding { set: 0, binding: 0, kind, count: 1, used: 1, min_range: 0 };
        (format!("{kind:?}"), u64::from(crate::reflection::binding(&binding).kind))
    });
    compare("NTVR_DESCRIPTOR_", kinds);
}

#[test]
fn flags_agree() {
    compare("NTVR_MODE_", flags!(Modes));
    compare("NTVR_ACCESS_", flags!(Access));
    compare("NTVR_SEMANTICS_", flags!(Semantics));
    compare("NTVR_VARIABLE_", flags!(VarFlags));
    // An instruction has one bit for three flags of the IR; the other flags are of a record.
    let (own, math): (Vec<_>, Vec<_>) = flags!(AluFlags).partition(|(name, _)| name.ends_with("_WRAP"));
    compare("NTVR_ALU_", own.into_iter().chain([("EXACT".to_string(), 1)]));
    compare("NTVR_MATH_", math.into_iter().filter(|(name, _)| name != "EXACT"));
    compare("NTVR_IO_", flags!(IoFlags));
}

#[test]
fn the_magic_word_and_the_versions_agree() {
    let constants = constants();
    assert_eq!(constants["NTVR_WIRE_MAGIC"], u64::from(ntv_core::wire::MAGIC));
    assert_eq!(constants["NTVR_WIRE_VERSION"], u64::from(ntv_core::wire::VERSION));
    let version = CStr::from_bytes_with_nul(crate::bindings::NTVR_VERSION).expect("a string");
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

/// The results of `ntvr_io_semantics` and `ntvr_io_xfb` of the header; `consumer.c` compares them with these numbers.
#[test]
fn packed_numbers_agree() {
    let io = IoSemantics { location: 33, num_slots: 5, gs_streams: 0xe4, flags: IoFlags::DUALSRC | IoFlags::INVARIANT };
    assert_eq!(io.pack(), 0x105c_82a1);
    let first = IoXfbOutput { num_components: 4, buffer: 2, offset: 200 };
    let second = IoXfbOutput { num_components: 1, buffer: 3, offset: 7 };
    assert_eq!(IoXfb { out: [first, second] }.pack(), 0x0731_c824);
}
