// SPDX-License-Identifier: MIT

//! Logs with equal and with different effects.

use crate::{first_difference, normalize, Action, ActionKind, Command};
use ash::vk::DynamicState as Dynamic;
use ash::vk::{AttachmentLoadOp as Load, AttachmentStoreOp as Store};

fn command(name: &'static str, words: &[u64]) -> Command {
    Command { name, words: words.to_vec() }
}

fn begin() -> Command {
    command("vkBeginCommandBuffer", &[0])
}

fn draw() -> Command {
    command("vkCmdDraw", &[3, 1, 0, 0])
}

/// A pipeline that reads vertex buffers 0 and 2, with layout A, B or C.
fn pipeline(number: u64, dynamic: &[Dynamic], layout: &[u64]) -> Command {
    let dynamic: Vec<u64> = dynamic.iter().map(|state| state.as_raw() as u64).collect();
    let head = [0, number, dynamic.len() as u64];
    let words = [&head, &dynamic[..], &[2, 0, 2, 1, 1], layout].concat();
    command("vkCmdBindPipeline", &words)
}

/// Two sets and a range of four bytes of push constants.
const A: &[u64] = &[2, 10, 0, 11, 0, 1, 1, 0, 4];
/// The sets and the range of [`A`], with another set 1.
const B: &[u64] = &[2, 10, 0, 21, 0, 1, 1, 0, 4];
/// Another range.
const C: &[u64] = &[2, 30, 0, 31, 0, 1, 1, 0, 8];

fn sets(layout: &[u64], first: u64, sets: &[u64]) -> Command {
    let words = [&[0, 99], layout, &[first, sets.len() as u64], sets].concat();
    command("vkCmdBindDescriptorSets", &words)
}

fn constants(layout: &[u64], bytes: [u64; 4]) -> Command {
    command("vkCmdPushConstants", &[&[99], layout, &[1, 0, 4], &bytes].concat())
}

fn vertex_buffer(binding: u64, buffer: u64) -> Command {
    command("vkCmdBindVertexBuffers", &[binding, 1, buffer, 0, u64::MAX, 0])
}

fn line_width(width: u64) -> Command {
    command("vkCmdSetLineWidth", &[width])
}

const WIDTH: &[Dynamic] = &[Dynamic::LINE_WIDTH];

#[track_caller]
fn assert_same(a: &[Command], b: &[Command]) {
    let (a, b) = (normalize(a), normalize(b));
    assert!(!a.is_empty());
    assert_eq!(first_difference(&a, &b, |word| word.to_string()), None);
    assert_eq!(a, b);
}

/// The text of the difference.
#[track_caller]
fn difference(a: &[Command], b: &[Command]) -> String {
    let (a, b) = (normalize(a), normalize(b));
    assert_ne!(a, b);
    first_difference(&a, &b, |word| word.to_string()).unwrap()
}

fn draws(actions: &[Action]) -> usize {
    actions.iter().filter(|action| action.kind == ActionKind::Draw).count()
}

#[test]
fn redundant_binds_vanish() {
    let once =
        [begin(), pipeline(1, &[], A), sets(A, 0, &[5, 6]), constants(A, [1; 4]), vertex_buffer(0, 7), draw(), draw()];
    let again = [
        begin(),
        vertex_buffer(0, 8),
        pipeline(2, &[], A),
        pipeline(1, &[], A),
        sets(A, 0, &[4]),
        sets(A, 0, &[5, 6]),
        constants(A, [1; 4]),
        vertex_buffer(0, 7),
        draw(),
        pipeline(1, &[], A),
        sets(A, 1, &[6]),
        constants(A, [1; 4]),
        vertex_buffer(0, 7),
        draw(),
    ];
    assert_same(&once, &again);
    assert_eq!(draws(&normalize(&once)), 2);
}

#[test]
fn a_missing_bind_is_a_difference() {
    let log =
        [begin(), pipeline(1, &[], A), sets(A, 0, &[5, 6]), draw(), sets(A, 1, &[7]), vertex_buffer(2, 3), draw()];
    for missing in [1, 2, 4, 5] {
        let without: Vec<Command> =
            log.iter().enumerate().filter(|(i, _)| *i != missing).map(|(_, command)| command.clone()).collect();
        difference(&log, &without);
    }
    let without = [&log[..4], &log[5..]].concat();
    assert_eq!(difference(&log, &without), "action 1, vkCmdDraw: descriptor set [1, 0]: 7 and 6;");
}

#[test]
fn a_buffer_that_no_pipeline_reads_does_not_count() {
    let log = |binding| [begin(), pipeline(1, &[], A), vertex_buffer(0, 1), vertex_buffer(binding, 2), draw()];
    assert_same(&log(1), &log(3));
    difference(&log(1), &log(2));
}

