// SPDX-License-Identifier: MIT

//! Captures of transform feedback that a shader writes itself, for which the stage must be able to write memory.

use super::stores;
use crate::capture::BackEnd;
use crate::error::{Error, ErrorKind, Place};
use crate::ir::{Shader, Stage};
use crate::target::{Feature, Target};

/// The error of a shader that cannot write its captures itself, if it has captures and is to write them.
pub(crate) fn refused_captures(shader: &Shader, captures: BackEnd, target: &Target) -> Option<Error> {
    if !captures.is_within(shader) {
        return None;
    }
    let feature = Feature::vertexPipelineStoresAndAtomics;
    let mut lacks = None;
    let why = match (captures, shader.stage()) {
        (BackEnd::Compute, Stage::Vertex) => {
            stores::first(shader)?;
            "a compute shader takes the captures of vertex shaders that write no memory only"
        }
        (BackEnd::Compute, _) => "a compute shader takes the captures of vertex shaders only",
        (_, Stage::Vertex | Stage::Geometry) if target.has(feature) => return None,
        (_, Stage::Vertex | Stage::Geometry) => {
            lacks = Some(feature);
            "storage buffers for captures need feature vertexPipelineStoresAndAtomics, which the target lacks"
        }
        (_, Stage::TessEval) => {
            "storage buffers do not take the captures of tessellation evaluation shaders: put a geometry shader that passes \
             everything on after it"
        }
        _ => "storage buffers take the captures of vertex and geometry shaders only",
    };
    Some(Error { lacks, ..Error::new(ErrorKind::Unsupported, Place::default(), why) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Capture, Variable};
    use crate::op::{AluType, Base, Modes};

    #[test]
    fn a_missing_feature_is_in_the_error() {
        let mut shader = Shader::default();
        shader.info.stage = Stage::Vertex;
        let ty = shader.types.vector(AluType::new(Base::Float, 32), 4);
        let name = shader.strings.add("out");
        let capture = Some(Capture { buffer: 0, stride: 16, offset: 0 });
        shader.vars.push(Variable { capture, ..Variable::new(name, ty, Modes::SHADER_OUT) });
        let mut target = Target::default();
        target.set(Feature::vertexPipelineStoresAndAtomics, false);
        let error = refused_captures(&shader, BackEnd::Storage, &target).expect("an error");
        let advice = error.advice().expect("advice");
        assert!(advice.contains("--enable vertexPipelineStoresAndAtomics"), "{advice}");
    }
}
