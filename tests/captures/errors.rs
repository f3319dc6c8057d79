// SPDX-License-Identifier: MIT

//! Every error, with its message.

use super::{double, float, interleaved, layout, members, separate, v, ROOMY};
use ntv::capture::{Output, OutputType, ScalarType, XfbError, XfbInfo, XfbLimits, XfbPlace, XfbProblem};
use ntv::op::names::varying::{CLIP_DIST0, POS, VAR0};

fn outputs() -> Vec<Output> {
    let s = OutputType::Struct(members([("m", float(2)), ("n", float(1).array(2))]));
    let block = OutputType::Block(members([("x", float(1))]));
    vec![
        Output::new("gl_Position", float(4), POS),
        Output::new("a", float(1).array(4), VAR0),
        Output::new("b", float(3), VAR0 + 4),
        Output::new("m", OutputType::matrix(ScalarType::Float, 2, 2), VAR0 + 5),
        Output::new("s", s.clone(), VAR0 + 7),
        Output::new("t", s.array(1), VAR0 + 10),
        Output::new("Block", block.clone(), VAR0 + 13),
        Output::new("Many", block.array(5), VAR0 + 14),
        Output::new("aa", float(1).array(2).array(1), VAR0 + 19),
        Output { stream: 1, ..Output::new("other", float(1), VAR0 + 21) },
        Output::new("d", double(1), VAR0 + 22),
    ]
}

fn message(result: Result<XfbInfo, XfbError>) -> String {
    result.expect_err("an error").to_string()
}

/// The message for the names `names`, in both modes.
fn listed(names: &[&str]) -> String {
    let error = message(interleaved(&outputs(), names, &ROOMY));
    assert_eq!(message(separate(&outputs(), names, &ROOMY)), error);
    error
}

fn laid_out(captures: &[(&str, u32, u32)]) -> String {
    message(layout(&outputs(), captures, [None; 4], &XfbLimits::default()))
}

#[test]
fn invalid_names_are_errors() {
    for name in ["", "a[", "a[x]", "a[-1]", "a[]", "a[01]", "a..b", "a.", "a b", "1"] {
        let expected = format!("varying 1 {name:?}: this is not a name such as v, a[1] or s.m");
        assert_eq!(listed(&["b", name]), expected);
    }
    assert_eq!(listed(&["c"]), "varying 0 \"c\": there is no such output");
    assert_eq!(listed(&["c[1]"]), "varying 0 \"c[1]\": there is no such output");
    let reserved = ": OpenGL has no such output, and names that begin with gl_ are its own";
    assert_eq!(listed(&["b", "gl_Positon"]), format!("varying 1 \"gl_Positon\"{reserved}"));
    assert_eq!(listed(&["gl_SkipComponents5"]), format!("varying 0 \"gl_SkipComponents5\"{reserved}"));
    assert_eq!(laid_out(&[("gl_NextBuffer", 0, 0)]), format!("varying 0 \"gl_NextBuffer\"{reserved}"));
}

#[test]
fn names_of_missing_parts_are_errors() {
    assert_eq!(listed(&["b[0]"]), "varying 0 \"b[0]\": b is not an array");
    assert_eq!(listed(&["m[0]"]), "varying 0 \"m[0]\": m is not an array");
    assert_eq!(listed(&["a[1][0]"]), "varying 0 \"a[1][0]\": a[1] is not an array");
    assert_eq!(listed(&["a[4]"]), "varying 0 \"a[4]\": a has 4 elements");
    assert_eq!(listed(&["a[4294967295]"]), "varying 0 \"a[4294967295]\": a has 4 elements");
    assert_eq!(listed(&["a[99999999999999999999]"]), "varying 0 \"a[99999999999999999999]\": a has 4 elements");
    assert_eq!(listed(&["t[1].m"]), "varying 0 \"t[1].m\": t has 1 element");
    assert_eq!(listed(&["s.n[2]"]), "varying 0 \"s.n[2]\": s.n has 2 elements");
    assert_eq!(listed(&["b.x"]), "varying 0 \"b.x\": b is not a struct");
    assert_eq!(listed(&["t.m"]), "varying 0 \"t.m\": t is not a struct");
    assert_eq!(listed(&["s.o"]), "varying 0 \"s.o\": s has no member o");
    assert_eq!(listed(&["Many[4].y"]), "varying 0 \"Many[4].y\": Many[4] has no member y");
    assert_eq!(listed(&["Block[0].x"]), "varying 0 \"Block[0].x\": Block is not an array");
}

