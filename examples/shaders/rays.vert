#version 450
// A triangle that covers the picture.
layout(location = 0) out vec2 at;

void main() {
  at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
  gl_Position = vec4(at, 0.5, 1.0);
}
