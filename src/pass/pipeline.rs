//! The order of the passes, one line and one reason each.

use super::Pass;

/// All passes in the order in which a shader goes through them.
pub const PIPELINE: &[Pass] = &[];
