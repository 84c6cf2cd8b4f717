#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer B { uint data[]; };
shared uint total[8];
uint collatz(uint n) {
    uint steps = 0;
    while (n > 1) {
        if (n % 2 == 0)
            n /= 2;
        else
            n = 3 * n + 1;
        steps++;
    }
    return steps;
}
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 v = vec3(i, 2.0, 3.5);
    v *= 2.0;
    uint s = collatz(data[i] + 1);
    total[gl_LocalInvocationIndex] = s;
    barrier();
    data[i] = s + total[0] + uint(v.x);
}
