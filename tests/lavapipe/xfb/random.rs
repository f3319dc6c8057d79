// SPDX-License-Identifier: MIT

//! Random shaders, requests and draws.

use super::draw::{Case, Vertices, PLAIN};
use super::program::{is_wide, slots, words, Program};
use super::wish::{blocks, layout, listable, varyings, Entry, Named, Wish};
use ntv::capture::{BufferMode, Member, Output, OutputType, ProvokingVertex, ScalarType, Topology};
use ntv::op::names::varying::{CLIP_DIST0, CULL_DIST0, POS, PSIZ, VAR0};
use ntv_gen::Random;

/// The maximum number of a shader's own slots: captures of parts of them use others.
const SLOTS: u32 = 15;
/// The maximum number of words of a request, and that of most requests: the driver's compile time grows with it.
const WORDS: u32 = 60;
const USUAL_WORDS: u32 = 20;

/// The case of a seed.
pub(super) fn seeded(seed: u64) -> (Program, Wish, Case) {
    let random = &mut Random::new(seed);
    let program = program(random);
    let wish = match random.below(5) {
        0 => layouts(random, &program),
        1 => names(random, &program, BufferMode::Separate),
        _ => names(random, &program, BufferMode::Interleaved),
    };
    let case = case(random, &wish);
    (program, wish, case)
}

fn between(random: &mut Random, least: u32, most: u32) -> u32 {
    least + random.below(u64::from(most - least) + 1) as u32
}

fn one_in(random: &mut Random, count: u64) -> bool {
    random.below(count) == 0
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    (1..items.len()).for_each(|last| items.swap(last, random.below(last as u64 + 1) as usize));
}

fn program(random: &mut Random) -> Program {
    let (is_by_slot, is_by_store) = (one_in(random, 3), one_in(random, 2));
    // Then the stores may have the captures.
    let has_wide = !is_by_slot || one_in(random, 3);
    let mut outputs = vec![
        Output::new("gl_Position", OutputType::vector(ScalarType::Float, 4), POS),
        Output::new("gl_PointSize", OutputType::scalar(ScalarType::Float), PSIZ),
    ];
    if one_in(random, 4) {
        let clip = between(random, 1, 8);
        // lavapipe puts them into the same slots. If cull distances begin in one and end in the next, its extension captures
        // wrong ones.
        let cull = between(random, 0, 8 - clip);
        let cull = if clip % 4 == 0 { cull } else { cull.min(4 - clip % 4) };
        for (name, location, length) in [("gl_ClipDistance", CLIP_DIST0, clip), ("gl_CullDistance", CULL_DIST0, cull)] {
            let ty = OutputType::scalar(ScalarType::Float).array(length);
            if length != 0 {
                outputs.push(Output { is_compact: true, ..Output::new(name, ty, location) });
            }
        }
    }
    let mut slot = VAR0;
    for number in 0..between(random, 1, 7) {
        let name = format!("v{number}");
        let new = if one_in(random, 4) {
            packed(random, &name, slot)
        } else {
            vec![Output::new(name, random_type(random), slot)]
        };
        let end = new.iter().map(|output| output.location + slots(&output.ty)).max().unwrap_or(slot);
        if end <= VAR0 + SLOTS && (has_wide || !new.iter().any(|output| is_wide(&output.ty))) {
            outputs.extend(new);
            // A gap sometimes.
            slot = end + u32::from(one_in(random, 8));
        }
    }
    let mut order: Vec<Output> = outputs;
    shuffle(&mut order, random);
    Program { outputs: order, reads_attributes: one_in(random, 2), is_by_slot, is_by_store }
}

/// Outputs that share slots: vectors, or arrays with the same number of elements.
fn packed(random: &mut Random, name: &str, location: u32) -> Vec<Output> {
    let length = if one_in(random, 3) { between(random, 1, 3) } else { 0 };
    let array = |ty: OutputType| if length == 0 { ty } else { ty.array(length) };
    if one_in(random, 4) {
        let base = random.pick(&[ScalarType::Double, ScalarType::Int64, ScalarType::Uint64]);
        let output = |i: u8| {
            let ty = array(OutputType::scalar(base));
            Output { component: 2 * i, ..Output::new(format!("{name}_{i}"), ty, location) }
        };
        return vec![output(0), output(1)];
    }
    let base = random.pick(&[ScalarType::Float, ScalarType::Int, ScalarType::Uint]);
    let mut all = Vec::new();
    let mut component = 0;
    while component < 4 {
        let rows = between(random, 1, 4 - component) as u8;
        if !one_in(random, 5) {
            let (number, ty) = (all.len(), array(OutputType::vector(base, rows)));
            let output = Output::new(format!("{name}_{number}"), ty, location);
            all.push(Output { component: component as u8, ..output });
        }
        component += u32::from(rows);
    }
    all
}

