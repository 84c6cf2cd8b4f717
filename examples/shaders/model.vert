#version 450
// The model as the camera sees it, and where each point is to the light.
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 normal;
layout(location = 2) in vec2 coordinate;
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 facing;
layout(location = 2) out vec2 place;
layout(binding = 0) uniform Scene { mat4 camera, light; vec4 eye, sun; };

void main() {
  world = position.xyz;
  facing = normal.xyz;
  place = coordinate;
  gl_Position = camera * position;
}
