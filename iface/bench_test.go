package iface_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
)

// BenchmarkCorpus measures reflecting modules from their bytes, one thread. The
// modules are the corpus, or the paths in the file that CHIARO_MODULES names. A pass
// goes over all of them. As in ../shared/peers/reflbench.cpp, the results are the sum
// of the least processor time of each module, and the least time of a pass, which
// includes garbage collection. If CHIARO_PER_MODULE names a file, it gets a line
// for each module: path, bytes, microseconds.
func BenchmarkCorpus(b *testing.B) {
	type module struct {
		path string
		data []byte
		best time.Duration
	}
	var list []*module
	size := 0
	for path, data := range benchModules(b) {
		list = append(list, &module{path, data, 1 << 62})
		size += len(data)
	}
	slices.SortFunc(list, func(x, y *module) int { return strings.Compare(x.path, y.path) })
	b.ReportAllocs()
	pass := time.Duration(1 << 62)
	for b.Loop() {
		first := cputime.Now()
		for _, m := range list {
			start := cputime.Now()
			reflectBytes(m.data)
			m.best = min(m.best, cputime.Now()-start)
		}
		pass = min(pass, cputime.Now()-first)
	}
	var sum time.Duration
	var text []byte
	for _, m := range list {
		sum += m.best
		text = fmt.Appendf(text, "%s\t%d\t%.2f\n", m.path, len(m.data), float64(m.best.Nanoseconds())/1e3)
	}
	b.ReportMetric(float64(len(list))/sum.Seconds(), "modules/s")
	b.ReportMetric(float64(size)/1e6/sum.Seconds(), "MB/s")
	b.ReportMetric(pass.Seconds()*1e3, "best-pass-cpu-ms")
	if at := os.Getenv("CHIARO_PER_MODULE"); at != "" {
		if err := os.WriteFile(at, text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
}

// benchModules returns the modules to measure, by their paths.
func benchModules(b *testing.B) map[string][]byte {
	at := os.Getenv("CHIARO_MODULES")
	if at == "" {
		return corpus(b)
	}
	paths, err := os.ReadFile(at)
	if err != nil {
		b.Fatal(err)
	}
	out := map[string][]byte{}
	for _, path := range strings.Fields(string(paths)) {
		if out[path], err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	return out
}
