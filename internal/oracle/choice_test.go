package oracle

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// TestChoices: a sample at an edge has its color from before, or the color of the triangle, in all components together; no color between both.
func TestChoices(t *testing.T) {
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 0, 1, 5, 5, 5, 5}, {-1, 1, 0, 1, 5, 5, 5, 5}, {1, -1, 0, 1, 5, 5, 5, 5}}, nil)
	d.run(t)
	for _, c := range []struct {
		color [4]float32
		wrong int
	}{{[4]float32{5, 5, 5, 5}, 0}, {[4]float32{9, 9, 9, 9}, 0}, {[4]float32{7, 7, 7, 7}, 4}, {[4]float32{5, 5, 9, 5}, 1}} {
		got := make([]byte, 8*8*16)
		for i := range 8 * 8 {
			switch at := i%8 + i/8; {
			case at < 7:
				copy(got[16*i:], floats(5, 5, 5, 5))
			case at > 7 || i != 7:
				copy(got[16*i:], floats(9, 9, 9, 9))
			default: // on the diagonal
				copy(got[16*i:], floats(c.color[:]...))
			}
		}
		if list, any := target.Judge(got); len(list) != c.wrong || any != 0 {
			t.Errorf("%v on an edge: %d violations, %d of any value; must be %d: %+v", c.color, len(list), any, c.wrong, list)
		}
	}
}

// TestChoicesOfTests: a fragment with an open depth test changes the color and the depth, or nothing.
func TestChoicesOfTests(t *testing.T) {
	depth := NewTarget(formatNamed(t, "D32_SFLOAT"), 8, 8, make([]byte, 8*8*4))
	depth.Fill([4]Number{{Low: 0.4, High: 0.6}})
	d, target := drawText(t, "%y = OpCopyObject %v4 %x", [][8]float64{{-1, -1, 0.5, 1, 5}, {-1, 3, 0.5, 1, 5}, {3, -1, 0.5, 1, 5}}, depth)
	s := d.State
	s.DepthStencil.DepthTest, s.DepthStencil.DepthWrite, s.DepthStencil.Compare = true, true, enum.CompareOpLess
	d.run(t)
	of := target.choices[target.index(2, 2)]
	if of == nil || len(of.list) != 2 || depth.choices[depth.index(2, 2)] != of {
		t.Fatalf("the choices of a texel are %+v; must be two of both targets", of)
	}
	for _, one := range of.list {
		if passed := one[0][0].High < 6; passed != (one[1][0].High-one[1][0].Low < 0.01) {
			t.Errorf("a choice has the color %+v and the depth %+v", one[0][0], one[1][0])
		}
	}
	if target.Lose(); target.own(target.index(2, 2)) != nil {
		t.Error("a lost target has choices")
	}
}

// TestMostChoices: many choices become one that permits all of them; choices that another one permits do not count.
func TestMostChoices(t *testing.T) {
	of, target := drawText(t, "%y = OpCopyObject %v4 %x", nil, nil)
	d := &drawing{Draw: of, samples: [][]*Target{{target}}}
	choice := func(v float64) [][]Number {
		texel := make([]Number, 4)
		for i := range texel {
			texel[i] = Number{Low: v, High: v}
		}
		return [][]Number{texel}
	}
	var few, many [][][]Number
	for i := range 100 {
		few, many = append(few, choice(float64(i%maxChoices))), append(many, choice(float64(i)))
	}
	if got := d.atMost(few); len(got) != maxChoices {
		t.Errorf("%d choices, each several times, are %d", maxChoices, len(got))
	}
	if got := d.atMost(many); len(got) != 1 || got[0][0][3].Low != 0 || got[0][0][3].High != 99 {
		t.Errorf("100 choices are %+v; must be one from 0 to 99", got)
	}
}
