//! Keys, and the table of all that a driver may learn late: by which mechanism each is done, and why.

use super::Stage;

/// How something that is known late reaches the shader. The cheapest that does it is taken, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Dynamic state of the command buffer: no other module, no other pipeline.
    DynamicState,
    /// A word of the driver's own in the push constants.
    DriverUniform,
    /// State of the pipeline: another pipeline, of the same modules.
    PipelineState,
    /// A specialization constant: another pipeline. Only where the values are few and known when it is made.
    SpecConstant,
    /// Patched words, decided by a link.
    Patch,
    /// Patched words and ranges, decided by a bit of the key: another module.
    Range,
}

impl Mechanism {
    /// The name that `ntv options` prints.
    pub fn name(self) -> &'static str {
        match self {
            Mechanism::DynamicState => "dynamic state",
            Mechanism::DriverUniform => "driver uniform",
            Mechanism::PipelineState => "pipeline state",
            Mechanism::SpecConstant => "spec constant",
            Mechanism::Patch => "patch",
            Mechanism::Range => "range",
        }
    }
}

/// A row of the table of options.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Its name, which a key in text form has.
    pub name: &'static str,
    /// How it is done.
    pub mechanism: Mechanism,
    /// The stages whose words it can change, a bit each ([`Stage::bit`]).
    pub stages: u8,
    /// Its bits in a key; 0 if it has none.
    pub mask: u64,
    /// Why that mechanism.
    pub why: &'static str,
}

/// What a draw knows and a shader may depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Options by their masks.
    pub bits: u64,
    /// Width and height of the framebuffer in pixels, for `gl_FragCoord` where it is turned or flipped.
    pub size: [u32; 2],
}

const LAST_VERTEX: u8 = Stage::Vertex.bit() | Stage::TessEval.bit() | Stage::Geometry.bit();
const CAPTURED: u8 = LAST_VERTEX;
const FRAGMENT: u8 = Stage::Fragment.bit();
const GRAPHICS: u8 = LAST_VERTEX | FRAGMENT | Stage::TessCtrl.bit();
const ALL: u8 = GRAPHICS | Stage::Compute.bit();

impl Key {
    /// No names, no lines, no text of the source.
    pub const STRIP: u64 = 1 << 0;
    /// Tests of depth and stencil before the shader.
    pub const EARLY_FRAGMENT_TESTS: u64 = 1 << 1;
    /// Transform feedback is off: no decorations for it, no capability, and no outputs that only it reads, which take locations.
    ///
    /// A module that stores its captures itself ([`BackEnd::Storage`](crate::capture::BackEnd)) is the same with it and without:
    /// `is_active` in the state of the draw says whether it stores, and it still uses the buffers. Their stores are control flow
    /// that passes move and merge, so they are no range of words. A program that never captures is translated without captures.
    pub const NO_CAPTURE: u64 = 1 << 2;
    /// Inputs are interpolated at each sample.
    pub const SAMPLE_SHADING: u64 = 1 << 3;
    /// X and y change places, first of all.
    pub const SWAP_XY: u64 = 1 << 4;
    /// X grows to the left.
    pub const FLIP_X: u64 = 1 << 5;
    /// Y grows upwards.
    pub const FLIP_Y: u64 = 1 << 6;
    /// All that turns or flips the picture.
    pub const ORIENTATION: u64 = Key::SWAP_XY | Key::FLIP_X | Key::FLIP_Y;
    /// Clip space has GL's depth, -w to w.
    pub const GL_DEPTH: u64 = 1 << 7;
    /// Rasterizer discard for devices whose pipelines cannot: every vertex goes to (-3, -3, -3, 1), outside of the clip volume, after
    /// all else was done to the position and it was captured. Primitives count as generated. A device that clips points by user
    /// planes alone (VkPointClippingBehavior) may draw points that are as large as two pictures.
    pub const DISCARD: u64 = 1 << 8;
    /// A shader that says no point size has one of 1.
    pub const POINT_SIZE: u64 = 1 << 9;
    /// Two bits for each colour target: see [`Key::dither`].
    pub const DITHER: u64 = 0xffff << 16;

    /// The bits of all options.
    pub const ALL: u64 = Key::of_stages(u8::MAX);

