#version 450
// Only the depth counts.
void main() {}
