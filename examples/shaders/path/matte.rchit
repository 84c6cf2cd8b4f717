#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
// A ball of chalk, in the color of its custom index.
#include "path.glsl"
layout(location = 0) rayPayloadInEXT Path path;
hitAttributeEXT vec3 normal;

void main() {
  vec3 n = normalize(gl_ObjectToWorldEXT * vec4(normal, 0.0));
  const vec3 colors[3] = vec3[](vec3(0.85, 0.2, 0.12), vec3(0.2, 0.55, 0.25), vec3(0.15, 0.35, 0.8));
  path.weight *= colors[gl_InstanceCustomIndexEXT];
  path.direction = scattered(n, path.state);
  path.origin = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT + 1e-3 * n;
}
