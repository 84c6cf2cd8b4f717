package ir

// defined knows which values are defined on every way to a place. A place is
// the value that was defined there last, 0 where none was: every value has one
// definition, so that what is defined at a place are the values on the way from
// it to the root of a tree, and what two ways that meet have in common is what
// the nearest node above both has. Links that skip many nodes make the depth of
// the tree cost its logarithm.
type defined struct {
	above []V // of each value, the place where it was defined
	skip  []V // of each value, a place further up
	depth []int32
}

// nowhere is the place where nobody came to.
const nowhere V = -1

func newDefined(values int) *defined {
	return &defined{above: make([]V, values), skip: make([]V, values), depth: make([]int32, values)}
}

// add defines v at a place, and returns the place behind it.
func (d *defined) add(at, v V) V {
	d.above[v], d.skip[v], d.depth[v] = at, at, d.depth[at]+1
	if s := d.skip[at]; d.depth[at]-d.depth[s] == d.depth[s]-d.depth[d.skip[s]] {
		d.skip[v] = d.skip[s]
	}
	return v
}

// up returns the place on the way up from at that has the given depth.
func (d *defined) up(at V, depth int32) V {
	for d.depth[at] > depth {
		if s := d.skip[at]; d.depth[s] >= depth {
			at = s
		} else {
			at = d.above[at]
		}
	}
	return at
}

// has reports whether v is defined at a place.
func (d *defined) has(at, v V) bool {
	return d.depth[v] > 0 && d.depth[v] <= d.depth[at] && d.up(at, d.depth[v]) == v
}

// meet returns the place where what is defined at both a and b is. Either may
// be nowhere, which leaves the other.
func (d *defined) meet(a, b V) V {
	if a == nowhere {
		return b
	}
	if b == nowhere {
		return a
	}
	a, b = d.up(a, d.depth[b]), d.up(b, d.depth[a])
	for a != b {
		if d.skip[a] != d.skip[b] {
			a, b = d.skip[a], d.skip[b]
		} else {
			a, b = d.above[a], d.above[b]
		}
	}
	return a
}
