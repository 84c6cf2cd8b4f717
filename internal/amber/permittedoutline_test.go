package amber_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestPermittedOutlines draws random triangles as lines, points or whole, with the first or the last vertex as the provoking one, beside
// other viewports, and seeds a wrong component in each picture.
func TestPermittedOutlines(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	drawn, found, judged := 0, 0, 0
	for round := range 72 {
		mode := []string{"line", "point", "fill"}[round%3]
		topology := []string{"TRIANGLE_LIST", "TRIANGLE_STRIP", "TRIANGLE_FAN"}[round/3%3]
		flat := round/9%2 == 1
		var vertices strings.Builder
		for range 6 {
			w := []float32{1, 0.5 + 2*random.Float32()}[round/18%2]
			fmt.Fprintf(&vertices, "%g %g %g %g\n", (random.Float32()*1.8-0.9)*w, (random.Float32()*1.8-0.9)*w, random.Float32()*w, w)
		}
		state := "  POLYGON_MODE " + mode + "\n"
		if round%2 == 1 {
			state += "  STATE\n    PROVOKING_VERTEX last\n    EXTRA_VIEWPORT 1 2 SIZE 5 6\n  END\n"
		}
		interpolation := ""
		if flat {
			interpolation = "OpDecorate %p Flat\n"
		}
		text := strings.NewReplacer("SIZE 24", "SIZE 24", "  FRAMEBUFFER_SIZE 24 24\n", state+"  FRAMEBUFFER_SIZE 24 24\n", "OriginUpperLeft\n", "OriginUpperLeft\n"+interpolation,
			"SIZE 5", "SIZE 5", "SIZE", fmt.Sprint([]float32{1, 3}[round/2%2]), "VERTICES", vertices.String(), "TOPOLOGY", topology, "INPUT", "", "COORDINATE", "OpStore %o %z",
			"OpDecorate %c BuiltIn PointCoord\n", "", "%c = OpVariable %in2 Input\n", "").Replace(primitiveScript)
		p, r := permit(t, "outlines.amber", text)
		x := p.Pictures[0]
		right := r.Contents["picture"]
		if len(right) == 0 {
			t.Fatalf("round %d: %v", round, r.Message)
		}
		if x.Undecided != "" {
			if mode == "fill" || !strings.Contains(x.Undecided, "orientation") {
				t.Fatalf("round %d: undecided %q", round, x.Undecided)
			}
			continue
		}
		judged++
		list, _ := x.Judge(right)
		if len(list) > 0 {
			t.Fatalf("round %d: %s, %s, flat %t: %d components are not permitted, the first %+v\n%s", round, mode, topology, flat, len(list), list[0], vertices.String())
		}
		drawn += drawnPixels(right, [4]byte{9, 9, 9, 255})
		if findsSeeded(x, right) {
			found++
		}
	}
	if judged < 60 || drawn < 2000 || found < judged-8 {
		t.Errorf("%d pixels are drawn in %d pictures, and the seeded values of %d are found", drawn, judged, found)
	}
}
