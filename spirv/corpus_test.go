package spirv

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
)

// corpus returns the corpus modules: those under the folder in
// CHIARO_SPV_DIR, otherwise those of an archive beside the repository. It
// skips the test if there are neither.
func corpus(t testing.TB) map[string][]byte {
	if dir := os.Getenv("CHIARO_SPV_DIR"); dir != "" {
		list, err := readFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	list, err := readArchive()
	if err != nil {
		t.Skip("no modules to read: CHIARO_SPV_DIR names no folder, and", err)
	}
	return list
}

func readFolder(dir string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".spv" {
			out[path], err = os.ReadFile(path)
		}
		return err
	})
	return out, err
}

var readArchive = sync.OnceValues(func() (map[string][]byte, error) {
	const name = "../../shared/corpus/spv/dev.tar.xz"
	if _, err := os.Stat(name); err != nil {
		return nil, err
	}
	data, err := exec.Command("xz", "-dc", name).Output()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if filepath.Ext(h.Name) == ".spv" {
			if out[h.Name], err = io.ReadAll(r); err != nil {
				return nil, err
			}
		}
	}
})

func BenchmarkDecode(b *testing.B) {
	var list [][]byte
	var size, insts int64
	for _, data := range corpus(b) {
		list = append(list, data)
		size += int64(len(data))
		if m, err := Decode(data); err == nil {
			insts += int64(m.Len())
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range list {
			Decode(data)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(insts), "ns/inst")
}

func BenchmarkWalk(b *testing.B) {
	var list []*Module
	var size int64
	for _, data := range corpus(b) {
		if m, err := Decode(data); err == nil {
			list = append(list, m)
			size += int64(len(data))
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range list {
			for i := range m.Len() {
				for w := m.Walk(i); w.Next(); {
				}
			}
		}
	}
}

// TestCorpus demands that real modules decode, walk to their ends and encode
// to the same bytes.
func TestCorpus(t *testing.T) {
	for name, data := range corpus(t) {
		m, err := Decode(data)
		var f *diag.Finding
		if errors.As(err, &f) && (f.Code == "SPV-Id-Zero" || f.Code == "SPV-ExtInst-Import") {
			continue // some compilers do write these; every reader must refuse them
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(m.Encode(), data) {
			t.Errorf("%s: not the same bytes", name)
		}
		walkAll(t, name, m)
	}
}

// walkAll demands that the walk over each instruction sees each word once.
func walkAll(t *testing.T, name string, m *Module) {
	for i, in := range m.All() {
		next := 1
		for w := m.Walk(i); w.Next(); next += len(w.Words) {
			if w.Pos != next {
				t.Fatalf("%s: instruction %d: operand at word %d; must be at %d", name, i+1, w.Pos, next)
			}
		}
		if next != len(in) {
			t.Fatalf("%s: instruction %d: walked over %d words of %d", name, i+1, next, len(in))
		}
	}
}
