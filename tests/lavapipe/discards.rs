// SPDX-License-Identifier: MIT

//! Rasterizer discard, by the pipeline and by the key: nothing is drawn, and the captures are the same.

use crate::gpu::Gpu;
use crate::scene::{Case, End, Scene, BACK_ENDS, CLEAR};
use ntv::capture::{BackEnd, Topology};
use ntv::Key;

/// The ways to discard primitives.
const DISCARDS: [(End, u64); 4] =
    [(End::Drawn, 0), (End::Drawn, Key::DISCARD), (End::Discarded, 0), (End::Discarded, Key::DISCARD)];

/// Captured, paused, and with words that capture nothing.
const CAPTURES: [(bool, u64); 3] = [(true, 0), (false, 0), (false, Key::NO_CAPTURE)];

/// Checks a draw: its picture is `picture` or empty, and all primitives are counted.
fn check(gpu: &Gpu, scene: &Scene, case: &Case, key: &Key, picture: &[f32]) -> Vec<u32> {
    let seen = scene.draw(gpu, case, key);
    let is_discarded = case.end == End::Discarded || key.bits & Key::DISCARD != 0;
    if is_discarded {
        assert!(seen.pixels.iter().all(|lane| *lane == CLEAR), "{case:?}, {key} draws something");
    } else {
        assert!(seen.pixels == picture, "{case:?}, {key} draws something else");
    }
    let (made, _) = case.state().primitives();
    assert_eq!(seen.counts.generated, Some(made.into()), "{case:?}, {key}");
    // Primitives that the key discards are clipped later.
    let statistics = seen.counts.statistics.expect("statistics");
    assert!(!is_discarded || statistics.visible == 0, "{case:?}, {key}: {statistics:?}");
    seen.captured
}

#[test]
fn discarded_primitives_are_captured_and_counted_and_not_drawn() {
    let gpu = Gpu::open();
    let plain = Scene::without_captures(&gpu);
    let scenes = BACK_ENDS.map(|back_end| Scene::new(&gpu, back_end));
    for topology in Topology::ALL {
        let case = Case { instances: 2, ..Case::new(topology) };
        let picture = plain.draw(&gpu, &case, &Key::default()).pixels;
        assert!(picture.iter().any(|lane| *lane != CLEAR), "{topology:?} draws nothing");
        for (end, discard) in DISCARDS {
            check(&gpu, &plain, &Case { end, ..case }, &Key::new(discard), &picture);
            for ((back_end, scene), (is_active, off)) in
                BACK_ENDS.iter().zip(&scenes).flat_map(|scene| CAPTURES.map(|captures| (scene, captures)))
            {
                let case = Case { end, is_active, ..case };
                let captured = check(&gpu, scene, &case, &Key::new(discard | off), &picture);
                assert!(captured == case.model(), "{back_end:?}, {case:?}");
            }
        }
    }
}

/// The emulation moves points far away, because large points extend beyond the edge of the picture.
#[test]
fn a_discarded_point_is_far_away() {
    let gpu = Gpu::open();
    let scene = Scene::with_point_size(&gpu, BackEnd::Storage, 255.);
    let case = Case { vertices: 1, ..Case::new(Topology::Points) };
    let all = scene.draw(&gpu, &case, &Key::default());
    assert!(all.pixels.iter().all(|lane| *lane != CLEAR), "the point covers the picture");
    let none = scene.draw(&gpu, &case, &Key::new(Key::DISCARD));
    assert!(none.pixels.iter().all(|lane| *lane == CLEAR), "a discarded point is drawn");
    assert!(none.captured == case.model());
}
