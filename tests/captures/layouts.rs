// SPDX-License-Identifier: MIT

//! Layout qualifiers: offsets, strides, aggregates.

use super::{double, float, layout, members, reported, runs, v, ROOMY};
use ntv::capture::{Output, OutputType, XfbInfo};
use ntv::op::names::varying::VAR0;

#[test]
fn offsets_and_least_strides() {
    let outputs = [Output::new("a", float(3), VAR0), Output::new("b", float(1), VAR0 + 1)];
    let info = layout(&outputs, &[("a", 1, 8), ("b", 1, 0)], [None; 4], &ROOMY).unwrap();
    assert_eq!((runs(&info), info.strides()), (vec![(1, 0, 1, 0, 1), (1, 8, 0, 0, 3)], [0, 20, 0, 0]));
    assert_eq!(reported(&info), [("b", 0x1406, 1, 1, 0), ("a", 0x8b51, 1, 1, 8)]);
    assert_eq!(layout(&outputs, &[("b", 1, 0), ("a", 1, 8)], [None; 4], &ROOMY), Ok(info), "their order is no matter");
}

#[test]
fn declared_strides() {
    let info = layout(&v(float(2)), &[("v", 0, 4)], [Some(32), None, Some(8), None], &ROOMY).unwrap();
    assert_eq!((runs(&info), info.strides(), info.buffers_written()), (vec![(0, 4, 0, 0, 2)], [32, 0, 8, 0], 1));
    let info = layout(&v(float(2)), &[("v", 0, 4)], [Some(12), None, None, None], &ROOMY).unwrap();
    assert_eq!(info.strides(), [12, 0, 0, 0], "what is captured may fill the stride");
    assert_eq!(layout(&[], &[], [None; 4], &ROOMY), Ok(XfbInfo::default()));
}

#[test]
fn strides_with_doubles_are_multiples_of_eight() {
    let outputs = [Output::new("d", double(1), VAR0), Output::new("f", float(1), VAR0 + 1)];
    let info = layout(&outputs, &[("d", 0, 8), ("f", 0, 16)], [None; 4], &ROOMY).unwrap();
    assert_eq!((runs(&info), info.strides()), (vec![(0, 8, 0, 0, 2), (0, 16, 1, 0, 1)], [24, 0, 0, 0]));
    let info = layout(&outputs, &[("d", 0, 0), ("f", 1, 0)], [Some(16), None, None, None], &ROOMY).unwrap();
    assert_eq!(info.strides(), [16, 4, 0, 0]);
}

#[test]
fn aggregates_are_flattened() {
    let inner = OutputType::Struct(members([("d", double(1)), ("f", float(1))]));
    let outputs =
        v(OutputType::Struct(members([("a", float(1)), ("s", inner.array(2)), ("z", float(1).array(2).array(2))])));
    let info = layout(&outputs, &[("v", 0, 8)], [None; 4], &ROOMY).unwrap();
    let expected = [
        ("v.a", 0x1406, 1, 0, 8),
        ("v.s[0].d", 0x140a, 1, 0, 16),
        ("v.s[0].f", 0x1406, 1, 0, 24),
        ("v.s[1].d", 0x140a, 1, 0, 32),
        ("v.s[1].f", 0x1406, 1, 0, 40),
        ("v.z[0]", 0x1406, 2, 0, 44),
        ("v.z[1]", 0x1406, 2, 0, 52),
    ];
    assert_eq!(reported(&info), expected);
    assert_eq!(info.strides(), [64, 0, 0, 0], "the space of an aggregate with doubles is a multiple of 8");
    assert_eq!(runs(&info)[1..3], [(0, 16, 1, 0, 2), (0, 24, 2, 0, 1)]);
}

#[test]
fn blocks_and_their_members() {
    let block = OutputType::Block(members([("a", float(2)), ("b", float(3))]));
    let outputs = [Output::new("Block", block.clone(), VAR0), Output::new("Many", block.array(2), VAR0 + 2)];
    let info = layout(&outputs, &[("Block", 3, 4)], [None; 4], &ROOMY).unwrap();
    assert_eq!(runs(&info), [(3, 4, 0, 0, 2), (3, 12, 1, 0, 3)]);
    let info = layout(&outputs, &[("Block.b", 0, 0), ("Many[1].a", 0, 12)], [None; 4], &ROOMY).unwrap();
    assert_eq!(runs(&info), [(0, 0, 1, 0, 3), (0, 12, 4, 0, 2)]);
    // Each block of an array is written to the next buffer.
    let info = layout(&outputs, &[("Many", 1, 4)], [None; 4], &ROOMY).unwrap();
    assert_eq!(runs(&info), [(1, 4, 2, 0, 2), (1, 12, 3, 0, 3), (2, 4, 4, 0, 2), (2, 12, 5, 0, 3)]);
    assert_eq!(reported(&info)[3], ("Many[1].b", 0x8b51, 1, 2, 12));
}
