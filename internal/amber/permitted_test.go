package amber_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/engine"
)

// permit determines the permitted pictures of a script, and runs it.
func permit(t *testing.T, name, text string) (*amber.Permitted, amber.Result) {
	t.Helper()
	s, err := amber.Parse(name, []byte(text), func(name string) ([]byte, error) { return os.ReadFile(filepath.Join("testdata", name)) })
	if err != nil {
		t.Fatal(err)
	}
	p, err := amber.Permit(t.Context(), s, amber.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p, amber.Run(t.Context(), s, amber.Options{Engine: engine.ForHooks()})
}

// TestPermittedScripts checks that the pictures of scripts that pass are permitted.
func TestPermittedScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.amber")
	if err != nil {
		t.Fatal(err)
	}
	decided := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, r := permit(t, file, string(text))
		for _, x := range p.Pictures {
			list, _ := x.Judge(r.Contents[x.Buffer.Name])
			if len(list) > 0 {
				t.Errorf("%s: %s: %d components, the first %+v, %s", file, x.Buffer.Name, len(list), list[0], p.Operation(&list[0]))
			}
			if x.Undecided == "" {
				decided++
			}
		}
	}
	if decided < 10 {
		t.Errorf("%d pictures have a verdict; must be at least 10", decided)
	}
}

// positionHead begins the assembly of a fragment shader that reads its position %at, of type %v4, and writes the color %o.
const positionHead = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %at %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %at BuiltIn FragCoord
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%at = OpVariable %in4 Input
%o = OpVariable %out4 Output
`

// placedVertex is the assembly of a vertex shader with the position of location 0.
const placedVertex = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %at %o
OpDecorate %at Location 0
OpDecorate %o BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%at = OpVariable %in4 Input
%o = OpVariable %out4 Output
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %at
OpStore %o %x
OpReturn
OpFunctionEnd
`

const seededScript = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-ASM
` + positionHead + `%scale = OpConstant %float 0.0625
%half = OpConstant %float 0.5
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %at
%px = OpCompositeExtract %float %x 0
%py = OpCompositeExtract %float %x 1
%r = OpFMul %float %px %scale
%g = OpFSub %float %half %py
%c = OpCompositeConstruct %v4 %r %g %half %half
OpStore %o %c
OpReturn
OpFunctionEnd
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 16 8
  BIND BUFFER picture AS color LOCATION 0
  BLEND
    SRC_COLOR_FACTOR src_alpha
    DST_COLOR_FACTOR one_minus_src_alpha
    SRC_ALPHA_FACTOR one
    DST_ALPHA_FACTOR zero
  END