#[test]
fn aggregates_are_not_listed() {
    let table = [
        ("s", "a struct"),
        ("t", "an array of structs"),
        ("t[0]", "a struct"),
        ("Block", "a block"),
        ("Many", "an array of blocks"),
        ("aa", "an array of arrays"),
    ];
    for (name, what) in table {
        let expected = format!("varying 0 {name:?}: it is {what}, which can only be captured part by part");
        assert_eq!(listed(&[name]), expected);
    }
}

#[test]
fn nothing_is_captured_twice() {
    let table =
        [["b", "b"], ["a[1]", "a[1]"], ["a", "a[1]"], ["a[1]", "a"], ["s.n[1]", "s.n"], ["gl_Position", "gl_Position"]];
    for [first, second] in table {
        let expected = format!("varying 2 {second:?}: varying 1 captures it, or a part of it, already");
        assert_eq!(listed(&["m", first, second]), expected);
    }
    assert!(interleaved(&outputs(), &["a[1]", "a[0]"], &ROOMY).is_ok());
    let twice = "varying 1 \"b\": varying 0 captures it, or a part of it, already";
    assert_eq!(laid_out(&[("b", 0, 0), ("b", 1, 0)]), twice);
}

#[test]
fn the_call_itself_is_refused() {
    for name in ["gl_NextBuffer", "gl_SkipComponents1"] {
        let error = message(separate(&outputs(), &["unknown", name], &ROOMY));
        assert_eq!(error, format!("varying 1 {name:?}: only the interleaved mode has this name"));
    }
    let error = message(separate(&outputs(), &["a[0]", "a[1]", "a[2]", "a[3]", "b"], &ROOMY));
    assert_eq!(error, "varying 4 \"b\": separate mode takes 4 varyings");
    let limits = XfbLimits { max_separate_attribs: 1, ..ROOMY };
    assert_eq!(message(separate(&outputs(), &["a", "b"], &limits)), "varying 1 \"b\": separate mode takes 1 varying");
    let limits = XfbLimits { max_separate_attribs: u32::MAX, max_buffers: u32::MAX, ..ROOMY };
    let error = message(separate(&outputs(), &["a[0]", "a[1]", "a[2]", "a[3]", "b"], &limits));
    assert_eq!(error, "varying 4 \"b\": separate mode takes 4 varyings", "a plan has no more buffers");
    let next = ["gl_NextBuffer", "gl_NextBuffer", "b", "gl_NextBuffer", "gl_NextBuffer"];
    let error = message(interleaved(&outputs(), &next, &limits));
    assert_eq!(error, "varying 4 \"gl_NextBuffer\": there is no buffer 4: the device has 4");
    let limits = XfbLimits { max_buffers: 1, ..ROOMY };
    let error = message(interleaved(&outputs(), &next, &limits));
    assert_eq!(error, "varying 0 \"gl_NextBuffer\": there is no buffer 1: the device has 1");
}

#[test]
fn too_many_components() {
    let limits = XfbLimits { max_interleaved_components: 8, ..XfbLimits::default() };
    let error = message(interleaved(&outputs(), &["a", "gl_SkipComponents2", "b"], &limits));
    assert_eq!(error, "varying 2 \"b\": up to here buffer 0 has 9 components, and may have 8");
    let error = message(interleaved(&outputs(), &["a", "gl_NextBuffer", "a", "b", "gl_SkipComponents4"], &limits));
    assert_eq!(error, "varying 2 \"a\": varying 0 captures it, or a part of it, already");
    let error = message(interleaved(&outputs(), &["gl_NextBuffer", "a", "b", "gl_SkipComponents2"], &limits));
    let expected = "varying 3 \"gl_SkipComponents2\": up to here buffer 1 has 9 components, and may have 8";
    assert_eq!(error, expected, "what is skipped counts");
    let limits = XfbLimits { max_separate_components: 3, ..limits };
    let error = message(separate(&outputs(), &["b", "a"], &limits));
    assert_eq!(error, "varying 1 \"a\": it has 4 components, and may have 3 in separate mode");
    let error = laid_out(&[("a", 0, 244)]);
    assert_eq!(error, "varying 0 \"a\": up to here buffer 0 has 65 components, and may have 64");
    let error = laid_out(&[("a", 0, 4294967292)]);
    assert_eq!(error, "varying 0 \"a\": up to here buffer 0 has 1073741827 components, and may have 64");
}

