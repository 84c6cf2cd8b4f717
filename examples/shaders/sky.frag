#version 450
#extension GL_GOOGLE_include_directive : require
// The sky as the camera of the terrain sees it.
#include "sky.glsl"
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  const float c = cos(0.13), s = sin(0.13);
  vec2 q = vec2(at.x * 4.0 / 3.0, -at.y) / 1.45;
  color = vec4(sky(normalize(vec3(q.x, c + q.y * s, q.y * c - s))), 1.0);
}
