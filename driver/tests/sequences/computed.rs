// SPDX-License-Identifier: MIT

//! Sequences on lavapipe: results of draws, dispatches and queries are compared, and the validation layer must not report
//! messages.

use crate::call::Call;
use crate::generate::sequence;
use crate::play::{Mode, Player};
use crate::scene::Rig;
use ntv_driver::context::{ContextOptions, Topology};
use ntv_driver::device::DynamicState;
use std::ops::Range;

/// A way to play sequences. All ways have the same results.
struct Way {
    name: &'static str,
    rig: Rig,
    emit_all: bool,
    /// The calls that can be played in this way.
    takes: fn(&Call) -> Option<Call>,
}

fn all(call: &Call) -> Option<Call> {
    Some(call.clone())
}

/// The validation layer (1.3.239) crashes on a library with a geometry shader, because the topology is in another library.
fn no_geometry(call: &Call) -> Option<Call> {
    Some(call.clone()).filter(|call| !matches!(call, Call::Geometry(_)))
}

/// The calls that captures by shaders support.
fn simple(call: &Call) -> Option<Call> {
    match call {
        Call::Draw(draw) => {
            let mut draw = draw.clone();
            (draw.indices, draw.indirect) = (None, None);
            draw.runs.truncate(1);
            if draw.mode != Topology::TRIANGLE_STRIP {
                // Captures continue after whole primitives, so all draws have one topology.
                draw.mode = Topology::TRIANGLE_LIST;
            }
            Some(Call::Draw(draw))
        }
        // These counts need transform feedback of the device.
        Call::BeginQuery(_) | Call::EndQuery(_) | Call::DrawCaptured(_) => None,
        other => Some(other.clone()),
    }
}

const LIBRARY: &str = "VK_EXT_graphics_pipeline_library";

fn ways() -> Vec<Way> {
    let way = |name, without: &[&str], emit_all, takes| {
        let rig = Rig::new(crate::support::lavapipe(without));
        Way { name, rig, emit_all, takes }
    };
    let states = DynamicState::ALL.iter().map(|state| state.feature());
    let fixed: Vec<&str> = states.chain([LIBRARY]).collect();
    vec![
        way("what changed", &[LIBRARY], false, all),
        way("everything", &[LIBRARY], true, all),
        way("without dynamic state", &fixed, false, all),
        way("with pipeline libraries", &[], false, no_geometry),
        way("captured by shaders", &[LIBRARY, "VK_EXT_transform_feedback"], false, simple),
    ]
}

/// The results of a sequence.
#[derive(PartialEq)]
struct Outcome {
    results: Vec<String>,
    contents: Vec<(String, Vec<u8>)>,
    counts: Vec<Option<String>>,
}

impl Way {
    fn play(&self, calls: &[Call]) -> Result<Outcome, String> {
        let failed = |error: ntv_driver::Error| format!("{:?}: {}", error.kind, error.message);
        let options = ContextOptions { emit_all: self.emit_all, ..ContextOptions::default() };
        let mut player = Player::new(&self.rig, calls, &options, Mode::Computes).map_err(failed)?;
        player.play(calls);
        let (contents, counts) = (player.contents().map_err(failed)?, player.counts());
        let results = std::mem::take(&mut player.results);
        drop(player);
        match self.rig.device.take_messages().first() {
            Some(message) => Err(format!("message of the validation layer: {message}")),
            None => Ok(Outcome { results, contents, counts }),
        }
    }
}

fn compare(ways: &[Way], calls: &[Call]) -> Result<(), String> {
    let play = |way: &Way, calls: &[Call]| way.play(calls).map_err(|problem| format!("{}: {problem}", way.name));
    let ours = play(&ways[0], calls)?;
    for way in &ways[1..] {
        let taken: Vec<Call> = calls.iter().filter_map(way.takes).collect();
        let others = if taken == calls { None } else { Some(play(&ways[0], &taken)?) };
        let ours = others.as_ref().unwrap_or(&ours);
        difference(ours, &play(way, &taken)?).map_err(|found| format!("{}: {found}", way.name))?;
    }
    Ok(())
}

fn difference(ours: &Outcome, theirs: &Outcome) -> Result<(), String> {
    let results = ours.results.iter().zip(&theirs.results).enumerate();
    for (number, (ours, theirs)) in results {
        // The order of the checks may differ, and so may the error.
        let is_error = |result: &str| result.starts_with("Invalid");
        if ours != theirs && !(is_error(ours) && is_error(theirs)) {
            return Err(format!("call {number} returns \"{theirs}\" instead of \"{ours}\""));
        }
    }
    for ((name, ours), (_, theirs)) in ours.contents.iter().zip(&theirs.contents) {
        if let Some(place) = (0..ours.len()).find(|place| ours[*place] != theirs[*place]) {
            return Err(format!("{name} has {} instead of {} at byte {place}", theirs[place], ours[place]));
        }
    }
    for (ours, theirs) in ours.counts.iter().zip(&theirs.counts) {
        if theirs.is_some() && ours != theirs {
            return Err(format!("a query counts {theirs:?} instead of {ours:?}"));
        }
    }
    Ok(())
}

/// Plays the sequences of `seeds`, in all ways.
///
/// # Panics
/// If the results differ.
pub(crate) fn compare_all(seeds: Range<u64>) {
    let ways = ways();
    for seed in seeds {
        let calls = sequence(seed);
        if let Err(problem) = compare(&ways, &calls) {
            fail(&ways, seed, &problem, calls);
        }
    }
}

/// Removes calls that have no effect on the failure, and fails.
fn fail(ways: &[Way], seed: u64, problem: &str, calls: Vec<Call>) -> ! {
    let (calls, last) = crate::shrink(calls, problem, |calls| compare(ways, calls).err());
    panic!(
        "sequence {seed}: {problem}\nthese calls are enough: {last}\n{}\nagain: NTV_SEED={seed} cargo test -p ntv-driver \
         --test sequences pixels",
        crate::show(&calls)
    )
}
