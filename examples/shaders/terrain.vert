#version 450
// Corners of patches: a grid of 32×32 squares that lies before the camera, narrow where
// it is near and wide where it is far.
layout(location = 0) out vec2 at;

void main() {
  int patch_id = gl_VertexIndex >> 2, corner = gl_VertexIndex & 3;
  vec2 cell = vec2(patch_id & 31, patch_id >> 5) + vec2(corner & 1, corner >> 1);
  float far = 0.2 + 70.0 * pow(cell.y / 32.0, 1.7);
  at = vec2((cell.x / 16.0 - 1.0) * (0.95 * far + 6.0), far);
}
