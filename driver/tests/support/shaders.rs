// SPDX-License-Identifier: MIT

//! Shaders in NIR that together use every kind of state, and the slots that each of them reads and writes.
//!
//! All vertex shaders write `VAR0`, all fragment shaders write both colors: in all combinations, no value is undefined.
#![allow(dead_code, reason = "each test uses a part")]

/// A shader, and the slots that it uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Info {
    /// The name in messages.
    pub name: &'static str,
    head: &'static str,
    body: &'static str,
    /// The constant buffers that it reads.
    pub constants: &'static [usize],
    /// The sampler views that it reads.
    pub views: &'static [usize],
    /// The shader buffers that it writes.
    pub buffers: &'static [usize],
    /// The images that it writes.
    pub images: &'static [usize],
    /// The number of attributes that it reads.
    pub attributes: usize,
    /// The number of stream output targets that it writes.
    pub targets: usize,
}

impl Info {
    /// The text of a shader of `stage`.
    pub(crate) fn text(&self, stage: &str) -> String {
        format!(
            "shader: MESA_SHADER_{stage}\nname: {}\n{}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    \
             32 %0 = load_const (0x00000000)\n{}    // succs: b1\n    block b1:\n}}\n",
            self.name.replace(' ', "_"),
            self.head,
            self.body
        )
    }
}

macro_rules! attribute {
    ($to:literal, $number:literal) => {
        concat!(
            "    32x4 %",
            $to,
            " = @load_input (%0) (base=",
            $number,
            ", range=1, component=0, dest_type=float32, \
             io location=VERT_ATTRIB_GENERIC",
            $number,
            " slots=1)\n"
        )
    };
}

macro_rules! output {
    ($from:literal, $base:literal, $location:literal) => {
        output!($from, $base, $location, "xyzw", "")
    };
    ($from:literal, $base:literal, $location:literal, $mask:literal, $xfb:literal) => {
        concat!(
            "    @store_output (%",
            $from,
            ", %0) (base=",
            $base,
            ", range=1, wrmask=",
            $mask,
            ", component=0, src_type=float32, io location=VARYING_SLOT_",
            $location,
            " slots=1",
            $xfb,
            ")\n"
        )
    };
}

macro_rules! point_size {
    () => {
        concat!("    32 %90 = load_const (0x3f800000)\n", output!("90", "5", "PSIZ", "x", ""))
    };
}

macro_rules! varying {
    () => {
        "    32x2 %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
         32x4 %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n"
    };
}

/// Both colors become `%9`.
macro_rules! colors {
    () => {
        "    @store_output (%9, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n    \
         @store_output (%9, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA1 slots=1)\n"
    };
}

macro_rules! load_block {
    ($to:literal, $block:literal) => {
        concat!(
            "    32x4 %",
            $to,
            " = @load_ubo (%",
            $block,
            ", %0) (access=none, align_mul=1073741824, align_offset=0, range_base=0, range=16)\n"
        )
    };
}

macro_rules! geometry_output {
    ($from:literal, $base:literal, $location:literal) => {
        concat!(
            "    @store_output (%",
            $from,
            ", %0) (base=",
            $base,
            ", range=1, wrmask=xyzw, component=0, src_type=float32, \
             io location=VARYING_SLOT_",
            $location,
            " slots=1 gs_streams(x=0 y=0 z=0 w=0))\n"
        )
    };
}

macro_rules! geometry_vertex {
    ($corner:literal, $position:literal, $color:literal, $sum:literal) => {
        concat!(
            "    32x4 %",
            $position,
            " = @load_per_vertex_input (%",
            $corner,
            ", %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)\n",
            "    32x4 %",
            $color,
            " = @load_per_vertex_input (%0, %0) (base=1, range=1, component=0, dest_type=float32, \
             io location=VARYING_SLOT_VAR0 slots=1)\n",
            "    32x4 %",
            $sum,
            " = fadd %",
            $color,
            ", %2\n",
            geometry_output!($position, "0", "POS"),
            geometry_output!($sum, "1", "VAR0"),
            "    @emit_vertex (stream_id=0)\n"
        )
    };
}

