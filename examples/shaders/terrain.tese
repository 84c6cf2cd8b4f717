#version 450
#extension GL_GOOGLE_include_directive : require
// Lifts each vertex to its height.
#include "height.glsl"
layout(quads, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec2 corner[];
layout(location = 0) out vec3 world;

// The camera stands 5 high at y = -5 and looks along y, a little down.
vec4 seen(vec3 p) {
  vec3 q = p - vec3(0.0, -5.0, 5.2);
  const float c = cos(0.13), s = sin(0.13);
  float right = q.x, down = -(q.z * c + q.y * s), deep = q.y * c - q.z * s;
  return vec4(right * 1.45 * 0.75, down * 1.45, deep * (100.0 / 99.0) - 100.0 / 99.0, deep);
}

void main() {
  vec2 p = mix(mix(corner[0], corner[1], gl_TessCoord.x), mix(corner[2], corner[3], gl_TessCoord.x), gl_TessCoord.y);
  world = vec3(p, max(height(p, 7), water));
  gl_Position = seen(world);
}
