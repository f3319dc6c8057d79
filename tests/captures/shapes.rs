// SPDX-License-Identifier: MIT

//! The captures of each shape of output in a list of names, in bytes.

use super::{double, float, interleaved, members, reported, runs, separate, v, Run, ROOMY};
use ntv::capture::{plan_captures, Output, OutputType, Request, ScalarType, XfbInfo, XfbLimits};
use ntv::op::names::varying::{CLIP_DIST0, POS, PSIZ, VAR0};

/// The runs, the stride and the reported type and size of `name`, captured alone.
fn alone(outputs: &[Output], name: &str) -> (Vec<Run>, u32, (u32, u32)) {
    let info = interleaved(outputs, &[name], &ROOMY).unwrap();
    assert_eq!(separate(outputs, &[name], &ROOMY).unwrap(), info, "one varying is the same in both modes");
    let varying = &info.varyings[0];
    assert_eq!((&*varying.name, varying.buffer, varying.offset), (name, 0, 0));
    assert_eq!(info.bytes_per_vertex(), info.buffers[0].stride.into());
    (runs(&info), info.buffers[0].stride, (varying.gl_type, varying.size))
}

#[test]
fn scalars_and_vectors() {
    let types = [
        (ScalarType::Float, [0x1406, 0x8b50, 0x8b51, 0x8b52]),
        (ScalarType::Int, [0x1404, 0x8b53, 0x8b54, 0x8b55]),
        (ScalarType::Uint, [0x1405, 0x8dc6, 0x8dc7, 0x8dc8]),
    ];
    for (base, gl_types) in types {
        for (rows, gl_type) in (1..).zip(gl_types) {
            let expected = (vec![(0, 0, 0, 0, rows)], 4 * u32::from(rows), (gl_type, 1));
            assert_eq!(alone(&v(OutputType::vector(base, rows)), "v"), expected, "{base:?} {rows}");
        }
    }
}

#[test]
fn wide_scalars_and_vectors() {
    let types = [
        (ScalarType::Double, [0x140a, 0x8ffc, 0x8ffd, 0x8ffe]),
        (ScalarType::Int64, [0x140e, 0x8fe9, 0x8fea, 0x8feb]),
        (ScalarType::Uint64, [0x140f, 0x8ff5, 0x8ff6, 0x8ff7]),
    ];
    for (base, gl_types) in types {
        let of = |rows: u8| alone(&v(OutputType::vector(base, rows)), "v");
        assert_eq!(of(1), (vec![(0, 0, 0, 0, 2)], 8, (gl_types[0], 1)));
        assert_eq!(of(2), (vec![(0, 0, 0, 0, 4)], 16, (gl_types[1], 1)));
        assert_eq!(of(3), (vec![(0, 0, 0, 0, 4), (0, 16, 1, 0, 2)], 24, (gl_types[2], 1)));
        assert_eq!(of(4), (vec![(0, 0, 0, 0, 4), (0, 16, 1, 0, 4)], 32, (gl_types[3], 1)));
    }
}

#[test]
fn matrices_have_a_slot_for_each_column() {
    let matrix = |base, columns, rows| alone(&v(OutputType::matrix(base, columns, rows)), "v");
    assert_eq!(matrix(ScalarType::Float, 2, 2), (vec![(0, 0, 0, 0, 2), (0, 8, 1, 0, 2)], 16, (0x8b5a, 1)));
    let three = vec![(0, 0, 0, 0, 3), (0, 12, 1, 0, 3), (0, 24, 2, 0, 3)];
    assert_eq!(matrix(ScalarType::Float, 3, 3), (three, 36, (0x8b5b, 1)));
    let four = vec![(0, 0, 0, 0, 4), (0, 16, 1, 0, 4), (0, 32, 2, 0, 4), (0, 48, 3, 0, 4)];
    assert_eq!(matrix(ScalarType::Float, 4, 4), (four, 64, (0x8b5c, 1)));
    assert_eq!(matrix(ScalarType::Float, 2, 3), (vec![(0, 0, 0, 0, 3), (0, 12, 1, 0, 3)], 24, (0x8b65, 1)));
    let double = vec![(0, 0, 0, 0, 4), (0, 16, 1, 0, 2), (0, 24, 2, 0, 4), (0, 40, 3, 0, 2)];
    assert_eq!(matrix(ScalarType::Double, 2, 3), (double, 48, (0x8f49, 1)));
    assert_eq!(matrix(ScalarType::Double, 2, 2), (vec![(0, 0, 0, 0, 4), (0, 16, 1, 0, 4)], 32, (0x8f46, 1)));
}

