// SPDX-License-Identifier: MIT

//! Every shape of output, interleaved and separate, with every topology, with and without instances, a base instance, an offset
//! of the buffers, and enough space.

use super::draw::{Case, Vertices, PLAIN};
use super::program::{slots, words, Program};
use super::run::Modules;
use super::wish::{listable, varyings, Entry, Wish};
use crate::gpu::Gpu;
use crate::support;
use ntv::capture::{BufferMode, Member, Output, OutputType, ProvokingVertex, ScalarType, Topology};
use ntv::op::names::varying::{CLIP_DIST0, CULL_DIST0, POS, PSIZ, VAR0};

/// Outputs, and the names that are captured.
struct Shape {
    /// Locations count from the first generic slot, except those of built-ins.
    outputs: Vec<Output>,
    names: Vec<String>,
}

/// An output `name` of which `parts`, or the whole output, are captured.
fn shape(name: &str, ty: OutputType, parts: &[&str]) -> Shape {
    let whole = [""];
    let parts = if parts.is_empty() { &whole } else { parts };
    let names = parts.iter().map(|part| format!("{name}{part}")).collect();
    Shape { outputs: vec![Output::new(name, ty, VAR0)], names }
}

fn float(rows: u8) -> OutputType {
    OutputType::vector(ScalarType::Float, rows)
}

fn members<const N: usize>(members: [(&str, OutputType); N]) -> Vec<Member> {
    members.into_iter().map(|(name, ty)| Member::new(name, ty)).collect()
}

fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    for base in [
        ScalarType::Float,
        ScalarType::Int,
        ScalarType::Uint,
        ScalarType::Double,
        ScalarType::Int64,
        ScalarType::Uint64,
    ] {
        let name = |rows| format!("{base:?}{rows}").to_lowercase();
        all.extend((1..=4).map(|rows| shape(&name(rows), OutputType::vector(base, rows), &[])));
    }
    for base in [ScalarType::Float, ScalarType::Double] {
        for (columns, rows) in (2..=4).flat_map(|columns| (2..=4).map(move |rows| (columns, rows))) {
            let name = format!("{base:?}{columns}x{rows}").to_lowercase();
            all.push(shape(&name, OutputType::matrix(base, columns, rows), &[]));
        }
    }
    let double = |rows| OutputType::vector(ScalarType::Double, rows);
    all.extend([
        shape("array", float(1).array(3), &[]),
        shape("vectors", float(3).array(2), &[]),
        shape("doubles", double(3).array(2), &[]),
        shape("matrices", OutputType::matrix(ScalarType::Float, 2, 2).array(2), &[]),
        shape("element", float(1).array(4), &["[2]", "[0]"]),
        shape("vector", OutputType::vector(ScalarType::Int, 4).array(3), &["[1]"]),
        shape("double", double(2).array(3), &["[2]", "[1]"]),
        shape("grid", float(2).array(2).array(2), &["[1]", "[0][1]"]),
    ]);
    let inner = OutputType::Struct(members([("d", double(3)), ("f", float(1).array(2))]));
    let outer = OutputType::Struct(members([
        ("a", float(3)),
        ("s", inner.array(2)),
        ("m", OutputType::matrix(ScalarType::Float, 3, 2)),
    ]));
    all.push(shape("record", outer, &[".s[1].d", ".a", ".s[0].f[1]", ".m"]));
    all.push(shape(
        "alone",
        OutputType::Struct(members([("m", OutputType::matrix(ScalarType::Float, 2, 3))])),
        &[".m"],
    ));
    let block = OutputType::Block(members([("a", OutputType::vector(ScalarType::Uint, 2)), ("v", float(4).array(2))]));
    all.push(shape("Block", block.clone(), &[".v[1]", ".a"]));
    all.push(shape("Blocks", block.array(2), &["[1].a", "[0].v"]));
    all.push(Shape {
        outputs: vec![
            Output::new("x", float(1), VAR0),
            Output { component: 1, ..Output::new("yz", float(2), VAR0) },
            Output { component: 3, ..Output::new("w", float(1).array(2), VAR0) },
        ],
        names: ["yz", "w", "x"].map(String::from).into(),
    });
    let clip = Output { is_compact: true, ..Output::new("gl_ClipDistance", float(1).array(6), CLIP_DIST0) };
    all.push(Shape { outputs: vec![clip.clone()], names: vec![clip.name.clone()] });
    let elements = ["gl_ClipDistance[5]", "gl_Position", "gl_ClipDistance[2]", "gl_PointSize"];
    all.push(Shape { outputs: vec![clip.clone()], names: elements.map(String::from).into() });
    let cull = Output { is_compact: true, ..Output::new("gl_CullDistance", float(1).array(2), CULL_DIST0) };
    let elements = ["gl_CullDistance", "gl_ClipDistance[0]"];
    all.push(Shape { outputs: vec![clip, cull], names: elements.map(String::from).into() });
    all
}

