// SPDX-License-Identifier: MIT

//! The contents of a scene's textures: generated, or from PNG files.

use super::formula::{Formula, Scope};
use super::noise;
use font8x8::UnicodeFonts as _;
use serde::Deserialize;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The most texels that a texture of a scene may have.
pub(crate) const MOST_TEXELS: u64 = 1 << 24;

/// The size of a letter in pixels.
const LETTER: usize = 8;

/// The content of a texture: one of these.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Content {
    Checker(Checker),
    Noise(Noise),
    /// From the first colour on the left to the last on the right.
    Gradient(Vec<[f64; 4]>),
    /// A formula for each of red, green, blue and alpha, with `u`, `v`, `x`, `y` and `random`.
    Formula([Formula; 4]),
    /// Lines of letters, white on transparent.
    Text(Vec<String>),
    /// A file next to the scene's file.
    Png(PathBuf),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Checker {
    /// The number of cells in each direction.
    pub(crate) cells: u32,
    pub(crate) colors: [[f64; 4]; 2],
    /// The width of the joint between cells, as a fraction of a cell, and its colour.
    #[serde(default)]
    pub(crate) joint: f64,
    #[serde(default)]
    pub(crate) joint_color: [f64; 4],
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Noise {
    /// The number of cells of the coarsest octave.
    pub(crate) cells: u32,
    #[serde(default = "five")]
    pub(crate) octaves: u32,
    #[serde(default)]
    pub(crate) seed: u64,
    /// Colours from the lowest to the highest value.
    pub(crate) colors: Vec<[f64; 4]>,
    /// Bands of marble: the number of times that noise passes through the colours.
    #[serde(default)]
    pub(crate) bands: f64,
}

fn five() -> u32 {
    5
}

/// Texels of a level, row by row from the top, each of four floats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Image {
    pub(crate) size: [u32; 2],
    pub(crate) texels: Vec<[f32; 4]>,
}

impl Image {
    fn new(size: [u32; 2], mut texel: impl FnMut(u32, u32) -> Result<[f64; 4], String>) -> Result<Image, String> {
        let places = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        let texels = places.map(|(x, y)| Ok(texel(x, y)?.map(|component| component as f32)));
        Ok(Image { size, texels: texels.collect::<Result<_, String>>()? })
    }

    /// The next level: each texel is the mean of four.
    pub(crate) fn halved(&self) -> Image {
        let size = self.size.map(|edge| (edge / 2).max(1));
        let at = |x: u32, y: u32| {
            let (x, y) = (x.min(self.size[0] - 1) as usize, y.min(self.size[1] - 1) as usize);
            self.texels[y * self.size[0] as usize + x]
        };
        let mean = |x: u32, y: u32| {
            let four = [at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1), at(2 * x + 1, 2 * y + 1)];
            [0, 1, 2, 3].map(|component| four.iter().map(|texel| texel[component]).sum::<f32>() / 4.0)
        };
        let places = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (x, y)));
        Image { size, texels: places.map(|(x, y)| mean(x, y)).collect() }
    }
}

impl Content {
    /// The size of its own: that of a file or of a text.
    pub(crate) fn own_size(&self, folder: &Path) -> Result<Option<[u32; 2]>, String> {
        match self {
            Content::Png(path) => Ok(Some(read_png(&folder.join(path))?.size)),
            Content::Text(lines) => {
                let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).max(1);
                Ok(Some([longest * LETTER, lines.len().max(1) * LETTER].map(|edge| edge as u32)))
            }
            _ => Ok(None),
        }
    }

    /// Its first level.
    pub(crate) fn image(&self, size: [u32; 2], folder: &Path) -> Result<Image, String> {
        let [width, height] = size.map(f64::from);
        let middle = |x: u32, y: u32| ((f64::from(x) + 0.5) / width, (f64::from(y) + 0.5) / height);
        match self {
            Content::Checker(checker) => Image::new(size, |x, y| Ok(checker.color(middle(x, y)))),
            Content::Noise(of) => Image::new(size, |x, y| Ok(of.color(middle(x, y)))),
            Content::Gradient(colors) => Image::new(size, |x, y| Ok(between(colors, middle(x, y).0))),
            Content::Formula(formulas) => {
                let mut scope = Scope::default();
                scope.variables.extend([("u", 0.0), ("v", 0.0), ("x", 0.0), ("y", 0.0)]);
                Image::new(size, |x, y| {
                    let (u, v) = middle(x, y);
                    let values = [u, v, x.into(), y.into()];
                    scope.variables.iter_mut().zip(values).for_each(|(variable, value)| variable.1 = value);
                    let mut color = [0.0; 4];
                    for (component, formula) in color.iter_mut().zip(formulas) {
                        *component = formula.number(&scope)?;
                    }
                    Ok(color)
                })
            }
            Content::Text(lines) => Image::new(size, |x, y| Ok([1.0, 1.0, 1.0, ink(lines, x as usize, y as usize)])),
            Content::Png(path) => read_png(&folder.join(path)),
        }
    }
}