#[test]
fn arrays_and_their_elements() {
    let outputs = v(float(1).array(3));
    let whole = vec![(0, 0, 0, 0, 1), (0, 4, 1, 0, 1), (0, 8, 2, 0, 1)];
    assert_eq!(alone(&outputs, "v"), (whole, 12, (0x1406, 3)));
    assert_eq!(alone(&outputs, "v[0]"), (vec![(0, 0, 0, 0, 1)], 4, (0x1406, 1)));
    assert_eq!(alone(&outputs, "v[2]"), (vec![(0, 0, 2, 0, 1)], 4, (0x1406, 1)));
    let outputs = v(double(3).array(2));
    assert_eq!(alone(&outputs, "v[1]"), (vec![(0, 0, 2, 0, 4), (0, 16, 3, 0, 2)], 24, (0x8ffd, 1)));
    let outputs = v(OutputType::matrix(ScalarType::Float, 3, 2).array(2));
    let second = vec![(0, 0, 3, 0, 2), (0, 8, 4, 0, 2), (0, 16, 5, 0, 2)];
    assert_eq!(alone(&outputs, "v[1]"), (second, 24, (0x8b67, 1)));
}

#[test]
fn arrays_of_arrays_by_their_inner_arrays() {
    let outputs = v(float(2).array(3).array(2));
    let inner = vec![(0, 0, 3, 0, 2), (0, 8, 4, 0, 2), (0, 16, 5, 0, 2)];
    assert_eq!(alone(&outputs, "v[1]"), (inner, 24, (0x8b50, 3)));
    assert_eq!(alone(&outputs, "v[1][2]"), (vec![(0, 0, 5, 0, 2)], 8, (0x8b50, 1)));
}

#[test]
fn members_of_structs() {
    let inner = OutputType::Struct(members([("d", double(3)), ("f", float(1).array(2))]));
    let outputs = v(OutputType::Struct(members([("a", float(3)), ("s", inner.array(2)), ("z", float(4))])));
    assert_eq!(alone(&outputs, "v.a"), (vec![(0, 0, 0, 0, 3)], 12, (0x8b51, 1)));
    assert_eq!(alone(&outputs, "v.s[0].d"), (vec![(0, 0, 1, 0, 4), (0, 16, 2, 0, 2)], 24, (0x8ffd, 1)));
    assert_eq!(alone(&outputs, "v.s[1].f"), (vec![(0, 0, 7, 0, 1), (0, 4, 8, 0, 1)], 8, (0x1406, 2)));
    assert_eq!(alone(&outputs, "v.s[1].f[1]"), (vec![(0, 0, 8, 0, 1)], 4, (0x1406, 1)));
    assert_eq!(alone(&outputs, "v.z"), (vec![(0, 0, 9, 0, 4)], 16, (0x8b52, 1)));
}

#[test]
fn members_of_blocks() {
    let block =
        OutputType::Block(members([("a", float(1).array(2)), ("m", OutputType::matrix(ScalarType::Float, 3, 3))]));
    let outputs = [Output::new("Block", block.clone(), VAR0), Output::new("Many", block.array(2), VAR0 + 8)];
    assert_eq!(alone(&outputs, "Block.a"), (vec![(0, 0, 0, 0, 1), (0, 4, 1, 0, 1)], 8, (0x1406, 2)));
    assert_eq!(alone(&outputs, "Many[1].a[1]"), (vec![(0, 0, 14, 0, 1)], 4, (0x1406, 1)));
    let columns = vec![(0, 0, 15, 0, 3), (0, 12, 16, 0, 3), (0, 24, 17, 0, 3)];
    assert_eq!(alone(&outputs, "Many[1].m"), (columns, 36, (0x8b5b, 1)));
}

