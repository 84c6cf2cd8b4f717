package amber_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// TestPermittedSamples draws random triangles, points and lines with several samples, once for each pixel or sample, and seeds wrong components in the resolved pictures.
func TestPermittedSamples(t *testing.T) {
	random := rand.New(rand.NewSource(8))
	drawn, found := 0, 0
	for round := range 60 {
		topology := []string{"TRIANGLE_LIST", "TRIANGLE_STRIP", "POINT_LIST", "LINE_LIST"}[round%4]
		samples := []int{2, 4, 8}[round/4%3]
		var vertices strings.Builder
		for range 6 {
			w := []float32{1, 0.5 + 2*random.Float32()}[round/12%2]
			fmt.Fprintf(&vertices, "%g %g %g %g\n", (random.Float32()*1.8-0.9)*w, (random.Float32()*1.8-0.9)*w, random.Float32()*w, w)
		}
		capability, decoration := "", ""
		if round/24%2 == 1 { // the shader runs for each sample
			capability, decoration = "OpCapability SampleRateShading\n", "OpDecorate %p Sample\n"
		}
		text := strings.NewReplacer("SIZE 24", "SIZE 24", "OpConstant %float SIZE", "OpConstant %float 3", "VERTICES", vertices.String(), "TOPOLOGY", topology, "INPUT", "", "COORDINATE", "OpStore %o %z",
			"OpDecorate %c BuiltIn PointCoord\n", "", "%c = OpVariable %in2 Input\n", "",
			"OpCapability Shader\n", "OpCapability Shader\n"+capability, "OriginUpperLeft\n", "OriginUpperLeft\n"+decoration,
			"BUFFER picture FORMAT R8G8B8A8_UNORM\n", fmt.Sprintf("IMAGE many FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 24 HEIGHT 24 SAMPLES %d\nIMAGE picture FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 24 HEIGHT 24\n", samples),
			"  BIND BUFFER picture AS color LOCATION 0\n", "  BIND BUFFER many AS color LOCATION 0\n  BIND BUFFER picture AS resolve\n").Replace(primitiveScript)
		p, r := permit(t, "samples.amber", text)
		right := r.Contents["picture"]
		if len(right) == 0 || len(p.Pictures) != 2 {
			t.Fatalf("round %d: %d pictures, %v", round, len(p.Pictures), r.Message)
		}
		x := p.Pictures[1]
		if x.Buffer.Name != "picture" || x.Undecided != "" || p.Pictures[0].Undecided == "" {
			t.Fatalf("round %d: %s is undecided: %q, the samples: %q", round, x.Buffer.Name, x.Undecided, p.Pictures[0].Undecided)
		}
		list, any := x.Judge(right)
		if len(list) > 0 || any > len(right)/8 {
			t.Fatalf("round %d: %s, %d samples: %d components with any value, %d are not permitted, the first %+v\n%s", round, topology, samples, any, len(list), list[:min(len(list), 1)], vertices.String())
		}
		drawn += drawnPixels(right, [4]byte{9, 9, 9, 255})
		wrong := slices.Clone(right)
		for i := 2; i < len(wrong); i += 4 * 7 {
			wrong[i] ^= 0x80
		}
		if list, _ := x.Judge(wrong); len(list) > len(right)/4/7/2 {
			found++
		}
	}
	if drawn < 2000 || found < 56 {
		t.Errorf("%d pixels are drawn, and the seeded values of %d of 60 pictures are found", drawn, found)
	}
}