fn random_type(random: &mut Random) -> OutputType {
    match random.below(8) {
        0 => block(random),
        1 => block(random).array(between(random, 1, 2)),
        _ => nested(random, 2),
    }
}

fn nested(random: &mut Random, depth: u32) -> OutputType {
    match random.below(if depth == 0 { 4 } else { 7 }) {
        0..=3 => basic(random),
        4 | 5 => {
            let length = between(random, 1, 3);
            nested(random, depth - 1).array(length)
        }
        _ => OutputType::Struct(members(random, depth - 1)),
    }
}

fn members(random: &mut Random, depth: u32) -> Vec<Member> {
    (0..between(random, 1, 3)).map(|i| Member::new(format!("m{i}"), nested(random, depth))).collect()
}

/// A block, in which two members may share a slot.
fn block(random: &mut Random) -> OutputType {
    let mut members = members(random, 1);
    if one_in(random, 3) {
        let end = slots(&OutputType::Block(members.clone()));
        let base = random.pick(&[ScalarType::Float, ScalarType::Int, ScalarType::Uint]);
        let rows = between(random, 1, 3) as u8;
        let place = |name: &str, rows, component| Member {
            at: Some((end, component)),
            ..Member::new(name, OutputType::vector(base, rows))
        };
        members.push(place("p", rows, 0));
        members.push(place("q", between(random, 1, 4 - u32::from(rows)) as u8, rows));
    }
    OutputType::Block(members)
}

fn basic(random: &mut Random) -> OutputType {
    let bases = [
        ScalarType::Float,
        ScalarType::Float,
        ScalarType::Int,
        ScalarType::Uint,
        ScalarType::Double,
        ScalarType::Int64,
        ScalarType::Uint64,
    ];
    match random.below(4) {
        0 => {
            let base = random.pick(&[ScalarType::Float, ScalarType::Float, ScalarType::Double]);
            OutputType::matrix(base, between(random, 2, 4) as u8, between(random, 2, 4) as u8)
        }
        _ => OutputType::vector(random.pick(&bases), between(random, 1, 4) as u8),
    }
}

fn most_words(random: &mut Random) -> u32 {
    if one_in(random, 8) {
        WORDS
    } else {
        USUAL_WORDS
    }
}

/// Some names without common words, and possibly gaps between them.
fn names(random: &mut Random, program: &Program, mode: BufferMode) -> Wish {
    let mut all = listable(program);
    shuffle(&mut all, random);
    let mut entries = Vec::new();
    let mut taken: Vec<Named> = Vec::new();
    let (mut left, mut buffers) = (most_words(random), 1);
    let most = if mode == BufferMode::Separate { 4 } else { between(random, 1, 8) as usize };
    for named in all {
        let overlaps = |other: &Named| other.word < named.words().end && named.word < other.words().end;
        // The first one may be larger.
        if taken.len() == most || words(&named.ty) > left && !taken.is_empty() || taken.iter().any(overlaps) {
            continue;
        }
        if mode == BufferMode::Interleaved {
            if one_in(random, 5) {
                entries.push(Entry::Skip(between(random, 1, 4)));
            }
            if buffers < 4 && one_in(random, 5) {
                entries.push(Entry::NextBuffer);
                buffers += 1;
            }
        }
        left = left.saturating_sub(words(&named.ty));
        entries.push(Entry::Name(named.clone()));
        taken.push(named);
    }
    if mode == BufferMode::Interleaved && one_in(random, 4) {
        entries.push(Entry::Skip(between(random, 1, 4)));
    }
    varyings(&entries, mode)
}

