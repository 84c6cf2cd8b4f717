package ptxlower

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// TestHostile lowers modules with random changes: words of a line are replaced by words of other lines, lines are removed, repeated and
// moved. Lower returns a program or an error, and never panics.
func TestHostile(t *testing.T) {
	n := 150
	if os.Getenv("CHIARO_LONG") != "" {
		n = 3000
	}
	r := rand.New(rand.NewPCG(3, 4))
	sources := []string{readPTX(t, "programs/p1.O0.ptx"), readPTX(t, "programs/p1.O2.ptx"), readPTX(t, "programs/p2.O1.ptx"), readPTX(t, "groups/g1.O1.ptx"), readPTX(t, "groups/g1.O0.ptx")}
	programs := 0
	for range n {
		lines := strings.Split(sources[r.IntN(len(sources))], "\n")
		for range 1 + r.IntN(4) {
			at, from := r.IntN(len(lines)), r.IntN(len(lines))
			switch r.IntN(4) {
			case 0:
				lines = append(lines[:at:at], lines[at+1:]...)
			case 1:
				lines[at] = lines[from]
			case 2:
				a, b := strings.Fields(lines[at]), strings.Fields(lines[from])
				if len(a) > 0 && len(b) > 0 {
					a[r.IntN(len(a))] = b[r.IntN(len(b))]
					lines[at] = strings.Join(a, " ")
				}
			case 3:
				lines[at], lines[from] = lines[from], lines[at]
			}
		}
		m, findings := ptx.Parse(strings.Join(lines, "\n"))
		if len(findings) > 0 {
			continue
		}
		image, err := NewImage(m)
		if err != nil {
			continue
		}
		for _, f := range m.Entries() {
			_, err := Lower(m, image, f.Name, Options{Block: [3]uint32{32, 1, 1}})
			if err == nil {
				programs++
			}
			if form := (*ir.VerifyError)(nil); errors.As(err, &form) {
				t.Errorf("the program of %s: %v\n%s", f.Name, err, m)
			}
		}
	}
	if programs < n/4 {
		t.Errorf("%d modules made %d programs; must make at least %d, or the test shows little", n, programs, n/4)
	}
}
