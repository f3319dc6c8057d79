// SPDX-License-Identifier: MIT

//! The scenes of `examples/scenes` on lavapipe, compared with the pictures in `docs/scenes`.
//!
//! `BLESS=1` writes the pictures. Drivers round and rasterize differently, so pictures may differ a little: in total, and in the
//! tile of 16 by 16 pixels that differs most.

#[path = "../../tests/support/mod.rs"]
mod support;

use std::fmt;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The size of a tile in pixels.
const TILE: usize = 16;

/// The allowed difference of all pixels, as the root of the mean square, of 255.
const MOST_OF_ALL: f64 = 4.0;

/// The allowed difference of a tile.
const MOST_OF_A_TILE: f64 = 24.0;

/// Red, green and blue of each pixel, row by row.
struct Picture {
    size: [usize; 2],
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn read(path: &Path) -> Picture {
        let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().expect("a PNG file");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a picture that fits into memory")];
        let frame = reader.next_frame(&mut bytes).expect("a PNG file");
        assert_eq!(frame.color_type, png::ColorType::Rgb, "{}", path.display());
        let pixels = bytes[..frame.buffer_size()].chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        Picture { size: [frame.width as usize, frame.height as usize], pixels: pixels.collect() }
    }

    /// The tile at a place, smaller at the edges.
    fn tile(&self, [left, top]: [usize; 2]) -> Vec<[u8; 3]> {
        let [width, height] = self.size;
        let row = |y: usize| &self.pixels[y * width + left..y * width + (left + TILE).min(width)];
        (top..(top + TILE).min(height)).flat_map(|y| row(y).iter().copied()).collect()
    }
}

/// The difference of two pictures.
#[derive(Debug, PartialEq)]
enum Difference {
    Size([usize; 2], [usize; 2]),
    /// In total, and in the worst tile, with its upper left corner.
    Pixels {
        all: f64,
        worst: f64,
        at: [usize; 2],
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Size(one, other) => write!(f, "{one:?} pixels, where {other:?} are wanted"),
            Difference::Pixels { all, worst, at: [x, y] } => write!(
                f,
                "pixels are off by {all:.2} of 255 ({MOST_OF_ALL} allowed); the most in the {TILE} by {TILE} from \
                 {x}, {y} on: by {worst:.2} ({MOST_OF_A_TILE} allowed)"
            ),
        }
    }
}

/// The root of the mean square of the differences of components.
fn off(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    let sum: f64 = pairs.map(|(one, other)| f64::from(one.abs_diff(*other)).powi(2)).sum();
    (sum / (3 * one.len().max(1)) as f64).sqrt()
}

/// The difference of `drawn` from `wanted`, if it is more than allowed.
fn compare(drawn: &Picture, wanted: &Picture) -> Result<(), Difference> {
    if drawn.size != wanted.size {
        return Err(Difference::Size(drawn.size, wanted.size));
    }
    let all = off(&drawn.pixels, &wanted.pixels);
    let [width, height] = drawn.size;
    let corners = (0..height).step_by(TILE).flat_map(|y| (0..width).step_by(TILE).map(move |x| [x, y]));
    let tiles = corners.map(|at| (off(&drawn.tile(at), &wanted.tile(at)), at));
    let (worst, at) = tiles.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((0.0, [0; 2]));
    match all <= MOST_OF_ALL && worst <= MOST_OF_A_TILE {
        true => Ok(()),
        false => Err(Difference::Pixels { all, worst, at }),
    }
}

/// Draws a scene to `picture`, with the validation layer unless it is too old for the device.
fn draw(scene: &Path, picture: &Path, more: &[&str]) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
    command.args(["draw", "--device", "llvmpipe", "-o"]).args([picture, scene]).args(more);
    let is_newer = NEWER.iter().any(|(name, _)| scene.file_stem().is_some_and(|stem| stem == *name));
    command.args((!is_newer).then_some("--validate"));
    // The error is one line; a backtrace is not needed.
    command.env_remove("RUST_BACKTRACE");
    let output = command.output().expect("ntv");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}: {}", scene.display(), String::from_utf8_lossy(&output.stderr))),
    }
}

fn scene(name: &str) -> PathBuf {
    support::root().join("examples/scenes").join(name).with_extension("toml")
}

fn reference(name: &str) -> PathBuf {
    support::root().join("docs/scenes").join(name).with_extension("png")
}

