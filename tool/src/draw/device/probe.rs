// SPDX-License-Identifier: MIT

//! Probes: compares results with the values that a scene expects.

use super::player::{Failure, Player};
use crate::draw::commands::Probe;
use crate::draw::prepare::numbers;
use crate::draw::scene::{Name, Or, Part};
use crate::draw::texel;
use ntv_driver::context::{QueryResult, Region};
use ntv_driver::format::FormatInfo;
use std::time::Duration;

/// The time limit of a query.
const PATIENCE: Duration = Duration::from_secs(60);

/// Checks `probe`.
pub(super) fn check(player: &mut Player<'_>, probe: &Probe) -> Result<(), Failure> {
    if let Some(part) = &probe.texture {
        return texels(player, probe, part);
    }
    if let Some(name) = &probe.buffer {
        return words(player, probe, name);
    }
    match &probe.query {
        Some(name) => query(player, probe, name),
        None => Ok(()),
    }
}

/// The texels of a part of a texture, from `at` on.
fn read(player: &mut Player<'_>, part: &Or<Part>, at: [u32; 2], size: [u32; 2]) -> Result<Vec<[f32; 4]>, Failure> {
    let (texture, whole) = player.objects.region(part);
    let offset = [at[0], at[1], whole.offset[2]];
    let region = Region { level: whole.level, offset, size: [size[0], size[1], 1] };
    let bytes = player.context.read_texture(&texture, region)?;
    let name = FormatInfo::of(texture.description().format).map_or("", |info| info.name);
    Ok(texel::decode(&bytes, name)?)
}

fn texels(player: &mut Player<'_>, probe: &Probe, part: &Or<Part>) -> Result<(), Failure> {
    let found = read(player, part, probe.at, probe.size)?;
    let (other, name) = match (probe.rgba, probe.same_as.or(probe.other_than)) {
        (Some(rgba), _) => (vec![rgba; found.len()], None),
        (None, Some(at)) => (read(player, part, at, probe.size)?, Some(at)),
        (None, None) => return Ok(()),
    };
    let far = |one: &[f32; 4], two: &[f32; 4]| (0..4).any(|at| (one[at] - two[at]).abs() > probe.tolerance);
    let first = found.iter().zip(&other).position(|(one, two)| far(one, two));
    let place = |at: usize| {
        let (x, y) = (at as u32 % probe.size[0], at as u32 / probe.size[0]);
        [probe.at[0] + x, probe.at[1] + y]
    };
    match first {
        Some(_) if probe.other_than.is_some() => Ok(()),
        None if probe.other_than.is_some() => {
            let (size, other) = (probe.size, name.unwrap_or_default());
            Err(format!("the {size:?} pixels at {:?} are the same as those at {other:?}", probe.at).into())
        }
        Some(at) => Err(format!("the pixel at {:?} is {:?}, not {:?}", place(at), found[at], other[at]).into()),
        None => Ok(()),
    }
}

fn words(player: &mut Player<'_>, probe: &Probe, name: &Name) -> Result<(), Failure> {
    if let Some(other) = &probe.same_as_buffer {
        return same(player, probe, name, other);
    }
    let expected = numbers(probe.f32.as_ref().or(probe.u32.as_ref()).map_or(&[], Vec::as_slice), &player.scope)?;
    let buffer = player.objects.buffers[name.get_ref()].clone();
    let bytes = player.context.read_buffer(&buffer, probe.offset.into(), 4 * expected.len() as u64)?;
    for (at, (word, expected)) in bytes.chunks_exact(4).zip(expected).enumerate() {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let (found, tolerance) = match probe.f32 {
            Some(_) => (f64::from(f32::from_bits(word)), f64::from(probe.tolerance)),
            None => (f64::from(word), 0.0),
        };
        // A NaN is not near.
        let is_near = found == expected || (found - expected).abs() <= tolerance;
        if !is_near {
            return Err(format!("number {at} is {found}, not {expected}").into());
        }
    }
    Ok(())
}

/// The floats of two buffers, from the probe's offset on.
fn same(player: &mut Player<'_>, probe: &Probe, one: &Name, other: &Name) -> Result<(), Failure> {
    let offset = u64::from(probe.offset);
    let mut floats = |name: &Name| {
        let buffer = player.objects.buffers[name.get_ref()].clone();
        let bytes = player.context.read_buffer(&buffer, offset, buffer.size().saturating_sub(offset))?;
        let float = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        Ok::<Vec<f32>, Failure>(bytes.chunks_exact(4).map(float).collect())
    };
    let (one, other) = (floats(one)?, floats(other)?);
    if one.len() != other.len() {
        return Err(format!("one has {} floats, and the other {}", one.len(), other.len()).into());
    }
    let near = |(one, other): (&f32, &f32)| one == other || (one - other).abs() <= probe.tolerance;
    match one.iter().zip(&other).position(|pair| !near(pair)) {
        Some(at) => Err(format!("float {at} is {} in one, and {} in the other", one[at], other[at]).into()),
        None => Ok(()),
    }
}

fn query(player: &mut Player<'_>, probe: &Probe, name: &Name) -> Result<(), Failure> {
    let query = player.objects.queries[name.get_ref()].clone();
    let found = match player.context.query_result(&query, PATIENCE)? {
        QueryResult::Value(value) => value,
        QueryResult::StreamOutput(counts) => counts.written,
        QueryResult::Statistics(statistics) => statistics.vertices,
    };
    match (probe.is, probe.at_least) {
        (Some(expected), _) if found != expected => Err(format!("the query has {found}, not {expected}").into()),
        (_, Some(least)) if found < least => Err(format!("the query has {found}, which is less than {least}").into()),
        _ => Ok(()),
    }
}
