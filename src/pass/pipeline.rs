//! The order of the passes, one line and one reason each.

use super::*;

/// All passes in the order in which a shader goes through them.
pub const PIPELINE: &[Pass] = &[
    // Registers first: what they hold is hidden from every other pass.
    regs_to_ssa::PASS,
    lower_discard_if::PASS,
    // Variables for I/O before anything else, so that later passes see derefs only.
    lower_io::PASS,
    assign_locations::PASS,
    lower_sysvals::PASS,
    // zink's block derefs before byte offsets: their `get_ssbo_size` asks another variable.
    lower_buffer_derefs::PASS,
    lower_ubo::PASS,
    lower_ssbo::PASS,
    lower_memory::PASS,
    // Wide values come from buffers, which are lanes by now.
    lower_wide_vectors::PASS,
];
