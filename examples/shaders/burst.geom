#version 450
// Every triangle of a ball becomes a stone of its own, with sides and a bottom, and
// flies off: the farther, the nearer it lies to where the ball was hit.
layout(triangles) in;
layout(triangle_strip, max_vertices = 18) out;
layout(location = 0) in vec3 at[];
layout(location = 0) out vec3 world;
layout(location = 1) out vec3 edges;      // 0 at each edge of a face
layout(location = 2) flat out vec3 facing;
layout(location = 3) flat out vec2 stone; // how far it flew, and what it is like

const vec3 hit = normalize(vec3(0.75, 0.62, 0.55));

float random(uint n) {
  n = (n ^ 61u ^ n >> 16) * 9u;
  n = (n ^ n >> 4) * 0x27d4eb2du;
  return float((n ^ n >> 15) & 0xFFFFu) / 65536.0;
}

vec3 turned(vec3 p, vec3 axis, float by) {
  return p * cos(by) + cross(axis, p) * sin(by) + axis * dot(axis, p) * (1.0 - cos(by));
}

// The camera stands at y = -5.2 and looks along y.
vec4 seen(vec3 p) {
  float deep = p.y + 5.2;
  return vec4(2.2 * 0.75 * p.x, -2.2 * p.z, (deep - 1.0) * (20.0 / 19.0), deep);
}

vec3 normal; // of the face
vec2 kind;   // of the stone

// All outputs are undefined after a vertex.
void corner(vec3 p, vec3 e) {
  world = p;
  edges = e;
  facing = normal;
  stone = kind;
  gl_Position = seen(p);
  EmitVertex();
}

void face(vec3 a, vec3 b, vec3 c) {
  normal = normalize(cross(b - a, c - a));
  corner(a, vec3(1, 0, 0));
  corner(b, vec3(0, 1, 0));
  corner(c, vec3(0, 0, 1));
  EndPrimitive();
}

void side(vec3 a, vec3 b, vec3 c, vec3 d) {
  normal = normalize(cross(b - a, c - a));
  corner(a, vec3(0, 0, 1));
  corner(b, vec3(1, 0, 1));
  corner(c, vec3(0, 1, 0));
  corner(d, vec3(1, 1, 0));
  EndPrimitive();
}

void main() {
  vec3 middle = normalize(at[0] + at[1] + at[2]);
  uint n = uint(gl_PrimitiveIDIn);
  float a = random(3u * n), b = random(3u * n + 1u), c = random(3u * n + 2u);
  float near = smoothstep(0.05, 1.0, dot(middle, hit) + 0.12 * (a - 0.5));
  float away = near * near * (0.5 + 1.3 * b);
  vec3 axis = normalize(cross(middle, vec3(a, b, c) - 0.5) + 1e-3);
  vec3 fly = middle * away + hit * 0.35 * near * near;
  kind = vec2(near, c);

  vec3 top[3], low[3];
  bool flips = dot(cross(at[1] - at[0], at[2] - at[0]), middle) < 0.0;
  for (int i = 0; i < 3; i++) {
    vec3 p = at[flips ? 2 - i : i];
    float shrink = mix(1.0, 0.86, near);
    top[i] = turned((p - middle) * shrink, axis, 2.6 * near * near * (a + 0.3)) + middle + fly;
    low[i] = turned((p * 0.82 - middle) * shrink, axis, 2.6 * near * near * (a + 0.3)) + middle + fly;
  }
  face(top[0], top[1], top[2]);
  if (near > 0.0) {
    face(low[0], low[2], low[1]);
    for (int i = 0; i < 3; i++) {
      int k = (i + 1) % 3;
      side(top[k], top[i], low[k], low[i]);
    }
  }
}
