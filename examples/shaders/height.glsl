// The height of the land, from noise: a hash of whole places, smooth between them, and
// sums of it at twice the frequency and half the height.
float random(ivec2 at) {
  uint n = uint(at.x) * 0x9E3779B1u ^ uint(at.y) * 0x85EBCA77u;
  n = (n ^ n >> 15) * 0x2C1B3C6Du;
  n = (n ^ n >> 12) * 0x297A2D39u;
  return float((n ^ n >> 15) & 0xFFFFFFu) / 16777216.0;
}

float noise(vec2 at) {
  vec2 cell = floor(at), f = at - cell;
  ivec2 i = ivec2(cell);
  vec2 s = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  float low = mix(random(i), random(i + ivec2(1, 0)), s.x);
  float high = mix(random(i + ivec2(0, 1)), random(i + ivec2(1, 1)), s.x);
  return mix(low, high, s.y);
}

const float water = 0.34;

// Ridges: noise is folded at its middle.
float height(vec2 at, int octaves) {
  float sum = 0.0, size = 1.0, under = 1.0;
  vec2 p = 0.085 * at + vec2(17.3, 4.1);
  for (int i = 0; i < octaves; i++) {
    float ridge = 1.0 - abs(2.0 * noise(p) - 1.0);
    ridge *= ridge * under;
    sum += size * ridge;
    under = clamp(1.6 * ridge, 0.0, 1.0);
    size *= 0.5;
    p = mat2(1.62, 1.18, -1.18, 1.62) * p;
  }
  float valley = smoothstep(1.0, 15.0, abs(at.x + 5.0 * sin(0.09 * at.y)));
  return 6.0 * sum * mix(0.06, 1.0, valley) * smoothstep(-6.0, 24.0, at.y);
}
