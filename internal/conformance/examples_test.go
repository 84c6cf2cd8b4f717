package conformance

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// TestExampleReports runs examples whose shaders are sound: the sanitizers report nothing. They have ray queries in Private memory, and a
// geometry shader that stores to all outputs before each vertex.
func TestExampleReports(t *testing.T) {
	for _, name := range []string{"rays", "burst", "deferred", "mandelbrot", "sum"} {
		file := filepath.Join("../../examples", name+".amber")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := amber.Parse(file, text, func(name string) ([]byte, error) { return os.ReadFile(filepath.Join("../../examples", name)) })
		if err != nil {
			t.Fatal(err)
		}
		r := amber.Run(context.Background(), s, amber.Options{Engine: fastest(), Workers: 1, Lowering: lower.Options{Sanitize: ir.SanitizeFaults}})
		if r.Status != amber.Pass || len(r.Reports) > 0 {
			t.Errorf("%s: %s %s, the reports %v; must pass without one", file, r.Status, r.Message, r.Reports)
		}
	}
}
