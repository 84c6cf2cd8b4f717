#version 450
// Light, shadow and a texture.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 facing;
layout(location = 2) in vec2 place;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform Scene { mat4 camera, light; vec4 eye, sun; };
layout(binding = 1) uniform sampler2D cloth;
layout(binding = 2) uniform sampler2DShadow shadow;
layout(constant_id = 0) const bool is_floor = false;

const vec3 haze = vec3(0.52, 0.60, 0.68);

// How much of the sun comes here: nine taps, each of four texels.
float lit(vec3 at) {
  vec3 p = (light * vec4(at, 1.0)).xyz;
  p = vec3(0.5 * p.xy + 0.5, min(p.z, 1.0)); // beyond the map all is lit
  float sum = 0.0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += textureLod(shadow, vec3(p.xy + vec2(x, y) * 1.5 / 512.0, p.z), 0.0);
  return sum / 9.0;
}

void main() {
  vec3 n = normalize(facing), to_eye = normalize(eye.xyz - world), s = normalize(sun.xyz);
  vec3 base;
  float gloss;
  if (is_floor) {
    vec2 wide = fwidth(place), line = abs(fract(place + 0.5) - 0.5);
    vec2 grid = 1.0 - smoothstep(vec2(0.015), 0.015 + 1.5 * wide, line);
    base = mix(vec3(0.42, 0.43, 0.45), vec3(0.22, 0.24, 0.28), max(grid.x, grid.y) / (1.0 + 6.0 * max(wide.x, wide.y)));
    gloss = 0.1;
  } else {
    base = texture(cloth, place).rgb;
    gloss = 0.5;
  }
  float direct = max(dot(n, s), 0.0);
  if (direct > 0.0) direct *= lit(world + 0.04 * n);
  float shine = pow(max(dot(n, normalize(s + to_eye)), 0.0), 48.0) * gloss * (direct > 0.0 ? direct : 0.0);
  float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 4.0);
  vec3 sky = mix(vec3(0.16, 0.14, 0.13), vec3(0.30, 0.36, 0.44), 0.5 + 0.5 * n.z);
  if (!is_floor) sky *= mix(0.45, 1.0, smoothstep(-1.75, 0.6, world.z));
  vec3 c = base * (sky + vec3(1.35, 1.25, 1.08) * direct) + vec3(1.0, 0.95, 0.85) * shine;
  if (!is_floor) c += 0.12 * rim * haze;
  float far = 1.0 - exp(-0.0016 * dot(world - eye.xyz, world - eye.xyz) * float(is_floor));
  color = vec4(mix(c, haze, far), 1.0);
}
