#!/usr/bin/env python3
"""Draws mesh programs of different kinds with two Vulkan drivers and compares the pictures.

  programs.py OURS.json REFERENCE.json [PROGRAM...]

It needs gcc, Vulkan's loader and glslangValidator. A row has the pixels that were drawn, those that differ, those that differ by more
than 1 of 255 in a component, the largest difference, and whether the storage buffer and the results of queries are equal.
"""
import os, subprocess, sys, tempfile

SIDE = 128 * 128 * 4  # bytes of a layer
CLEAR = b"\x1a\x1a\x1a\xff"

HEAD = """#version 460
#extension GL_EXT_mesh_shader : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(std430, binding = 0) buffer Words { uint words[]; };
// random returns a number from 0 to 1.
float random(uint n) {
  n = n * 747796405u + 2891336453u; n = ((n >> ((n >> 28) + 4u)) ^ n) * 277803737u; n ^= n >> 22;
  return float(n >> 8) / 16777216.0;
}
"""
COLOR = "layout(location = 0) out vec4 color[];"
FLAT = "layout(location = 0) flat out vec4 color[];"
PRIMITIVE = "layout(location = 0) perprimitiveEXT out vec4 color[];"
programs = {}


def function(declarations, body):
    return HEAD + declarations + "\nvoid main() {\n  uint i = gl_LocalInvocationIndex, g = gl_WorkGroupID.x;\n" + body + "\n}\n"


def task(body, payload, size=1):
    return function(f"layout(local_size_x = {size}) in;\ntaskPayloadSharedEXT struct P {{ {payload} }} p;", body)


def mesh(kind, vertices, primitives, body, declarations=COLOR, size=1):
    """A mesh shader; i is the invocation and g the workgroup."""
    return function(f"layout(local_size_x = {size}) in;\nlayout({kind}, max_vertices = {vertices}, max_primitives = {primitives}) out;\n{declarations}",
                    f"  SetMeshOutputsEXT({vertices}, {primitives});\n" * ("SetMeshOutputsEXT" not in body) + body)


def fragment(body="o = color;", declarations="layout(location = 0) in vec4 color;"):
    return HEAD + declarations + "\nlayout(location = 0) out vec4 o;\nvoid main() { " + body + " }\n"


flat = fragment(declarations="layout(location = 0) flat in vec4 color;")
primitive = fragment(declarations="layout(location = 0) perprimitiveEXT flat in vec4 color;")


def program(name, options, mesh, fragment=fragment(), task=None):
    programs[name] = {"options": options.split(), "task": task, "mesh": mesh, "frag": fragment}


def triangles(position="vec4(random(g * 6 + i * 2) * 2 - 1, random(g * 6 + i * 2 + 1) * 2 - 1, random(g * 9 + i), 1)", color="vec4(i == 0, i == 1, i == 2, 1)"):
    """One triangle of each workgroup, by one invocation."""
    return f"""  for (uint i = 0; i < 3; i++) {{
    vec4 q = {position};
    gl_MeshVerticesEXT[i].gl_Position = q;
    color[i] = {color};
  }}
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);"""


RANDOM = """  gl_MeshVerticesEXT[i].gl_Position = vec4(random(i + g * 9) * 2 - 1, random(i * 7 + g) * 2 - 1, 0, 1);
  color[i] = vec4(random(i), random(i + 20), 0, 1);
  if (i < 3) gl_PrimitiveTriangleIndicesEXT[i] = uvec3(i * 3, i * 3 + 1, i * 3 + 2);
"""
GRID = """  if (i < 25) gl_MeshVerticesEXT[i].gl_Position = vec4(vec2(i % 5, i / 5) / 2.2 - 0.9, 0, 1);
  uint q = i / 2, v = q / 4 * 5 + q % 4;
  gl_PrimitiveTriangleIndicesEXT[i] = i % 2 == 0 ? uvec3(v, v + 1, v + 5) : uvec3(v + 5, v + 1, v + 6);
  color[i] = vec4(random(i), random(i + 40), 0, 1);
"""
TWELVE = """  uint t = g * 12 + i;
  gl_MeshVerticesEXT[i].gl_Position = vec4(random(t) * 2 - 1, random(t + 777) * 2 - 1, 0, 1);
  color[i] = %s;
  if (i < 4) gl_PrimitiveTriangleIndicesEXT[i] = uvec3(i * 3 + 1, i * 3 + 2, i * 3);"""
