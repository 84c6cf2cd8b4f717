package amber_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
				t.Errorf("%s: %s: %d components, the first %+v, %s", file, x.Buffer.Name, len(list), list[0], p.Operation(list[0].At))
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

const seededScript = `#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-ASM
OpCapability Shader
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
%scale = OpConstant %float 0.0625
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
				if inside++; len(list) == 1 && i%4 == 0 && !strings.Contains(p.Operation(list[0].At), "OpFMul") {
					t.Errorf("a wrong red component is by %q; must be by OpFMul", p.Operation(list[0].At))
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
		{"RUN p DRAW_RECT POS 2 2 SIZE 8 4", "BUFFER b DATA_TYPE vec4<float> DATA 0 0 0 1 END\nPIPELINE graphics q\nATTACH v\nATTACH f\nFRAMEBUFFER_SIZE 16 8\nBIND BUFFER picture AS color LOCATION 0\nVERTEX_DATA b LOCATION 0\nEND\nRUN q DRAW_ARRAY AS POINT_LIST START_IDX 0 COUNT 1", "primitives other than triangles"},
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
