// SPDX-License-Identifier: MIT

//! Random outputs and requests: the properties of every plan.

use super::{double, float, ROOMY};
use ntv::capture::{
    plan_captures, BufferMode, LayoutCapture, Member, Output, OutputType, Request, ScalarType, XfbError, XfbInfo,
    XfbLimits,
};
use ntv::op::names::varying::{CLIP_DIST0, POS, VAR0};
use ntv_gen::Random;
use std::collections::{BTreeMap, BTreeSet};

const SEEDS: u64 = 4000;

/// The components of a request, computed without the planner: for each name as (slot, component).
type Components = Vec<(u32, u8)>;

fn random_basic(random: &mut Random) -> OutputType {
    let bases = [
        ScalarType::Float,
        ScalarType::Int,
        ScalarType::Uint,
        ScalarType::Double,
        ScalarType::Int64,
        ScalarType::Uint64,
    ];
    match random.below(4) {
        0 => OutputType::matrix(
            random.pick(&[ScalarType::Float, ScalarType::Double]),
            between(random, 2, 4),
            between(random, 2, 4),
        ),
        _ => OutputType::vector(random.pick(&bases), between(random, 1, 4)),
    }
}

fn between(random: &mut Random, least: u8, most: u8) -> u8 {
    least + random.below(u64::from(most - least) + 1) as u8
}

fn random_type(random: &mut Random, depth: u32) -> OutputType {
    match random.below(if depth == 0 { 3 } else { 6 }) {
        0..=2 => random_basic(random),
        3..=4 => random_type(random, depth - 1).array(between(random, 1, 3).into()),
        _ => OutputType::Struct(random_members(random, depth - 1)),
    }
}

fn random_members(random: &mut Random, depth: u32) -> Vec<Member> {
    (0..between(random, 1, 3)).map(|i| Member::new(format!("m{i}"), random_type(random, depth))).collect()
}

/// Appends all names in `ty` that can be listed, with their components; returns the slot after it.
fn list(name: &str, ty: &OutputType, slot: u32, leaves: &mut Vec<(String, Components)>) -> u32 {
    match ty {
        OutputType::Basic(basic) => {
            let (components, end) = columns(basic.base, basic.columns, basic.rows, slot);
            leaves.push((name.to_string(), components));
            end
        }
        OutputType::Array(element, length) => {
            let start = leaves.len();
            let name = |index| format!("{name}[{index}]");
            let end = (0..*length).fold(slot, |slot, index| list(&name(index), element, slot, leaves));
            if let OutputType::Basic(_) = **element {
                // The whole array, or each element.
                let all = leaves[start..].iter().flat_map(|(_, components)| components.clone()).collect();
                leaves.push((name(0)[..name(0).len() - 3].to_string(), all));
            }
            end
        }
        OutputType::Struct(members) | OutputType::Block(members) => {
            members.iter().fold(slot, |slot, member| list(&format!("{name}.{}", member.name), &member.ty, slot, leaves))
        }
    }
}

fn columns(base: ScalarType, columns: u8, rows: u8, slot: u32) -> (Components, u32) {
    let wide = matches!(base, ScalarType::Double | ScalarType::Int64 | ScalarType::Uint64);
    let words = if wide { 2 * u32::from(rows) } else { rows.into() };
    let slots = if words > 4 { 2 } else { 1 };
    let column = |column: u32| (0..words).map(move |word| (slot + column * slots + word / 4, (word % 4) as u8));
    ((0..columns.into()).flat_map(column).collect(), slot + slots * u32::from(columns))
}