CELL = "vec2(g % 4, g / 4) / 2 - 1 + vec2(i == 1 ? 0.48 : 0.02, i == 2 ? 0.48 : 0.02)"

program("payload", "groups=8,1,1", mesh("triangles", 4, 2, """  uint t = p.tile[g];
  gl_MeshVerticesEXT[i].gl_Position = vec4((vec2(t % 8 + i % 2 * 0.9, t / 8 + i / 2 * 0.9)) / 4 - 1, 0.5, 1);
  color[i] = vec4(random(t * 4 + i), random(t * 4 + i + 100), random(t), 1);
  if (i < 2) gl_PrimitiveTriangleIndicesEXT[i] = i == 0 ? uvec3(0, 1, 2) : uvec3(2, 1, 3);""",
    "taskPayloadSharedEXT struct P { uint tile[8]; } p;\n" + COLOR, 4),
    task=task("  p.tile[i] = g * 8 + i;\n  EmitMeshTasksEXT(8 - g / 2, 1, 1);", "uint tile[8];", 8))
program("large payload", "", mesh("triangles", 3, 1, triangles("vec4(p.v[g * 3 + i].xy, 0, 1)", "vec4(p.v[g * 3 + i].zw, 0, 1)"),
    "taskPayloadSharedEXT struct P { vec4 v[1000]; } p;\n" + COLOR),
    task=task("""  for (uint k = i; k < 999; k += 32) {
    vec2 m = vec2(k / 3 % 19, k / 3 / 19) / 9.5 - 1;
    p.v[k] = vec4(m + vec2(k % 3 == 1 ? 0.1 : 0, k % 3 == 2 ? 0.1 : 0), random(k), random(k * 7));
  }
  EmitMeshTasksEXT(333, 1, 1);""", "vec4 v[1000];", 32))
program("interpolation", "groups=16,1,1", mesh("triangles", 3, 1, """  for (uint i = 0; i < 3; i++) {
    float w = 1 + random(g * 3 + i) * 3;
    gl_MeshVerticesEXT[i].gl_Position = vec4((""" + CELL + """) * w, 0.5 * w, w);
    a[i] = random(i + g); b[i] = random(i * 7 + g); c[i] = random(i * 9 + g);
  }
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);""",
    "layout(location = 0) out float a[];\nlayout(location = 1) noperspective out float b[];\nlayout(location = 2) flat out float c[];"),
    fragment("o = vec4(a, b, c, 1);", "layout(location = 0) in float a;\nlayout(location = 1) noperspective in float b;\nlayout(location = 2) flat in float c;"))
program("clipping", "groups=24,1,1", mesh("triangles", 3, 1, triangles(
    "vec4(random(g * 12 + i * 4) * 4 - 2, random(g * 12 + i * 4 + 1) * 4 - 2, random(g * 12 + i * 4 + 2) * 2 - 0.7, random(g * 12 + i * 4 + 3) * 2 - 0.4)")))
program("points", "groups=6,1,1", mesh("points", 16, 16, """  uint t = g * 16 + i;
  gl_MeshVerticesEXT[i].gl_Position = vec4(random(t) * 2 - 1, random(t + 999) * 2 - 1, random(t + 77), 1);
  gl_MeshVerticesEXT[i].gl_PointSize = 1 + float(t % 9);
  gl_PrimitivePointIndicesEXT[i] = 15 - i;
  color[i] = vec4(random(t * 3), random(t * 5), 0, 1);""", size=16), fragment("o = vec4(color.xy, gl_PointCoord.x * gl_PointCoord.y, 1);"))
for name, reach in ("lines", 0.95), ("clipped lines", 1.2):
    program(name, "groups=3,1,1", mesh("lines", 16, 15, f"""  uint t = g * 16 + i;
  gl_MeshVerticesEXT[i].gl_Position = vec4((random(t) * 2 - 1) * {reach}, (random(t + 999) * 2 - 1) * {reach}, random(t + 77), 1);
  color[i] = vec4(random(t * 3), random(t * 5), random(t * 11), 1);
  if (i < 15) gl_PrimitiveLineIndicesEXT[i] = uvec2(i, i + 1);""", size=16))
