package lower

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// BenchmarkStage lowers the modules of all golden cases and reports the time
// for each value of the IR.
func BenchmarkStage(b *testing.B) {
	var list []*valid.Module
	for _, text := range sources(b) {
		m := asmtest.Module(b, text, spirv.Version16)
		list = append(list, valid.Assume(facts.Gather(m, nil)))
	}
	values := 0
	for b.Loop() {
		values = 0
		for _, m := range list {
			p, err := Stage(m, &m.Facts().EntryPoints[0], Options{})
			if err == nil {
				for _, f := range p.Funcs {
					values += len(f.Vals)
				}
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*values), "ns/value")
}