#[test]
fn members_of_blocks_with_locations() {
    let mut members = members([("a", float(2)), ("b", float(1)), ("c", float(2))]);
    members[0].at = Some((3, 0));
    members[1].at = Some((3, 2));
    let outputs = v(OutputType::Block(members).array(2));
    assert_eq!(alone(&outputs, "v[0].b"), (vec![(0, 0, 3, 2, 1)], 4, (0x1406, 1)));
    assert_eq!(alone(&outputs, "v[0].c"), (vec![(0, 0, 4, 0, 2)], 8, (0x8b50, 1)));
    assert_eq!(alone(&outputs, "v[1].b"), (vec![(0, 0, 8, 2, 1)], 4, (0x1406, 1)));
    let mut backwards = super::members([("a", float(1)), ("b", float(1))]);
    backwards[0].at = Some((1, 0));
    backwards[1].at = Some((0, 0));
    let outputs = v(OutputType::Block(backwards).array(2));
    assert_eq!(alone(&outputs, "v[1].b"), (vec![(0, 0, 2, 0, 1)], 4, (0x1406, 1)));
}

#[test]
fn components_within_a_slot() {
    let outputs = [
        Output { component: 1, ..Output::new("v", float(2), VAR0) },
        Output { component: 3, ..Output::new("w", float(1).array(2), VAR0) },
        Output { component: 2, ..Output::new("d", double(1), VAR0 + 2) },
    ];
    assert_eq!(alone(&outputs, "v").0, [(0, 0, 0, 1, 2)]);
    assert_eq!(alone(&outputs, "w").0, [(0, 0, 0, 3, 1), (0, 4, 1, 3, 1)]);
    assert_eq!(alone(&outputs, "d").0, [(0, 0, 2, 2, 2)]);
    // Neighbours in the slot and in the buffer are one run, whatever their names.
    assert_eq!(runs(&interleaved(&outputs, &["v", "w[0]"], &ROOMY).unwrap()), [(0, 0, 0, 1, 3)]);
    assert_eq!(runs(&interleaved(&outputs, &["w[0]", "v"], &ROOMY).unwrap()), [(0, 0, 0, 3, 1), (0, 4, 0, 1, 2)]);
}

#[test]
fn runs_end_at_gaps_and_with_their_slot() {
    let outputs = [
        Output::new("a", float(2), VAR0),
        Output { component: 2, ..Output::new("b", float(2), VAR0) },
        Output { component: 2, ..Output::new("c", float(2), VAR0 + 1) },
    ];
    let of = |names: &[&str]| runs(&interleaved(&outputs, names, &ROOMY).unwrap());
    assert_eq!(of(&["a", "b"]), [(0, 0, 0, 0, 4)]);
    assert_eq!(of(&["a", "gl_SkipComponents1", "b"]), [(0, 0, 0, 0, 2), (0, 12, 0, 2, 2)]);
    assert_eq!(of(&["a", "c"]), [(0, 0, 0, 0, 2), (0, 8, 1, 2, 2)]);
    assert_eq!(of(&["a", "gl_NextBuffer", "b"]), [(0, 0, 0, 0, 2), (1, 0, 0, 2, 2)]);
}

fn built_ins() -> [Output; 4] {
    let compact = |name, length| Output { is_compact: true, ..Output::new(name, float(1).array(length), CLIP_DIST0) };
    [
        Output::new("gl_Position", float(4), POS),
        Output::new("gl_PointSize", float(1), PSIZ),
        compact("gl_ClipDistance", 5),
        // After the clip distances, in the same slots.
        Output { location: CLIP_DIST0 + 1, component: 1, ..compact("gl_CullDistance", 3) },
    ]
}