/// Random outputs, and their names that can be listed.
fn random_outputs(random: &mut Random) -> (Vec<Output>, Vec<(String, Components)>) {
    let clip = Output { is_compact: true, ..Output::new("gl_ClipDistance", float(1).array(6), CLIP_DIST0) };
    let mut outputs = vec![Output::new("gl_Position", float(4), POS), clip];
    let mut leaves = Vec::new();
    list("gl_Position", &float(4), POS, &mut leaves);
    leaves.push(("gl_ClipDistance".into(), (0..6).map(|i| (CLIP_DIST0 + i / 4, (i % 4) as u8)).collect()));
    let mut slot = VAR0;
    for number in 0..5 {
        let name = format!("v{number}");
        let ty = match random.below(4) {
            0 => OutputType::Block(random_members(random, 1)).array(between(random, 1, 2).into()),
            1 => OutputType::Block(random_members(random, 2)),
            _ => random_type(random, 3),
        };
        let mut own = Vec::new();
        let end = list(&name, &ty, slot, &mut own);
        if end <= VAR0 + 32 {
            outputs.push(Output::new(name, ty, slot));
            leaves.append(&mut own);
            slot = end;
        }
    }
    (outputs, leaves)
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    (1..items.len()).for_each(|last| items.swap(last, random.below(last as u64 + 1) as usize));
}

/// The properties of every plan: no run overlaps another, all are within their strides, and they capture exactly `wanted`.
fn check(info: &XfbInfo, wanted: &BTreeSet<(u32, u8)>) {
    let mut bytes = BTreeSet::new();
    let mut components = BTreeSet::new();
    for run in &info.outputs {
        let buffer = info.buffers[run.buffer as usize];
        assert!((1..=4).contains(&run.num_components) && run.component + run.num_components <= 4, "{run:?}");
        assert!(buffer.is_used && run.offset % 4 == 0, "{run:?}");
        assert!(run.offset + 4 * u32::from(run.num_components) <= buffer.stride, "{run:?}");
        for k in 0..run.num_components {
            let offset = run.offset + 4 * u32::from(k);
            assert!(bytes.insert((run.buffer, offset)), "{run:?} overlaps");
            assert!(components.insert((run.location, run.component + k)), "{run:?} is captured twice");
            assert_eq!(info.captured(run.location, run.component + k), Some((run.buffer, offset)));
        }
    }
    assert_eq!(&components, wanted);
    assert!(info.outputs.windows(2).all(|pair| pair[0] < pair[1]), "sorted");
    let joins = |pair: &[ntv::capture::XfbOutput]| {
        let (a, b) = (pair[0], pair[1]);
        (a.buffer, a.location, a.component + a.num_components) == (b.buffer, b.location, b.component)
            && a.offset + 4 * u32::from(a.num_components) == b.offset
    };
    assert!(!info.outputs.windows(2).any(joins), "joined");
}

/// Plans for `outputs` in this order and in another.
fn planned(
    outputs: &mut [Output],
    request: &Request,
    limits: &XfbLimits,
    random: &mut Random,
) -> Result<XfbInfo, XfbError> {
    let info = plan_captures(outputs, request, limits);
    shuffle(outputs, random);
    assert_eq!(plan_captures(outputs, request, limits), info, "the order of outputs is no matter");
    info
}

#[test]
fn lists_of_names() {
    let mut good = 0;
    for seed in 0..SEEDS {
        let random = &mut Random::new(seed);
        let (mut outputs, mut leaves) = random_outputs(random);
        shuffle(&mut leaves, random);
        let separate = random.below(3) == 0;
        let mode = if separate { BufferMode::Separate } else { BufferMode::Interleaved };
        let limits = if random.below(2) == 0 { ROOMY } else { XfbLimits::default() };
        let mut wanted = BTreeSet::new();
        // The expected place of each component, computed by addition.
        let mut expected = BTreeMap::new();
        let (mut names, mut buffer, mut offset, mut skipped) = (Vec::new(), 0, 0, false);
        for (name, components) in leaves.iter().take(between(random, 0, 6).into()) {
            if separate && names.len() == 4 || components.iter().any(|component| wanted.contains(component)) {
                continue;
            }
            match random.below(6) {
                0 if !separate && buffer < 3 => {
                    names.push("gl_NextBuffer".to_string());
                    (buffer, offset) = (buffer + 1, 0);
                }
                skip @ 1..=3 if !separate => {
                    names.push(format!("gl_SkipComponents{skip}"));
                    offset += 4 * skip as u32;
                    skipped = true;
                }
                _ => {}
            }
            names.push(name.clone());
            for component in components {
                wanted.insert(*component);
                expected.insert(*component, (buffer, offset));
                offset += 4;
            }
            if separate {
                (buffer, offset) = (buffer + 1, 0);
            }
        }
        let info = match planned(&mut outputs, &Request::varyings(names.clone(), mode), &limits, random) {
            Ok(info) => info,
            Err(error) => {
                // Nothing else is wrong with these names.
                assert!(error.to_string().contains("and may have"), "seed {seed}: {error}");
                continue;
            }
        };
        check(&info, &wanted);
        for ((location, component), place) in expected {
            assert_eq!(info.captured(location, component), Some(place), "seed {seed}: {names:?}");
        }
        assert!(skipped || info.bytes_per_vertex() == 4 * wanted.len() as u64, "seed {seed}: no gaps");
        good += 1;
    }
    assert!(good > SEEDS / 2, "{good}");
}

