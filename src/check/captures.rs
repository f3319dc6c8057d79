// SPDX-License-Identifier: MIT

//! Captures of transform feedback that a shader writes itself, for which the stage must be able to write memory.

use super::stores;
use crate::capture::BackEnd;
use crate::ir::{Shader, Stage};
use crate::target::{Feature, Target};

/// The reason why a shader cannot write its captures itself, if it has captures and is to write them.
pub(crate) fn refused_captures(shader: &Shader, captures: BackEnd, target: &Target) -> Option<&'static str> {
    if !captures.is_within(shader) {
        return None;
    }
    let has_stores = target.has(Feature::vertexPipelineStoresAndAtomics);
    match (captures, shader.stage()) {
        (BackEnd::Compute, Stage::Vertex) => stores::first(shader)
            .is_some()
            .then_some("a compute shader takes the captures of vertex shaders that write no memory only"),
        (BackEnd::Compute, _) => Some("a compute shader takes the captures of vertex shaders only"),
        (_, Stage::Vertex | Stage::Geometry) if has_stores => None,
        (_, Stage::Vertex | Stage::Geometry) => {
            Some("storage buffers for captures need feature vertexPipelineStoresAndAtomics, which the target lacks")
        }
        (_, Stage::TessEval) => Some(
            "storage buffers do not take the captures of tessellation evaluation shaders: put a geometry shader that passes \
             everything on after it",
        ),
        _ => Some("storage buffers take the captures of vertex and geometry shaders only"),
    }
}
