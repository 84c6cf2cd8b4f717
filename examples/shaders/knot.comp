#version 450
// The model: a tube around a torus knot. One invocation writes one vertex and the
// six indices of the cell behind it.
layout(local_size_x = 64) in;
layout(binding = 0, std430) writeonly buffer Positions { vec4 positions[]; };
layout(binding = 1, std430) writeonly buffer Normals { vec4 normals[]; };
layout(binding = 2, std430) writeonly buffer Coordinates { vec2 coordinates[]; };
layout(binding = 3, std430) writeonly buffer Indices { uint indices[]; };

const uint along = 384u, around = 32u; // cells; a seam has its vertices twice
const float turn = 6.28318530718;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= (along + 1u) * (around + 1u)) return;
  uint a = i / (around + 1u), b = i % (around + 1u);
  float t = turn * float(a) / float(along), s = turn * float(b) / float(around);

  // The knot goes twice around the torus while it goes three times through its hole.
  float c2 = cos(2.0 * t), s2 = sin(2.0 * t), c3 = cos(3.0 * t), s3 = sin(3.0 * t);
  float r = 2.0 + c3;
  vec3 centre = vec3(r * c2, r * s2, s3);
  vec3 tangent = normalize(vec3(-3.0 * s3 * c2 - 2.0 * r * s2, -3.0 * s3 * s2 + 2.0 * r * c2, 3.0 * c3));
  vec3 outward = vec3(c3 * c2, c3 * s2, s3); // the torus's own normal
  vec3 normal = outward * cos(s) + cross(tangent, outward) * sin(s);

  positions[i] = vec4(centre + 0.46 * normal, 1.0);
  normals[i] = vec4(normal, 0.0);
  coordinates[i] = vec2(36.0 * float(a) / float(along), 3.0 * float(b) / float(around));

  if (a < along && b < around) {
    uint cell = 6u * (a * around + b), next = i + around + 1u;
    indices[cell] = i;
    indices[cell + 1u] = next;
    indices[cell + 2u] = i + 1u;
    indices[cell + 3u] = i + 1u;
    indices[cell + 4u] = next;
    indices[cell + 5u] = next + 1u;
  }
}
