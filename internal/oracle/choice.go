package oracle

import (
	"math"
	"slices"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// A fragment with an open coverage, or an open test, leaves the contents of a texel as they are or changes them; no result is between both.
// The texel has choices then. Its cells permit the values of all of them.

// choices are the contents that a texel of some targets may have: one of the list, in all targets and components together.
type choices struct {
	targets []*Target
	list    [][][]Number // by the choice, the target and the component; they do not change
}

// maxChoices bounds the choices of a texel. More of them are one range.
const maxChoices = 16

// contents returns the choices of a texel of the current targets, at least one.
func (d *drawing) contents(x, y int) [][][]Number {
	targets := d.targets()
	var of *choices
	for i, t := range targets {
		if t == nil || t.texel(x, y) == nil {
			continue
		}
		next := t.choices[t.index(x, y)]
		if next == nil || of != nil && next != of || !slices.Equal(next.targets, targets) || next.list[0][i] == nil {
			return [][][]Number{d.texel(x, y)}
		}
		of = next
	}
	if of == nil {
		return [][][]Number{d.texel(x, y)}
	}
	return of.list
}

// keep stores the choices of a texel.
func (d *drawing) keep(x, y int, list [][][]Number) {
	targets := d.targets()
	few := fewest(targets, list)
	all := d.union(few)
	var of *choices
	if len(few) > 1 && len(few) <= maxChoices {
		of = &choices{targets: slices.Clone(targets), list: few}
	}
	for i, t := range targets {
		if t == nil || all[i] == nil {
			continue
		}
		t.forget(x, y)
		copy(t.texel(x, y), all[i])
		if of != nil {
			if t.choices == nil {
				t.choices = map[int]*choices{}
			}
			t.choices[t.index(x, y)] = of
		}
	}
}

// fewest returns the choices without those that another one permits.
func fewest(targets []*Target, list [][][]Number) (few [][][]Number) {
	for _, next := range list {
		if slices.ContainsFunc(few, func(old [][]Number) bool { return within2(targets, next, old) }) {
			continue
		}
		few = append(slices.DeleteFunc(few, func(old [][]Number) bool { return within2(targets, old, next) }), next)
	}
	return few
}

// union returns one choice that permits all of the list.
func (d *drawing) union(list [][][]Number) [][]Number {
	all := list[0]
	for _, next := range list[1:] {
		all = hulls(d, all, next)
	}
	return all
}

// atMost returns at most maxChoices choices that permit the ones of the list: thousands of primitives of a patch may have a sample.
func (d *drawing) atMost(list [][][]Number) [][][]Number {
	if list = fewest(d.targets(), list); len(list) > maxChoices {
		return [][][]Number{d.union(list)}
	}
	return list
}

// within2 reports whether one choice permits no more than another one.
func within2(targets []*Target, a, b [][]Number) bool {
	for i, t := range targets {
		for k := range a[i] {
			if x, y := &a[i][k], &b[i][k]; !y.Any && (x.Any || isInteger(t.components[k]) && x.Bits != y.Bits || !isInteger(t.components[k]) && !(x.Low >= y.Low && x.High <= y.High)) {
				return false
			}
		}
	}
	return true
}

// index is the number of a texel.
func (t *Target) index(x, y int) int { return y*t.Width + x }

// forget removes the choices of a texel. Its cells have all values.
func (t *Target) forget(x, y int) { delete(t.choices, t.index(x, y)) }

// open permits any content of a texel.
func (t *Target) open(x, y int) {
	t.forget(x, y)
	cells := t.texel(x, y)
	for k := range cells {
		cells[k] = Number{Any: true}
	}
}

// Numbers calls do with each number of the target, of its other layers and samples too; with some of them more than once.
func (t *Target) Numbers(do func(n *Number)) {
	for i := range t.Cells {
		do(&t.Cells[i])
	}
	for _, of := range t.choices {
		for _, one := range of.list {
			for _, cells := range one {
				for k := range cells {
					do(&cells[k])
				}
			}
		}
	}
	for _, part := range t.parts() {
		part.Numbers(do)
	}
}

// own returns the cells of each choice of a texel in this target; nil if it has none.
func (t *Target) own(texel int) (list [][]Number) {
	of := t.choices[texel]
	if of == nil {
		return nil
	}
	i := slices.Index(of.targets, t)
	for _, one := range of.list {
		list = append(list, one[i])
	}
	return list
}

// fails returns the components of a texel that are not permitted, by their numbers: those that no choice permits; else the
// first one that the best of the choices does not permit. open counts those with any value.
func (t *Target) fails(texel int, raw func(c format.Component) uint64) (bad []int, open int) {
	list := t.own(texel)
	if list == nil {
		n := len(t.components)
		list = [][]Number{t.Cells[texel*n : texel*n+n]}
	}
	least, first := math.MaxInt, 0
	found := make([]bool, len(t.components))
	free := make([]bool, len(t.components))
	for _, cells := range list {
		wrong, at := 0, 0
		for k, c := range t.components {
			free[k] = free[k] || cells[k].Any
			if cells[k].Any || cells[k].has(c, raw(c)) {
				found[k] = true
			} else if wrong++; wrong == 1 {
				at = k
			}
		}
		if wrong < least {
			least, first = wrong, at
		}
	}
	for k := range found {
		if !found[k] {
			bad = append(bad, k)
		}
		if free[k] {
			open++
		}
	}
	if len(bad) == 0 && least > 0 {
		bad = append(bad, first)
	}
	return bad, open
}

// permitted returns the values of a component of a texel in words.
func (t *Target) permitted(texel, k int) string {
	var parts []string
	for _, cells := range t.own(texel) {
		text := "any value"
		if n := &cells[k]; !n.Any {
			text = n.textOf(t.components[k])
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if parts == nil {
		return t.Cells[texel*len(t.components)+k].textOf(t.components[k])
	}
	return strings.Join(parts, " or ")
}
