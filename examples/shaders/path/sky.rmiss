#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
// The evening sky ends the path.
#include "path.glsl"
layout(location = 0) rayPayloadInEXT Path path;

void main() {
  float up = max(gl_WorldRayDirectionEXT.y, 0.0);
  path.light += path.weight * mix(vec3(0.85, 0.6, 0.4), vec3(0.16, 0.28, 0.6), sqrt(up));
  path.ends = true;
}
