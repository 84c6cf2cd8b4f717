//go:build unix

package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// BenchmarkCompile compiles the modules of the folder that CHIARO_KERNELS names,
// from words to machine code.
func BenchmarkCompile(b *testing.B) {
	if !hasJIT() {
		b.Skip("needs linux on amd64 with AVX-512 or AVX2")
	}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("CHIARO_KERNELS"), "*.spv"))
	if len(files) == 0 {
		b.Skip("CHIARO_KERNELS names no folder with modules")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(file), ".spv"), func(b *testing.B) {
			b.ReportAllocs()
			var spent [5]int64
			begin := cputime.Now()
			lap := func(i int) {
				now := cputime.Now()
				spent[i] += (now - begin).Nanoseconds()
				begin = now
			}
			for b.Loop() {
				begin = cputime.Now()
				m, err := spirv.Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				f := facts.Gather(m, nil)
				v := valid.Assume(f)
				lap(0)
				p, err := lower.Stage(v, &f.EntryPoints[0], lower.Options{})
				if err != nil {
					b.Skip(err)
				}
				lap(1)
				pass.Run(p)
				lap(2)
				prog, err := jit.Engine{}.Compile(p, exec.Options{})
				if err != nil {
					b.Skip(err)
				}
				lap(3)
				prog.Close()
				lap(4)
			}
			for i, name := range []string{"read", "lower", "pass", "jit", "close"} {
				b.ReportMetric(float64(spent[i])/1e3/float64(b.N), "us-"+name)
			}
		})
	}
}
