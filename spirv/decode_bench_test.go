package spirv

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
)

// corpus returns the modules under the folder that CHIARO_SPV_DIR names, and
// skips where it names none.
func corpus(t testing.TB) map[string][]byte {
	dir := os.Getenv("CHIARO_SPV_DIR")
	if dir == "" {
		t.Skip("CHIARO_SPV_DIR names no folder of .spv files")
	}
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".spv" {
			out[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func BenchmarkDecode(b *testing.B) {
	var list [][]byte
	var bytes, insts int64
	for _, data := range corpus(b) {
		list = append(list, data)
		bytes += int64(len(data))
		if m, err := Decode(data); err == nil {
			insts += int64(m.Len())
		}
	}
	b.SetBytes(bytes)
	b.ReportAllocs()
	for b.Loop() {
		for _, data := range list {
			Decode(data)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(insts), "ns/inst")
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
		for i := range m.Len() {
			n := 1
			w := m.Walk(i)
			for w.Next() {
				n += len(w.Words)
			}
			if n != len(m.Inst(i)) {
				t.Errorf("%s: instruction %d: walked over %d words of %d", name, i+1, n, len(m.Inst(i)))
			}
		}
	}
}
