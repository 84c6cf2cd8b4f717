// A path is the payload of its rays: the light that it has found, the part of further light that reaches the camera, and its next
// ray.
struct Path {
  vec3 light;
  vec3 weight;
  vec3 origin;
  vec3 direction;
  uint state;  // of the random numbers
  bool ends;
};

// A step of PCG by M. O'Neill, with the output of its 32-bit form.
uint next(inout uint state) {
  state = state * 747796405u + 2891336453u;
  uint n = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
  return n >> 22 ^ n;
}

float random(inout uint state) { return float(next(state) >> 8) / 16777216.0; }

// A direction about a normal, as likely as its cosine: a point on the sphere that touches the surface.
vec3 scattered(vec3 normal, inout uint state) {
  float z = 2.0 * random(state) - 1.0, turn = 6.2831853 * random(state), r = sqrt(max(1.0 - z * z, 0.0));
  return normalize(normal * 1.0001 + vec3(r * cos(turn), r * sin(turn), z));
}
