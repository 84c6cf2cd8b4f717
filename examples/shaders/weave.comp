#version 450
// The texture: a weave of two threads. Each level of the image is painted by itself,
// every texel the mean of 16 places.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform writeonly image2D level;

vec3 thread(vec3 dye, float across, float along) {
  float round = sqrt(max(1.0 - across * across, 0.0));
  float fibre = 0.88 + 0.12 * sin(20.0 * (along + 0.4 * across));
  return dye * fibre * mix(0.25, 1.0, round);
}

vec3 weave(vec2 at) {
  vec2 cell = floor(2.0 * at), in_cell = 4.0 * at - 2.0 * cell - 1.0;
  bool over = mod(cell.x + cell.y, 2.0) < 0.5;
  vec3 dye = over ? vec3(0.90, 0.42, 0.10) : vec3(0.10, 0.34, 0.52);
  float across = (over ? in_cell.y : in_cell.x) / 0.86, along = over ? in_cell.x : in_cell.y;
  if (abs(across) > 1.0) return vec3(0.04, 0.035, 0.03);
  return thread(dye, across, along) * mix(1.0, 0.55, along * along * along * along);
}

void main() {
  ivec2 size = imageSize(level), at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size))) return;
  vec3 sum = vec3(0.0);
  for (int i = 0; i < 16; i++)
    sum += weave((vec2(at) + (vec2(i & 3, i >> 2) + 0.5) / 4.0) / vec2(size));
  imageStore(level, at, vec4(sum / 16.0, 1.0));
}
