#version 450
// A ball of 8×14×14 triangles, from nothing but the numbers of their vertices: the faces
// of an octahedron in rows of 1, 3, 5… triangles, blown up.
layout(location = 0) out vec3 at;

const int rows = 14;

void main() {
  int triangle = gl_VertexIndex / 3, corner = gl_VertexIndex % 3;
  int face = triangle / (rows * rows), n = triangle % (rows * rows);
  int row = int(sqrt(float(n) + 0.5)), k = n - row * row;
  ivec2 p = ivec2(row, k >> 1); // how far from the face's first corner, and along its row
  if ((k & 1) == 0) {
    p += corner == 1 ? ivec2(1, 0) : corner == 2 ? ivec2(1, 1) : ivec2(0);
  } else {
    p += corner == 1 ? ivec2(1, 1) : corner == 2 ? ivec2(0, 1) : ivec2(0);
  }
  vec3 q = vec3(rows - p.x, p.x - p.y, p.y) / float(rows);
  vec3 side = vec3(face & 1, face >> 1 & 1, face >> 2) * 2.0 - 1.0;
  at = normalize(sin(1.5707963 * q)) * side;
}
