#version 460
#extension GL_EXT_ray_query : require
#extension GL_GOOGLE_include_directive : require
// The paths of path.rgen by ray queries: the shader also has the parts of the intersection, any-hit, closest-hit and miss shaders.
#include "path.glsl"
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) out vec4 color;

const uvec2 size = uvec2(256, 192);
const uint samples = 3;

Path path;

// reported finds the ball in a box (ball.rint).
void reported(rayQueryEXT q) {
  vec3 o = rayQueryGetIntersectionObjectRayOriginEXT(q, false), d = rayQueryGetIntersectionObjectRayDirectionEXT(q, false);
  float a = dot(d, d), b = dot(o, d), x = b * b - a * (dot(o, o) - 1.0);
  if (x < 0.0)
    return;
  float t = (-b - sqrt(x)) / a;
  if (t >= 1e-3 && t <= rayQueryGetIntersectionTEXT(q, true))
    rayQueryGenerateIntersectionEXT(q, t);
}

// confirmed lets rays through the holes of the fence (holes.rahit).
void confirmed(rayQueryEXT q) {
  vec2 p = rayQueryGetIntersectionObjectRayOriginEXT(q, false).xy + rayQueryGetIntersectionTEXT(q, false) * rayQueryGetIntersectionObjectRayDirectionEXT(q, false).xy;
  vec2 cell = fract(p * 2.5) - 0.5;
  if (!(dot(cell, cell) < 0.12))
    rayQueryConfirmIntersectionEXT(q);
}

// ground is ground.rchit.
void ground(rayQueryEXT q, vec3 p) {
  vec3 normal = vec3(0.0, 1.0, 0.0), color = vec3(0.5, 0.3, 0.16);
  int custom = rayQueryGetIntersectionInstanceCustomIndexEXT(q, true);
  if (custom == 0) {
    bool dark = (int(floor(p.x)) + int(floor(p.z)) & 1) != 0;
    color = dark ? vec3(0.22, 0.25, 0.3) : vec3(0.75, 0.73, 0.68);
  } else {
    normal = normalize(rayQueryGetIntersectionObjectToWorldEXT(q, true) * vec4(0.0, 0.0, 1.0, 0.0));
  }
  if (!rayQueryGetIntersectionFrontFaceEXT(q, true) && custom != 0)
    normal = -normal;
  path.weight *= color;
  path.origin = p + 1e-3 * normal;
  path.direction = scattered(normal, path.state);
}

// balls is matte.rchit, metal.rchit and lamp.rchit: the offset of the records is the material.
void balls(rayQueryEXT q, vec3 p) {
  vec3 normal = rayQueryGetIntersectionObjectRayOriginEXT(q, true) + rayQueryGetIntersectionTEXT(q, true) * rayQueryGetIntersectionObjectRayDirectionEXT(q, true);
  vec3 n = normalize(rayQueryGetIntersectionObjectToWorldEXT(q, true) * vec4(normal, 0.0));
  uint material = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true);
  if (material == 4) {
    path.light += path.weight * vec3(2.4, 2.0, 1.4) * (0.6 + 0.4 * abs(dot(n, path.direction)));
    path.ends = true;
    return;
  }
  if (material == 3) {
    path.weight *= vec3(0.93, 0.85, 0.68);
    path.direction = normalize(reflect(path.direction, n) + 0.04 * scattered(n, path.state));
  } else {
    int custom = rayQueryGetIntersectionInstanceCustomIndexEXT(q, true);
    path.weight *= custom == 0 ? vec3(0.85, 0.2, 0.12) : custom == 1 ? vec3(0.2, 0.55, 0.25) : vec3(0.15, 0.35, 0.8);
    path.direction = scattered(n, path.state);
  }
  path.origin = p + 1e-3 * n;
}

// follow traces the next ray of the path.
void follow() {
  rayQueryEXT q;
  rayQueryInitializeEXT(q, scene, gl_RayFlagsNoneEXT, 0xff, path.origin, 1e-3, path.direction, 1e3);
  while (rayQueryProceedEXT(q)) {
    if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionAABBEXT)
      reported(q);
    else
      confirmed(q);
  }
  uint type = rayQueryGetIntersectionTypeEXT(q, true);
  if (type == gl_RayQueryCommittedIntersectionNoneEXT) {
    float up = max(path.direction.y, 0.0); // sky.rmiss
    path.light += path.weight * mix(vec3(0.85, 0.6, 0.4), vec3(0.16, 0.28, 0.6), sqrt(up));
    path.ends = true;
    return;
  }
  vec3 p = path.origin + rayQueryGetIntersectionTEXT(q, true) * path.direction;
  if (type == gl_RayQueryCommittedIntersectionTriangleEXT)
    ground(q, p);
  else
    balls(q, p);
}

void main() {
  uvec2 at = uvec2(gl_FragCoord.xy);
  path.state = (at.y * size.x + at.x) * 1973u + 9277u;
  next(path.state);
  path.light = vec3(0.0);
  for (uint i = 0; i < samples * samples; i++) {
    vec2 cell = vec2(i % samples, i / samples) + vec2(random(path.state), random(path.state));
    vec2 p = 2.0 * (vec2(at) + cell / float(samples)) / vec2(size) - 1.0;
    path.weight = vec3(1.0);
    path.origin = vec3(0.0, 1.7, 6.2);
    path.direction = normalize(vec3(p.x * float(size.x) / float(size.y), -p.y - 0.42, -2.3));
    path.ends = false;
    for (int place = 0; place < 4 && !path.ends; place++)
      follow();
  }
  vec3 light = path.light / float(samples * samples);
  light = light / (0.25 + light) * 1.2;
  color = vec4(pow(clamp(light, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
