// SPDX-License-Identifier: MIT

//! Critical sections of fragment shaders: of the fragments that cover one pixel, one at a time is within its section, in the order of
//! their numbers.
//!
//! A fragment that has to wait stays at the instruction that begins its section, and runs this again when those before it have left
//! theirs. With an interlock of samples, fragments that are shaded for different samples do not wait for each other.

use crate::fault::FaultKind;
use crate::machine::{Machine, Section};
use ntv::ir::Inst;
use ntv::op::Intrinsic;

impl Machine<'_> {
    /// Begins the critical sections of active invocations. Those that have to wait are not active afterwards.
    pub(crate) fn begin_section(&mut self, inst: Inst) {
        for lane in self.active.clone() {
            match self.lanes[lane].section {
                Section::Before | Section::Waiting if self.is_held(lane) => {
                    self.lanes[lane].section = Section::Waiting;
                    self.run_again(lane, inst);
                }
                Section::Before | Section::Waiting => {
                    self.lanes[lane].section = Section::Within;
                    self.races.order.enter_group(self.pixel(lane));
                }
                Section::Within | Section::After => {
                    self.fault(FaultKind::Invalid, inst, lane, "the critical section begins twice");
                }
            }
        }
        let lanes = &self.lanes;
        self.active.retain(|lane| lanes[*lane].section != Section::Waiting);
    }

    /// Ends the critical sections of active invocations.
    pub(crate) fn end_section(&mut self, inst: Inst) {
        for lane in self.active.clone() {
            match self.lanes[lane].section {
                Section::Within => self.lanes[lane].section = Section::After,
                _ => self.fault(FaultKind::Invalid, inst, lane, "the critical section did not begin"),
            }
        }
    }

    /// Reports invocations that have ended within their critical section.
    pub(crate) fn check_sections(&mut self) {
        let is_open = |lane: &usize| self.lanes[*lane].section == Section::Within && !self.lanes[*lane].is_discarded;
        if let Some(lane) = (0..self.lanes.len()).find(is_open) {
            self.fault_at(FaultKind::Invalid, None, lane, "the critical section does not end");
        }
    }

    /// Whether an invocation waits for another one.
    pub(crate) fn is_blocked(&self, lane: usize) -> bool {
        self.lanes[lane].section == Section::Waiting && self.is_held(lane)
    }

    /// Whether an invocation of the same pixel has to leave its critical section first.
    fn is_held(&self, lane: usize) -> bool {
        let pixel = self.pixel(lane);
        let is_before = |other: usize| {
            let section = self.lanes[other].section;
            section == Section::Within || other < lane && section != Section::After
        };
        (0..self.lanes.len())
            .any(|other| other != lane && is_before(other) && self.is_running(other) && self.pixel(other) == pixel)
    }

    /// The number of the pixel, or of the sample, that an invocation covers.
    pub(crate) fn pixel(&self, lane: usize) -> u64 {
        let info = &self.shader.info;
        let of_samples = info.sample_interlock_ordered || info.sample_interlock_unordered;
        let system = |op: Intrinsic| self.inputs.invocations.get(lane)?.system.get(&op);
        let sample = system(Intrinsic::load_sample_id).filter(|_| of_samples && info.uses_sample_shading);
        let sample = sample.and_then(|sample| sample.first().copied()).unwrap_or(0);
        let place = system(Intrinsic::load_frag_coord).map(|place| place.iter().take(2));
        let number = |c: &u64| f32::from_bits(*c as u32) as u16;
        // Without coordinates, the place in the quad is the pixel.
        let pixel = place.map_or(lane as u64 & 3, |place| place.fold(0, |all, c| all << 16 | u64::from(number(c))));
        sample << 32 | pixel
    }
}
