// SPDX-License-Identifier: MIT

//! Stages next to the tested one: a vertex shader that passes attributes on, and a fragment shader that writes an input.

use ntv::capture::{Attribute, AttributeFormat};
use ntv::{text, Shader};
use std::fmt::Write as _;

/// A vertex shader that reads its position from attribute 0 and writes the following attributes to VAR0, VAR1, ... of the types
/// `float32` or `int32`.
pub(crate) fn vertex(varyings: &[&str]) -> Shader {
    let mut body = String::new();
    let types = std::iter::once(&"float32").chain(varyings);
    for (number, ty) in types.enumerate() {
        let slot = if number == 0 { "POS".to_string() } else { format!("VAR{}", number - 1) };
        let id = number + 1;
        let _ = write!(
            body,
            "    32x4 %{id} = @load_input (%0) (base={number}, range=1, component=0, dest_type={ty}, \
             io location=VERT_ATTRIB_GENERIC{number} slots=1)\n    \
             @store_output (%{id}, %0) (base={number}, range=1, wrmask=xyzw, component=0, src_type={ty}, \
             io location=VARYING_SLOT_{slot} slots=1)\n"
        );
    }
    shader("VERTEX", "", &body)
}

/// A fragment shader that writes VAR0.
pub(crate) fn fragment() -> Shader {
    shader(
        "FRAGMENT",
        "",
        "    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
         32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, \
         io location=VARYING_SLOT_VAR0 slots=1)\n    \
         @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
         io location=FRAG_RESULT_DATA0 slots=1)\n",
    )
}

/// A shader of straight-line code in which `%0` is 0; `header` has more lines for its header.
pub(crate) fn shader(stage: &str, header: &str, body: &str) -> Shader {
    let text = format!(
        "shader: MESA_SHADER_{stage}\nname: test\n{header}decl_function main () (entrypoint)\n\nimpl main {{\n    \
         block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n{body}    // succs: b1\n    block b1:\n}}\n"
    );
    text::parse(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The attribute at a location of a shader that fetches its attributes itself: four floats per element, in a buffer of its own.
pub(crate) fn pulled(location: u32, divisor: Option<u32>) -> Attribute {
    let format = AttributeFormat::from_name("R32G32B32A32_SFLOAT").expect("a format");
    Attribute { location, format, binding: location, offset: 0, stride: 16, divisor }
}
