package pass

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// fromBases loads a word at an index, extended by an operation, from each of several constant addresses.
func fromBases(extend string, bases ...uint64) string {
	var b strings.Builder
	b.WriteString("program \"p\" compute\nsubgroup 16\nlocal 16 1 1\nin localindex i32 0\nres storage 0 0 count 1\n\nfunc \"main\"() L1 {\nv1 = res 0:i32, #0\nv2 = in.i32 #0\n" +
		"v3 = " + extend + " v2\n")
	at := 4
	for _, base := range bases {
		fmt.Fprintf(&b, "v%d = add.i64 %d:i64, v3\nv%d = region v%d, #4\nv%d = regionoff v%d, v%d\nv%d = ld.i32 v%d, v%d, #0\nst.i32 v1, 0:i32, v%d, #0\n",
			at, base, at+1, at, at+2, at+1, at, at+3, at+1, at+2, at+3)
		at += 4
	}
	b.WriteString("}\n")
	return b.String()
}

// ofBase finds the regions of bases, which need one byte.
var ofBase = regexp.MustCompile(`= region .*, #1\n`)

// TestBases: each constant address has a region of its own, however large the address is. An index that is negative, and extended with its
// sign, is not one beyond 2 GiB of the region.
func TestBases(t *testing.T) {
	for _, c := range []struct {
		extend string
		bases  []uint64
		want   int // regions of bases
		bounds int // of signed indices
	}{
		{"zext.i64.i32", []uint64{0x7f00_0000_1000, 0x7f00_0000_2000}, 2, 0},
		{"zext.i64.i32", []uint64{0x7f00_8000_0000, 0x7f00_9000_0000, 0x7fff_9000_0000}, 3, 0},
		{"zext.i64.i32", []uint64{0x7f00_8000_0000, 0x7f00_8000_0000}, 1, 0},
		{"sext.i64.i32", []uint64{0x7f00_0000_1000}, 1, 1},
	} {
		p, err := ir.Parse(fromBases(c.extend, c.bases...))
		if err != nil {
			t.Fatal(err)
		}
		baseRegion(p, p.Funcs[0])
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		text := p.String()
		if n := len(ofBase.FindAllString(text, -1)); n != c.want {
			t.Errorf("%x: %d regions of bases; want %d:\n%s", c.bases, n, c.want, text)
		}
		if n := strings.Count(text, "umin.i32"); n != c.bounds {
			t.Errorf("%s: %d bounds of signed indices; want %d:\n%s", c.extend, n, c.bounds, text)
		}
	}
}

// TestOffsetsOfAtomics: an index in range of a region needs no saturating offset. That of a load has the form in which the vectorizer finds
// consecutive elements.
func TestOffsetsOfAtomics(t *testing.T) {
	text := fromBases("zext.i64.i32", 0x7f00_0000_1000)
	atomic := strings.Replace(text, "ld.i32 v5, v6, #0", "atomadd.i32 v5, v6, 1:i32, #0", 1)
	for _, c := range []struct {
		text string
		want int
	}{{text, 1}, {atomic, 0}} {
		p, err := ir.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		baseRegion(p, p.Funcs[0])
		if err := p.Verify(); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(p.String(), "= at "); n != c.want {
			t.Errorf("%d saturating offsets; want %d:\n%s", n, c.want, p)
		}
	}
}
