// {"title": "Rings by a fragment shader", "width": 320, "height": 240}
#version 450
layout(location = 0) out vec4 color;

void main() {
  vec2 p = (gl_FragCoord.xy - vec2(160.0, 120.0)) / 120.0;
  float d = length(p);
  float ring = 0.5 + 0.5 * cos(40.0 * d);
  color = vec4(ring * (1.0 - d), ring * 0.5, 1.0 - ring, 1.0);
}
