// SPDX-License-Identifier: MIT
// Members at offsets and strides of all kinds, which zink's blocks do not have.
#version 460
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 4) in;

struct Inner {
    vec3 direction;
    float power;
    mat2x3 turn;
};

layout(set = 1, binding = 3, std140, row_major) uniform Wide {
    float single[3];
    mat3x4 across;
    layout(column_major) mat4x2 down;
    Inner inner[2];
    uvec2 last;
} wide;

layout(set = 0, binding = 1, scalar) readonly buffer Tight {
    vec3 points[4];
    mat3 rows;
    uint tail[];
} tight[2];

layout(set = 0, binding = 2, std430) buffer Results {
    uint count;
    vec4 sums[];
} results;

layout(push_constant) uniform Pushed {
    layout(row_major) mat2x3 matrix;
    int step;
} pushed;

void main() {
    uint id = gl_LocalInvocationID.x;
    vec4 sum = wide.across * vec3(1, 2, 3) * wide.single[id % 3];
    sum.xy += wide.down * vec4(1, -1, 2, id);
    sum.xyz += wide.inner[id & 1].turn * vec2(wide.inner[1].power, 0.5) + wide.inner[id & 1].direction;
    sum.xyz += tight[id >> 1].points[id] + tight[1].rows * vec3(id, 1, 0);
    sum.yzw += pushed.matrix * vec2(pushed.step, 1);
    sum.w += float(tight[0].tail.length()) + float(tight[id & 1].tail[id]);
    results.sums[id] = sum;
    atomicAdd(results.count, wide.last[id & 1]);
    results.sums[4 + id].yz = vec2(id, results.sums.length());
}
