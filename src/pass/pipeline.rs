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
    // Outputs are variables by now, written component by component.
    combine_stores::PASS,
    // Wide values come from buffers, which are lanes by now.
    lower_wide_vectors::PASS,
    // What the lowerings above made of ALU opcodes may itself need lowering, so this one is last of them.
    lower_alu::PASS,
    // Constants first: rules, branches and equality of pointers depend on them.
    constant_fold::PASS,
    algebraic::PASS,
    // Branches that folding decided, before values are numbered over what is left.
    dead_cf::PASS,
    cse::PASS,
    // Lanes that were loaded one by one are one vector once equal loads are one.
    copy_prop::PASS,
    // What nobody reads any more.
    dce::PASS,
];