#[test]
fn built_ins_have_their_slots() {
    let info = interleaved(&built_ins(), &["gl_PointSize", "gl_Position"], &ROOMY).unwrap();
    assert_eq!(info.buffers[0].stride, 20);
    assert_eq!((info.captured(PSIZ, 0), info.captured(POS, 2)), (Some((0, 0)), Some((0, 12))));
    assert_eq!((info.captured(PSIZ, 1), info.captured(VAR0, 0)), (None, None));
}

#[test]
fn compact_arrays_have_four_elements_to_a_slot() {
    let of = |names: &[&str]| {
        let info = interleaved(&built_ins(), names, &ROOMY).unwrap();
        let run =
            |slot: u32| move |run: &ntv::capture::XfbOutput| (run.offset, slot, run.component, run.num_components);
        let (first, second) = (info.of_slot(CLIP_DIST0), info.of_slot(CLIP_DIST0 + 1));
        let runs: Vec<_> = first.map(run(0)).chain(second.map(run(1))).collect();
        (runs, info.buffers[0].stride)
    };
    assert_eq!(of(&["gl_ClipDistance"]), (vec![(0, 0, 0, 4), (16, 1, 0, 1)], 20));
    assert_eq!(of(&["gl_ClipDistance[4]"]), (vec![(0, 1, 0, 1)], 4));
    assert_eq!(of(&["gl_CullDistance"]), (vec![(0, 1, 1, 3)], 12));
    assert_eq!(of(&["gl_CullDistance[2]", "gl_ClipDistance[3]"]), (vec![(4, 0, 3, 1), (0, 1, 3, 1)], 8));
    assert_eq!(of(&["gl_ClipDistance", "gl_CullDistance"]), (vec![(0, 0, 0, 4), (16, 1, 0, 4)], 32));
}

/// Outputs `a` to `d`: float, vec2, vec3, double.
fn four() -> [Output; 4] {
    [
        Output::new("a", float(1), VAR0),
        Output::new("b", float(2), VAR0 + 1),
        Output::new("c", float(3), VAR0 + 2),
        Output::new("d", double(1), VAR0 + 3),
    ]
}

#[test]
fn interleaved_varyings_follow_each_other() {
    let info = interleaved(&four(), &["c", "a", "b"], &ROOMY).unwrap();
    assert_eq!(runs(&info), [(0, 0, 2, 0, 3), (0, 12, 0, 0, 1), (0, 16, 1, 0, 2)]);
    assert_eq!(reported(&info), [("c", 0x8b51, 1, 0, 0), ("a", 0x1406, 1, 0, 12), ("b", 0x8b50, 1, 0, 16)]);
    assert_eq!((info.strides(), info.buffers_written(), info.streams_written()), ([24, 0, 0, 0], 1, 1));
    assert_eq!((info.bytes_per_vertex(), info.bytes_per_primitive(3)), (24, 72));
}

#[test]
fn doubles_are_packed_tightly() {
    let info = interleaved(&four(), &["a", "d"], &ROOMY).unwrap();
    assert_eq!((runs(&info), info.strides()), (vec![(0, 0, 0, 0, 1), (0, 4, 3, 0, 2)], [12, 0, 0, 0]));
    let info = interleaved(&four(), &["a", "gl_SkipComponents1", "d"], &ROOMY).unwrap();
    assert_eq!((runs(&info), info.strides()), (vec![(0, 0, 0, 0, 1), (0, 8, 3, 0, 2)], [16, 0, 0, 0]));
}

#[test]
fn separate_varyings_have_a_buffer_each() {
    let info = separate(&four(), &["c", "a", "b", "d"], &XfbLimits::default()).unwrap();
    assert_eq!(runs(&info), [(0, 0, 2, 0, 3), (1, 0, 0, 0, 1), (2, 0, 1, 0, 2), (3, 0, 3, 0, 2)]);
    assert_eq!((info.strides(), info.buffers_written()), ([12, 4, 8, 8], 0b1111));
    assert_eq!(info.bytes_per_vertex(), 32);
    assert_eq!(info.varyings[3].buffer, 3);
}

