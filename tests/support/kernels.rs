// SPDX-License-Identifier: MIT

//! Tests the kernels of transform feedback against the CPU's counting and lists, with any runner.

// Each test is a separate crate and uses a part of this module.
#![allow(dead_code)]

use ntv::capture::kernels::{
    begin_draw, counter, draw_feedback, emission_list as emission, EmissionParameters, Kernel,
};
use ntv::capture::{emission_list, CaptureState, DrawList, PrimitiveCounters, ProvokingVertex, Topology, STATE_WORDS};

/// Runs a kernel on buffers, by binding.
pub(crate) type Run<'a> = &'a mut dyn FnMut(Kernel, &mut Vec<Vec<u32>>);

/// The contents of a buffer where nothing was written.
const NOTHING: u32 = 0xdead_beef;

const ORDERS: [ProvokingVertex; 2] = [ProvokingVertex::Last, ProvokingVertex::First];

/// The feedback object of a program and its counters, on both sides.
pub(crate) struct Feedback {
    /// The state that the CPU computes.
    pub(crate) state: CaptureState,
    pub(crate) counted: PrimitiveCounters,
    /// The counters of the kernels.
    pub(crate) counters: Vec<u32>,
}

impl Feedback {
    pub(crate) fn new(topology: Topology, provoking: ProvokingVertex, primitives_most: u32) -> Feedback {
        let state = CaptureState {
            is_active: true,
            topology,
            provoking,
            primitives_most,
            first_words: [3, 1, 4, 15],
            ..CaptureState::INACTIVE
        };
        Feedback { state, counted: PrimitiveCounters::default(), counters: vec![0; counter::WORDS] }
    }

    /// Begins a draw of `command` on both sides, over a list if the state has one. Returns the state that the kernel wrote.
    pub(crate) fn begin_draw(&mut self, command: [u32; 4], run: Run<'_>) -> Vec<u32> {
        let mut buffers = vec![Vec::new(); 4];
        let base_vertex = self.state.list.map(|list| list.base_vertex);
        buffers[begin_draw::COMMAND as usize] = command.into_iter().chain(base_vertex).collect();
        buffers[begin_draw::FEEDBACK as usize] = self.state.feedback_words().to_vec();
        buffers[begin_draw::COUNTERS as usize].clone_from(&self.counters);
        buffers[begin_draw::STATE as usize] = vec![NOTHING; STATE_WORDS];
        run(Kernel::BeginDraw, &mut buffers);
        let [vertices, instances, first_vertex, first_instance] = command;
        self.state = CaptureState { vertices, first_vertex, first_instance, instances, ..self.state };
        let state = buffers[begin_draw::STATE as usize].clone();
        assert_eq!(state, self.state.words()[..state.len()], "{:?}", self.state);
        self.counted.count(&self.state);
        self.state.primitives_before = self.counted.written;
        self.counters.clone_from(&buffers[begin_draw::COUNTERS as usize]);
        let words = self.counters[..].try_into().expect("all counters");
        assert_eq!(PrimitiveCounters::from_words(words), self.counted, "{:?}", self.state);
        state
    }

    /// The command that draws the captured vertices.
    fn draw_feedback(&self, instances: u32, run: Run<'_>) {
        let corners = self.state.topology.vertices_per_primitive();
        let mut buffers = vec![Vec::new(); 3];
        buffers[draw_feedback::COUNTERS as usize].clone_from(&self.counters);
        buffers[draw_feedback::PARAMETERS as usize] = vec![corners, instances];
        buffers[draw_feedback::COMMAND as usize] = vec![NOTHING; 4];
        run(Kernel::DrawFeedback, &mut buffers);
        let vertices = self.state.primitives_before.saturating_mul(corners);
        assert_eq!(buffers[draw_feedback::COMMAND as usize], [vertices, instances, 0, 0], "{:?}", self.state);
    }
}

/// Draws of all topologies, vertices and instances, one after the other, some of them paused, into buffers that are large enough
/// and that are not.
pub(crate) fn check_counters(run: Run<'_>) {
    for topology in Topology::ALL {
        for (provoking, most) in [(ORDERS[0], u32::MAX), (ORDERS[1], 50)] {
            let mut feedback = Feedback::new(topology, provoking, most);
            let mut draws = 0;
            for vertices in 0..13 {
                for instances in [1, 0, 3] {
                    draws += 1;
                    let list = DrawList { first_word: 5 * draws, base_vertex: 7 * draws };
                    feedback.state.list = (draws % 3 == 2).then_some(list);
                    feedback.state.is_active = draws % 4 != 3;
                    feedback.begin_draw([vertices, instances, draws, 2 * draws], run);
                }
                feedback.draw_feedback(vertices, run);
            }
            assert!(most == u32::MAX || feedback.state.primitives_before == most, "the buffer is never full");
            assert!(feedback.counted.generated > feedback.counted.needed, "no draw was paused");
            // First more than a word can count, then more than the initial number.
            feedback.state.is_active = true;
            feedback.state.list = None;
            feedback.begin_draw([u32::MAX, u32::MAX, 0, 0], run);
            feedback.draw_feedback(7, run);
            feedback.state.primitives_most = 10;
            feedback.begin_draw([9, 1, 0, 0], run);
        }
    }
}

