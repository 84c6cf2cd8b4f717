package texture

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// combos are the combinations of one function in a key.
type combos struct {
	function uint64
	sure     bool
	words    []uint64 // three for each combination
}

// nextCombos splits the first function off a key.
func nextCombos(key []uint64) (c combos, rest []uint64) {
	n := 3 * key[1]
	return combos{key[0], key[2] == 1, key[3:][:n]}, key[3+n:]
}

// Covers reports whether the program that Bind returned for descriptors with the key have also runs with descriptors with the
// key need: a function that dispatches has the bodies for all combinations.
func Covers(have, need []uint64) bool {
	for len(have) > 0 && len(need) > 0 {
		var x, y combos
		x, have = nextCombos(have)
		y, need = nextCombos(need)
		switch {
		case x.function != y.function || x.sure && !y.sure:
			return false
		case x.sure:
			if !slices.Equal(x.words, y.words) {
				return false
			}
			continue
		}
		for i := 0; i < len(y.words); i += 3 {
			if !hasCombo(x.words, y.words[i:i+3]) {
				return false
			}
		}
	}
	return len(have) == len(need)
}

func hasCombo(words, combo []uint64) bool {
	for i := 0; i < len(words); i += 3 {
		if slices.Equal(words[i:i+3], combo) {
			return true
		}
	}
	return false
}

// Dispatches returns the largest number of combinations among which a function dispatches; 0 if none does.
func Dispatches(key []uint64) (most int) {
	for len(key) > 0 {
		var c combos
		if c, key = nextCombos(key); !c.sure {
			most = max(most, len(c.words)/3)
		}
	}
	return most
}

// Union returns views and samplers with the keys of bound, and in arrays with the keys of other too: a program for them runs
// with both. They have no memory and no state: only Bind and Key accept them.
func Union(p *ir.Program, bound, other []Bound) []Bound {
	out := make([]Bound, len(bound))
	for r := range out {
		var more Bound
		if r < len(other) && p.Res[r].Count != 1 {
			more = other[r]
		}
		one := p.Res[r].Count == 1
		out[r].Views = keysOf(one, bound[r].Views, more.Views, func(v *View) viewKey { return v.key }, func(k viewKey) *View { return &View{key: k} })
		out[r].Samplers = keysOf(one, bound[r].Samplers, more.Samplers, func(s *Sampler) samplerKey { return s.key }, func(k samplerKey) *Sampler { return &Sampler{key: k} })
	}
	return out
}

// keysOf returns an element for each key in two lists; for each element of x if it is all of a resource.
func keysOf[T any, K comparable](one bool, x, y []*T, key func(*T) K, of func(K) *T) (out []*T) {
	seen := map[K]bool{}
	for _, list := range [...][]*T{x, y} {
		for _, e := range list {
			switch {
			case e == nil && one:
				out = append(out, nil)
			case e == nil || seen[key(e)] && !one:
			default:
				seen[key(e)] = true
				out = append(out, of(key(e)))
			}
		}
	}
	return out
}
