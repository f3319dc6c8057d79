// SPDX-License-Identifier: MIT

//! Tests the kernel that compacts captures of geometry shaders against a model on the CPU, with any runner.

// Each test is a separate crate and uses a part of this module.
#![allow(dead_code)]

use ntv::capture::kernels::{compact, counter, Kernel};
use ntv::capture::{CaptureState, CompactBuffer, CompactParameters, GeometryOutput, Topology};

/// Runs a kernel on buffers, by binding.
pub(crate) type Run<'a> = &'a mut dyn FnMut(Kernel, &mut Vec<Vec<u32>>);

/// The contents of a buffer where nothing was written.
const NOTHING: u32 = 0xdead_beef;

/// The primitives of the invocations of a draw, and their destination.
#[derive(Clone, Debug)]
pub(crate) struct Compacted {
    /// The words of the draw's state.
    pub(crate) state: Vec<u32>,
    pub(crate) parameters: CompactParameters,
    pub(crate) counts: Vec<u32>,
    pub(crate) counters: Vec<u32>,
    pub(crate) scratch: [Vec<u32>; 4],
    pub(crate) buffers: [Vec<u32>; 4],
}

impl Compacted {
    /// Runs the kernel on it.
    pub(crate) fn run(&mut self, run: Run<'_>) {
        let mut all = vec![self.state.clone(), self.parameters.words().to_vec(), self.counts.clone()];
        all.push(self.counters.clone());
        all.extend(self.scratch.iter().chain(&self.buffers).cloned());
        run(Kernel::Compact, &mut all);
        self.counters.clone_from(&all[compact::COUNTERS as usize]);
        for (number, buffer) in self.buffers.iter_mut().enumerate() {
            // For an empty buffer, a runner may bind any buffer.
            let length = buffer.len();
            buffer.clone_from(&all[compact::BUFFERS as usize + number]);
            buffer.truncate(length);
        }
    }

    /// Computes the kernel's results: `is_active` is 0 for nothing, 1 for all, and 2 for counting.
    pub(crate) fn model(&mut self, is_active: u32, invocations: usize) {
        let CompactParameters { output, stream, primitives_most, buffers } = self.parameters.clone();
        let first_words: [u32; 4] = self.state[12..16].try_into().expect("four words");
        let (most, corners) = (output.primitives() as usize, output.corners() as usize);
        let mut left = if is_active == 1 { primitives_most.saturating_sub(self.counters[0]) } else { 0 };
        for n in 0..if is_active == 0 { 0 } else { invocations } {
            for primitive in 0..self.counts[4 * n + stream as usize].min(most as u32) as usize {
                self.counters[counter::GENERATED as usize] += 1;
                self.counters[counter::NEEDED as usize] += u32::from(is_active == 1);
                if left == 0 {
                    continue;
                }
                left -= 1;
                let to = self.counters[counter::WRITTEN as usize] as usize;
                self.counters[counter::WRITTEN as usize] += 1;
                for (number, CompactBuffer { stride, captured }) in buffers.iter().enumerate() {
                    let words = corners * *stride as usize;
                    for word in 0..words {
                        let own = word % *stride as usize;
                        if captured[own / 32] >> (own % 32) & 1 != 0 {
                            let to = first_words[number] as usize + to * words + word;
                            self.buffers[number][to] = self.scratch[number][(n * most + primitive) * words + word];
                        }
                    }
                }
            }
        }
    }
}

/// Pseudo-random numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }
}

/// A draw with this number of invocations.
fn draw(random: &mut Random, output: GeometryOutput, primitives: u32, instances: u32) -> Compacted {
    let invocations = primitives * instances * output.invocations;
    let stream = random.below(4);
    let counts: Vec<u32> = (0..4 * invocations).map(|_| random.below(output.primitives() + 1)).collect();
    let made: u32 = counts.iter().skip(stream as usize).step_by(4).sum();
    let before = random.below(5);
    // Space for all, for some, for no primitives.
    let primitives_most = [made + before, before + made / 2 + 1, before / 2][random.below(3) as usize];
    let mut buffers = [CompactBuffer::default(); 4];
    for buffer in &mut buffers {
        buffer.stride = [0, 1, 3, 4, 0, 17, 35][random.below(7) as usize];
        let is_whole = random.below(2) == 0;
        buffer.captured.iter_mut().for_each(|bits| *bits = if is_whole { u32::MAX } else { random.below(u32::MAX) });
    }
    let first_words = [0, 1, 2, 3].map(|number| number * random.below(4));
    let state = CaptureState {
        is_active: true,
        vertices: primitives,
        first_instance: 7,
        instances,
        first_words,
        ..CaptureState::INACTIVE
    };
    let vertices = |primitives: u32, number: usize| (primitives * output.corners() * buffers[number].stride) as usize;
    let scratch = [0, 1, 2, 3].map(|number| {
        let words = vertices(invocations * output.primitives(), number);
        (0..words).map(|word| (number as u32) << 28 | word as u32).collect()
    });
    let room = [0, 1, 2, 3]
        .map(|number| vec![NOTHING; first_words[number] as usize + vertices(before.max(primitives_most), number) + 2]);
    let parameters = CompactParameters { output, stream, primitives_most, buffers };
    Compacted {
        state: state.words().into(),
        parameters,
        counts,
        counters: vec![before, 1000, 70],
        scratch,
        buffers: room,
    }
}

/// Random draws of all topologies, few and many invocations, buffers that are large enough and that are not; each is captured,
/// counted, and neither.
pub(crate) fn check_compact(run: Run<'_>) {
    let random = &mut Random(5);
    for topology in [Topology::Points, Topology::LineStrip, Topology::TriangleStrip] {
        for (primitives, instances, invocations) in [(1, 1, 1), (5, 1, 3), (63, 1, 1), (2, 16, 2), (13, 5, 1)] {
            for vertices in [0, 2, 3, 6] {
                let output = GeometryOutput { topology, vertices, invocations };
                let plain = draw(random, output, primitives, instances);
                for is_active in [1, 2, 0] {
                    let mut found = plain.clone();
                    found.state[0] = is_active;
                    let mut model = found.clone();
                    model.model(is_active, (primitives * instances * invocations) as usize);
                    found.run(run);
                    assert_eq!(found.counters, model.counters, "{:?}", model.parameters);
                    assert!(found.buffers == model.buffers, "{:?}, {is_active}", model.parameters);
                }
            }
        }
    }
}
