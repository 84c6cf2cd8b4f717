#version 450

// Three lights, computed once for each pixel from the attachments that the balls have written.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput albedo;
layout(input_attachment_index = 1, set = 0, binding = 1) uniform subpassInput normals;
layout(input_attachment_index = 2, set = 0, binding = 2) uniform subpassInput depth;
layout(location = 0) out vec4 color;

void main() {
  float z = subpassLoad(depth).r;
  if (z == 1.0) {
    color = vec4(0.01, 0.01, 0.03, 1.0);
    return;
  }
  vec3 n = normalize(subpassLoad(normals).xyz * 2.0 - 1.0);
  vec3 p = vec3(gl_FragCoord.xy / 128.0 - 1.0, -z);
  vec3 light = vec3(0.04);
  const vec3 places[3] = vec3[](vec3(-0.7, -0.6, 0.5), vec3(0.8, -0.2, 0.3), vec3(0.0, 0.9, 0.6));
  const vec3 colors[3] = vec3[](vec3(1.0, 0.8, 0.5), vec3(0.3, 0.5, 1.0), vec3(0.8, 0.2, 0.5));
  for (int i = 0; i < 3; i++) {
    vec3 to = places[i] - p;
    light += colors[i] * max(dot(n, normalize(to)), 0.0) / (0.5 + dot(to, to));
  }
  color = vec4(subpassLoad(albedo).rgb * light, 1.0);
}