#[test]
fn huge_arrays_are_refused_at_once() {
    let rows = float(4).array(u32::MAX).array(u32::MAX);
    let outputs = v(OutputType::Struct(members([("a", float(4).array(u32::MAX)), ("b", rows.clone()), ("c", rows)])));
    let limits = [
        XfbLimits::default(),
        XfbLimits { max_interleaved_components: u32::MAX, max_separate_components: u32::MAX, ..ROOMY },
    ];
    for limits in limits {
        for name in ["v.a", "v.a[4294967294]", "v.b[4294967294][4294967294]", "v.b[3]", "v.c[1]"] {
            assert!(interleaved(&outputs, &[name], &limits).is_err(), "{name}");
            assert!(separate(&outputs, &[name], &limits).is_err(), "{name}");
            assert!(layout(&outputs, &[(name, 0, 0)], [None; 4], &limits).is_err(), "{name}");
        }
        assert!(layout(&outputs, &[("v", 0, 0)], [None; 4], &limits).is_err());
        assert!(layout(&outputs, &[("v.c", 0, 0)], [None; 4], &limits).is_err());
        let compact = [Output { is_compact: true, ..Output::new("gl_ClipDistance", float(1).array(u32::MAX), 17) }];
        for name in ["gl_ClipDistance", "gl_ClipDistance[4294967294]"] {
            assert!(interleaved(&compact, &[name], &limits).is_err());
            assert!(layout(&compact, &[(name, 0, 0)], [None; 4], &limits).is_err());
        }
    }
    let error = message(interleaved(&outputs, &["v.a"], &XfbLimits::default()));
    assert_eq!(error, "varying 0 \"v.a\": up to here buffer 0 has 4294967295 components, and may have 64");
    let error = message(interleaved(&outputs, &["v.a[4294967294]"], &XfbLimits::default()));
    assert_eq!(
        error,
        "varying 0 \"v.a[4294967294]\": the output is not described properly: it ends after the last slot"
    );
}

#[test]
fn a_buffer_has_one_stream() {
    let error = message(interleaved(&outputs(), &["a", "other"], &ROOMY));
    assert_eq!(error, "varying 1 \"other\": it is of stream 1, and buffer 0 takes those of stream 0");
    let error = laid_out(&[("other", 2, 0), ("a", 2, 4)]);
    assert_eq!(error, "varying 1 \"a\": it is of stream 0, and buffer 2 takes those of stream 1");
    assert!(separate(&outputs(), &["a", "other"], &ROOMY).is_ok());
}

#[test]
fn layouts_that_cannot_be() {
    assert_eq!(laid_out(&[("b", 0, 2)]), "varying 0 \"b\": its offset 2 is not a multiple of 4");
    assert_eq!(laid_out(&[("d", 0, 4)]), "varying 0 \"d\": its offset 4 is not a multiple of 8");
    assert_eq!(laid_out(&[("b", 0, 0), ("d", 0, 8)]), "varying 1 \"d\": it overlaps varying 0 in buffer 0");
    assert_eq!(laid_out(&[("b", 4, 0)]), "varying 0 \"b\": there is no buffer 4: the device has 4");
    let beyond = "varying 0 \"Many\": there is no buffer 4: the device has 4";
    assert_eq!(laid_out(&[("Many", 0, 0)]), beyond, "five blocks do not go to four buffers");
    assert_eq!(laid_out(&[("b", u32::MAX, 0)]), "varying 0 \"b\": there is no buffer 4294967295: the device has 4");
    // The padding of an aggregate is a part of it.
    let outputs = [
        Output::new("s", OutputType::Struct(members([("d", double(1)), ("f", float(1))])), VAR0),
        Output::new("f", float(1), VAR0 + 2),
    ];
    let error = message(layout(&outputs, &[("s", 0, 0), ("f", 0, 12)], [None; 4], &ROOMY));
    assert_eq!(error, "varying 1 \"f\": it overlaps varying 0 in buffer 0");
    assert!(layout(&outputs, &[("s", 0, 0), ("f", 0, 16)], [None; 4], &ROOMY).is_ok());
}

