#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 0) in float height;
layout(location = 1) perprimitiveEXT in vec3 paint;
layout(location = 0) out vec4 pixel;

void main()
{
   pixel = vec4(paint * (0.35 + 0.75 * height), 1.0);
}