END
CLEAR_COLOR p 100 100 100 255
CLEAR p
RUN p DRAW_RECT POS 2 2 SIZE 8 4
`

// TestPermittedSeeds changes the components of a picture: a value that no rounding can have is found, and the operation is named.
func TestPermittedSeeds(t *testing.T) {
	p, r := permit(t, "seeded.amber", seededScript)
	x := p.Pictures[0]
	right := r.Contents["picture"]
	if list, any := x.Judge(right); len(list) > 0 || any > 0 || x.Undecided != "" {
		t.Fatalf("%+v, %d, %s", list, any, x.Undecided)
	}
	inside, outside, found := 0, 0, 0
	for i := range right {
		px, py := i/4%16, i/4/16
		covered := px >= 2 && px < 10 && py >= 2 && py < 6
		for _, by := range []int{-8, 8} {
			wrong := slices.Clone(right)
			n := int(wrong[i]) + by
			if n < 0 || n > 255 {
				continue
			}
			wrong[i] = byte(n)
			list, _ := x.Judge(wrong)
			if len(list) == 1 && list[0].X == px && list[0].Y == py {
				found++
			}
			if covered {
				if inside++; len(list) == 1 && i%4 == 0 && !strings.Contains(p.Operation(&list[0]), "OpFMul") {
					t.Errorf("a wrong red component is by %q; must be by OpFMul", p.Operation(&list[0]))
				}
			} else {
				outside++
			}
		}
	}
	if found != inside+outside || inside < 200 {
		t.Errorf("%d of %d seeded values are found, %d inside", found, inside+outside, inside)
	}
}

// TestPermittedStops checks that a script without a verdict says why.
func TestPermittedStops(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"OpFMul %float %px %scale", "OpFDiv %float %px %scale", ""},
		{"CLEAR p\n", "CLEAR p\nREPEAT 2\nCLEAR p\nEND\n", ""},
		{"FRAMEBUFFER_SIZE 16 8", "FRAMEBUFFER_SIZE 2048 1025", "attachments with more than 2097152 texels"},
		{"FRAMEBUFFER_SIZE 16 8", "FRAMEBUFFER_SIZE 16 8\nSTATE\nNEGATIVE_ONE_TO_ONE on\nEND", "viewports without scissors, or depths from -1 on"},
	} {
		p, r := permit(t, "stops.amber", strings.Replace(seededScript, c.old, c.new, 1))
		x := p.Pictures[0]
		if c.want == "" && x.Undecided != "" || !strings.Contains(x.Undecided, c.want) {
			t.Errorf("%s: undecided %q; must have %q", c.new, x.Undecided, c.want)
		}
		if list, _ := x.Judge(r.Contents["picture"]); len(list) > 0 {
			t.Errorf("%s: %+v", c.new, list[0])
		}
	}
}

const primitiveScript = `#!amber
SHADER vertex v SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %p %at %size %o
OpDecorate %p Location 0
OpDecorate %at BuiltIn Position
OpDecorate %size BuiltIn PointSize
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%out1 = OpTypePointer Output %float
%p = OpVariable %in4 Input
%at = OpVariable %out4 Output
%size = OpVariable %out1 Output
%o = OpVariable %out4 Output
%one = OpConstant %float SIZE
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %p
OpStore %at %x
OpStore %size %one
OpStore %o %x
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %p INPUT %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %p Location 0
OpDecorate %c BuiltIn PointCoord
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%in2 = OpTypePointer Input %v2
%in4 = OpTypePointer Input %v4
%out4 = OpTypePointer Output %v4
%p = OpVariable %in4 Input
%c = OpVariable %in2 Input
%o = OpVariable %out4 Output
%half = OpConstant %float 0.5
%halves = OpConstantComposite %v4 %half %half %half %half
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %p
%y = OpFMul %v4 %x %halves
%z = OpFAdd %v4 %y %halves
COORDINATE
OpReturn
OpFunctionEnd
END
BUFFER b DATA_TYPE vec4<float> DATA
VERTICES
END
BUFFER picture FORMAT R8G8B8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  VERTEX_DATA b LOCATION 0
  FRAMEBUFFER_SIZE 24 24
  BIND BUFFER picture AS color LOCATION 0
