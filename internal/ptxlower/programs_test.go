package ptxlower

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// program is a module of testdata/programs, in C++ or, p4, in OpenCL C with the functions of libclc; p5 to p7 are of the ISA 8.6 to 8.8
// by clang 22, p9 has shared memory, atomics of 64 bits, tables of functions and the heap. Its kernels have the parameters (out, in, n),
// and the text file beside the PTX has the words that each writes, as the same text compiled for the CPU does.
type program struct {
	name, fill   string
	grid, block  uint32
	shared, size uint32 // bytes of dynamic shared memory, words of out
	want         map[string][]uint32
}

// inputs returns the 64 words that the kernels read.
func (p *program) inputs() []uint32 {
	x, list := uint32(12345), make([]uint32, 64)
	for i := range list {
		x = x*1664525 + 1013904223
		list[i] = x ^ x>>15
		if p.fill == "floats" {
			list[i] = x&0x807fffff | (120+(x>>23&15))<<23
		}
	}
	return list
}

// readProgram reads the results of a program.
func readProgram(t testing.TB, path string) *program {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := &program{name: strings.TrimSuffix(path, ".txt"), grid: 2, block: 32, size: 128, want: map[string][]uint32{}}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if fields[0] == "fill" {
			p.fill = fields[1]
			continue
		}
		if fields[0] == "launch" {
			fmt.Sscan(strings.Join(fields[1:], " "), &p.grid, &p.block, &p.shared, &p.size)
			continue
		}
		list := make([]uint32, len(fields)-1)
		for i, w := range fields[1:] {
			fmt.Sscanf(w, "%x", &list[i])
		}
		p.want[fields[0]] = list
	}
	return p
}

// TestPrograms runs the kernels of each program as clang compiles them at -O0 to -O3, on each engine.
func TestPrograms(t *testing.T) {
	paths, err := filepath.Glob("testdata/programs/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range paths {
		p := readProgram(t, path)
		files, _ := filepath.Glob(p.name + ".*.ptx")
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, string(src))
			if findings := ptx.Check(m); len(findings) > 0 {
				t.Errorf("%s: %v", file, findings[0])
			}
			if len(m.Entries()) != len(p.want) {
				t.Errorf("%s has %d kernels; must have %d", file, len(m.Entries()), len(p.want))
			}
			for _, f := range m.Entries() {
				runProgram(t, file, p, m, f.Name)
			}
		}
	}
}

// runProgram runs a kernel on the engines.
func runProgram(t *testing.T, file string, p *program, m *ptx.Module, kernel string) {
	for _, e := range engines {
		out := make([]byte, 4*p.size)
		l := launch{kernel: kernel, grid: [3]uint32{p.grid, 1, 1}, block: [3]uint32{p.block, 1, 1}, shared: p.shared, args: []any{out, words(p.inputs()...), 64}}
		if err := l.run(m, e.engine, e.optimize); err != nil {
			t.Errorf("%s, %s: %v", file, kernel, err)
			return
		}
		for i, want := range p.want[kernel] {
			if got := word(out[4*i:]); got != want {
				t.Errorf("%s, %s on the %s: word %d is %#x; must be %#x", file, kernel, e.name, i, got, want)
				break
			}
		}
	}
}
