//! Where uniform blocks are, from and to C.

use crate::bindings::*;
use crate::entry::Failure;
use crate::module::rows;
use ntv_core::plan::{Class, Placement, Placements};

/// The placements that options point to.
///
/// # Safety
/// The pointer is null or points to so many.
pub(crate) unsafe fn placements((first, len): (*const ntv_placement, usize)) -> Result<Placements, Failure> {
    let mut placements = Placements::default();
    // SAFETY: by the contract.
    for row in unsafe { rows(first, len, "placements") }? {
        let class = match row.block_class {
            NTV_BLOCK_UNIFORM => Class::Uniform,
            NTV_BLOCK_STORAGE => Class::Storage,
            NTV_BLOCK_PUSH_CONSTANT if row.offset % 16 == 0 => Class::PushConstant { offset: row.offset },
            NTV_BLOCK_PUSH_CONSTANT => {
                return Err(Failure::argument(format!(
                    "block {} is at byte {} of the push constants",
                    row.block, row.offset
                )))
            }
            other => return Err(Failure::argument(format!("block {} has the class {other}", row.block))),
        };
        placements.set(row.block, Placement { class, range: row.range, clamp: row.clamp });
    }
    Ok(placements)
}
