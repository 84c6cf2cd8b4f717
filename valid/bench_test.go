package valid

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// moduleArchive holds real modules. The environment variable CHIARO_MODULES
// names a folder of .spv files, or a file that lists them, to use instead.
const moduleArchive = "../../shared/corpus/spv/dev.tar.xz"

// moduleFiles returns the paths of the modules at hand.
func moduleFiles(tb testing.TB) []string {
	at := os.Getenv("CHIARO_MODULES")
	if at == "" {
		if _, err := os.Stat(moduleArchive); err != nil {
			tb.Skip("no modules: CHIARO_MODULES does not name any")
		}
		at = tb.TempDir()
		if out, err := exec.Command("tar", "-xJf", moduleArchive, "-C", at).CombinedOutput(); err != nil {
			tb.Skipf("cannot unpack modules: %v: %s", err, out)
		}
	}
	if list, err := os.ReadFile(at); err == nil {
		return strings.Fields(string(list))
	}
	var out []string
	filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".spv" {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// judgeBytes checks a module from its bytes, as chiaro check does, and returns
// the number of findings: one if it does not decode.
func judgeBytes(tb testing.TB, data []byte, env *Env) int {
	m, err := spirv.DecodeWith(data, spirv.Options{Shared: true})
	if err != nil {
		return 1
	}
	f := facts.Gather(m, nil)
	r, err := Check(context.Background(), f, env, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	f.Release()
	m.Release()
	return len(r.Findings)
}

// BenchmarkCheck measures decoding, gathering facts and checking, one thread. A
// pass goes over all modules at hand. As in ../shared/peers/stbench.cpp, the results
// are the sum of the least processor time of each module, and the least time of a
// pass, which includes garbage collection. If CHIARO_PER_MODULE names a file, it
// gets a line for each module: path, bytes, findings, microseconds.
func BenchmarkCheck(b *testing.B) {
	name := os.Getenv("CHIARO_ENV")
	if name == "" {
		name = "vulkan1.3"
	}
	env, ok := ParseEnv(name)
	if !ok {
		b.Fatalf("no environment %s", name)
	}
	type module struct {
		path     string
		data     []byte
		findings int
		best     time.Duration
	}
	var list []*module
	words := 0
	for _, path := range moduleFiles(b) {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, &module{path: path, data: data, best: 1 << 62})
		words += len(data) / 4
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pass := time.Duration(1 << 62)
	for b.Loop() {
		first := cputime.Now()
		for _, m := range list {
			start := cputime.Now()
			m.findings = judgeBytes(b, m.data, env)
			m.best = min(m.best, cputime.Now()-start)
		}
		pass = min(pass, cputime.Now()-first)
	}
	runtime.ReadMemStats(&after)
	var sum time.Duration
	for _, m := range list {
		sum += m.best
	}
	b.ReportMetric(float64(len(list))/sum.Seconds(), "modules/s")
	b.ReportMetric(sum.Seconds()*1e3, "sum-min-cpu-ms")
	b.ReportMetric(pass.Seconds()*1e3, "best-pass-cpu-ms")
	b.ReportMetric(float64(words*4)/1e6/sum.Seconds(), "MB/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(words), "B/word")
	if at := os.Getenv("CHIARO_PER_MODULE"); at != "" {
		var text []byte
		slices.SortFunc(list, func(x, y *module) int { return strings.Compare(x.path, y.path) })
		for _, m := range list {
			text = fmt.Appendf(text, "%s\t%d\t%d\t%.2f\n", m.path, len(m.data), m.findings, float64(m.best.Nanoseconds())/1e3)
		}
		if err := os.WriteFile(at, text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
}
