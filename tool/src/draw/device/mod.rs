// SPDX-License-Identifier: MIT

//! Draws scenes on a Vulkan device, through ntv's own driver.

mod bindings;
mod convert;
mod counters;
mod objects;
mod player;
mod probe;
mod trace;
mod watch;

use super::load::SceneError;
use super::prepare::Prepared;
use crate::args::DrawArgs;
use crate::diagnostics::Reporter;
use crate::picture;
use anyhow::{ensure, Result};
use ntv_driver::context::{Context, ContextOptions, Fence, Region};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::vk;
use player::Player;
use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};
use trace::Trace;
use watch::Watch;

/// The time limit for the device to finish its work.
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of frames that the device may be late.
const FRAMES_AHEAD: usize = 2;

/// The time of a frame in seconds, without `--watch`.
const FRAME_TIME: f64 = 1.0 / 60.0;

/// Draws a scene; the inner error is an error of the scene.
pub(super) fn draw(
    args: &DrawArgs,
    prepared: &Prepared,
    reporter: &Reporter,
) -> Result<std::result::Result<(), SceneError>> {
    let options = DeviceOptions {
        name: args.device.clone(),
        validation: args.validate,
        synchronization: args.validate,
        timeout: PATIENCE,
        without: args.without.clone(),
        ..DeviceOptions::default()
    };
    let device = Device::open(&options)?;
    let (warm_up, time_phases) = (args.watch, args.trace.is_some());
    let context = Context::new(&device, ContextOptions { warm_up, time_phases, ..ContextOptions::default() })?;
    let mut player = match Player::new(context, prepared) {
        Ok(player) => player,
        Err(error) => return Ok(Err(error)),
    };
    player.trace = args.trace.as_deref().map(Trace::new);
    if let Err(error) = frames(&mut player, args, &device, reporter)? {
        return Ok(Err(error));
    }
    if let Some(path) = &args.output {
        write_picture(&mut player, path)?;
    }
    player.context.finish()?;
    if let Some(trace) = player.trace.take() {
        trace.write()?;
    }
    drop(player);
    let messages = device.take_messages();
    ensure!(messages.is_empty(), "messages of the validation layer:\n{}", messages.join("\n"));
    Ok(Ok(()))
}

/// Draws all frames.
fn frames(
    player: &mut Player<'_>,
    args: &DrawArgs,
    device: &Device,
    reporter: &Reporter,
) -> Result<std::result::Result<(), SceneError>> {
    let scene = &player.prepared.scene;
    let frames = args.frames.or((!args.watch).then_some(scene.frames));
    let mut watch = args.watch.then(|| Watch::new(device.name(), &scene.about));
    player.probes = false;
    if let Err(error) = player.play(&scene.setup) {
        return Ok(Err(error));
    }
    let began = Instant::now();
    let mut fences: VecDeque<Fence> = VecDeque::new();
    let mut frame = 0;
    while frames.is_none_or(|frames| frame < frames) {
        let time = if args.watch { began.elapsed().as_secs_f64() } else { f64::from(frame) * FRAME_TIME };
        player.scope.set("time", time);
        player.scope.set("frame", f64::from(frame));
        frame += 1;
        player.probes = !args.watch && frames == Some(frame);
        let start = player.trace.as_ref().map(|trace| trace.start(&player.context));
        if let Err(error) = player.play(&scene.frame) {
            return Ok(Err(error));
        }
        fences.push_back(player.context.flush()?);
        if let (Some(trace), Some(start)) = (&mut player.trace, start) {
            trace.event(&start, "frame", &format!("frame {}", frame - 1), &player.context);
        }
        if fences.len() > FRAMES_AHEAD {
            if let Some(fence) = fences.pop_front() {
                fence.wait(PATIENCE)?;
            }
        }
        if let Some(watch) = &mut watch {
            watch.frame(&player.context.counters());
        }
    }
    player.context.finish()?;
    if let Some(watch) = watch {
        watch.finish(&player.context.counters(), reporter);
    }
    Ok(Ok(()))
}

/// Writes the texture that is the scene's picture to a file.
fn write_picture(player: &mut Player<'_>, path: &Path) -> Result<()> {
    let texture = player.objects.textures[player.prepared.scene.picture.get_ref()].clone();
    let description = texture.description();
    let is_picture = matches!(description.format, vk::Format::R8G8B8A8_UNORM | vk::Format::R8G8B8A8_SRGB);
    ensure!(is_picture && description.samples == 1, "the picture is not a texture of r8g8b8a8_unorm with one sample");
    let [width, height, _] = description.size;
    let region = Region { size: [width, height, 1], ..Region::of_level(&texture, 0) };
    let texels = player.context.read_texture(&texture, region)?;
    // The picture is opaque: alpha is only used while it is drawn.
    let pixels: Vec<u8> = texels.chunks_exact(4).flat_map(|texel| [texel[0], texel[1], texel[2]]).collect();
    picture::write(path, [width, height], png::ColorType::Rgb, &pixels)
}
