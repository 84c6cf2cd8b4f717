package ir

// defined tracks the values that are defined on every path to a program point. A
// point is represented by the value defined last before it, 0 if there is none.
// Every value has one definition, so the points form a tree, and the values
// defined at a point are those on the path from it to the root. At a merge of two
// paths, exactly the values at their lowest common ancestor are defined. Skip
// links (jump pointers, Myers 1983, "An applicative random-access stack") make
// a search of an ancestor logarithmic in the depth of the tree.
type defined struct {
	above []V // of each value, the point before its definition: the parent
	skip  []V // of each value, a farther ancestor
	depth []int32
}

// unreachable is a point that no path reaches.
const unreachable V = -1

func newDefined(values int) *defined {
	return &defined{above: make([]V, values), skip: make([]V, values), depth: make([]int32, values)}
}

// add defines v at a point and returns the point after the definition.
func (d *defined) add(at, v V) V {
	d.above[v], d.skip[v], d.depth[v] = at, at, d.depth[at]+1
	if s := d.skip[at]; d.depth[at]-d.depth[s] == d.depth[s]-d.depth[d.skip[s]] {
		d.skip[v] = d.skip[s]
	}
	return v
}

// up returns the ancestor of at that has the given depth.
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

// has reports whether v is defined at a point.
func (d *defined) has(at, v V) bool {
	return d.depth[v] > 0 && d.depth[v] <= d.depth[at] && d.up(at, d.depth[v]) == v
}

// meet returns the merge point of a and b: the values that are defined at both are
// defined at it. If one is unreachable, it is the other.
func (d *defined) meet(a, b V) V {
	if a == unreachable {
		return b
	}
	if b == unreachable {
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
