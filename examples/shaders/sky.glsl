// The air of an evening: its color depends on how near to the sun one looks.
const vec3 sunset = normalize(vec3(-0.62, 0.9, 0.13));

vec3 air(vec3 look) {
  float near = max(dot(look, sunset), 0.0);
  return mix(vec3(0.44, 0.56, 0.73), vec3(1.0, 0.74, 0.46), near * near * near * near);
}

vec3 sky(vec3 look) {
  float near = max(dot(look, sunset), 0.0), up = max(look.z, 0.0);
  vec3 c = mix(air(look), vec3(0.12, 0.27, 0.55), 1.0 - exp(-3.2 * up));
  return c + vec3(1.0, 0.72, 0.40) * (0.20 * pow(near, 24.0) + 0.6 * pow(near, 500.0));
}