#[test]
fn layouts() {
    let mut good = 0;
    for seed in 0..SEEDS {
        let random = &mut Random::new(seed);
        let (mut outputs, mut leaves) = random_outputs(random);
        shuffle(&mut leaves, random);
        let mut captures = Vec::new();
        let mut wanted = BTreeSet::new();
        for (name, components) in leaves.iter().take(between(random, 0, 6).into()) {
            let (buffer, offset) = (random.below(4) as u32, 8 * random.below(40) as u32);
            captures.push(LayoutCapture { name: name.clone(), buffer, offset });
            wanted.extend(components.iter().copied());
        }
        let strides = [None, Some(512), None, Some(256)];
        let request = Request::Layout { captures: captures.clone(), strides };
        let info = planned(&mut outputs, &request, &ROOMY, random);
        shuffle(&mut captures, random);
        let again = plan_captures(&outputs, &Request::Layout { captures, strides }, &ROOMY);
        let Ok(info) = info else {
            assert!(again.is_err(), "seed {seed}: in no order it is right");
            continue;
        };
        assert_eq!(again.as_ref(), Ok(&info), "seed {seed}: their order is no matter");
        check(&info, &wanted);
        good += 1;
    }
    assert!(good > SEEDS / 4, "{good}");
}

#[test]
fn whole_aggregates() {
    for seed in 0..SEEDS / 4 {
        let random = &mut Random::new(seed);
        let ty = OutputType::Struct(random_members(random, 2));
        let mut leaves = Vec::new();
        if list("v", &ty, VAR0, &mut leaves) > VAR0 + 64 {
            continue;
        }
        let wanted = leaves.into_iter().flat_map(|(_, components)| components).collect();
        let mut outputs = [Output::new("v", ty, VAR0), Output::new("w", double(1), POS)];
        let captures = vec![LayoutCapture { name: "v".into(), buffer: 0, offset: 8 }];
        let limits = XfbLimits { max_interleaved_components: 1024, ..ROOMY };
        let request = Request::Layout { captures, strides: [None; 4] };
        check(&planned(&mut outputs, &request, &limits, random).expect("a plan"), &wanted);
    }
}

#[test]
fn garbage_gives_errors() {
    let pieces =
        ["v0", "[", "]", "0", "1", ".", "m0", "m1", "gl_", "NextBuffer", "SkipComponents2", "é", " ", "99999999999"];
    for seed in 0..SEEDS {
        let random = &mut Random::new(seed);
        let (outputs, _) = random_outputs(random);
        let mut name = || (0..random.below(7)).map(|_| random.pick(&pieces)).collect::<String>();
        let names = [name(), name()];
        let _ = plan_captures(&outputs, &Request::varyings(names.clone(), BufferMode::Interleaved), &ROOMY);
        let captures = names.map(|name| LayoutCapture { name, buffer: 0, offset: 0 }).to_vec();
        let _ = plan_captures(&outputs, &Request::Layout { captures, strides: [None; 4] }, &ROOMY);
    }
}