program("wide lines", "groups=24,1,1 width=3", mesh("lines", 2, 1, """  float a = float(g) * 0.26;
  gl_MeshVerticesEXT[0].gl_Position = vec4(0.1 * cos(a), 0.1 * sin(a), 0, 1);
  gl_MeshVerticesEXT[1].gl_Position = vec4(0.95 * cos(a), 0.95 * sin(a), 0, 1);
  color[0] = vec4(random(g), random(g + 9), float(g) / 24, 1);
  gl_PrimitiveLineIndicesEXT[0] = uvec2(1, 0);
  gl_MeshPrimitivesEXT[0].gl_CullPrimitiveEXT = g == 7;""", PRIMITIVE), primitive)
program("primitive outputs", "", mesh("triangles", 25, 32, GRID + "  gl_MeshPrimitivesEXT[i].gl_PrimitiveID = int(i * 8 + 3);", PRIMITIVE, 32),
    fragment("o = vec4(color.xy, float(gl_PrimitiveID) / 255, 1);", "layout(location = 0) perprimitiveEXT flat in vec4 color;"))
program("culled primitives", "", mesh("triangles", 25, 32, GRID + "  gl_MeshPrimitivesEXT[i].gl_CullPrimitiveEXT = i % 3 == 1;", PRIMITIVE, 32), primitive)
program("wireframe", "polygon=1", mesh("triangles", 25, 32, GRID, PRIMITIVE, 32), primitive)
program("layers", "groups=5,1,1 layers=4", mesh("triangles", 9, 3, RANDOM + "  if (i < 3) gl_MeshPrimitivesEXT[i].gl_Layer = int((i + g) % 4);", size=9),
    fragment("o = vec4(color.xy, float(gl_Layer + 1) / 4, 1);"))
program("viewports", "groups=5,1,1 viewports=4", mesh("triangles", 9, 3, RANDOM + "  if (i < 3) gl_MeshPrimitivesEXT[i].gl_ViewportIndex = int((i + g) % 4);", size=9),
    fragment("o = vec4(color.xy, float(gl_ViewportIndex + 1) / 4, 1);"))
program("clip distances", "groups=12,1,1", mesh("triangles", 3, 1, triangles(color="""vec4(i == 0, i == 1, i == 2, 1);
    gl_MeshVerticesEXT[i].gl_ClipDistance[0] = 0.8 - length(q.xy);
    gl_MeshVerticesEXT[i].gl_ClipDistance[1] = q.x + q.y + 0.7"""),
    "out gl_MeshPerVertexEXT { vec4 gl_Position; float gl_ClipDistance[2]; } gl_MeshVerticesEXT[];\n" + COLOR),
    fragment("o = vec4(color.xy, gl_ClipDistance[0], 1);", "layout(location = 0) in vec4 color;\nin float gl_ClipDistance[2];"))
program("cull distances", "groups=30,1,1 depth=0", mesh("triangles", 3, 1, triangles(color="""vec4(i == 0, i == 1, i == 2, 1);
    gl_MeshVerticesEXT[i].gl_CullDistance[0] = q.x;
    gl_MeshVerticesEXT[i].gl_CullDistance[1] = q.y"""),
    "out gl_MeshPerVertexEXT { vec4 gl_Position; float gl_CullDistance[2]; } gl_MeshVerticesEXT[];\n" + COLOR))
program("shared memory", "groups=4,1,1", mesh("triangles", 128, 126, """  sum[i] = random(i + g * 128);
  barrier();
  for (uint s = 1; s < 128; s *= 2) {
    float x = i >= s ? sum[i - s] : 0;
    barrier();
    sum[i] += x;
    barrier();
  }
  float z = sum[i] / sum[127];
  gl_MeshVerticesEXT[i].gl_Position = vec4(z * 1.8 - 0.9, (i % 2 == 0 ? -0.2 : 0.2) + float(g) * 0.5 - 0.75, 0, 1);
  color[i] = vec4(z, 1 - z, i % 2, 1);
  if (i < 126) gl_PrimitiveTriangleIndicesEXT[i] = i % 2 == 0 ? uvec3(i, i + 1, i + 2) : uvec3(i + 1, i, i + 2);""", "shared float sum[128];\n" + COLOR, 128))
