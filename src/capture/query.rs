// SPDX-License-Identifier: MIT

//! The results of queries for transform feedback, for drivers whose shaders write the captures.

use super::draw::CaptureState;
use super::kernels::counter;

/// Counters as they are at some time: those of [`counter`], which a [kernel](super::kernels::Kernel::BeginDraw) keeps on the
/// device, or that a driver keeps itself. They wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrimitiveCounters {
    /// The number of captured primitives since transform feedback began.
    pub written: u32,
    /// The number of generated primitives.
    pub generated: u32,
    /// The number of primitives generated while transform feedback was active: those that unlimited buffers would have.
    pub needed: u32,
}

impl PrimitiveCounters {
    /// Counts a draw, as the kernel does.
    pub fn count(&mut self, draw: &CaptureState) {
        let (made, captured) = draw.primitives();
        self.written = self.written.wrapping_add(captured);
        self.generated = self.generated.wrapping_add(made);
        self.needed = self.needed.wrapping_add(if draw.is_active { made } else { 0 });
    }

    /// The counters that a kernel wrote to a buffer.
    pub fn from_words(words: [u32; counter::WORDS]) -> PrimitiveCounters {
        let word = |at: u32| words[at as usize];
        PrimitiveCounters {
            written: word(counter::WRITTEN),
            generated: word(counter::GENERATED),
            needed: word(counter::NEEDED),
        }
    }
}

/// A query between its begin and its end: the differences of the counters, summed over all captures in between.
///
/// `glBeginTransformFeedback` sets `written` to 0, and another feedback object has other counters. An active query then
/// [continues](Query::go_on) with these.
///
/// ```
/// use ntv::capture::{PrimitiveCounters, Query};
///
/// let at = |written, generated| PrimitiveCounters { written, generated, needed: generated };
/// let mut query = Query::begin(at(7, u32::MAX));
/// // Two primitives, of which one fits. Then transform feedback begins again, with two that fit.
/// query.go_on(at(8, 1), at(0, 1));
/// let counted = query.end(at(2, 3));
/// assert_eq!((counted.written, counted.generated), (3, 4));
/// assert!(counted.has_overflowed());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    begin: PrimitiveCounters,
    counted: Counted,
}

/// The result of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// `GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN`.
    pub written: u64,
    /// `GL_PRIMITIVES_GENERATED`.
    pub generated: u64,
    /// Vulkan's number of primitives needed, next to that of primitives written.
    pub needed: u64,
}

impl Query {
    /// A query that begins now.
    pub fn begin(now: PrimitiveCounters) -> Query {
        Query { begin: now, counted: Counted::default() }
    }

    /// Counts up to `end` and continues with counters that are `begin` now.
    pub fn go_on(&mut self, end: PrimitiveCounters, begin: PrimitiveCounters) {
        *self = Query { begin, counted: self.end(end) };
    }

    /// The result from the begin up to now. Between two readings of the same counters there are fewer than 2^32 primitives.
    pub fn end(&self, now: PrimitiveCounters) -> Counted {
        let since = |now: u32, begin: u32| u64::from(now.wrapping_sub(begin));
        Counted {
            written: self.counted.written + since(now.written, self.begin.written),
            generated: self.counted.generated + since(now.generated, self.begin.generated),
            needed: self.counted.needed + since(now.needed, self.begin.needed),
        }
    }
}

impl Counted {
    /// `GL_TRANSFORM_FEEDBACK_OVERFLOW`: a primitive did not fit. Primitives generated while transform feedback was paused do not
    /// count.
    pub fn has_overflowed(&self) -> bool {
        self.needed > self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Topology;

    #[test]
    fn paused_draws_generate_and_do_not_overflow() {
        let mut draw = CaptureState {
            topology: Topology::Lines,
            vertices: 6,
            instances: 2,
            primitives_most: 7,
            ..CaptureState::INACTIVE
        };
        let mut counters = PrimitiveCounters { written: 0, generated: u32::MAX - 2, needed: u32::MAX - 1 };
        let query = Query::begin(counters);
        counters.count(&draw);
        assert_eq!(query.end(counters), Counted { written: 0, generated: 6, needed: 0 });
        draw.is_active = true;
        counters.count(&draw);
        assert_eq!(query.end(counters), Counted { written: 6, generated: 12, needed: 6 });
        assert!(!query.end(counters).has_overflowed());
        draw.primitives_before = counters.written;
        counters.count(&draw);
        assert_eq!(query.end(counters), Counted { written: 7, generated: 18, needed: 12 });
        assert!(query.end(counters).has_overflowed());
    }
}
