package amber

import (
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// TestRayTracingFaults runs testdata/raytracing.amber with a fault each.
func TestRayTracingFaults(t *testing.T) {
	b, err := os.ReadFile("testdata/raytracing.amber")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		status   Status
		message  string
	}{
		{"FLAGS OPAQUE", "FLAGS OPAQUE", Pass, ""},
		{"    solid\n    procedural\n", "    solid\n    nothing\n", Failed, "nothing in binding table hits is no group of pipeline p"},
		{"RUN p RAYGEN", "RUN parts RAYGEN rays 1 1 1\nRUN p RAYGEN", Failed, `"rays" is no binding table of pipeline parts`},
		{"RUN p RAYGEN", "RUN parts 1 1 1\nRUN p RAYGEN", Failed, `"parts" is a ray tracing pipeline and cannot run so`},
		{"  BIND BUFFER push AS push_constant\n", "", Failed, "0 bytes of push constants"},
		{"SHADER_GROUP start gen", "SHADER_GROUP start unknown", Failed, "unknown"},
		{"4 2 1", "4000000000 2 1", Failed, "4000000000"},
		{"MAX_RAY_RECURSION_DEPTH 1", "MAX_RAY_RECURSION_DEPTH 900", NotSupported, "levels of recursion"},
	} {
		text := strings.Replace(string(b), c.from, c.to, 1)
		if c.from != c.to && text == string(b) {
			t.Fatalf("%q is not in the script", c.from)
		}
		s, err := Parse("test.amber", []byte(text), nil)
		if err != nil {
			if c.status != Failed || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%q: %v; must be %s with %q", c.to, err, c.status, c.message)
			}
			continue
		}
		r := Run(t.Context(), s, Options{Engine: interp.Engine{}})
		if r.Status != c.status || !strings.Contains(r.Message, c.message) {
			t.Errorf("%q: %s %s; must be %s with %q", c.to, r.Status, r.Message, c.status, c.message)
		}
	}
}