END
CLEAR_COLOR p 9 9 9 255
CLEAR p
RUN p DRAW_ARRAY AS TOPOLOGY START_IDX 0 COUNT 6
`

// TestPermittedPrimitives draws random points and lines, and seeds a wrong component in each picture.
func TestPermittedPrimitives(t *testing.T) {
	random := rand.New(rand.NewSource(6))
	drawn, found := 0, 0
	for round := range 60 {
		topology := []string{"POINT_LIST", "LINE_LIST", "LINE_STRIP"}[round%3]
		var vertices strings.Builder
		for range 6 {
			w := []float32{1, 0.5 + 2*random.Float32()}[round/3%2]
			fmt.Fprintf(&vertices, "%g %g %g %g\n", (random.Float32()*2.4-1.2)*w, (random.Float32()*2.4-1.2)*w, random.Float32()*w, w)
		}
		size := []float32{1, 1 + 9*random.Float32()}[round/6%2]
		input, coordinate := "", "OpStore %o %z"
		if topology == "POINT_LIST" && round%2 == 0 {
			input, coordinate = "%c", "%w = OpLoad %v2 %c\n%r = OpVectorShuffle %v4 %z %w 4 5 2 3\nOpStore %o %r"
		}
		text := strings.NewReplacer("SIZE 24", "SIZE 24", "SIZE", fmt.Sprint(size), "VERTICES", vertices.String(), "TOPOLOGY", topology, "INPUT", input, "COORDINATE", coordinate,
			"OpDecorate %c BuiltIn PointCoord\n", map[bool]string{true: "OpDecorate %c BuiltIn PointCoord\n"}[input != ""],
			"%c = OpVariable %in2 Input\n", map[bool]string{true: "%c = OpVariable %in2 Input\n"}[input != ""]).Replace(primitiveScript)
		p, r := permit(t, "primitives.amber", text)
		x := p.Pictures[0]
		right := r.Contents["picture"]
		if x.Undecided != "" || len(right) == 0 {
			t.Fatalf("round %d: undecided %q, %d bytes, %v", round, x.Undecided, len(right), r.Message)
		}
		list, any := x.Judge(right)
		most := 0 // any values
		if topology != "POINT_LIST" {
			most = 8 * 4 // 1/w may be 0 at a center beyond the end of a short line, of which Bresenham's rule permits a few
		}
		if len(list) > 0 || any > most {
			t.Fatalf("round %d: %s of size %g: %d components with any value, %d are not permitted, the first %+v\n%s", round, topology, size, any, len(list), list[:min(len(list), 1)], vertices.String())
		}
		drawn += drawnPixels(right, [4]byte{9, 9, 9, 255})
		if findsSeeded(x, right) {
			found++
		}
	}
	if drawn < 2000 || found < 50 {
		t.Errorf("%d pixels are drawn, and %d of 60 seeded values are found", drawn, found)
	}
}

// TestPermittedBlending checks that a value that blending computed wrongly names it.
func TestPermittedBlending(t *testing.T) {
	p, r := permit(t, "blended.amber", strings.Replace(seededScript, "  BIND BUFFER picture", "  BLEND\n    SRC_COLOR_FACTOR one\n    DST_COLOR_FACTOR one\n  END\n  BIND BUFFER picture", 1))
	x := p.Pictures[0]
	wrong := slices.Clone(r.Contents["picture"])
	at := 4*(16*3+3) + 1
	wrong[at] += 60
	list, _ := x.Judge(wrong)
	if len(list) != 1 || !strings.HasSuffix(p.Operation(&list[0]), ", or the blending") {
		t.Errorf("%+v; must be the blending", list)
	}
}

// FuzzPermit determines the permitted pictures of scripts: it ends, by its bounds or by its context, and does not panic.
func FuzzPermit(f *testing.F) {
	f.Add(seededScript)
	for _, topology := range []string{"POINT_LIST", "LINE_STRIP", "TRIANGLE_FAN"} {
		f.Add(strings.NewReplacer("FRAMEBUFFER_SIZE", "FRAMEBUFFER_SIZE", "SIZE", "4", "VERTICES", strings.Repeat("0.1 -0.5 0.5 1 1e20 0.7 0.1 0.5\n", 3), "TOPOLOGY", topology, "INPUT", "%c",
			"COORDINATE", "OpStore %o %z").Replace(primitiveScript))
	}
	files, _ := filepath.Glob("testdata/*.amber")
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := amber.Parse("fuzz.amber", []byte(text), nil)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p, err := amber.Permit(ctx, s, amber.Options{})
		if err != nil {
			return
		}
		for _, x := range p.Pictures {
			list, _ := x.Judge(x.Buffer.Data)
			for i := range list {
				p.Operation(&list[i])
			}
		}
	})
}

// drawnPixels returns the number of pixels of four bytes with another value than in the cleared picture.
func drawnPixels(picture []byte, cleared [4]byte) (n int) {
	for i := 0; i+4 <= len(picture); i += 4 {
		if [4]byte(picture[i:]) != cleared {
			n++
		}
	}
	return n
}

// findsSeeded reports whether a permitted picture with two wrong texels is judged wrong.
func findsSeeded(x *amber.PermittedPicture, right []byte) bool {
	wrong := slices.Clone(right)
	wrong[2] ^= 0x80
	wrong[len(wrong)/2+2] ^= 0x80
	list, _ := x.Judge(wrong)
	return len(list) > 0
}
