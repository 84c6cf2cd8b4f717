#version 450
// What is behind the ball: the glow of its fire in the dark.
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 color;

void main() {
  vec2 p = at * vec2(4.0 / 3.0, -1.0);
  float core = exp(-9.0 * dot(p, p)), glow = exp(-1.6 * length(p - vec2(0.22, 0.16)));
  vec3 night = mix(vec3(0.012, 0.014, 0.03), vec3(0.03, 0.045, 0.08), 0.5 - 0.5 * at.y);
  color = vec4(night + vec3(0.42, 0.13, 0.03) * glow * glow + vec3(3.0, 1.3, 0.35) * core, 1.0);
}
