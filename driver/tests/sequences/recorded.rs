// SPDX-License-Identifier: MIT

//! Sequences on the null implementation: the recorded commands are compared.

use crate::call::Call;
use crate::compare::{actions, difference};
use crate::generate::sequence;
use crate::play::{Mode, Player};
use crate::scene::Rig;
use ntv_driver::context::ContextOptions;
use ntv_driver::device::{Device, DeviceOptions, DynamicState};
use null_vulkan::{Action, World, WorldOptions};
use std::ops::{AddAssign, Range};
use std::sync::Arc;

/// Statistics of the sequences.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Statistics {
    pub(crate) calls: u64,
    pub(crate) drawn: u64,
    pub(crate) dispatched: u64,
    pub(crate) undefined: u64,
    pub(crate) errors: u64,
    pub(crate) actions: u64,
}

impl AddAssign<&Statistics> for Statistics {
    fn add_assign(&mut self, other: &Statistics) {
        self.calls += other.calls;
        self.drawn += other.drawn;
        self.dispatched += other.dispatched;
        self.undefined += other.undefined;
        self.errors += other.errors;
        self.actions += other.actions;
    }
}

/// A world with its device.
struct TestDevice {
    rig: Rig,
    world: Arc<World>,
}

/// The number of kinds of devices, which lack different features.
pub(crate) const KINDS: usize = 4;

/// The features that a device of a kind lacks.
pub(crate) fn without(kind: usize) -> Vec<String> {
    let names = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    match kind {
        1 => DynamicState::ALL.iter().map(|state| state.feature().to_owned()).collect(),
        2 => names(&["VK_EXT_transform_feedback", "VK_EXT_graphics_pipeline_library"]),
        3 => names(&["VK_EXT_robustness2", "VK_EXT_depth_clip_control", "VK_EXT_provoking_vertex"]),
        _ => Vec::new(),
    }
}

impl TestDevice {
    fn new(kind: usize) -> TestDevice {
        let world = World::new(WorldOptions { lag: 2, ..WorldOptions::default() });
        world.set_recording(true);
        let options = DeviceOptions {
            implementation: crate::support::implementation::null(&world),
            names: true,
            without: without(kind),
            ..DeviceOptions::default()
        };
        let rig = Rig::new(Device::open(&options).expect("a null device"));
        TestDevice { rig, world }
    }
}

/// The results of a sequence.
#[derive(PartialEq)]
struct Outcome {
    actions: Vec<Action>,
    results: Vec<String>,
    contents: Vec<(String, Vec<u8>)>,
    messages: Vec<String>,
}

/// Plays calls on a device.
fn play(place: &TestDevice, calls: &[Call], emit_all: bool, read: bool) -> Outcome {
    place.world.take_log();
    let options = ContextOptions { emit_all, ..ContextOptions::default() };
    let mode = if read { Mode::Copies } else { Mode::Records };
    let mut player = Player::new(&place.rig, calls, &options, mode).expect("a scene");
    player.play(calls);
    player.flush().expect("the null device submits");
    let contents = if read { player.contents().expect("buffers can be read") } else { Vec::new() };
    let results = std::mem::take(&mut player.results);
    drop(player);
    let describe = |number: u64| place.world.describe(number);
    let actions = actions(&place.world.take_log(), &describe);
    Outcome { actions, results, contents, messages: place.world.take_messages() }
}

/// A device with a context that records only changes, and one with a context that records everything.
struct Pair([TestDevice; 2]);

impl Pair {
    fn new(kind: usize) -> Pair {
        Pair([false, true].map(|_| TestDevice::new(kind)))
    }

    /// The problem with the sequence, or its results.
    fn compare(&self, calls: &[Call], read: bool) -> Result<Outcome, String> {
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            [0, 1].map(|number| play(&self.0[number], calls, number == 1, read))
        }));
        let [ours, theirs] = played.map_err(|panic| match panic.downcast_ref::<String>() {
            Some(text) => format!("a panic: {text}"),
            None => "a panic".to_owned(),
        })?;
        for (who, outcome) in [("only changes", &ours), ("everything", &theirs)] {
            if let Some(message) = outcome.messages.first() {
                return Err(format!("the context that records {who} is wrong: {message}"));
            }
        }
        let mut results = ours.results.iter().zip(&theirs.results).enumerate();
        if let Some((number, (ours, theirs))) = results.find(|(_, (ours, theirs))| ours != theirs) {
            return Err(format!("call {number} returns \"{ours}\", but \"{theirs}\" if everything is recorded"));
        }
        let describe = |number: u64| self.0[0].world.describe(number);
        if let Some(found) = difference(&ours.actions, &theirs.actions, &describe) {
            return Err(format!("{found} (only changes, and everything)"));
        }
        match ours.contents == theirs.contents {
            true => Ok(ours),
            false => Err("buffers have different bytes".into()),
        }
    }
}

/// Plays the sequences of `seeds`.
///
/// # Panics
/// If a sequence fails.
pub(crate) fn compare_all(seeds: Range<u64>) -> Statistics {
    let mut pairs: [Option<Pair>; KINDS] = Default::default();
    let mut statistics = Statistics::default();
    for seed in seeds {
        let kind = seed as usize % KINDS;
        let pair = pairs[kind].get_or_insert_with(|| Pair::new(kind));
        let calls = sequence(seed);
        match pair.compare(&calls, seed % 16 < KINDS as u64) {
            Ok(outcome) => count(&mut statistics, &outcome),
            Err(problem) => fail(seed, kind, &problem, calls),
        }
    }
    statistics
}

fn count(statistics: &mut Statistics, outcome: &Outcome) {
    statistics.calls += outcome.results.len() as u64;
    statistics.actions += outcome.actions.len() as u64;
    for result in &outcome.results {
        let counter = match result.as_str() {
            "drawn" => &mut statistics.drawn,
            "dispatched" => &mut statistics.dispatched,
            "undefined" => &mut statistics.undefined,
            "fine" | "not there" => continue,
            _ => &mut statistics.errors,
        };
        *counter += 1;
    }
}

/// Removes calls that have no effect on the failure, and fails.
fn fail(seed: u64, kind: usize, problem: &str, calls: Vec<Call>) -> ! {
    // The two worlds may have created different numbers of objects, and a panic leaves an unknown state: each try has its own
    // worlds.
    let (calls, last) = crate::shrink(calls, problem, |calls| Pair::new(kind).compare(calls, true).err());
    panic!(
        "sequence {seed} (device without {:?}): {problem}\nthese calls are enough: {last}\n{}\nagain: NTV_SEED={seed} cargo test -p \
         ntv-driver --test sequences",
        crate::recorded::without(kind),
        crate::show(&calls)
    )
}
