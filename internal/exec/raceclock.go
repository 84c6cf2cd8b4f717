package exec

// A vector clock is a trie of clocks by number, and persistent: a vector that grew shares the rest with the one before, so that a
// counter of n invocations with acquire and release semantics keeps n paths rather than n vectors of n clocks (after Driscoll et
// al. 1989, "Making Data Structures Persistent"). Vectors that share a part are joined without a walk of it.

// clock counts the releases of an invocation.
type clock uint32

// fanBits is the logarithm of the clocks of a leaf, and of the children of other nodes.
const fanBits = 4

const fan = 1 << fanBits

// leafBytes and nodeBytes are what a node of a trie counts for the limit of the log.
const (
	leafBytes = 96
	nodeBytes = 160
)

// trie has the clocks of the numbers from first on, fan^(level+1) of them; 0 for those without one. It does not change.
type trie struct {
	first  uint32
	level  uint8
	clocks *[fan]clock // of level 0
	kids   *[fan]*trie // of other levels
}

// at returns the clock of a number.
func (t *trie) at(n uint32) clock {
	for t != nil && t.holds(n) {
		if t.level == 0 {
			return t.clocks[n-t.first]
		}
		t = t.kids[t.slot(n)]
	}
	return 0
}

// holds reports whether a number is in the range of a node.
func (t *trie) holds(n uint32) bool {
	shift := fanBits * (uint(t.level) + 1)
	return uint64(n)>>shift == uint64(t.first)>>shift
}

// slot returns the child for a number in the range.
func (t *trie) slot(n uint32) uint32 { return n >> (fanBits * uint(t.level)) % fan }

// clocks makes vectors, and counts their bytes.
type clocks struct{ bytes uint64 }

// raised returns the trie in which a number has at least a clock.
func (k *clocks) raised(t *trie, n uint32, c clock) *trie {
	if t != nil && t.at(n) >= c {
		return t
	}
	leaf := &trie{first: n &^ (fan - 1), clocks: &[fan]clock{}}
	leaf.clocks[n%fan] = c
	k.bytes += leafBytes
	return k.join(t, leaf)
}

// join returns the trie with the greater clock of each number. It is one of the two if that has all of them.
func (k *clocks) join(a, b *trie) *trie {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	if a.level > b.level {
		return k.joinBelow(a, b)
	}
	if b.level > a.level {
		return k.joinBelow(b, a)
	}
	if a.first != b.first {
		return k.joinBelow(k.above(a), b)
	}
	if a.level == 0 {
		return k.joinLeaves(a, b)
	}
	out, isA, isB := *a.kids, true, true
	for i := range out {
		out[i] = k.join(a.kids[i], b.kids[i])
		isA, isB = isA && out[i] == a.kids[i], isB && out[i] == b.kids[i]
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	k.bytes += nodeBytes
	return &trie{first: a.first, level: a.level, kids: &out}
}

// joinBelow joins a trie with one of a lower level.
func (k *clocks) joinBelow(a, b *trie) *trie {
	for !a.holds(b.first) {
		a = k.above(a)
	}
	i := a.slot(b.first)
	kid := k.join(a.kids[i], b)
	if kid == a.kids[i] {
		return a
	}
	for kid.level+1 < a.level { // the child was nil
		kid = k.above(kid)
	}
	out := *a.kids
	out[i] = kid
	k.bytes += nodeBytes
	return &trie{first: a.first, level: a.level, kids: &out}
}

func (k *clocks) joinLeaves(a, b *trie) *trie {
	out := *a.clocks
	for i, c := range b.clocks {
		out[i] = max(out[i], c)
	}
	switch out {
	case *a.clocks:
		return a
	case *b.clocks:
		return b
	}
	k.bytes += leafBytes
	return &trie{first: a.first, clocks: &out}
}

// above returns a node of the next level whose only child is a node.
func (k *clocks) above(t *trie) *trie {
	up := &trie{level: t.level + 1, kids: &[fan]*trie{}}
	if shift := fanBits * (uint(up.level) + 1); shift < 32 {
		up.first = t.first >> shift << shift
	}
	up.kids[up.slot(t.first)] = t
	k.bytes += nodeBytes
	return up
}

// vector is a vector clock, which does not change: the clocks of workgroups, each of which counts for all of its invocations,
// and those of invocations.
type vector struct{ groups, lanes *trie }

// joined returns the least vector that is not less than either one.
func (k *clocks) joined(a, b vector) vector {
	return vector{k.join(a.groups, b.groups), k.join(a.lanes, b.lanes)}
}
