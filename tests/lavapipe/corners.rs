// SPDX-License-Identifier: MIT

//! Operands for tests: corner cases of every kind of number, and random ones.

use ntv::op::fold::{from_float, mask};
use ntv::op::Base;

/// The extreme values of `bits` bits.
pub(crate) fn corners(base: Base, bits: u8) -> Vec<u64> {
    let mut values = match base {
        Base::Bool => vec![0, u64::MAX],
        Base::Float => {
            let mut floats: Vec<u64> = FLOATS.iter().map(|value| from_float(*value, bits)).collect();
            let (digits, max) = match bits {
                16 => (10, 0x7bff),
                32 => (23, 0x7f7f_ffff),
                _ => (52, 0x7fef_ffff_ffff_ffff),
            };
            // Largest number, least normal, largest and least denormal, infinity, two kinds of NaN.
            let least = 1u64 << digits;
            floats.extend([
                max,
                least,
                least - 1,
                1,
                max + 1,
                (max + 1) | 1 << (digits - 1),
                (max + 1) | 1 << (digits - 2),
            ]);
            let negative: Vec<u64> = floats.iter().map(|value| value | 1 << (bits - 1)).collect();
            floats.extend(negative);
            floats
        }
        Base::Int | Base::Uint => {
            let top = 1u64 << (bits - 1);
            let small = [0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 33, 63, 64, 0x55, 0x80, 0xff];
            let edges =
                [top, top - 1, top.wrapping_add(1), 0u64.wrapping_sub(1), 0u64.wrapping_sub(2), 0u64.wrapping_sub(7)];
            small.into_iter().chain(edges).collect()
        }
    };
    values.iter_mut().for_each(|value| *value = mask(*value, bits));
    values.sort_unstable();
    values.dedup();
    values
}

/// Interesting floats of all widths; their negations are used, too.
const FLOATS: &[f64] =
    &[0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, std::f64::consts::PI, 0.1, 127.5, 255.0, 1000.0, 65504.0, 1e-3];

/// A random value from `roll`. Most floats have a moderate size.
pub(crate) fn random(base: Base, bits: u8, roll: u64) -> u64 {
    match base {
        Base::Bool => mask(0u64.wrapping_sub(roll & 1), bits),
        Base::Float if roll & 3 != 0 => {
            let fraction = (roll >> 12) as f64 / 2f64.powi(52) + 1.0;
            let sign = if roll & 4 == 0 { 1.0 } else { -1.0 };
            from_float(sign * fraction * 2f64.powi((roll >> 4 & 15) as i32 - 7), bits)
        }
        _ => mask(roll, bits),
    }
}
