// {"title": "An access out of bounds", "groups": "1", "buffers": ["X=float:1,2,3,4"], "sanitize": "faults"}
#version 450
layout(local_size_x = 4) in;
layout(binding = 0, std430) buffer X { float x[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  x[i + 1u] = 2.0 * x[i];
}
