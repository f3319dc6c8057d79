// SPDX-License-Identifier: MIT

//! Plans of transform feedback: every shape of output, every kind of request, every error.

mod errors;
mod layouts;
mod random;
mod shapes;

use ntv::capture::{
    plan_captures, BufferMode, LayoutCapture, Member, Output, OutputType, Request, ScalarType, XfbError, XfbInfo,
    XfbLimits, XfbOutput,
};
use ntv::op::names::varying::VAR0;

/// Limits that have no effect.
const ROOMY: XfbLimits = XfbLimits {
    max_interleaved_components: 128,
    max_separate_attribs: 4,
    max_separate_components: 128,
    max_buffers: 4,
};

fn float(rows: u8) -> OutputType {
    OutputType::vector(ScalarType::Float, rows)
}

fn double(rows: u8) -> OutputType {
    OutputType::vector(ScalarType::Double, rows)
}

fn members<const N: usize>(members: [(&str, OutputType); N]) -> Vec<Member> {
    members.into_iter().map(|(name, ty)| Member::new(name, ty)).collect()
}

/// A single output `v` in the first generic slot.
fn v(ty: OutputType) -> Vec<Output> {
    vec![Output::new("v", ty, VAR0)]
}

fn interleaved(outputs: &[Output], names: &[&str], limits: &XfbLimits) -> Result<XfbInfo, XfbError> {
    plan_captures(outputs, &Request::varyings(names.iter().copied(), BufferMode::Interleaved), limits)
}

fn separate(outputs: &[Output], names: &[&str], limits: &XfbLimits) -> Result<XfbInfo, XfbError> {
    plan_captures(outputs, &Request::varyings(names.iter().copied(), BufferMode::Separate), limits)
}

fn layout(
    outputs: &[Output],
    captures: &[(&str, u32, u32)],
    strides: [Option<u32>; 4],
    limits: &XfbLimits,
) -> Result<XfbInfo, XfbError> {
    let capture = |&(name, buffer, offset): &(&str, u32, u32)| LayoutCapture { name: name.into(), buffer, offset };
    plan_captures(outputs, &Request::Layout { captures: captures.iter().map(capture).collect(), strides }, limits)
}

/// A run: buffer, offset, slot counted from the first generic one, component, components.
type Run = (u32, u32, u32, u8, u8);

fn runs(info: &XfbInfo) -> Vec<Run> {
    let run = |run: &XfbOutput| (run.buffer, run.offset, run.location - VAR0, run.component, run.num_components);
    info.outputs.iter().map(run).collect()
}

/// Varyings as tuples: name, OpenGL's type, size, buffer, offset.
fn reported(info: &XfbInfo) -> Vec<(&str, u32, u32, u32, u32)> {
    let varyings = info.varyings.iter();
    varyings.map(|varying| (&*varying.name, varying.gl_type, varying.size, varying.buffer, varying.offset)).collect()
}
