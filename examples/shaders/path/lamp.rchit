#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
// A lamp ends the path.
#include "path.glsl"
layout(location = 0) rayPayloadInEXT Path path;
hitAttributeEXT vec3 normal;

void main() {
  vec3 n = normalize(gl_ObjectToWorldEXT * vec4(normal, 0.0));
  path.light += path.weight * vec3(2.4, 2.0, 1.4) * (0.6 + 0.4 * abs(dot(n, gl_WorldRayDirectionEXT)));
  path.ends = true;
}
