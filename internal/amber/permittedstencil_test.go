package amber_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// stenciledScript returns a script of four draws of triangles with random tests of depth and stencil, and a discard in the left half if discards is set. The
// triangles have their vertices in the grid of positions, so that few texels are open.
func stenciledScript(random *rand.Rand, format string, discards, early bool) string {
	shaders, _, _ := strings.Cut(primitiveScript, "BUFFER b ")
	body, modes := "OpStore %o %z", ""
	if discards {
		body = "%e = OpCompositeExtract %float %x 0\n%zero = OpFMul %float %half %half\n%less = OpFOrdLessThan %bool %e %zero\nOpSelectionMerge %end None\nOpBranchConditional %less %out %end\n" +
			"%out = OpLabel\nOpKill\n%end = OpLabel\nOpStore %o %z"
	}
	if early {
		modes = "OpExecutionMode %main EarlyFragmentTests\n"
	}
	shaders = strings.NewReplacer("OpConstant %float SIZE", "OpConstant %float 1", " INPUT ", " ", "COORDINATE", body, "OpDecorate %c BuiltIn PointCoord\n", "", "%c = OpVariable %in2 Input\n", "",
		"OpExecutionMode %main OriginUpperLeft\n", "OpExecutionMode %main OriginUpperLeft\n"+modes, "%void = OpTypeVoid\n", "%void = OpTypeVoid\n%bool = OpTypeBool\n").Replace(shaders)
	var out strings.Builder
	fmt.Fprintf(&out, "%sBUFFER picture FORMAT R8G8B8A8_UNORM\nBUFFER deep FORMAT %s\n", shaders, format)
	ops := []string{"keep", "zero", "replace", "increment_and_clamp", "decrement_and_clamp", "invert", "increment_and_wrap", "decrement_and_wrap"}
	compares := []string{"never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"}
	word := func(list []string) string { return list[random.Intn(len(list))] }
	for n := range 4 {
		fmt.Fprintf(&out, "BUFFER b%d DATA_TYPE vec4<float> DATA\n", n)
		for range 6 {
			fmt.Fprintf(&out, "%g %g %g 1\n", float32(random.Intn(25)-12)/12, float32(random.Intn(25)-12)/12, float32(random.Intn(9))/8)
		}
		fmt.Fprintf(&out, "END\nPIPELINE graphics p%d\n  ATTACH v\n  ATTACH f\n  VERTEX_DATA b%d LOCATION 0\n  FRAMEBUFFER_SIZE 24 24\n  BIND BUFFER picture AS color LOCATION 0\n  BIND BUFFER deep AS depth_stencil\n", n, n)
		fmt.Fprintf(&out, "  DEPTH\n    TEST %s\n    WRITE %s\n    COMPARE_OP %s\n", word([]string{"on", "off"}), word([]string{"on", "off"}), word(compares[1:]))
		if random.Intn(3) == 0 {
			fmt.Fprintf(&out, "    BOUNDS min %g max %g\n", float32(random.Intn(5))/8, 0.5+float32(random.Intn(5))/8)
		}
		out.WriteString("  END\n")
		for _, face := range []string{"front", "back"} {
			fmt.Fprintf(&out, "  STENCIL %s\n    TEST on\n    FAIL_OP %s\n    PASS_OP %s\n    DEPTH_FAIL_OP %s\n    COMPARE_OP %s\n    COMPARE_MASK %d\n    WRITE_MASK %d\n    REFERENCE %d\n  END\n", face,
				word(ops), word(ops), word(ops), word(compares), []int{255, 15, 1}[random.Intn(3)], []int{255, 255, 240, 3}[random.Intn(4)], random.Intn(256))
		}
		out.WriteString("END\n")
	}
	fmt.Fprintf(&out, "CLEAR_COLOR p0 9 9 9 255\nCLEAR_DEPTH p0 0.5\nCLEAR_STENCIL p0 %d\nCLEAR p0\n", []int{0, 1, 200, 255}[random.Intn(4)])
	for n := range 4 {
		fmt.Fprintf(&out, "RUN p%d DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 6\n", n)
	}
	return out.String()
}

// TestPermittedStencil draws with random depth and stencil tests, masks, operations and bounds, and seeds a wrong stencil value and a wrong color.
func TestPermittedStencil(t *testing.T) {
	random := rand.New(rand.NewSource(11))
	formats := []string{"D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "D16_UNORM_S8_UINT"}
	changed, open, total, found, seeded := 0, 0, 0, 0, 0
	for round := range 45 {
		text := stenciledScript(random, formats[round%3], round%4 == 1 || round%8 == 3, round%8 == 3)
		p, r := permit(t, "stencil.amber", text)
		if len(p.Pictures) != 2 {
			t.Fatalf("round %d: %d pictures; must be 2", round, len(p.Pictures))
		}
		for _, x := range p.Pictures {
			right := r.Contents[x.Buffer.Name]
			if x.Undecided != "" || len(right) == 0 {
				t.Fatalf("round %d: undecided %q, %d bytes, %v\n%s", round, x.Undecided, len(right), r.Message, text)
			}
			list, any := x.Judge(right)
			if len(list) > 0 {
				t.Fatalf("round %d: %s: %d components are not permitted, the first %+v, by %s\n%s", round, x.Buffer.Name, len(list), list[0], p.Operation(&list[0]), text)
			}
			open, total = open+any, total+x.Buffer.Count(right)
			for at := range 24 * 24 {
				i := 4 * at // of the component in the most significant byte of a word, which is stencil of D24_UNORM_S8_UINT
				if x.Buffer.Name == "deep" && formats[round%3] != "D24_UNORM_S8_UINT" {
					i = len(right) - 24*24 + at // all stencil values are after all depths
				} else if i += 3; x.Buffer.Name == "picture" {
					i--
				}
				if x.Buffer.Name == "deep" && right[i] != right[len(right)-1] {
					changed++
				}
				if at%100 == 50 {
					wrong := slices.Clone(right)
					wrong[i] ^= 0x55
					seeded++
					if list, _ := x.Judge(wrong); len(list) > 0 {
						found++
					}
				}
			}
		}
	}
	if changed < 3000 || open*10 > total || found*5 < seeded*4 {
		t.Errorf("%d stencil values differ from the first of their picture, %d of %d components have any value, %d of %d seeded values are found", changed, open, total, found, seeded)
	}
}
