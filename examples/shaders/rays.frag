#version 460
#extension GL_EXT_ray_query : require

// Spheres in boxes over a floor of triangles: each pixel follows its ray through two mirrors, and asks at each place for the sun.
layout(set = 0, binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

const vec3 sun = normalize(vec3(0.6, 0.8, 0.35));

// The places of the spheres are the middles of their boxes: the box of the bottom level is from −1 to 1.
float sphere(vec3 o, vec3 d) {
  float a = dot(d, d), b = dot(o, d), c = dot(o, o) - 1.0, q = b * b - a * c;
  return q < 0.0 ? -1.0 : (-b - sqrt(q)) / a;
}

struct Hit {
  float t;
  vec3 normal;
  uint kind;
};

// closest follows a ray to the closest triangle or sphere; kind 0 is the sky. any ends at the first hit.
Hit closest(vec3 origin, vec3 direction, uint flags) {
  rayQueryEXT q;
  rayQueryInitializeEXT(q, scene, flags, 0xff, origin, 1e-3, direction, 1e3);
  while (rayQueryProceedEXT(q)) {
    if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionAABBEXT) {
      float t = sphere(rayQueryGetIntersectionObjectRayOriginEXT(q, false), rayQueryGetIntersectionObjectRayDirectionEXT(q, false));
      if (t > 1e-3 && t < rayQueryGetIntersectionTEXT(q, true))
        rayQueryGenerateIntersectionEXT(q, t);
    } else {
      // The floor has holes: a candidate that is not opaque is confirmed outside of them.
      vec2 p = rayQueryGetIntersectionBarycentricsEXT(q, false);
      vec2 cell = fract(p * 24.0) - 0.5;
      if (dot(cell, cell) > 0.06)
        rayQueryConfirmIntersectionEXT(q);
    }
  }
  Hit h = Hit(1e3, vec3(0.0, 1.0, 0.0), 0);
  uint type = rayQueryGetIntersectionTypeEXT(q, true);
  if (type == gl_RayQueryCommittedIntersectionNoneEXT)
    return h;
  h.t = rayQueryGetIntersectionTEXT(q, true);
  h.kind = 1;
  if (type == gl_RayQueryCommittedIntersectionGeneratedEXT) {
    vec3 p = rayQueryGetIntersectionObjectRayOriginEXT(q, true) + h.t * rayQueryGetIntersectionObjectRayDirectionEXT(q, true);
    h.normal = normalize(rayQueryGetIntersectionObjectToWorldEXT(q, true) * vec4(p, 0.0));
    h.kind = 2 + rayQueryGetIntersectionInstanceCustomIndexEXT(q, true);
  }
  return h;
}

void main() {
  vec3 origin = vec3(0.0, 1.6, 5.5), direction = normalize(vec3(at.x * 4.0 / 3.0, -at.y - 0.35, -2.2));
  vec3 light = vec3(0.0), weight = vec3(1.0);
  for (int i = 0; i < 3; i++) {
    Hit h = closest(origin, direction, gl_RayFlagsNoneEXT);
    if (h.kind == 0) {
      float up = max(direction.y, 0.0);
      light += weight * (mix(vec3(0.75, 0.8, 0.9), vec3(0.18, 0.35, 0.75), sqrt(up)) + vec3(2.0, 1.6, 1.0) * pow(max(dot(direction, sun), 0.0), 400.0));
      break;
    }
    vec3 p = origin + h.t * direction;
    const vec3 colors[4] = vec3[](vec3(0.6, 0.58, 0.52), vec3(0.9, 0.25, 0.15), vec3(0.95, 0.95, 0.97), vec3(0.2, 0.5, 0.9));
    vec3 base = colors[h.kind - 1];
    float mirror = h.kind == 1 ? 0.08 : h.kind == 3 ? 0.85 : 0.25;
    float shade = max(dot(h.normal, sun), 0.0);
    if (shade > 0.0 && closest(p + 2e-3 * h.normal, sun, gl_RayFlagsTerminateOnFirstHitEXT).kind != 0)
      shade = 0.0;
    light += weight * (1.0 - mirror) * base * (0.25 + 0.9 * shade);
    weight *= mirror * base;
    origin = p + 2e-3 * h.normal;
    direction = reflect(direction, h.normal);
  }
  color = vec4(light, 1.0);
}
