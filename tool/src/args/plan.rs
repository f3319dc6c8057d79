// SPDX-License-Identifier: MIT

//! Arguments of `ntv plan`.

use ntv::plan::Class;
use std::path::PathBuf;

/// Arguments of `ntv plan`.
#[derive(clap::Args)]
pub(crate) struct PlanArgs {
    /// The stages of a program. Block n of one stage is block n of the others; block 0 is private to each stage that has GL's
    /// loose uniforms.
    #[arg(required = true, value_name = "IN")]
    pub(crate) inputs: Vec<PathBuf>,

    /// A JSON file with the limits of the device by Vulkan's names, such as the output of vulkaninfo --json [default: the minimum
    /// that Vulkan requires of every device].
    #[arg(long, value_name = "FILE")]
    pub(crate) limits: Option<PathBuf>,

    /// Read a block through a storage buffer if at least this many of its bytes are indexed dynamically.
    #[arg(long, value_name = "BYTES")]
    pub(crate) threshold: Option<u32>,

    /// The alignment of buffer offsets that the driver requires of its users [default: minUniformBufferOffsetAlignment].
    #[arg(long, value_name = "BYTES", default_value_t, hide_default_value = true)]
    pub(crate) offset_alignment: u32,

    /// The push constants that are free for blocks: a range of bytes that excludes TO.
    #[arg(long, value_name = "FROM-TO", value_parser = parse_range)]
    pub(crate) push_constants: Option<(u32, u32)>,

    /// A block whose bytes the driver has on the CPU when it draws, so that they can be push constants.
    #[arg(long, value_name = "BLOCK", value_delimiter = ',')]
    pub(crate) at_hand: Vec<String>,

    /// The size of a block in bytes.
    #[arg(long, value_name = "BLOCK=BYTES", value_delimiter = ',', value_parser = parse_bytes)]
    pub(crate) bytes: Vec<(String, u32)>,

    /// The class of a block: Uniform, Storage, PushConstant@OFFSET.
    #[arg(long, value_name = "BLOCK=CLASS", value_delimiter = ',', value_parser = parse_class_of)]
    pub(crate) place: Vec<(String, Class)>,

    /// The class of all blocks that --place does not name, where the class is possible.
    #[arg(long, value_name = "CLASS")]
    pub(crate) all: Option<Class>,
}

/// Splits `name=value`.
fn parse_pair<'a>(text: &'a str, what: &str) -> Result<(String, &'a str), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("there is no {what}: BLOCK={what}"))?;
    Ok((name.to_string(), value))
}

fn parse_bytes(text: &str) -> Result<(String, u32), String> {
    let (name, value) = parse_pair(text, "BYTES")?;
    Ok((name, value.parse().map_err(|_| format!("`{value}` is not a number"))?))
}

fn parse_class_of(text: &str) -> Result<(String, Class), String> {
    let (name, value) = parse_pair(text, "CLASS")?;
    Ok((name, value.parse()?))
}

fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let both = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    both.filter(|(from, to)| from <= to).ok_or_else(|| format!("`{text}` is not FROM-TO"))
}
