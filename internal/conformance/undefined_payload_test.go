package conformance

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// undefinedPayloads are scripts without one of their stores, and the texts of a report; none for a script without a fault.
var undefinedPayloads = []struct{ file, without, report string }{
	{"raytracing", "", ""},
	{"raytracing", "OpStore %p %uint_0\n", "a store depends on %3 or %6, without a value"}, // the closest-hit shader adds to it
	{"raytracing", "OpStore %d %38\n", "a store depends on %6, without a value"},
	{"raytracing", "OpStore %at %12\n", "a store depends on %3 or %6, without a value"}, // a sum with the attribute is in the payload
	{"mesh", "", ""},
	{"mesh", "OpStore %28 %26\n", "depends on the payload of the task, without a value"},
}

// TestUndefinedPayloads: a payload, callable data and hit attributes stay undefined from shader to shader until one stores to them.
func TestUndefinedPayloads(t *testing.T) {
	for _, x := range undefinedPayloads {
		text, err := os.ReadFile("../amber/testdata/" + x.file + ".amber")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []exec.Engine{interp.Engine{}, fastest()} {
			if !strings.Contains(string(text), x.without) {
				t.Fatalf("%s has no %q", x.file, x.without)
			}
			s, err := amber.Parse(x.file, []byte(strings.Replace(string(text), x.without, "", 1)), os.ReadFile)
			if err != nil {
				t.Fatal(err)
			}
			r := amber.Run(context.Background(), s, amber.Options{Engine: e, Workers: 1, Lowering: lower.Options{Sanitize: ir.SanitizeUninit}})
			var all []string
			for _, report := range r.Reports {
				all = append(all, report.Message)
			}
			if got := strings.Join(all, "\n"); (got == "") != (x.report == "") || !strings.Contains(got, x.report) {
				t.Errorf("%s without %q: reports %q; must contain %q", x.file, x.without, all, x.report)
			}
		}
	}
}