const PLAIN: Info = Info {
    name: "",
    head: "",
    body: "",
    constants: &[],
    views: &[],
    buffers: &[],
    images: &[],
    attributes: 0,
    targets: 0,
};

/// Vertex shaders.
pub(crate) const VERTEX: &[Info] = &[
    Info {
        name: "plain",
        body: concat!(attribute!("1", "0"), attribute!("2", "1"), output!("1", "0", "POS"), output!("2", "1", "VAR0")),
        attributes: 2,
        ..PLAIN
    },
    Info {
        name: "moved by uniforms",
        head: "num_ubos: 1\nfirst_ubo_is_default_ubo: true\n",
        body: concat!(
            attribute!("1", "0"),
            attribute!("2", "1"),
            load_block!("3", "0"),
            "    32x4 %4 = fadd %1, %3\n",
            output!("4", "0", "POS"),
            output!("2", "1", "VAR0"),
            point_size!()
        ),
        constants: &[0],
        attributes: 2,
        ..PLAIN
    },
    Info {
        name: "captured",
        head: "xfb_stride: {4, 0, 0, 0}\nhas_transform_feedback_varyings: true\n",
        body: concat!(
            attribute!("1", "0"),
            attribute!("2", "1"),
            output!("1", "0", "POS"),
            output!("2", "1", "VAR0", "xyzw", ", xfb(components=0..3 buffer=0 offset=0), xfb2()"),
        ),
        attributes: 2,
        targets: 1,
        ..PLAIN
    },
    Info {
        name: "captured twice",
        head: "xfb_stride: {4, 4, 0, 0}\nhas_transform_feedback_varyings: true\nnum_ubos: 1\nfirst_ubo_is_default_ubo: true\n",
        body: concat!(
            attribute!("1", "0"),
            load_block!("3", "0"),
            output!("1", "0", "POS", "xyzw", ", xfb(components=0..3 buffer=0 offset=0), xfb2()"),
            output!("3", "1", "VAR0", "xyzw", ", xfb(components=0..3 buffer=1 offset=0), xfb2()"),
            point_size!()
        ),
        constants: &[0],
        attributes: 1,
        targets: 2,
        ..PLAIN
    },
    Info {
        name: "without attributes",
        body: concat!(
            "    32 %1 = @load_vertex_id\n    32 %2 = @load_base_vertex\n    32 %3 = load_const (0x00000001)\n    \
             32 %4 = iand %1, %3\n    32 %5 = ushr %1, %3\n    32 %6 = iand %5, %3\n    32 %7 = u2f32 %4\n    32 %8 = u2f32 %6\n    \
             32 %10 = load_const (0x3f800000)\n    32x4 %11 = vec4 %7, %8, %0, %10\n    32 %12 = iand %2, %3\n    \
             32 %13 = u2f32 %12\n    32x4 %14 = vec4 %13, %7, %8, %10\n",
            output!("11", "0", "POS"),
            output!("14", "1", "VAR0"),
            point_size!()
        ),
        ..PLAIN
    },
];

