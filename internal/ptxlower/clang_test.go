package ptxlower

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// TestClangPrograms runs the programs of testdata/instructions on each engine, as clang 14 compiles them at -O0 and -O2 for sm_80 with
// instructions that C++ has by assembly text only: .f16, .f16x2 and .bf16x2, all rounding modes, saturation, atomics, cp.async, mma, redux, match.
// Their kernels have the parameters (a, b, o). want.txt has the 64 words of each that the same text yields on the CPU, where numbers of 16 bits are
// doubles that each operation rounds.
func TestClangPrograms(t *testing.T) {
	text, err := os.ReadFile("testdata/instructions/want.txt")
	if err != nil {
		t.Fatal(err)
	}
	var a, b [256]uint32
	for i, x := 0, uint32(12345); i < len(a); i++ {
		x = x*1664525 + 1013904223
		a[i] = x>>17 - 8000
		x = x*1664525 + 1013904223
		b[i] = x>>19 - 3000
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		files, _ := filepath.Glob("testdata/instructions/" + fields[0] + ".*.ptx")
		if len(files) != 2 {
			t.Fatalf("%s has %d modules; must have 2", fields[0], len(files))
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, string(src))
			if findings := ptx.Check(m); len(findings) > 0 {
				t.Errorf("%s: %v", file, findings[0])
			}
			for _, e := range engines {
				out := make([]byte, 4*64)
				l := launch{kernel: "k", grid: [3]uint32{1, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{words(a[:]...), words(b[:]...), out}}
				if err := l.run(m, e.engine, e.optimize); err != nil {
					t.Errorf("%s on the %s: %v", file, e.name, err)
					continue
				}
				for i, w := range fields[1:] {
					if want, _ := strconv.ParseUint(w, 16, 32); word(out[4*i:]) != uint32(want) {
						t.Errorf("%s on the %s: word %d is %#x; must be %#x", file, e.name, i, word(out[4*i:]), want)
						break
					}
				}
			}
		}
	}
}