#[test]
fn nothing_lasts_beyond_a_command_buffer() {
    let log = [begin(), pipeline(1, &[], A), sets(A, 0, &[5, 6]), draw(), draw()];
    let split = [&log[..4], &[begin()], &log[4..]].concat();
    difference(&log, &split);
    let split = [&log[..4], &[begin()], &log[1..3], &log[4..]].concat();
    assert_same(&log, &split);
}

#[test]
fn sets_last_as_far_as_layouts_are_compatible() {
    let log = |layout| [begin(), pipeline(1, &[], A), sets(A, 0, &[5, 6]), pipeline(2, &[], layout), draw()];
    let state = |log: &[Command]| {
        let last = normalize(log).pop().unwrap();
        last.state.keys().filter(|key| key.0 == "descriptor set").map(|key| key.1[0]).collect::<Vec<_>>()
    };
    assert_eq!(state(&log(A)), [0, 1]);
    assert_eq!(state(&log(B)), [0]);
    assert_eq!(state(&log(C)), [0; 0]);
    // A bind of a set with another layout disturbs the sets after it, and the incompatible sets before it.
    assert_eq!(state(&[begin(), pipeline(1, &[], A), sets(A, 0, &[5, 6]), sets(C, 0, &[7]), draw()]), [0; 0]);
    assert_eq!(state(&[begin(), pipeline(1, &[], A), sets(A, 0, &[5, 6]), sets(B, 0, &[7]), draw()]), [0, 1]);
    assert_eq!(state(&[begin(), pipeline(1, &[], B), sets(A, 0, &[5, 6]), sets(B, 1, &[7]), draw()]), [0, 1]);
}

#[test]
fn push_constants_last_as_far_as_ranges_are_the_same() {
    let log = |layout| [begin(), constants(layout, [1, 2, 3, 4]), pipeline(1, &[], A), draw()];
    assert_same(&log(A), &log(B));
    assert_eq!(difference(&log(A), &log(C)), "action 0, vkCmdDraw: push constants [0, 0]: 1 2 3 4 and not set;");
}

#[test]
fn a_draw_sees_only_the_states_that_are_dynamic() {
    let log = |width, dynamic| [begin(), line_width(width), pipeline(1, dynamic, A), draw()];
    difference(&log(1, WIDTH), &log(2, WIDTH));
    assert_same(&log(1, &[]), &log(2, &[]));
    // A pipeline with a static value replaces the dynamic one.
    let again = |commands: &[Command]| {
        [&[begin(), line_width(1), pipeline(1, &[], A), draw()], commands, &[pipeline(2, WIDTH, A), draw()]].concat()
    };
    let text = difference(&again(&[line_width(1)]), &again(&[]));
    assert_eq!(text, "action 1, vkCmdDraw: line width [0, 0]: 1 and not set;");
}

#[test]
fn disabled_state_is_not_used() {
    let dynamic = [Dynamic::STENCIL_TEST_ENABLE, Dynamic::STENCIL_REFERENCE];
    let test = |on| command("vkCmdSetStencilTestEnable", &[on]);
    let reference = |faces, value| command("vkCmdSetStencilReference", &[faces, value]);
    let log = |on, value| [begin(), pipeline(1, &dynamic, A), test(on), reference(3, value), draw()];
    assert_same(&log(0, 1), &log(0, 2));
    difference(&log(1, 1), &log(1, 2));
    // The value of a static switch is unknown.
    let fixed = |value| [begin(), pipeline(1, &dynamic[1..], A), test(0), reference(3, value), draw()];
    difference(&fixed(1), &fixed(2));
    let by_faces = [begin(), pipeline(1, &dynamic, A), test(1), reference(1, 4), reference(2, 4), draw()];
    assert_same(&log(1, 4), &by_faces);
    let dynamic = [Dynamic::COLOR_BLEND_ENABLE_EXT, Dynamic::COLOR_BLEND_EQUATION_EXT];
    let equation = |value| command("vkCmdSetColorBlendEquationEXT", &[0, 2, 1, 1, 0, 1, 1, 0, value, 1, 0, 1, 1, 0]);
    let enables = |second| command("vkCmdSetColorBlendEnableEXT", &[0, 2, 1, second]);
    let log = |second, value| [begin(), pipeline(1, &dynamic, A), enables(second), equation(value), draw()];
    assert_same(&log(0, 1), &log(0, 2));
    difference(&log(1, 1), &log(1, 2));
}

/// A rendering to one color attachment.
fn rendering(view: u64, load: Load, store: Store) -> Command {
    let none = [0; 11];
    let color = [view, 1, 0, 0, 0, load.as_raw() as u64, store.as_raw() as u64, 0, 0, 0, 0];
    command("vkCmdBeginRendering", &[&[0, 0, 0, 8, 8, 1, 0, 1], &color[..], &none, &none].concat())
}

fn end_rendering() -> Command {
    command("vkCmdEndRendering", &[])
}

fn barrier() -> Command {
    command("vkCmdPipelineBarrier2", &[0, 0, 0, 0])
}

