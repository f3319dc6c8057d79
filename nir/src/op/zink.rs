// SPDX-License-Identifier: MIT

//! zink's push constants: its `struct zink_gfx_push_constant`. The source of `load_push_constant_zink` is the number of a member.

/// The name of the variable, which zink adds to each graphics shader.
pub const PUSH_CONSTANTS: &str = "gfx_pushconst";

/// The members, in order: name and number of 32-bit words. A dump never has them.
pub const MEMBERS: [(&str, u32); 9] = [
    ("draw_mode_is_indexed", 1),
    ("draw_id", 1),
    ("framebuffer_is_layered", 1),
    ("default_inner_level", 2),
    ("default_outer_level", 4),
    ("line_stipple_pattern", 1),
    ("viewport_scale", 2),
    ("line_width", 1),
    ("alpha_reference", 1),
];

/// Their size in bytes.
pub const SIZE: u32 = bytes_before(MEMBERS.len());

/// The byte offset of a member.
pub fn offset(member: usize) -> Option<u32> {
    (member < MEMBERS.len()).then(|| bytes_before(member))
}

const fn bytes_before(end: usize) -> u32 {
    let (mut words, mut member) = (0, 0);
    while member < end {
        words += MEMBERS[member].1;
        member += 1;
    }
    4 * words
}

#[cfg(test)]
mod tests {
    use super::{offset, SIZE};

    #[test]
    fn members_follow_each_other() {
        assert_eq!([0, 1, 3, 8, 9].map(offset), [Some(0), Some(4), Some(12), Some(52), None]);
        assert_eq!(SIZE, 56);
    }
}
