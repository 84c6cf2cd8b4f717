#version 450
#extension GL_GOOGLE_include_directive : require
// Rock, grass and snow by height and slope; the light of a low sun, and haze.
#include "height.glsl"
#include "sky.glsl"
layout(location = 0) in vec3 world;
layout(location = 0) out vec4 color;
const vec3 sun = normalize(vec3(-0.75, 0.30, 0.45));

void main() {
  vec2 at = world.xy;
  float step = 0.012 + 0.0025 * at.y, h = height(at, 9);
  vec3 n = normalize(vec3(h - height(at + vec2(step, 0.0), 9), h - height(at + vec2(0.0, step), 9), step));

  float rough = noise(9.0 * at), steep = 1.0 - n.z;
  vec3 ground = mix(vec3(0.10, 0.13, 0.035), vec3(0.19, 0.17, 0.06), rough);
  vec3 rock = mix(vec3(0.17, 0.14, 0.12), vec3(0.30, 0.26, 0.23), noise(vec2(3.0 * at.x, 7.0 * h)));
  vec3 c = mix(ground, rock, smoothstep(0.16, 0.36, steep + 0.035 * h));
  c = mix(c, vec3(0.86, 0.89, 0.95), smoothstep(4.6, 6.0, h + 1.4 * rough - 0.9) * (1.0 - smoothstep(0.42, 0.62, steep)));

  vec3 to_eye = vec3(0.0, -5.0, 5.2) - world, look = normalize(-to_eye);
  float direct = max(dot(n, sun), 0.0);
  c *= vec3(2.3, 1.75, 1.2) * direct + vec3(0.22, 0.29, 0.42) * (0.5 + 0.5 * n.z);
  if (h < water) {
    vec2 wave = vec2(noise(vec2(6.0, 2.5) * at), noise(vec2(6.0, 2.5) * at + 40.0)) - 0.5;
    vec3 mirrored = normalize(reflect(look, normalize(vec3(0.10 * wave, 1.0))));
    float mirror = 0.04 + 0.96 * pow(1.0 - max(-look.z, 0.0), 4.0);
    c = mix(vec3(0.02, 0.06, 0.07), sky(mirrored), mirror);
  }
  float away = length(to_eye), haze = (1.0 - exp(-0.011 * away)) * exp(-0.09 * world.z);
  color = vec4(mix(c, air(look), haze), 1.0);
}
