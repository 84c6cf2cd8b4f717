package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// home is what the loops around a value mean for its registers. An operation
// writes its value for the active lanes alone (internal/ir, "Values"), but that
// can be told only where another iteration may have written it before: where
// the value is read outside of the loop that makes it, and lanes leave that loop
// in different iterations. Elsewhere the lanes that are not active may become
// anything.
type home struct {
	loop     ir.V // the innermost loop in which the value is made, or 0
	outlives bool // it is read outside of it, or of one around it, by lanes that left at different times

	// Of parameters:
	alone     bool // one br alone writes it, not from within an inner loop that lanes leave in different iterations, nor do lanes read it behind that
	first     ir.V // of a block: the br that writes it before all others, if not from within such a loop; lanes that are not there have nothing yet
	keepsInit bool // of a loop: the same for the loop around that loop
}

// homesOf finds the home of every value of f, where lanes leave the loops of
// which together is not true in different iterations.
func homesOf(f *ir.Func, together func(loop ir.V) bool, r *room) *homing {
	n := len(f.Vals)
	h := &homing{f: f, together: together, of: r.homes.Alloc(n), outer: r.labels.Alloc(n), brs: r.numbers.Alloc(n)}
	var open []ir.V
	current := ir.V(0) // the innermost open loop
	for i, v := range f.Code {
		x := f.Val(v)
		h.of[v].loop = current
		h.operands(v, x, current)
		switch x.Op {
		case ir.Block, ir.Loop:
			open = append(open, v)
			if x.Op == ir.Loop {
				h.outer[v], h.loops = current, true
				current = v
			}
			for _, p := range f.Params(v) {
				h.of[p] = home{loop: current, alone: true}
			}
		case ir.If:
			open = append(open, v)
		case ir.Br:
			h.branch(v, current, i)
		case ir.Call:
			for _, r := range f.CallResults(v) {
				h.of[r].loop = current
			}
		case ir.End:
			if open[len(open)-1] == current {
				current = h.outer[current]
			}
			open = open[:len(open)-1]
		}
	}
	for _, v := range f.Results() {
		h.read(v, 0)
	}
	return h
}

type homing struct {
	f     *ir.Func
	of    []home
	outer []ir.V  // the loop around a loop
	brs   []int32 // to a label
	loops bool    // there are any

	together func(loop ir.V) bool
}

// operands notes all uses of an operation within loop l.
func (h *homing) operands(v ir.V, x *ir.Val, l ir.V) {
	for i := range x.Op.Args() {
		h.read(x.Args[i], l)
	}
	for _, a := range h.f.Listed(v) {
		h.read(a, l)
	}
}

// read notes a use of a within loop l.
func (h *homing) read(a, l ir.V) {
	home := &h.of[a]
	if h.f.Val(a).Op == ir.Const {
		return
	}
	for x := home.loop; x != 0 && !h.within(l, x); x = h.outer[x] {
		if h.together(x) {
			continue
		}
		home.outlives = true
		if p := h.f.Val(a); x != home.loop && p.Op == ir.Param && p.Args[0] == home.loop {
			home.keepsInit = true
		}
	}
}

// apart says of every loop that lanes may leave it in different iterations.
func apart(ir.V) bool { return false }

// within reports whether loop l is the loop around, or stands in it.
func (h *homing) within(l, around ir.V) bool {
	for ; l != around; l = h.outer[l] {
		if l == 0 {
			return false
		}
	}
	return true
}

// branch notes a br from within loop l, at the i-th place of the code.
func (h *homing) branch(v, l ir.V, i int) {
	label := h.f.Val(v).Args[0]
	h.brs[label]++
	block := h.f.Val(label).Op == ir.Block
	once := h.brs[label] == 1 && (block || h.last(label, i))
	for around := h.of[label].loop; block && l != around && h.together(l); {
		l = h.outer[l] // which lanes leave all at once, so that they come by here once
	}
	for _, p := range h.f.Params(label) {
		home := &h.of[p]
		home.alone = home.alone && once && l == home.loop
		if block && once && l == home.loop {
			home.first = v
		}
	}
}

// last reports whether nothing but ends follows in the loop.
func (h *homing) last(loop ir.V, i int) bool {
	for _, v := range h.f.Code[i+1:] {
		x := h.f.Val(v)
		if x.Op != ir.End || x.Args[0] == loop {
			return x.Op == ir.End
		}
	}
	return false
}
