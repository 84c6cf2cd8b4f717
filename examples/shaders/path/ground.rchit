#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_GOOGLE_include_directive : require
// Triangles: a floor of tiles (custom index 0), and a wooden fence.
#include "path.glsl"
layout(location = 0) rayPayloadInEXT Path path;
hitAttributeEXT vec2 at;

void main() {
  vec3 p = gl_WorldRayOriginEXT + gl_HitTEXT * gl_WorldRayDirectionEXT, normal = vec3(0.0, 1.0, 0.0), color = vec3(0.5, 0.3, 0.16);
  if (gl_InstanceCustomIndexEXT == 0) {
    bool dark = (int(floor(p.x)) + int(floor(p.z)) & 1) != 0;
    color = dark ? vec3(0.22, 0.25, 0.3) : vec3(0.75, 0.73, 0.68);
  } else {
    normal = normalize(gl_ObjectToWorldEXT * vec4(0.0, 0.0, 1.0, 0.0));
  }
  if (gl_HitKindEXT == gl_HitKindBackFacingTriangleEXT && gl_InstanceCustomIndexEXT != 0)
    normal = -normal;
  path.weight *= color;
  path.origin = p + 1e-3 * normal;
  path.direction = scattered(normal, path.state);
}
