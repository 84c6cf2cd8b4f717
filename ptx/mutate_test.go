package ptx_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/ptx"
)

// someLines returns a module of some of the lines of everything, so that an input is small. One of eight has all.
func someLines(r *rand.Rand, lines []string) []byte {
	keep := 2 + r.IntN(3)
	if r.IntN(8) == 0 {
		keep = 16
	}
	var b []byte
	for i, line := range lines {
		first := strings.TrimLeft(line, "\t")
		frame := i < 3 || strings.HasPrefix(first, ".visible .entry") || first == "{" || first == "}"
		if frame || r.IntN(16) < keep {
			b = append(append(b, line...), '\n')
		}
	}
	return b
}

// TestMutations reads texts with random changes: parts are removed, repeated, moved or replaced. CHIARO_LONG makes it
// long. A number in it counts the inputs, and gives other ones.
func TestMutations(t *testing.T) {
	n := 2000
	if s := os.Getenv("CHIARO_LONG"); s != "" {
		n = 1 << 20
		if v, err := strconv.Atoi(s); err == nil && v > 1 {
			n = v
		}
	}
	r := rand.New(rand.NewPCG(uint64(n), 2))
	lines := strings.Split(everything, "\n")
	for range n {
		b := someLines(r, lines)
		for range 1 + r.IntN(6) {
			at := r.IntN(len(b))
			end := min(at+1+r.IntN(20), len(b))
			to := r.IntN(len(b))
			switch r.IntN(4) {
			case 0:
				b = append(b[:at:at], b[end:]...)
			case 1:
				b = append(append(b[:to:to], b[at:end]...), b[to:]...)
			case 2:
				b[at] = everything[r.IntN(len(everything))]
			case 3:
				b[at] = byte(r.IntN(256))
			}
		}
		m, findings := ptx.Parse(string(b))
		ptx.Check(m)
		if len(findings) > 0 {
			continue
		}
		text := m.String()
		again, findings := ptx.Parse(text)
		if len(findings) > 0 || again.String() != text {
			t.Fatalf("%s is printed as %s: %v", b, text, findings)
		}
	}
}