/// Programs with as many shapes as fit into one, and the captured names of each.
fn programs() -> Vec<(Program, Vec<String>)> {
    let built_ins = || vec![Output::new("gl_Position", float(4), POS), Output::new("gl_PointSize", float(1), PSIZ)];
    let mut all: Vec<(Program, Vec<String>)> = Vec::new();
    let (mut next, mut captured) = (u32::MAX, 0);
    for Shape { outputs, names } in shapes() {
        let size: u32 = outputs.iter().map(|output| words(&output.ty)).sum();
        let own = |output: &&Output| output.location == VAR0;
        let used = outputs.iter().filter(own).map(|output| slots(&output.ty)).max().unwrap_or(0);
        let is_twice = |output: &Output| all.last().is_some_and(|(last, _)| last.outputs.contains(output));
        if next.saturating_add(used) > 14 || captured + size > 60 || outputs.iter().any(is_twice) {
            let reads_attributes = all.len() % 2 == 1;
            all.push((
                Program { outputs: built_ins(), reads_attributes, is_by_slot: false, is_by_store: false },
                Vec::new(),
            ));
            (next, captured) = (0, 0);
        }
        if let Some((program, all_names)) = all.last_mut() {
            for mut output in outputs {
                output.location += if output.location == VAR0 { next } else { 0 };
                program.outputs.push(output);
            }
            all_names.extend(names);
        }
        (next, captured) = (next + used, captured + size);
    }
    all
}

/// The requests: all names interleaved, with gaps and in two buffers; then four names at a time in separate buffers.
fn wishes(program: &Program, names: &[String]) -> Vec<Wish> {
    let all = listable(program);
    let entry = |name: &String| {
        let named = all.iter().find(|named| named.name == *name);
        Entry::Name(named.unwrap_or_else(|| panic!("{name}")).clone())
    };
    let mut interleaved = Vec::new();
    for (number, name) in names.iter().enumerate() {
        match number {
            2 => interleaved.push(Entry::Skip(3)),
            4 => interleaved.push(Entry::NextBuffer),
            _ => {}
        }
        interleaved.push(entry(name));
    }
    let separate = names.chunks(4).map(|names| names.iter().map(entry).collect::<Vec<_>>());
    let separate = separate.map(|entries| varyings(&entries, BufferMode::Separate));
    std::iter::once(varyings(&interleaved, BufferMode::Interleaved)).chain(separate).collect()
}

/// One of this number of draws is made of each capture, and others of the next capture. All would take a third of the time of all
/// tests on lavapipe. `NTV_CASES` is another number; `cargo xtask nightly` makes all.
const CASES: u64 = 4;

/// The draws of capture number `turn`, which has these strides.
fn cases(turn: usize, strides: [u32; 4]) -> Vec<Case> {
    let of = super::number("NTV_CASES").unwrap_or(CASES).max(1) as usize;
    let mut cases = Vec::new();
    for (number, topology) in Topology::ALL.into_iter().enumerate() {
        for bits in (0..16).filter(|bits| (turn + number + bits) % of == 0) {
            let is = |bit: u32| bits >> bit & 1 != 0;
            let provoking = if (number + bits) % 3 == 0 { ProvokingVertex::First } else { ProvokingVertex::Last };
            let mut case = Case {
                topology,
                provoking,
                vertices: Vertices::Array { first: 2, count: 6 },
                instances: if is(0) { 3 } else { 1 },
                first_instance: if is(1) { 2 } else { 0 },
                margins: [if is(2) { [3, 1] } else { [0, 1] }; 4],
                ..PLAIN
            };
            let all = case.instances * case.primitives().len() as u32;
            let corners = case.corners();
            // Space for all, or for all but one and a half; in one of the buffers.
            case.sizes = strides.map(|stride| all * corners * stride);
            let small = (0..4).rev().find(|buffer| strides[*buffer] != 0).unwrap_or(0);
            if is(3) {
                case.sizes[small] -= (corners * strides[small]).div_ceil(8) * 4 + corners * strides[small];
            }
            cases.push(case);
        }
    }
    cases
}

/// The errors of a program, and the number of its draws.
fn checked(gpu: &Gpu, program: &Program, names: &[String]) -> (usize, Option<String>) {
    let mut draws = 0;
    for (turn, wish) in wishes(program, names).into_iter().enumerate() {
        let checked = support::caught(|| {
            let modules = Modules::new(gpu, program, &wish, false)?;
            modules.validate(gpu)?;
            for case in cases(turn, wish.strides) {
                modules.check(gpu, &case).map_err(|problem| format!("{case:?}: {problem}"))?;
                draws += 1;
            }
            Ok(())
        });
        if let Err(problem) = checked {
            return (draws, Some(format!("{:?}: {problem}", wish.request)));
        }
    }
    (draws, None)
}

#[test]
fn all_shapes_are_captured_under_all_draws() {
    let checked = support::in_parallel(programs(), |(program, names)| checked(&Gpu::open(), &program, &names));
    let wrong: Vec<&str> = checked.iter().filter_map(|(_, wrong)| wrong.as_deref()).collect();
    assert!(wrong.is_empty(), "{} programs:\n{}", wrong.len(), wrong.join("\n"));
    let draws: usize = checked.iter().map(|(draws, _)| draws).sum();
    println!("{draws} draws");
    assert!(draws as u64 > 3000 / super::number("NTV_CASES").unwrap_or(CASES).max(1), "{draws} draws");
}
