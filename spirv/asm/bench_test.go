package asm

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/cputime"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// moduleArchive holds real modules. The environment variable CHIARO_MODULES
// names a folder of .spv files, or a file that lists them, to use instead.
const moduleArchive = "../../../shared/corpus/spv/dev.tar.xz"

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

// modules returns the bytes of all modules at hand that decode.
func modules(tb testing.TB) [][]byte {
	var out [][]byte
	for _, path := range moduleFiles(tb) {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := spirv.Decode(data); err == nil {
			out = append(out, data)
		}
	}
	if len(out) == 0 {
		tb.Skip("no modules to run over")
	}
	return out
}

// passes runs f, which goes over all modules once, b.N times, and reports the
// least processor time of a pass: other programs on the machine do not count.
func passes(b *testing.B, f func()) {
	b.ReportAllocs()
	b.ResetTimer()
	best := time.Duration(1<<63 - 1)
	for range b.N {
		start := cputime.Now()
		f()
		best = min(best, cputime.Now()-start)
	}
	b.ReportMetric(float64(best.Microseconds()), "best-cpu-us")
}

func BenchmarkDecode(b *testing.B) {
	list := modules(b)
	passes(b, func() {
		for _, data := range list {
			if _, err := spirv.Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDisassemble measures bytes to text with friendly names, decoding included.
func BenchmarkDisassemble(b *testing.B) {
	list := modules(b)
	var buf []byte
	passes(b, func() {
		for _, data := range list {
			m, err := spirv.Decode(data)
			if err != nil {
				b.Fatal(err)
			}
			if buf, err = Disassemble(buf[:0], m, DisassembleOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkAssemble measures text with friendly names to words.
func BenchmarkAssemble(b *testing.B) {
	var texts [][]byte
	for _, data := range modules(b) {
		m, err := spirv.Decode(data)
		if err != nil {
			b.Fatal(err)
		}
		text, err := Disassemble(nil, m, DisassembleOptions{})
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, bytes.Clone(text))
	}
	passes(b, func() {
		for _, text := range texts {
			if _, err := Assemble(text, AssembleOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