program("subgroups", "groups=8,1,1", mesh("points", 1, 1, """  uint t = p.id[g];
  gl_MeshVerticesEXT[0].gl_Position = vec4((vec2(t % 16, t / 16 % 16) + 0.5) / 8 - 1, 0, 1);
  gl_MeshVerticesEXT[0].gl_PointSize = 5;
  gl_PrimitivePointIndicesEXT[0] = 0;
  color[0] = vec4(random(t), random(t + 1), float(p.n) / 32, 1);""", "taskPayloadSharedEXT struct P { uint n; uint id[32]; } p;\n" + COLOR),
    task=function("layout(local_size_x = 32) in;\ntaskPayloadSharedEXT struct P { uint n; uint id[32]; } p;\nshared uint base;", """  uint t = gl_GlobalInvocationID.x, at;
  bool keep = random(t * 3) < 0.6;
  if (i == 0) base = 0;
  barrier();
  uvec4 b = subgroupBallot(keep);
  if (subgroupElect()) at = atomicAdd(base, subgroupBallotBitCount(b));
  at = subgroupBroadcastFirst(at);
  if (keep) p.id[at + subgroupBallotExclusiveBitCount(b)] = t;
  barrier();
  p.n = base;
  EmitMeshTasksEXT(base, 1, 1);"""))
program("counts", "groups=64,1,1 depth=0", mesh("triangles", 12, 4, """  if (g % 5 == 3) return;
  uint n = g % 5;
  SetMeshOutputsEXT(n * 3, n);
  for (uint k = 0; k < n * 3; k++) {
    vec2 corner = vec2(k % 3 == 1 ? 0.9 : 0, k % 3 == 2 ? 0.9 : 0.1) * (1 - float(k / 3) * 0.25);
    gl_MeshVerticesEXT[k].gl_Position = vec4((vec2(g % 8, g / 8) + corner) / 4 - 1, 0, 1);
    color[k] = vec4(random(g), float(k / 3) / 4, float(n) / 4, 1);
  }
  for (uint k = 0; k < n; k++) gl_PrimitiveTriangleIndicesEXT[k] = uvec3(k * 3, k * 3 + 1, k * 3 + 2);""", FLAT), flat)
program("largest outputs", "", mesh("triangles", 256, 256, """  for (uint k = i; k < 256; k += 32) {
    float a = float(k) * 0.0245436926, r = k % 2 == 0 ? 0.5 : 0.9;
    gl_MeshVerticesEXT[k].gl_Position = vec4(cos(a) * r, sin(a) * r, 0.3, 1);
    color[k] = vec4(random(k), random(k + 9), random(k + 99), 1);
    gl_PrimitiveTriangleIndicesEXT[k] = uvec3(k, (k + 1) % 256, (k + 2) % 256);
  }""", size=32))
program("indirect", "indirect=5", mesh("triangles", 3, 1, triangles(
    "vec4(vec2(g, gl_DrawID * 3 + gl_WorkGroupID.y) / 8 - 0.9 + vec2(i == 1 ? 0.12 : 0, i == 2 ? 0.12 : 0), 0, 1)",
    "vec4(float(gl_DrawID) / 8, float(gl_NumWorkGroups.x) / 16, float(gl_NumWorkGroups.y) / 2, 1)"), FLAT), flat)
program("samples", "groups=10,1,1 samples=4", mesh("triangles", 3, 1, triangles()))
program("blending", "groups=8,1,1 blend=1 depth=0", mesh("triangles", 12, 4, TWELVE % "vec4(random(t), random(t + 5), random(t + 8), 0.5)", FLAT, 12), flat)
program("first vertex", "groups=3,1,1", mesh("triangles", 12, 4, TWELVE % "vec4(random(t), random(t + 5), random(t + 8), 1)", FLAT, 12), flat)
program("last vertex", "groups=3,1,1 provoking=1", programs["first vertex"]["mesh"], flat)
program("faces", "groups=20,1,1 depth=0", mesh("triangles", 3, 1, triangles(color="vec4(random(g), random(g + 50), 0, 1)"), FLAT),
    fragment("o = vec4(color.xy, gl_FrontFacing, 1);", "layout(location = 0) flat in vec4 color;"))
program("back faces", "groups=20,1,1 cull=2 front=1", programs["faces"]["mesh"], programs["faces"]["frag"])
program("discard", "groups=10,1,1", mesh("triangles", 3, 1, triangles()),
    fragment("""vec4 d = vec4(dFdx(color.x), dFdy(color.y), fwidth(color.z), 0) * 8;
  if (fract(gl_FragCoord.x / 8) < 0.5 != fract(gl_FragCoord.y / 8) < 0.5) discard;
  o = vec4(abs(d.xyz), 1);
  gl_FragDepth = 1 - gl_FragCoord.z;"""))
