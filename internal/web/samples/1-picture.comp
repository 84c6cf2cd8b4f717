// {"title": "A picture by a compute shader", "groups": "32,32", "buffers": ["Picture=uint*65536"], "shown": {"buffer": "Picture", "width": 256, "height": 256}}
#version 450
// The Julia set of a point. A texel is 0xAABBGGRR.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, std430) writeonly buffer Picture { uint texels[]; };

uint pack(vec3 c) { return packUnorm4x8(vec4(c, 1.0)); }

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  vec2 z = (vec2(at) / 128.0 - 1.0) * 1.5;
  int n = 0;
  while (n < 96 && dot(z, z) < 4.0) {
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.79, 0.15);
    n++;
  }
  float f = float(n) / 96.0;
  texels[at.y * 256u + at.x] = pack(vec3(f * f, f, sqrt(f)));
}
