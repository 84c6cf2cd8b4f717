#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
// A ball of brushed metal: the mirror direction, a little scattered.
#include "path.glsl"
layout(location = 0) rayPayloadInEXT Path path;
hitAttributeEXT vec3 normal;

void main() {
  vec3 n = normalize(gl_ObjectToWorldEXT * vec4(normal, 0.0));
  path.weight *= vec3(0.93, 0.85, 0.68);
  path.direction = normalize(reflect(gl_WorldRayDirectionEXT, n) + 0.04 * scattered(n, path.state));
  path.origin = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT + 1e-3 * n;
}