INTERFACE = """layout(location = 1) %s B { mat2 m; float v[2]; } a%s;
layout(location = 5) flat %s int n%s;
layout(location = 6) %s vec2 e%s;
layout(location = 6, component = 2) %s float f%s;
layout(location = 7) perprimitiveEXT %s Q { flat uvec2 k; float f; } each%s;"""
program("interfaces", "groups=16,1,1", mesh("triangles", 3, 1, """  for (uint i = 0; i < 3; i++) {
    gl_MeshVerticesEXT[i].gl_Position = vec4(""" + CELL + """, 0, 1);
    a[i].m = mat2(random(i), random(i + g), 0.5, 1);
    a[i].v[0] = random(g);
    a[i].v[1] = random(i * 5);
    n[i] = int(g) * 9 - 3;
    e[i] = vec2(random(i * 4 + g), 0.25);
    f[i] = random(i + 8);
  }
  each[0].k = uvec2(g, 7);
  each[0].f = random(g + 3);
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);""", INTERFACE % (("out", "[]") * 5)),
    fragment("""o = vec4(a.m[0].x + a.m[0].y * 0.2 + float(n) / 1000, a.v[1] * 0.5 + e.x * 0.3 + float(each.k.x) / 64,
    f * 0.5 + a.v[0] * 0.2 + each.f * 0.3, 1);""", INTERFACE % (("in", "") * 5)))
program("components", "groups=9,1,1", mesh("triangles", 3, 1, """  uint k = g % 3;
  for (uint i = 0; i < 3; i++) {
    gl_MeshVerticesEXT[i].gl_Position.x = random(g * 6 + i) * 2 - 1;
    gl_MeshVerticesEXT[i].gl_Position.yzw = vec3(random(g * 5 + i + 90) * 2 - 1, random(g), 1);
    color[i].x = random(i);
    color[i].y = 0.5;
    color[i].wz = vec2(1, random(g));
    m[i][k] = vec2(random(i + g), random(i + 5));
    m[i][(k + 1) % 3].y = 0.5;
    m[i][(k + 1) % 3].x = random(i);
    m[i][(k + 2) % 3] = vec2(0.25);
  }
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);""", COLOR + "\nlayout(location = 1) out vec2 m[][3];"),
    fragment("o = vec4(color.x, m[0].x * 0.5 + m[1].y * 0.5, m[2].x * 0.5 + color.z * 0.4, 1);", "layout(location = 0) in vec4 color;\nlayout(location = 1) in vec2 m[3];"))
program("three dimensions", "groups=3,4,2", function("""layout(local_size_x = 2, local_size_y = 3, local_size_z = 2) in;
layout(points, max_vertices = 12, max_primitives = 12) out;
""" + PRIMITIVE, """  SetMeshOutputsEXT(12, 12);
  uvec3 at = gl_GlobalInvocationID;
  gl_MeshVerticesEXT[i].gl_Position = vec4((vec2(at.x + at.z * 8, at.y) + 0.5) / 32 - 0.9, 0, 1);
  gl_MeshVerticesEXT[i].gl_PointSize = 1;
  gl_PrimitivePointIndicesEXT[i] = i;
  color[i] = vec4(vec3(gl_LocalInvocationID) / 4 + vec3(gl_WorkGroupID) / 8, 1);"""), primitive)
program("atomics", "groups=1,4,1", mesh("triangles", 3, 1, """  g += gl_WorkGroupID.y * 4;
  atomicAdd(words[16 + g], 3);
  atomicMax(words[3], g);
  for (uint i = 0; i < 3; i++) gl_MeshVerticesEXT[i].gl_Position = vec4(""" + CELL + """, 0, 1);
  color[0] = vec4(p.a, 0.75, random(p.b), 1);
  gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);""", "taskPayloadSharedEXT struct P { float a; uint b; } p;\n" + PRIMITIVE),
    fragment("atomicAdd(words[1], 1); o = color;", "layout(location = 0) perprimitiveEXT flat in vec4 color;"),
    task("  atomicAdd(words[0], 1);\n  uint y = gl_WorkGroupID.y;\n  p.a = float(y) / 4;\n  p.b = y;\n  EmitMeshTasksEXT(4, y + 1, y % 2);", "float a; uint b;"))
program("specialization", "spec=24", function("""layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint N = 3;
layout(points, max_vertices = 64, max_primitives = 64) out;
""" + COLOR, """  SetMeshOutputsEXT(N, N);
  gl_MeshVerticesEXT[i].gl_Position = vec4(random(i) * 2 - 1, random(i + 500) * 2 - 1, 0, 1);
  gl_MeshVerticesEXT[i].gl_PointSize = float(gl_WorkGroupSize.x) / 4;
  gl_PrimitivePointIndicesEXT[i] = i;
  color[i] = vec4(float(N) / 64, random(i), 0, 1);"""))
