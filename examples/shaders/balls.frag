#version 450

// The half of a ball that faces the viewer: its albedo and its normal.
layout(location = 0) in vec2 at;
layout(location = 1) flat in vec4 ball;
layout(location = 2) flat in vec3 albedo;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 normal;

void main() {
  float r = dot(at, at);
  if (r > 1.0) discard;
  float z = sqrt(1.0 - r);
  color = vec4(albedo, 1.0);
  normal = vec4(at, z, 1.0) * 0.5 + 0.5;
  gl_FragDepth = clamp(ball.z - ball.w * z, 0.0, 1.0);
}
