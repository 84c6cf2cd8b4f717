package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// join removes parameters that are given the same value on all ways, or
// themselves. Every way to the label has that value, so it may be read wherever
// the parameter may; and it is not computed anew while the parameter is alive,
// for that way would lead to the parameter again.
func join(_ *ir.Program, f *ir.Func) {
	work := make([]ir.V, 0, 32)
	for _, v := range f.Code {
		if x := f.Val(v); (x.Op == ir.Block || x.Op == ir.Loop) && v != f.Body() {
			work = append(work, f.Params(v)...)
		}
	}
	if len(work) == 0 {
		return
	}
	r := enter()
	defer r.leave()
	j := newJoiner(f, r)
	// A parameter that goes makes others worth another look.
	some := false
	for budget := 64 * len(f.Code); len(work) > 0 && budget > 0; {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		if j.to[p] != 0 {
			continue
		}
		budget -= 1 + len(j.ways.to(f.Val(p).Args[0]))
		if same := j.same(p); same != 0 {
			j.to[p], some = same, true
			for i := j.first[p]; i != 0; i = j.feeds[i].next {
				work = append(work, j.feeds[i].param)
			}
			j.hand(p, same)
		}
	}
	if !some {
		return
	}
	for _, v := range f.Code {
		redirect(f, v, j.to)
	}
	dropParams(f, func(p ir.V) bool { return int(p) < len(j.to) && j.to[p] != 0 })
}

type joiner struct {
	f           *ir.Func
	to          []ir.V
	ways        branches
	first, last []int32 // by value: of the parameters that are given it, in feeds; 0 where there is none
	feeds       []feed
}

// feed is a parameter that a value is given to, and the next of that value.
type feed struct {
	param ir.V
	next  int32
}

func newJoiner(f *ir.Func, r *room) *joiner {
	n := len(f.Vals)
	j := &joiner{f: f, to: r.values.Alloc(n), ways: branchesOf(f, r), first: r.numbers.Alloc(n), last: r.numbers.Alloc(n), feeds: make([]feed, 1, 16)}
	for _, v := range f.Code {
		switch x := f.Val(v); x.Op {
		case ir.Loop:
			j.way(v, f.Inits(v))
		case ir.Br:
			j.way(x.Args[0], f.BrArgs(v))
		}
	}
	return j
}

// way notes which parameters of the label the arguments go to.
func (j *joiner) way(label ir.V, args []ir.V) {
	if label == j.f.Body() {
		return
	}
	for i, p := range j.f.Params(label) {
		a := args[i]
		if j.f.Val(a).Op != ir.Param {
			continue
		}
		at := int32(len(j.feeds))
		j.feeds = append(j.feeds, feed{param: p})
		if j.first[a] == 0 {
			j.first[a] = at
		} else {
			j.feeds[j.last[a]].next = at
		}
		j.last[a] = at
	}
}

// hand puts what a parameter that goes is given to behind what the value is given to
// that stands for it.
func (j *joiner) hand(p, same ir.V) {
	switch {
	case j.first[p] == 0:
		return
	case j.first[same] == 0:
		j.first[same] = j.first[p]
	default:
		j.feeds[j.last[same]].next = j.first[p]
	}
	j.last[same] = j.last[p]
}

// same returns the one value that a parameter is given, or 0.
func (j *joiner) same(p ir.V) ir.V {
	x := j.f.Val(p)
	label, i := x.Args[0], x.Aux
	one := ir.V(0)
	if j.f.Val(label).Op == ir.Loop {
		one = follow(j.f.Inits(label)[i], j.to)
	}
	for _, br := range j.ways.to(label) {
		switch a := follow(j.f.BrArgs(br)[i], j.to); {
		case a == p || a == one:
		case one == 0:
			one = a
		case !alike(j.f.Val(one), j.f.Val(a)):
			return 0
		}
	}
	return one
}

// alike reports whether two values are the same constant.
func alike(a, b *ir.Val) bool {
	return a.Op == ir.Const && b.Op == ir.Const && a.Type == b.Type && a.Aux == b.Aux
}

// dropParams takes parameters away from their labels, and what they are given
// from branches.
func dropParams(f *ir.Func, gone func(ir.V) bool) {
	keep := map[ir.V][]bool{} // by label, where some go: which stay
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop:
			dropFrom(f, v, gone, keep)
		case ir.Br:
			if stays := keep[x.Args[0]]; stays != nil {
				args := only(f.BrArgs(v), stays)
				x.Aux = uint64(len(args))
			}
		}
	}
}

func dropFrom(f *ir.Func, label ir.V, gone func(ir.V) bool, keep map[ir.V][]bool) {
	x := f.Val(label)
	params := f.Params(label)
	if !slices.ContainsFunc(params, gone) {
		return
	}
	stays := make([]bool, len(params))
	for i, p := range params {
		stays[i] = !gone(p)
	}
	keep[label] = stays
	var inits []ir.V
	if x.Op == ir.Loop {
		inits = only(f.Inits(label), stays)
	}
	params = only(params, stays)
	for i, p := range params {
		f.Val(p).Aux = uint64(i)
	}
	copy(f.Extra[int(x.Args[3])+len(params):], inits)
	x.Aux = uint64(len(params))
}

// only shortens a list, in place, to those that stay.
func only(list []ir.V, stays []bool) []ir.V {
	n := 0
	for i, v := range list {
		if stays[i] {
			list[n] = v
			n++
		}
	}
	return list[:n]
}
