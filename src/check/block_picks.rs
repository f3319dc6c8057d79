//! Accesses that pick one of several blocks by a number: the features for that, where there are too many blocks for ifs.

use super::feature_check::FeatureCheck;
use crate::analysis::block_picks::{BlockPick, Blocks, FEATURES, MOST_BLOCKS, MOST_LEAVES};

impl FeatureCheck<'_> {
    /// The features that such accesses need. Where there are not too many blocks, and their number is known, a pass does without.
    pub(super) fn check_block_picks(&mut self) {
        if FEATURES.iter().all(|feature| self.target.has(*feature)) {
            return;
        }
        let shader = self.report.shader;
        let (mut blocks, mut leaves) = (None, 0);
        for inst in &shader.order {
            let Some(pick) = BlockPick::new(shader, *inst).filter(|pick| !self.target.has(pick.feature)) else {
                continue;
            };
            let Some(blocks) = blocks.get_or_insert_with(|| Blocks::new(shader)).of(shader, &pick) else {
                self.need_for(*inst, pick.feature, &"");
                continue;
            };
            let count = blocks.end - blocks.start;
            if count > MOST_BLOCKS {
                let why = format_args!(": {count} blocks are too many for ifs, {MOST_BLOCKS} is the most");
                self.need_for(*inst, pick.feature, &why);
                continue;
            }
            leaves += count as usize;
            if leaves > MOST_LEAVES {
                let why = format_args!(
                    ": with ifs, this and the accesses before would be {leaves}, {MOST_LEAVES} is the most"
                );
                self.need_for(*inst, pick.feature, &why);
            }
        }
    }
}
