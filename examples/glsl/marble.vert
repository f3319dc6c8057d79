#version 330
// A triangle that covers the picture, without attributes.
out vec2 place;

void main()
{
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0;
    place = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
