// SPDX-License-Identifier: MIT

//! Accesses that select one of several uniform or storage blocks by an index: the features that they need if there are too many
//! blocks for ifs.

use super::feature_check::FeatureCheck;
use super::growth::{made_of_access, MOST_OF_ACCESSES};
use crate::analysis::block_picks::{BlockPick, SelectableBlocks, FEATURES, MOST_BLOCKS};

impl FeatureCheck<'_> {
    /// Checks the features that such accesses need. If the number of blocks is known and not too large, a pass lowers the access,
    /// and no feature is needed.
    pub(super) fn check_block_picks(&mut self) {
        if FEATURES.iter().all(|feature| self.target.has(*feature)) {
            return;
        }
        let shader = self.report.shader;
        let (mut blocks, mut made) = (None, 0);
        for inst in &shader.order {
            let Some(pick) = BlockPick::new(shader, *inst).filter(|pick| !self.target.has(pick.feature)) else {
                continue;
            };
            let Some(blocks) = blocks.get_or_insert_with(|| SelectableBlocks::new(shader)).of(shader, &pick) else {
                self.need_for(*inst, pick.feature, &"");
                continue;
            };
            let count = blocks.end - blocks.start;
            if count > MOST_BLOCKS {
                let why = format!(": {count} blocks are too many for ifs, {MOST_BLOCKS} is the most");
                self.need_for(*inst, pick.feature, &why);
                continue;
            }
            made += count as usize * made_of_access(shader, *inst);
            if made > MOST_OF_ACCESSES {
                let what = "with ifs, this and the accesses before would be";
                self.need_for(
                    *inst,
                    pick.feature,
                    &format!(": {what} {made} instructions, {MOST_OF_ACCESSES} are the most"),
                );
            }
        }
    }
}
