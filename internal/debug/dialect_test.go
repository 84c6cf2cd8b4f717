package debug

import (
	"strings"
	"testing"
)

// evaluated compares the values of expressions in the shader of TestExpressions.
func evaluated(t *testing.T, text []byte, want map[string]string) {
	t.Helper()
	d := startModule(t, text, 1, 1, Config{Thread: Thread{Local: 3}}, line(21))
	d.at(AtBreakpoint, 3, 21)
	for text, want := range want {
		if got := d.value(text); got != want {
			t.Errorf("%s is %s; must be %s", text, got, want)
		}
	}
	d.finish(1)
}

// TestWGSLExpressions evaluates the names of types and functions of WGSL.
func TestWGSLExpressions(t *testing.T) {
	evaluated(t, collatz(t), map[string]string{
		"vec3<f32>(1, 2, 3)": "(1, 2, 3)", "vec2f(1.5)": "(1.5, 1.5)", "vec4<u32>(7u)": "(7, 7, 7, 7)", "vec2i(v.xy)": "(6, 4)", "f32(7) / f32(2)": "3.5", "i32(3.7)": "3", "u32(-1)": "4294967295",
		"mat2x2f(1, 2, 3, 4) * vec2f(1, 10)": "(31, 42)", "mat2x2<f32>(1, 2, 3, 4)[1]": "(3, 4)", "bitcast<u32>(1.0f)": "1065353216", "bitcast<vec2<f32>>(vec2<u32>(0x40000000u))": "(2, 2)",
		"2i + 3i": "5", "1.5f + 1.5h": "3", "countOneBits(255u)": "8", "inverseSqrt(4.0)": "0.5", "i < 4 && i > 2": "true",
		"bitcast<f64>(1)": `error: a bit cast to "double"; want a type of 32 bits`, "vec3<v>(1)": `error: vec3 of "v"; want a type of numbers`, "vec5f(1)": "error: no function vec5f of 1 values in the debugger",
		"bitcast<": `error: a bit cast to ""; want a type of 32 bits`, "vec3<": `error: vec3 of ""; want a type of numbers`, "bitcast": "error: no variable bitcast here",
		strings.Repeat("bitcast<", 400): "error: an expression nested more than 64 deep",
	})
}

// TestHLSLExpressions evaluates the operators of HLSL, its casts, and its matrices, which have rows where those of GLSL have columns.
func TestHLSLExpressions(t *testing.T) {
	evaluated(t, collatz(t, "OpSource GLSL 450", "OpSource HLSL 600"), map[string]string{
		"min(true, 2)": "1", "sin(false)": "0", "not(1)": "false",
		"float3(1, 2, 3)": "(1, 2, 3)", "int2(v.xy)": "(6, 4)", "(int)3.7": "3", "(float3)2": "(2, 2, 2)", "(uint2)v": "(6, 4)", "-(int)2.5 + 1": "-1", "(i)": "3", "half2(1, 2).y": "2",
		"float2x2(1, 2, 3, 4)[0]": "(1, 2)", "mul(float2x2(1, 2, 3, 4), float2(1, 10))": "(21, 43)", "mul(float2(1, 10), float2x2(1, 2, 3, 4))": "(31, 42)",
		"mul(float2x2(1, 2, 3, 4), float2x2(0, 1, 1, 0))": "((2, 1), (4, 3))", "mul(v, float3(1, 2, 3))": "35", "mul(2, v)": "(12, 8, 14)",
		"float2x2(1, 2, 3, 4) * float2x2(2, 2, 2, 2)": "((2, 4), (6, 8))", "float2(1, 2) == float2(1, 3)": "(true, false)", "5.5 % 2": "1.5", "fmod(-5.5, 2)": "-1.5", "rcp(4.0)": "0.25", "countbits(7)": "3",
		"float2x3(1, 2, 3, 4, 5, 6)": "((1, 2, 3), (4, 5, 6))", "dot(v, float3(1, 0, 0))": "6", "asuint(1.0)": "1065353216",
	})
}

// TestConstructorArguments: "extra arguments beyond this last used argument" are an error (GLSL, "Vector and Matrix Constructors"), and parts of
// the last one are not.
func TestConstructorArguments(t *testing.T) {
	const extra = "error: vec3 of 4 values; 3 components need no more than the values before"
	evaluated(t, collatz(t), map[string]string{
		"vec3(1, 2, 3, 4)": extra, "vec3(vec2(1, 2), vec2(3, 4))": "(1, 2, 3)", "vec2(v)": "(6, 4)", "float(v)": "6", "float(1, 2)": "error: float of 2 values; 1 components need no more than the values before",
		"vec3(1, 2)": "error: vec3 of 2 components", "vec2(v, 1)": "error: vec2 of 2 values; 2 components need no more than the values before", "mat2(v, v)": "((6, 4), (7, 6))",
		"mat2(1, 2, 3, 4, 5)": "error: mat2 of 5 values; 4 components need no more than the values before",
	})
}

// TestHiddenTypes: an identifier that is declared in an inner scope hides a type of its name (GLSL, "Types of Scope"; HLSL has the rule of C++), so
// that a name in parentheses before an operator is a value, and before an operand a cast.
func TestHiddenTypes(t *testing.T) {
	evaluated(t, collatz(t, `OpName %i "i"`, `OpName %i "half"`, `OpName %s "s"`, `OpName %s "vec3"`, "OpSource GLSL 450", "OpSource HLSL 600"), map[string]string{
		"(half) * 2": "6", "(half) - 2": "1", "(half)": "3", "(half) == 3 && half < 4": "true", "(half) - 2 * 1": "1", "(int) - 2": "-2", "(float)half / 2": "1.5",
		"vec3 < 100": "true", "(vec3) * 0": "0", "(half) half": `error: "half" after the expression`,
	})
}