impl Checker {
    fn color(&self, (u, v): (f64, f64)) -> [f64; 4] {
        let [x, y] = [u, v].map(|along| along * f64::from(self.cells));
        let beside = [x, y].map(|along| (along.fract() - 0.5).abs()).into_iter().fold(0.0, f64::max);
        match beside > 0.5 - self.joint / 2.0 {
            true => self.joint_color,
            false => self.colors[((x as u64 + y as u64) % 2) as usize],
        }
    }
}

impl Noise {
    fn color(&self, (u, v): (f64, f64)) -> [f64; 4] {
        let height = noise::fractal(u, v, self.cells, self.octaves, self.seed);
        let at = match self.bands {
            0.0 => ((height - 0.5) * 1.6 + 0.5).clamp(0.0, 1.0),
            bands => 0.5 - 0.5 * (height * bands * std::f64::consts::TAU).cos(),
        };
        between(&self.colors, at)
    }
}

/// The colour at `at`, from 0 to 1, between colours at equal distances.
fn between(colors: &[[f64; 4]], at: f64) -> [f64; 4] {
    let Some(last) = colors.len().checked_sub(1) else { return [0.0; 4] };
    let at = at.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last);
    let part = at - below as f64;
    let (a, b) = (colors[below], colors[(below + 1).min(last)]);
    [0, 1, 2, 3].map(|component| a[component] + (b[component] - a[component]) * part)
}

/// 1 if a pixel of the text is a part of a letter, otherwise 0.
fn ink(lines: &[String], x: usize, y: usize) -> f64 {
    let letter = lines.get(y / LETTER).and_then(|line| line.chars().nth(x / LETTER));
    let rows = letter.and_then(|letter| font8x8::BASIC_FONTS.get(letter));
    f64::from(rows.map_or(0, |rows| rows[y % LETTER] >> (x % LETTER) & 1))
}

/// A picture of bytes.
pub(crate) fn read_png(path: &Path) -> Result<Image, String> {
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| said(&error))?;
    let mut decoder = png::Decoder::new(BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| said(&error))?;
    let info = reader.info();
    let (size, texels) = ([info.width, info.height], u64::from(info.width) * u64::from(info.height));
    if texels > MOST_TEXELS {
        return Err(said(&format!("{texels} pixels are more than {MOST_TEXELS}")));
    }
    let mut bytes = vec![0; reader.output_buffer_size().ok_or_else(|| said(&"it is too large"))?];
    let frame = reader.next_frame(&mut bytes).map_err(|error| said(&error))?;
    let channels = frame.color_type.samples();
    let texel = |bytes: &[u8]| {
        let part = |at: usize| f32::from(bytes[at]) / 255.0;
        match channels {
            2 => [part(0), part(0), part(0), part(1)],
            _ => [part(0), part(1), part(2), part(3)],
        }
    };
    Ok(Image { size, texels: bytes[..frame.buffer_size()].chunks_exact(channels).map(texel).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checker_has_its_cells() {
        let checker = Checker { cells: 2, colors: [[0.0; 4], [1.0; 4]], joint: 0.0, joint_color: [0.5; 4] };
        let image = Content::Checker(checker).image([4, 4], Path::new("")).expect("an image");
        let red: Vec<f32> = image.texels.iter().map(|texel| texel[0]).collect();
        assert_eq!(red, [0., 0., 1., 1., 0., 0., 1., 1., 1., 1., 0., 0., 1., 1., 0., 0.]);
        assert!(image.halved().halved().texels == [[0.5; 4]]);
    }

    #[test]
    fn text_has_the_size_of_its_letters() {
        let text = Content::Text(vec!["ab".to_string(), "i".to_string()]);
        let size = text.own_size(Path::new("")).expect("a size").expect("a size");
        assert_eq!(size, [16, 16]);
        let image = text.image(size, Path::new("")).expect("an image");
        let inked = |x: usize, y: usize| {
            let pixels = (0..64).filter(|at| image.texels[(y * 8 + at / 8) * 16 + x * 8 + at % 8][3] == 1.0);
            pixels.count()
        };
        assert!(inked(0, 0) > 8 && inked(1, 0) > 8 && inked(0, 1) > 4);
        assert_eq!(inked(1, 1), 0, "the second line has one letter");
    }

    #[test]
    fn gradients_go_from_colour_to_colour() {
        assert_eq!(between(&[[0.0; 4], [1.0; 4], [0.0; 4]], 0.75), [0.5; 4]);
        assert_eq!(between(&[[0.25; 4]], 0.9), [0.25; 4]);
        assert_eq!(between(&[], 0.9), [0.0; 4]);
    }
}
