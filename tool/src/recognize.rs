// SPDX-License-Identifier: MIT

//! Says what a file is that has no shader in it: people pass the source or the result of a translation, or a packed log.

/// How to print NIR.
const DUMPS: &str = "`ZINK_DEBUG=nir`, `NIR_DEBUG=print` or `MESA_GLSL=dump` makes Mesa print NIR";

/// A kind of file: its name, what to do with it, and whether contents are of the kind.
struct Kind {
    name: &'static str,
    advice: &'static str,
    is: fn(&[u8], &str) -> bool,
}

const fn kind(name: &'static str, advice: &'static str, is: fn(&[u8], &str) -> bool) -> Kind {
    Kind { name, advice, is }
}

const KINDS: &[Kind] = &[
    kind("SPIR-V", "try `ntv import`", |bytes, _| {
        matches!(bytes, [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..])
    }),
    kind("disassembled SPIR-V", "assemble it with `spirv-as`, then try `ntv import`", |_, text| {
        first_line(text, ";").starts_with("OpCapability") || text.starts_with("; SPIR-V")
    }),
    kind("a file of gzip", "unpack it first", |bytes, _| bytes.starts_with(&[0x1f, 0x8b])),
    kind("a file of zstd", "unpack it first", |bytes, _| bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])),
    kind("a file of xz", "unpack it first", |bytes, _| bytes.starts_with(&[0xfd, b'7', b'z', b'X', b'Z'])),
    kind("a zip archive", "unpack it first", |bytes, _| bytes.starts_with(b"PK\x03\x04")),
    kind("a program or library", DUMPS, |bytes, _| bytes.starts_with(b"\x7fELF")),
    kind("DXBC or DXIL", DUMPS, |bytes, _| bytes.starts_with(b"DXBC")),
    kind("LLVM bitcode", DUMPS, |bytes, _| bytes.starts_with(b"BC\xc0\xde")),
    kind("a test of piglit", "name it with the end .shader_test, and ntv compiles it with Mesa", |_, text| {
        first_line(text, "#").starts_with("[require]")
    }),
    kind("OpenCL C", "`ZINK_DEBUG=nir` makes rusticl on zink print its NIR", |_, text| {
        has_word(text, "__kernel") || has_word(text, "kernel void")
    }),
    kind("HLSL", DUMPS, |_, text| {
        text.contains("SV_Position") || text.contains("SV_Target") || has_word(text, "cbuffer")
    }),
    kind("WGSL", DUMPS, |_, text| ["@vertex", "@fragment", "@compute"].iter().any(|stage| has_word(text, stage))),
    kind("GLSL", "name it with the end of its stage, such as .frag, and ntv compiles it with Mesa", |_, text| {
        first_line(text, "//").starts_with("#version") || has_word(text, "void main")
    }),
    kind("TGSI", DUMPS, |_, text| {
        let first = first_line(text, "#");
        ["VERT", "FRAG", "GEOM", "TESS_CTRL", "TESS_EVAL", "COMP"].contains(&first) && text.contains("\nDCL ")
    }),
    kind("an assembly program of OpenGL", DUMPS, |_, text| text.starts_with("!!ARB")),
];

/// What contents without a shader are, and what to do, as a message.
pub(crate) fn message(bytes: &[u8], text: &str) -> String {
    match KINDS.iter().find(|kind| (kind.is)(bytes, text)) {
        Some(Kind { name, advice, .. }) => format!("this is {name}, not NIR: {advice}"),
        None if bytes.is_empty() => format!("the file is empty: {DUMPS}"),
        None => format!("no shader found, expected a line like `shader: MESA_SHADER_VERTEX`: {DUMPS}"),
    }
}

/// The first line that has text and does not start with `comment`.
fn first_line<'t>(text: &'t str, comment: &str) -> &'t str {
    text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(comment)).unwrap_or("")
}

/// Whether a line starts with `word`.
fn has_word(text: &str, word: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn files_are_named() {
        let cases: [(&[u8], &str); 13] = [
            (&[3, 2, 0x23, 7, 0, 0, 1, 0], "SPIR-V, not NIR: try `ntv import`"),
            (b"; SPIR-V\n; Version: 1.3\n", "disassembled SPIR-V"),
            (b"               OpCapability Shader\n", "disassembled SPIR-V"),
            (&[0x1f, 0x8b, 8], "gzip"),
            (b"// a shader\n#version 450\nvoid main() {}\n", "GLSL"),
            (b"in vec4 p;\nvoid main()\n{\n}\n", "GLSL"),
            (b"[require]\nGLSL >= 1.30\n[vertex shader]\nvoid main() {}\n", "piglit"),
            (b"__kernel void f(__global int *x) {}\n", "OpenCL C"),
            (b"float4 main(float4 p : SV_Position) : SV_Target { return p; }\n", "HLSL"),
            (b"@fragment\nfn main() {}\n", "WGSL"),
            (b"FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\n", "TGSI"),
            (b"", "the file is empty"),
            (b"MESA: error: no device\n", "expected a line like `shader: MESA_SHADER_VERTEX`"),
        ];
        for (bytes, expected) in cases {
            let message = message(bytes, &String::from_utf8_lossy(bytes));
            assert!(message.contains(expected), "{message}");
        }
    }
}
