#version 450
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) buffer Out { float scaled[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < values.length())
        scaled[i] = 1.0 / values[i];
}
