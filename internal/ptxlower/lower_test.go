package ptxlower

import (
	"bytes"
	"math"
	"os"
	"testing"
)

// TestVectorAdd runs c = a + b as clang compiles it at -O0 to -O3.
func TestVectorAdd(t *testing.T) {
	for _, level := range []string{"O0", "O1", "O2", "O3"} {
		src, err := os.ReadFile("testdata/vecadd." + level + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		m := parse(t, string(src))
		for _, e := range engines {
			var a, b, want []uint32
			for i := range 100 {
				a = append(a, math.Float32bits(float32(i)))
				b = append(b, math.Float32bits(0.5))
				if i < 90 {
					want = append(want, math.Float32bits(float32(i)+0.5))
				} else {
					want = append(want, 0)
				}
			}
			c := make([]byte, 400)
			l := launch{kernel: "vecadd", grid: [3]uint32{2, 1, 1}, block: [3]uint32{64, 1, 1}, args: []any{words(a...), words(b...), c, 90}}
			if err := l.run(m, e.engine, e.optimize); err != nil {
				t.Fatal(level, e.name, err)
			}
			if !bytes.Equal(c, words(want...)) {
				t.Errorf("%s, %s: %x", level, e.name, c)
			}
		}
	}
}
