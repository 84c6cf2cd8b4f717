package asm

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// moduleDir is the folder of real modules that the benchmarks run over, unless
// the environment variable CHIARO_MODULES names another.
const moduleDir = "../../../shared/modules"

// modules returns the bytes of all modules at hand.
func modules(tb testing.TB) [][]byte {
	dir := os.Getenv("CHIARO_MODULES")
	if dir == "" {
		dir = moduleDir
	}
	var out [][]byte
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".spv" {
			if data, err := os.ReadFile(path); err == nil {
				if _, err := spirv.Decode(data); err == nil {
					out = append(out, data)
				}
			}
		}
		return nil
	})
	if len(out) == 0 {
		tb.Skipf("no modules under %s; CHIARO_MODULES names a folder of .spv files", dir)
	}
	return out
}

func BenchmarkDecode(b *testing.B) {
	list := modules(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for _, data := range list {
			if _, err := spirv.Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkDisassemble measures bytes to text with friendly names, decoding included.
func BenchmarkDisassemble(b *testing.B) {
	var buf []byte
	list := modules(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for _, data := range list {
			m, err := spirv.Decode(data)
			if err != nil {
				b.Fatal(err)
			}
			if buf, err = Disassemble(buf[:0], m, DisassembleOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
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
		texts = append(texts, text)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		for _, text := range texts {
			if _, err := Assemble(text, AssembleOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
