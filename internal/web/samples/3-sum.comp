// {"title": "A sum with a data race", "groups": "1", "buffers": ["In=uint:1,2,3,4,5,6,7,8", "Out=uint*1"], "sanitize": "all"}
#version 450
// The loop lacks a barrier: two invocations access a location of part, and nothing orders them.
layout(local_size_x = 8) in;
layout(binding = 0, std430) readonly buffer In { uint values[8]; };
layout(binding = 1, std430) writeonly buffer Out { uint total; };
shared uint part[8];

void main() {
  uint i = gl_LocalInvocationIndex;
  part[i] = values[i];
  barrier();
  for (uint stride = 4u; stride > 0u; stride >>= 1) {
    if (i < stride)
      part[i] += part[i + stride];
  }
  barrier();
  if (i == 0u)
    total = part[0];
}