#[test]
fn continued_renderings_count_as_one() {
    let (load, store) = (Load::LOAD, Store::STORE);
    let once = [begin(), rendering(5, load, store), draw(), draw(), end_rendering()];
    let split = |between: &[Command], then: Command| {
        [&[begin(), rendering(5, load, store), draw(), end_rendering()], between, &[then, draw(), end_rendering()]]
            .concat()
    };
    assert_same(&once, &split(&[], rendering(5, load, store)));
    let without_barriers = |log: &[Command]| {
        normalize(log).into_iter().filter(|action| action.kind != ActionKind::Barrier).collect::<Vec<_>>()
    };
    assert_eq!(normalize(&once), without_barriers(&split(&[barrier()], rendering(5, load, store))));
    difference(&once, &split(&[barrier()], rendering(5, load, store)));
    difference(&once, &split(&[], rendering(6, load, store)));
    let cleared = split(&[], rendering(5, Load::CLEAR, store));
    assert_eq!(difference(&once, &cleared).split('[').next(), Some("action 1: vkCmdDraw "));
    assert_eq!(normalize(&cleared)[1].kind, ActionKind::Clear);
    difference(&once, &split(&[], rendering(5, Load::DONT_CARE, store)));
    // An empty rendering has no actions.
    let empty = [
        begin(),
        rendering(7, load, store),
        end_rendering(),
        rendering(5, load, store),
        draw(),
        draw(),
        end_rendering(),
    ];
    assert_same(&once, &empty);
    let discarded = [begin(), rendering(5, load, Store::DONT_CARE), draw(), draw(), end_rendering()];
    assert_eq!(normalize(&discarded).last().unwrap().kind, ActionKind::Discard);
}

#[test]
fn resolves_are_copies_at_the_end() {
    let resolving = |resolve: u64| {
        let mut rendering = rendering(5, Load::LOAD, Store::STORE);
        (rendering.words[10], rendering.words[11]) = (2, resolve);
        rendering
    };
    let once = [begin(), resolving(9), draw(), draw(), end_rendering()];
    let split = [begin(), resolving(9), draw(), end_rendering(), resolving(9), draw(), end_rendering()];
    assert_same(&once, &split);
    let copies = |log: &[Command]| normalize(log).iter().filter(|action| action.kind == ActionKind::Copy).count();
    assert_eq!(copies(&split), 1);
    let other = [begin(), resolving(9), draw(), end_rendering(), resolving(8), draw(), end_rendering()];
    assert_eq!(copies(&other), 2);
}

#[test]
fn continued_feedback_counts_as_one() {
    let buffer = |buffer| command("vkCmdBindTransformFeedbackBuffersEXT", &[0, 1, buffer, 0, 64, 0]);
    let fresh = command("vkCmdBeginTransformFeedbackEXT", &[0, 0, 0, 0]);
    let resumed = command("vkCmdBeginTransformFeedbackEXT", &[0, 1, 1, 8, 1, 0]);
    let end = command("vkCmdEndTransformFeedbackEXT", &[0, 1, 1, 8, 1, 0]);
    let log =
        |between: &[Command]| [&[begin(), buffer(1), fresh.clone(), draw()], between, &[draw(), end.clone()]].concat();
    assert_same(&log(&[]), &log(&[end.clone(), buffer(1), resumed.clone()]));
    difference(&log(&[]), &log(&[end.clone(), fresh.clone()]));
    difference(&log(&[]), &log(&[end.clone(), buffer(2), resumed.clone()]));
    difference(&log(&[]), &log(std::slice::from_ref(&end)));
    difference(&log(&[]), &log(&[end.clone(), draw(), resumed]));
}

#[test]
fn dispatches_use_compute_bindings() {
    let bind = |number| command("vkCmdBindPipeline", &[1, number, 0, 0, 0, 0, 0, 0]);
    let dispatch = command("vkCmdDispatch", &[1, 1, 1]);
    let log = |graphics, number| [begin(), bind(number), pipeline(graphics, &[], A), dispatch.clone()];
    assert_same(&log(1, 5), &log(2, 5));
    difference(&log(1, 5), &log(1, 6));
}

#[test]
fn invalid_input_does_not_panic() {
    let names = ["vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants", "vkCmdBindVertexBuffers2"];
    let more = ["vkCmdSetViewport", "vkCmdSetStencilOp", "vkCmdBeginRendering", "vkCmdBeginTransformFeedbackEXT"];
    for name in names.into_iter().chain(more).chain(["vkCmdPushDescriptorSetKHR", "vkCmdSetVertexInputEXT", "vkCmdX"]) {
        for words in [&[][..], &[u64::MAX; 3], &[u64::MAX; 40], &[1; 40], &[0; 40]] {
            normalize(&[begin(), command(name, words), draw(), command("vkCmdEndRendering", &[])]);
        }
    }
}
