#version 450
// As many triangles as the screen needs: an edge's level comes from its length as seen,
// and from nothing else, so that two patches agree on the edge that they share.
layout(vertices = 4) out;
layout(location = 0) in vec2 at[];
layout(location = 0) out vec2 corner[];

float level(vec2 a, vec2 b) {
  float away = 0.5 * (a.y + b.y) + 5.0;
  return clamp(90.0 * length(a - b) / away, 1.0, 24.0);
}

void main() {
  corner[gl_InvocationID] = at[gl_InvocationID];
  if (gl_InvocationID == 0) {
    gl_TessLevelOuter[0] = level(at[0], at[2]);
    gl_TessLevelOuter[1] = level(at[0], at[1]);
    gl_TessLevelOuter[2] = level(at[1], at[3]);
    gl_TessLevelOuter[3] = level(at[2], at[3]);
    gl_TessLevelInner[0] = max(gl_TessLevelOuter[1], gl_TessLevelOuter[3]);
    gl_TessLevelInner[1] = max(gl_TessLevelOuter[0], gl_TessLevelOuter[2]);
  }
}
