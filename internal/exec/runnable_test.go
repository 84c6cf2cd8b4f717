package exec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestCheckRunnable: engines reject stages, inputs, outputs and operations of graphics stages.
func TestCheckRunnable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"program \"p\" vertex\nfunc \"f\"() L1 {\n}\n", "stage vertex"},
		{"program \"p\" compute\nin quad.x i32 0\nfunc \"f\"() L1 {\n}\n", "input quad.x"},
		{"program \"p\" compute\nout fragdepth f32 0\nfunc \"f\"() L1 {\n}\n", "output fragdepth"},
		{"program \"p\" compute\nfunc \"f\"() L1 {\nendprim #1\n}\n", "operation endprim"},
		{"program \"p\" compute\nin subgroupid i32 0\nfunc \"f\"() L1 {\n}\n", ""},
	} {
		p, err := ir.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		err = exec.CheckRunnable("engine", p)
		var u *exec.UnsupportedError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &u) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v; want %q", err, c.want)
		}
	}
}
