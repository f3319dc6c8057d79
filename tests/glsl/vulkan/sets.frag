// SPDX-License-Identifier: MIT
// Descriptors of several sets, arrays of them, and a function that returns early.
#version 460
layout(set = 1, binding = 2) uniform sampler2D pictures[4];
layout(set = 0, binding = 1) uniform texture2D plain;
layout(set = 0, binding = 3) uniform sampler nearest;
layout(set = 2, binding = 1) uniform Colors { vec4 base; vec4 more[4]; } colors[2];
layout(set = 2, binding = 5, rgba8) uniform image2D target;
layout(push_constant) uniform Pushed { int number; } pushed;
layout(location = 0) in vec4 place;
layout(location = 2) flat in uvec2 choice;
layout(location = 0) out vec4 color;
layout(location = 3) out uint kind;

vec4 pick(int number) {
    for (int i = 0; i < number; i++) {
        if (i > 3) return place * i;
    }
    return texture(pictures[number & 3], place.xy);
}

void main() {
    color = pick(pushed.number) + texture(sampler2D(plain, nearest), place.zw);
    color += colors[choice.x & 1].more[choice.y & 3] * colors[1].base;
    kind = choice.x + uint(gl_FragCoord.x) + (gl_FrontFacing ? 1 : 0);
    imageStore(target, ivec2(gl_FragCoord.xy), color);
}
