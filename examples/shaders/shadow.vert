#version 450
// The model as the light sees it.
layout(location = 0) in vec4 position;
layout(binding = 0) uniform Scene { mat4 camera, light; vec4 eye, sun; };

void main() { gl_Position = light * position; }
