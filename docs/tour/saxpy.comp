#version 450
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer X { float values[]; } x;
layout(binding = 1) buffer Y { float values[]; } y;
layout(push_constant) uniform Push { float a; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < y.values.length())
        y.values[i] += a * x.values[i];
}
