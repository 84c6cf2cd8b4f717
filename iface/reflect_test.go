package iface

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

var update = flag.Bool("update", false, "rewrite the forms in testdata")

// reflectText reflects a module in assembly.
func reflectText(t testing.TB, text []byte) []*Entry {
	t.Helper()
	m := asmtest.Module(t, text, spirv.Version16)
	return Reflect(valid.Assume(facts.Gather(m, nil)))
}

// TestCases pins the interface of each module in testdata.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(text)
			got, err := json.MarshalIndent(reflectText(t, a.Files[0].Data), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "iface", Data: got})
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) < 2 || !bytes.Equal(got, a.Files[1].Data) {
				t.Errorf("the interface is\n%s", got)
			}
		})
	}
}

// TestSlots holds Type.Slots and Type.Words against Location Assignment and
// Component Assignment.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		t     Type
		slots uint64
		words int
	}{
		{Type{Kind: Float, Width: 32, Rows: 1, Columns: 1}, 1, 1},
		{Type{Kind: Float, Width: 32, Rows: 4, Columns: 1}, 1, 4},
		{Type{Kind: Float, Width: 16, Rows: 3, Columns: 1}, 1, 3},
		{Type{Kind: Float, Width: 64, Rows: 1, Columns: 1}, 1, 2},
		{Type{Kind: Float, Width: 64, Rows: 2, Columns: 1}, 1, 4},
		{Type{Kind: Float, Width: 64, Rows: 3, Columns: 1}, 2, 4},
		{Type{Kind: Float, Width: 64, Rows: 4, Columns: 1}, 2, 4},
		{Type{Kind: Float, Width: 32, Rows: 3, Columns: 4}, 4, 3},
		{Type{Kind: Float, Width: 64, Rows: 4, Columns: 4}, 8, 4},
		{Type{Kind: Int, Width: 32, Rows: 2, Columns: 1, Arrays: []uint64{3, 2}}, 6, 2},
	} {
		if got := c.t.Slots(); got != c.slots {
			t.Errorf("%s takes %d locations; must be %d", c.t, got, c.slots)
		}
		if got := c.t.Words(); got != c.words {
			t.Errorf("%s takes %d components; must be %d", c.t, got, c.words)
		}
	}
}

// TestReflectReal reflects every module of a folder, CHIARO_MODULES; nothing may
// panic.
func TestReflectReal(t *testing.T) {
	dir := os.Getenv("CHIARO_MODULES")
	if dir == "" {
		t.Skip("CHIARO_MODULES names no folder of modules")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.spv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := spirv.Decode(data); err == nil {
			Reflect(valid.Assume(facts.Gather(m, nil)))
		}
	}
}

// BenchmarkReflect measures decoding, facts and reflection of one module with
// everything in it.
func BenchmarkReflect(b *testing.B) {
	text, err := os.ReadFile("testdata/compute.txtar")
	if err != nil {
		b.Fatal(err)
	}
	words := asmtest.Words(b, txtar.Parse(text).Files[0].Data, spirv.Version16)
	for b.Loop() {
		m, err := spirv.FromWords(words)
		if err != nil {
			b.Fatal(err)
		}
		Reflect(valid.Assume(facts.Gather(m, nil)))
	}
}