#[test]
fn skipped_components_leave_gaps() {
    let names = ["gl_SkipComponents2", "a", "gl_SkipComponents1", "gl_SkipComponents4", "b", "gl_SkipComponents3"];
    let info = interleaved(&four(), &names, &ROOMY).unwrap();
    assert_eq!((runs(&info), info.strides()), (vec![(0, 8, 0, 0, 1), (0, 32, 1, 0, 2)], [52, 0, 0, 0]));
    let expected = [
        ("gl_SkipComponents2", 0, 2, 0, 0),
        ("a", 0x1406, 1, 0, 8),
        ("gl_SkipComponents1", 0, 1, 0, 12),
        ("gl_SkipComponents4", 0, 4, 0, 16),
        ("b", 0x8b50, 1, 0, 32),
        ("gl_SkipComponents3", 0, 3, 0, 40),
    ];
    assert_eq!(reported(&info), expected);
}

#[test]
fn next_buffer_begins_the_next_buffer() {
    let names = ["a", "b", "gl_NextBuffer", "gl_SkipComponents1", "gl_NextBuffer", "c", "gl_NextBuffer"];
    let info = interleaved(&four(), &names, &ROOMY).unwrap();
    assert_eq!(runs(&info), [(0, 0, 0, 0, 1), (0, 4, 1, 0, 2), (2, 0, 2, 0, 3)]);
    assert_eq!(
        (info.strides(), info.buffers_written()),
        ([12, 4, 12, 0], 0b101),
        "nothing is written where all is skipped"
    );
    assert_eq!(info.bytes_per_vertex(), 24);
    assert_eq!(reported(&info)[2], ("gl_NextBuffer", 0, 0, 0, 12));
    assert_eq!(reported(&info)[6], ("gl_NextBuffer", 0, 0, 2, 12));
}

#[test]
fn streams_have_buffers_of_their_own() {
    let mut outputs = four();
    outputs[1].stream = 2;
    outputs[2].stream = 2;
    let info = interleaved(&outputs, &["a", "gl_NextBuffer", "b", "c"], &ROOMY).unwrap();
    assert_eq!(info.buffers.map(|buffer| buffer.stream), [0, 2, 0, 0]);
    assert_eq!(info.streams_written(), 0b101);
    let info = separate(&outputs, &["b", "a"], &ROOMY).unwrap();
    assert_eq!(info.buffers.map(|buffer| buffer.stream), [2, 0, 0, 0]);
}

#[test]
fn nothing_is_a_plan() {
    assert_eq!(plan_captures(&four(), &Request::default(), &ROOMY), Ok(XfbInfo::default()));
    assert_eq!(separate(&[], &[], &ROOMY), Ok(XfbInfo::default()));
    assert!(XfbInfo::default().is_empty());
    let skipped = interleaved(&[], &["gl_SkipComponents4", "gl_NextBuffer"], &ROOMY).unwrap();
    assert!(skipped.is_empty());
    assert_eq!((skipped.strides(), skipped.buffers_written(), skipped.bytes_per_vertex()), ([16, 0, 0, 0], 0, 0));
}

#[test]
fn limits_can_be_reached() {
    let outputs = v(float(4).array(16));
    assert_eq!(interleaved(&outputs, &["v"], &XfbLimits::default()).unwrap().strides(), [256, 0, 0, 0]);
    // The last slot.
    let last = [Output::new("v", float(4), 95)];
    assert_eq!(interleaved(&last, &["v"], &XfbLimits::default()).unwrap().captured(95, 3), Some((0, 12)));
    // The limit is per buffer.
    let outputs = [Output::new("v", float(4).array(16), VAR0), Output::new("w", float(4).array(16), VAR0 + 16)];
    let info = interleaved(&outputs, &["v", "gl_NextBuffer", "w"], &XfbLimits::default()).unwrap();
    assert_eq!(info.strides(), [256, 256, 0, 0]);
}