/// The file of a test's picture, which shows a failure.
fn drawn(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("png")
}

/// Checks a scene.
fn check(name: &str) -> Result<(), String> {
    let picture = drawn(name);
    draw(&scene(name), &picture, &[])?;
    compare(&Picture::read(&picture), &Picture::read(&reference(name)))
        .map_err(|difference| format!("{} and {}: {difference}", picture.display(), reference(name).display()))
}

/// Scenes that need features that Debian's lavapipe and validation layer do not have, with one of them.
const NEWER: &[(&str, &str)] = &[("seeds", "taskShader")];

/// Draws the scene, and compares or writes its picture.
fn check_or_bless(name: &str) -> Result<(), String> {
    match std::env::var_os("BLESS") {
        Some(_) => draw(&scene(name), &reference(name), &[]),
        None => check(name),
    }
}

#[test]
fn scenes_are_as_they_were() {
    let scenes = support::files(&support::root().join("examples/scenes"), &["toml"]);
    assert!(scenes.len() >= 12, "{scenes:?}");
    let names = scenes.iter().map(|path| path.file_stem().and_then(|stem| stem.to_str()).expect("a name"));
    let known = names.filter(|name| NEWER.iter().all(|row| row.0 != *name));
    let wrong: Vec<String> = known.filter_map(|name| check_or_bless(name).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn scenes_name_the_feature_that_the_device_lacks() {
    for (name, feature) in NEWER {
        let problem = draw(&scene(name), &drawn(name), &[]).expect_err("a feature is missing");
        assert!(problem.contains(feature), "{problem}");
    }
}

#[test]
#[ignore = "`cargo xtask mesa --meshes` runs it on a newer lavapipe"]
fn a_newer_lavapipe_draws_the_other_scenes() {
    let wrong: Vec<String> = NEWER.iter().filter_map(|(name, _)| check_or_bless(name).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pictures_do_not_depend_on_device_features() {
    let mut wrong = Vec::new();
    for (name, without) in LESS {
        let more: Vec<&str> = without.iter().flat_map(|feature| ["--without", *feature]).collect();
        let pictures = [drawn(&format!("{name}_with_all")), drawn(&format!("{name}_without"))];
        let results = [draw(&scene(name), &pictures[0], &[]), draw(&scene(name), &pictures[1], &more)];
        wrong.extend(results.into_iter().filter_map(Result::err));
        let [with, without] = pictures.map(|path| Picture::read(&path));
        wrong.extend(compare(&without, &with).err().map(|difference| format!("{name} {more:?}: {difference}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Scenes, and features that they do not need.
const LESS: &[(&str, &[&str])] = &[
    ("options", &["VK_EXT_depth_clip_control"]),
    ("knot", &["VK_EXT_extended_dynamic_state3"]),
    ("shadow", &["VK_EXT_graphics_pipeline_library", "VK_EXT_vertex_input_dynamic_state"]),
];

#[test]
fn the_reference_pictures_are_small() {
    let pictures = support::files(&support::root().join("docs/scenes"), &["png"]);
    let bytes: u64 = pictures.iter().map(|path| fs::metadata(path).expect("a file").len()).sum();
    assert!(bytes > 0 && bytes < 2_200_000, "{} pictures of {bytes} bytes", pictures.len());
}

#[test]
fn differences_are_found_where_they_are() {
    let grey = |size: [usize; 2]| Picture { size, pixels: vec![[128; 3]; size[0] * size[1]] };
    let mut other = grey([40, 36]);
    assert_eq!(compare(&other, &grey([40, 36])), Ok(()));
    assert_eq!(compare(&other, &grey([40, 35])), Err(Difference::Size([40, 36], [40, 35])));
    // A line of a few pixels, far below the limit for the total.
    (34..40).for_each(|x| other.pixels[33 * 40 + x] = [255, 0, 0]);
    match compare(&other, &grey([40, 36])) {
        Err(Difference::Pixels { worst, at, .. }) => assert!(at == [32, 32] && worst > MOST_OF_A_TILE),
        result => panic!("{result:?}"),
    }
    // All pixels, by more than is allowed in total and less than is allowed in a tile.
    other.pixels.fill([120; 3]);
    assert!(matches!(compare(&other, &grey([40, 36])), Err(Difference::Pixels { all, .. }) if all == 8.0));
}
