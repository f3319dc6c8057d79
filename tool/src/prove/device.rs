// SPDX-License-Identifier: MIT

//! Runs of modules that differ on a Vulkan device.

use super::witness::Case;
use crate::run::device;
use anyhow::Result;
use ntv::Shader;
use ntv_driver::headless::Device;
use ntv_prove::witness::Witness;
use ntv_report::run::inputs::Slot;
use std::sync::{Mutex, PoisonError};

/// A device, which runs one module after the other.
pub(super) struct Judge(Mutex<Device>);

impl Judge {
    pub(super) fn open(name: &str, validation: bool) -> Result<Judge> {
        Ok(Judge(Mutex::new(device::open(name, validation)?)))
    }

    /// The side that the device agrees with: its buffers and images have all that the NIR gives, or the words that the module's terms
    /// changed. `None` if it has neither.
    ///
    /// # Errors
    /// The reason why the device cannot tell.
    pub(super) fn side(
        &self,
        shader: &Shader,
        words: &[u32],
        witness: &Witness,
    ) -> Result<Option<&'static str>, String> {
        if !shader.stage().is_compute() {
            return Err(format!("{} needs the other stages of a pipeline", shader.stage().name()));
        }
        if !witness.confirmed {
            return Err("the interpreter does not confirm the difference".to_owned());
        }
        let changed = witness.changed.as_ref().ok_or("what differs is not in the known words of a storage block")?;
        // Only one invocation is proved. Others of its workgroup may change more.
        let is_alone = shader.info.workgroup_size == [1; 3] && !shader.info.workgroup_size_variable;
        if !is_alone && changed.words.values().all(Option::is_none) {
            return Err("the module's terms write nothing that is known".to_owned());
        }
        let case = Case::new(shader, &witness.stimulus)?;
        let given = case.whole()?;
        if case.observed.has_race() {
            return Err("the results depend on the order of invocations".to_owned());
        }
        let [set, binding, element] = changed.block;
        let slot = Slot { set, binding, element };
        let number = given.buffers.iter().position(|row| row.0 == slot);
        let number = number.ok_or("the NIR does not have the storage block that differs")?;
        let device = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let ran = device::run_modules(&device, &[words.to_vec()], &given).map_err(|error| format!("{error:#}"))?;
        let [before, after] = [&given.buffers[number].1.bytes, &ran.buffers[number]].map(|bytes| bytes.chunks_exact(4));
        let mut words = (0..).step_by(4).zip(before.zip(after));
        let has_word = |(at, (before, after)): (u64, (&[u8], &[u8]))| match changed.words.get(&at) {
            Some(word) => word.is_none_or(|word| after == word.to_le_bytes()),
            None => !is_alone || after == before,
        };
        Ok(match () {
            () if case.has_memory(&given, &ran) => Some("the NIR"),
            () if words.all(has_word) => Some("the module"),
            () => None,
        })
    }
}
