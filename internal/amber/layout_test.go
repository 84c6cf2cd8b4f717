package amber

import (
	"fmt"
	"testing"
)

// struct types for the truth table: {float; vec2}, {vec3; float}, {mat2; float}.
func record(t *testing.T, members ...string) Type {
	t.Helper()
	s := &Struct{Name: "s"}
	for _, m := range members {
		typ, ok := parseType(m)
		if !ok {
			t.Fatalf("type %s", m)
		}
		s.Members = append(s.Members, Member{Type: typ, Offset: -1})
	}
	return Type{Struct: s, Columns: 1, Rows: 1}
}

func offsets(s Shape) string {
	var o []int
	for _, f := range s.Fields {
		o = append(o, f.Offset)
	}
	return fmt.Sprint(s.Stride, o)
}

// TestLayouts checks the rules of OpenGL 4.6 §7.6.2.2 and of scalar layout
// (Vulkan §15.8.4): stride, and the offset of each number.
func TestLayouts(t *testing.T) {
	for _, c := range []struct{ typ, std140, std430, scalar string }{
		{"float", "4 [0]", "4 [0]", "4 [0]"},
		{"double", "8 [0]", "8 [0]", "8 [0]"},
		{"uint8", "1 [0]", "1 [0]", "1 [0]"},
		{"float[]", "16 [0]", "4 [0]", "4 [0]"},
		{"vec2<float>", "8 [0 4]", "8 [0 4]", "8 [0 4]"},
		{"vec2<float>[]", "16 [0 4]", "8 [0 4]", "8 [0 4]"},
		{"vec3<float>", "16 [0 4 8]", "16 [0 4 8]", "12 [0 4 8]"},
		{"vec3<int16>", "8 [0 2 4]", "8 [0 2 4]", "6 [0 2 4]"},
		{"vec4<double>", "32 [0 8 16 24]", "32 [0 8 16 24]", "32 [0 8 16 24]"},
		{"mat2x2<float>", "32 [0 4 16 20]", "16 [0 4 8 12]", "16 [0 4 8 12]"},
		{"mat2x3<float>", "32 [0 4 8 16 20 24]", "32 [0 4 8 16 20 24]", "24 [0 4 8 12 16 20]"},
		{"mat3x2<float>", "48 [0 4 16 20 32 36]", "24 [0 4 8 12 16 20]", "24 [0 4 8 12 16 20]"},
		{"mat2x2<float16>", "32 [0 2 16 18]", "8 [0 2 4 6]", "8 [0 2 4 6]"},
		{"float[3]", "48 [0 16 32]", "12 [0 4 8]", "12 [0 4 8]"},
		{"R8G8B8A8_UNORM", "4 [0 1 2 3]", "4 [0 1 2 3]", "4 [0 1 2 3]"},
		{"R16G16B16_SNORM", "6 [0 2 4]", "6 [0 2 4]", "6 [0 2 4]"},
		{"A2B10G10R10_UINT_PACK32", "4 [0]", "4 [0]", "4 [0]"},
	} {
		typ, ok := parseType(c.typ)
		if !ok {
			t.Errorf("type %s is not read", c.typ)
			continue
		}
		for l, want := range map[Layout]string{Std140: c.std140, Std430: c.std430, ScalarLayout: c.scalar} {
			if s, err := l.Shape(typ); err != nil || offsets(s) != want {
				t.Errorf("%s in %s: %s %v, want %s", c.typ, l, offsets(s), err, want)
			}
		}
	}
}

func TestStructLayouts(t *testing.T) {
	for _, c := range []struct {
		members                []string
		std140, std430, scalar string
	}{
		{[]string{"float", "vec2<float>"}, "16 [0 8 12]", "16 [0 8 12]", "12 [0 4 8]"},
		{[]string{"float", "float"}, "16 [0 4]", "8 [0 4]", "8 [0 4]"},
		{[]string{"vec3<float>", "float"}, "16 [0 4 8 12]", "16 [0 4 8 12]", "16 [0 4 8 12]"},
		{[]string{"float", "vec3<float>"}, "32 [0 16 20 24]", "32 [0 16 20 24]", "16 [0 4 8 12]"},
		{[]string{"float", "mat2x2<float>", "float"}, "64 [0 16 20 32 36 48]", "32 [0 8 12 16 20 24]", "24 [0 4 8 12 16 20]"},
		{[]string{"uint8", "int16", "double"}, "16 [0 2 8]", "16 [0 2 8]", "16 [0 2 8]"},
		{[]string{"float", "float[2]", "float"}, "64 [0 16 32 48]", "16 [0 4 8 12]", "16 [0 4 8 12]"},
	} {
		typ := record(t, c.members...)
		for l, want := range map[Layout]string{Std140: c.std140, Std430: c.std430, ScalarLayout: c.scalar} {
			if s, err := l.Shape(typ); err != nil || offsets(s) != want {
				t.Errorf("%v in %s: %s %v, want %s", c.members, l, offsets(s), err, want)
			}
		}
	}
}

func TestExplicitLayout(t *testing.T) {
	s, err := Parse("s", []byte(`#!amber
STRUCT inner
  uint32 a OFFSET 4
  uint32 b[2] ARRAY_STRIDE 12
END
STRUCT outer STRIDE 80
  inner first
  mat2x2<float> m OFFSET 48 MATRIX_STRIDE 12
END
BUFFER b DATA_TYPE outer DATA 1 2 3 4 5 6 7 END
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := offsets(s.Buffers[0].Shape), "80 [4 8 20 48 52 60 64]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHostileLayouts(t *testing.T) {
	deep := "#!amber\nSTRUCT s0\n  float a\nEND\n"
	for i := 1; i < 100; i++ {
		deep += fmt.Sprintf("STRUCT s%d\n  s%d a\n  s%d b\nEND\n", i, i-1, i-1)
	}
	for _, text := range []string{
		deep + "BUFFER b DATA_TYPE s99 SIZE 1 FILL 0\n",
		deep + "BUFFER b DATA_TYPE s40 SIZE 1 FILL 0\n",
		"#!amber\nSTRUCT s\n  float a[1000000000]\nEND\nBUFFER b DATA_TYPE s SIZE 1 FILL 0\n",
		"#!amber\nSTRUCT s\n  float a OFFSET 1073741824\nEND\nBUFFER b DATA_TYPE s SIZE 2 FILL 0\n",
		"#!amber\nSTRUCT s\n  float a[4] ARRAY_STRIDE 2\nEND\nBUFFER b DATA_TYPE s SIZE 1 FILL 0\n",
		"#!amber\nBUFFER b DATA_TYPE float SIZE 1073741824 FILL 0\n",
		"#!amber\nIMAGE b DATA_TYPE float DIM_3D WIDTH 1073741824 HEIGHT 1073741824 DEPTH 1073741824 FILL 0\n",
	} {
		if _, err := Parse("s", []byte(text), nil); err == nil {
			t.Errorf("no fault in %q", text[max(0, len(text)-90):])
		}
	}
}
