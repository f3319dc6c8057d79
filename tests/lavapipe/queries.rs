// SPDX-License-Identifier: MIT

//! Compares ntv's counts of transform feedback with the device's: for all back ends, topologies and ends of primitives.

use crate::counters::runner;
use crate::gpu::Gpu;
use crate::kernels::Feedback;
use crate::scene::{Case, End, Scene, BACK_ENDS};
use ntv::capture::{BackEnd, Counted, Query, Topology};
use ntv::Key;
use ntv_driver::headless::{self, Queries};

/// Few and more vertices, instances, buffers that are too small, paused, visible and not, with the command on the device.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in Topology::ALL {
        let plain = Case::new(topology);
        cases.extend([0, 1, 2, 3, 7].map(|vertices| Case { vertices, ..plain }));
        cases.extend([0, 1, 3, 4].map(|most| Case { most, instances: 2, ..plain }));
        cases.extend([0, 3].map(|instances| Case { instances, is_indirect: true, ..plain }));
        cases.extend([2, 50].map(|most| Case { most, is_active: false, ..plain }));
        for end in [End::Culled, End::NoArea, End::Discarded] {
            cases.push(Case { end, ..plain });
            cases.push(Case { end, is_active: false, ..plain });
            cases.push(Case { end, most: 1, is_indirect: true, ..plain });
        }
    }
    cases
}

/// The counts of `case` in a query: those of the kernels are the same as those of the CPU.
fn counted(case: &Case, run: crate::kernels::Run<'_>) -> Counted {
    let state = case.state();
    let mut feedback = Feedback::new(state.topology, state.provoking, state.primitives_most);
    feedback.state.is_active = state.is_active;
    let query = Query::begin(feedback.counted);
    feedback.begin_draw([case.vertices, case.instances, 0, 0], run);
    query.end(feedback.counted)
}

#[test]
fn queries_agree_with_the_counts_of_the_device() {
    let gpu = Gpu::open();
    assert_eq!(gpu.queries(), Queries::ALL);
    let run = &mut runner(&gpu);
    let scenes = BACK_ENDS.map(|back_end| (back_end, Scene::new(&gpu, back_end)));
    let mut overflows = 0;
    for case in cases() {
        let own = counted(&case, run);
        let (made, captured) = case.state().primitives();
        assert_eq!([own.generated, own.written], [made, captured].map(u64::from), "{case:?}");
        assert_eq!(own.has_overflowed(), case.is_active && captured < made, "{case:?}");
        overflows += u32::from(own.has_overflowed());
        for (back_end, scene) in &scenes {
            let seen = scene.draw(&gpu, &case, &Key::default());
            assert!(seen.captured == case.model(), "{back_end:?}, {case:?}");
            assert_eq!(seen.counts.generated, Some(own.generated), "{back_end:?}, {case:?}");
            if *back_end == BackEnd::Extension {
                let found = seen.counts.feedback.expect("a query");
                // llvmpipe also counts primitives of paused draws as needed.
                let needed = if case.is_active { own.needed } else { found.needed };
                assert_eq!(found, headless::StreamOutputCounts { written: own.written, needed }, "{case:?}");
            }
        }
    }
    assert!(overflows > 20, "{overflows} overflows");
}

/// ANGLE's Metal back end captures in a pass of its own, without rasterization, and draws in another one: the vertex shader runs
/// twice. With storage buffers, a draw captures.
#[test]
fn captures_run_the_vertex_shader_once() {
    let gpu = Gpu::open();
    let storage = Scene::new(&gpu, BackEnd::Storage);
    let plain = Scene::without_captures(&gpu);
    for topology in Topology::ALL {
        for (vertices, instances) in [(7, 1), (6, 3), (100, 2)] {
            let case = Case { vertices, instances, most: 1000, ..Case::new(topology) };
            let runs = |scene: &Scene, case: &Case| {
                let statistics = scene.draw(&gpu, case, &Key::default()).counts.statistics;
                statistics.expect("statistics").vertex_invocations
            };
            let once = runs(&plain, &case);
            assert!(once > 0, "{case:?}");
            assert_eq!(runs(&storage, &case), once, "{case:?}");
            assert_eq!(runs(&storage, &Case { is_active: false, ..case }), once, "paused, {case:?}");
            let two_passes = runs(&storage, &Case { end: End::Discarded, ..case }) + runs(&plain, &case);
            assert_eq!(two_passes, 2 * once, "{case:?}");
        }
    }
}