/// Some outputs with `xfb_offset`, or members of blocks.
fn layouts(random: &mut Random, program: &Program) -> Wish {
    let mut all = Vec::new();
    for (number, output) in program.outputs.iter().enumerate() {
        let word = program.first_word(number);
        match &output.ty {
            OutputType::Block(members) if one_in(random, 2) => {
                let mut word = word;
                for member in members {
                    let name = format!("{}.{}", output.name, member.name);
                    all.push(Named { name, word, ty: member.ty.clone() });
                    word += words(&member.ty);
                }
            }
            ty => all.push(Named { name: output.name.clone(), word, ty: ty.clone() }),
        }
    }
    shuffle(&mut all, random);
    let mut captures = Vec::new();
    let mut left = most_words(random);
    for named in all.into_iter().take(between(random, 1, 5) as usize) {
        if words(&named.ty) <= left || captures.is_empty() {
            left = left.saturating_sub(words(&named.ty));
            let last = 4 - blocks(&named.ty, 0).len() as u32;
            captures.push((named, between(random, 0, last) as usize, between(random, 0, 2)));
        }
    }
    let more = [(); 4].map(|()| if one_in(random, 3) { Some(between(random, 0, 3)) } else { None });
    layout(&captures, more)
}

fn case(random: &mut Random, wish: &Wish) -> Case {
    let vertices = vertices(random);
    let instances = match random.below(16) {
        0 => 0,
        1..=7 => between(random, 2, 4),
        _ => 1,
    };
    let is_indexed = matches!(vertices, Vertices::Indexed { .. });
    let mut case = Case {
        topology: random.pick(&Topology::ALL),
        provoking: random.pick(&[ProvokingVertex::Last, ProvokingVertex::First]),
        vertices,
        first_instance: if one_in(random, 2) { between(random, 0, 5) } else { 0 },
        instances,
        before: if one_in(random, 4) { between(random, 1, 3) } else { 0 },
        margins: [(); 4].map(|()| [between(random, 0, 5), between(random, 1, 3)]),
        pulls: one_in(random, 2) || is_indexed,
        skipped: [(); 2].map(|()| between(random, 0, 9)),
        ..PLAIN
    };
    // Buffers that are exactly large enough, or larger, or too small by some bytes, or by much.
    let all = case.before + case.instances * case.primitives().len() as u32;
    for buffer in 0..4 {
        let primitive = wish.strides[buffer] * case.corners();
        let size = match random.below(6) {
            0 => primitive * between(random, 0, all) + 4 * between(random, 0, primitive / 4),
            1 => (primitive * all).saturating_sub(4 * between(random, 1, 4)),
            2 | 3 => primitive * all,
            _ => primitive * all + 4 * between(random, 1, 60),
        };
        case.sizes[buffer] = size.max(4) - trimmed(wish, buffer, size, primitive);
    }
    case
}

/// The number of bytes to subtract from a size: if all captures of a last primitive fit, but not the gap after them, GL does not
/// define whether the primitive is captured. ntv does not capture it; lavapipe's extension does.
fn trimmed(wish: &Wish, buffer: usize, size: u32, primitive: u32) -> u32 {
    let ends = wish.places.iter().filter(|place| place.buffer == buffer).map(|place| place.offset + 4);
    let gap = wish.strides[buffer] - ends.max().unwrap_or(0);
    let left = if primitive == 0 { 0 } else { size % primitive };
    (left + gap + 4).saturating_sub(primitive)
}

fn vertices(random: &mut Random) -> Vertices {
    if !one_in(random, 3) {
        let first = if one_in(random, 2) { between(random, 1, 9) } else { 0 };
        let count = if one_in(random, 10) { between(random, 0, 2) } else { between(random, 3, 9) };
        return Vertices::Array { first, count };
    }
    let (bytes, restart) = (random.pick(&[1, 2, 4]), !one_in(random, 3));
    let first = between(random, 0, 3);
    let cut = u32::MAX >> (32 - 8 * bytes);
    let index = |random: &mut Random| match restart && one_in(random, 7) {
        true => cut,
        false => between(random, 0, 15),
    };
    let indices = (0..=first + between(random, 2, 14)).map(|_| index(random)).collect();
    Vertices::Indexed {
        indices,
        first,
        bytes,
        restart,
        base_vertex: if one_in(random, 2) { between(random, 1, 9) } else { 0 },
    }
}
