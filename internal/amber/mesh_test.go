package amber

import (
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// TestMeshFaults runs testdata/mesh.amber with a fault each.
func TestMeshFaults(t *testing.T) {
	b, err := os.ReadFile("testdata/mesh.amber")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, message string }{
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks DRAW_MESH 65536 1 1", "must be at most 65535"},
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks DRAW_MESH 4 1", "a number of groups"},
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks DRAW_ARRAY AS TRIANGLE_LIST COUNT 3", "stage-06481"},
		{"RUN tasks DRAW_MESH 4 1 1", "RUN tasks 4 1 1", "cannot run so"},
		{"  ATTACH tiles\n", "", "07087"},
		{"PIPELINE graphics tasks", "PIPELINE compute tasks", "shader rows in a compute pipeline"},
		{"OFFSET 36", "OFFSET 3", "must be a multiple of 4"},
		{"OFFSET 36", "OFFSET 64", "buffer"},
		{"7 2 1 1", "7 65536 1 1", "65536"},
		{"7 2 1 1", "7 65535 65535 1", "4194304"},
	} {
		text := strings.Replace(string(b), c.from, c.to, 1)
		if text == string(b) {
			t.Fatalf("%q is not in the script", c.from)
		}
		message := ""
		if s, err := Parse("test.amber", []byte(text), nil); err != nil {
			message = err.Error()
		} else if r := Run(t.Context(), s, Options{Engine: interp.Engine{}}); r.Status != Pass {
			message = r.Message
		}
		if !strings.Contains(message, c.message) || message == "" {
			t.Errorf("%q: %q; must have %q", c.to, message, c.message)
		}
	}
}
