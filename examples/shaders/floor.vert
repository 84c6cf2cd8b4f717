#version 450
// The floor: a square of four vertices, from nothing but their numbers.
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 facing;
layout(location = 2) out vec2 place;
layout(binding = 0) uniform Scene { mat4 camera, light; vec4 eye, sun; };

void main() {
  vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
  world = vec3(40.0 * corner, -1.75);
  facing = vec3(0.0, 0.0, 1.0);
  place = world.xy;
  gl_Position = camera * vec4(world, 1.0);
}
