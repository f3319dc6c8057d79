// SPDX-License-Identifier: MIT

//! Dispatches: Gallium's `launch_grid`.

use super::access::Use;
use super::{Command, Context, Dirty};
use crate::error::{Error, Result};
use crate::resource::Buffer;
use ash::vk;
use std::sync::Arc;

impl Context {
    /// Runs the compute shader with `groups` workgroups.
    pub fn launch_grid(&mut self, groups: [u32; 3]) -> Result<()> {
        let most = self.device.limits.max_compute_work_group_count;
        if (0..3).any(|axis| groups[axis] > most[axis]) {
            return Err(Error::new(format!("{groups:?} workgroups exceed the limit of {most:?}")));
        }
        self.flush_if_long()?;
        self.before_dispatch()?;
        let [x, y, z] = groups;
        // SAFETY: the buffer is recording, outside of a rendering; pipeline and descriptors are set.
        unsafe { self.device.raw.cmd_dispatch(self.batch.commands, x, y, z) };
        self.after_dispatch();
        Ok(())
    }

    /// Runs the compute shader with the numbers of workgroups in the three words at `offset` of a buffer.
    pub fn launch_grid_indirect(&mut self, buffer: &Arc<Buffer>, offset: u64) -> Result<()> {
        let size = size_of::<vk::DispatchIndirectCommand>() as u64;
        if !offset.is_multiple_of(4) || offset.checked_add(size).is_none_or(|end| end > buffer.size()) {
            return Err(Error::new(format!(
                "numbers of workgroups cannot be at {offset} of a buffer of {} bytes",
                buffer.size()
            )));
        }
        self.flush_if_long()?;
        self.end_rendering();
        self.current.is_settled = false;
        let storage = buffer.storage();
        self.use_buffer(&storage, Use::Indirect);
        self.before_dispatch()?;
        // SAFETY: as above; the numbers lie within the buffer, which the batch keeps.
        unsafe { self.device.raw.cmd_dispatch_indirect(self.batch.commands, *storage.raw, offset) };
        self.after_dispatch();
        Ok(())
    }

    fn before_dispatch(&mut self) -> Result<()> {
        self.end_rendering();
        if !self.current.is_settled {
            // Draws and copies since then may require waits.
            self.force(Dirty::ComputeResources);
        }
        self.sync(Command::Dispatch)?;
        self.flush_barriers();
        Ok(())
    }

    fn after_dispatch(&mut self) {
        self.batch.draws += 1;
        self.counters.dispatches += 1;
        self.force(Dirty::Accesses);
        self.current.is_settled = true;
    }
}