#[test]
fn strides_that_cannot_be() {
    let with = |captures: &[(&str, u32, u32)], stride, limits: &XfbLimits| {
        message(layout(&outputs(), captures, [None, Some(stride), None, None], limits))
    };
    let limits = XfbLimits::default();
    assert_eq!(with(&[], 6, &limits), "buffer 1: its stride 6 is not a multiple of 4");
    assert_eq!(with(&[("d", 1, 0)], 12, &limits), "buffer 1: its stride 12 is not a multiple of 8");
    assert_eq!(with(&[], 260, &limits), "buffer 1: its stride 260 is more than 64 components");
    assert_eq!(with(&[("b", 1, 4)], 12, &limits), "varying 0 \"b\": it ends at byte 16, and the stride is 12");
    assert_eq!(with(&[("b", 1, 0)], 0, &limits), "varying 0 \"b\": it ends at byte 12, and the stride is 0");
    let one = XfbLimits { max_buffers: 1, ..limits };
    assert_eq!(with(&[], 4, &one), "buffer 1: there is no buffer 1: the device has 1");
    let odd = XfbLimits { max_interleaved_components: 3, ..limits };
    let error = message(layout(&outputs(), &[("d", 0, 0), ("a[0]", 0, 8)], [None; 4], &odd));
    assert_eq!(error, "buffer 0: its stride 16 is more than 3 components", "with its padding");
}

#[test]
fn outputs_that_cannot_be() {
    let why = |output: Output, name: &str| {
        let error = interleaved(&[output], &[name], &ROOMY).unwrap_err();
        assert!(matches!(error.place, XfbPlace::Varying { index: 0, .. }));
        match error.problem {
            XfbProblem::InvalidOutput { why } => why,
            other => panic!("{other}"),
        }
    };
    let plain = |ty| why(Output::new("v", ty, VAR0), "v");
    assert_eq!(plain(float(0)), "GLSL has no such type");
    assert_eq!(plain(float(5)), "GLSL has no such type");
    assert_eq!(plain(OutputType::matrix(ScalarType::Int, 2, 2)), "GLSL has no such type");
    assert_eq!(plain(OutputType::matrix(ScalarType::Float, 255, 255)), "GLSL has no such type");
    assert_eq!(plain(float(1).array(0)), "an array has no elements");
    assert_eq!(plain(OutputType::Struct(Vec::new())), "a struct has no members");
    assert_eq!(plain((0..40).fold(float(1), |ty, _| ty.array(1))), "its type is nested too deeply");
    let at = |component, ty| why(Output { component, ..Output::new("v", ty, VAR0) }, "v");
    assert_eq!(at(4, float(1)), "a slot has four components");
    assert_eq!(at(2, float(3)), "it does not fit into its slot");
    assert_eq!(at(1, double(1)), "it does not fit into its slot");
    assert_eq!(at(2, double(3)), "it does not fit into its slot");
    assert_eq!(at(1, OutputType::Struct(members([("m", float(1))]))), "a struct begins with a slot");
    assert_eq!(why(Output { stream: 4, ..Output::new("v", float(1), VAR0) }, "v"), "there are four vertex streams");
    let compact = |ty| why(Output { is_compact: true, ..Output::new("v", ty, CLIP_DIST0) }, "v");
    assert_eq!(compact(float(2).array(2)), "only arrays of 32-bit scalars are compact");
    assert_eq!(compact(double(1).array(2)), "only arrays of 32-bit scalars are compact");
    assert_eq!(compact(float(1)), "only arrays of 32-bit scalars are compact");
    assert_eq!(why(Output::new("v", float(1).array(2), 95), "v"), "it ends after the last slot");
    assert_eq!(why(Output::new("v", float(1), u32::MAX), "v"), "it ends after the last slot");
    let two = [Output::new("v", float(1), VAR0), Output::new("v", float(1), VAR0 + 1)];
    let error = message(interleaved(&two, &["v"], &ROOMY));
    assert_eq!(error, "varying 0 \"v\": the output is not described properly: two outputs have this name");
}
