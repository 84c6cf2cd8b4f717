#version 450

// A square for each of 40 balls on a spiral.
layout(location = 0) out vec2 at;
layout(location = 1) flat out vec4 ball; // center in clip space, radius
layout(location = 2) flat out vec3 albedo;

void main() {
  float i = float(gl_InstanceIndex), turn = 2.4 * i;
  ball = vec4(0.11 * sqrt(i) * vec2(cos(turn), sin(turn)), 0.5 + 0.3 * sin(0.9 * i), 0.09 + 0.05 * sin(1.7 * i));
  albedo = 0.6 + 0.4 * cos(vec3(0.5, 2.5, 4.5) + 0.3 * i);
  at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
  gl_Position = vec4(ball.xy + at * ball.w, 0.5, 1.0);
}