/// A tessellation control shader, for patches of three vertices.
pub(crate) const CONTROL: Info = Info {
    name: "control",
    head: "primitive_mode: 0\ntcs_vertices_out: 3\nspacing: 0\n",
    body: "    32 %1 = @load_invocation_id\n    \
        32x4 %2 = @load_per_vertex_input (%1, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)\n    \
        32x4 %3 = @load_per_vertex_input (%1, %0) (base=1, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
        @store_per_vertex_output (%2, %1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)\n    \
        @store_per_vertex_output (%3, %1, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
        32 %4 = load_const (0x3f800000)\n    32x4 %5 = vec4 %4, %4, %4, %4\n    32x2 %6 = vec2 %4, %4\n    \
        @store_output (%5, %0) (base=2, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_TESS_LEVEL_OUTER slots=1)\n    \
        @store_output (%6, %0) (base=3, range=1, wrmask=xy, component=0, src_type=float32, io location=VARYING_SLOT_TESS_LEVEL_INNER slots=1)\n",
    ..PLAIN
};

/// A tessellation evaluation shader: each vertex is the nearest corner.
pub(crate) const EVALUATION: Info = Info {
    name: "evaluation",
    head: "primitive_mode: 1\ntcs_vertices_out: 3\nspacing: 1\nccw: true\npoint_mode: false\n",
    body: "    32x3 %1 = @load_tess_coord\n    32 %2 = f2u32 %1.x\n    32 %3 = f2u32 %1.y\n    32 %4 = iadd %3, %3\n    \
        32 %5 = iadd %2, %4\n    \
        32x4 %6 = @load_per_vertex_input (%5, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_POS slots=1)\n    \
        32x4 %7 = @load_per_vertex_input (%5, %0) (base=1, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
        @store_output (%6, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)\n    \
        @store_output (%7, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n",
    ..PLAIN
};

/// A geometry shader that emits a triangle from the first vertex of each primitive.
pub(crate) const GEOMETRY: Info = Info {
    name: "geometry",
    head: "output_primitive: TRIANGLE_STRIP\ninput_primitive: TRIANGLES\nvertices_out: 3\ninvocations: 1\nvertices_in: 3\n\
           active_stream_mask: 0x01\nnum_ubos: 2\nfirst_ubo_is_default_ubo: true\n",
    body: concat!(
        "    32 %1 = load_const (0x00000001)\n    32 %3 = load_const (0x00000002)\n",
        load_block!("2", "1"),
        geometry_vertex!("0", "10", "11", "12"),
        geometry_vertex!("1", "20", "21", "22"),
        geometry_vertex!("3", "30", "31", "32"),
        "    @end_primitive (stream_id=0)\n"
    ),
    constants: &[1],
    ..PLAIN
};

/// Fragment shaders.
pub(crate) const FRAGMENT: &[Info] = &[
    Info { name: "plain", body: concat!(varying!(), "    32x4 %9 = mov %2\n", colors!()), ..PLAIN },
    Info {
        name: "uniforms",
        head: "num_ubos: 1\nfirst_ubo_is_default_ubo: true\n",
        body: concat!(varying!(), load_block!("3", "0"), "    32x4 %9 = fmul %2, %3\n", colors!()),
        constants: &[0],
        ..PLAIN
    },
    Info {
        name: "two blocks",
        head: "num_ubos: 3\nfirst_ubo_is_default_ubo: true\n",
        body: concat!(
            "    32 %1 = load_const (0x00000001)\n    32 %2 = load_const (0x00000002)\n",
            load_block!("3", "1"),
            load_block!("4", "2"),
            "    32x4 %9 = fadd %3, %4\n",
            colors!()
        ),
        constants: &[1, 2],
        ..PLAIN
    },
    Info {
        name: "texture",
        head: "num_textures: 1\ndecl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)\n",
        body: concat!(
            varying!(),
            "    32x2 %3 = mov %2.xy\n    32x4 %9 = (float32)txl %3 (coord), %0 (lod), 0 (texture), 0 (sampler)\n",
            colors!()
        ),
        views: &[0],
        ..PLAIN
    },
    Info {
        name: "two textures",
        head: "num_textures: 3\ndecl_var uniform INTERP_MODE_NONE none sampler2D one (1, 1, 1)\n\
               decl_var uniform INTERP_MODE_NONE none sampler2D other (2, 2, 2)\n",
        body: concat!(
            varying!(),
            "    32x2 %3 = mov %2.xy\n    32x4 %4 = (float32)txl %3 (coord), %0 (lod), 1 (texture), 1 (sampler)\n    \
             32x4 %5 = (float32)txl %3 (coord), %0 (lod), 2 (texture), 2 (sampler)\n    32x4 %9 = fadd %4, %5\n",
            colors!()
        ),
        views: &[1, 2],
        ..PLAIN
    },
    Info {
        name: "counts in a buffer",
        head: "num_ssbos: 1\n",
        body: concat!(
            varying!(),
            "    32 %3 = load_const (0x00000001)\n    \
             32 %4 = @ssbo_atomic (%0, %0, %3) (access=none, atomic_op=iadd)\n    32x4 %9 = mov %2\n",
            colors!()
        ),
        buffers: &[0],
        ..PLAIN
    },
    Info {
        name: "stores to an image",
        head: "num_images: 1\ndecl_var image INTERP_MODE_NONE writeonly r32_uint uimage2D marks (0, 0, 0)\n",
        body: concat!(
            varying!(),
            "    32x4 %3 = @load_frag_coord\n    32 %4 = f2u32 %3.x\n    32 %5 = f2u32 %3.y\n    32 %6 = load_const (0x00000007)\n    \
             32 %7 = iand %4, %6\n    32 %8 = iand %5, %6\n    32x4 %10 = vec4 %7, %8, %0, %0\n    \
             32x4 %11 = vec4 %6, %6, %6, %6\n    32 %12 = deref_var &marks (image uimage2D)\n    \
             @image_deref_store (%12, %10, %0, %11, %0) (image_dim=2D, image_array=false, format=r32_uint, access=writeonly, src_type=uint32)\n    \
             32x4 %9 = mov %2\n",
            colors!()
        ),
        images: &[0],
        ..PLAIN
    },
    Info {
        name: "place",
        body: concat!(
            varying!(),
            "    32x4 %3 = @load_frag_coord\n    32 %4 = load_const (0x3d800000)\n    32 %5 = fmul %3.x, %4\n    32 %6 = fmul %3.y, %4\n    \
             1 %7 = @load_front_face\n    32 %8 = b2f32 %7\n    32x4 %9 = vec4 %5, %6, %8, %2.w\n",
            colors!()
        ),
        ..PLAIN
    },
    Info {
        name: "texels",
        head: "num_textures: 4\ndecl_var uniform INTERP_MODE_NONE none samplerBuffer buffer (3, 3, 3)\n",
        body: concat!(
            varying!(),
            "    32 %3 = load_const (0x00000001)\n    32 %4 = deref_var &buffer (uniform samplerBuffer)\n    \
             32x4 %9 = (float32)txf %4 (texture_deref), %4 (sampler_deref), %3 (coord), %0 (lod)\n",
            colors!()
        ),
        views: &[3],
        ..PLAIN
    },
];

/// Compute shaders.
pub(crate) const COMPUTE: &[Info] = &[
    Info {
        name: "increments",
        head: "workgroup_size: 4, 1, 1\nnum_ssbos: 1\n",
        body: "    32x3 %1 = @load_local_invocation_id\n    32 %2 = load_const (0x00000002)\n    32 %3 = ishl %1.x, %2\n    \
               32 %4 = load_const (0x00000001)\n    32 %5 = @ssbo_atomic (%0, %3, %4) (access=none, atomic_op=iadd)\n",
        buffers: &[0],
        ..PLAIN
    },
    Info {
        name: "adds uniforms",
        head: "workgroup_size: 1, 1, 1\nnum_ssbos: 2\nnum_ubos: 1\nfirst_ubo_is_default_ubo: true\n",
        body: concat!(
            load_block!("1", "0"),
            "    32 %2 = load_const (0x00000001)\n    32 %3 = mov %1.x\n    \
             32 %4 = @ssbo_atomic (%2, %0, %3) (access=none, atomic_op=iadd)\n"
        ),
        constants: &[0],
        buffers: &[1],
        ..PLAIN
    },
    Info {
        name: "from a texture to an image",
        head: "workgroup_size: 1, 1, 1\nnum_textures: 1\nnum_images: 1\nnum_ubos: 2\nfirst_ubo_is_default_ubo: true\n\
               decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)\n\
               decl_var image INTERP_MODE_NONE writeonly r32_uint uimage2D marks (0, 0, 0)\n",
        body: concat!(
            "    32 %1 = load_const (0x00000001)\n    32x2 %2 = vec2 %0, %0\n    \
             32x4 %3 = (float32)txl %2 (coord), %0 (lod), 0 (texture), 0 (sampler)\n",
            load_block!("4", "1"),
            "    32x4 %5 = fadd %3, %4\n    32x4 %6 = vec4 %1, %1, %0, %0\n    32 %7 = deref_var &marks (image uimage2D)\n    \
             @image_deref_store (%7, %6, %0, %5, %0) (image_dim=2D, image_array=false, format=r32_uint, access=writeonly, src_type=uint32)\n"
        ),
        constants: &[1],
        views: &[0],
        images: &[0],
        ..PLAIN
    },
];
