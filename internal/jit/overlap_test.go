package jit

import (
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

func TestOverlap(t *testing.T) {
	memory := make([]byte, 1<<16)
	part := func(from, to int) []exec.Buffer { return []exec.Buffer{{Bytes: memory[from:to]}} }
	for _, c := range []struct {
		what      string
		resources [][]exec.Buffer
		written   []int
		want      bool
	}{
		{"side by side", [][]exec.Buffer{part(0, 64), part(64, 128)}, []int{0}, false},
		{"a byte, written", [][]exec.Buffer{part(0, 65), part(64, 128)}, []int{0}, true},
		{"a byte, the later one written", [][]exec.Buffer{part(0, 65), part(64, 128)}, []int{1}, true},
		{"a byte that is only read", [][]exec.Buffer{part(0, 65), part(64, 128), part(256, 300)}, []int{2}, false},
		{"within one that began long before", [][]exec.Buffer{part(0, 1000), part(8, 16), part(512, 520)}, []int{2}, true},
		{"one that is read between", [][]exec.Buffer{part(0, 1000), part(8, 2000), part(1024, 1032)}, []int{0}, true},
		{"two of one resource", [][]exec.Buffer{append(part(0, 64), part(32, 96)...)}, []int{0}, true},
		{"nothing", [][]exec.Buffer{part(0, 64), part(32, 32)}, []int{0, 1}, false},
		{"none bound", nil, []int{0}, false},
	} {
		if got := new(handles).aliases(&exec.Job{Resources: c.resources}, c.written); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	var many []exec.Buffer
	for i := range 50_000 {
		many = append(many, exec.Buffer{Bytes: memory[i : i+1]})
	}
	begin := time.Now()
	if new(handles).aliases(&exec.Job{Resources: [][]exec.Buffer{many}}, []int{0}) {
		t.Error("many: they do not")
	}
	read := []exec.Buffer{{Bytes: memory[60_000:]}}
	list := exec.NewList(append(make([]exec.Buffer, len(many)), read...))
	for _, n := range []int{1, len(many)} { // written descriptors beside a long list
		job := &exec.Job{Resources: [][]exec.Buffer{many[:n], list.Buffers()}, Lists: []*exec.List{nil, list}}
		if new(handles).aliases(job, []int{0}) {
			t.Errorf("%d and a list: they do not", n)
		}
		if job.Resources[0] = append(many[:n:n], read...); !new(handles).aliases(job, []int{0}) {
			t.Errorf("%d and a list: they do", n)
		}
	}
	if d := time.Since(begin); d > 2*time.Second {
		t.Errorf("many descriptors took %v", d)
	}
}
