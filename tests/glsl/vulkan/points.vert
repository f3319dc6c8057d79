// SPDX-License-Identifier: MIT
// Inputs and outputs at Locations and components, and the built-ins of a vertex shader.
#version 460
layout(location = 1) in vec2 place;
layout(location = 5) in dvec3 wide;
layout(location = 0, component = 1) out vec2 middle;
layout(location = 4) flat out uvec4 numbers[2];
layout(set = 0, binding = 0) uniform Moves { mat4 matrix; vec4 offsets[8]; } moves;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; };

void main() {
    gl_Position = moves.matrix * vec4(place, 0, 1) + moves.offsets[gl_InstanceIndex & 7];
    gl_PointSize = 1 + gl_BaseInstance;
    middle = place * vec2(wide.xy) + float(wide.z);
    numbers[0] = uvec4(gl_VertexIndex, gl_InstanceIndex, gl_DrawID, gl_BaseVertex);
    numbers[1] = uvec4(place.xyxy * 4);
}
