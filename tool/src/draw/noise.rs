// SPDX-License-Identifier: MIT

//! Pseudo-random numbers and noise from them, equal on every machine.

use glam::{DVec3, IVec3};

/// Mixes the bits of `number` (SplitMix64's finalizer).
pub(crate) fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// Converts the bits to a number from 0 to 1, without 1.
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// Smooth noise from 0 to 1, with a random number at each integer point.
pub(crate) fn value(at: DVec3) -> f64 {
    periodic(at, IVec3::MAX, 0)
}

/// Smooth noise that repeats after `period` points in each direction.
pub(crate) fn periodic(at: DVec3, period: IVec3, seed: u64) -> f64 {
    let below = at.floor();
    let part = at - below;
    let weight = part * part * (DVec3::splat(3.0) - 2.0 * part);
    let corner = |x: i32, y: i32, z: i32| {
        let point = (below.as_ivec3().wrapping_add(IVec3::new(x, y, z))).rem_euclid(period.max(IVec3::ONE));
        let key = [point.x, point.y, point.z].iter().fold(seed, |key, part| mixed(key ^ u64::from(*part as u32)));
        unit(key)
    };
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    let along_x = |y, z| mix(corner(0, y, z), corner(1, y, z), weight.x);
    let along_y = |z| mix(along_x(0, z), along_x(1, z), weight.y);
    mix(along_y(0), along_y(1), weight.z)
}

/// Octaves of noise over the unit square, which tiles without seams: from 0 to 1.
pub(crate) fn fractal(u: f64, v: f64, cells: u32, octaves: u32, seed: u64) -> f64 {
    let (mut sum, mut all, mut weight) = (0.0, 0.0, 1.0);
    for octave in 0..octaves.clamp(1, 16) {
        let period = (cells.clamp(1, 1 << 12) << octave) as i32;
        let at = DVec3::new(u, v, 0.0) * f64::from(period) + DVec3::new(0.0, 0.0, 0.5);
        sum += weight * periodic(at, IVec3::new(period, period, i32::MAX), seed.wrapping_add(octave.into()));
        all += weight;
        weight *= 0.5;
    }
    sum / all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_fits_to_itself() {
        for v in [0.1, 0.4, 0.77] {
            assert!((fractal(0.0, v, 4, 5, 7) - fractal(1.0, v, 4, 5, 7)).abs() < 1e-9);
            assert!((fractal(v, 0.0, 4, 5, 7) - fractal(v, 1.0, 4, 5, 7)).abs() < 1e-9);
        }
        assert_ne!(fractal(0.3, 0.3, 4, 5, 7), fractal(0.3, 0.3, 4, 5, 8));
        assert!((0..1000).map(|at| fractal(f64::from(at) * 0.377, 0.3, 4, 5, 7)).all(|x| (0.0..1.0).contains(&x)));
    }
}
