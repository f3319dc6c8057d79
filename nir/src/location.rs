// SPDX-License-Identifier: MIT

//! The components of Locations that the vectors of an input or output use (Vulkan, "Location and Component Assignment").
//!
//! A Location has four components of 32 bits, its *words*. A number of 64 bits uses two words, a smaller one uses one. A vector
//! with more than four words has the others in its next Location. Arrays and matrices repeat their vector, each time from a new
//! Location on.
//!
//! ```text
//! float at y      location 0: .y..
//! double at z     location 0: ..zw
//! dvec3           location 0: xyzw    location 1: xy..
//! dmat2x3         location 0: xyzw    location 1: xy..    location 2: xyzw    location 3: xy..
//! ```

/// The number of words of a Location.
pub const WORDS: u32 = 4;

/// The words of a vector.
#[inline]
pub fn words(bits: u8, components: u8) -> u32 {
    u32::from(components) * if bits == 64 { 2 } else { 1 }
}

/// The number of Locations of a vector of this many words.
#[inline]
pub fn locations(words: u32) -> u32 {
    words.div_ceil(WORDS).max(1)
}

/// The words that a variable uses in Location number `slot` of its own, a bit each: its vectors have `words` words and start at
/// word `first`.
#[inline]
pub fn mask(first: u32, words: u32, slot: u32) -> u32 {
    let all = ((1 << words.min(2 * WORDS)) - 1) << first.min(WORDS - 1);
    mask_in(all, locations(words), slot)
}

/// The part in Location number `slot` of the mask of a vector that takes `locations` Locations.
#[inline]
pub fn mask_in(all: u32, locations: u32, slot: u32) -> u32 {
    let vector_slot = if locations > 1 { slot % 2 } else { 0 };
    all >> (WORDS * vector_slot) & 0xf
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_continue_in_their_next_location() {
        let of = |bits, components, first| {
            let words = words(bits, components);
            (locations(words), [0, 1, 2, 3].map(|slot| mask(first, words, slot)))
        };
        assert_eq!(of(32, 1, 1), (1, [2; 4]), "an array of floats at y");
        assert_eq!(of(16, 3, 0), (1, [7; 4]));
        assert_eq!(of(64, 1, 2), (1, [0xc; 4]), "an array of doubles at z");
        assert_eq!(of(64, 2, 0), (1, [0xf; 4]));
        assert_eq!(of(64, 3, 0), (2, [0xf, 3, 0xf, 3]), "an array of dvec3");
        assert_eq!(of(64, 4, 0), (2, [0xf; 4]));
        assert_eq!(mask(u32::MAX, u32::MAX, u32::MAX) & !0xf, 0, "numbers of a damaged module");
    }
}