COUNTED = mesh("triangles", 9, 3, """  bool three = g % 2 == 0;
  SetMeshOutputsEXT(three ? 9 : 3, three ? 3 : 1);
  if (!three && i >= 3) return;
  gl_MeshVerticesEXT[i].gl_Position = vec4(random(i + g * 9) * 3 - 1.5, random(i * 7 + g) * 3 - 1.5, 0, 1);
  if (i < (three ? 3 : 1)) gl_PrimitiveTriangleIndicesEXT[i] = uvec3(i * 3, i * 3 + 1, i * 3 + 2);""", "taskPayloadSharedEXT struct P { uint none; } p;", 9)
RED = fragment("o = vec4(1, 0, 0, 1);", "")
program("invocations", "groups=4,1,1 statistics=0x1800", COUNTED, RED, task("  EmitMeshTasksEXT(g, 1, 1);", "uint none;", 5))
program("generated primitives", "groups=4,1,1 primitives=1", COUNTED, RED, programs["invocations"]["task"])
program("not finite", "groups=4,1,1", mesh("triangles", 8, 6, """  float x = i == 5 ? uintBitsToFloat(0x7fc00000u) : random(i + g * 8) * 2 - 1, y = i == 6 ? uintBitsToFloat(0x7f800000u) : random(i * 3) * 2 - 1;
  gl_MeshVerticesEXT[i].gl_Position = vec4(x, y, 0, i == 7 ? 0 : 1);
  color[i] = vec4(random(i), 0, 1, 1);
  if (i < 6) gl_PrimitiveTriangleIndicesEXT[i] = uvec3(i % 3, (i + 1) % 8, (i + 4) % 8);""", size=8))


def compile(folder, name, shaders):
    """Writes the shaders of a program as SPIR-V and returns their path without the ends."""
    path = os.path.join(folder, name.replace(" ", "-"))
    for stage in "task", "mesh", "frag":
        if shaders[stage]:
            with open(f"{path}.{stage}", "w") as f:
                f.write(shaders[stage])
            r = subprocess.run(["glslangValidator", "--target-env", "vulkan1.3", "-S", stage, f"{path}.{stage}", "-o", f"{path}.{stage}.spv"], capture_output=True, text=True)
            if r.returncode:
                sys.exit(f"{name}, {stage} shader:\n{r.stdout}")
    return path


def draw(client, manifest, path, options):
    """Returns the picture and all else that a program writes."""
    r = subprocess.run([client, path, path + ".out", *options], env=dict(os.environ, VK_DRIVER_FILES=manifest, VK_ICD_FILENAMES=manifest),
                       capture_output=True, text=True, timeout=120)
    if r.returncode:
        return None
    with open(path + ".out", "rb") as f:
        data = f.read()
    n = SIDE * int(dict(o.split("=") for o in options).get("layers", 1))
    return data[:n], data[n:]


def row(name, ours, reference):
    """Prints the differences of a program and returns whether there are any beyond rounding."""
    if not ours or not reference:
        print(f"{name:22} fails on {'ours' if not ours else 'the reference'}")
        return True
    drawn = differ = more = most = 0
    for i in range(0, len(ours[0]), 4):
        x, y = ours[0][i:i + 4], reference[0][i:i + 4]
        drawn += x != CLEAR
        if x != y:
            d = max(abs(a - b) for a, b in zip(x, y))
            differ, more, most = differ + 1, more + (d > 1), max(most, d)
    words = "equal" if ours[1] == reference[1] else "different"
    print(f"{name:22} drawn {drawn:6}   differ {differ:5}   by more than 1 {more:5}   at most {most:3}   words {words}")
    return more > 0 or words != "equal"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        client = os.path.join(folder, "picture")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "picture.c")
        subprocess.run(["gcc", "-std=gnu11", "-O1", "-o", client, source, "-lvulkan"], check=True)
        for name in sys.argv[3:] or programs:
            path = compile(folder, name, programs[name])
            different += row(name, *(draw(client, os.path.abspath(m), path, programs[name]["options"]) for m in sys.argv[1:3]))
    print(f"{different} of {len(sys.argv[3:] or programs)} programs differ")


main()