/// A draw with indices.
struct Indexed {
    /// All indices of the buffer; the draw uses some of them.
    indices: Vec<u32>,
    first: u32,
    count: u32,
    base: u32,
    parameters: EmissionParameters,
}

impl Indexed {
    fn bytes(&self) -> Vec<u32> {
        let bytes = self.parameters.index_bytes as usize;
        let all = self.indices.iter().flat_map(|index| index.to_le_bytes()[..bytes].to_vec());
        let all: Vec<u8> = all.collect();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        all.chunks(4).map(word).collect()
    }

    /// The list and the command that the kernel writes.
    fn run(&self, run: Run<'_>) -> [Vec<u32>; 2] {
        let corners = self.parameters.topology.vertices_per_primitive();
        let room = self.parameters.topology.primitives(self.count) * corners;
        let mut buffers = vec![Vec::new(); 5];
        buffers[emission::INDEXED as usize] = vec![self.count, 5, self.first, self.base, 6];
        buffers[emission::PARAMETERS as usize] = self.parameters.words().to_vec();
        buffers[emission::INDICES as usize] = self.bytes();
        buffers[emission::LIST as usize] = vec![NOTHING; room as usize + 1];
        buffers[emission::COMMAND as usize] = vec![NOTHING; 5];
        run(Kernel::EmissionList, &mut buffers);
        [emission::LIST, emission::COMMAND].map(|binding| std::mem::take(&mut buffers[binding as usize]))
    }

    fn check(&self, run: Run<'_>) {
        let EmissionParameters { topology, provoking, restart, primitives_most, .. } = self.parameters;
        let drawn = &self.indices[self.first as usize..][..self.count as usize];
        let mut list = emission_list(topology, provoking, drawn, restart);
        list.truncate((primitives_most as usize).saturating_mul(topology.vertices_per_primitive() as usize));
        let command = [list.len() as u32, 5, 0, 6, self.base];
        let mut expected: Vec<u32> = list.into_iter().map(|index| index.wrapping_add(self.base)).collect();
        let [found, found_command] = self.run(run);
        expected.resize(found.len(), NOTHING);
        assert_eq!(found, expected, "{:?} of {drawn:?}", self.parameters);
        assert_eq!(found_command, command, "{:?} of {drawn:?}", self.parameters);
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

/// Random indices with restarts of all kinds, short draws and draws of several rounds.
pub(crate) fn check_lists(run: Run<'_>) {
    let random = &mut Random(1);
    for topology in Topology::ALL {
        for provoking in ORDERS {
            for (case, count) in [0, 1, 2, 3, 5, 7, 9, 12, 63, 64, 65, 128, 200].into_iter().enumerate() {
                let index_bytes = [1, 2, 4][case % 3];
                // The fixed index, and one that is less than some indices; these do not reach the fixed one.
                let restart = if case % 2 == 0 { u32::MAX >> (32 - 8 * index_bytes) } else { 7 };
                let first = random.below(6);
                let rare = if count > 20 { 9 } else { 4 };
                let mut index = || if random.below(rare) == 0 { restart } else { random.below(250) };
                let mut indices: Vec<u32> = (0..first + count + 3).map(|_| index()).collect();
                let drawn = &mut indices[first as usize..][..count as usize];
                match (case % 4, drawn.len()) {
                    (_, 0..=4) => {}
                    (0, _) => drawn[0] = restart,
                    (1, last) => drawn[last - 1] = restart,
                    (2, _) => drawn[3..5].fill(restart),
                    _ => drawn[..2].fill(restart),
                }
                let parameters = EmissionParameters {
                    topology,
                    provoking,
                    index_bytes,
                    restart: (case % 5 != 4).then_some(restart),
                    primitives_most: if case % 6 == 5 { 2 } else { u32::MAX },
                };
                let base = if case % 2 == 0 { 1000 } else { 3u32.wrapping_neg() };
                Indexed { indices, first, count, base, parameters }.check(run);
            }
            // One long run, so that each round continues that of the round before.
            let parameters =
                EmissionParameters { topology, provoking, index_bytes: 2, restart: None, primitives_most: u32::MAX };
            Indexed { indices: (0..300).collect(), first: 0, count: 300, base: 0, parameters }.check(run);
        }
    }
}