    /// Colour targets that can be dithered.
    pub const DITHERED_TARGETS: u32 = 8;

    /// Formats that are dithered, in the order of their numbers in a key; 0 is none. Bits of red, green, blue, alpha.
    pub const DITHERED_FORMATS: [(&'static str, [u32; 4]); 3] =
        [("4444", [4, 4, 4, 4]), ("5551", [5, 5, 5, 0]), ("565", [5, 6, 5, 0])];

    /// The bits that dither target `target` to the format with this number; 3 for the mask.
    pub const fn dither(target: u32, format: u64) -> u64 {
        (format & 3) << (16 + 2 * target)
    }

    /// The bits of the options that mean something in one of these stages.
    const fn of_stages(stages: u8) -> u64 {
        let (mut all, mut row) = (0, 0);
        while row < OPTIONS.len() {
            if OPTIONS[row].stages & stages != 0 {
                all |= OPTIONS[row].mask;
            }
            row += 1;
        }
        all
    }

    /// The bits of the options that mean something in a stage.
    pub const fn of_stage(stage: Stage) -> u64 {
        Key::of_stages(stage.bit())
    }

    /// The names of the options that have one of these bits; a number for bits that no option has.
    pub fn option_names(bits: u64) -> String {
        let names = OPTIONS.iter().filter(|row| row.mask & bits != 0).map(|row| row.name.to_string());
        let unknown = bits & !Key::ALL;
        names.chain((unknown != 0).then(|| format!("{unknown:#x}"))).collect::<Vec<String>>().join(",")
    }

    /// A key with these bits.
    pub const fn new(bits: u64) -> Key {
        Key { bits, size: [0; 2] }
    }

    /// The key that `text` says: names of options, `dither0=565`, `size=640x480`, with commas between.
    pub fn parse(text: &str) -> Result<Key, String> {
        let mut key = Key::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if let Some(size) = (name == "size").then(|| parse_size(value)).flatten() {
                key.size = size;
            } else if let Some(dither) = parse_dither(name, value) {
                key.bits |= dither;
            } else {
                let row = OPTIONS.iter().find(|row| row.name == part && row.mask.count_ones() == 1);
                key.bits |= row.ok_or_else(|| format!("no option of a key is called `{part}`"))?.mask;
            }
        }
        Ok(key)
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let single = OPTIONS.iter().filter(|row| row.mask.count_ones() == 1 && self.bits & row.mask != 0);
        let mut parts: Vec<String> = single.map(|row| row.name.to_string()).collect();
        for target in 0..Key::DITHERED_TARGETS {
            let format = (self.bits >> Key::dither(target, 3).trailing_zeros() & 3) as usize;
            if let Some((name, _)) = format.checked_sub(1).and_then(|format| Key::DITHERED_FORMATS.get(format)) {
                parts.push(format!("dither{target}={name}"));
            }
        }
        if self.size != [0; 2] {
            parts.push(format!("size={}x{}", self.size[0], self.size[1]));
        }
        f.write_str(&parts.join(","))
    }
}

fn parse_size(text: &str) -> Option<[u32; 2]> {
    let (width, height) = text.split_once('x')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}

fn parse_dither(name: &str, format: &str) -> Option<u64> {
    let target: u32 = name.strip_prefix("dither")?.parse().ok()?;
    let format = Key::DITHERED_FORMATS.iter().position(|row| row.0 == format)?;
    (target < Key::DITHERED_TARGETS).then(|| Key::dither(target, format as u64 + 1))
}

/// All that a driver may learn after a shader was compiled.
pub const OPTIONS: &[OptionInfo] = {
    use Mechanism::*;
    const fn row(name: &'static str, mechanism: Mechanism, stages: u8, mask: u64, why: &'static str) -> OptionInfo {
        OptionInfo { name, mechanism, stages, mask, why }
    }
    &[
        row("descriptor sets and bindings", Patch, ALL, 0, "known at link, decorations without any state behind them"),
        row("numbers of descriptors", Patch, ALL, 0, "known at link, from the layout of the set; one constant"),
        row("locations", Patch, GRAPHICS, 0, "known at link, from both stages"),
        row("unused varyings", Patch, GRAPHICS, 0, "known at link; their storage class becomes Private"),
        row("precision of varyings", Patch, GRAPHICS, 0, "known at link; lost where only one stage relaxes it"),
        row("patch vertices", Patch, Stage::TessCtrl.bit(), 0, "GL's patches have any size; one word"),
        row("workgroup size", SpecConstant, Stage::Compute.bit(), 0, "given with each dispatch that may choose it"),
        row(
            "specialization constants",
            SpecConstant,
            ALL,
            0,
            "only with values known early: warm-up cannot guess others",
        ),
        row("strip", Range, ALL, Key::STRIP, "names and lines are for debuggers only, and a good part of the words"),
        row(
            "early_fragment_tests",
            Range,
            FRAGMENT,
            Key::EARLY_FRAGMENT_TESTS,
            "off unless asked for: drivers do it themselves; offered only where it changes no result",
        ),
        row("no_capture", Range, CAPTURED, Key::NO_CAPTURE, "a pipeline with captures is slower on some devices"),
        row(
            "sample_shading",
            Range,
            FRAGMENT,
            Key::SAMPLE_SHADING,
            "GL's minSampleShading moves where inputs are taken",
        ),
        row(
            "swap_xy",
            Range,
            LAST_VERTEX | FRAGMENT,
            Key::SWAP_XY,
            "pre-rotation: four values, known with the surface",
        ),
        row("flip_x", Range, LAST_VERTEX | FRAGMENT, Key::FLIP_X, "pre-rotation"),
        row(
            "flip_y",
            Range,
            LAST_VERTEX | FRAGMENT,
            Key::FLIP_Y,
            "GL's window has y upwards; a negative viewport does it only for the position",
        ),
        row("gl_depth", Range, LAST_VERTEX, Key::GL_DEPTH, "where VK_EXT_depth_clip_control is missing"),
        row("discard", Range, LAST_VERTEX, Key::DISCARD, "rasterizer discard that still counts primitives"),
        row(
            "point_size",
            Range,
            LAST_VERTEX,
            Key::POINT_SIZE,
            "points need a size (before maintenance5), other primitives none",
        ),
        row("dither", Range, FRAGMENT, Key::DITHER, "16-bit formats: no fixed function dithers in Vulkan"),
        row(
            "front face",
            DynamicState,
            FRAGMENT,
            0,
            "a flip turns windings over: vkCmdSetFrontFace, gl_FrontFacing follows",
        ),
        row(
            "sample count",
            PipelineState,
            FRAGMENT,
            0,
            "rasterizationSamples; dynamic with VK_EXT_extended_dynamic_state3",
        ),
        row("alpha to one", DynamicState, FRAGMENT, 0, "alphaToOneEnable, VK_EXT_extended_dynamic_state3"),
        row("provoking vertex", PipelineState, LAST_VERTEX, 0, "VK_EXT_provoking_vertex"),
        row(
            "line rasterization",
            PipelineState,
            FRAGMENT,
            0,
            "VK_EXT_line_rasterization; emulation in shaders had holes",
        ),
        row("clip planes", DriverUniform, LAST_VERTEX, 0, "the planes change often; distances are computed in NIR"),
        row(
            "indexed draw",
            DriverUniform,
            Stage::Vertex.bit(),
            0,
            "changes with each draw; gl_BaseVertex depends on it",
        ),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_print_as_they_are_parsed() {
        for text in ["", "strip", "strip,swap_xy,flip_y,dither0=565,dither7=4444,size=640x480"] {
            assert_eq!(Key::parse(text).unwrap().to_string(), text);
        }
        for text in ["dither8=565", "dither0=888", "locations", "size=640"] {
            assert_eq!(Key::parse(text), Err(format!("no option of a key is called `{text}`")));
        }
    }

    #[test]
    fn options_have_bits_of_their_own() {
        let ranges = OPTIONS.iter().filter(|row| row.mechanism == Mechanism::Range);
        let all = ranges.fold(0, |all, row| {
            assert!(row.mask != 0 && all & row.mask == 0, "{} shares a bit", row.name);
            all | row.mask
        });
        assert!(OPTIONS.iter().all(|row| row.mechanism == Mechanism::Range || row.mask == 0));
        assert_eq!(all & Key::ORIENTATION, Key::ORIENTATION);
    }
}
