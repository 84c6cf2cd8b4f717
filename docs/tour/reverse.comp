#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer A { uint a[]; };
shared uint s[64];
void main() {
  s[gl_LocalInvocationID.x] = a[gl_LocalInvocationID.x];
  a[gl_LocalInvocationID.x + 64] = s[63 - gl_LocalInvocationID.x];
}
