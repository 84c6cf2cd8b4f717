package valid

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// BenchmarkCheck decodes and judges the modules that the file named by
// CHIARO_MODULES lists, one path a line, as stbench's mode valraw does.
func BenchmarkCheck(b *testing.B) {
	list, err := os.ReadFile(os.Getenv("CHIARO_MODULES"))
	if err != nil {
		b.Skip("without a list of modules in CHIARO_MODULES")
	}
	var modules [][]byte
	words := 0
	for _, file := range strings.Fields(string(list)) {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		modules = append(modules, data)
		words += len(data) / 4
	}
	env, _ := ParseEnv("vulkan1.3")
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range modules {
			m, err := spirv.Decode(data)
			if err != nil {
				continue
			}
			if _, err := Check(context.Background(), facts.Gather(m, nil), env, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(modules)), "modules/op")
	b.ReportMetric(float64(words), "words/op")
}
