#version 450
// Stones: enamel outside, with a line along each edge, embers inside.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 edges;
layout(location = 2) flat in vec3 facing;
layout(location = 3) flat in vec2 stone;
layout(location = 0) out vec4 color;

void main() {
  vec3 to_eye = normalize(vec3(0.0, -5.2, 0.0) - world), n = normalize(facing);
  const vec3 sun = normalize(vec3(-0.6, -0.75, 0.8));
  vec3 enamel = mix(vec3(0.02, 0.16, 0.24), vec3(0.04, 0.32, 0.38), stone.y);
  vec3 base = mix(enamel, vec3(0.75, 0.25, 0.05), smoothstep(0.1, 0.9, stone.x));
  float direct = max(dot(n, sun), 0.0);
  float shine = pow(max(dot(n, normalize(sun + to_eye)), 0.0), 40.0);
  vec3 c = base * (vec3(0.16, 0.19, 0.26) + vec3(1.7, 1.6, 1.4) * direct) + 0.5 * shine;

  // What turns to the middle of the ball is lit by the fire in it.
  float heat = max(dot(n, -normalize(world)), 0.0) / (0.25 + dot(world, world));
  c += vec3(2.6, 0.75, 0.12) * heat;

  vec3 wide = fwidth(edges), line = smoothstep(vec3(0.0), 1.6 * wide, edges);
  float edge = min(line.x, min(line.y, line.z));
  c = mix(c * 0.35 + vec3(0.01, 0.04, 0.05), c, edge);
  color = vec4(c, 1.0);
}
